//! Work items, filed once per idempotency key.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size, reviews, work_acts as acts};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, PassportId, WorkItemId};
use crate::records::{NewWorkItem, Priority, WorkFilter, WorkItem, WorkKind, WorkStatus};
use crate::references::{TRIES, candidate, normalise};
use crate::store::WorkItems;
use crate::work_acts::{NewWorkAct, WorkAct, WorkActed};
use crate::zones::FIELDS;

const TAKEN: StorageError = StorageError::Taken { what: "reference" };

#[derive(sqlx::FromRow)]
struct WorkItemRow {
    id: WorkItemId,
    reference: String,
    kind: WorkKind,
    status: WorkStatus,
    priority: Priority,
    idempotency_key: String,
    call_id: Option<CallId>,
    passport_id: Option<PassportId>,
    assignee: Option<String>,
    alarms: i64,
    fields_sealed: Vec<u8>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

macro_rules! select_work {
    ($rest:literal) => {
        concat!(
            "select id, reference, kind, status, priority, idempotency_key, call_id, passport_id,
                assignee, alarms, fields_sealed, created_at, updated_at
             from work_items where tenant_id = $1 ",
            $rest
        )
    };
}

impl WorkItems for TenantStore {
    async fn file_work_item(&self, new: NewWorkItem) -> Result<WorkItem, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = file(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn work_item(&self, reference: &str) -> Result<Option<WorkItem>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_reference(&mut conn, &core.scope, &normalise(reference)).await)
    }

    async fn work_item_by_id(&self, id: WorkItemId) -> Result<Option<WorkItem>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn act_on_work_item(&self, act: NewWorkAct) -> Result<WorkActed, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = acts::make(write.conn(), &core.scope, &act).await;
        write.finish(step).await
    }

    async fn work_history(&self, id: WorkItemId) -> Result<Vec<WorkAct>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(acts::history(&mut conn, &core.scope, id).await)
    }

    async fn list_work_items(&self, filter: WorkFilter) -> Result<Vec<WorkItem>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }

    async fn set_work_status(&self, reference: &str, status: WorkStatus) -> Result<WorkItem, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = set_status(write.conn(), &core.scope, &normalise(reference), status).await;
        write.finish(step).await
    }

    async fn draw_reference(&self, kind: WorkKind) -> Result<String, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(draw(&mut conn, &core.scope, kind).await)
    }
}

/// Files an item, or gives the one that was filed with the same key.
pub(super) async fn file(conn: &mut Conn, scope: &Scope, new: &NewWorkItem) -> Step<WorkItem> {
    if let Some(earlier) = by_key(conn, scope, &new.idempotency_key).await? {
        return Ok(earlier);
    }
    let Some(given) = &new.reference else { return file_drawn(conn, scope, new).await };
    let reference = normalise(given);
    let inserted = insert(conn, scope, new, &reference).await?;
    match by_key(conn, scope, &new.idempotency_key).await? {
        Some(item) if inserted || item.reference != reference => Ok(item),
        _ => Err(TAKEN.into()),
    }
}

/// With a reference of ours. Where writers run side by side, another may take it between drawing and filing.
async fn file_drawn(conn: &mut Conn, scope: &Scope, new: &NewWorkItem) -> Step<WorkItem> {
    for _ in 0..TRIES {
        let reference = draw(conn, scope, new.kind).await?;
        insert(conn, scope, new, &reference).await?;
        if let Some(item) = by_key(conn, scope, &new.idempotency_key).await? {
            return Ok(item);
        }
    }
    Err(TAKEN.into())
}

