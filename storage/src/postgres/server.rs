//! One database server: its connections, and what happens when it goes away.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{Connection, PgConnection, PgPool, Postgres};
use tokio::time::timeout;

use super::begun::{Begun, Held};
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
/// Longest wait for a connection to be made, and for a server to begin a transaction, which costs it nothing. Together
/// they bound how long after its return a server that stalled is asked again.
const CONNECT: Duration = Duration::from_millis(1_500);
const ANSWER: Duration = Duration::from_secs(1);
/// Between two tries to reach a server that went away.
const PAUSE: Duration = Duration::from_millis(50);
/// Between two looks whether all connections of the call log are open.
const REFILL: Duration = Duration::from_secs(5);
/// Longest wait for connections to end: one to a server that is gone says nothing.
const CLOSE: Duration = Duration::from_secs(5);
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
    requests: Connections,
    call_log: Connections,
}

/// The connections of one pool, and what is known of them.
#[derive(Debug)]
struct Connections {
    pool: PgPool,
    /// How many are in a transaction.
    held: Arc<AtomicU32>,
    /// When the server last stalled.
    stalled: Arc<Stalled>,
}

/// When a server last did not answer. What was connected before is not to be trusted: it may hang for as long again.
#[derive(Debug, Default)]
struct Stalled(Mutex<Option<Instant>>);

impl Stalled {
    fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn trusts(&self, age: Duration) -> bool {
        let stalled = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stalled.is_none_or(|at| age < at.elapsed())
    }
}

/// Why a try to begin came to nothing.
enum Failed {
    /// All connections are in use.
    Crowded,
    /// The server accepts nothing, or does not answer.
    Silent,
    Said(sqlx::Error),
}

impl Connections {
    fn of(pool: impl FnOnce(&Arc<Stalled>) -> PgPool) -> Self {
        let stalled = Arc::default();
        Self { pool: pool(&stalled), held: Arc::default(), stalled }
    }

    /// One try, until `until` at most.
    async fn begin(&self, statement: &str, until: Instant) -> Result<Begun, Failed> {
        let conn = self.acquire(until).await?;
        match timeout(ANSWER, Begun::on(conn, statement, Held::one(&self.held))).await {
            Ok(begun) => begun.map_err(Failed::Said),
            Err(_) => {
                self.stalled.note();
                Err(Failed::Silent)
            }
        }
    }

