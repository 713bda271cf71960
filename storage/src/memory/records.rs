//! Rows of memory as they go in and come out.

use chrono::{DateTime, Utc};

use super::{Refusal, Ruling};
use crate::error::StorageError;
use crate::ids::{CallId, ContactId, DecisionId, MemoryId, NoteId, RecordId, SuggestionId};
use crate::records::word_enum;
use crate::zones::LookupHash;

word_enum! {
    /// Where a contact stands.
    Stage { New = "new", Returning = "returning", OptedOut = "opted_out" }
}

word_enum! {
    /// What became of a suggestion, or of a contact.
    Verdict {
        /// A fact that was not known.
        Stored = "stored",
        /// Known already; the higher confidence is kept.
        Confirmed = "confirmed",
        /// In place of what was known with less confidence, or as much and earlier.
        Replaced = "replaced",
        /// What was known had the higher confidence.
        KeptExisting = "kept_existing",
        Refused = "refused",
        /// The contact's memory was deleted.
        Forgotten = "forgotten",
    }
}

word_enum! {
    /// Why a contact's memory is deleted. Nothing is remembered of it again.
    Forgetting {
        /// The caller said so on a call.
        AskedByCaller = "asked_by_caller",
        /// Somebody of the office did it for them.
        AskedOfOffice = "asked_of_office",
        /// It was kept as one person's who was everybody that withheld their number.
        Withheld = "number_withheld",
    }
}

word_enum! {
    Outcome { Done = "done", Failed = "failed", Refused = "refused" }
}

word_enum! {
    /// How looking through a call ended.
    ReviewOutcome {
        Reviewed = "reviewed",
        /// The caller asked to be forgotten on this call.
        Forgotten = "forgotten",
        /// The caller did not want to be remembered before this call.
        OptedOut = "opted_out",
        /// The carrier gave no number, or the call had no words.
        Nothing = "nothing",
    }
}

/// A caller that is remembered. The number is not kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contact {
    pub id: ContactId,
    /// The facts in a line. Sensitive.
    pub summary: Option<String>,
    pub stage: Stage,
    /// Nothing is remembered, and nothing will be.
    pub opt_out: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A remembered fact.
#[derive(Clone, PartialEq, Debug)]
pub struct Memory {
    pub id: MemoryId,
    pub contact_id: ContactId,
    pub key: String,
    /// Sensitive.
    pub value: String,
    /// 0 to 1.
    pub confidence: f64,
    pub suggestion_id: SuggestionId,
    /// The call that it was heard on.
    pub call_id: Option<CallId>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A contact with all that is remembered, by key.
#[derive(Clone, PartialEq, Debug)]
pub struct ContactMemory {
    pub contact: Contact,
    pub memories: Vec<Memory>,
}

/// A fact that an agent proposes.
#[derive(Clone, Debug)]
pub struct NewSuggestion {
    /// Whose fact it is: the raw number. Kept as a keyed hash.
    pub caller: String,
    pub call_id: Option<CallId>,
    /// Suggesting with the same key again changes nothing.
    pub idempotency_key: String,
    pub key: String,
    pub value: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// A suggestion with what was decided on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Suggestion {
    pub id: SuggestionId,
    pub call_id: Option<CallId>,
    pub agent_id: String,
    pub key: String,
    /// Sensitive.
    pub value: String,
    /// 0 to 1.
    pub confidence: f64,
    pub created_at: DateTime<Utc>,
    pub decision: Option<Decision>,
}

/// What the manager decided, and why. Without any text of a caller.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub id: DecisionId,
    pub suggestion_id: Option<SuggestionId>,
    /// The other suggestion, where two were in conflict: the one that lost (`replaced`) or won (`kept_existing`).
    pub against_suggestion_id: Option<SuggestionId>,
    pub contact_id: Option<ContactId>,
    pub memory_id: Option<MemoryId>,
    pub call_id: Option<CallId>,
    /// `unknown` for a key that is not in the list.
    pub key: String,
    pub verdict: Verdict,
    /// A word: of [`Refusal`], [`Forgetting`], or `admitted`, `same_value`, `higher_confidence`, `lower_confidence`.
    pub reason: String,
    /// 0 to 1.
    pub confidence: Option<f64>,
    pub created_at: DateTime<Utc>,
}

