//! What the memory manager writes, behind its gate: opened and closed within one transaction.

use super::memory_append::opted_out;
use super::memory_read::{KeptMemory, open_memory};
use super::tenant::{Scope, TenantStore};
use super::{Conn, Write};
use crate::clock::now;
use crate::crypto::text_hash;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, ContactId, DecisionId, MemoryId, SuggestionId};
use crate::memory::{
    Decision, Forgetting, Memory, Refusal, RefusedAccess, Ruled, Ruling, Stage, Verdict, from_milli,
};
use crate::zones::{CONTACT, LookupHash, MEMORY, SUGGESTION};

const NO_CONTACT: StorageError = StorageError::NotFound { what: "contact" };
/// What was written by another program, with another key.
const FOREIGN_GATE: StorageError = StorageError::Crypto { what: "memory_authority" };

/// A decision before it has a place in time.
struct Decided<'a> {
    suggestion: Option<SuggestionId>,
    against: Option<SuggestionId>,
    contact: Option<ContactId>,
    memory: Option<MemoryId>,
    call: Option<CallId>,
    key: &'a str,
    verdict: Verdict,
    reason: &'static str,
    confidence_milli: Option<i64>,
}

impl TenantStore {
    /// Says which key opens the gate, once for a tenant's life.
    pub(crate) async fn enrol_memory_manager(&self) -> Result<(), StorageError> {
        let core = &*self.core;
        let hash = text_hash(&core.scope.sealer.memory_pass()?);
        let mut conn = core.db.read().await?;
        let known = core.db.named(key_hash(&mut conn, &core.scope).await)?;
        drop(conn);
        if known.is_none() {
            let mut write = core.db.write().await?;
            let step = enrol(write.conn(), &core.scope, &hash).await;
            write.finish(step).await?;
            return Ok(());
        }
        if known.is_some_and(|known| known != hash) { Err(FOREIGN_GATE) } else { Ok(()) }
    }

    /// Writes rulings and what they change.
    pub(crate) async fn decide(&self, ruled: &[Ruled]) -> Result<Vec<Decision>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = decide_all(write.conn(), &core.scope, ruled).await;
        self.finish_memory(write, step).await
    }

    pub(crate) async fn forget_contact(
        &self,
        contact: ContactId,
        why: Forgetting,
        call: Option<CallId>,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = forget_known(write.conn(), &core.scope, contact, why, call).await;
        self.finish_memory(write, step).await
    }

    pub(crate) async fn forget_phone(
        &self,
        phone: &str,
        why: Forgetting,
        call: Option<CallId>,
    ) -> Result<Option<ContactId>, StorageError> {
        let core = &*self.core;
        let Some(hash) = core.scope.sealer.lookup_hash(phone) else { return Ok(None) };
        let mut write = core.db.write().await?;
        let step = forget_caller(write.conn(), &core.scope, &hash, why, call).await;
        self.finish_memory(write, step).await.map(Some)
    }

    /// Erases what earlier versions kept as one person's who was everybody that withheld their number. Nothing is under
    /// those numbers any more, so from the second time on this only looks.
    pub(crate) async fn forget_withheld(&self) -> Result<(), StorageError> {
        let core = &*self.core;
        for hash in core.scope.sealer.withheld_hashes() {
            let mut conn = core.db.read().await?;
            let kept = core.db.named(holds_words(&mut conn, &core.scope, &hash).await)?;
            drop(conn);
            if kept {
                let mut write = core.db.write().await?;
                let step = forget_caller(write.conn(), &core.scope, &hash, Forgetting::Withheld, None).await;
                self.finish_memory(write, step).await?;
            }
        }
        Ok(())
    }

    /// Ends a transaction on memory; a write that the database refused is put on record.
    pub(super) async fn finish_memory<T>(&self, write: Write<'_>, step: Step<T>) -> Result<T, StorageError> {
        let done = write.finish(step).await;
        if let Err(StorageError::RefusedWrite { table }) = &done {
            self.note_refusal("unknown", RefusedAccess::by_database(table)).await;
        }
        done
    }
}

// ---------------------------------------------------------------- the gate

