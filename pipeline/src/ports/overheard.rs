//! What is said while a person of the office has the call.

use crate::event::{Attack, AttentionReason, Ruling};

/// Words that the responder takes no turn on and must know of: it goes on with the caller afterwards.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Overheard {
    /// The caller, to the person.
    Caller { text: String },
    /// The person, to the caller.
    Person {
        /// A login, or the name of a token.
        by: String,
        text: String,
    },
}

/// What the responder makes of it. Belongs to no reply, so it is never stale.
#[derive(Clone, PartialEq, Debug)]
pub enum Noticed {
    /// A rule that the person's words broke: they are warned, and not stopped.
    Rule(Ruling),
    Guard(Attack),
    Attention(AttentionReason),
    /// One of them wants no notes taken.
    NoNotes,
}
