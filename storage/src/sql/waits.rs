//! Callers who wait in line for a person of the office.
//!
//! Whoever takes a place at a target counts it first, which in PostgreSQL holds every other who would until this one is written.

use chrono::{DateTime, TimeDelta, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size, settings, transfers};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, WaitId};
use crate::store::Waits;
use crate::transfers::{NewTransfer, Transfer};
use crate::waits::{ALIVE, AVERAGED, NewWait, Queue, Wait, WaitResult};

const NO_WAIT: StorageError = StorageError::NotFound { what: "wait" };
/// Callers of one line, and of all lines, that are told.
const MOST: i64 = 200;

#[derive(sqlx::FromRow)]
struct WaitRow {
    id: WaitId,
    call_id: CallId,
    target: String,
    language: String,
    about: String,
    urgent: i64,
    joined_at: DateTime<Utc>,
    heard_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    result: Option<WaitResult>,
}

macro_rules! select_waits {
    ($rest:literal) => {
        concat!(
            "select id, call_id, target, language, about, urgent, joined_at, heard_at, ended_at, result
             from transfer_waits where tenant_id = $1 ",
            $rest
        )
    };
}

impl Waits for TenantStore {
    async fn join_queue(&self, new: NewWait) -> Result<Wait, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = join(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn wait_of(&self, call: CallId) -> Result<Option<Wait>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept = sqlx::query_as(select_waits!("and call_id = $2 order by id desc limit 1"))
            .bind(core.scope.tenant)
            .bind(call)
            .fetch_optional(&mut *conn)
            .await;
        core.db.named(kept.map(|kept| kept.map(opened)).map_err(Into::into))
    }

    async fn queue(&self, target: &str, at: DateTime<Utc>) -> Result<Queue, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(queue(&mut conn, &core.scope, target, at).await)
    }

    async fn waiting(&self, at: DateTime<Utc>) -> Result<Vec<Wait>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<WaitRow>, sqlx::Error> = sqlx::query_as(select_waits!(
            "and ended_at is null and heard_at > $2 order by target, urgent desc, joined_at, id limit $3"
        ))
        .bind(core.scope.tenant)
        .bind(at - ALIVE)
        .bind(MOST)
        .fetch_all(&mut *conn)
        .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn silent_waits(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Wait>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let kept: Result<Vec<WaitRow>, sqlx::Error> =
            sqlx::query_as(select_waits!("and ended_at is null and heard_at <= $2 order by id limit $3"))
                .bind(core.scope.tenant)
                .bind(since)
                .bind(page_size(limit))
                .fetch_all(&mut *conn)
                .await;
        core.db.named(kept.map(|kept| kept.into_iter().map(opened).collect()).map_err(Into::into))
    }

    async fn hear_wait(&self, id: WaitId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update transfer_waits set heard_at = $3 where tenant_id = $1 and id = $2 and ended_at is null",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn hurry_wait(&self, call: CallId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update transfer_waits set urgent = 1 where tenant_id = $1 and call_id = $2 and ended_at is null",
        )
        .bind(core.scope.tenant)
        .bind(call)
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn end_wait(&self, call: CallId, result: WaitResult) -> Result<Option<Wait>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = end(write.conn(), &core.scope, call, result).await;
        write.finish(step).await
    }

    async fn take_place(
        &self,
        new: NewTransfer,
        people: u32,
        at: DateTime<Utc>,
    ) -> Result<Option<Transfer>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = take_place(write.conn(), &core.scope, &new, people, at).await;
        write.finish(step).await
    }
}