async fn key_hash(conn: &mut Conn, scope: &Scope) -> Step<Option<String>> {
    let sql = "select key_hash from memory_authority where tenant_id = $1";
    Ok(sqlx::query_scalar(sql).bind(scope.tenant).fetch_optional(conn).await?)
}

async fn enrol(conn: &mut Conn, scope: &Scope, hash: &str) -> Step<()> {
    sqlx::query(
        "insert into memory_authority (tenant_id, key_hash, created_at) values ($1, $2, $3) on conflict do nothing",
    )
    .bind(scope.tenant)
    .bind(hash)
    .bind(now())
    .execute(&mut *conn)
    .await?;
    // Another node may have come first, with the same key.
    match key_hash(conn, scope).await? {
        Some(known) if known == hash => Ok(()),
        _ => Err(FOREIGN_GATE.into()),
    }
}

/// Holds the tenant's row until the transaction ends, so managers of several nodes take turns.
async fn open_gate(conn: &mut Conn, scope: &Scope) -> Step<()> {
    let pass = scope.sealer.memory_pass()?;
    set_pass(conn, scope, Some(&pass)).await
}

/// Before the commit, so that nothing on the disk opens it.
async fn close_gate(conn: &mut Conn, scope: &Scope) -> Step<()> {
    set_pass(conn, scope, None).await
}

async fn set_pass(conn: &mut Conn, scope: &Scope, pass: Option<&str>) -> Step<()> {
    let done = sqlx::query("update memory_authority set pass = $2 where tenant_id = $1")
        .bind(scope.tenant)
        .bind(pass)
        .execute(conn)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(FOREIGN_GATE.into()) }
}

// ---------------------------------------------------------------- decisions

async fn decide_all(conn: &mut Conn, scope: &Scope, ruled: &[Ruled]) -> Step<Vec<Decision>> {
    open_gate(conn, scope).await?;
    let mut decisions = Vec::with_capacity(ruled.len());
    for one in ruled {
        // Another node may have decided meanwhile.
        if take(conn, scope, one.pending.id).await? {
            let decided = decide_one(conn, scope, one).await?;
            if decided.verdict == Verdict::Refused {
                blank(conn, scope, one.pending.id).await?;
            }
            decisions.push(record(conn, scope, decided).await?);
        }
    }
    close_gate(conn, scope).await?;
    Ok(decisions)
}

/// Marks a suggestion as decided; `false` when it was, or is gone.
async fn take(conn: &mut Conn, scope: &Scope, id: SuggestionId) -> Step<bool> {
    let done = sqlx::query(
        "update memory_suggestions set decided_at = $3 where tenant_id = $1 and id = $2 and decided_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// What was refused is not kept, not even as a suggestion.
async fn blank(conn: &mut Conn, scope: &Scope, id: SuggestionId) -> Step<()> {
    sqlx::query("update memory_suggestions set value_sealed = $3 where tenant_id = $1 and id = $2")
        .bind(scope.tenant)
        .bind(id)
        .bind(scope.sealer.seal(SUGGESTION, id.0.as_bytes(), b"")?)
        .execute(conn)
        .await?;
    Ok(())
}

async fn decide_one<'a>(conn: &mut Conn, scope: &Scope, ruled: &'a Ruled) -> Step<Decided<'a>> {
    let pending = &ruled.pending;
    let refused = |contact, refusal: Refusal| Decided {
        suggestion: Some(pending.id),
        against: None,
        contact,
        memory: None,
        call: pending.call_id,
        key: ruled.shown_key(),
        verdict: Verdict::Refused,
        reason: refusal.as_str(),
        confidence_milli: Some(pending.confidence_milli),
    };
    if opted_out(conn, scope, &pending.caller).await? {
        return Ok(refused(None, Refusal::OptedOut));
    }
    let known = contact_of(conn, scope, &pending.caller).await?;
    let value = match &ruled.ruling {
        Ruling::Refuse(refusal) => return Ok(refused(known, *refusal)),
        Ruling::Admit { value } => value,
    };
    let contact = match known {
        Some(contact) => contact,
        None => insert_contact(conn, scope, &pending.caller, Stage::New).await?,
    };
    let memories = memories_of(conn, scope, contact).await?;
    let existing = memories.into_iter().find(|memory| memory.key == pending.key);
    let (verdict, reason, against, memory) = settle(conn, scope, ruled, contact, (value, existing)).await?;
    summarise(conn, scope, contact, pending.call_id).await?;
    Ok(Decided {
        suggestion: Some(pending.id),
        against,
        contact: Some(contact),
        memory: Some(memory),
        call: pending.call_id,
        key: &pending.key,
        verdict,
        reason,
        confidence_milli: Some(pending.confidence_milli),
    })
}

