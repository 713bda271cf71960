//! `POST /v1/calls`: the agent calls somebody who agreed to it, again where nobody is reached. `DELETE /v1/calls/{id}/retries`: not
//! again. `POST /v1/consents`: who agreed to be called for what.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use pipeline::ports::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::outreach::{NewConsent, OutreachResult, OutreachStage, Purpose};
use storage::retries::{NewRetries, Retries as Kept, RetryState};
use storage::zones::normalise_phone;
use storage::{CallId, CampaignId, Outreach, Retries, TenantStore};

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::WorkRequests;
use crate::auth::{Act, Scoped};
use crate::dialing::outreach::{self, Wish};
use crate::dialing::retries::CANCELED;
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
    /// The appointment that it reminds of: the reference of its request.
    appointment: Option<String>,
    /// Attempts that follow where nobody is reached.
    #[serde(default)]
    retries: u32,
    retry_after_s: Option<i64>,
    /// Also where a machine answered.
    #[serde(default)]
    retry_machines: bool,
}

/// Most attempts after the first.
const MOST_RETRIES: u32 = 5;
const RETRY_AFTER_S: std::ops::RangeInclusive<i64> = 60..=604_800;
/// A day: a number is not called oftener.
const USUAL_RETRY_AFTER_S: i64 = 86_400;

/// Attempts that follow, as they are asked for.
pub(super) fn retries_of(most: u32, after_s: Option<i64>, machines: bool) -> Result<NewRetries, ApiError> {
    if most > MOST_RETRIES {
        return Err(ApiError::invalid("retries", format_args!("is at most {MOST_RETRIES}")));
    }
    let every = after_s.unwrap_or(USUAL_RETRY_AFTER_S);
    if !RETRY_AFTER_S.contains(&every) {
        let (least, most) = (RETRY_AFTER_S.start(), RETRY_AFTER_S.end());
        return Err(ApiError::invalid("retry_after_s", format_args!("is from {least} to {most}")));
    }
    Ok(NewRetries { most, every: TimeDelta::seconds(every), machines })
}

/// English, where none is asked for.
pub(super) fn language_of(tag: Option<&str>) -> Result<Language, ApiError> {
    match tag {
        None => Ok(Language::En),
        Some(tag) => Language::of(tag).ok_or_else(|| ApiError::invalid("language", "is neither en nor es")),
    }
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
    let language = language_of(asked.language.as_deref())?;
    let retries = retries_of(asked.retries, asked.retry_after_s, asked.retry_machines)?;
    let retries = (retries.most > 0).then_some(retries);
    let item = asked.appointment.as_deref();
    if item.is_some() && asked.purpose != Purpose::Appointment {
        return Err(ApiError::invalid("appointment", "goes with the purpose appointment alone"));
    }
    let (store, principal) = (&scope.store, &scope.principal);
    let wish =
        Wish { tenant: scope.tenant.id, store, principal, purpose: asked.purpose, language, item, retries };
    let (attempt, line) = outreach::place(&app, wish, &to, asked.line.as_deref()).await?;
    let answer =
        json!({ "id": attempt.id, "stage": attempt.stage, "line": line, "purpose": attempt.purpose });
    Ok((StatusCode::CREATED, Json(answer)))
}

/// A call of the agent's, as one call shows it.
#[derive(Debug, Serialize)]
pub struct OutreachItem {
    purpose: Purpose,
    stage: OutreachStage,
    result: Option<OutreachResult>,
    /// The call whose next attempt it is; its own id where it is the first.
    first: CallId,
    /// The appointment that it reminds of.
    #[serde(skip_serializing_if = "Option::is_none")]
    appointment: Option<String>,
    /// The request in which something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    /// The campaign that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    campaign: Option<CampaignId>,
    /// All of them, oldest first.
    attempts: Vec<AttemptItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retries: Option<RetriesItem>,
}

#[derive(Debug, Serialize)]
struct AttemptItem {
    id: CallId,
    at: DateTime<Utc>,
    result: Option<OutreachResult>,
}

/// How further attempts stand.
#[derive(Debug, Serialize)]
struct RetriesItem {
    state: RetryState,
    remaining: u32,
    due_at: Option<DateTime<Utc>>,
    reason: Option<String>,
}

impl From<Kept> for RetriesItem {
    fn from(kept: Kept) -> Self {
        Self { state: kept.state, remaining: kept.remaining, due_at: kept.due_at, reason: kept.reason }
    }
}

/// Of a call that the agent placed; `None` for any other.
pub(super) async fn item(store: &TenantStore, id: CallId) -> Result<Option<OutreachItem>, ApiError> {
    let Some(call) = store.outreach(id).await? else { return Ok(None) };
    let attempts = store.attempts(call.first).await?.into_iter();
    let reminds = call.purpose == Purpose::Appointment;
    let (appointment, request) = if reminds { (call.item, None) } else { (None, call.item) };
    Ok(Some(OutreachItem {
        purpose: call.purpose,
        stage: call.stage,
        result: call.result,
        first: call.first,
        appointment,
        request,
        campaign: call.campaign,
        attempts: attempts
            .map(|one| AttemptItem { id: one.id, at: one.created_at, result: one.result })
            .collect(),
        retries: store.retries(call.first).await?.map(RetriesItem::from),
    }))
}

/// No further attempts; the call that is being made goes on. Any of the attempts names them.
///
/// # Errors
/// 404 for an unknown call, or one that is not to be tried again.
pub async fn cancel(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let call = super::calls::find(&scope.store, &id).await?;
    let first = scope.store.outreach(call.id).await?.map_or(call.id, |known| known.first);
    if scope.store.retries(first).await?.is_none() {
        return Err(ApiError::not_found("retries of this call"));
    }
    if scope.store.stop_retries(first, CANCELED).await? {
        let entry = acts::call_retries_canceled(&scope.principal, first);
        app.audit.record(Some(scope.tenant.id), entry).await?;
    }
    let now = scope.store.retries(first).await?.map(RetriesItem::from);
    Ok(Json(json!({ "first": first, "retries": now })))
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
