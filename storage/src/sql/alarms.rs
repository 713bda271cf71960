//! Alarms: found, counted, written into the history and put into the outbox in one transaction.

use chrono::{DateTime, Utc};
use serde_json::json;

use super::tenant::{Scope, TenantStore};
use super::{Conn, outbox, page_size, work};
use crate::alarms::{ALARM, ALARM_ACTOR, Alarm, AlarmsDue};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{WorkActId, WorkItemId};
use crate::outbox_records::NewOutgoing;
use crate::store::Alarms;
use crate::work_acts::WorkActKind;

#[derive(sqlx::FromRow)]
struct Waiting {
    id: WorkItemId,
    since_at: DateTime<Utc>,
    alarms: i64,
}

impl Alarms for TenantStore {
    async fn raise_alarms(&self, due: AlarmsDue) -> Result<Vec<Alarm>, StorageError> {
        let core = &*self.core;
        // A look costs less than a turn of the one writer, and mostly nothing is due.
        let waiting = {
            let mut conn = core.db.read().await?;
            core.db.named(waiting(&mut conn, &core.scope, &due).await)?
        };
        if waiting.is_empty() {
            return Ok(Vec::new());
        }
        let mut write = core.db.write().await?;
        let step = raise(write.conn(), &core.scope, &due, waiting).await;
        write.finish(step).await
    }
}

async fn waiting(conn: &mut Conn, scope: &Scope, due: &AlarmsDue) -> Step<Vec<Waiting>> {
    let query = sqlx::query_as(
        "select id, coalesce(unclaimed_at, created_at) as since_at, alarms from work_items
         where tenant_id = $1 and status = 'open' and priority in ('urgent', 'high') and assignee is null
            and coalesce(unclaimed_at, created_at) <= (case priority when 'urgent' then $2 else $3 end)
            and alarms < $4 and (alarmed_at is null or alarmed_at <= $5)
         order by id limit $6",
    );
    let rows = query
        .bind(scope.tenant)
        .bind(due.urgent_since)
        .bind(due.high_since)
        .bind(i64::from(due.times))
        .bind(due.again_since)
        .bind(page_size(due.limit))
        .fetch_all(conn)
        .await?;
    Ok(rows)
}

/// Of those that were due, the ones that nobody took on, and no other process alarmed about, since.
async fn raise(conn: &mut Conn, scope: &Scope, due: &AlarmsDue, waiting: Vec<Waiting>) -> Step<Vec<Alarm>> {
    let mut raised = Vec::with_capacity(waiting.len());
    for Waiting { id, since_at, alarms } in waiting {
        let done = sqlx::query(
            "update work_items set alarms = alarms + 1, alarmed_at = $3, updated_at = $5
             where tenant_id = $1 and id = $2 and status = 'open' and assignee is null and alarms = $4",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(due.now)
        .bind(alarms)
        .bind(now())
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() == 0 {
            continue;
        }
        let item = work::by_id(conn, scope, id).await?;
        let alarm = Alarm {
            item: item.ok_or(StorageError::NotFound { what: "work item" })?,
            waiting_since: since_at,
        };
        append(conn, scope, id).await?;
        for destination in &due.tell {
            outbox::put(conn, scope, &outgoing(&alarm, destination)).await?;
        }
        raised.push(alarm);
    }
    Ok(raised)
}

async fn append(conn: &mut Conn, scope: &Scope, item: WorkItemId) -> Step<()> {
    sqlx::query(
        "insert into work_acts (tenant_id, id, item_id, acted_at, actor, act) values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(scope.tenant)
    .bind(WorkActId::new())
    .bind(item)
    .bind(now())
    .bind(ALARM_ACTOR)
    .bind(WorkActKind::Alarmed)
    .execute(conn)
    .await?;
    Ok(())
}

/// What one receiver is told: enough to find the request, and no word of the caller.
fn outgoing(alarm: &Alarm, destination: &str) -> NewOutgoing {
    let Alarm { item, waiting_since } = alarm;
    let since = waiting_since.timestamp_millis();
    NewOutgoing {
        idempotency_key: format!("alarm/{}/{since}/{}/{destination}", item.id, item.alarms),
        destination: destination.to_owned(),
        tool: ALARM.to_owned(),
        held: false,
        call_id: item.call_id,
        passport_id: item.passport_id,
        payload: json!({
            "version": 1,
            "event": "work_item.alarm",
            "work_item_id": item.id,
            "reference": item.reference,
            "kind": item.kind,
            "priority": item.priority,
            "alarms": item.alarms,
            "waiting_since": waiting_since,
        }),
    }
}
