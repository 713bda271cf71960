//! What a person of the office tells the agent in a call.

use serde::{Deserialize, Serialize};

/// One thing that they said. Never spoken of to the caller.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StaffWord {
    /// How to answer next.
    Next(String),
    /// How to answer from now on.
    Standing(String),
    /// What was to be held to from now on is so no more.
    Withdrawn,
    /// A fact of the call.
    Fact(String),
    /// What was said to the caller word for word, in our voice.
    Said(String),
}

impl StaffWord {
    /// Its words.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Next(text) | Self::Standing(text) | Self::Fact(text) | Self::Said(text) => text,
            Self::Withdrawn => "",
        }
    }

    /// How long it holds, as the record says it.
    #[must_use]
    pub const fn until(&self) -> &'static str {
        match self {
            Self::Next(_) => "next",
            Self::Standing(_) => "withdrawn",
            Self::Withdrawn => "now",
            Self::Fact(_) => "fact",
            Self::Said(_) => "said",
        }
    }

    /// The same with other words.
    #[must_use]
    pub fn map(&self, mut words: impl FnMut(&str) -> String) -> Self {
        match self {
            Self::Next(text) => Self::Next(words(text)),
            Self::Standing(text) => Self::Standing(words(text)),
            Self::Fact(text) => Self::Fact(words(text)),
            Self::Said(text) => Self::Said(words(text)),
            Self::Withdrawn => Self::Withdrawn,
        }
    }
}
