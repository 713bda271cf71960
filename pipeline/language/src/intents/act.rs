//! What a caller does with an utterance.

use std::fmt;

/// A kind of utterance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Act {
    /// Wants something: asks, requests, reports.
    Ask,
    /// Tells what was asked for, or names a thing alone.
    Answer,
    /// Puts right what was said or heard before.
    Correct,
    Refuse,
    Thank,
    Insult,
    /// Turns to another wish.
    Change,
    /// Wants a moment.
    Wait,
    Greet,
    /// Wants what is under way to be left.
    Abandon,
    /// "Okay", "I see".
    Acknowledge,
}

impl Act {
    /// All, in the order of the weights.
    pub const ALL: [Self; 11] = [
        Self::Ask,
        Self::Answer,
        Self::Correct,
        Self::Refuse,
        Self::Thank,
        Self::Insult,
        Self::Change,
        Self::Wait,
        Self::Greet,
        Self::Abandon,
        Self::Acknowledge,
    ];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::Correct => "correct",
            Self::Refuse => "refuse",
            Self::Thank => "thank",
            Self::Insult => "insult",
            Self::Change => "change",
            Self::Wait => "wait",
            Self::Greet => "greet",
            Self::Abandon => "abandon",
            Self::Acknowledge => "acknowledge",
        }
    }

    /// The act of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.name() == name)
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
