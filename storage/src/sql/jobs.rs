//! Jobs, filed once per key and claimed under a lease.
//!
//! `attempts` is counted up by each claim, and every later change of the claim names it: a worker whose lease ran out
//! and whose job somebody else has taken since changes nothing.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{JobId, PassportId};
use crate::job_records::{Job, JobFilter, JobState, NewJob};
use crate::store::Jobs;

/// Due jobs that a claim looks at before it gives up for now: others take some of them at the same time.
const CANDIDATES: i64 = 16;

#[derive(sqlx::FromRow)]
struct JobRow {
    id: JobId,
    idempotency_key: String,
    passport_id: PassportId,
    team_id: String,
    kind: String,
    state: JobState,
    #[sqlx(try_from = "i64")]
    attempts: u32,
    run_after_at: DateTime<Utc>,
    lease_until_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl From<JobRow> for Job {
    fn from(kept: JobRow) -> Self {
        Self {
            id: kept.id,
            idempotency_key: kept.idempotency_key,
            passport_id: kept.passport_id,
            team_id: kept.team_id,
            kind: kept.kind,
            state: kept.state,
            attempts: kept.attempts,
            run_after: kept.run_after_at,
            lease_until: kept.lease_until_at,
            created_at: kept.created_at,
            updated_at: kept.updated_at,
        }
    }
}

macro_rules! select_jobs {
    ($rest:literal) => {
        concat!(
            "select id, idempotency_key, passport_id, team_id, kind, state, attempts, run_after_at, lease_until_at,
                created_at, updated_at
             from jobs where tenant_id = $1 ",
            $rest
        )
    };
}

impl Jobs for TenantStore {
    async fn enqueue_job(&self, new: NewJob) -> Result<Job, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = enqueue(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn claim_job(
        &self,
        at: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Option<Job>, StorageError> {
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
        let step = claim(write.conn(), &core.scope, &due, at, lease_until).await;
        write.finish(step).await
    }

    async fn renew_job(
        &self,
        id: JobId,
        attempt: u32,
        lease_until: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let to = To { state: JobState::Running, run_after: None, lease_until: Some(lease_until) };
        let step = change(write.conn(), &core.scope, id, attempt, to).await;
        write.finish(step).await
    }

    async fn finish_job(&self, id: JobId, attempt: u32, next: Option<NewJob>) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = finish(write.conn(), &core.scope, id, attempt, next.as_ref()).await;
        write.finish(step).await
    }

    async fn retry_job(
        &self,
        id: JobId,
        attempt: u32,
        run_after: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let to = To { state: JobState::Queued, run_after: Some(run_after), lease_until: None };
        let step = change(write.conn(), &core.scope, id, attempt, to).await;
        write.finish(step).await
    }

    async fn fail_job(&self, id: JobId, attempt: u32) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let to = To { state: JobState::Failed, run_after: None, lease_until: None };
        let step = change(write.conn(), &core.scope, id, attempt, to).await;
        write.finish(step).await
    }

    async fn release_jobs(&self) -> Result<u64, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = release(write.conn(), &core.scope).await;
        write.finish(step).await
    }

    async fn list_jobs(&self, filter: JobFilter) -> Result<Vec<Job>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }
}

/// Files a job, or gives the one that was filed with the same key.
pub(super) async fn enqueue(conn: &mut Conn, scope: &Scope, new: &NewJob) -> Step<Job> {
    sqlx::query(
        "insert into jobs (tenant_id, id, idempotency_key, passport_id, team_id, kind, state, attempts, run_after_at,
            created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, 'queued', 0, $7, $8, $8)
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(JobId::new())
    .bind(&new.idempotency_key)
    .bind(new.passport_id)
    .bind(&new.team_id)
    .bind(&new.kind)
    .bind(new.run_after)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    let kept: JobRow = sqlx::query_as(select_jobs!("and idempotency_key = $2"))
        .bind(scope.tenant)
        .bind(&new.idempotency_key)
        .fetch_one(conn)
        .await?;
    Ok(kept.into())
}

