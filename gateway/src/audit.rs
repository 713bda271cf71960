//! What goes on a tenant's audit, and what leaves it. The chain itself is [`storage::audit`].

pub mod acts;
pub mod calls;
pub mod export;
mod flood;

use std::sync::Arc;
use std::time::Instant;

use storage::audit::NewAudit;
use storage::{Platform, StorageError, TenantId};

use crate::telemetry::request;
use flood::Gate;

/// Puts entries on audits. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Recorder {
    platform: Platform,
    /// Strangers who try the door could fill a disk: above a rate they are counted.
    strangers: Arc<Gate>,
}

impl Recorder {
    #[must_use]
    pub fn new(platform: Platform) -> Self {
        Self { platform, strangers: Arc::default() }
    }

    /// Puts an entry on the audit of a tenant, or (`None`) of the platform itself, and waits until it is durable. An act
    /// whose entry cannot be written is answered with that error.
    pub async fn record(&self, tenant: Option<TenantId>, entry: NewAudit) -> Result<(), StorageError> {
        let store = match tenant {
            Some(tenant) => self.platform.tenant(tenant).await?,
            None => self.platform.own().await?,
        };
        let entry = match request::id() {
            Some(id) if entry.trace_id.is_empty() => entry.traced(id),
            _ => entry,
        };
        store.audit().record(entry).await.map(drop)
    }

    /// The same for a refusal: it stays one, whether or not its entry could be written.
    pub async fn refused(&self, tenant: Option<TenantId>, entry: NewAudit) {
        if let Err(error) = self.record(tenant, entry).await {
            tracing::error!(%error, "a refusal could not be put on the audit");
        }
    }

    /// The same for what is over: nothing can be answered any more.
    pub async fn after(&self, tenant: Option<TenantId>, entry: NewAudit) {
        if let Err(error) = self.record(tenant, entry).await {
            tracing::error!(%error, "the end of an act could not be put on the audit");
        }
    }

    /// Somebody who proved nothing was turned away. At most [`flood::MOST`] a minute are written; the next entry says
    /// how many came beside.
    pub async fn stranger(&self, entry: NewAudit) {
        if let Some(beside) = self.strangers.admit(Instant::now()) {
            let entry = if beside > 0 { entry.with("and_beside", beside) } else { entry };
            self.refused(None, entry).await;
        }
    }
}
