//! What agents append to memory: logs, proposals, notes. Nothing here writes a fact.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::Conn;
use super::tenant::{Scope, TenantStore};
use crate::audit::{self, NewAudit, Party};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{NoteId, RecordId, SuggestionId};
use crate::memory::{
    NewEvent, NewInteraction, NewNote, NewPlaybookUpdate, NewSuggestion, Outcome, RefusedAccess, Review,
    check_name,
};
use crate::zones::{INTERACTION, LookupHash, NOTE, PLAYBOOK, SUGGESTION};

impl TenantStore {
    pub(crate) async fn append_interaction(
        &self,
        agent_id: &str,
        new: &NewInteraction,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = interaction(write.conn(), &core.scope, agent_id, new).await;
        write.finish(step).await
    }

    pub(crate) async fn append_event(&self, agent_id: &str, new: &NewEvent) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = event(write.conn(), &core.scope, agent_id, new).await;
        write.finish(step).await
    }

    pub(crate) async fn append_suggestion(
        &self,
        agent_id: &str,
        new: &NewSuggestion,
        confidence_milli: i64,
    ) -> Result<Option<SuggestionId>, StorageError> {
        let core = &*self.core;
        let Some(hash) = core.scope.sealer.lookup_hash(&new.caller) else { return Ok(None) };
        let mut write = core.db.write().await?;
        let step = suggestion(write.conn(), &core.scope, agent_id, new, (&hash, confidence_milli)).await;
        write.finish(step).await
    }

    pub(crate) async fn append_playbook(
        &self,
        agent_id: &str,
        new: &NewPlaybookUpdate,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = playbook(write.conn(), &core.scope, agent_id, new).await;
        write.finish(step).await
    }

    pub(crate) async fn append_note(
        &self,
        agent_id: &str,
        new: &NewNote,
        lives: Duration,
    ) -> Result<NoteId, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = note(write.conn(), &core.scope, agent_id, new, lives).await;
        write.finish(step).await
    }

    pub(crate) async fn drop_old_notes(&self, at: DateTime<Utc>) -> Result<u64, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let gone = sqlx::query("delete from agent_notes where tenant_id = $1 and expires_at <= $2")
            .bind(core.scope.tenant)
            .bind(at)
            .execute(write.conn())
            .await;
        write.finish(gone.map(|done| done.rows_affected()).map_err(Into::into)).await
    }

    pub(crate) async fn append_review(&self, review: Review) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "insert into memory_reviews (tenant_id, call_id, outcome, suggested, created_at)
             values ($1, $2, $3, $4, $5) on conflict do nothing",
        )
        .bind(core.scope.tenant)
        .bind(review.call)
        .bind(review.outcome)
        .bind(i64::from(review.suggested))
        .bind(now())
        .execute(write.conn())
        .await;
        write.finish(done.map(drop).map_err(Into::into)).await
    }

    /// The one place through which a refused access to memory is told: a trace event, a line of the event log, and an
    /// entry of the audit. None holds a word of a caller; a name that is no agent's is not repeated.
    pub(crate) async fn note_refusal(&self, agent_id: &str, refused: RefusedAccess) {
        let agent_id = if check_name(agent_id, "").is_ok() { agent_id } else { "unknown" };
        let tenant = self.core.scope.tenant;
        let RefusedAccess { act, table, by } = refused;
        tracing::warn!(
            target: "storage::memory", %tenant, agent = agent_id, %act, table, by, "memory_access_refused"
        );
        let detail = format!("{table}: refused by {by}");
        let new =
            NewEvent { call_id: None, event: "memory_access".into(), outcome: Outcome::Refused, detail };
        if let Err(error) = self.append_event(agent_id, &new).await {
            tracing::error!(%error, "a refused access to memory is not in the event log");
        }
        let entry =
            NewAudit::new("memory.refused", Party::new("agent", agent_id), Party::new("memory_table", table))
                .with("act", act.as_str())
                .with("by", by)
                .outcome(audit::Outcome::Denied);
        // Durable before whoever tried is told: a process that dies of what it tried leaves its entry behind.
        if let Err(error) = self.audit().record(entry).await {
            tracing::error!(%error, "a refused access to memory is not on the audit");
        }
    }
}

