//! `GET /v1/calls/{id}` and `GET /v1/calls/{id}/latency`. Costs are estimates by the price table. The list is in `call_list`.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};
use storage::records::{Attention, Call, CallState, Direction};
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::{CallId, Calls, PassportId, TenantStore, Transfers};

use super::outreach::{self, OutreachItem};
use super::screened::CALLER_TOKEN;
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::calls::lease::Lease;
use crate::calls::log;
use crate::error::ApiError;

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
    /// So far, or of an ended call the highest.
    attention: Attention,
    /// What raised it so high.
    attention_reason: Option<String>,
    /// The person who has the call; the agent has it where there is none.
    controlled_by: Option<Lease>,
    /// How many people listen.
    listeners: u32,
    /// The caller waits in line for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_line: Option<InLineItem>,
    /// Where it was put through, and what came of it; told of one call, not in lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transfers: Vec<TransferItem>,
    /// What we called for, and how often; told of one call of ours, not in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    outreach: Option<OutreachItem>,
}

/// Where a caller stands who waits in line.
#[derive(Debug, Serialize)]
struct InLineItem {
    target: String,
    /// From one.
    place: u32,
}

/// One attempt to put a call through.
#[derive(Debug, Serialize)]
struct TransferItem {
    target: String,
    /// A login, or the name of a program's token, or `the agent`.
    by: String,
    stage: TransferStage,
    result: Option<TransferResult>,
    /// Notes are taken of the talk, or were to be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    notes: bool,
    at: DateTime<Utc>,
}

impl From<Transfer> for TransferItem {
    fn from(kept: Transfer) -> Self {
        Self {
            target: kept.target,
            by: kept.actor,
            stage: kept.stage,
            result: kept.result,
            notes: kept.notes,
            at: kept.created_at,
        }
    }
}

impl CallItem {
    pub(super) fn new(app: &App, tenant: &str, call: Call) -> Self {
        let live = app.live.find(call.id);
        let told = live.as_ref().map_or(Attention::None, |live| log::attention(*live.attention.lock()));
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
            // The record follows what was told by some milliseconds.
            attention: if told == Attention::None { call.attention } else { told },
            attention_reason: call.attention_reason,
            controlled_by: live.as_ref().and_then(|live| live.lease.holder()),
            listeners: live.as_ref().map_or(0, |live| live.tap.listeners()),
            in_line: live
                .as_ref()
                .and_then(|live| live.in_line.lock().clone())
                .map(|stands| InLineItem { target: stands.target, place: stands.place }),
            transfers: Vec::new(),
            outreach: None,
        }
    }
}

/// `GET /v1/calls/{id}`.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<CallItem>, ApiError> {
    let call = find(&scope.store, &id).await?;
    let transfers = scope.store.transfers_of(call.id).await?.into_iter().map(TransferItem::from).collect();
    let outreach = match call.direction {
        Direction::Outbound => outreach::item(&scope.store, call.id).await?,
        Direction::Inbound => None,
    };
    Ok(Json(CallItem { transfers, outreach, ..CallItem::new(&app, &scope.tenant.slug, call) }))
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
