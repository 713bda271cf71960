//! `POST /v1/work-items/{id}/call`: whoever works on a request calls back whoever left it, without seeing their number.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::records::WorkStatus;
use storage::work_acts::WorkRefusal;

use super::{work_item_actions, work_items};
use crate::app::App;
use crate::auth::permission::WorkRequests;
use crate::auth::scope::Scoped;
use crate::dialing::click_to_call::{self, Wish, Wished};
use crate::error::{ApiError, JsonBody};

/// The telephone of whoever calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallBack {
    #[serde(alias = "from_staff")]
    from_phone: String,
}

/// Rings their own telephone; when they answer and press 1, the request's number is dialled.
///
/// # Errors
/// 404; 409 when somebody else works on it, when it is closed, is being called, or there is no
/// carrier account; 422 with the rule that is against it; 503 when the carrier does not place the call.
pub async fn call(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<CallBack>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let item = work_items::find(&scope.store, &id).await?;
    if matches!(item.status, WorkStatus::Done | WorkStatus::Declined | WorkStatus::Cancelled) {
        return Err(work_item_actions::refused(&WorkRefusal::Closed(item.status)));
    }
    let wish = Wish { tenant: scope.tenant.id, store: &scope.store, principal: &scope.principal, item };
    match click_to_call::place(&app, wish, &asked.from_phone).await? {
        Wished::Placed(dial) => {
            Ok((StatusCode::ACCEPTED, Json(json!({ "id": dial.id, "stage": dial.stage, "line": dial.line }))))
        }
        Wished::Refused(refusal) => Err(work_item_actions::refused(&refusal)),
    }
}