/// Of a call that waits in this line already, as it stands. Another line is left for it.
async fn join(conn: &mut Conn, scope: &Scope, new: &NewWait) -> Step<Wait> {
    if let Some(open) = open_of(conn, scope, new.call).await? {
        if open.target == new.target {
            return Ok(open);
        }
        end(conn, scope, new.call, WaitResult::Left).await?;
    }
    let id = WaitId::new();
    sqlx::query(
        "insert into transfer_waits (tenant_id, id, call_id, target, language, about, urgent, joined_at, heard_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $8)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(new.call)
    .bind(&new.target)
    .bind(&new.language)
    .bind(&new.about)
    .bind(i64::from(new.urgent))
    .bind(now())
    .execute(&mut *conn)
    .await?;
    open_of(conn, scope, new.call).await?.ok_or(NO_WAIT.into())
}

async fn open_of(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Option<Wait>> {
    let query =
        sqlx::query_as(select_waits!("and call_id = $2 and ended_at is null")).bind(scope.tenant).bind(call);
    Ok(query.fetch_optional(conn).await?.map(opened))
}

async fn end(conn: &mut Conn, scope: &Scope, call: CallId, result: WaitResult) -> Step<Option<Wait>> {
    let Some(open) = open_of(conn, scope, call).await? else { return Ok(None) };
    let at = now();
    let done = sqlx::query(
        "update transfer_waits set ended_at = $3, result = $4
         where tenant_id = $1 and id = $2 and ended_at is null",
    )
    .bind(scope.tenant)
    .bind(open.id)
    .bind(at)
    .bind(result)
    .execute(conn)
    .await?;
    let ended = Wait { ended_at: Some(at), result: Some(result), ..open };
    Ok((done.rows_affected() > 0).then_some(ended))
}

async fn queue(conn: &mut Conn, scope: &Scope, target: &str, at: DateTime<Utc>) -> Step<Queue> {
    let waiting: Vec<WaitRow> = sqlx::query_as(select_waits!(
        "and target = $2 and ended_at is null and heard_at > $3 order by urgent desc, joined_at, id limit $4"
    ))
    .bind(scope.tenant)
    .bind(target)
    .bind(at - ALIVE)
    .bind(MOST)
    .fetch_all(&mut *conn)
    .await?;
    let busy = busy(conn, scope, target).await?;
    let lengths: Vec<(DateTime<Utc>, DateTime<Utc>)> = sqlx::query_as(
        "select created_at, heard_at from transfers where tenant_id = $1 and target = $2 and result = 'answered'
         order by id desc limit $3",
    )
    .bind(scope.tenant)
    .bind(target)
    .bind(AVERAGED)
    .fetch_all(conn)
    .await?;
    let waiting = waiting.into_iter().map(opened).collect();
    Ok(Queue { busy, waiting, mean_s: mean_s(&lengths) })
}

fn mean_s(lengths: &[(DateTime<Utc>, DateTime<Utc>)]) -> Option<u32> {
    let count = i32::try_from(lengths.len()).ok().filter(|count| *count > 0)?;
    let all = lengths.iter().fold(TimeDelta::zero(), |sum, (from, to)| sum + (*to - *from));
    u32::try_from((all / count).num_seconds().max(0)).ok()
}

async fn busy(conn: &mut Conn, scope: &Scope, target: &str) -> Step<u32> {
    let query = sqlx::query_scalar(
        "select count(*) from transfers where tenant_id = $1 and target = $2 and stage <> 'ended'",
    );
    let open: i64 = query.bind(scope.tenant).bind(target).fetch_one(conn).await?;
    Ok(u32::try_from(open).unwrap_or(u32::MAX))
}

async fn take_place(
    conn: &mut Conn,
    scope: &Scope,
    new: &NewTransfer,
    people: u32,
    at: DateTime<Utc>,
) -> Step<Option<Transfer>> {
    settings::count_up(conn, scope, &format!("transfers to {}", new.target)).await?;
    let queue = queue(conn, scope, &new.target, at).await?;
    if !queue.is_turn(queue.place_of(new.call), people) {
        return Ok(None);
    }
    end(conn, scope, new.call, WaitResult::PutThrough).await?;
    Ok(Some(transfers::begin(conn, scope, new).await?))
}

fn opened(kept: WaitRow) -> Wait {
    Wait {
        id: kept.id,
        call: kept.call_id,
        target: kept.target,
        language: kept.language,
        about: kept.about,
        urgent: kept.urgent != 0,
        joined_at: kept.joined_at,
        heard_at: kept.heard_at,
        ended_at: kept.ended_at,
        result: kept.result,
    }
}
