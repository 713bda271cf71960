//! What a turn of the caller's gives the responder.

use language::shown::{Shape, Shown};
use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{InLine, Returned};

/// So many other hearings of one turn are kept.
pub const MOST_ALTERNATIVES: usize = 6;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TurnInput {
    /// The stream opened: greet.
    Opened,
    /// What the caller said.
    Said {
        text: String,
        /// The recogniser is not sure of the words: what hangs on them is asked first.
        #[serde(default)]
        unsure: bool,
        /// What it may have been instead, likeliest first, at most [`MOST_ALTERNATIVES`]. Given where the words are unsure, or
        /// answer what was asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        alternatives: Vec<String>,
    },
    /// Keys the caller pressed, complete: `0`–`9` and `A`–`D`, or `#` alone, which passes over what was asked.
    Digits { digits: String },
    /// A secret (PIN) that was asked for, keyed in or spoken. Never written, logged or shown to a model.
    Secret(SecretDigits),
    /// The caller said nothing for the `times`-th time in a row, from 1.
    Silence { times: u32 },
    /// The caller made a sound in which no word was found.
    Unintelligible,
    /// A person of the office answered what the agent had asked while the caller waited.
    Answered { text: String },
    /// Nobody did in time.
    Unanswered,
    /// A person of the office had the call, and does not have it any more: the agent speaks first.
    GivenBack,
    /// The caller waited with us while a person was called, who did not take the call.
    Returned(Returned),
    /// The caller waits in line, and is to be told where they stand.
    InLine(InLine),
    /// It is their turn: the transfer to this target is on record already.
    YourTurn { target: String },
}

impl TurnInput {
    /// Words that were heard clearly.
    #[must_use]
    pub fn said(text: impl Into<String>) -> Self {
        Self::Said { text: text.into(), unsure: false, alternatives: Vec::new() }
    }
}

/// Digits that nobody may see: they go from the caller's keys to the tool that checks them.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct SecretDigits(Zeroizing<String>);

impl SecretDigits {
    #[must_use]
    pub fn new(digits: String) -> Self {
        Self(Zeroizing::new(digits))
    }

    /// The digits, for the tool that checks them.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigits(…)")
    }
}

/// Written as nothing: a kept input holds no secret.
impl Serialize for SecretDigits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("")
    }
}

impl<'de> Deserialize<'de> for SecretDigits {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

impl Shape for TurnInput {
    fn shape(&self) -> Shown {
        match self {
            Self::Opened => Shown::Kind("opened", 0),
            Self::Said { text, .. } => Shown::Kind("said", text.chars().count()),
            Self::Digits { digits } => Shown::Kind("digits", digits.len()),
            Self::Secret(secret) => Shown::Kind("secret", secret.expose().len()),
            Self::Silence { .. } => Shown::Kind("silence", 0),
            Self::Unintelligible => Shown::Kind("unintelligible", 0),
            Self::Returned(_) => Shown::Kind("returned", 0),
            Self::Answered { text } => Shown::Kind("answered", text.chars().count()),
            Self::Unanswered => Shown::Kind("unanswered", 0),
            Self::GivenBack => Shown::Kind("given back", 0),
            Self::InLine(_) => Shown::Kind("in line", 0),
            Self::YourTurn { .. } => Shown::Kind("your turn", 0),
        }
    }
}
