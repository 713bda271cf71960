//! `GET /v1/calls`, `GET /v1/calls/{id}`, `GET /v1/calls/{id}/latency`. Costs are estimates by the price table.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::event::AttentionLevel;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::records::{Call, CallFilter, CallState, Direction};
use storage::{CallId, Calls, PassportId, TenantStore};

use super::page::{Page, PageQuery};
use super::screened::CALLER_TOKEN;
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// One call, as lists show it.
#[derive(Debug, Serialize)]
pub struct CallItem {
    id: CallId,
    carrier_sid: Option<String>,
    tenant: String,
    line: String,
    from: Option<&'static str>,
    direction: Direction,
    state: CallState,
    started_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    end_reason: Option<String>,
    passport_id: Option<PassportId>,
    language: String,
    turns: u32,
    /// So far, by the price table of the day. The embedded engines cost nothing.
    cost_usd: f64,
    attention: AttentionLevel,
}

impl CallItem {
    fn new(app: &App, tenant: &str, call: Call) -> Self {
        let live = app.live.find(call.id);
        let attention = live.as_ref().map_or_else(AttentionLevel::default, |live| *live.attention.lock());
        let live_turns = live.as_ref().map_or(0, |live| live.turns.load(Ordering::Relaxed));
        Self {
            id: call.id,
            carrier_sid: call.carrier_sid,
            tenant: tenant.to_owned(),
            line: call.line,
            from: call.has_caller.then_some(CALLER_TOKEN),
            direction: call.direction,
            state: if live.is_some() { CallState::Live } else { call.state },
            started_at: call.started_at,
            ended_at: call.ended_at.filter(|_| live.is_none()),
            end_reason: call.end_reason.filter(|_| live.is_none()),
            passport_id: call.passport_id,
            language: call.language,
            turns: call.turns.max(live_turns),
            cost_usd: usd(call.cost_micros),
            attention,
        }
    }
}

/// `?state=`.
#[derive(Debug, Deserialize)]
pub struct StateQuery {
    state: Option<String>,
}

impl StateQuery {
    fn state(&self) -> Result<Option<CallState>, ApiError> {
        match self.state.as_deref() {
            None | Some("" | "all") => Ok(None),
            Some("live") => Ok(Some(CallState::Live)),
            Some("ended") => Ok(Some(CallState::Ended)),
            Some(_) => Err(ApiError::invalid("state", "must be live, ended or all")),
        }
    }
}

/// `GET /v1/calls`: newest first.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    QueryOf(state): QueryOf<StateQuery>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<Json<Page<CallItem>>, ApiError> {
    let filter =
        CallFilter { state: state.state()?, caller: None, after: page.after()?, limit: page.fetch()? };
    let calls = scope.store.list_calls(filter).await?;
    let slug = &scope.tenant.slug;
    Ok(Json(page.page(calls, |call| call.id.to_string(), |call| CallItem::new(&app, slug, call))))
}

/// `GET /v1/calls/{id}`.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<CallItem>, ApiError> {
    let call = find(&scope.store, &id).await?;
    Ok(Json(CallItem::new(&app, &scope.tenant.slug, call)))
}

/// `GET /v1/calls/{id}/latency`: each turn's waterfall, and what the turn cost.
pub async fn latency(scope: Scoped<ReadCalls>, Path(id): Path<String>) -> Result<Json<Value>, ApiError> {
    let call = find(&scope.store, &id).await?;
    let costs = scope.store.turn_costs(call.id).await?;
    let mut turns = scope.store.latency(call.id).await?;
    for turn in &mut turns {
        let number = turn.get("turn").and_then(Value::as_u64);
        let cost = costs.iter().find(|cost| Some(u64::from(cost.turn)) == number);
        if let Some(fields) = turn.as_object_mut() {
            fields.insert("cost_usd".to_owned(), json!(usd(cost.map_or(0, |cost| cost.micros))));
        }
    }
    Ok(Json(json!({ "call_id": call.id, "turns": turns })))
}

/// US dollars of millionths.
#[must_use]
#[allow(clippy::cast_precision_loss)] // exact up to nine billion dollars
pub fn usd(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// A call of this tenant, by our id or the carrier's.
pub async fn find(store: &TenantStore, id: &str) -> Result<Call, ApiError> {
    let found = match id.parse() {
        Ok(id) => store.call(id).await?,
        Err(_) => store.call_by_carrier_sid(id).await?,
    };
    found.ok_or_else(|| ApiError::not_found("call"))
}
