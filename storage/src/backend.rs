//! The public handles: one of two back ends behind each, with the same traits ([`crate::store`]) and the same behaviour
//! (`conformance`).

use std::fmt;

use crate::audit::{AuditWriter, Head};
use crate::crypto::Sealer;
use crate::error::StorageError;
use crate::ids::TenantId;
use crate::writer::CallWriter;
use crate::{postgres, sqlite};

/// Where everything is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Files in the data folder; one process.
    Sqlite,
    /// A database server; any number of processes.
    Postgres,
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// What is held, by back end.
#[derive(Clone, Debug)]
pub(crate) enum Either<S, P> {
    Sqlite(S),
    Postgres(P),
}

/// The same call on whichever back end a handle holds.
macro_rules! on_backend {
    ($handle:expr, $store:ident => $call:expr) => {
        match &$handle.0 {
            $crate::backend::Either::Sqlite($store) => $call,
            $crate::backend::Either::Postgres($store) => $call,
        }
    };
}
pub(crate) use on_backend;

/// The platform's own rows: implements [`crate::Directory`] and [`crate::Auth`].
#[derive(Debug)]
pub struct PlatformStore(pub(crate) Either<sqlite::PlatformStore, postgres::PlatformStore>);

/// One tenant's data: implements every tenant trait of [`crate::store`]. Cheap to clone.
///
/// [`crate::Platform::tenant`] is the only way to one.
#[derive(Clone, Debug)]
pub struct TenantStore(pub(crate) Either<sqlite::TenantStore, postgres::TenantStore>);

impl TenantStore {
    /// Whose data this is.
    #[must_use]
    pub fn id(&self) -> TenantId {
        on_backend!(self, store => store.id())
    }

    /// Where live calls append: one commit for all that wait.
    #[must_use]
    pub fn call_writer(&self) -> CallWriter {
        on_backend!(self, store => store.call_writer())
    }

    /// Where entries are put on this tenant's audit.
    #[must_use]
    pub fn audit(&self) -> AuditWriter {
        on_backend!(self, store => store.audit())
    }

    /// Where the audit ended when this node last wrote to it, as noted beside the database.
    pub(crate) fn audit_anchor(&self) -> Result<Option<Head>, StorageError> {
        on_backend!(self, store => store.audit_anchor())
    }

    /// Seals, opens and hashes with this tenant's keys.
    #[must_use]
    pub fn sealer(&self) -> &Sealer {
        on_backend!(self, store => store.sealer())
    }

    pub(crate) async fn ping(&self) -> Result<(), StorageError> {
        on_backend!(self, store => store.ping().await)
    }

    pub(crate) async fn close(&self) {
        on_backend!(self, store => store.close().await);
    }
}
