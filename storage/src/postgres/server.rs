//! One database server: its connections, and what happens when it goes away.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection, PgConnection, PgPool, Postgres, Transaction};

use super::connect::{PostgresOptions, Session, connect, hold_to_its_word};
use super::{Database, PlatformStore, TenantStore, fault, log_rows, role, schema};
use crate::audit::AnchorFile;
use crate::crypto::Sealer;
use crate::error::{Fault, StorageError};
use crate::ids::{NodeId, TenantId};
use crate::keys::MasterKey;
use crate::tenancy::Durability;

/// Whoever wants a connection waits at most this long: longer than any transaction of ours, shorter than a caller
/// waits. A server that restarts has this time, too.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two tries to reach a server that went away.
const PAUSE: Duration = Duration::from_millis(50);
/// Connections for requests that nobody used for so long are closed.
const IDLE: Duration = Duration::from_secs(600);
/// Key of the advisory lock under which one node at a time does what only the first start does.
const FIRST_START: i64 = 0x7175_616e_0002;

/// Whose connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pool {
    Requests,
    CallLog,
}

/// An open database. Clones share its connections.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// What messages call it: host, port and name, never a password.
    place: String,
    requests: PgPool,
    call_log: PgPool,
}

impl Server {
    /// Brings the schema up to date where a role for that was given, makes sure that the application's role cannot get
    /// past the rules, and opens the connections.
    pub(crate) async fn open(
        options: &PostgresOptions,
        durability: Durability,
    ) -> Result<Self, StorageError> {
        let application = Session::of_application(options, durability)?;
        if let Some(owner) = Session::of_owner(options)? {
            schema::migrate(&owner, application.role()).await?;
        }
        let mut conn = connect(&application).await?;
        let checked = check(&mut conn, application, durability).await;
        let _ = conn.close().await;
        let application = checked?;
        let (requests, call_log) = shares(options.connections);
        let inner = Inner {
            requests: request_pool(requests, application.options.clone()),
            call_log: call_log_pool(call_log, application.options.clone()),
            place: application.place,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What messages call it.
    pub(crate) fn place(&self) -> &str {
        &self.inner.place
    }

    pub(crate) fn platform(&self) -> PlatformStore {
        PlatformStore::on(Database::whole(self.clone()))
    }

    pub(crate) fn tenant(
        &self,
        tenant: TenantId,
        node: NodeId,
        sealer: Sealer,
        anchor: AnchorFile,
    ) -> TenantStore {
        TenantStore::on(Database::of_tenant(self.clone(), tenant), tenant, node, sealer, anchor)
    }

    /// The master key that everything in this database is sealed under. It is drawn only where nothing was sealed yet,
    /// and one node at a time comes here: of two that start on an empty database one draws, the other is told.
    pub(crate) async fn master_key(&self, key_file: &Path) -> Result<MasterKey, StorageError> {
        let store = self.platform();
        let mut turn = self.start_turn().await?;
        let sealed_already =
            sqlx::query_scalar("select exists (select from key_check)").fetch_one(&mut *turn);
        let sealed_already: bool = sealed_already.await.map_err(|error| self.name(error.into()))?;
        let master = MasterKey::load(key_file, !sealed_already)?;
        master.check(&store.key_check(master.make_check()?).await?, key_file)?;
        turn.commit().await.map_err(|error| self.name(error.into()))?;
        Ok(master)
    }

    /// Waits until no other node is in its turn, and holds the turn until it is dropped or its connection is lost.
    pub(crate) async fn start_turn(&self) -> Result<Transaction<'static, Postgres>, StorageError> {
        // Not of the requests' connections: what is done in the turn needs those.
        let patient = "begin; set local lock_timeout = '60s'; set local statement_timeout = '60s';
             set local idle_in_transaction_session_timeout = '10min'";
        let mut turn = self.begin(Pool::CallLog, patient).await?;
        let waited = sqlx::query("select pg_advisory_xact_lock($1)").bind(FIRST_START).execute(&mut *turn);
        waited.await.map_err(|error| self.name(error.into()))?;
        Ok(turn)
    }

    /// Begins a transaction, on a fresh connection when the one at hand was lost: nothing was done on it yet.
    pub(super) async fn begin(
        &self,
        pool: Pool,
        statement: &str,
    ) -> Result<Transaction<'static, Postgres>, StorageError> {
        let pool = match pool {
            Pool::Requests => &self.inner.requests,
            Pool::CallLog => &self.inner.call_log,
        };
        let until = Instant::now() + PATIENCE;
        let mut lost = None;
        // A server that restarted cut every connection at hand: those are gone through without a pause.
        let mut at_hand = pool.options().get_max_connections();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let begun =
                tokio::time::timeout(left, pool.begin_with(AssertSqlSafe(statement.to_owned()))).await;
            match begun {
                Ok(Ok(transaction)) => return Ok(transaction),
                Ok(Err(error)) if fault::is_lost(&error) && !left.is_zero() => lost = Some(error),
                Ok(Err(sqlx::Error::PoolTimedOut)) | Err(_) => return Err(self.out_of_patience(pool, lost)),
                Ok(Err(error)) => return Err(self.name(error.into())),
            }
            match at_hand {
                0 => tokio::time::sleep(PAUSE.min(left)).await,
                _ => at_hand -= 1,
            }
        }
    }

    /// Every connection in use means a crowd; a connection that could not be made means a server that is away.
    fn out_of_patience(&self, pool: &PgPool, lost: Option<sqlx::Error>) -> StorageError {
        let place = self.inner.place.clone();
        match lost {
            Some(error) => self.name(error.into()),
            None if pool.size() >= pool.options().get_max_connections() && pool.num_idle() == 0 => {
                StorageError::Busy { folder: place }
            }
            None => StorageError::Unavailable {
                database: place,
                reason: format!("no connection within {} s", PATIENCE.as_secs()),
            },
        }
    }

    pub(super) fn name(&self, fault: Fault) -> StorageError {
        fault::name(fault, &self.inner.place)
    }

    pub(super) async fn close(&self) {
        self.inner.call_log.close().await;
        self.inner.requests.close().await;
    }
}

