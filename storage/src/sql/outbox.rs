//! Effects outside: kept once per key, taken on a lease, settled by whoever holds it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size, work};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, OutboxId, PassportId};
use crate::outbox_records::{
    Lease, NewOutgoing, OutboxDecision, OutboxFilter, OutboxState, Outgoing, Settlement,
};
use crate::store::Outbox;
use crate::zones::{OUTBOX_ANSWER, OUTBOX_PAYLOAD};

#[derive(sqlx::FromRow)]
struct OutboxRow {
    id: OutboxId,
    idempotency_key: String,
    destination: String,
    tool: String,
    state: OutboxState,
    attempts: i64,
    next_at: DateTime<Utc>,
    call_id: Option<CallId>,
    passport_id: Option<PassportId>,
    payload_sealed: Vec<u8>,
    answer_sealed: Option<Vec<u8>>,
    problem: Option<String>,
    decided_by: Option<String>,
    decided_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

macro_rules! select_outbox {
    ($rest:literal) => {
        concat!(
            "select id, idempotency_key, destination, tool, state, attempts, next_at, call_id, passport_id,
                payload_sealed, answer_sealed, problem, decided_by, decided_at, created_at, updated_at
             from outbox where tenant_id = $1 ",
            $rest
        )
    };
}

impl Outbox for TenantStore {
    async fn put_outgoing(&self, new: NewOutgoing) -> Result<Outgoing, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = put(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn outgoing(&self, id: OutboxId) -> Result<Option<Outgoing>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn list_outbox(&self, filter: OutboxFilter) -> Result<Vec<Outgoing>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }

    async fn lease_outbox(&self, lease: Lease) -> Result<Vec<Outgoing>, StorageError> {
        let core = &*self.core;
        // A look costs less than a turn of the one writer, and mostly nothing is due.
        let due = {
            let mut conn = core.db.read().await?;
            core.db.named(due(&mut conn, &core.scope, &lease).await)?
        };
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut write = core.db.write().await?;
        let step = take(write.conn(), &core.scope, &lease, due).await;
        write.finish(step).await
    }

    async fn settle_outgoing(
        &self,
        id: OutboxId,
        owner: Uuid,
        settlement: Settlement,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = settle(write.conn(), &core.scope, id, owner, &settlement).await;
        write.finish(step).await
    }

    async fn decide_outgoing(&self, decision: OutboxDecision) -> Result<Outgoing, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = decide(write.conn(), &core.scope, &decision).await;
        write.finish(step).await
    }
}

/// Keeps an effect, or gives the one that was kept with the same key.
pub(super) async fn put(conn: &mut Conn, scope: &Scope, new: &NewOutgoing) -> Step<Outgoing> {
    let id = OutboxId::new();
    sqlx::query(
        "insert into outbox (tenant_id, id, idempotency_key, destination, tool, state, attempts, next_at,
            call_id, passport_id, payload_sealed, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, $10, $7, $7)
         on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(&new.idempotency_key)
    .bind(&new.destination)
    .bind(&new.tool)
    .bind(if new.held { OutboxState::Held } else { OutboxState::Pending })
    .bind(now())
    .bind(new.call_id)
    .bind(new.passport_id)
    .bind(scope.sealer.seal_json(OUTBOX_PAYLOAD, id.0.as_bytes(), &new.payload)?)
    .execute(&mut *conn)
    .await?;
    let query = sqlx::query_as(select_outbox!("and idempotency_key = $2"));
    let kept = query.bind(scope.tenant).bind(&new.idempotency_key).fetch_one(conn).await?;
    open(scope, kept)
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: OutboxId) -> Step<Option<Outgoing>> {
    let query = sqlx::query_as(select_outbox!("and id = $2")).bind(scope.tenant).bind(id);
    query.fetch_optional(conn).await?.map(|kept| open(scope, kept)).transpose()
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &OutboxFilter) -> Step<Vec<Outgoing>> {
    // Apart, so that the one with a state uses its index; SQLite does for the ids alone, which are all in it.
    let query = match filter.state {
        Some(_) => select_outbox!(
            "and id in (select id from outbox where tenant_id = $1 and state = $2 and ($3 is null or id < $3)
                order by id desc limit $4)
             order by id desc"
        ),
        None => select_outbox!("and $2 is null and ($3 is null or id < $3) order by id desc limit $4"),
    };
    let kept: Vec<OutboxRow> = sqlx::query_as(query)
        .bind(scope.tenant)
        .bind(filter.state)
        .bind(filter.after)
        .bind(page_size(filter.limit))
        .fetch_all(conn)
        .await?;
    kept.into_iter().map(|kept| open(scope, kept)).collect()
}