/// `false` when the key or the reference is on record already.
async fn insert(conn: &mut Conn, scope: &Scope, new: &NewWorkItem, reference: &str) -> Step<bool> {
    let id = WorkItemId::new();
    let hash = new.caller.as_deref().and_then(|number| scope.sealer.lookup_hash(number));
    let done = sqlx::query(
        "insert into work_items (tenant_id, id, reference, kind, status, priority, idempotency_key, call_id,
            passport_id, caller_hash, fields_sealed, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(reference)
    .bind(new.kind)
    .bind(WorkStatus::Open)
    .bind(new.priority)
    .bind(&new.idempotency_key)
    .bind(new.call_id)
    .bind(new.passport_id)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(scope.sealer.seal_json(FIELDS, id.0.as_bytes(), &new.fields)?)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn draw(conn: &mut Conn, scope: &Scope, kind: WorkKind) -> Step<String> {
    for attempt in 0..TRIES {
        let reference = candidate(kind, attempt, &mut rand::rng());
        if !is_taken(conn, scope, &reference).await? {
            return Ok(reference);
        }
    }
    Err(TAKEN.into())
}

async fn is_taken(conn: &mut Conn, scope: &Scope, reference: &str) -> Step<bool> {
    let sql = "select count(*) from work_items where tenant_id = $1 and reference = $2";
    let found: i64 = sqlx::query_scalar(sql).bind(scope.tenant).bind(reference).fetch_one(conn).await?;
    Ok(found > 0)
}

async fn by_key(conn: &mut Conn, scope: &Scope, key: &str) -> Step<Option<WorkItem>> {
    let query = sqlx::query_as(select_work!("and idempotency_key = $2")).bind(scope.tenant).bind(key);
    query.fetch_optional(conn).await?.map(|kept| open(scope, kept)).transpose()
}

async fn by_reference(conn: &mut Conn, scope: &Scope, reference: &str) -> Step<Option<WorkItem>> {
    let query = sqlx::query_as(select_work!("and reference = $2")).bind(scope.tenant).bind(reference);
    query.fetch_optional(conn).await?.map(|kept| open(scope, kept)).transpose()
}

pub(super) async fn by_id(conn: &mut Conn, scope: &Scope, id: WorkItemId) -> Step<Option<WorkItem>> {
    let query = sqlx::query_as(select_work!("and id = $2")).bind(scope.tenant).bind(id);
    query.fetch_optional(conn).await?.map(|kept| open(scope, kept)).transpose()
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &WorkFilter) -> Step<Vec<WorkItem>> {
    let hash = match filter.caller.as_deref().map(|number| scope.sealer.lookup_hash(number)) {
        Some(None) => return Ok(Vec::new()),
        Some(hash) => hash,
        None => None,
    };
    let kept: Vec<WorkItemRow> = sqlx::query_as(select_work!(
        "and ($2 is null or kind = $2) and ($3 is null or status = $3) and ($4 is null or call_id = $4)
         and ($5 is null or caller_hash = $5) and ($6 is null or assignee = $6) and ($7 is null or id < $7)
         and ($9 is null or passport_id = $9)
         order by id desc limit $8"
    ))
    .bind(scope.tenant)
    .bind(filter.kind)
    .bind(filter.status)
    .bind(filter.call_id)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(filter.assignee.as_deref())
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .bind(filter.passport_id)
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open(scope, kept)).collect()
}

/// Open requests of a kind that no call of ours was ever about, oldest first.
pub(super) async fn uncalled(
    conn: &mut Conn,
    scope: &Scope,
    kind: WorkKind,
    after: Option<WorkItemId>,
    limit: u32,
) -> Step<Vec<WorkItem>> {
    let kept: Vec<WorkItemRow> = sqlx::query_as(select_work!(
        "and kind = $2 and status in ($3, $4) and ($5 is null or id > $5)
         and reference not in (select item from outreach where tenant_id = $1 and item is not null)
         order by id limit $6"
    ))
    .bind(scope.tenant)
    .bind(kind)
    .bind(WorkStatus::Open)
    .bind(WorkStatus::InProgress)
    .bind(after)
    .bind(page_size(limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open(scope, kept)).collect()
}

async fn set_status(conn: &mut Conn, scope: &Scope, reference: &str, status: WorkStatus) -> Step<WorkItem> {
    sqlx::query("update work_items set status = $3, updated_at = $4 where tenant_id = $1 and reference = $2")
        .bind(scope.tenant)
        .bind(reference)
        .bind(status)
        .bind(now())
        .execute(&mut *conn)
        .await?;
    let item =
        by_reference(conn, scope, reference).await?.ok_or(StorageError::NotFound { what: "work item" })?;
    if let Some(passport) = item.passport_id {
        reviews::unsettle(conn, scope, passport, now()).await?;
    }
    Ok(item)
}

fn open(scope: &Scope, kept: WorkItemRow) -> Step<WorkItem> {
    Ok(WorkItem {
        fields: scope.sealer.open_json(FIELDS, kept.id.0.as_bytes(), &kept.fields_sealed)?,
        id: kept.id,
        reference: kept.reference,
        kind: kept.kind,
        status: kept.status,
        priority: kept.priority,
        idempotency_key: kept.idempotency_key,
        call_id: kept.call_id,
        passport_id: kept.passport_id,
        assignee: kept.assignee,
        alarms: u32::try_from(kept.alarms).unwrap_or(u32::MAX),
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}
