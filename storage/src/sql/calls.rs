//! Calls.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::tenant::{Scope, TenantStore};
use super::{Conn, call_log, page_size, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, PassportId};
use crate::records::{
    Attention, Call, CallEntry, CallFilter, CallState, LogRow, NewCall, PlayoutRow, RecoveredCall,
    TranscriptTurn, TurnCost,
};
use crate::store::Calls;
use crate::transcript;
use crate::zones::CALLER;

/// The reason of a call whose process died.
const INTERRUPTED: &str = "interrupted";
const NO_CALL: StorageError = StorageError::NotFound { what: "call" };

/// A call's columns, with the turns counted from its log.
macro_rules! select_calls {
    ($($rest:literal),+) => {
        concat!(
            "select id, carrier_sid, line, caller_sealed is not null as has_caller, direction, language,
                passport_id, state, end_reason, started_at, ended_at, cost_micros, attention, attention_reason,
                (select count(distinct l.turn) from call_log l
                 where l.tenant_id = c.tenant_id and l.call_id = c.id
                   and l.kind in ('caller_turn', 'digits')) as turns
             from calls c where c.tenant_id = $1 ",
            $($rest),+
        )
    };
}

/// Calls of a page, newest first, by one kind of filter and whatever else narrows it.
macro_rules! list_calls {
    ($kind:literal) => {
        select_calls!(
            $kind,
            " and ($4 is null or c.id < $4) and ($6 is null or c.line = $6)
              and ($7 is null or c.end_reason = $7) and ($8 is null or c.attention = $8)
              and ($9 is null or c.language = $9) and ($10 is null or c.started_at >= $10)
              and ($11 is null or c.started_at < $11)
              and ($12 is null or exists (select 1 from questions q
                   where q.tenant_id = c.tenant_id and q.call_id = c.id and q.source = $12))
             order by c.id desc limit $5"
        )
    };
}

impl Calls for TenantStore {
    async fn begin_call(&self, new: NewCall) -> Result<Call, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, &new).await;
        write.finish(step).await
    }

    async fn append(&self, call: CallId, rows: &[LogRow]) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let rows: Vec<_> = rows.iter().map(|row| (call, row)).collect();
        let step = call_log::append(write.conn(), &core.scope, &rows).await;
        write.finish(step).await
    }

    async fn end_call(
        &self,
        call: CallId,
        reason: &str,
        ended_at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = end_known(write.conn(), &core.scope, call, reason, ended_at).await;
        write.finish(step).await
    }

    async fn resume_call(&self, call: CallId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update calls set state = 'live', end_reason = null, ended_at = null, node_id = $3
             where tenant_id = $1 and id = $2 and state = 'ended' and end_reason in (
                'transferred', 'interrupted', 'stream_lost', 'draining')",
        )
        .bind(core.scope.tenant)
        .bind(call)
        .bind(core.scope.node)
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn call(&self, id: CallId) -> Result<Option<Call>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn call_by_carrier_sid(&self, sid: &str) -> Result<Option<Call>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_carrier_sid(&mut conn, &core.scope, sid).await)
    }

    async fn list_calls(&self, filter: CallFilter) -> Result<Vec<Call>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, &filter).await)
    }

    async fn caller_number(&self, call: CallId) -> Result<Option<String>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(caller_number(&mut conn, &core.scope, call).await)
    }

    async fn call_log(&self, call: CallId) -> Result<Vec<LogRow>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(call_log::read(&mut conn, &core.scope, call).await)
    }

    async fn transcript(&self, call: CallId) -> Result<Vec<TranscriptTurn>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let began = core.db.named(started_at(&mut conn, &core.scope, call).await)?;
        let log = core.db.named(call_log::read(&mut conn, &core.scope, call).await)?;
        Ok(transcript::transcript(began, &log))
    }

    async fn latency(&self, call: CallId) -> Result<Vec<Value>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let entries = call_log::payloads(&mut conn, &core.scope, call, "latency").await;
        let waterfall = |mut entry: serde_json::Map<String, Value>| entry.remove("latency");
        Ok(core.db.named(entries)?.into_iter().filter_map(waterfall).collect())
    }

    async fn playout_ledger(&self, call: CallId) -> Result<Vec<PlayoutRow>, StorageError> {
        Ok(transcript::playout(&self.call_log(call).await?))
    }

    async fn turn_costs(&self, call: CallId) -> Result<Vec<TurnCost>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let entries = call_log::payloads(&mut conn, &core.scope, call, "cost").await;
        Ok(turn_costs(&core.db.named(entries)?))
    }

    async fn spent_since(&self, from: DateTime<Utc>) -> Result<u64, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(spent_since(&mut conn, &core.scope, from).await)
    }

    async fn left_calls(&self) -> Result<Vec<CallId>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let left = left(&mut conn, &core.scope).await;
        core.db.named(left.map(|left| left.into_iter().map(|(call, _)| call).collect()))
    }

    async fn recover_live_calls(&self) -> Result<Vec<RecoveredCall>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = recover(write.conn(), &core.scope).await;
        write.finish(step).await
    }
}

