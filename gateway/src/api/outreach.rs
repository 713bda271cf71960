//! `POST /v1/calls`: the agent calls somebody who agreed to it. `POST /v1/consents`: who agreed to be called for what.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use pipeline::ports::Language;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::Outreach;
use storage::outreach::{NewConsent, Purpose};
use storage::zones::normalise_phone;

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::WorkRequests;
use crate::auth::{Act, Scoped};
use crate::dialing::outreach::{self, Wish};
use crate::error::{ApiError, JsonBody};

/// How somebody may have agreed.
const SOURCES: [&str; 4] = ["written", "web", "voice", "call"];

/// Whom to call, and what for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    to: String,
    purpose: Purpose,
    line: Option<String>,
    language: Option<String>,
}

// A number is somebody's.
impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Order").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

/// Places a call.
///
/// # Errors
/// 400 for what is no number or language; 409 when the number is being called, or there is no carrier account; 422 with
/// the rule that is against it; 503 when the carrier does not place it.
pub async fn place(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    JsonBody(asked): JsonBody<Order>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let to = number("to", &asked.to)?;
    let language = match asked.language.as_deref() {
        None => Language::En,
        Some(tag) => {
            Language::of(tag).ok_or_else(|| ApiError::invalid("language", "is neither en nor es"))?
        }
    };
    let (store, principal) = (&scope.store, &scope.principal);
    let wish = Wish { tenant: scope.tenant.id, store, principal, purpose: asked.purpose, language };
    let (attempt, line) = outreach::place(&app, wish, &to, asked.line.as_deref()).await?;
    let answer =
        json!({ "id": attempt.id, "stage": attempt.stage, "line": line, "purpose": attempt.purpose });
    Ok((StatusCode::CREATED, Json(answer)))
}

/// Somebody agreed, or does not any more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Consent {
    number: String,
    purpose: Purpose,
    #[serde(default = "yes")]
    given: bool,
    source: String,
}

impl std::fmt::Debug for Consent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Consent").field("purpose", &self.purpose).finish_non_exhaustive()
    }
}

const fn yes() -> bool {
    true
}

/// Keeps it; the last word counts.
///
/// # Errors
/// 400 for what is no number or source.
pub async fn consent(
    State(app): State<Arc<App>>,
    scope: Scoped<WorkRequests>,
    JsonBody(asked): JsonBody<Consent>,
) -> Result<Json<Value>, ApiError> {
    let number = number("number", &asked.number)?;
    if !SOURCES.contains(&asked.source.as_str()) {
        return Err(ApiError::invalid("source", format_args!("is one of {}", SOURCES.join(", "))));
    }
    let Consent { purpose, given, source, .. } = asked;
    let entry = acts::consent_changed(&scope.principal, purpose, given, &source);
    let by = scope.principal.subject.clone();
    scope.store.set_consent(NewConsent { number, purpose, given, source, by }).await?;
    app.audit.record(Some(scope.tenant.id), entry).await?;
    Ok(Json(json!({ "purpose": purpose, "given": given })))
}

fn number(parameter: &str, text: &str) -> Result<String, ApiError> {
    normalise_phone(text).ok_or_else(|| {
        ApiError::invalid(parameter, "is no telephone number").advise("write it as +12025550100")
    })
}