/// Jobs that may be claimed, the longest due first: those that wait, and those whose lease ran out. The work of a call of which
/// notes are being taken waits for its end.
async fn due(conn: &mut Conn, scope: &Scope, at: DateTime<Utc>) -> Step<Vec<(JobId, i64)>> {
    let query = sqlx::query_as(
        "select id, attempts from jobs
         where tenant_id = $1 and state in ('queued', 'running') and run_after_at <= $2
           and (state = 'queued' or lease_until_at < $2)
           and not exists (select 1 from passports p
               join transfers t on t.tenant_id = p.tenant_id and t.call_id = p.call_id and t.notes <> 0
               join calls c on c.tenant_id = t.tenant_id and c.id = t.call_id
               where p.tenant_id = jobs.tenant_id and p.id = jobs.passport_id
                 and (t.stage = 'accepted' or c.state = 'live'))
         order by run_after_at, id limit $3",
    );
    Ok(query.bind(scope.tenant).bind(at).bind(CANDIDATES).fetch_all(conn).await?)
}

async fn claim(
    conn: &mut Conn,
    scope: &Scope,
    due: &[(JobId, i64)],
    at: DateTime<Utc>,
    lease_until: DateTime<Utc>,
) -> Step<Option<Job>> {
    for (id, attempts) in due {
        let done = sqlx::query(
            "update jobs set state = 'running', attempts = attempts + 1, lease_until_at = $5, node_id = $6,
                updated_at = $7
             where tenant_id = $1 and id = $2 and attempts = $3
               and (state = 'queued' or state = 'running' and lease_until_at < $4)",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(attempts)
        .bind(at)
        .bind(lease_until)
        .bind(scope.node)
        .bind(now())
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            let query = sqlx::query_as::<_, JobRow>(select_jobs!("and id = $2")).bind(scope.tenant).bind(id);
            return Ok(Some(query.fetch_one(conn).await?.into()));
        }
    }
    Ok(None)
}

/// What a claim is changed to. `run_after: None`: it stays.
struct To {
    state: JobState,
    run_after: Option<DateTime<Utc>>,
    lease_until: Option<DateTime<Utc>>,
}

/// `false`: the claim is not this one any more.
async fn change(conn: &mut Conn, scope: &Scope, id: JobId, attempt: u32, to: To) -> Step<bool> {
    let done = sqlx::query(
        "update jobs set state = $4, run_after_at = coalesce($5, run_after_at), lease_until_at = $6, updated_at = $7
         where tenant_id = $1 and id = $2 and attempts = $3 and state = 'running'",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(i64::from(attempt))
    .bind(to.state)
    .bind(to.run_after)
    .bind(to.lease_until)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn finish(
    conn: &mut Conn,
    scope: &Scope,
    id: JobId,
    attempt: u32,
    next: Option<&NewJob>,
) -> Step<bool> {
    let to = To { state: JobState::Done, run_after: None, lease_until: None };
    let finished = change(&mut *conn, scope, id, attempt, to).await?;
    if let Some(next) = next.filter(|_| finished) {
        enqueue(conn, scope, next).await?;
    }
    Ok(finished)
}

async fn release(conn: &mut Conn, scope: &Scope) -> Step<u64> {
    let done = sqlx::query(
        "update jobs set state = 'queued', lease_until_at = null, updated_at = $3
         where tenant_id = $1 and node_id = $2 and state = 'running'",
    )
    .bind(scope.tenant)
    .bind(scope.node)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected())
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &JobFilter) -> Step<Vec<Job>> {
    let kept: Vec<JobRow> = sqlx::query_as(select_jobs!(
        "and ($2 is null or state = $2) and ($3 is null or passport_id = $3) and ($4 is null or id < $4)
         order by id desc limit $5"
    ))
    .bind(scope.tenant)
    .bind(filter.state)
    .bind(filter.passport_id)
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .fetch_all(conn)
    .await?;
    Ok(kept.into_iter().map(Job::from).collect())
}
