//! `GET /v1/work-items` and `GET /v1/work-items/{id}`: what callers left to be done, and what was done about it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::records::{Priority, WorkFilter, WorkItem, WorkKind, WorkStatus};
use storage::work_acts::{QUEUED_AT, WorkAct, WorkActKind, due, queued_at};
use storage::{CallId, PassportId, TenantId, TenantStore, WorkActId, WorkItemId, WorkItems};

use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// Items that one search by words looks at; its cursor goes on from there.
const SEARCHED: u32 = 1_000;
/// Items read at once in such a search.
const AT_ONCE: u32 = 200;
/// Longest words that are searched for, in characters.
const LONGEST_SEARCH: usize = 200;

/// One piece of work.
#[derive(Debug, Serialize)]
pub struct Item {
    id: WorkItemId,
    reference: String,
    kind: WorkKind,
    title: String,
    status: WorkStatus,
    priority: Priority,
    /// Login of whoever works on it, or closed it.
    assignee: Option<String>,
    /// When it should be done.
    due_at: DateTime<Utc>,
    /// Not closed, and its time is over.
    overdue: bool,
    /// Alarms that were raised since nobody has it.
    alarms: u32,
    call_id: Option<CallId>,
    passport_id: Option<PassportId>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    /// Since when the caller has waited for a person, where they did: they keep the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    queued_at: Option<DateTime<Utc>>,
    fields: Vec<Field>,
}

#[derive(Debug, Serialize)]
struct Field {
    name: String,
    value: Value,
}

/// One piece of work with everything that people did about it.
#[derive(Debug, Serialize)]
pub struct Detail {
    #[serde(flatten)]
    item: Item,
    /// Oldest first.
    history: Vec<Entry>,
}

#[derive(Debug, Serialize)]
struct Entry {
    id: WorkActId,
    at: DateTime<Utc>,
    actor: String,
    act: WorkActKind,
    assignee: Option<String>,
    note: Option<String>,
    reason: Option<String>,
    /// Of a closing: whether the line was right.
    line_was_right: Option<bool>,
}

/// `?state=&kind=&assignee=&q=`, beside a page's own.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    state: Option<String>,
    kind: Option<String>,
    assignee: Option<String>,
    q: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// The list, newest first. `assignee=me` are one's own. `q` finds a reference, or words of the fields; it looks at the
/// newest thousand that the other filters leave, and goes on from there with the cursor, since sealed words have no index.
///
/// # Errors
/// A parameter that is none.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(wanted): QueryOf<Wanted>,
) -> Result<Json<Page<Item>>, ApiError> {
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor.clone() };
    let filter = filter(&wanted, &page, &scope.principal.subject)?;
    let words = wanted.q.as_deref().map(str::trim).filter(|q| !q.is_empty());
    app.engines()?;
    let tenant = scope.tenant.id;
    let Some(words) = words else {
        let rows = scope.store.list_work_items(filter).await?;
        let page = page.page(rows, |row| row.id.to_string(), |row| shown(&app, tenant, row, &[]));
        let items = page.items.into_iter().map(|shown| Ok(shown?.item)).collect::<Result<_, ApiError>>()?;
        return Ok(Json(Page { items, next_cursor: page.next_cursor }));
    };
    if words.chars().count() > LONGEST_SEARCH {
        return Err(ApiError::invalid("q", format_args!("is longer than {LONGEST_SEARCH} characters")));
    }
    let (rows, next_cursor) = search(&scope.store, filter, words).await?;
    let items = rows
        .into_iter()
        .map(|row| Ok(shown(&app, tenant, row, &[])?.item))
        .collect::<Result<_, ApiError>>()?;
    Ok(Json(Page { items, next_cursor }))
}

fn filter(wanted: &Wanted, page: &PageQuery, me: &str) -> Result<WorkFilter, ApiError> {
    let given =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned);
    let status = given(&wanted.state).map(|word| word.parse::<WorkStatus>()).transpose();
    let kind = given(&wanted.kind).map(|word| word.parse::<WorkKind>()).transpose();
    Ok(WorkFilter {
        status: status.map_err(|_| {
            ApiError::invalid("state", "is one of open, in_progress, done, declined, cancelled")
        })?,
        kind: kind.map_err(|_| {
            ApiError::invalid("kind", "is one of incident, inspection, message, escalation, callback")
        })?,
        assignee: given(&wanted.assignee).map(|who| if who == "me" { me.to_owned() } else { who }),
        after: page.after()?,
        limit: page.fetch()?,
        ..WorkFilter::default()
    })
}

