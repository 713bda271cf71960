//! What is remembered of callers, in three layers of authority. `roles` says who may do what; the handles say it again
//! as types; the database says it a third time (migration 0006: a gate that only the manager can open).
//!
//! | layer | handle | may |
//! |---|---|---|
//! | the memory manager | [`MemoryManager`] | write `contacts` and `memories`; decides what is suggested |
//! | orchestrators | [`MemoryReader`] | read `contacts` and `memories` |
//! | specialists | [`SpecialistMemory`] | read, and append suggestions, playbook updates, notes that live for a day |
//! | every agent | [`MemoryLog`] | append `interactions` and `event_log` |
//! | code-writing, deployment, file-system and migration agents | none of the first three | nothing of a caller |
//!
//! Texts here are raw: screen them before they leave the sensitive zone.

mod admission;
mod log;
mod manager;
mod reader;
mod records;
pub mod roles;
mod specialist;

pub use admission::{Admission, Proposal, Refusal, Ruling};
pub use log::MemoryLog;
pub use manager::{LEAST_CONFIDENCE, MemoryManager};
pub use reader::MemoryReader;
pub use records::{
    AgentNote, Contact, ContactFilter, ContactMemory, Decision, Forgetting, LoggedEvent, Memory, NewEvent,
    NewInteraction, NewNote, NewPlaybookUpdate, NewSuggestion, Outcome, PlaybookUpdate, Review,
    ReviewOutcome, Stage, Suggestion, SuggestionFilter, Verdict,
};
pub(crate) use records::{Pending, Ruled, from_milli, to_milli};
pub use roles::{MemoryAct, MemoryRole, MemoryTable};
pub use specialist::{NOTE_LIVES, SpecialistMemory};

use crate::StorageError;

/// Tables behind the manager's gate.
const GUARDED: [&str; 4] = ["contacts", "memories", "memory_decisions", "memory_authority"];
/// With what the triggers of the migrations end, on both back ends.
const BY_THE_MANAGER: &str = " is written by the memory manager alone";

/// Which table's trigger refused a write, from its message.
pub(crate) fn refused_table(message: &str) -> Option<&'static str> {
    guarded_table(message.strip_suffix(BY_THE_MANAGER)?)
}

/// The table behind the gate that has this name.
pub(crate) fn guarded_table(name: &str) -> Option<&'static str> {
    GUARDED.into_iter().find(|guarded| *guarded == name)
}

/// An access to memory that somebody had no authority for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RefusedAccess {
    pub act: MemoryAct,
    pub table: &'static str,
    /// Who refused: `roles`, or `database`.
    pub by: &'static str,
}

impl RefusedAccess {
    pub(crate) const fn by_roles(act: MemoryAct, table: MemoryTable) -> Self {
        Self { act, table: table.as_str(), by: "roles" }
    }

    /// The database lets everybody of the tenant read, so that it refuses writes alone.
    pub(crate) const fn by_database(table: &'static str) -> Self {
        Self { act: MemoryAct::Write, table, by: "database" }
    }
}

/// Names of agents and keys are ours or a model's, never free text: they stand in the clear.
pub(crate) fn check_name(name: &str, what: &'static str) -> Result<(), StorageError> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-' | b'.');
    match (1..=64).contains(&name.len()) && name.bytes().all(plain) {
        true => Ok(()),
        false => Err(StorageError::Invalid { what }),
    }
}

/// Longest text of one row, in bytes.
const LONGEST_TEXT: usize = 4_000;

pub(crate) fn check_text(text: &str) -> Result<(), StorageError> {
    if text.len() > LONGEST_TEXT {
        return Err(StorageError::Invalid { what: "a text for memory has 4,000 bytes at most" });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_s_message_names_its_table_and_other_messages_none() {
        assert_eq!(refused_table("contacts is written by the memory manager alone"), Some("contacts"));
        for other in ["call_log is append-only", "x is written by the memory manager alone", ""] {
            assert_eq!(refused_table(other), None, "{other}");
        }
    }

    #[test]
    fn names_are_plain_words() {
        for (name, fine) in
            [("memory_extractor", true), ("a-1.b", true), ("", false), ("Ada Quist", false), ("café", false)]
        {
            assert_eq!(check_name(name, "name").is_ok(), fine, "{name}");
        }
    }
}
