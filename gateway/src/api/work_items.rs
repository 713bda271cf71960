//! `GET /v1/work-items`: what callers left to be done.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use storage::records::{Priority, WorkFilter, WorkItem, WorkKind, WorkStatus};
use storage::{CallId, PassportId, TenantId, WorkItemId, WorkItems};

use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// One piece of work.
#[derive(Debug, Serialize)]
pub struct Item {
    id: WorkItemId,
    reference: String,
    kind: WorkKind,
    title: String,
    status: WorkStatus,
    priority: Priority,
    call_id: Option<CallId>,
    passport_id: Option<PassportId>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    fields: Vec<Field>,
}

#[derive(Debug, Serialize)]
struct Field {
    name: String,
    value: Value,
}

/// The handler: newest first.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<Json<Page<Item>>, ApiError> {
    let filter = WorkFilter { after: page.after()?, limit: page.fetch()?, ..WorkFilter::default() };
    let rows = scope.store.list_work_items(filter).await?;
    app.engines()?;
    let page = page.page(rows, |row| row.id.to_string(), |row| item(&app, scope.tenant.id, row));
    let items = page.items.into_iter().collect::<Result<_, ApiError>>()?;
    Ok(Json(Page { items, next_cursor: page.next_cursor }))
}

/// Each item has a screen of its own: tokens are numbered within it.
fn item(app: &App, tenant: TenantId, row: WorkItem) -> Result<Item, ApiError> {
    let mut screen = screened::screen(app, tenant, None)?;
    let fields = match row.fields {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    let fields: Vec<Field> = fields
        .into_iter()
        .map(|(name, mut value)| {
            screened::field(screen.as_mut(), &name, &mut value);
            Field { name, value }
        })
        .collect();
    Ok(Item {
        title: title(row.kind, &fields),
        id: row.id,
        reference: row.reference,
        kind: row.kind,
        status: row.status,
        priority: row.priority,
        call_id: row.call_id,
        passport_id: row.passport_id,
        created_at: row.created_at,
        updated_at: row.updated_at,
        fields,
    })
}

/// The first field that says in words what it is about, already screened.
fn title(kind: WorkKind, fields: &[Field]) -> String {
    let about = ["title", "summary", "category", "type", "reason", "topic", "description", "message"];
    let text = about.iter().find_map(|name| fields.iter().find(|field| field.name == *name)?.value.as_str());
    text.unwrap_or(kind.as_str()).chars().take(120).collect()
}
