//! PostgreSQL: one database for all tenants and any number of nodes, row-level security, a pool of connections.
//!
//! The modules under `../sql` hold statements that every backend accepts; see `../sqlite/mod.rs`. Every transaction
//! says for itself whose rows it may see: nothing about a tenant outlives it on a connection.

#![allow(clippy::duplicate_mod)] // the shared statements are stamped out once per backend, on purpose

mod begun;
mod connect;
mod fault;
mod forget;
mod log_rows;
mod role;
mod schema;
mod server;
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

use std::time::Duration;

use sqlx::PgConnection;

pub(crate) use begun::Begun;
pub use connect::{PostgresOptions, Probe};
pub(crate) use platform::PlatformStore;
pub(crate) use server::Server;
pub(crate) use tenant::TenantStore;

use crate::error::{Fault, Step, StorageError, taken};
use crate::ids::TenantId;
use crate::store::page_size;
use server::Pool;

/// Longest wait for the answer to a question about health.
const PING_WITHIN: Duration = Duration::from_secs(2);

/// Longest wait for a commit of the log of live calls, once it has begun: more than any disk takes, and little enough that
/// a caller who waits for a reply is served by a second try when the first went to a line that was cut.
const LOG_WITHIN: Duration = Duration::from_secs(2);
/// Longest wait for anything else. The server has limits for each statement; this one is for a line that was cut.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// Gives up on a server whose line was cut: the connection is closed, and if that was a commit it is open whether it
/// took place.
pub(crate) async fn in_time<T>(
    limit: Duration,
    asked: impl Future<Output = Result<T, StorageError>>,
) -> Result<T, StorageError> {
    tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| {
        let reason = format!("no answer within {} s", limit.as_secs());
        Err(StorageError::Unavailable { database: "the PostgreSQL database".to_owned(), reason })
    })
}

/// With the limit of what is no log of a live call.
pub(crate) async fn answered<T>(
    asked: impl Future<Output = Result<T, StorageError>>,
) -> Result<T, StorageError> {
    in_time(ANSWER_WITHIN, asked).await
}

/// The connection that the stamped statements run on.
type Conn = PgConnection;

/// The database as the platform sees it, or one tenant.
#[derive(Debug)]
struct Database {
    server: Server,
    /// Opens a transaction that reads; for a tenant also says whose rows it may see, in the same journey.
    begin_read: String,
    begin_write: String,
    /// The platform's, which closes the connections for all.
    is_whole: bool,
}

/// An open write transaction; dropped without [`Self::finish`] it is rolled back.
struct Write<'a> {
    transaction: Begun,
    database: &'a Database,
}

impl Database {
    fn whole(server: Server) -> Self {
        Self { server, begin_read: begin_read(""), begin_write: begin_write(""), is_whole: true }
    }

    fn of_tenant(server: Server, tenant: TenantId) -> Self {
        // The id is a UUID that this program printed: nothing in it needs quoting. Local to the transaction (`true`).
        let whose = format!("select set_config('app.tenant_id', '{}', true)", tenant.0);
        Self { server, begin_read: begin_read(&whose), begin_write: begin_write(&whose), is_whole: false }
    }

    async fn read(&self) -> Result<Begun, StorageError> {
        self.server.begin(Pool::Requests, &self.begin_read).await
    }

    /// One state of the database for several statements: every read is that here. Dropped when done.
    async fn snapshot(&self) -> Result<Begun, StorageError> {
        self.read().await
    }

    async fn write(&self) -> Result<Write<'_>, StorageError> {
        let transaction = self.server.begin(Pool::Requests, &self.begin_write).await?;
        Ok(Write { transaction, database: self })
    }

    /// For the log of live calls: connections of its own, so that no crowd of requests delays a reply.
    async fn write_log(&self) -> Result<Write<'_>, StorageError> {
        let transaction = self.server.begin(Pool::CallLog, &self.begin_write).await?;
        Ok(Write { transaction, database: self })
    }

    async fn in_time<T>(
        &self,
        writing: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<T, StorageError> {
        in_time(LOG_WITHIN, writing).await
    }

    fn named<T>(&self, step: Step<T>) -> Result<T, StorageError> {
        step.map_err(|fault| self.name(fault))
    }

    /// Gives a fault the name of this database.
    fn name(&self, fault: Fault) -> StorageError {
        self.server.name(fault)
    }

    /// Whoever asks about health does not wait as long as a caller would.
    async fn ping(&self) -> Result<(), StorageError> {
        let ask = async {
            let mut conn = self.read().await?;
            let answer = sqlx::query("select 1").execute(&mut *conn).await;
            answer.map(drop).map_err(|error| self.name(error.into()))
        };
        match tokio::time::timeout(PING_WITHIN, ask).await {
            Ok(answer) => answer,
            Err(_) => Err(StorageError::Unavailable {
                database: self.server.place().to_owned(),
                reason: format!("no answer within {} s", PING_WITHIN.as_secs()),
            }),
        }
    }

    async fn close(&self) {
        if self.is_whole {
            self.server.close().await;
        }
    }
}

impl Write<'_> {
    fn conn(&mut self) -> &mut Conn {
        &mut self.transaction
    }

    /// Commits what succeeded, rolls back what failed. Durable when it gives `Ok`; when the connection is lost in the
    /// commit itself (`Unavailable`), it is open whether it took place.
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

fn begin_read(whose: &str) -> String {
    format!("begin isolation level repeatable read read only; {whose}")
}

/// Each statement sees what is committed before it: that is what the optimistic lock and the keys rely on.
fn begin_write(whose: &str) -> String {
    format!("begin isolation level read committed read write; {whose}")
}
