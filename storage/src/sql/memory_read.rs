//! What is remembered, read.

use chrono::{DateTime, Utc};

use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::{CallId, ContactId, DecisionId, MemoryId, NoteId, RecordId, SuggestionId};
use crate::memory::{
    AgentNote, Contact, ContactFilter, ContactMemory, Decision, LoggedEvent, Memory, Outcome, Pending,
    PlaybookUpdate, Stage, Suggestion, SuggestionFilter, Verdict, from_milli,
};
use crate::zones::{CONTACT, LookupHash, MEMORY, NOTE, PLAYBOOK, SUGGESTION};

/// Rows of a log that are given at most.
const LOG_ROWS: i64 = 500;

#[derive(sqlx::FromRow)]
pub(super) struct KeptContact {
    id: ContactId,
    summary_sealed: Option<Vec<u8>>,
    stage: Stage,
    opt_out: i64,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
pub(super) struct KeptMemory {
    id: MemoryId,
    contact_id: ContactId,
    key: String,
    value_sealed: Vec<u8>,
    confidence_milli: i64,
    suggestion_id: SuggestionId,
    call_id: Option<CallId>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// A contact beside one of its facts, or alone.
#[derive(sqlx::FromRow)]
struct Joined {
    #[sqlx(flatten)]
    contact: KeptContact,
    memory_id: Option<MemoryId>,
    key: Option<String>,
    value_sealed: Option<Vec<u8>>,
    confidence_milli: Option<i64>,
    suggestion_id: Option<SuggestionId>,
    call_id: Option<CallId>,
    memory_created_at: Option<DateTime<Utc>>,
    memory_updated_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct KeptDecision {
    decision_id: Option<DecisionId>,
    suggestion_id: Option<SuggestionId>,
    against_suggestion_id: Option<SuggestionId>,
    contact_id: Option<ContactId>,
    memory_id: Option<MemoryId>,
    decision_call_id: Option<CallId>,
    decision_key: Option<String>,
    verdict: Option<String>,
    reason: Option<String>,
    decision_milli: Option<i64>,
    decision_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct KeptSuggestion {
    id: SuggestionId,
    call_id: Option<CallId>,
    agent_id: String,
    key: String,
    value_sealed: Vec<u8>,
    confidence_milli: i64,
    created_at: DateTime<Utc>,
    #[sqlx(flatten)]
    decision: KeptDecision,
}

macro_rules! select_joined {
    ($rest:literal) => {
        concat!(
            "select c.id, c.summary_sealed, c.stage, c.opt_out, c.created_at, c.updated_at, m.id as memory_id, m.key,
                m.value_sealed, m.confidence_milli, m.suggestion_id, m.call_id, m.created_at as memory_created_at,
                m.updated_at as memory_updated_at
             from contacts c left join memories m on m.tenant_id = c.tenant_id and m.contact_id = c.id
             where c.tenant_id = $1 ",
            $rest,
            " order by m.key"
        )
    };
}

macro_rules! decision_columns {
    () => {
        "d.id as decision_id, d.suggestion_id, d.against_suggestion_id, d.contact_id, d.memory_id,
         d.call_id as decision_call_id, d.key as decision_key, d.verdict, d.reason,
         d.confidence_milli as decision_milli, d.created_at as decision_at"
    };
}

impl TenantStore {
    pub(crate) async fn memory_of_phone(&self, phone: &str) -> Result<Option<ContactMemory>, StorageError> {
        let core = &*self.core;
        let Some(hash) = core.scope.sealer.lookup_hash(phone) else { return Ok(None) };
        let mut conn = core.db.read().await?;
        core.db.named(by_hash(&mut conn, &core.scope, &hash).await)
    }

    pub(crate) async fn memory_of_contact(
        &self,
        id: ContactId,
    ) -> Result<Option<ContactMemory>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    pub(crate) async fn list_contacts(&self, filter: &ContactFilter) -> Result<Vec<Contact>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(contacts(&mut conn, &core.scope, filter).await)
    }

    pub(crate) async fn list_suggestions(
        &self,
        filter: &SuggestionFilter,
    ) -> Result<Vec<Suggestion>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(suggestions(&mut conn, &core.scope, filter).await)
    }

    pub(crate) async fn list_decisions(&self, contact: ContactId) -> Result<Vec<Decision>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(decisions(&mut conn, &core.scope, contact).await)
    }

    pub(crate) async fn list_notes(&self) -> Result<Vec<AgentNote>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(notes(&mut conn, &core.scope).await)
    }

