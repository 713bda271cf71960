//! `/v1/calls/{id}/judgement`: whether people held what the line said and did on a call right. Reviews count it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use storage::review_records::{Judgement, NewJudgement};
use storage::{CallId, Reviews};

use super::calls;
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::WorkRequests;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, JsonBody};

/// Somebody's word on a call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    line_was_right: bool,
}

/// What people held of a call, oldest first: the last word counts.
#[derive(Debug, Serialize)]
pub struct Judgements {
    call_id: CallId,
    items: Vec<Judgement>,
}

/// What people held of it so far.
///
/// # Errors
/// 404 without such a call.
pub async fn read(
    State(_): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<Judgements>, ApiError> {
    let call = calls::find(&scope.store, &id).await?.id;
    Ok(Json(Judgements { call_id: call, items: scope.store.judgements(call).await? }))
}

/// Whoever asks holds it right or wrong. The entry on the audit is durable before the answer.
///
/// # Errors
/// 404 without such a call.
pub async fn judge(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Judged>,
) -> Result<Json<Judgements>, ApiError> {
    let call = calls::find(&scope.store, &id).await?.id;
    let actor = scope.principal.subject.clone();
    scope.store.judge_call(NewJudgement { call, actor, line_right: asked.line_was_right }).await?;
    let entry = acts::call_judged(&scope.principal, call, asked.line_was_right);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    app.reviewing.notify_one();
    Ok(Json(Judgements { call_id: call, items: scope.store.judgements(call).await? }))
}
