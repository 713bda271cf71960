//! What a call left, gathered for the hub. Here text leaves the sensitive zone: everything passes the screen, and names
//! and numbers are tokens whatever the screen thinks of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use language::Screen;
use storage::records::{Speaker, WorkFilter, WorkItem, WorkKind};
use storage::zones::normalise_phone;
use storage::{CallId, Calls, StorageError, TenantStore, WorkItems};
use uuid::Uuid;

use super::Office;
use crate::hub::methods::is_related;
use crate::hub::{Case, CaseItem};
use crate::passport::Passport;
use governance::guard::{Channel, Context, Guard};
use knowledge::librarian::{Inquiry, Librarian};

/// Lines of a conversation that are looked at: the last.
const MOST_LINES: usize = 80;
/// Items of a kind that are compared.
const COMPARED: u32 = 200;
/// Related items that are kept.
const MOST_RELATED: usize = 20;
/// Words of a query, in characters.
const MOST_QUERY: usize = 400;
/// Passages below are not about it.
const LEAST_RELEVANT: f32 = 0.2;
/// Keys of what the office filed itself begin so.
const OWN: &str = "office/";
/// And that of a call that asks for what is missing ends so.
const CALL_BACK: &str = "/call_back";
/// How the front desk writes that somebody was in danger.
const EMERGENCY: &str = "emergency: ";

/// Beginning of the keys of what is filed in the work of a Passport.
pub(super) fn key_of(passport: Uuid) -> String {
    format!("{OWN}{passport}")
}

/// Key of the call that a step asks for.
pub(super) fn call_back_of(step: &str) -> String {
    format!("{step}{CALL_BACK}")
}

/// Whether the back office filed it, and not somebody's call.
#[must_use]
pub fn is_own(item: &WorkItem) -> bool {
    item.idempotency_key.starts_with(OWN)
}

