//! Calls that the agent places by itself, and who agreed to be called for what.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, calls, campaigns, page_size, retries, work};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, CampaignId, WorkItemId};
use crate::outreach::{
    Comes, NewConsent, NewOutreach, Outreach as Attempt, OutreachNews, OutreachResult, OutreachStage, Purpose,
};
use crate::records::{WorkItem, WorkKind, WorkStatus};
use crate::references::normalise;
use crate::store::Outreach;

/// Times that news are taken in anew because others came between.
const TRIES: usize = 4;
/// Calls to one number that are counted: more than any bound on them.
const MOST_COUNTED: i64 = 20;
const NO_NUMBER: StorageError = StorageError::Invalid { what: "that is no telephone number" };

#[derive(sqlx::FromRow)]
struct OutreachRow {
    id: CallId,
    first_id: Option<CallId>,
    purpose: Purpose,
    actor: String,
    stage: OutreachStage,
    result: Option<OutreachResult>,
    machine: i64,
    message: i64,
    item: Option<String>,
    campaign_id: Option<CampaignId>,
    opted_out: i64,
    created_at: DateTime<Utc>,
    heard_at: DateTime<Utc>,
}

macro_rules! select_outreach {
    ($rest:literal) => {
        concat!(
            "select id, first_id, purpose, actor, stage, result, machine, message, item, campaign_id, opted_out, created_at,
                heard_at
             from outreach where tenant_id = $1 ",
            $rest
        )
    };
}

impl Outreach for TenantStore {
    async fn begin_outreach(&self, new: NewOutreach) -> Result<Option<Attempt>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn outreach(&self, id: CallId) -> Result<Option<Attempt>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn note_outreach(&self, id: CallId, news: OutreachNews) -> Result<Option<Attempt>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = note(write.conn(), &core.scope, id, &news).await;
        write.finish(step).await
    }

    async fn end_outreach(&self, id: CallId, result: OutreachResult) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = end(write.conn(), &core.scope, id, result).await;
        write.finish(step).await
    }

    async fn opt_out(&self, id: CallId, source: &str) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = opt_out(write.conn(), &core.scope, id, source).await;
        write.finish(step).await
    }

    async fn leave_message(&self, id: CallId, talked: bool) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update outreach set message = 1, machine = 1, heard_at = $3
             where tenant_id = $1 and id = $2 and message = 0 and stage <> 'ended' and stage <> $4",
        )
        .bind(core.scope.tenant)
        .bind(id)
        .bind(now())
        .bind(if talked { OutreachStage::Ended } else { OutreachStage::Connected })
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn silent_outreach(&self, since: DateTime<Utc>, limit: u32) -> Result<Vec<Attempt>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(silent(&mut conn, &core.scope, since, limit).await)
    }

    async fn attempts(&self, first: CallId) -> Result<Vec<Attempt>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(attempts(&mut conn, &core.scope, first).await)
    }

    async fn outreach_since(
        &self,
        number: &str,
        since: DateTime<Utc>,
    ) -> Result<Vec<DateTime<Utc>>, StorageError> {
        let core = &*self.core;
        let hash = core.scope.sealer.lookup_hash(number).ok_or(NO_NUMBER)?;
        let mut conn = core.db.read().await?;
        let sql =
            "select created_at from outreach where tenant_id = $1 and number_hash = $2 and created_at >= $3
            order by created_at desc limit $4";
        let found: Result<Vec<DateTime<Utc>>, sqlx::Error> = sqlx::query_scalar(sql)
            .bind(core.scope.tenant)
            .bind(hash.as_bytes())
            .bind(since)
            .bind(MOST_COUNTED)
            .fetch_all(&mut *conn)
            .await;
        core.db.named(found.map_err(Into::into))
    }

    async fn uncalled(
        &self,
        kind: WorkKind,
        after: Option<WorkItemId>,
        limit: u32,
    ) -> Result<Vec<WorkItem>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(work::uncalled(&mut conn, &core.scope, kind, after, limit).await)
    }

    async fn set_consent(&self, new: NewConsent) -> Result<(), StorageError> {
        let core = &*self.core;
        let hash = core.scope.sealer.lookup_hash(&new.number).ok_or(NO_NUMBER)?;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "insert into consents (tenant_id, number_hash, purpose, given, source, noted_by, noted_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (tenant_id, number_hash, purpose) do update set given = excluded.given,
                source = excluded.source, noted_by = excluded.noted_by, noted_at = excluded.noted_at",
        )
        .bind(core.scope.tenant)
        .bind(hash.as_bytes())
        .bind(new.purpose)
        .bind(i64::from(new.given))
        .bind(&new.source)
        .bind(&new.by)
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(drop).map_err(Into::into)).await
    }

    async fn has_consent(&self, number: &str, purpose: Purpose) -> Result<bool, StorageError> {
        let core = &*self.core;
        let Some(hash) = core.scope.sealer.lookup_hash(number) else { return Ok(false) };
        let mut conn = core.db.read().await?;
        let sql = "select count(*) from consents where tenant_id = $1 and number_hash = $2 and purpose = $3
            and given = 1";
        let found: Result<i64, sqlx::Error> = sqlx::query_scalar(sql)
            .bind(core.scope.tenant)
            .bind(hash.as_bytes())
            .bind(purpose)
            .fetch_one(&mut *conn)
            .await;
        core.db.named(found.map(|found| found > 0).map_err(Into::into))
    }
}

