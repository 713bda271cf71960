//! `GET /v1/transfers/queue`: who waits in line for a person. Nothing of the callers but which call it is.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::Utc;
use serde::Serialize;
use storage::waits::Wait;
use storage::{CallId, Calls, Waits};

use crate::app::App;
use crate::auth::{Act, Scoped};
use crate::error::ApiError;

/// The lines of all targets.
#[derive(Debug, Serialize)]
pub struct Queue {
    /// Line by line, the next of each first.
    items: Vec<Waiting>,
}

/// A caller who waits.
#[derive(Debug, Serialize)]
struct Waiting {
    call_id: CallId,
    /// The number that was called.
    line: String,
    target: String,
    /// From one.
    place: u32,
    /// They told of an emergency.
    urgent: bool,
    waited_s: u64,
}

/// The handler.
///
/// # Errors
/// When storage does not answer.
pub async fn handle(State(_): State<Arc<App>>, scope: Scoped<Act>) -> Result<Json<Queue>, ApiError> {
    let now = Utc::now();
    let waits = scope.store.waiting(now).await?;
    let mut items: Vec<Waiting> = Vec::with_capacity(waits.len());
    for Wait { call, target, urgent, joined_at, .. } in waits {
        let Some(known) = scope.store.call(call).await? else { continue };
        let place = items.last().filter(|last| last.target == target).map_or(0, |last| last.place) + 1;
        let waited_s = u64::try_from((now - joined_at).num_seconds()).unwrap_or_default();
        items.push(Waiting { call_id: call, line: known.line, target, place, urgent, waited_s });
    }
    Ok(Json(Queue { items }))
}
