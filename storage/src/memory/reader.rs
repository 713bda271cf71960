//! What orchestrators and specialists may know.

use super::{
    AgentNote, Contact, ContactFilter, ContactMemory, Decision, LoggedEvent, MemoryAct, MemoryTable,
    PlaybookUpdate, RefusedAccess, Suggestion, SuggestionFilter, roles,
};
use crate::backend::{TenantStore, on_backend};
use crate::error::StorageError;
use crate::ids::ContactId;

/// Reads memory, and has no way to write it. Its statements run on connections (SQLite) and in transactions (PostgreSQL)
/// that are read-only.
///
/// ```compile_fail,E0599
/// async fn write(reader: &storage::memory::MemoryReader) {
///     reader.review(None).await; // the manager's
/// }
/// ```
/// ```compile_fail,E0599
/// async fn suggest(reader: &storage::memory::MemoryReader, new: storage::memory::NewSuggestion) {
///     reader.suggest(new).await; // a specialist's
/// }
/// ```
/// ```compile_fail,E0451
/// fn make(store: storage::TenantStore) -> storage::memory::MemoryReader {
///     storage::memory::MemoryReader { store } // only by the role of an agent
/// }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryReader {
    pub(super) store: TenantStore,
}

impl TenantStore {
    /// Memory for an agent that may read it.
    ///
    /// # Errors
    /// `RefusedRead` for an agent without customer memory; the attempt is on record.
    pub async fn memory_reader(&self, agent_id: &str) -> Result<MemoryReader, StorageError> {
        if roles::role_of(agent_id).may(MemoryAct::Read, MemoryTable::Memories) {
            return Ok(MemoryReader { store: self.clone() });
        }
        let refused = RefusedAccess::by_roles(MemoryAct::Read, MemoryTable::Memories);
        on_backend!(self, store => store.note_refusal(agent_id, refused).await);
        Err(StorageError::RefusedRead { table: refused.table })
    }
}

impl MemoryReader {
    /// What is remembered of a caller, by raw number in any spelling. `None` for a stranger and for what is no number.
    /// One statement: fit for the start of a call.
    pub async fn get_memory(&self, phone: &str) -> Result<Option<ContactMemory>, StorageError> {
        on_backend!(self.store, store => store.memory_of_phone(phone).await)
    }

    /// One contact with its facts.
    pub async fn contact(&self, id: ContactId) -> Result<Option<ContactMemory>, StorageError> {
        on_backend!(self.store, store => store.memory_of_contact(id).await)
    }

    pub async fn contacts(&self, filter: ContactFilter) -> Result<Vec<Contact>, StorageError> {
        on_backend!(self.store, store => store.list_contacts(&filter).await)
    }

    /// What was suggested and what became of it.
    pub async fn suggestions(&self, filter: SuggestionFilter) -> Result<Vec<Suggestion>, StorageError> {
        on_backend!(self.store, store => store.list_suggestions(&filter).await)
    }

    /// Decisions on one contact, newest first, 500 at most. They outlive what they were about.
    pub async fn decisions(&self, contact: ContactId) -> Result<Vec<Decision>, StorageError> {
        on_backend!(self.store, store => store.list_decisions(contact).await)
    }

    /// Notes that are not over, newest first, 500 at most.
    pub async fn notes(&self) -> Result<Vec<AgentNote>, StorageError> {
        on_backend!(self.store, store => store.list_notes().await)
    }

    /// What agents would do better, newest first, 500 at most.
    pub async fn playbook_updates(&self) -> Result<Vec<PlaybookUpdate>, StorageError> {
        on_backend!(self.store, store => store.list_playbook().await)
    }

    /// The last events, newest first, 500 at most.
    pub async fn events(&self) -> Result<Vec<LoggedEvent>, StorageError> {
        on_backend!(self.store, store => store.list_events().await)
    }
}