/// What a team wants asked of whoever left a request: the names of what is missing, where it is a call that a team began.
#[must_use]
pub fn missing_of(item: &WorkItem) -> Option<Vec<String>> {
    let asked = is_own(item) && item.idempotency_key.ends_with(CALL_BACK);
    let missing = item.fields["missing"].as_str().filter(|_| asked)?;
    Some(missing.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// The case, and what of it may be filed again: the caller's number, raw, for a call-back.
pub(super) struct Gathered {
    pub(super) case: Case,
    pub(super) caller: Option<String>,
    pub(super) call: Option<CallId>,
}

pub(super) async fn gather(
    office: &Office,
    passport: &Passport,
    call: Option<CallId>,
    screen: &mut dyn Screen,
) -> Result<Gathered, StorageError> {
    let store = &office.store;
    let mut case = Case { at: passport.created_at, ..Case::default() };
    let Some(id) = call else { return Ok(Gathered { case, caller: None, call: None }) };
    let caller = store.caller_number(id).await?;
    if let Some(number) = &caller {
        // First, so that it has the token that it has in the call's events.
        let _ = screen.screen(number);
    }
    let filed = filed(store, WorkFilter { call_id: Some(id), limit: 500, ..WorkFilter::default() }).await?;
    let phone = filed.iter().find_map(|item| item.fields["phone"].as_str().and_then(normalise_phone));
    let own: Vec<CaseItem> = filed.iter().rev().map(raw).collect();
    case.said = said(store, id, screen).await?;
    let related = related(store, id, caller.as_deref(), &own).await?;
    case.items = own.into_iter().map(|item| screened(item, screen)).collect();
    case.related = related.into_iter().map(|item| screened(item, screen)).collect();
    let reason = passport.routing.escalation_reason.as_deref();
    case.urgent = reason.and_then(|reason| reason.strip_prefix(EMERGENCY)).map(str::to_owned);
    case.interrupted =
        passport.ledger.entries().iter().any(|e| e.agent_id == "gateway" && e.action == "interrupted");
    let caller = phone.or_else(|| caller.as_deref().and_then(normalise_phone));
    case.can_call_back = caller.is_some();
    Ok(Gathered { case, caller, call })
}

/// Passages for a task: `[source] title: text`, best first, one of a document.
pub(super) async fn knowledge(office: &Office, case: &Case, team: &str) -> Vec<String> {
    let librarian = Librarian::of(Arc::clone(&office.retriever), office.tenant, team);
    let inquiry = Inquiry { questions: about(case), least: LEAST_RELEVANT, live: false };
    let mut seen = BTreeSet::new();
    let mut passages = librarian.consult(&inquiry).await;
    passages.retain(|passage| seen.insert(passage.source.clone()));
    passages.iter().map(|p| format!("[{}] {}: {}", p.source, p.title, p.text)).collect()
}

/// What it is about: each item in its own words, and what was said last. Owned, so that no borrowing iterator lives
/// through a wait.
pub(super) fn about(case: &Case) -> Vec<String> {
    let fields = case.items.iter().flat_map(|item| {
        ["what", "message", "reason", "notes"].iter().filter_map(|field| item.fields.get(*field))
    });
    let cut = |text: &String| text.chars().take(MOST_QUERY).collect::<String>();
    fields.chain(case.said.last()).map(cut).filter(|text| !text.trim().is_empty()).collect()
}

async fn filed(store: &TenantStore, filter: WorkFilter) -> Result<Vec<WorkItem>, StorageError> {
    let mut items = store.list_work_items(filter).await?;
    items.retain(|item| !is_own(item));
    Ok(items)
}

async fn said(
    store: &TenantStore,
    call: CallId,
    screen: &mut dyn Screen,
) -> Result<Vec<String>, StorageError> {
    let turns = match store.transcript(call).await {
        Err(StorageError::NotFound { .. }) => return Ok(Vec::new()),
        turns => turns?,
    };
    let lines: Vec<&str> =
        turns.iter().filter(|turn| turn.speaker == Speaker::Caller).map(|turn| turn.text.as_str()).collect();
    let first = lines.len().saturating_sub(MOST_LINES);
    // The screen hears the whole call: what it knows of a number begins with the first digit.
    let screened: Vec<String> = lines.into_iter().map(|line| safe(&screen.screen(line))).collect();
    Ok(screened[first..].to_vec())
}

async fn related(
    store: &TenantStore,
    call: CallId,
    caller: Option<&str>,
    own: &[CaseItem],
) -> Result<Vec<CaseItem>, StorageError> {
    let mut found: BTreeMap<String, CaseItem> = BTreeMap::new();
    if let Some(number) = caller {
        let filter = WorkFilter { caller: Some(number.to_owned()), limit: COMPARED, ..WorkFilter::default() };
        for item in filed(store, filter).await?.iter().filter(|item| item.call_id != Some(call)) {
            found.insert(item.reference.clone(), raw(item));
        }
    }
    if own.iter().any(|item| item.kind == WorkKind::Incident.as_str()) {
        let filter = WorkFilter { kind: Some(WorkKind::Incident), limit: COMPARED, ..WorkFilter::default() };
        for item in filed(store, filter).await?.iter().filter(|item| item.call_id != Some(call)) {
            let other = raw(item);
            if own.iter().any(|own| is_related(own, &other)) {
                found.insert(other.reference.clone(), other);
            }
        }
    }
    let mut related: Vec<CaseItem> = found.into_values().collect();
    related.sort_by_key(|item| std::cmp::Reverse(item.created_at));
    related.truncate(MOST_RELATED);
    Ok(related)
}

/// As it is kept, for comparing. Goes nowhere before it was [`screened`].
fn raw(item: &WorkItem) -> CaseItem {
    let fields = item.fields.as_object().into_iter().flatten();
    let texts = fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    CaseItem {
        reference: item.reference.clone(),
        kind: item.kind.as_str().to_owned(),
        status: item.status.as_str().to_owned(),
        priority: item.priority.as_str().to_owned(),
        incomplete: item.fields["incomplete"] == true,
        created_at: item.created_at,
        fields: texts.filter(|(_, text)| !text.trim().is_empty()).collect(),
    }
}

fn screened(mut item: CaseItem, screen: &mut dyn Screen) -> CaseItem {
    for (name, text) in &mut item.fields {
        *text = personal(name).map_or_else(|| safe(&screen.screen(text)), str::to_owned);
    }
    item
}

/// Fields that are personal by their name.
fn personal(name: &str) -> Option<&'static str> {
    match name {
        "name" => Some("⟨name:1⟩"),
        "phone" => Some("⟨phone:1⟩"),
        "email" => Some("⟨email:1⟩"),
        _ => None,
    }
}

/// Words of a caller without what tries to steer a model.
fn safe(text: &str) -> String {
    Guard::shipped()
        .map_or_else(|_| String::new(), |guard| guard.judge(text, Channel::Voice, Context::default()).text)
}
