//! The handle to one tenant's data.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Database, call_log};
use crate::audit::{AnchorFile, AuditWriter, Head};
use crate::crypto::Sealer;
use crate::error::StorageError;
use crate::ids::{NodeId, TenantId};
use crate::writer::{Append, CallWriter, LogSink};

/// One tenant's data on this back end. Cheap to clone.
#[derive(Clone, Debug)]
pub struct TenantStore {
    pub(super) core: Arc<Core>,
    writer: CallWriter,
    audit: AuditWriter,
    anchor: AnchorFile,
}

/// What the handle and its group-commit task share.
#[derive(Debug)]
pub(super) struct Core {
    pub db: Database,
    pub scope: Scope,
    /// The one memory manager of this process was appointed.
    pub memory_manager: AtomicBool,
}

/// Whose rows a statement may touch, and the keys to them. Every tenant statement takes one.
#[derive(Debug)]
pub(super) struct Scope {
    pub tenant: TenantId,
    /// Whose the calls are that begin here.
    pub node: NodeId,
    pub sealer: Sealer,
}

impl TenantStore {
    pub(super) fn on(
        db: Database,
        tenant: TenantId,
        node: NodeId,
        sealer: Sealer,
        anchor: AnchorFile,
    ) -> Self {
        let core = Arc::new(Core {
            db,
            scope: Scope { tenant, node, sealer },
            memory_manager: AtomicBool::new(false),
        });
        let writer = CallWriter::start(Arc::clone(&core));
        let audit = AuditWriter::start(Arc::clone(&core), anchor.clone());
        Self { core, writer, audit, anchor }
    }

    pub(crate) fn id(&self) -> TenantId {
        self.core.scope.tenant
    }

    pub(crate) fn call_writer(&self) -> CallWriter {
        self.writer.clone()
    }

    pub(crate) fn audit(&self) -> AuditWriter {
        self.audit.clone()
    }

    pub(crate) fn audit_anchor(&self) -> Result<Option<Head>, StorageError> {
        self.anchor.read()
    }

    pub(crate) fn sealer(&self) -> &Sealer {
        &self.core.scope.sealer
    }

    /// `true` for whoever asks first.
    pub(crate) fn take_memory_office(&self) -> bool {
        !self.core.memory_manager.swap(true, Ordering::AcqRel)
    }

    pub(crate) async fn ping(&self) -> Result<(), StorageError> {
        self.core.db.ping().await
    }

    /// Appends that were submitted before are written first: this one is behind them in the queue.
    pub(crate) async fn close(&self) {
        let nothing = crate::ids::CallId(uuid::Uuid::nil());
        if self.writer.append(nothing, Vec::new()).await.is_err() {
            tracing::warn!(tenant = %self.id(), "the last appends could not be written");
        }
        if !self.audit.flush().await {
            tracing::warn!(tenant = %self.id(), "the last entries of the audit could not be written");
        }
        self.core.db.close().await;
    }
}

impl LogSink for Arc<Core> {
    async fn write_batch(&self, batch: &[Append]) -> Result<(), StorageError> {
        let rows = batch.iter().flat_map(|append| append.rows.iter().map(|row| (append.call, row)));
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            return Ok(());
        }
        let mut write = self.db.write_log().await?;
        // A try that is given up is made again: rows have numbers.
        let writing = async {
            let step = call_log::append(write.conn(), &self.scope, &rows).await;
            write.finish(step).await
        };
        self.db.in_time(writing).await
    }
}
