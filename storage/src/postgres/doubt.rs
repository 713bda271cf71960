//! Connections in doubt: closed, never used again.
//!
//! The database library counts transactions on its own side and forgets one whose `begin` was given up half way, as when
//! the server stood still for longer than anybody waits. Such a connection would go back into the pool inside a
//! transaction that nobody began, and what is "committed" on it later is lost. So the server itself is asked, at every
//! release and beside the calls; and after a stall once more before a connection is used that has lain idle since.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sqlx::{Connection, PgConnection};

/// A connection that is given back and does not say within this how it stands is closed.
const AT_RELEASE: Duration = Duration::from_secs(2);
/// The same before it is used again after a stall, when a caller waits for the answer.
const BEFORE_USE: Duration = Duration::from_millis(250);

/// When the server last left somebody without an answer. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Doubts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    began: Instant,
    /// Milliseconds after `began`; 0: never.
    last_ms: AtomicU64,
}

impl Default for Doubts {
    fn default() -> Self {
        Self(Arc::new(Inner { began: Instant::now(), last_ms: AtomicU64::new(0) }))
    }
}

impl Doubts {
    /// The server did not answer in time.
    pub fn note(&self) {
        self.0.last_ms.fetch_max(self.now_ms().max(1), Ordering::Relaxed);
    }

    /// Whether a connection that has lain idle for so long lay there when the server stood still.
    fn concern(&self, idle: Duration) -> bool {
        let last = self.0.last_ms.load(Ordering::Relaxed);
        let idle_since = self.now_ms().saturating_sub(u64::try_from(idle.as_millis()).unwrap_or(u64::MAX));
        last > 0 && idle_since <= last
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// For the pool: whether a connection may be used that has lain idle for so long.
    pub async fn usable(&self, conn: &mut PgConnection, idle: Duration) -> Result<bool, sqlx::Error> {
        if self.concern(idle) { self.settled(conn, BEFORE_USE).await } else { Ok(true) }
    }

    /// For the pool: whether a connection may be kept that was given back.
    pub async fn releasable(&self, conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
        self.settled(conn, AT_RELEASE).await
    }

    /// Whether the server says in time that the connection stands outside any transaction. An error closes it at once.
    async fn settled(&self, conn: &mut PgConnection, within: Duration) -> Result<bool, sqlx::Error> {
        match tokio::time::timeout(within, outside_transaction(conn)).await {
            Ok(Ok(outside)) => {
                if !outside {
                    tracing::warn!("a database connection was left inside a transaction; it is closed");
                }
                Ok(outside)
            }
            Ok(Err(error)) => Err(error),
            Err(_) => {
                self.note();
                Err(sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "the server does not answer")))
            }
        }
    }
}

/// Asks the server how the connection stands, by the one question whose answer the library gives on: a transaction
/// "begun" by a statement that begins none has failed to begin. A failed transaction refuses the statement.
async fn outside_transaction(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    match conn.begin_with("select").await {
        Err(sqlx::Error::BeginFailed) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn only_what_lay_idle_during_a_stall_is_asked() {
        let doubts = Doubts::default();
        assert!(!doubts.concern(Duration::from_secs(3_600)), "nothing ever stood still");
        std::thread::sleep(Duration::from_millis(5));
        doubts.note();
        assert!(doubts.concern(Duration::from_millis(3)));
        std::thread::sleep(Duration::from_millis(20));
        assert!(!doubts.concern(Duration::from_millis(5)), "it was given back after the stall");
        assert!(doubts.concern(Duration::from_secs(1)));
    }
}