type Settled = (Verdict, &'static str, Option<SuggestionId>, MemoryId);

/// The highest confidence is kept; of two equal ones the later.
async fn settle(
    conn: &mut Conn,
    scope: &Scope,
    ruled: &Ruled,
    contact: ContactId,
    (value, existing): (&str, Option<Memory>),
) -> Step<Settled> {
    let pending = &ruled.pending;
    let Some(existing) = existing else {
        let id = MemoryId::new();
        insert_memory(conn, scope, ruled, (contact, id, value)).await?;
        return Ok((Verdict::Stored, "admitted", None, id));
    };
    let surer = from_milli(pending.confidence_milli) >= existing.confidence;
    let (verdict, reason, against) = match (existing.value == value, surer) {
        (true, _) => (Verdict::Confirmed, "same_value", None),
        (false, true) => (Verdict::Replaced, "higher_confidence", Some(existing.suggestion_id)),
        (false, false) => (Verdict::KeptExisting, "lower_confidence", Some(existing.suggestion_id)),
    };
    if surer {
        change_memory(conn, scope, ruled, (existing.id, value)).await?;
    }
    Ok((verdict, reason, against, existing.id))
}

async fn contact_of(conn: &mut Conn, scope: &Scope, caller: &LookupHash) -> Step<Option<ContactId>> {
    let sql = "select id from contacts where tenant_id = $1 and caller_hash = $2";
    Ok(sqlx::query_scalar(sql).bind(scope.tenant).bind(caller.as_bytes()).fetch_optional(conn).await?)
}

async fn insert_contact(
    conn: &mut Conn,
    scope: &Scope,
    caller: &LookupHash,
    stage: Stage,
) -> Step<ContactId> {
    let id = ContactId::new();
    sqlx::query(
        "insert into contacts (tenant_id, id, caller_hash, stage, opt_out, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(caller.as_bytes())
    .bind(stage)
    .bind(i64::from(stage == Stage::OptedOut))
    .bind(now())
    .execute(conn)
    .await?;
    Ok(id)
}

async fn memories_of(conn: &mut Conn, scope: &Scope, contact: ContactId) -> Step<Vec<Memory>> {
    let kept: Vec<KeptMemory> = sqlx::query_as(
        "select id, contact_id, key, value_sealed, confidence_milli, suggestion_id, call_id, created_at, updated_at
         from memories where tenant_id = $1 and contact_id = $2 order by key",
    )
    .bind(scope.tenant)
    .bind(contact)
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open_memory(scope, kept)).collect()
}

async fn insert_memory(
    conn: &mut Conn,
    scope: &Scope,
    ruled: &Ruled,
    (contact, id, value): (ContactId, MemoryId, &str),
) -> Step<()> {
    let pending = &ruled.pending;
    sqlx::query(
        "insert into memories (tenant_id, id, contact_id, key, value_sealed, confidence_milli, suggestion_id, call_id,
            created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(contact)
    .bind(&pending.key)
    .bind(scope.sealer.seal(MEMORY, id.0.as_bytes(), value.as_bytes())?)
    .bind(pending.confidence_milli)
    .bind(pending.id)
    .bind(pending.call_id)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn change_memory(
    conn: &mut Conn,
    scope: &Scope,
    ruled: &Ruled,
    (id, value): (MemoryId, &str),
) -> Step<()> {
    let pending = &ruled.pending;
    sqlx::query(
        "update memories set value_sealed = $3, confidence_milli = $4, suggestion_id = $5, call_id = $6,
            updated_at = $7
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(scope.sealer.seal(MEMORY, id.0.as_bytes(), value.as_bytes())?)
    .bind(pending.confidence_milli)
    .bind(pending.id)
    .bind(pending.call_id)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

/// The facts in a line. A contact of whom an earlier call is on record has returned.
async fn summarise(conn: &mut Conn, scope: &Scope, contact: ContactId, call: Option<CallId>) -> Step<()> {
    let facts = memories_of(conn, scope, contact).await?;
    let line: Vec<String> = facts.iter().map(|memory| format!("{}: {}", memory.key, memory.value)).collect();
    let sql = "select count(*) from memory_decisions
               where tenant_id = $1 and contact_id = $2 and call_id is not null and call_id <> $3";
    let earlier: i64 = match call {
        Some(call) => {
            sqlx::query_scalar(sql).bind(scope.tenant).bind(contact).bind(call).fetch_one(&mut *conn).await?
        }
        None => 0,
    };
    sqlx::query(
        "update contacts set summary_sealed = $3, stage = case when $4 > 0 then 'returning' else stage end,
            updated_at = $5
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(contact)
    .bind(scope.sealer.seal(CONTACT, contact.0.as_bytes(), line.join("; ").as_bytes())?)
    .bind(earlier)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

async fn record(conn: &mut Conn, scope: &Scope, decided: Decided<'_>) -> Step<Decision> {
    let decision = Decision {
        id: DecisionId::new(),
        suggestion_id: decided.suggestion,
        against_suggestion_id: decided.against,
        contact_id: decided.contact,
        memory_id: decided.memory,
        call_id: decided.call,
        key: decided.key.to_owned(),
        verdict: decided.verdict,
        reason: decided.reason.to_owned(),
        confidence: decided.confidence_milli.map(from_milli),
        created_at: now(),
    };
    sqlx::query(
        "insert into memory_decisions (tenant_id, id, suggestion_id, against_suggestion_id, contact_id, memory_id,
            call_id, key, verdict, reason, confidence_milli, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(scope.tenant)
    .bind(decision.id)
    .bind(decision.suggestion_id)
    .bind(decision.against_suggestion_id)
    .bind(decision.contact_id)
    .bind(decision.memory_id)
    .bind(decision.call_id)
    .bind(&decision.key)
    .bind(decision.verdict)
    .bind(&decision.reason)
    .bind(decided.confidence_milli)
    .bind(decision.created_at)
    .execute(conn)
    .await?;
    Ok(decision)
}

// ---------------------------------------------------------------- forgetting

async fn forget_known(
    conn: &mut Conn,
    scope: &Scope,
    contact: ContactId,
    why: Forgetting,
    call: Option<CallId>,
) -> Step<bool> {
    open_gate(conn, scope).await?;
    let sql = "select caller_hash, opt_out from contacts where tenant_id = $1 and id = $2";
    let known: Option<(Vec<u8>, i64)> =
        sqlx::query_as(sql).bind(scope.tenant).bind(contact).fetch_optional(&mut *conn).await?;
    let Some((hash, opt_out)) = known else { return Err(NO_CONTACT.into()) };
    if opt_out == 0 {
        erase(conn, scope, contact, &hash).await?;
        record(conn, scope, forgotten(contact, why, call)).await?;
    }
    close_gate(conn, scope).await?;
    Ok(opt_out == 0)
}

async fn forget_caller(
    conn: &mut Conn,
    scope: &Scope,
    hash: &LookupHash,
    why: Forgetting,
    call: Option<CallId>,
) -> Step<ContactId> {
    open_gate(conn, scope).await?;
    let opted_out_before = opted_out(conn, scope, hash).await?;
    let contact = match contact_of(conn, scope, hash).await? {
        Some(contact) => contact,
        None => insert_contact(conn, scope, hash, Stage::OptedOut).await?,
    };
    if !opted_out_before || why == Forgetting::Withheld {
        erase(conn, scope, contact, hash.as_bytes()).await?;
        record(conn, scope, forgotten(contact, why, call)).await?;
    }
    close_gate(conn, scope).await?;
    Ok(contact)
}

/// Whether anything of memory is under this number and not yet forgotten.
async fn holds_words(conn: &mut Conn, scope: &Scope, hash: &LookupHash) -> Step<bool> {
    for sql in [
        "select count(*) from contacts where tenant_id = $1 and caller_hash = $2 and opt_out = 0",
        "select count(*) from memory_suggestions where tenant_id = $1 and caller_hash = $2",
        "select count(*) from interactions where tenant_id = $1 and caller_hash = $2",
        "select count(*) from agent_notes where tenant_id = $1 and caller_hash = $2",
    ] {
        let rows: i64 =
            sqlx::query_scalar(sql).bind(scope.tenant).bind(hash.as_bytes()).fetch_one(&mut *conn).await?;
        if rows > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

const fn forgotten(contact: ContactId, why: Forgetting, call: Option<CallId>) -> Decided<'static> {
    Decided {
        suggestion: None,
        against: None,
        contact: Some(contact),
        memory: None,
        call,
        key: "contact",
        verdict: Verdict::Forgotten,
        reason: why.as_str(),
        confidence_milli: None,
    }
}

/// Everything of memory that holds a word of this caller. Decisions hold none and stay.
async fn erase(conn: &mut Conn, scope: &Scope, contact: ContactId, hash: &[u8]) -> Step<()> {
    sqlx::query("delete from memories where tenant_id = $1 and contact_id = $2")
        .bind(scope.tenant)
        .bind(contact)
        .execute(&mut *conn)
        .await?;
    for sql in [
        "delete from memory_suggestions where tenant_id = $1 and caller_hash = $2",
        "delete from interactions where tenant_id = $1 and caller_hash = $2",
        "delete from agent_notes where tenant_id = $1 and caller_hash = $2",
    ] {
        sqlx::query(sql).bind(scope.tenant).bind(hash).execute(&mut *conn).await?;
    }
    sqlx::query(
        "update contacts set summary_sealed = null, stage = $3, opt_out = 1, updated_at = $4
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(contact)
    .bind(Stage::OptedOut)
    .bind(now())
    .execute(conn)
    .await?;
    Ok(())
}

/// For tests that try what is forbidden: runs a statement as any other code of this crate would.
#[cfg(test)]
impl TenantStore {
    /// Puts all that is remembered under a withheld number, as versions before did.
    pub(crate) async fn plant_withheld(&self, nth: usize) -> Result<(), StorageError> {
        let core = &*self.core;
        let hash = core.scope.sealer.withheld_hashes()[nth];
        let mut write = core.db.write().await?;
        let step = async {
            let conn = write.conn();
            open_gate(conn, &core.scope).await?;
            for sql in [
                "update contacts set caller_hash = $2 where tenant_id = $1",
                "update memory_suggestions set caller_hash = $2 where tenant_id = $1",
                "update interactions set caller_hash = $2 where tenant_id = $1",
                "update agent_notes set caller_hash = $2 where tenant_id = $1",
            ] {
                sqlx::query(sql).bind(core.scope.tenant).bind(hash.as_bytes()).execute(&mut *conn).await?;
            }
            close_gate(conn, &core.scope).await
        }
        .await;
        write.finish(step).await
    }

    pub(crate) async fn try_raw(&self, statements: &[&'static str]) -> Result<u64, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let mut changed = Ok(0);
        for sql in statements {
            let done = sqlx::query(*sql).execute(write.conn()).await;
            changed = done.map(|done| done.rows_affected()).map_err(Into::into);
            if changed.is_err() {
                break;
            }
        }
        self.finish_memory(write, changed).await
    }

    /// Whether the gate stands open for whoever looks now.
    pub(crate) async fn gate_is_open(&self) -> bool {
        let mut conn = self.core.db.read().await.expect("a connection");
        let sql = "select count(*) from memory_authority where tenant_id = $1 and pass is not null";
        let open: i64 = sqlx::query_scalar(sql)
            .bind(self.core.scope.tenant)
            .fetch_one(&mut *conn)
            .await
            .expect("a count");
        open > 0
    }
}
