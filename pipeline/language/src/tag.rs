//! The languages that a call can be held in.

use serde::{Deserialize, Serialize};

/// BCP 47 primary language of a call: `en` or `es`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    Es,
}

impl Language {
    /// BCP 47 primary tag.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// The language of a tag such as `es` or `es-MX`; `None` for one we do not speak.
    #[must_use]
    pub fn of(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "en" => Some(Self::En),
            "es" => Some(Self::Es),
            _ => None,
        }
    }
}
