//! Acts on a live call: it is ended, or put through to a person.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use pipeline::ports::EndReason;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::Transfers;
use storage::transfers::NewTransfer;

use super::{calls, supervise};
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, Scoped};
use crate::calls::pending_streams::NamedBy;
use crate::demo;
use crate::dialing::refusals::{self, Rule};
use crate::dialing::transfer;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// `POST /v1/calls/{id}/hangup`.
pub async fn hang_up(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    if !supervise::with_us(&app, call.id)?.hang_up(EndReason::SupervisorHungUp) {
        return Err(not_live());
    }
    app.audit.record(Some(scope.tenant.id), acts::call_hung_up(&scope.principal, call.id)).await?;
    tracing::info!(audit = "call.hangup", call_id = %call.id, by = %scope.principal.subject, "hung up by a supervisor");
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id, "state": "ending" }))))
}

fn not_live() -> ApiError {
    ApiError::new(ErrorCode::Conflict, "the call is not live").advise("reload the list of calls")
}

/// Name of one of the tenant's targets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    target: String,
}

/// `POST /v1/calls/{id}/transfer`: the agent's stream ends, and the carrier dials the target.
///
/// # Errors
/// 404 for an unknown call or target, with the targets there are; 409 when the call is not live, no carrier has it, or
/// there is no carrier account; 422 when nobody takes calls at the target now, or none of the called line's.
pub async fn transfer(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Transfer>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    let live = supervise::with_us(&app, call.id)?;
    if app.control().is_none() {
        return Err(refusals::no_account(&app.config.carrier));
    }
    if live.named_by == NamedBy::Gateway {
        return Err(ApiError::new(ErrorCode::Conflict, "no carrier has this call: it came from a browser")
            .advise("transfer calls that come by telephone"));
    }
    let targets = transfer::targets(&scope.store).await?;
    let Some(target) = targets.iter().find(|target| target.is_named(&asked.target)) else {
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        return Err(ApiError::not_found("target").with_details(json!({ "targets": names })));
    };
    if !target.to_facts().takes_line(&call.line) {
        return Err(Rule::TargetLine.into());
    }
    let facts = demo::facts(&app.platform, &scope.tenant).await.map_err(|e| ApiError::internal(&e))?;
    if !transfer::is_open(target, &facts, app.clock.now()) {
        return Err(Rule::TargetClosed.into());
    }
    app.audit
        .record(Some(scope.tenant.id), acts::call_transferred(&scope.principal, call.id, &target.name))
        .await?;
    // On record before the stream is closed: the carrier's question finds it, after a restart too.
    let new = NewTransfer {
        call: call.id,
        actor: scope.principal.subject.clone(),
        target: target.name.clone(),
        number: target.number.clone(),
        language: call.language,
        about: String::new(),
        warm: false,
        notes: false,
    };
    scope.store.begin_transfer(new).await?;
    if !live.hang_up(EndReason::Transferred) {
        scope.store.drop_transfer(call.id).await?;
        return Err(not_live());
    }
    tracing::info!(audit = "call.transferred", call_id = %call.id, by = %scope.principal.subject, "put through by a supervisor");
    let answer = json!({ "id": call.id, "state": "transferring", "target": target.name });
    Ok((StatusCode::ACCEPTED, Json(answer)))
}
