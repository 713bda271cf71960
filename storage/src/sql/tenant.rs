//! The handle to one tenant's data.

use std::path::Path;
use std::sync::Arc;

use super::{Conn, Database, TENANT_SCHEMA, call_log};
use crate::crypto::Sealer;
use crate::error::{Step, StorageError};
use crate::ids::TenantId;
use crate::tenancy::PlatformOptions;
use crate::writer::{Append, CallWriter, LogSink};

/// One tenant's data: implements every tenant trait of [`crate::store`]. Cheap to clone.
///
/// [`crate::Platform::tenant`] is the only way to one.
#[derive(Clone, Debug)]
pub struct TenantStore {
    pub(super) core: Arc<Core>,
    writer: CallWriter,
}

/// What the handle and its group-commit task share.
#[derive(Debug)]
pub(super) struct Core {
    pub db: Database,
    pub scope: Scope,
}

/// Whose rows a statement may touch, and the keys to them. Every tenant statement takes one.
#[derive(Debug)]
pub(super) struct Scope {
    pub tenant: TenantId,
    pub sealer: Sealer,
}

impl TenantStore {
    pub(crate) async fn open(
        file: &Path,
        options: &PlatformOptions,
        tenant: TenantId,
        sealer: Sealer,
    ) -> Result<Self, StorageError> {
        let db = Database::open(file, &TENANT_SCHEMA, options).await?;
        let core = Arc::new(Core { db, scope: Scope { tenant, sealer } });
        let writer = CallWriter::start(Arc::clone(&core));
        Ok(Self { core, writer })
    }

    /// Whose data this is.
    #[must_use]
    pub fn id(&self) -> TenantId {
        self.core.scope.tenant
    }

    /// Where live calls append: one commit for all that wait.
    #[must_use]
    pub fn call_writer(&self) -> CallWriter {
        self.writer.clone()
    }

    /// Seals, opens and hashes with this tenant's keys.
    #[must_use]
    pub fn sealer(&self) -> &Sealer {
        &self.core.scope.sealer
    }

    pub(crate) async fn ping(&self) -> Result<(), StorageError> {
        self.core.db.ping().await
    }

    /// Appends that were submitted before are written first: closing waits for the one writer connection.
    pub(crate) async fn close(&self) {
        let nothing = crate::ids::CallId(uuid::Uuid::nil());
        if self.writer.append(nothing, Vec::new()).await.is_err() {
            tracing::warn!(tenant = %self.id(), "the last appends could not be written");
        }
        self.core.db.close().await;
    }
}

impl LogSink for Arc<Core> {
    async fn write_batch(&self, batch: &[Append]) -> Result<(), StorageError> {
        let mut write = self.db.write().await?;
        let step = append_all(write.conn(), &self.scope, batch).await;
        write.finish(step).await
    }
}

async fn append_all(conn: &mut Conn, scope: &Scope, batch: &[Append]) -> Step<()> {
    for append in batch {
        call_log::append(conn, scope, append.call, &append.rows).await?;
    }
    Ok(())
}
