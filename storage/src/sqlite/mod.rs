//! SQLite: one file per tenant, write-ahead log, one writer connection, several readers.
//!
//! The modules under `../sql` hold statements that every backend accepts. They are stamped out once per backend:
//! each backend's module includes the same files, and they find its connection type through `super`.

mod fault;
mod forget;
mod gate;
mod log_rows;
#[cfg(test)]
mod tests;

#[path = "../sql/alarms.rs"]
mod alarms;
#[path = "../sql/attempts.rs"]
mod attempts;
#[path = "../sql/audit.rs"]
mod audit;
#[path = "../sql/auth.rs"]
mod auth;
#[path = "../sql/call_log.rs"]
mod call_log;
#[path = "../sql/calls.rs"]
mod calls;
#[path = "../sql/campaigns.rs"]
mod campaigns;
#[path = "../sql/claims.rs"]
mod claims;
#[path = "../sql/credentials.rs"]
mod credentials;
#[path = "../sql/dials.rs"]
mod dials;
#[path = "../sql/extension_types.rs"]
mod extension_types;
#[path = "../sql/figures.rs"]
mod figures;
#[path = "../sql/jobs.rs"]
mod jobs;
#[path = "../sql/judgements.rs"]
mod judgements;
#[path = "../sql/knowledge.rs"]
mod knowledge;
#[path = "../sql/memory_append.rs"]
mod memory_append;
#[path = "../sql/memory_manage.rs"]
mod memory_manage;
#[path = "../sql/memory_read.rs"]
mod memory_read;
#[path = "../sql/organisation.rs"]
mod organisation;
#[path = "../sql/outbox.rs"]
mod outbox;
#[path = "../sql/outreach.rs"]
mod outreach;
#[path = "../sql/passkeys.rs"]
mod passkeys;
#[path = "../sql/passports.rs"]
mod passports;
#[path = "../sql/platform.rs"]
mod platform;
#[path = "../sql/questions.rs"]
mod questions;
#[path = "../sql/recordings.rs"]
mod recordings;
#[path = "../sql/retention.rs"]
mod retention;
#[path = "../sql/retries.rs"]
mod retries;
#[path = "../sql/reviews.rs"]
mod reviews;
#[path = "../sql/settings.rs"]
mod settings;
#[path = "../sql/slots.rs"]
mod slots;
#[path = "../sql/task_history.rs"]
mod task_history;
#[path = "../sql/tenant.rs"]
mod tenant;
#[path = "../sql/transfers.rs"]
mod transfers;
#[path = "../sql/turns.rs"]
mod turns;
#[path = "../sql/versions.rs"]
mod versions;
#[path = "../sql/waits.rs"]
mod waits;
#[path = "../sql/work.rs"]
mod work;
#[path = "../sql/work_acts.rs"]
mod work_acts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Sqlite, SqliteConnection, SqlitePool, Transaction};

pub(crate) use platform::PlatformStore;
pub(crate) use tenant::TenantStore;

use crate::audit::AnchorFile;
use crate::crypto::Sealer;
use crate::error::{Fault, Step, StorageError, taken};
use crate::ids::{NodeId, TenantId};
use crate::store::page_size;
use crate::tenancy::{Durability, PlatformOptions};

/// The connection that the stamped statements run on.
type Conn = SqliteConnection;

static PLATFORM_SCHEMA: Migrator = sqlx::migrate!("migrations/sqlite/platform");
static TENANT_SCHEMA: Migrator = sqlx::migrate!("migrations/sqlite/tenant");

/// A writer waits at most this long for its turn: longer than any transaction of ours, shorter than a caller waits.
const PATIENCE: Duration = Duration::from_secs(5);
/// Reading connections that nobody used for so long are closed.
const READER_IDLE: Duration = Duration::from_secs(60);

/// Opens the platform's file, creating it where it is missing.
pub(crate) async fn open_platform(
    file: &Path,
    options: &PlatformOptions,
) -> Result<PlatformStore, StorageError> {
    Ok(PlatformStore::on(Database::open(file, &PLATFORM_SCHEMA, options).await?))
}

/// Opens a tenant's file, creating it where it is missing.
pub(crate) async fn open_tenant(
    file: &Path,
    options: &PlatformOptions,
    tenant: TenantId,
    node: NodeId,
    sealer: Sealer,
    anchor: AnchorFile,
) -> Result<TenantStore, StorageError> {
    let db = Database::open(file, &TENANT_SCHEMA, options).await?;
    Ok(TenantStore::on(db, tenant, node, sealer, anchor))
}

