//! `/status` of a carrier: progress of a call. Comes late, twice or out of order; only an end is acted on.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use pipeline::ports::EndReason;
use storage::{Calls, StorageError};

use super::request::{malformed, read};
use super::resume;
use crate::app::App;
use crate::calls::reaper;
use crate::dialing::notes;
use crate::error::ApiError;
use crate::telemetry::metrics::reason_name;

/// The handler.
pub async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let callback = match read(&app, request).await {
        Ok(callback) => callback,
        Err(refusal) => return refusal.into_response(),
    };
    let told = match callback.progress {
        Ok(told) => told,
        Err(e) => return malformed(&e).into_response(),
    };
    if told.status.is_final()
        && let Err(e) = end(&app, &told.call_sid).await
    {
        return ApiError::from(e).into_response();
    }
    StatusCode::NO_CONTENT.into_response()
}

async fn end(app: &App, carrier_sid: &str) -> Result<(), StorageError> {
    let reason = EndReason::CallerHungUp;
    if let Some(call) = app.expected.forget(carrier_sid) {
        reaper::close(app, &call, reason_name(reason)).await;
        return Ok(());
    }
    let Some((store, call)) = resume::find(app, carrier_sid).await? else { return Ok(()) };
    match app.live.find(call.id) {
        // Its stream may still be on its way to us: the call itself settles its record.
        Some(live) => {
            let _ = live.hang_up(reason);
        }
        None => {
            if !notes::caller_left(app, &store, call.id).await? && resume::is_open(&call) {
                store.end_call(call.id, reason_name(reason), Utc::now()).await?;
            }
        }
    }
    Ok(())
}
