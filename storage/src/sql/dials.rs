//! Calls that people have placed about requests, and who does not want to be called.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, campaigns, page_size, work, work_acts};
use crate::clock::now;
use crate::dials::{Dial, DialBegun, DialNews, DialResult, DialStage, NewDial, NewDoNotCall};
use crate::error::{Step, StorageError};
use crate::ids::{DialId, WorkActId, WorkItemId};
use crate::store::Dials;
use crate::work_acts::{NewWorkAct, WorkActKind, WorkActed, WorkMove, WorkRefusal, moved};

/// Times that news are taken in anew because others came between.
const TRIES: usize = 4;
const NO_NUMBER: StorageError = StorageError::Invalid { what: "that is no telephone number" };

#[derive(sqlx::FromRow)]
struct DialRow {
    id: DialId,
    item_id: WorkItemId,
    actor: String,
    line: String,
    stage: DialStage,
    result: Option<DialResult>,
    carrier_sid: Option<String>,
    dialled_sid: Option<String>,
    machine: i64,
    created_at: DateTime<Utc>,
    heard_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

macro_rules! select_dials {
    ($rest:literal) => {
        concat!(
            "select id, item_id, actor, line, stage, result, carrier_sid, dialled_sid, machine, created_at, heard_at,
                ended_at
             from dials where tenant_id = $1 ",
            $rest
        )
    };
}

impl Dials for TenantStore {
    async fn begin_dial(&self, new: NewDial) -> Result<DialBegun, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn dial(&self, id: DialId) -> Result<Option<Dial>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn is_dial(&self, carrier_sid: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let sql = "select count(*) from dials where tenant_id = $1 and carrier_sid = $2";
        let found: Result<i64, sqlx::Error> =
            sqlx::query_scalar(sql).bind(core.scope.tenant).bind(carrier_sid).fetch_one(&mut *conn).await;
        core.db.named(found.map(|found| found > 0).map_err(Into::into))
    }

    async fn note_dial(&self, id: DialId, news: DialNews) -> Result<Option<Dial>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = note(write.conn(), &core.scope, id, &news).await;
        write.finish(step).await
    }

    async fn end_dial(&self, id: DialId, result: DialResult) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = end(write.conn(), &core.scope, id, result).await;
        write.finish(step).await
    }

    async fn silent_dials(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Dial>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(silent(&mut conn, &core.scope, since, limit).await)
    }

    async fn forbid_calls(&self, new: NewDoNotCall) -> Result<(), StorageError> {
        let core = &*self.core;
        let hash = core.scope.sealer.lookup_hash(&new.number).ok_or(NO_NUMBER)?;
        let mut write = core.db.write().await?;
        let step = forbid(write.conn(), &core.scope, hash.as_bytes(), &new).await;
        write.finish(step).await
    }

    async fn allow_calls(&self, number: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let hash = core.scope.sealer.lookup_hash(number).ok_or(NO_NUMBER)?;
        let mut write = core.db.write().await?;
        let done = sqlx::query("delete from do_not_call where tenant_id = $1 and number_hash = $2")
            .bind(core.scope.tenant)
            .bind(hash.as_bytes())
            .execute(write.conn())
            .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn is_do_not_call(&self, number: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let Some(hash) = core.scope.sealer.lookup_hash(number) else { return Ok(false) };
        let mut conn = core.db.read().await?;
        let sql = "select count(*) from do_not_call where tenant_id = $1 and number_hash = $2";
        let found: Result<i64, sqlx::Error> =
            sqlx::query_scalar(sql).bind(core.scope.tenant).bind(hash.as_bytes()).fetch_one(&mut *conn).await;
        core.db.named(found.map(|found| found > 0).map_err(Into::into))
    }
}

async fn begin(conn: &mut Conn, scope: &Scope, new: &NewDial) -> Step<DialBegun> {
    let item = work::by_id(conn, scope, new.item).await?;
    let item = item.ok_or(StorageError::NotFound { what: "work item" })?;
    if let Err(refusal) = moved(item.status, item.assignee.as_deref(), &new.actor, &WorkMove::Claim) {
        return Ok(DialBegun::Refused(refusal));
    }
    if let Some(open) = of_item(conn, scope, new.item).await? {
        return Ok(DialBegun::UnderWay(open));
    }
    if item.assignee.is_none() {
        let claim = NewWorkAct { item: new.item, actor: new.actor.clone(), made: WorkMove::Claim };
        if let WorkActed::Refused(refusal) = work_acts::make(conn, scope, &claim).await? {
            return Ok(DialBegun::Refused(refusal));
        }
    }
    let done = sqlx::query(
        "insert into dials (tenant_id, id, item_id, actor, line, stage, created_at, heard_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(new.id)
    .bind(new.item)
    .bind(&new.actor)
    .bind(&new.line)
    .bind(DialStage::Placing)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        // Where writers run side by side, another may have been quicker.
        let open = of_item(conn, scope, new.item).await?;
        return Ok(open.map_or(DialBegun::Refused(WorkRefusal::Busy), DialBegun::UnderWay));
    }
    append(conn, scope, new.item, &new.actor, WorkActKind::Called).await?;
    let begun = by_id(conn, scope, new.id).await?;
    Ok(DialBegun::Begun(begun.ok_or(StorageError::NotFound { what: "call" })?))
}

