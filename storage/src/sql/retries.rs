//! Attempts that follow a call of ours which reached nobody. An attempt is claimed by one process at a time, and counted with the
//! record of its call in one transaction, so that a process that dies neither loses nor doubles one.

use chrono::{DateTime, TimeDelta, Utc};

use super::Conn;
use super::tenant::{Scope, TenantStore};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::CallId;
use crate::outreach::OutreachResult;
use crate::retries::{NewRetries, Retries as Kept, RetryState};
use crate::store::Retries;

/// Due ones that a claim looks at before it gives up for now: others take some of them at the same time.
const CANDIDATES: i64 = 8;

#[derive(sqlx::FromRow)]
struct Row {
    id: CallId,
    remaining: i64,
    every_s: i64,
    machines: i64,
    state: RetryState,
    due_at: Option<DateTime<Utc>>,
    last_id: CallId,
    reason: Option<String>,
}

impl From<Row> for Kept {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            remaining: u32::try_from(row.remaining).unwrap_or_default(),
            every: TimeDelta::seconds(row.every_s),
            machines: row.machines != 0,
            state: row.state,
            due_at: row.due_at,
            last: row.last_id,
            reason: row.reason,
        }
    }
}

macro_rules! select_retries {
    ($rest:literal) => {
        concat!(
            "select id, remaining, every_s, machines, state, due_at, last_id, reason
             from outreach_retries where tenant_id = $1 ",
            $rest
        )
    };
}

impl Retries for TenantStore {
    async fn retries(&self, first: CallId) -> Result<Option<Kept>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, first).await)
    }

    async fn claim_retry(
        &self,
        at: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<Option<Kept>, StorageError> {
        let core = &*self.core;
        // Most looks find nothing: they take no writer's turn.
        let due = {
            let mut conn = core.db.read().await?;
            core.db.named(due(&mut conn, &core.scope, at).await)?
        };
        if due.is_empty() {
            return Ok(None);
        }
        let mut write = core.db.write().await?;
        let step = claim(write.conn(), &core.scope, &due, at, until).await;
        write.finish(step).await
    }

    async fn put_off_retry(
        &self,
        first: CallId,
        until: DateTime<Utc>,
        reason: &str,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update outreach_retries set due_at = $3, claimed_until_at = null, reason = $4, changed_at = $5
             where tenant_id = $1 and id = $2 and state = 'waiting'",
        )
        .bind(core.scope.tenant)
        .bind(first)
        .bind(until)
        .bind(reason)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn stop_retries(&self, first: CallId, reason: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = stop(write.conn(), &core.scope, first, reason).await;
        write.finish(step).await
    }
}

/// Attempts may follow this call, which is the first.
pub(super) async fn begin(conn: &mut Conn, scope: &Scope, first: CallId, new: &NewRetries) -> Step<()> {
    sqlx::query(
        "insert into outreach_retries (tenant_id, id, remaining, every_s, machines, state, last_id, changed_at)
         values ($1, $2, $3, $4, $5, 'calling', $2, $6)",
    )
    .bind(scope.tenant)
    .bind(first)
    .bind(i64::from(new.most))
    .bind(new.every.num_seconds())
    .bind(i64::from(new.machines))
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

/// This call is the next attempt. `NotFound`: none waits, and what was written with it is undone.
pub(super) async fn take(conn: &mut Conn, scope: &Scope, first: CallId, id: CallId) -> Step<()> {
    let done = sqlx::query(
        "update outreach_retries set state = 'calling', remaining = remaining - 1, due_at = null,
            claimed_until_at = null, last_id = $3, changed_at = $4
         where tenant_id = $1 and id = $2 and state = 'waiting' and remaining > 0",
    )
    .bind(scope.tenant)
    .bind(first)
    .bind(id)
    .bind(now())
    .execute(conn)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StorageError::NotFound { what: "attempt" }.into());
    }
    Ok(())
}

/// The call is over: what follows it, if anything does.
pub(super) async fn follow(conn: &mut Conn, scope: &Scope, id: CallId, result: OutreachResult) -> Step<()> {
    let of_call: Option<Row> = sqlx::query_as(select_retries!("and last_id = $2 and state = 'calling'"))
        .bind(scope.tenant)
        .bind(id)
        .fetch_optional(&mut *conn)
        .await?;
    let Some(kept) = of_call.map(Kept::from) else { return Ok(()) };
    let follows = kept.follow(result);
    let (state, due) = match follows {
        true => (RetryState::Waiting, Some(now() + kept.every)),
        false => (RetryState::Ended, None),
    };
    sqlx::query(
        "update outreach_retries set state = $3, due_at = $4, reason = $5, changed_at = $6
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(kept.id)
    .bind(state)
    .bind(due)
    .bind(result.as_str())
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn stop(conn: &mut Conn, scope: &Scope, first: CallId, reason: &str) -> Step<bool> {
    let done = sqlx::query(
        "update outreach_retries set state = 'ended', due_at = null, claimed_until_at = null, reason = $3,
            changed_at = $4
         where tenant_id = $1 and id = $2 and state <> 'ended'",
    )
    .bind(scope.tenant)
    .bind(first)
    .bind(reason)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn by_id(conn: &mut Conn, scope: &Scope, first: CallId) -> Step<Option<Kept>> {
    let query = sqlx::query_as::<_, Row>(select_retries!("and id = $2")).bind(scope.tenant).bind(first);
    Ok(query.fetch_optional(conn).await?.map(Kept::from))
}

/// Those that may be made, the longest due first.
async fn due(conn: &mut Conn, scope: &Scope, at: DateTime<Utc>) -> Step<Vec<CallId>> {
    let query = sqlx::query_scalar(
        "select id from outreach_retries
         where tenant_id = $1 and state = 'waiting' and due_at <= $2
           and (claimed_until_at is null or claimed_until_at < $2)
         order by due_at, id limit $3",
    );
    Ok(query.bind(scope.tenant).bind(at).bind(CANDIDATES).fetch_all(conn).await?)
}

async fn claim(
    conn: &mut Conn,
    scope: &Scope,
    due: &[CallId],
    at: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Step<Option<Kept>> {
    for id in due {
        let done = sqlx::query(
            "update outreach_retries set claimed_until_at = $4
             where tenant_id = $1 and id = $2 and state = 'waiting' and due_at <= $3
               and (claimed_until_at is null or claimed_until_at < $3)",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(at)
        .bind(until)
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            return by_id(conn, scope, *id).await;
        }
    }
    Ok(None)
}