pub(super) async fn begin(conn: &mut Conn, scope: &Scope, new: &NewCall) -> Step<Call> {
    let row = new.id.0.as_bytes().as_slice();
    let caller = new.caller.as_deref();
    let sealed = caller.map(|number| scope.sealer.seal(CALLER, row, number.as_bytes())).transpose()?;
    let hash = caller.and_then(|number| scope.sealer.lookup_hash(number));
    sqlx::query(
        "insert into calls (tenant_id, id, carrier_sid, line, caller_sealed, caller_hash, direction, language,
            passport_id, state, started_at, node_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'live', $10, $11)",
    )
    .bind(scope.tenant)
    .bind(new.id)
    .bind(&new.carrier_sid)
    .bind(&new.line)
    .bind(sealed)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(new.direction)
    .bind(&new.language)
    .bind(new.passport_id)
    .bind(new.started_at)
    .bind(scope.node)
    .execute(&mut *conn)
    .await
    .map_err(|error| taken(error, "call"))?;
    by_id(conn, scope, new.id).await?.ok_or(NO_CALL.into())
}

/// Ends a live call; `false` when there is no live call of that id.
pub(super) async fn end(
    conn: &mut Conn,
    scope: &Scope,
    call: CallId,
    reason: &str,
    ended_at: DateTime<Utc>,
) -> Step<bool> {
    let done = sqlx::query(
        "update calls set state = 'ended', end_reason = $3, ended_at = $4
         where tenant_id = $1 and id = $2 and state = 'live'",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(reason)
    .bind(ended_at)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// The conversation went on in another language.
pub(super) async fn set_language(conn: &mut Conn, scope: &Scope, call: CallId, language: &str) -> Step<()> {
    sqlx::query("update calls set language = $3 where tenant_id = $1 and id = $2")
        .bind(scope.tenant)
        .bind(call)
        .bind(language)
        .execute(conn)
        .await?;
    Ok(())
}

/// A person should look at the call: the level never falls, and the reason is what first raised it so high.
pub(super) async fn raise_attention(
    conn: &mut Conn,
    scope: &Scope,
    call: CallId,
    level: Attention,
    reason: &str,
) -> Step<()> {
    let below: &[Attention] = match level {
        Attention::None => return Ok(()),
        Attention::Watch => &[Attention::None],
        Attention::Urgent => &[Attention::None, Attention::Watch],
    };
    for lower in below {
        sqlx::query(
            "update calls set attention = $3, attention_reason = $4
             where tenant_id = $1 and id = $2 and attention = $5",
        )
        .bind(scope.tenant)
        .bind(call)
        .bind(level)
        .bind(reason)
        .bind(*lower)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

async fn spent_since(conn: &mut Conn, scope: &Scope, from: DateTime<Utc>) -> Step<u64> {
    let sum: i64 = sqlx::query_scalar(
        "select cast(coalesce(sum(cost_micros), 0) as bigint) from calls where tenant_id = $1 and started_at >= $2",
    )
    .bind(scope.tenant)
    .bind(from)
    .fetch_one(conn)
    .await?;
    Ok(sum.unsigned_abs())
}

fn turn_costs(entries: &[serde_json::Map<String, Value>]) -> Vec<TurnCost> {
    let mut costs: BTreeMap<u32, u64> = BTreeMap::new();
    for entry in entries {
        let field = |name: &str| entry.get(name).and_then(Value::as_u64).unwrap_or_default();
        *costs.entry(u32::try_from(field("turn")).unwrap_or(u32::MAX)).or_default() += field("turn_micros");
    }
    costs
        .into_iter()
        .filter(|(_, micros)| *micros > 0)
        .map(|(turn, micros)| TurnCost { turn, micros })
        .collect()
}

async fn end_known(
    conn: &mut Conn,
    scope: &Scope,
    call: CallId,
    reason: &str,
    ended_at: DateTime<Utc>,
) -> Step<bool> {
    started_at(conn, scope, call).await?;
    end(conn, scope, call, reason, ended_at).await
}

async fn started_at(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<DateTime<Utc>> {
    let found = sqlx::query_scalar("select started_at from calls where tenant_id = $1 and id = $2")
        .bind(scope.tenant)
        .bind(call)
        .fetch_optional(conn)
        .await?;
    found.ok_or(NO_CALL.into())
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: CallId) -> Step<Option<Call>> {
    let query = sqlx::query_as(select_calls!("and c.id = $2")).bind(scope.tenant).bind(id);
    Ok(query.fetch_optional(conn).await?)
}

async fn by_carrier_sid(conn: &mut Conn, scope: &Scope, sid: &str) -> Step<Option<Call>> {
    let query = sqlx::query_as(select_calls!("and c.carrier_sid = $2")).bind(scope.tenant).bind(sid);
    Ok(query.fetch_optional(conn).await?)
}

/// One text per kind of filter, so that each uses its index; every text names every parameter, as binding demands.
async fn list(conn: &mut Conn, scope: &Scope, filter: &CallFilter) -> Step<Vec<Call>> {
    let hash = match filter.caller.as_deref().map(|number| scope.sealer.lookup_hash(number)) {
        Some(None) => return Ok(Vec::new()),
        Some(hash) => hash,
        None => None,
    };
    let sql = match (&hash, filter.state) {
        (Some(_), _) => list_calls!("and c.caller_hash = $2 and ($3 is null or c.state = $3)"),
        (None, Some(CallState::Live)) => {
            list_calls!("and c.state = 'live' and $2 is null and $3 is not null")
        }
        (None, _) => list_calls!("and $2 is null and ($3 is null or c.state = $3)"),
    };
    let query = sqlx::query_as(sql)
        .bind(scope.tenant)
        .bind(hash.as_ref().map(|hash| hash.as_bytes()))
        .bind(filter.state)
        .bind(filter.after)
        .bind(page_size(filter.limit))
        .bind(&filter.line)
        .bind(&filter.outcome)
        .bind(filter.attention)
        .bind(&filter.language)
        .bind(filter.from)
        .bind(filter.to)
        .bind(&filter.topic);
    Ok(query.fetch_all(conn).await?)
}

async fn caller_number(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Option<String>> {
    let sealed: Option<Option<Vec<u8>>> =
        sqlx::query_scalar("select caller_sealed from calls where tenant_id = $1 and id = $2")
            .bind(scope.tenant)
            .bind(call)
            .fetch_optional(conn)
            .await?;
    let open = |sealed: Vec<u8>| scope.sealer.open_text(CALLER, call.0.as_bytes(), &sealed);
    Ok(sealed.flatten().map(open).transpose()?)
}

/// What this node has on its books as live. A call of ours that rings, or whose callee is being asked who they are, has no stream
/// that could have been cut off.
async fn left(conn: &mut Conn, scope: &Scope) -> Step<Vec<(CallId, Option<PassportId>)>> {
    let live = sqlx::query_as(
        "select id, passport_id from calls
         where tenant_id = $1 and state = 'live' and (node_id = $2 or node_id is null) and not exists (
            select 1 from outreach o where o.tenant_id = calls.tenant_id and o.id = calls.id
                and o.stage not in ('connected', 'ended'))
         order by id",
    )
    .bind(scope.tenant)
    .bind(scope.node)
    .fetch_all(conn)
    .await?;
    Ok(live)
}

async fn recover(conn: &mut Conn, scope: &Scope) -> Step<Vec<RecoveredCall>> {
    let live = left(conn, scope).await?;
    let mut recovered = Vec::with_capacity(live.len());
    for (call, passport_id) in live {
        let (seq, at_ms, turn) = call_log::last(conn, scope, call).await?;
        let entry = CallEntry::Ended { reason: INTERRUPTED.to_owned() };
        let row = LogRow { seq: seq.unsigned_abs() + 1, at_ms: at_ms.unsigned_abs(), entry };
        call_log::append(conn, scope, &[(call, &row)]).await?;
        end(conn, scope, call, INTERRUPTED, now()).await?;
        let last_turn = u32::try_from(turn).unwrap_or_default();
        recovered.push(RecoveredCall { call, passport_id, last_turn });
    }
    Ok(recovered)
}