/// A suggestion that waits for its decision.
#[derive(Debug)]
pub(crate) struct Pending {
    pub id: SuggestionId,
    pub caller: LookupHash,
    pub call_id: Option<CallId>,
    pub key: String,
    pub value: String,
    pub confidence_milli: i64,
}

/// The same with the ruling.
#[derive(Debug)]
pub(crate) struct Ruled {
    pub pending: Pending,
    pub ruling: Ruling,
}

impl Ruled {
    /// The key that may stand in the clear.
    pub(crate) fn shown_key(&self) -> &str {
        match self.ruling {
            Ruling::Refuse(Refusal::NotBusinessRelevant) => "unknown",
            _ => &self.pending.key,
        }
    }
}

/// What an agent logs of a contact with a caller.
#[derive(Clone, Debug)]
pub struct NewInteraction {
    /// Raw number, if known. Kept as a keyed hash.
    pub caller: Option<String>,
    pub call_id: Option<CallId>,
    pub idempotency_key: String,
    /// `call`, `message`, …
    pub kind: String,
    /// Sealed.
    pub body: String,
}

/// What an agent would do better next time.
#[derive(Clone, Debug)]
pub struct NewPlaybookUpdate {
    pub call_id: Option<CallId>,
    pub idempotency_key: String,
    /// A word: `not_understood`, `call_back_owed`, …
    pub topic: String,
    /// Sealed.
    pub body: String,
}

/// The same as it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaybookUpdate {
    pub id: RecordId,
    pub call_id: Option<CallId>,
    pub agent_id: String,
    pub topic: String,
    /// Sensitive.
    pub body: String,
    pub created_at: DateTime<Utc>,
}

/// Something that worked, failed or was refused. Words of ours only: kept in the clear.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub call_id: Option<CallId>,
    pub event: String,
    pub outcome: Outcome,
    pub detail: String,
}

/// The same as it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedEvent {
    pub id: RecordId,
    pub agent_id: String,
    pub call_id: Option<CallId>,
    pub event: String,
    pub outcome: Outcome,
    pub detail: String,
    pub created_at: DateTime<Utc>,
}

/// A note that is gone after a day.
#[derive(Clone, Debug)]
pub struct NewNote {
    /// Raw number, if it is about a caller: then it goes when they ask to be forgotten.
    pub caller: Option<String>,
    pub call_id: Option<CallId>,
    /// Sealed.
    pub note: String,
}

/// The same as it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentNote {
    pub id: NoteId,
    pub agent_id: String,
    pub call_id: Option<CallId>,
    /// Sensitive.
    pub note: String,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// That a call was looked through.
#[derive(Clone, Copy, Debug)]
pub struct Review {
    pub call: CallId,
    pub outcome: ReviewOutcome,
    /// Suggestions that were made of it.
    pub suggested: u32,
}

/// Which contacts to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct ContactFilter {
    pub after: Option<ContactId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

/// Which suggestions to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct SuggestionFilter {
    pub call: Option<CallId>,
    pub after: Option<SuggestionId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

/// A confidence in thousandths, as it is kept.
pub(crate) fn to_milli(confidence: f64) -> Result<i64, StorageError> {
    if !(0.0..=1.0).contains(&confidence) {
        return Err(StorageError::Invalid { what: "a confidence is between 0 and 1" });
    }
    Ok((confidence * 1_000.0).round() as i64)
}

pub(crate) fn from_milli(milli: i64) -> f64 {
    milli.clamp(0, 1_000) as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_kept_to_the_thousandth_and_in_range() {
        assert_eq!(to_milli(0.7).ok(), Some(700));
        assert_eq!(to_milli(0.6996).ok(), Some(700));
        assert!((from_milli(to_milli(0.85).unwrap_or_default()) - 0.85).abs() < 1e-9);
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(to_milli(wrong).is_err(), "{wrong}");
        }
    }
}
