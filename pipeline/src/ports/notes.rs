//! The agent as a silent note-taker, once a person has taken a call.

use serde::{Deserialize, Serialize};

/// How it stands with notes of what the caller and the person say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotesState {
    /// The caller heard that notes are taken, and did not mind.
    Told,
    /// They said no, pressed the key, or said something else instead.
    Refused,
    /// The machine has no room, or the budget is spent: none are taken, and the caller was told nothing.
    NoRoom,
    /// What both say is being written down.
    Began,
    /// One of them wants no more notes.
    Withdrawn,
    /// The talk is over, or the longest call is reached.
    Ended,
    /// The stream, a recognizer or the record broke off: nothing was written down from then on.
    Lost,
}

impl NotesState {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Refused => "refused",
            Self::NoRoom => "no_room",
            Self::Began => "began",
            Self::Withdrawn => "withdrawn",
            Self::Ended => "ended",
            Self::Lost => "lost",
        }
    }
}
