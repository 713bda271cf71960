//! Acts on a live call.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use pipeline::ports::EndReason;
use serde_json::{Value, json};

use super::calls;
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, Scoped};
use crate::error::{ApiError, ErrorCode};

/// `POST /v1/calls/{id}/hangup`.
pub async fn hang_up(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    let asked = app.live.find(call.id).is_some_and(|live| live.hang_up(EndReason::SupervisorHungUp));
    if !asked {
        return Err(
            ApiError::new(ErrorCode::Conflict, "the call is not live").advise("reload the list of calls")
        );
    }
    app.audit.record(Some(scope.tenant.id), acts::call_hung_up(&scope.principal, call.id)).await?;
    tracing::info!(audit = "call.hangup", call_id = %call.id, by = %scope.principal.subject, "hung up by a supervisor");
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id, "state": "ending" }))))
}
