//! What every agent may append.

use super::{NewEvent, NewInteraction, check_name, check_text};
use crate::backend::{TenantStore, on_backend};
use crate::error::StorageError;

/// Appends to `interactions` and `event_log`, and reads nothing.
///
/// ```compile_fail,E0599
/// async fn read(log: &storage::memory::MemoryLog) {
///     log.get_memory("+12025550100").await; // whoever may only log has no customer memory
/// }
/// ```
#[derive(Clone, Debug)]
pub struct MemoryLog {
    store: TenantStore,
    agent_id: String,
}

impl TenantStore {
    /// The logs of memory, for any agent. `Invalid` for a name that is none.
    pub fn memory_log(&self, agent_id: &str) -> Result<MemoryLog, StorageError> {
        check_name(agent_id, "an agent's name has 1–64 lower-case letters, digits and dashes")?;
        Ok(MemoryLog { store: self.clone(), agent_id: agent_id.to_owned() })
    }
}

impl MemoryLog {
    /// `false`: the key is on record already, or the caller does not want to be remembered.
    pub async fn log_interaction(&self, new: NewInteraction) -> Result<bool, StorageError> {
        check_name(&new.kind, "a kind of interaction is a word")?;
        check_text(&new.body)?;
        on_backend!(self.store, store => store.append_interaction(&self.agent_id, &new).await)
    }

    /// `event` and `detail` are the program's words; nothing that a caller said belongs here.
    pub async fn log_event(&self, new: NewEvent) -> Result<(), StorageError> {
        check_name(&new.event, "an event is a word")?;
        check_text(&new.detail)?;
        on_backend!(self.store, store => store.append_event(&self.agent_id, &new).await)
    }
}
