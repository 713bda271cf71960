//! A transaction and its connection. A connection goes back to its pool only when its transaction is known to be over:
//! whoever gave up waiting for an answer leaves one in doubt, and that one is closed.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::{AssertSqlSafe, PgConnection, Postgres};

/// Longest wait for a rollback that nobody waits for, and for the look at a connection on its way back.
const TIDY: Duration = Duration::from_secs(2);
const TAKEN: &str = "a transaction that is over has no connection";

/// An open transaction. Dropped without an end it is rolled back.
pub(crate) struct Begun {
    conn: Option<PoolConnection<Postgres>>,
    /// It writes: whoever drops it did not wait for an answer.
    writes: bool,
    _held: Held,
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begun")
    }
}

/// Counts the transactions that a pool's connections are in.
#[derive(Debug)]
pub(super) struct Held(Arc<AtomicU32>);

impl Held {
    pub(super) fn one(count: &Arc<AtomicU32>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection that was asked something and has not answered. Dropped, it is closed.
struct Doubtful(Option<PoolConnection<Postgres>>);

impl Drop for Doubtful {
    fn drop(&mut self) {
        if let Some(conn) = self.0.take() {
            close(conn);
        }
    }
}

impl Begun {
    /// Begins. A failure, or a caller who does not wait for the answer, closes the connection.
    pub(super) async fn on(
        conn: PoolConnection<Postgres>,
        statement: &str,
        held: Held,
    ) -> Result<Self, sqlx::Error> {
        let mut doubtful = Doubtful(Some(conn));
        if let Some(conn) = &mut doubtful.0 {
            run(conn, statement).await?;
        }
        let writes = !statement.contains("read only");
        Ok(Self { conn: doubtful.0.take(), writes, _held: held })
    }

    /// After an error it is open whether it took place.
    pub(crate) async fn commit(self) -> Result<(), sqlx::Error> {
        self.end("commit").await
    }

    pub(super) async fn rollback(self) -> Result<(), sqlx::Error> {
        self.end("rollback").await
    }

    async fn end(mut self, statement: &str) -> Result<(), sqlx::Error> {
        let mut doubtful = Doubtful(self.conn.take());
        if let Some(conn) = &mut doubtful.0 {
            run(conn, statement).await?;
        }
        if let Some(conn) = doubtful.0.take() {
            give_back(conn);
        }
        Ok(())
    }
}

impl Deref for Begun {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        self.conn.as_ref().expect(TAKEN)
    }
}

impl DerefMut for Begun {
    fn deref_mut(&mut self) -> &mut PgConnection {
        self.conn.as_mut().expect(TAKEN)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        match tokio::runtime::Handle::try_current() {
            // Reads end here as a rule.
            Ok(runtime) if !self.writes => drop(runtime.spawn(roll_back(conn))),
            _ => close(conn),
        }
    }
}

async fn roll_back(conn: PoolConnection<Postgres>) {
    let mut doubtful = Doubtful(Some(conn));
    let Some(conn) = &mut doubtful.0 else { return };
    if let Ok(Ok(())) = tokio::time::timeout(TIDY, run(conn, "rollback")).await
        && let Some(conn) = doubtful.0.take()
    {
        give_back(conn);
    }
}

async fn run(conn: &mut PgConnection, statement: &str) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(conn).await.map(drop)
}

/// The pool looks at what comes back; a server that stalls then must not keep the place.
fn give_back(mut conn: PoolConnection<Postgres>) {
    let returning = conn.return_to_pool();
    tokio::spawn(tokio::time::timeout(TIDY, returning));
}

/// At once and without a word to the server, which may not be listening: its end of the line goes, and with that what it
/// had not committed.
fn close(conn: PoolConnection<Postgres>) {
    drop(conn.detach());
}