    pub(crate) async fn list_playbook(&self) -> Result<Vec<PlaybookUpdate>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(playbook(&mut conn, &core.scope).await)
    }

    pub(crate) async fn list_events(&self) -> Result<Vec<LoggedEvent>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(events(&mut conn, &core.scope).await)
    }

    pub(crate) async fn pending_suggestions(
        &self,
        call: Option<CallId>,
        limit: u32,
    ) -> Result<Vec<Pending>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(pending(&mut conn, &core.scope, call, limit).await)
    }

    pub(crate) async fn calls_to_review(
        &self,
        since: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<CallId>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let calls = sqlx::query_scalar(
            "select c.id from calls c where c.tenant_id = $1 and c.started_at >= $2 and c.state = 'ended'
               and not exists (select 1 from memory_reviews r where r.tenant_id = c.tenant_id and r.call_id = c.id)
               and not exists (select 1 from transfers t where t.tenant_id = c.tenant_id and t.call_id = c.id
                    and t.notes <> 0 and t.stage = 'accepted')
             order by c.id limit $3",
        )
        .bind(core.scope.tenant)
        .bind(since)
        .bind(page_size(limit))
        .fetch_all(&mut *conn)
        .await;
        core.db.named(calls.map_err(Into::into))
    }
}

async fn by_hash(conn: &mut Conn, scope: &Scope, hash: &LookupHash) -> Step<Option<ContactMemory>> {
    let query = sqlx::query_as(select_joined!("and c.caller_hash = $2"));
    gathered(scope, query.bind(scope.tenant).bind(hash.as_bytes()).fetch_all(conn).await?)
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: ContactId) -> Step<Option<ContactMemory>> {
    let query = sqlx::query_as(select_joined!("and c.id = $2"));
    gathered(scope, query.bind(scope.tenant).bind(id).fetch_all(conn).await?)
}

fn gathered(scope: &Scope, rows: Vec<Joined>) -> Step<Option<ContactMemory>> {
    let mut found: Option<ContactMemory> = None;
    for row in rows {
        let contact_id = row.contact.id;
        let memory = match (row.memory_id, row.key, row.value_sealed, row.suggestion_id) {
            (Some(id), Some(key), Some(value_sealed), Some(suggestion_id)) => Some(KeptMemory {
                id,
                contact_id,
                key,
                value_sealed,
                confidence_milli: row.confidence_milli.unwrap_or_default(),
                suggestion_id,
                call_id: row.call_id,
                created_at: row.memory_created_at.unwrap_or_default(),
                updated_at: row.memory_updated_at.unwrap_or_default(),
            }),
            _ => None,
        };
        if found.is_none() {
            found = Some(ContactMemory { contact: open_contact(scope, row.contact)?, memories: Vec::new() });
        }
        if let (Some(found), Some(memory)) = (&mut found, memory) {
            found.memories.push(open_memory(scope, memory)?);
        }
    }
    Ok(found)
}

async fn contacts(conn: &mut Conn, scope: &Scope, filter: &ContactFilter) -> Step<Vec<Contact>> {
    let kept: Vec<KeptContact> = sqlx::query_as(
        "select id, summary_sealed, stage, opt_out, created_at, updated_at from contacts
         where tenant_id = $1 and ($2 is null or id < $2) order by id desc limit $3",
    )
    .bind(scope.tenant)
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open_contact(scope, kept)).collect()
}

async fn suggestions(conn: &mut Conn, scope: &Scope, filter: &SuggestionFilter) -> Step<Vec<Suggestion>> {
    let kept: Vec<KeptSuggestion> = sqlx::query_as(concat!(
        "select s.id, s.call_id, s.agent_id, s.key, s.value_sealed, s.confidence_milli, s.created_at, ",
        decision_columns!(),
        " from memory_suggestions s
          left join memory_decisions d on d.tenant_id = s.tenant_id and d.suggestion_id = s.id
          where s.tenant_id = $1 and ($2 is null or s.call_id = $2) and ($3 is null or s.id < $3)
          order by s.id desc limit $4"
    ))
    .bind(scope.tenant)
    .bind(filter.call)
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter()
        .map(|kept| {
            Ok(Suggestion {
                value: scope.sealer.open_text(SUGGESTION, kept.id.0.as_bytes(), &kept.value_sealed)?,
                id: kept.id,
                call_id: kept.call_id,
                agent_id: kept.agent_id,
                key: kept.key,
                confidence: from_milli(kept.confidence_milli),
                created_at: kept.created_at,
                decision: decision(kept.decision)?,
            })
        })
        .collect()
}

async fn decisions(conn: &mut Conn, scope: &Scope, contact: ContactId) -> Step<Vec<Decision>> {
    let kept: Vec<KeptDecision> = sqlx::query_as(concat!(
        "select ",
        decision_columns!(),
        " from memory_decisions d where d.tenant_id = $1 and d.contact_id = $2 order by d.id desc limit $3"
    ))
    .bind(scope.tenant)
    .bind(contact)
    .bind(LOG_ROWS)
    .fetch_all(conn)
    .await?;
    let opened: Step<Vec<Option<Decision>>> = kept.into_iter().map(decision).collect();
    Ok(opened?.into_iter().flatten().collect())
}