async fn interaction(conn: &mut Conn, scope: &Scope, agent_id: &str, new: &NewInteraction) -> Step<bool> {
    let hash = new.caller.as_deref().and_then(|number| scope.sealer.lookup_hash(number));
    if let Some(hash) = &hash
        && opted_out(conn, scope, hash).await?
    {
        return Ok(false);
    }
    let id = RecordId::new();
    let done = sqlx::query(
        "insert into interactions (tenant_id, id, caller_hash, call_id, agent_id, idempotency_key, kind, body_sealed,
            created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(new.call_id)
    .bind(agent_id)
    .bind(&new.idempotency_key)
    .bind(&new.kind)
    .bind(scope.sealer.seal(INTERACTION, id.0.as_bytes(), new.body.as_bytes())?)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn event(conn: &mut Conn, scope: &Scope, agent_id: &str, new: &NewEvent) -> Step<()> {
    sqlx::query(
        "insert into event_log (tenant_id, id, agent_id, call_id, event, outcome, detail, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(scope.tenant)
    .bind(RecordId(Uuid::now_v7()))
    .bind(agent_id)
    .bind(new.call_id)
    .bind(&new.event)
    .bind(new.outcome)
    .bind(&new.detail)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn suggestion(
    conn: &mut Conn,
    scope: &Scope,
    agent_id: &str,
    new: &NewSuggestion,
    (hash, confidence_milli): (&LookupHash, i64),
) -> Step<Option<SuggestionId>> {
    if opted_out(conn, scope, hash).await? {
        return Ok(None);
    }
    let id = SuggestionId::new();
    sqlx::query(
        "insert into memory_suggestions (tenant_id, id, caller_hash, call_id, agent_id, idempotency_key, key,
            value_sealed, confidence_milli, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(hash.as_bytes())
    .bind(new.call_id)
    .bind(agent_id)
    .bind(&new.idempotency_key)
    .bind(&new.key)
    .bind(scope.sealer.seal(SUGGESTION, id.0.as_bytes(), new.value.as_bytes())?)
    .bind(confidence_milli)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    let sql = "select id from memory_suggestions where tenant_id = $1 and idempotency_key = $2";
    Ok(sqlx::query_scalar(sql).bind(scope.tenant).bind(&new.idempotency_key).fetch_optional(conn).await?)
}

async fn playbook(conn: &mut Conn, scope: &Scope, agent_id: &str, new: &NewPlaybookUpdate) -> Step<bool> {
    let id = RecordId::new();
    let done = sqlx::query(
        "insert into playbook_updates (tenant_id, id, call_id, agent_id, idempotency_key, topic, body_sealed, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(new.call_id)
    .bind(agent_id)
    .bind(&new.idempotency_key)
    .bind(&new.topic)
    .bind(scope.sealer.seal(PLAYBOOK, id.0.as_bytes(), new.body.as_bytes())?)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

async fn note(
    conn: &mut Conn,
    scope: &Scope,
    agent_id: &str,
    new: &NewNote,
    lives: Duration,
) -> Step<NoteId> {
    let id = NoteId::new();
    let at = now();
    let expires_at = at + TimeDelta::from_std(lives).unwrap_or_default();
    let hash = new.caller.as_deref().and_then(|number| scope.sealer.lookup_hash(number));
    sqlx::query(
        "insert into agent_notes (tenant_id, id, caller_hash, call_id, agent_id, note_sealed, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(hash.as_ref().map(|hash| hash.as_bytes()))
    .bind(new.call_id)
    .bind(agent_id)
    .bind(scope.sealer.seal(NOTE, id.0.as_bytes(), new.note.as_bytes())?)
    .bind(at)
    .bind(expires_at)
    .execute(conn)
    .await?;
    Ok(id)
}

pub(super) async fn opted_out(conn: &mut Conn, scope: &Scope, caller: &LookupHash) -> Step<bool> {
    let sql = "select count(*) from contacts where tenant_id = $1 and caller_hash = $2 and opt_out = 1";
    let found: i64 =
        sqlx::query_scalar(sql).bind(scope.tenant).bind(caller.as_bytes()).fetch_one(conn).await?;
    Ok(found > 0)
}