async fn begin(conn: &mut Conn, scope: &Scope, new: &NewOutreach) -> Step<Option<Attempt>> {
    let number = new.call.caller.as_deref().ok_or(NO_NUMBER)?;
    let hash = scope.sealer.lookup_hash(number).ok_or(NO_NUMBER)?;
    let id = new.call.id;
    // In the spelling of the request itself, by which it is found again.
    let item = new.item.as_deref().map(normalise);
    if matches!(new.comes, Comes::Unasked(_))
        && !is_first_of(conn, scope, new.purpose, item.as_deref()).await?
    {
        return Ok(None);
    }
    let (first, campaign) = match new.comes {
        Comes::Once | Comes::First(_) | Comes::Unasked(_) => (None, None),
        Comes::Again(first) => (Some(first), None),
        Comes::Listed(entry) => {
            let (campaign, first) = campaigns::of_entry(conn, scope, entry).await?;
            (first, Some(campaign))
        }
    };
    let done = sqlx::query(
        "insert into outreach (tenant_id, id, number_hash, purpose, actor, stage, created_at, heard_at, first_id, item,
            campaign_id)
         values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(hash.as_bytes())
    .bind(new.purpose)
    .bind(&new.actor)
    .bind(OutreachStage::Placing)
    .bind(now())
    .bind(first)
    .bind(&item)
    .bind(campaign)
    .execute(&mut *conn)
    .await?;
    // The number is being called already.
    if done.rows_affected() == 0 {
        return Ok(None);
    }
    match &new.comes {
        Comes::Once => {}
        Comes::First(wanted) | Comes::Unasked(wanted) => retries::begin(conn, scope, id, wanted).await?,
        Comes::Again(first) => retries::take(conn, scope, *first, id).await?,
        Comes::Listed(entry) => campaigns::take(conn, scope, *entry, id).await?,
    }
    calls::begin(conn, scope, &new.call).await?;
    by_id(conn, scope, id).await
}

/// Whether a request is open, and no call of ours was ever about it.
async fn is_first_of(conn: &mut Conn, scope: &Scope, purpose: Purpose, item: Option<&str>) -> Step<bool> {
    // Whoever took a request on calls about it; an appointment is reminded of whoever sees to it.
    let also = if purpose == Purpose::Appointment { WorkStatus::InProgress } else { WorkStatus::Open };
    // It changes nothing: whoever else would begin one meanwhile, from another process too, waits here and sees ours then.
    let held = sqlx::query(
        "update work_items set updated_at = updated_at
         where tenant_id = $1 and reference = $2 and status in ($3, $4)",
    )
    .bind(scope.tenant)
    .bind(item)
    .bind(WorkStatus::Open)
    .bind(also)
    .execute(&mut *conn)
    .await?;
    if held.rows_affected() == 0 {
        return Ok(false);
    }
    let sql = "select count(*) from outreach where tenant_id = $1 and item = $2";
    let placed: i64 = sqlx::query_scalar(sql).bind(scope.tenant).bind(item).fetch_one(conn).await?;
    Ok(placed == 0)
}

