//! What specialists may add: proposals, improvements, and notes that are gone after a day.

use std::ops::Deref;
use std::time::Duration;

use chrono::{DateTime, Utc};

use super::{
    MemoryAct, MemoryReader, MemoryTable, NewNote, NewPlaybookUpdate, NewSuggestion, RefusedAccess, Review,
    check_name, check_text, roles, to_milli,
};
use crate::backend::{TenantStore, on_backend};
use crate::error::StorageError;
use crate::ids::{CallId, NoteId, SuggestionId};

/// A note's life.
pub const NOTE_LIVES: Duration = Duration::from_secs(24 * 60 * 60);

/// Reads memory and appends to what specialists may append to. It writes no fact.
///
/// ```compile_fail,E0599
/// async fn write(specialist: &storage::memory::SpecialistMemory) {
///     specialist.review(None).await; // the manager's
/// }
/// ```
/// ```compile_fail,E0599
/// async fn forget(specialist: &storage::memory::SpecialistMemory, who: storage::ContactId) {
///     specialist.forget(who, storage::memory::Forgetting::AskedByCaller, None).await; // the manager's
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SpecialistMemory {
    reader: MemoryReader,
    agent_id: String,
}

impl TenantStore {
    /// Memory for a specialist.
    ///
    /// # Errors
    /// `RefusedWrite` for an agent that is none; the attempt is on record.
    pub async fn specialist_memory(&self, agent_id: &str) -> Result<SpecialistMemory, StorageError> {
        if roles::role_of(agent_id).may(MemoryAct::Append, MemoryTable::Suggestions) {
            let reader = MemoryReader { store: self.clone() };
            return Ok(SpecialistMemory { reader, agent_id: agent_id.to_owned() });
        }
        let refused = RefusedAccess::by_roles(MemoryAct::Append, MemoryTable::Suggestions);
        on_backend!(self, store => store.note_refusal(agent_id, refused).await);
        Err(StorageError::RefusedWrite { table: refused.table })
    }
}

impl Deref for SpecialistMemory {
    type Target = MemoryReader;

    fn deref(&self) -> &MemoryReader {
        &self.reader
    }
}

impl SpecialistMemory {
    /// Proposes a fact. `None`: the caller does not want to be remembered, or `caller` is no number.
    pub async fn suggest(&self, new: NewSuggestion) -> Result<Option<SuggestionId>, StorageError> {
        check_name(&new.key, "the key of a fact is a word")?;
        check_text(&new.value)?;
        let milli = to_milli(new.confidence)?;
        on_backend!(self.reader.store, store => store.append_suggestion(&self.agent_id, &new, milli).await)
    }

    /// `false`: the key is on record already.
    pub async fn update_playbook(&self, new: NewPlaybookUpdate) -> Result<bool, StorageError> {
        check_name(&new.topic, "the topic of a playbook update is a word")?;
        check_text(&new.body)?;
        on_backend!(self.reader.store, store => store.append_playbook(&self.agent_id, &new).await)
    }

    /// Keeps a note for a day.
    pub async fn note(&self, new: NewNote) -> Result<NoteId, StorageError> {
        check_text(&new.note)?;
        on_backend!(self.reader.store, store => store.append_note(&self.agent_id, &new, NOTE_LIVES).await)
    }

    /// Deletes notes that are over at `at`, and says how many.
    pub async fn drop_old_notes(&self, at: DateTime<Utc>) -> Result<u64, StorageError> {
        on_backend!(self.reader.store, store => store.drop_old_notes(at).await)
    }

    /// Ended calls that began at or after `since` and were not looked through; oldest first, `limit` at most.
    pub async fn calls_to_review(
        &self,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<CallId>, StorageError> {
        on_backend!(self.reader.store, store => store.calls_to_review(since, limit).await)
    }

    /// Puts on record that a call was looked through.
    pub async fn reviewed(&self, review: Review) -> Result<(), StorageError> {
        on_backend!(self.reader.store, store => store.append_review(review).await)
    }
}