async fn due(conn: &mut Conn, scope: &Scope, lease: &Lease) -> Step<Vec<OutboxId>> {
    let query = sqlx::query_scalar(
        "select id from outbox where tenant_id = $1 and state = 'pending' and next_at <= $2
            and (lease_until is null or lease_until <= $2)
         order by next_at, id limit $3",
    );
    Ok(query.bind(scope.tenant).bind(lease.now).bind(page_size(lease.limit)).fetch_all(conn).await?)
}

/// Of those that were due, the ones that nobody else has taken since.
async fn take(conn: &mut Conn, scope: &Scope, lease: &Lease, due: Vec<OutboxId>) -> Step<Vec<Outgoing>> {
    let mut taken = Vec::with_capacity(due.len());
    for id in due {
        let done = sqlx::query(
            "update outbox set lease_owner = $3, lease_until = $4, attempts = attempts + 1, updated_at = $5
             where tenant_id = $1 and id = $2 and state = 'pending' and next_at <= $5
                and (lease_until is null or lease_until <= $5)",
        )
        .bind(scope.tenant)
        .bind(id)
        .bind(lease.owner)
        .bind(lease.until)
        .bind(lease.now)
        .execute(&mut *conn)
        .await?;
        if done.rows_affected() > 0 {
            taken.extend(by_id(conn, scope, id).await?);
        }
    }
    Ok(taken)
}

async fn settle(
    conn: &mut Conn,
    scope: &Scope,
    id: OutboxId,
    owner: Uuid,
    settlement: &Settlement,
) -> Step<bool> {
    let (state, next_at, problem, answer) = match settlement {
        Settlement::Sent { answer } => (OutboxState::Sent, None, None, answer.as_ref()),
        Settlement::Again { next_at, problem } => (OutboxState::Pending, Some(*next_at), Some(problem), None),
        Settlement::Failed { problem, .. } => (OutboxState::Failed, None, Some(problem), None),
    };
    let answer = answer.map(|answer| scope.sealer.seal_json(OUTBOX_ANSWER, id.0.as_bytes(), answer));
    let done = sqlx::query(
        "update outbox set state = $4, next_at = coalesce($5, next_at), problem = $6, answer_sealed = $7,
            lease_owner = null, lease_until = null, updated_at = $8
         where tenant_id = $1 and id = $2 and lease_owner = $3 and state = 'pending'",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(owner)
    .bind(state)
    .bind(next_at)
    .bind(problem)
    .bind(answer.transpose()?)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    if let Settlement::Failed { tell, .. } = settlement {
        work::file(conn, scope, tell).await?;
    }
    Ok(true)
}

async fn decide(conn: &mut Conn, scope: &Scope, decision: &OutboxDecision) -> Step<Outgoing> {
    let state = if decision.approve { OutboxState::Pending } else { OutboxState::Rejected };
    let done = sqlx::query(
        "update outbox set state = $3, decided_by = $4, decided_at = $5, next_at = $5, updated_at = $5
         where tenant_id = $1 and id = $2 and state = 'held'",
    )
    .bind(scope.tenant)
    .bind(decision.id)
    .bind(state)
    .bind(&decision.by)
    .bind(decision.at)
    .execute(&mut *conn)
    .await?;
    match by_id(conn, scope, decision.id).await? {
        None => Err(StorageError::NotFound { what: "effect" }.into()),
        Some(_) if done.rows_affected() == 0 => Err(StorageError::Taken { what: "decision" }.into()),
        Some(outgoing) => Ok(outgoing),
    }
}

fn open(scope: &Scope, kept: OutboxRow) -> Step<Outgoing> {
    let row = kept.id.0;
    let answer =
        kept.answer_sealed.map(|sealed| scope.sealer.open_json(OUTBOX_ANSWER, row.as_bytes(), &sealed));
    Ok(Outgoing {
        payload: scope.sealer.open_json(OUTBOX_PAYLOAD, row.as_bytes(), &kept.payload_sealed)?,
        answer: answer.transpose()?,
        id: kept.id,
        idempotency_key: kept.idempotency_key,
        destination: kept.destination,
        tool: kept.tool,
        state: kept.state,
        attempts: u32::try_from(kept.attempts).unwrap_or(u32::MAX),
        next_at: kept.next_at,
        call_id: kept.call_id,
        passport_id: kept.passport_id,
        problem: kept.problem,
        decided_by: kept.decided_by,
        decided_at: kept.decided_at,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}