/// Reads a file from end to end, and changes nothing in it.
pub(crate) async fn check_file(file: &Path) -> Result<(), StorageError> {
    let named = |error: sqlx::Error| fault::name(error.into(), file);
    let options = SqliteConnectOptions::new().filename(file).read_only(true);
    let options = options.collation(gate::COLLATION, gate::compare);
    let mut conn = SqliteConnection::connect_with(&options).await.map_err(named)?;
    let found = sqlx::query_scalar("pragma quick_check(1)").fetch_one(&mut conn).await;
    let _ = conn.close().await;
    let found: String = found.map_err(named)?;
    if found == "ok" { Ok(()) } else { Err(StorageError::Corrupt { file: file.display().to_string() }) }
}

/// One database file.
#[derive(Debug)]
struct Database {
    file: PathBuf,
    writer: SqlitePool,
    readers: SqlitePool,
}

/// An open write transaction; dropped without [`Self::finish`] it is rolled back.
struct Write<'a> {
    transaction: Transaction<'static, Sqlite>,
    database: &'a Database,
}

impl Database {
    async fn open(file: &Path, schema: &Migrator, options: &PlatformOptions) -> Result<Self, StorageError> {
        let named = |error: sqlx::Error| fault::name(error.into(), file);
        let connect = connect_options(file, options.durability);
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .min_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            // SQLite rolls back by itself when the disk is full, and sqlx then counts a transaction that is no more:
            // such a connection would refuse every further one, so it is replaced.
            .before_acquire(|conn, _| Box::pin(async { Ok(!conn.is_in_transaction()) }))
            .acquire_timeout(PATIENCE)
            .connect_with(connect.clone())
            .await
            .map_err(named)?;
        schema.run(&writer).await.map_err(|error| fault::name_migration(error, file))?;
        let readers = SqlitePoolOptions::new()
            .max_connections(options.readers.max(1))
            .min_connections(1)
            .idle_timeout(READER_IDLE)
            .max_lifetime(None)
            .test_before_acquire(false)
            .acquire_timeout(PATIENCE)
            .connect_with(connect.pragma("query_only", "on"))
            .await
            .map_err(named)?;
        Ok(Self { file: file.to_owned(), writer, readers })
    }

    async fn read(&self) -> Result<PoolConnection<Sqlite>, StorageError> {
        self.readers.acquire().await.map_err(|error| self.name(error.into()))
    }

    /// One state of the file for several statements: what is committed meanwhile is not seen. Dropped when done.
    async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StorageError> {
        self.readers.begin().await.map_err(|error| self.name(error.into()))
    }

    async fn write(&self) -> Result<Write<'_>, StorageError> {
        let transaction = self.writer.begin_with("begin immediate").await.map_err(|e| self.name(e.into()))?;
        Ok(Write { transaction, database: self })
    }

    /// For the log of live calls: here the one writer serves all.
    async fn write_log(&self) -> Result<Write<'_>, StorageError> {
        self.write().await
    }

    /// A file has no line that can be cut: what was begun is waited for.
    async fn in_time<T>(
        &self,
        writing: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<T, StorageError> {
        writing.await
    }

    /// Gives a fault the name of this file.
    fn name(&self, fault: Fault) -> StorageError {
        fault::name(fault, &self.file)
    }

    fn named<T>(&self, step: Step<T>) -> Result<T, StorageError> {
        step.map_err(|fault| self.name(fault))
    }

    async fn ping(&self) -> Result<(), StorageError> {
        let mut conn = self.read().await?;
        let answer = sqlx::query("select 1").execute(&mut *conn).await;
        answer.map(drop).map_err(|error| self.name(error.into()))
    }

    async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

impl Write<'_> {
    fn conn(&mut self) -> &mut Conn {
        &mut self.transaction
    }

    /// Commits what succeeded, rolls back what failed. Durable when it gives `Ok`.
    async fn finish<T>(self, step: Step<T>) -> Result<T, StorageError> {
        let Self { transaction, database } = self;
        match step {
            Ok(value) => transaction.commit().await.map(|()| value).map_err(|e| database.name(e.into())),
            Err(fault) => {
                if let Err(error) = transaction.rollback().await {
                    tracing::debug!(error = %database.name(error.into()), "rolled back by the database itself");
                }
                Err(database.name(fault))
            }
        }
    }
}

fn connect_options(file: &Path, durability: Durability) -> SqliteConnectOptions {
    let synchronous = match durability {
        Durability::Full => SqliteSynchronous::Full,
        Durability::Normal => SqliteSynchronous::Normal,
    };
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .collation(gate::COLLATION, gate::compare)
        // Without this, "insert or replace" would slip past the triggers that keep logs append-only.
        .pragma("recursive_triggers", "on")
        // Freed pages of the folder's files must not keep what was deleted.
        .pragma("secure_delete", "on")
}