    /// Waiting for others to be done takes what it takes; making a connection does not.
    async fn acquire(&self, until: Instant) -> Result<PoolConnection<Postgres>, Failed> {
        let mut acquiring = std::pin::pin!(self.pool.acquire());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match timeout(CONNECT.min(left), &mut acquiring).await {
                Ok(Ok(conn)) => return Ok(conn),
                Ok(Err(sqlx::Error::PoolTimedOut)) if self.is_crowded() => return Err(Failed::Crowded),
                Ok(Err(sqlx::Error::PoolTimedOut)) => return Err(Failed::Silent),
                Ok(Err(error)) => return Err(Failed::Said(error)),
                Err(_) if !self.is_crowded() => return Err(Failed::Silent),
                Err(_) if left.is_zero() => return Err(Failed::Crowded),
                Err(_) => {}
            }
        }
    }

    fn is_crowded(&self) -> bool {
        self.held.load(Ordering::Relaxed) >= self.pool.options().get_max_connections()
    }
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
        let server = Inner {
            requests: Connections::of(|stalled| {
                request_pool(pool(requests, stalled), application.options.clone())
            }),
            call_log: Connections::of(|stalled| {
                call_log_pool(pool(call_log, stalled), application.options.clone())
            }),
            place: application.place,
        };
        tokio::spawn(keep_filled(server.call_log.pool.clone(), call_log));
        Ok(Self { inner: Arc::new(server) })
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
    pub(crate) async fn start_turn(&self) -> Result<Begun, StorageError> {
        // Not of the requests' connections: what is done in the turn needs those.
        let patient = "begin; set local lock_timeout = '60s'; set local statement_timeout = '60s';
             set local idle_in_transaction_session_timeout = '10min'";
        let mut turn = self.begin(Pool::CallLog, patient).await?;
        let waited = sqlx::query("select pg_advisory_xact_lock($1)").bind(FIRST_START).execute(&mut *turn);
        waited.await.map_err(|error| self.name(error.into()))?;
        Ok(turn)
    }

    /// Begins a transaction, on a fresh connection when the one at hand was lost: nothing was done on it yet.
    pub(super) async fn begin(&self, pool: Pool, statement: &str) -> Result<Begun, StorageError> {
        let pool = match pool {
            Pool::Requests => &self.inner.requests,
            Pool::CallLog => &self.inner.call_log,
        };
        let until = Instant::now() + PATIENCE;
        let mut lost = None;
        // A server that restarted cut every connection at hand: those are gone through without a pause.
        let mut at_hand = pool.pool.options().get_max_connections();
        loop {
            match pool.begin(statement, until).await {
                Ok(begun) => return Ok(begun),
                Err(Failed::Crowded) => return Err(StorageError::Busy { folder: self.inner.place.clone() }),
                Err(Failed::Said(error)) if fault::is_lost(&error) => lost = Some(error),
                Err(Failed::Said(error)) => return Err(self.name(error.into())),
                Err(Failed::Silent) => {}
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.out_of_patience(lost));
            }
            match at_hand {
                0 => tokio::time::sleep(PAUSE.min(left)).await,
                _ => at_hand -= 1,
            }
        }
    }

    fn out_of_patience(&self, lost: Option<sqlx::Error>) -> StorageError {
        match lost {
            Some(error) => self.name(error.into()),
            None => StorageError::Unavailable {
                database: self.inner.place.clone(),
                reason: format!("no answer within {} s", PATIENCE.as_secs()),
            },
        }
    }

    pub(super) fn name(&self, fault: Fault) -> StorageError {
        fault::name(fault, &self.inner.place)
    }

    pub(super) async fn close(&self) {
        let closing = async {
            self.inner.call_log.pool.close().await;
            self.inner.requests.pool.close().await;
        };
        if timeout(CLOSE, closing).await.is_err() {
            tracing::warn!(database = %self.inner.place, "some connections did not end in time");
        }
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

fn request_pool(pool: PgPoolOptions, options: PgConnectOptions) -> PgPool {
    pool.idle_timeout(IDLE).connect_lazy_with(options)
}

/// All open at all times ([`keep_filled`]), with their statements prepared: either would fall into a turn (some 50 ms
/// over TLS).
fn call_log_pool(pool: PgPoolOptions, options: PgConnectOptions) -> PgPool {
    pool.idle_timeout(None)
        .after_connect(|conn, _| Box::pin(log_rows::prepare(conn)))
        .connect_lazy_with(options)
}

/// Opens what is missing of a pool's connections, until it is closed. The pool's own upkeep (`min_connections`) is not used:
/// on a line that was cut it waits for minutes, and holds the places of those who could connect once it is mended.
async fn keep_filled(pool: PgPool, all: u32) {
    loop {
        // Those at hand are held, else the pool would give them instead of opening more.
        let mut held = Vec::new();
        while pool.size() < all && held.len() < all as usize {
            match timeout(CONNECT, pool.acquire()).await {
                Ok(Ok(conn)) => held.push(conn),
                _ => break,
            }
        }
        drop(held);
        let closed = pool.close_event();
        if timeout(REFILL, closed).await.is_ok() {
            return;
        }
    }
}

fn pool(connections: u32, stalled: &Arc<Stalled>) -> PgPoolOptions {
    let stalled = stalled.clone();
    PgPoolOptions::new()
        .max_connections(connections)
        .max_lifetime(None)
        // `begin` finds a lost connection out by itself, without a journey for every transaction.
        .test_before_acquire(false)
        .before_acquire(move |_, known| {
            let is_trusted = stalled.trusts(known.age);
            Box::pin(async move { Ok(is_trusted) })
        })
        .acquire_timeout(PATIENCE)
}

#[cfg(test)]
mod unit {
    use std::time::Duration;

    use super::{Stalled, shares};

    #[test]
    fn after_a_stall_only_what_was_connected_since_is_trusted() {
        let stalled = Stalled::default();
        assert!(stalled.trusts(Duration::from_secs(3600)));
        stalled.note();
        std::thread::sleep(Duration::from_millis(5));
        assert!(!stalled.trusts(Duration::from_secs(3600)));
        assert!(stalled.trusts(Duration::ZERO));
    }

    #[test]
    fn the_call_log_has_connections_of_its_own() {
        assert_eq!(shares(16), (12, 4));
        assert_eq!(shares(4), (3, 1));
        assert_eq!(shares(1), (1, 1));
    }
}
