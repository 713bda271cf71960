//! `/v1/outbox`: effects that are held for a person, on their way, or could not be made.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::outbox_records::{OutboxDecision, OutboxFilter, OutboxState, Outgoing};
use storage::{CallId, Outbox, OutboxId, PassportId};

use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// One effect.
#[derive(Debug, Serialize)]
pub struct Effect {
    id: OutboxId,
    idempotency_key: String,
    destination: String,
    tool: String,
    state: OutboxState,
    attempts: u32,
    next_at: DateTime<Utc>,
    call_id: Option<CallId>,
    passport_id: Option<PassportId>,
    /// Screened.
    payload: Value,
    problem: Option<String>,
    decided_by: Option<String>,
    decided_at: Option<DateTime<Utc>>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// `?state=`, beside a page's own.
#[derive(Debug, Deserialize)]
pub struct Wanted {
    state: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// The list, newest first.
///
/// # Errors
/// A parameter that is none.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(wanted): QueryOf<Wanted>,
) -> Result<Json<Page<Effect>>, ApiError> {
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor };
    let state = wanted.state.as_deref().map(str::parse::<OutboxState>).transpose();
    let state =
        state.map_err(|_| ApiError::invalid("state", "is one of held, pending, sent, failed, rejected"))?;
    let filter = OutboxFilter { state, after: page.after()?, limit: page.fetch()? };
    let rows = scope.store.list_outbox(filter).await?;
    let shown = |row| Ok(effect(screened::screen(&app, scope.tenant.id, None)?.as_mut(), row));
    let page = page.page(rows, |row| row.id.to_string(), shown);
    let items = page.items.into_iter().collect::<Result<_, ApiError>>()?;
    Ok(Json(Page { items, next_cursor: page.next_cursor }))
}

/// A person lets a held effect be made.
///
/// # Errors
/// 404 when there is none; 409 when it was decided before.
pub async fn approve(
    state: State<Arc<App>>,
    scope: Scoped<Act>,
    id: Path<String>,
) -> Result<Json<Effect>, ApiError> {
    decide(state, scope, id, true).await
}

/// A person says no.
///
/// # Errors
/// As [`approve`].
pub async fn reject(
    state: State<Arc<App>>,
    scope: Scoped<Act>,
    id: Path<String>,
) -> Result<Json<Effect>, ApiError> {
    decide(state, scope, id, false).await
}

async fn decide(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    approve: bool,
) -> Result<Json<Effect>, ApiError> {
    let id = id.parse().map_err(|_| ApiError::not_found("effect"))?;
    let decision = OutboxDecision { id, approve, by: scope.principal.subject.clone(), at: Utc::now() };
    // Before it is decided: an error afterwards would say that it was not.
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    let row = scope.store.decide_outgoing(decision).await?;
    let act = if approve { "approved" } else { "rejected" };
    let entry = acts::effect_decided(&scope.principal, act, row.id, &row.tool);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    Ok(Json(effect(screen.as_mut(), row)))
}

fn effect(screen: &mut dyn Screen, row: Outgoing) -> Effect {
    let mut payload = row.payload;
    screened::document(screen, &mut payload);
    Effect {
        id: row.id,
        idempotency_key: row.idempotency_key,
        destination: row.destination,
        tool: row.tool,
        state: row.state,
        attempts: row.attempts,
        next_at: row.next_at,
        call_id: row.call_id,
        passport_id: row.passport_id,
        payload,
        problem: row.problem,
        decided_by: row.decided_by,
        decided_at: row.decided_at,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}