async fn note(conn: &mut Conn, scope: &Scope, id: CallId, news: &OutreachNews) -> Step<Option<Attempt>> {
    if let Some(sid) = &news.carrier_sid {
        sqlx::query(
            "update calls set carrier_sid = $3 where tenant_id = $1 and id = $2 and carrier_sid is null",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(sid)
        .execute(&mut *conn)
        .await?;
    }
    for _ in 0..TRIES {
        let Some(known) = by_id(conn, scope, id).await? else { return Ok(None) };
        let stage = news.stage.filter(|stage| *stage != OutreachStage::Ended).unwrap_or(known.stage);
        let done = sqlx::query(
            "update outreach set stage = $4, machine = case when $5 then 1 else machine end, heard_at = $6
             where tenant_id = $1 and id = $2 and stage = $3",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(known.stage)
        .bind(stage.max(known.stage))
        .bind(news.machine)
        .bind(now())
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            break;
        }
    }
    by_id(conn, scope, id).await
}

async fn end(conn: &mut Conn, scope: &Scope, id: CallId, result: OutreachResult) -> Step<bool> {
    let Some(known) = by_id(conn, scope, id).await? else { return Ok(false) };
    let done = sqlx::query(
        "update outreach set stage = $3, result = $4, heard_at = $5
         where tenant_id = $1 and id = $2 and stage <> 'ended'",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(OutreachStage::Ended)
    .bind(result)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    retries::follow(conn, scope, id, result).await?;
    campaigns::follow(conn, scope, id, result).await?;
    // Of one that was connected, the conversation itself ends the record.
    if known.stage != OutreachStage::Connected {
        calls::end(conn, scope, id, result.as_str(), now()).await?;
    }
    Ok(true)
}

async fn opt_out(conn: &mut Conn, scope: &Scope, id: CallId, source: &str) -> Step<bool> {
    sqlx::query(
        "insert into do_not_call (tenant_id, number_hash, source, added_by, added_at)
         select tenant_id, number_hash, $3, 'callee', $4 from outreach where tenant_id = $1 and id = $2
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(source)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    let hash: Option<Vec<u8>> =
        sqlx::query_scalar("select number_hash from outreach where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(id)
            .fetch_optional(&mut *conn)
            .await?;
    if let Some(hash) = hash {
        campaigns::take_out(conn, scope, &hash).await?;
    }
    let done = sqlx::query("update outreach set opted_out = 1 where tenant_id = $1 and id = $2")
        .bind(scope.tenant)
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: CallId) -> Step<Option<Attempt>> {
    let query = sqlx::query_as(select_outreach!("and id = $2")).bind(scope.tenant).bind(id);
    Ok(query.fetch_optional(conn).await?.map(opened))
}

async fn attempts(conn: &mut Conn, scope: &Scope, first: CallId) -> Step<Vec<Attempt>> {
    let kept: Vec<OutreachRow> =
        sqlx::query_as(select_outreach!("and (id = $2 or first_id = $2) order by id"))
            .bind(scope.tenant)
            .bind(first)
            .fetch_all(conn)
            .await?;
    Ok(kept.into_iter().map(opened).collect())
}

async fn silent(conn: &mut Conn, scope: &Scope, since: DateTime<Utc>, limit: u32) -> Step<Vec<Attempt>> {
    let kept: Vec<OutreachRow> =
        sqlx::query_as(select_outreach!("and stage <> 'ended' and heard_at <= $2 order by id limit $3"))
            .bind(scope.tenant)
            .bind(since)
            .bind(page_size(limit))
            .fetch_all(conn)
            .await?;
    Ok(kept.into_iter().map(opened).collect())
}

fn opened(kept: OutreachRow) -> Attempt {
    Attempt {
        id: kept.id,
        first: kept.first_id.unwrap_or(kept.id),
        purpose: kept.purpose,
        actor: kept.actor,
        stage: kept.stage,
        result: kept.result,
        machine: kept.machine != 0,
        message: kept.message != 0,
        item: kept.item,
        campaign: kept.campaign_id,
        opted_out: kept.opted_out != 0,
        created_at: kept.created_at,
        heard_at: kept.heard_at,
    }
}