async fn check(
    conn: &mut PgConnection,
    application: Session,
    durability: Durability,
) -> Result<Session, StorageError> {
    role::check(conn, &application.place).await?;
    schema::check(conn, &application.place).await?;
    hold_to_its_word(conn, application, durability).await
}

/// Of all connections, those for requests and those for the log of live calls.
fn shares(connections: u32) -> (u32, u32) {
    let call_log = (connections / 4).max(1);
    (connections.saturating_sub(call_log).max(1), call_log)
}

fn request_pool(connections: u32, options: PgConnectOptions) -> PgPool {
    pool(connections).min_connections(1).idle_timeout(IDLE).connect_lazy_with(options)
}

/// All open at all times, with their statements prepared: either would fall into a turn (some 50 ms over TLS).
fn call_log_pool(connections: u32, options: PgConnectOptions) -> PgPool {
    pool(connections)
        .min_connections(connections)
        .idle_timeout(None)
        .after_connect(|conn, _| Box::pin(log_rows::prepare(conn)))
        .connect_lazy_with(options)
}

fn pool(connections: u32) -> PgPoolOptions {
    PgPoolOptions::new()
        .max_connections(connections)
        .max_lifetime(None)
        // `begin` finds a lost connection out by itself, without a journey for every transaction.
        .test_before_acquire(false)
        .acquire_timeout(PATIENCE)
}

#[cfg(test)]
mod unit {
    use super::shares;

    #[test]
    fn the_call_log_has_connections_of_its_own() {
        assert_eq!(shares(16), (12, 4));
        assert_eq!(shares(4), (3, 1));
        assert_eq!(shares(1), (1, 1));
    }
}