async fn note(conn: &mut Conn, scope: &Scope, id: DialId, news: &DialNews) -> Step<Option<Dial>> {
    for _ in 0..TRIES {
        let Some(known) = by_id(conn, scope, id).await? else { return Ok(None) };
        let stage = news.stage.filter(|stage| *stage != DialStage::Ended).unwrap_or(known.stage);
        let done = sqlx::query(
            "update dials set stage = $4, carrier_sid = coalesce(carrier_sid, $5),
                dialled_sid = coalesce($6, dialled_sid), machine = case when $7 then 1 else machine end,
                heard_at = $8
             where tenant_id = $1 and id = $2 and stage = $3",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(known.stage)
        .bind(stage.max(known.stage))
        .bind(news.carrier_sid.as_deref())
        .bind(news.dialled_sid.as_deref())
        .bind(news.machine)
        .bind(now())
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            return by_id(conn, scope, id).await;
        }
    }
    by_id(conn, scope, id).await
}

async fn end(conn: &mut Conn, scope: &Scope, id: DialId, result: DialResult) -> Step<bool> {
    let done = sqlx::query(
        "update dials set stage = $3, result = $4, ended_at = $5, heard_at = $5
         where tenant_id = $1 and id = $2 and stage <> 'ended'",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(DialStage::Ended)
    .bind(result)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    if let Some(dial) = by_id(conn, scope, id).await? {
        append(conn, scope, dial.item, &dial.actor, result.act()).await?;
        sqlx::query("update work_items set updated_at = $3 where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(dial.item)
            .bind(now())
            .execute(conn)
            .await?;
    }
    Ok(true)
}

async fn append(conn: &mut Conn, scope: &Scope, item: WorkItemId, actor: &str, act: WorkActKind) -> Step<()> {
    sqlx::query(
        "insert into work_acts (tenant_id, id, item_id, acted_at, actor, act) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(scope.tenant)
    .bind(WorkActId::new())
    .bind(item)
    .bind(now())
    .bind(actor)
    .bind(act)
    .execute(conn)
    .await?;
    Ok(())
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: DialId) -> Step<Option<Dial>> {
    let query = sqlx::query_as(select_dials!("and id = $2")).bind(scope.tenant).bind(id);
    Ok(query.fetch_optional(conn).await?.map(opened))
}

async fn of_item(conn: &mut Conn, scope: &Scope, item: WorkItemId) -> Step<Option<Dial>> {
    let query = sqlx::query_as(select_dials!("and item_id = $2 and stage <> 'ended'"));
    Ok(query.bind(scope.tenant).bind(item).fetch_optional(conn).await?.map(opened))
}

async fn silent(conn: &mut Conn, scope: &Scope, since: DateTime<Utc>, limit: u32) -> Step<Vec<Dial>> {
    let kept: Vec<DialRow> =
        sqlx::query_as(select_dials!("and stage <> 'ended' and heard_at <= $2 order by id limit $3"))
            .bind(scope.tenant)
            .bind(since)
            .bind(page_size(limit))
            .fetch_all(conn)
            .await?;
    Ok(kept.into_iter().map(opened).collect())
}

fn opened(kept: DialRow) -> Dial {
    Dial {
        id: kept.id,
        item: kept.item_id,
        actor: kept.actor,
        line: kept.line,
        stage: kept.stage,
        result: kept.result,
        carrier_sid: kept.carrier_sid,
        dialled_sid: kept.dialled_sid,
        machine: kept.machine != 0,
        created_at: kept.created_at,
        heard_at: kept.heard_at,
        ended_at: kept.ended_at,
    }
}

async fn forbid(conn: &mut Conn, scope: &Scope, hash: &[u8], new: &NewDoNotCall) -> Step<()> {
    sqlx::query(
        "insert into do_not_call (tenant_id, number_hash, source, added_by, added_at)
         values ($1, $2, $3, $4, $5) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(hash)
    .bind(&new.source)
    .bind(&new.by)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    campaigns::take_out(conn, scope, hash).await
}
