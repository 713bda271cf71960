//! What kind of government answers: a city is not called a county.

use pipeline::ports::Language;
use serde::{Deserialize, Serialize};

/// A tenant's kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Body {
    #[default]
    County,
    City,
    Town,
    Village,
    Township,
    Borough,
    Parish,
    /// Nobody said, and the name does not tell.
    Other,
}

impl Body {
    /// Every kind, for messages.
    pub const ALL: [Self; 8] = [
        Self::County,
        Self::City,
        Self::Town,
        Self::Village,
        Self::Township,
        Self::Borough,
        Self::Parish,
        Self::Other,
    ];

    /// As it is written in a file.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::County => "county",
            Self::City => "city",
            Self::Town => "town",
            Self::Village => "village",
            Self::Township => "township",
            Self::Borough => "borough",
            Self::Parish => "parish",
            Self::Other => "other",
        }
    }

    /// By a name that tells it: "Riverbend County", "City of Oakdale".
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        let name = name.to_lowercase();
        let named = |body: &Self| {
            let tag = body.tag();
            name.ends_with(&format!(" {tag}")) || name.starts_with(&format!("{tag} of "))
        };
        Self::ALL.into_iter().filter(|body| *body != Self::Other).find(named).unwrap_or(Self::Other)
    }

    /// "county"; in Spanish with its article, "el condado".
    #[must_use]
    pub const fn spoken(self, language: Language) -> &'static str {
        match (language, self) {
            (Language::En, Self::Other) => "local government",
            (Language::En, body) => body.tag(),
            (Language::Es, Self::County | Self::Parish) => "el condado",
            (Language::Es, Self::City | Self::Borough) => "la ciudad",
            (Language::Es, Self::Town | Self::Village | Self::Township) => "el pueblo",
            (Language::Es, Self::Other) => "el gobierno local",
        }
    }

    /// "of the county", "del condado".
    #[must_use]
    pub const fn spoken_of(self, language: Language) -> &'static str {
        match (language, self) {
            (Language::En, Self::County) => "of the county",
            (Language::En, Self::City) => "of the city",
            (Language::En, Self::Town) => "of the town",
            (Language::En, Self::Village) => "of the village",
            (Language::En, Self::Township) => "of the township",
            (Language::En, Self::Borough) => "of the borough",
            (Language::En, Self::Parish) => "of the parish",
            (Language::En, Self::Other) => "of the local government",
            (Language::Es, Self::County | Self::Parish) => "del condado",
            (Language::Es, Self::City | Self::Borough) => "de la ciudad",
            (Language::Es, Self::Town | Self::Village | Self::Township) => "del pueblo",
            (Language::Es, Self::Other) => "del gobierno local",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_kind_or_nothing() {
        for (name, body) in [
            ("Riverbend County", Body::County),
            ("City of Oakdale", Body::City),
            ("Oakdale City", Body::City),
            ("Town of Lee", Body::Town),
            ("Countyline Water", Body::Other),
            ("Oakdale", Body::Other),
        ] {
            assert_eq!(Body::of_name(name), body, "{name}");
        }
    }
}