/// `None` beside a suggestion that nothing was decided on.
fn decision(kept: KeptDecision) -> Step<Option<Decision>> {
    let (Some(id), Some(verdict), Some(created_at)) = (kept.decision_id, kept.verdict, kept.decision_at)
    else {
        return Ok(None);
    };
    Ok(Some(Decision {
        id,
        suggestion_id: kept.suggestion_id,
        against_suggestion_id: kept.against_suggestion_id,
        contact_id: kept.contact_id,
        memory_id: kept.memory_id,
        call_id: kept.decision_call_id,
        key: kept.decision_key.unwrap_or_default(),
        verdict: verdict.parse::<Verdict>()?,
        reason: kept.reason.unwrap_or_default(),
        confidence: kept.decision_milli.map(from_milli),
        created_at,
    }))
}

async fn pending(conn: &mut Conn, scope: &Scope, call: Option<CallId>, limit: u32) -> Step<Vec<Pending>> {
    type Row = (SuggestionId, Vec<u8>, Option<CallId>, String, Vec<u8>, i64);
    let kept: Vec<Row> = sqlx::query_as(
        "select id, caller_hash, call_id, key, value_sealed, confidence_milli from memory_suggestions
         where tenant_id = $1 and decided_at is null and ($2 is null or call_id = $2) order by id limit $3",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(page_size(limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter()
        .map(|(id, hash, call_id, key, sealed, confidence_milli)| {
            let caller = <[u8; 32]>::try_from(hash.as_slice()).map(LookupHash);
            Ok(Pending {
                id,
                caller: caller.map_err(|_| StorageError::Crypto { what: "memory_suggestions" })?,
                call_id,
                key,
                value: scope.sealer.open_text(SUGGESTION, id.0.as_bytes(), &sealed)?,
                confidence_milli,
            })
        })
        .collect()
}

async fn notes(conn: &mut Conn, scope: &Scope) -> Step<Vec<AgentNote>> {
    type Row = (NoteId, String, Option<CallId>, Vec<u8>, DateTime<Utc>, DateTime<Utc>);
    let kept: Vec<Row> = sqlx::query_as(
        "select id, agent_id, call_id, note_sealed, created_at, expires_at from agent_notes
         where tenant_id = $1 and expires_at > $2 order by id desc limit $3",
    )
    .bind(scope.tenant)
    .bind(now())
    .bind(LOG_ROWS)
    .fetch_all(conn)
    .await?;
    kept.into_iter()
        .map(|(id, agent_id, call_id, sealed, created_at, expires_at)| {
            let note = scope.sealer.open_text(NOTE, id.0.as_bytes(), &sealed)?;
            Ok(AgentNote { id, agent_id, call_id, note, created_at, expires_at })
        })
        .collect()
}

async fn playbook(conn: &mut Conn, scope: &Scope) -> Step<Vec<PlaybookUpdate>> {
    type Row = (RecordId, Option<CallId>, String, String, Vec<u8>, DateTime<Utc>);
    let kept: Vec<Row> = sqlx::query_as(
        "select id, call_id, agent_id, topic, body_sealed, created_at from playbook_updates
         where tenant_id = $1 order by id desc limit $2",
    )
    .bind(scope.tenant)
    .bind(LOG_ROWS)
    .fetch_all(conn)
    .await?;
    kept.into_iter()
        .map(|(id, call_id, agent_id, topic, sealed, created_at)| {
            let body = scope.sealer.open_text(PLAYBOOK, id.0.as_bytes(), &sealed)?;
            Ok(PlaybookUpdate { id, call_id, agent_id, topic, body, created_at })
        })
        .collect()
}

async fn events(conn: &mut Conn, scope: &Scope) -> Step<Vec<LoggedEvent>> {
    type Row = (RecordId, String, Option<CallId>, String, Outcome, String, DateTime<Utc>);
    let kept: Vec<Row> = sqlx::query_as(
        "select id, agent_id, call_id, event, outcome, detail, created_at from event_log
         where tenant_id = $1 order by id desc limit $2",
    )
    .bind(scope.tenant)
    .bind(LOG_ROWS)
    .fetch_all(conn)
    .await?;
    let logged = |(id, agent_id, call_id, event, outcome, detail, created_at): Row| LoggedEvent {
        id,
        agent_id,
        call_id,
        event,
        outcome,
        detail,
        created_at,
    };
    Ok(kept.into_iter().map(logged).collect())
}

fn open_contact(scope: &Scope, kept: KeptContact) -> Step<Contact> {
    let open = |sealed: &Vec<u8>| scope.sealer.open_text(CONTACT, kept.id.0.as_bytes(), sealed);
    Ok(Contact {
        summary: kept.summary_sealed.as_ref().map(open).transpose()?,
        id: kept.id,
        stage: kept.stage,
        opt_out: kept.opt_out != 0,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}

pub(super) fn open_memory(scope: &Scope, kept: KeptMemory) -> Step<Memory> {
    Ok(Memory {
        value: scope.sealer.open_text(MEMORY, kept.id.0.as_bytes(), &kept.value_sealed)?,
        id: kept.id,
        contact_id: kept.contact_id,
        key: kept.key,
        confidence: from_milli(kept.confidence_milli),
        suggestion_id: kept.suggestion_id,
        call_id: kept.call_id,
        created_at: kept.created_at,
        updated_at: kept.updated_at,
    })
}
