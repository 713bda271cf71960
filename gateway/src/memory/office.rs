//! One tenant's handles on memory, and the one memory manager that this process has for it.

use std::sync::Arc;

use dashmap::DashMap;
use storage::memory::{MemoryLog, MemoryManager, MemoryReader, SpecialistMemory};
use storage::{CallId, StorageError, TenantId, TenantStore};
use tokio::sync::{Mutex, OnceCell, mpsc};
use work::memory::Rules;

/// Calls that wait to be looked through. When it is full a call waits for the next sweep instead.
const WAITING: usize = 256;

/// A tenant's memory, by what each agent of ours may do.
#[derive(Debug)]
pub struct TenantMemory {
    pub store: TenantStore,
    /// The orchestrator's.
    pub reader: MemoryReader,
    /// Proposes what calls gave.
    pub extractor: SpecialistMemory,
    /// Notes what went wrong, for the daily review.
    pub optimizer: SpecialistMemory,
    pub log: MemoryLog,
    pub manager: MemoryManager,
    pub rules: &'static Rules,
}

/// Everything of memory that requests and calls share.
#[derive(Debug)]
pub struct MemoryOffice {
    tenants: DashMap<TenantId, Arc<OnceCell<Arc<TenantMemory>>>>,
    ended: mpsc::Sender<(TenantId, CallId)>,
    waiting: Mutex<mpsc::Receiver<(TenantId, CallId)>>,
}

impl Default for MemoryOffice {
    fn default() -> Self {
        let (ended, waiting) = mpsc::channel(WAITING);
        Self { tenants: DashMap::new(), ended, waiting: Mutex::new(waiting) }
    }
}

impl MemoryOffice {
    /// A tenant's memory. The first who asks appoints its manager.
    pub async fn of(&self, store: &TenantStore) -> Result<Arc<TenantMemory>, StorageError> {
        let cell = self.tenants.entry(store.id()).or_default().clone();
        cell.get_or_try_init(|| open(store.clone())).await.cloned()
    }

    /// A call has ended and is on record. Never waits.
    pub fn ended(&self, tenant: TenantId, call: CallId) {
        if self.ended.try_send((tenant, call)).is_err() {
            tracing::debug!(call_id = %call, "left to the sweep of memory");
        }
    }

    /// The next call to look through, for the one worker. Nobody else takes the lock: it outlives a worker that fails.
    pub(super) async fn next_ended(&self) -> Option<(TenantId, CallId)> {
        self.waiting.lock().await.recv().await
    }
}

async fn open(store: TenantStore) -> Result<Arc<TenantMemory>, StorageError> {
    let rules = Rules::shipped().map_err(|error| {
        tracing::error!(%error, "memory has no rules");
        StorageError::Invalid { what: "the shipped rules of memory are broken" }
    })?;
    Ok(Arc::new(TenantMemory {
        reader: store.memory_reader("orchestrator").await?,
        extractor: store.specialist_memory("memory_extractor").await?,
        optimizer: store.specialist_memory("optimizer").await?,
        log: store.memory_log("gateway")?,
        manager: store.appoint_memory_manager(Arc::new(rules))?,
        rules,
        store,
    }))
}
