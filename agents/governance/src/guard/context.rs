//! What was asked, and what that says about an answer.

use serde::{Deserialize, Serialize};

/// The kind of answer that was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// Nothing in particular: "how can I help you".
    #[default]
    Open,
    /// Yes or no.
    YesNo,
    /// A number.
    Digits,
    /// A name.
    Name,
    /// A street address.
    Address,
    /// What happened, or what a letter says: others' words and orders belong to the answer.
    Story,
}

/// The language that the call is held in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Tongue {
    /// English.
    #[default]
    #[serde(rename = "en")]
    English,
    /// Spanish.
    #[serde(rename = "es")]
    Spanish,
}

/// What is known besides the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Context {
    /// What was asked.
    #[serde(default)]
    pub asked: Asked,
    /// Both languages are always judged; this is for whoever reports.
    #[serde(default)]
    pub language: Tongue,
}

/// Words of an answer of that kind; a longer one has left the question.
const SHORT_ANSWER: usize = 14;

impl Context {
    /// Log odds added to the threshold: above zero for answers in which orders are somebody else's, below zero where
    /// an order is no answer. A signature as strong as `certain` leaves no room for the former.
    #[must_use]
    pub const fn lenience(self, words: usize, certain: bool) -> f32 {
        match self.asked {
            Asked::Open => 0.0,
            Asked::Story if certain => 0.0,
            Asked::Story => 2.5,
            Asked::YesNo | Asked::Digits | Asked::Name | Asked::Address if words > SHORT_ANSWER => -0.3,
            // "Forget it, four one one" corrects an answer.
            Asked::YesNo | Asked::Digits | Asked::Name | Asked::Address => 0.0,
        }
    }
}
