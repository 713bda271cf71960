//! What a conversation knows of handing the call over to a person.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

/// How many people of the office are there to be asked. Shared with whoever counts them.
#[derive(Clone, Debug, Default)]
pub struct Staff(pub Arc<AtomicU32>);

impl Staff {
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// How this call stands to the people that it could be put through to, or who could be asked.
#[derive(Clone, Debug, Default)]
pub struct HandOver {
    /// A carrier has the call, and can put it through.
    pub is_possible: bool,
    /// The caller was put through, and comes back without a person.
    pub returned: Option<Returned>,
    /// 0 for the first stream of a call. For a later one the last number on record before it: what each of them does is told
    /// apart by it.
    pub part: u64,
    /// Who could be asked in mid-call.
    pub staff: Staff,
    /// A person has the call already, and notes are taken of what is said: nothing is answered.
    pub notes: bool,
}

/// What the agent asks a person of the office while the caller waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Question {
    /// What is to be answered, in the caller's words.
    pub text: String,
    /// The caller waits so long.
    pub within_s: u32,
}

/// A caller whom nobody took at the target.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Returned {
    /// The target's name, as callers hear it.
    pub target: String,
    pub why: NotTaken,
}

/// Why a call that was put through comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotTaken {
    /// Somebody answered there, and did not take the call.
    Declined,
    Busy,
    NoAnswer,
    /// A machine answered.
    Machine,
    Failed,
    /// They wait in line for it, and the stream broke off: they keep the place.
    InLine,
}

/// Where a caller stands who waits in line for a person.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InLine {
    /// The target's name, as callers hear it.
    pub target: String,
    /// From one.
    pub place: u32,
    /// How long it may take. `None`: that is not known.
    pub minutes: Option<u32>,
}
