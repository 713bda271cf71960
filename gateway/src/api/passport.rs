//! `GET /v1/calls/{id}/passport`: the work item that a call fills in.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde_json::{Map, Value, json};
use storage::records::Passport;
use storage::{Calls, Passports};

use super::{calls, screened};
use crate::app::App;
use crate::audit::acts;
use crate::auth::{ReadCalls, Scoped};
use crate::error::ApiError;

/// The handler. The answer is the whole document, screened, with what a list of fields needs beside it.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    let missing = || ApiError::not_found("passport");
    let passport = scope.store.passport(call.passport_id.ok_or_else(missing)?).await?.ok_or_else(missing)?;
    app.audit.record(Some(scope.tenant.id), acts::passport_opened(&scope.principal, passport.id)).await?;
    let mut screen = screened::screen(&app, scope.tenant.id, scope.store.caller_number(call.id).await?)?;
    let mut answer = shape(passport);
    screened::document(screen.as_mut(), &mut answer);
    Ok(Json(answer))
}

/// A Passport with what a list of fields needs beside it. Not screened yet.
pub fn shape(passport: Passport) -> Value {
    let mut answer = match passport.document {
        Value::Object(document) => document,
        other => Map::from_iter([("document".to_owned(), other)]),
    };
    let context = answer.get("context").and_then(Value::as_object).cloned().unwrap_or_default();
    let fields: Vec<_> =
        context.into_iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let title =
        answer.get("mission").and_then(|mission| mission.get("objective")).cloned().unwrap_or_default();
    let beside = json!({
        "passport_id": passport.id, "call_id": passport.call_id, "status": passport.status,
        "version": passport.version, "kind": passport.team_id, "title": title, "fields": fields,
        "created_at": passport.created_at, "updated_at": passport.updated_at,
    });
    if let Value::Object(beside) = beside {
        answer.extend(beside);
    }
    Value::Object(answer)
}
