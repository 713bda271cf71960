//! The one writer of `contacts` and `memories`.

use std::sync::Arc;

use super::{Admission, Decision, Forgetting, Pending, Proposal, Refusal, Ruled, Ruling, from_milli};
use crate::backend::{TenantStore, on_backend};
use crate::error::StorageError;
use crate::ids::{CallId, ContactId};

/// A fact that is less sure is not remembered.
pub const LEAST_CONFIDENCE: f64 = 0.7;
/// Suggestions decided on in one transaction.
const BATCH: u32 = 64;

/// Decides what is remembered, and writes it: nobody else can. There is one a tenant and process
/// ([`TenantStore::appoint_memory_manager`]); several nodes take turns by the row of the gate.
///
/// ```compile_fail,E0451
/// use std::sync::Arc;
/// use storage::memory::{Admission, MemoryManager};
/// fn make(store: storage::TenantStore, admission: Arc<dyn Admission>) -> MemoryManager {
///     MemoryManager { store, admission } // it is appointed, not made
/// }
/// ```
/// ```compile_fail,E0599
/// fn copy(manager: storage::memory::MemoryManager) {
///     let _second = manager.clone(); // there is one
/// }
/// ```
/// ```compile_fail,E0599
/// async fn write(store: &storage::TenantStore) {
///     store.decide(&[]).await; // not without the manager
/// }
/// ```
#[derive(Debug)]
pub struct MemoryManager {
    store: TenantStore,
    admission: Arc<dyn Admission>,
}

impl TenantStore {
    /// Appoints the memory manager, once. `Taken`: there is one already in this process.
    pub fn appoint_memory_manager(
        &self,
        admission: Arc<dyn Admission>,
    ) -> Result<MemoryManager, StorageError> {
        match on_backend!(self, store => store.take_memory_office()) {
            true => Ok(MemoryManager { store: self.clone(), admission }),
            false => Err(StorageError::Taken { what: "office of the memory manager" }),
        }
    }
}

impl MemoryManager {
    /// Decides on what was suggested, of one call or (`None`) of all: oldest first, 64 at most. Each decision is written
    /// with its reason, in one transaction with what it changes.
    pub async fn review(&self, call: Option<CallId>) -> Result<Vec<Decision>, StorageError> {
        let pending = on_backend!(self.store, store => store.pending_suggestions(call, BATCH).await)?;
        if pending.is_empty() {
            return Ok(Vec::new());
        }
        let ruled: Vec<Ruled> = pending.into_iter().map(|pending| self.rule(pending)).collect();
        on_backend!(self.store, store => store.decide(&ruled).await)
    }

    /// Deletes what is remembered of a contact, with all suggestions, interactions and notes, and remembers nothing of
    /// it from now on. `false`: that was so already. `NotFound` for an unknown contact.
    pub async fn forget(
        &self,
        contact: ContactId,
        why: Forgetting,
        call: Option<CallId>,
    ) -> Result<bool, StorageError> {
        on_backend!(self.store, store => store.forget_contact(contact, why, call).await)
    }

    /// The same for a caller by raw number, also one of whom nothing is known yet. `None` for what is no number.
    pub async fn forget_caller(
        &self,
        phone: &str,
        why: Forgetting,
        call: Option<CallId>,
    ) -> Result<Option<ContactId>, StorageError> {
        on_backend!(self.store, store => store.forget_phone(phone, why, call).await)
    }

    /// The rules of words, and then the one of numbers.
    fn rule(&self, pending: Pending) -> Ruled {
        let confidence = from_milli(pending.confidence_milli);
        let ruling =
            match self.admission.rule(Proposal { key: &pending.key, value: &pending.value, confidence }) {
                Ruling::Admit { .. } if confidence < LEAST_CONFIDENCE => {
                    Ruling::Refuse(Refusal::LowConfidence)
                }
                ruling => ruling,
            };
        Ruled { pending, ruling }
    }
}