/// Items whose reference or fields hold the words, and from where the search goes on.
async fn search(
    store: &TenantStore,
    mut filter: WorkFilter,
    words: &str,
) -> Result<(Vec<WorkItem>, Option<String>), ApiError> {
    if let Some(item) = store.work_item(words).await? {
        return Ok((vec![item], None));
    }
    let (wanted, mut found) = (filter.limit.saturating_sub(1) as usize, Vec::new());
    let needle = words.to_lowercase();
    filter.limit = AT_ONCE;
    let mut seen = 0;
    loop {
        let rows = store.list_work_items(filter.clone()).await?;
        let (read, last) = (rows.len(), rows.last().map(|row| row.id));
        for row in rows {
            filter.after = Some(row.id);
            if holds(&row.fields, &needle) {
                found.push(row);
                if found.len() == wanted {
                    return Ok((found, filter.after.map(|id| id.to_string())));
                }
            }
        }
        seen += AT_ONCE;
        if read < AT_ONCE as usize {
            return Ok((found, None));
        }
        if seen >= SEARCHED {
            return Ok((found, last.map(|id| id.to_string())));
        }
    }
}

fn holds(value: &Value, needle: &str) -> bool {
    match value {
        Value::String(text) => text.to_lowercase().contains(needle),
        Value::Array(items) => items.iter().any(|item| holds(item, needle)),
        Value::Object(fields) => fields.values().any(|value| holds(value, needle)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// One item, by id or by its reference in any spelling, with its history.
///
/// # Errors
/// 404 when there is none.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<Detail>, ApiError> {
    let item = find(&scope.store, &id).await?;
    Ok(Json(detail(&app, scope.tenant.id, &scope.store, item).await?))
}

/// An item by id or reference.
pub async fn find(store: &TenantStore, id: &str) -> Result<WorkItem, ApiError> {
    let found = match id.parse::<WorkItemId>() {
        Ok(id) => store.work_item_by_id(id).await?,
        Err(_) => store.work_item(id).await?,
    };
    found.ok_or_else(|| ApiError::not_found("work item"))
}

/// An item as it is shown, with its history.
pub async fn detail(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    item: WorkItem,
) -> Result<Detail, ApiError> {
    let history = store.work_history(item.id).await?;
    let shown = shown(app, tenant, item, &history)?;
    Ok(Detail { item: shown.item, history: shown.history })
}

/// What a token of an item stands for. `None`: there is no such token, or nobody is told what it stands for.
pub fn revealed(
    app: &App,
    tenant: TenantId,
    item: WorkItem,
    history: &[WorkAct],
    token: &str,
) -> Result<Option<String>, ApiError> {
    Ok(shown(app, tenant, item, history)?.screen.stands_for(token))
}

/// An item on its way out of the sensitive zone.
struct Shown {
    item: Item,
    history: Vec<Entry>,
    /// It knows what the tokens stand for.
    screen: Box<dyn Screen>,
}

/// Each item has a screen of its own: tokens are numbered within it, fields first, then the history, always in one order.
fn shown(app: &App, tenant: TenantId, row: WorkItem, history: &[WorkAct]) -> Result<Shown, ApiError> {
    let (due_at, queued_at) = (due(&row), queued_at(&row));
    let mut screen = screened::screen(app, tenant, None)?;
    let raw = match row.fields {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let fields: Vec<Field> = raw
        .into_iter()
        .filter(|(name, _)| name != QUEUED_AT)
        .map(|(name, mut value)| {
            screened::field(screen.as_mut(), &name, &mut value);
            Field { name, value }
        })
        .collect();
    let mut written = |text: &Option<String>| text.as_deref().map(|text| screen.screen(text));
    let history: Vec<Entry> = history
        .iter()
        .map(|act| Entry {
            id: act.id,
            at: act.at,
            actor: act.actor.clone(),
            act: act.act,
            assignee: act.assignee.clone(),
            note: written(&act.note),
            reason: written(&act.reason),
            line_was_right: act.line_was_right(),
        })
        .collect();
    let unfinished = matches!(row.status, WorkStatus::Open | WorkStatus::InProgress);
    let item = Item {
        title: title(row.kind, &fields),
        id: row.id,
        reference: row.reference,
        kind: row.kind,
        status: row.status,
        priority: row.priority,
        assignee: row.assignee,
        due_at,
        overdue: unfinished && due_at < Utc::now(),
        alarms: row.alarms,
        call_id: row.call_id,
        passport_id: row.passport_id,
        created_at: row.created_at,
        updated_at: row.updated_at,
        queued_at,
        fields,
    };
    Ok(Shown { item, history, screen })
}

/// The first field that says in words what it is about, already screened.
fn title(kind: WorkKind, fields: &[Field]) -> String {
    let about = ["title", "summary", "category", "type", "reason", "topic", "what", "description", "message"];
    let text = about.iter().find_map(|name| fields.iter().find(|field| field.name == *name)?.value.as_str());
    let plain = match kind {
        WorkKind::Incident => "Report",
        WorkKind::Inspection => "Inspection",
        WorkKind::Message => "Message",
        WorkKind::Escalation | WorkKind::Callback => "Callback",
    };
    text.filter(|text| !text.trim().is_empty()).unwrap_or(plain).chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_title_is_words_never_the_name_of_a_kind() {
        let field = |name: &str, value: &str| Field { name: name.into(), value: json!(value) };
        assert_eq!(title(WorkKind::Incident, &[field("what", "A fallen tree")]), "A fallen tree");
        assert_eq!(title(WorkKind::Incident, &[]), "Report");
    }
}
