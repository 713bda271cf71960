//! `/v1/memory/…`: what is remembered of callers, what was suggested and decided, and who may do what.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::memory::{
    AgentNote, Contact, ContactFilter, ContactMemory, Decision, Forgetting, LoggedEvent, MemoryAct,
    MemoryRole, MemoryTable, Outcome, PlaybookUpdate, Stage, Suggestion, SuggestionFilter, Verdict, roles,
};
use storage::{CallId, ContactId, DecisionId, MemoryId, NoteId, RecordId, SuggestionId};

use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::audit::acts;
use crate::auth::{ForgetCallers, ReadMemory, Scoped};
use crate::error::{ApiError, QueryOf};

/// A caller that is remembered.
#[derive(Debug, Serialize)]
pub struct ContactItem {
    id: ContactId,
    stage: Stage,
    opt_out: bool,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl From<Contact> for ContactItem {
    fn from(contact: Contact) -> Self {
        let Contact { id, stage, opt_out, created_at, updated_at, .. } = contact;
        Self { id, stage, opt_out, created_at, updated_at }
    }
}

#[derive(Debug, Serialize)]
struct Fact {
    id: MemoryId,
    key: String,
    value: Value,
    confidence: f64,
    suggestion_id: SuggestionId,
    call_id: Option<CallId>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(Debug, Serialize)]
struct Decided {
    id: DecisionId,
    suggestion_id: Option<SuggestionId>,
    against_suggestion_id: Option<SuggestionId>,
    contact_id: Option<ContactId>,
    memory_id: Option<MemoryId>,
    call_id: Option<CallId>,
    key: String,
    verdict: Verdict,
    reason: String,
    confidence: Option<f64>,
    created_at: DateTime<Utc>,
}

impl From<Decision> for Decided {
    fn from(decision: Decision) -> Self {
        Self {
            id: decision.id,
            suggestion_id: decision.suggestion_id,
            against_suggestion_id: decision.against_suggestion_id,
            contact_id: decision.contact_id,
            memory_id: decision.memory_id,
            call_id: decision.call_id,
            key: decision.key,
            verdict: decision.verdict,
            reason: decision.reason,
            confidence: decision.confidence,
            created_at: decision.created_at,
        }
    }
}

/// A contact with facts and decisions.
#[derive(Debug, Serialize)]
pub struct ContactDetail {
    #[serde(flatten)]
    contact: ContactItem,
    memories: Vec<Fact>,
    decisions: Vec<Decided>,
}

/// `GET /v1/memory/contacts`: newest first.
pub async fn contacts(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<Json<Page<ContactItem>>, ApiError> {
    let filter = ContactFilter { after: page.after()?, limit: page.fetch()? };
    let rows = app.memory.of(&scope.store).await?.reader.contacts(filter).await?;
    Ok(Json(page.page(rows, |row| row.id.to_string(), ContactItem::from)))
}

/// `GET /v1/memory/contacts/{id}`.
pub async fn contact(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
    Path(id): Path<String>,
) -> Result<Json<ContactDetail>, ApiError> {
    let id = contact_id(&id)?;
    let reader = &app.memory.of(&scope.store).await?.reader;
    let known = reader.contact(id).await?.ok_or_else(|| ApiError::not_found("contact"))?;
    let decisions = reader.decisions(id).await?.into_iter().map(Decided::from).collect();
    let ContactMemory { contact, memories } = known;
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    let facts = memories.into_iter().map(|memory| Fact {
        value: value(screen.as_mut(), &memory.key, memory.value),
        id: memory.id,
        key: memory.key,
        confidence: memory.confidence,
        suggestion_id: memory.suggestion_id,
        call_id: memory.call_id,
        created_at: memory.created_at,
        updated_at: memory.updated_at,
    });
    Ok(Json(ContactDetail { memories: facts.collect(), contact: contact.into(), decisions }))
}

/// What a deletion did.
#[derive(Debug, Serialize)]
pub struct Forgotten {
    id: ContactId,
    opt_out: bool,
    /// `false`: the contact was forgotten before.
    deleted: bool,
}

/// `DELETE /v1/memory/contacts/{id}`: forgets a caller, and remembers nothing of them from now on.
pub async fn forget(
    State(app): State<Arc<App>>,
    scope: Scoped<ForgetCallers>,
    Path(id): Path<String>,
) -> Result<Json<Forgotten>, ApiError> {
    let id = contact_id(&id)?;
    let memory = app.memory.of(&scope.store).await?;
    let deleted = memory.manager.forget(id, Forgetting::AskedOfOffice, None).await?;
    app.audit
        .record(Some(scope.tenant.id), acts::contact_forgotten(&scope.principal, id).with("deleted", deleted))
        .await?;
    Ok(Json(Forgotten { id, opt_out: true, deleted }))
}

/// `?call_id=` beside a page.
#[derive(Debug, Default, Deserialize)]
pub struct SuggestionQuery {
    limit: Option<u32>,
    cursor: Option<String>,
    call_id: Option<String>,
}

/// A suggestion with its decision.
#[derive(Debug, Serialize)]
pub struct SuggestionItem {
    id: SuggestionId,
    call_id: Option<CallId>,
    agent_id: String,
    key: String,
    value: Value,
    confidence: f64,
    created_at: DateTime<Utc>,
    decision: Option<Decided>,
}

/// `GET /v1/memory/suggestions`: newest first.
pub async fn suggestions(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
    QueryOf(query): QueryOf<SuggestionQuery>,
) -> Result<Json<Page<SuggestionItem>>, ApiError> {
    let page = PageQuery { limit: query.limit, cursor: query.cursor };
    let call = query.call_id.as_deref().filter(|text| !text.is_empty()).map(str::parse).transpose();
    let call = call.map_err(|_| ApiError::invalid("call_id", "is not the id of a call"))?;
    let filter = SuggestionFilter { call, after: page.after()?, limit: page.fetch()? };
    let rows = app.memory.of(&scope.store).await?.reader.suggestions(filter).await?;
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    let item = |row: Suggestion| SuggestionItem {
        value: value(screen.as_mut(), &row.key, row.value),
        id: row.id,
        call_id: row.call_id,
        agent_id: row.agent_id,
        key: row.key,
        confidence: row.confidence,
        created_at: row.created_at,
        decision: row.decision.map(Decided::from),
    };
    Ok(Json(page.page(rows, |row| row.id.to_string(), item)))
}

/// A list without pages: the newest 500.
#[derive(Debug, Serialize)]
pub struct Latest<T> {
    items: Vec<T>,
}

#[derive(Debug, Serialize)]
pub struct NoteItem {
    id: NoteId,
    agent_id: String,
    call_id: Option<CallId>,
    note: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

/// `GET /v1/memory/notes`: those that are not over.
pub async fn notes(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
) -> Result<Json<Latest<NoteItem>>, ApiError> {
    let rows = app.memory.of(&scope.store).await?.reader.notes().await?;
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    let items = rows.into_iter().map(|AgentNote { id, agent_id, call_id, note, created_at, expires_at }| {
        NoteItem { id, agent_id, call_id, note: screen.screen(&note), created_at, expires_at }
    });
    Ok(Json(Latest { items: items.collect() }))
}

#[derive(Debug, Serialize)]
pub struct PlaybookItem {
    id: RecordId,
    call_id: Option<CallId>,
    agent_id: String,
    topic: String,
    body: String,
    created_at: DateTime<Utc>,
}

/// `GET /v1/memory/playbook-updates`: what went wrong and what agents would do better.
pub async fn playbook_updates(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
) -> Result<Json<Latest<PlaybookItem>>, ApiError> {
    let rows = app.memory.of(&scope.store).await?.reader.playbook_updates().await?;
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    let items = rows.into_iter().map(|PlaybookUpdate { id, call_id, agent_id, topic, body, created_at }| {
        PlaybookItem { id, call_id, agent_id, topic, body: screen.screen(&body), created_at }
    });
    Ok(Json(Latest { items: items.collect() }))
}

#[derive(Debug, Serialize)]
pub struct EventItem {
    id: RecordId,
    agent_id: String,
    call_id: Option<CallId>,
    event: String,
    outcome: Outcome,
    detail: String,
    created_at: DateTime<Utc>,
}

impl From<LoggedEvent> for EventItem {
    fn from(logged: LoggedEvent) -> Self {
        let LoggedEvent { id, agent_id, call_id, event, outcome, detail, created_at } = logged;
        Self { id, agent_id, call_id, event, outcome, detail, created_at }
    }
}

/// `GET /v1/memory/events`: what was done, what failed, what was refused.
pub async fn events(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadMemory>,
) -> Result<Json<Latest<EventItem>>, ApiError> {
    let rows = app.memory.of(&scope.store).await?.reader.events().await?;
    Ok(Json(Latest { items: rows.into_iter().map(EventItem::from).collect() }))
}

#[derive(Debug, Serialize)]
pub struct RoleItem {
    role: MemoryRole,
    agents: Vec<&'static str>,
    reads: Vec<MemoryTable>,
    appends: Vec<MemoryTable>,
    writes: Vec<MemoryTable>,
}

/// `GET /v1/memory/roles`: who may do what.
pub async fn roles(_: Scoped<ReadMemory>) -> Json<Latest<RoleItem>> {
    let tables = |role: MemoryRole, act| MemoryTable::ALL.into_iter().filter(|t| role.may(act, *t)).collect();
    let items = MemoryRole::ALL.into_iter().map(|role| RoleItem {
        role,
        agents: roles::AGENTS.iter().filter(|(_, of)| *of == role).map(|(agent, _)| *agent).collect(),
        reads: tables(role, MemoryAct::Read),
        appends: tables(role, MemoryAct::Append),
        writes: tables(role, MemoryAct::Write),
    });
    Json(Latest { items: items.collect() })
}

fn contact_id(text: &str) -> Result<ContactId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("contact"))
}

/// A fact as it is shown: names and addresses by their token, whatever is in them.
fn value(screen: &mut dyn Screen, key: &str, value: String) -> Value {
    let named = match key {
        "name_to_use" => "name",
        "property" => "address",
        other => other,
    };
    let mut value = Value::String(value);
    screened::field(screen, named, &mut value);
    value
}
