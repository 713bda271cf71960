//! `/v1/passports`: work items as documents, and typed changes to them.
//!
//! A change names the version that it was made for. Somebody else was faster: 409, with both versions. The ledger is
//! append-only: no route and no patch changes an entry, and each change from here leaves an entry of its own.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Value, json};
use storage::records::{Passport, PassportFilter, PassportHead};
use storage::{Calls, PassportId, Passports, TenantStore};
use uuid::Uuid;
use work::passport::{ConfidenceVector, LedgerEntry, PassportError, Patch, Status, kept};

use super::page::{Page, PageQuery};
use super::{passport, screened};
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, ReadCalls, Scoped};
use crate::error::{ApiError, ErrorCode, JsonBody, QueryOf};

/// Patches of one request.
const MOST_PATCHES: usize = 100;
/// Bytes of JSON that the patches of one request may have together.
const MOST_BYTES: usize = 64 * 1024;
/// Bytes of JSON that a Passport may grow to by changes from here.
const MOST_DOCUMENT: usize = 1_000_000;

/// `?state=&team=`.
#[derive(Debug, Deserialize)]
pub struct Filter {
    state: Option<String>,
    team: Option<String>,
}

impl Filter {
    fn status(&self) -> Result<Option<String>, ApiError> {
        let Some(word) = self.state.as_deref().filter(|word| !word.is_empty()) else { return Ok(None) };
        if Status::ALL.iter().any(|status| status.as_str() == word) {
            return Ok(Some(word.to_owned()));
        }
        let words = Status::ALL.map(Status::as_str).join(", ");
        Err(ApiError::invalid("state", format_args!("must be one of {words}")))
    }
}

/// What is to be changed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    expected_version: u32,
    patches: Vec<Patch>,
}

/// `GET /v1/passports`: newest first, without their documents.
pub async fn list(
    scope: Scoped<ReadCalls>,
    QueryOf(filter): QueryOf<Filter>,
    QueryOf(page): QueryOf<PageQuery>,
) -> Result<Json<Page<PassportHead>>, ApiError> {
    let team_id = filter.team.clone().filter(|team| !team.is_empty());
    let filter =
        PassportFilter { status: filter.status()?, team_id, after: page.after()?, limit: page.fetch()? };
    let heads = scope.store.list_passports(filter).await?;
    Ok(Json(page.page(heads, |head| head.id.to_string(), |head| head)))
}

/// `GET /v1/passports/{id}`: the whole document, screened.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let found = find(&scope.store, &id).await?;
    app.audit.record(Some(scope.tenant.id), acts::passport_opened(&scope.principal, found.id)).await?;
    screened_shape(&app, &scope, found).await.map(Json)
}

/// `GET /v1/passports/{id}/ledger`: every act of every agent, in order, screened.
pub async fn ledger(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let found = find(&scope.store, &id).await?;
    app.audit.record(Some(scope.tenant.id), acts::passport_opened(&scope.principal, found.id)).await?;
    let (id, version) = (found.id, found.version);
    let mut shown = screened_shape(&app, &scope, found).await?;
    Ok(Json(json!({ "passport_id": id, "version": version, "entries": shown["ledger"].take() })))
}

/// `PATCH /v1/passports/{id}`: all patches or none. Answers the changed document.
pub async fn change(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Change>,
) -> Result<Json<Value>, ApiError> {
    check(&asked.patches)?;
    let found = find(&scope.store, &id).await?;
    let (id, at) = (found.id, Utc::now());
    let mut held = kept::read(found)?;
    let expected = u64::from(asked.expected_version);
    let note = Patch::Append(Box::new(entry(&asked.patches, scope.principal.role.as_str(), at)));
    let patches = asked.patches.into_iter().chain([note]).collect();
    held.update(expected, patches, at).map_err(|refused| match refused {
        PassportError::Stale { expected, current } => stale(expected, current),
        PassportError::ConfidenceRange => ApiError::invalid("patches", "hold a share outside 0 to 1"),
    })?;
    let changed = kept::changed(&held.passport, expected);
    if changed.document.to_string().len() > MOST_DOCUMENT {
        return Err(ApiError::invalid(
            "patches",
            format_args!("make the passport larger than {MOST_DOCUMENT} bytes"),
        )
        .advise("keep long texts elsewhere, and name them with an `artifact` patch"));
    }
    let version = scope.store.update_passport(changed).await?;
    app.audit.record(Some(scope.tenant.id), acts::passport_changed(&scope.principal, id, version)).await?;
    let written = scope.store.passport(id).await?.ok_or_else(missing)?;
    screened_shape(&app, &scope, written).await.map(Json)
}

/// A Passport of this tenant. An id of another tenant's, or none at all, is not told from one that does not exist.
async fn find(store: &TenantStore, id: &str) -> Result<Passport, ApiError> {
    let id: PassportId = id.parse().map_err(|_| missing())?;
    store.passport(id).await?.ok_or_else(missing)
}

fn missing() -> ApiError {
    ApiError::not_found("passport")
}

async fn screened_shape<P>(app: &App, scope: &Scoped<P>, found: Passport) -> Result<Value, ApiError> {
    let caller = match found.call_id {
        Some(call) => scope.store.caller_number(call).await?,
        None => None,
    };
    let mut screen = screened::screen(app, scope.tenant.id, caller)?;
    let mut shown = passport::shape(found);
    screened::document(screen.as_mut(), &mut shown);
    Ok(shown)
}

fn check(patches: &[Patch]) -> Result<(), ApiError> {
    if patches.is_empty() || patches.len() > MOST_PATCHES {
        return Err(ApiError::invalid("patches", format_args!("must be from 1 to {MOST_PATCHES}")));
    }
    if let Some(patch) = patches.iter().find(|patch| !patch.is_for_people()) {
        return Err(ApiError::invalid("patches", format_args!("may not hold `{}`", patch.op())).advise(
            "it is written by the agent that does the work; a change from here leaves its own entry",
        ));
    }
    let bytes = serde_json::to_vec(patches).map_or(usize::MAX, |json| json.len());
    if bytes > MOST_BYTES {
        return Err(ApiError::invalid("patches", format_args!("are longer than {MOST_BYTES} bytes")));
    }
    Ok(())
}

fn stale(expected: u64, current: u64) -> ApiError {
    let said = PassportError::Stale { expected, current }.to_string();
    ApiError::new(ErrorCode::Conflict, said)
        .with_details(json!({ "expected_version": expected, "current_version": current }))
        .advise("read it again, then retry with current_version")
}

/// What a person changed, by the names of the patches: never what they hold.
fn entry(patches: &[Patch], role: &str, at: DateTime<Utc>) -> LedgerEntry {
    let ops: Vec<&str> = patches.iter().map(Patch::op).collect();
    LedgerEntry {
        id: Uuid::now_v7(),
        timestamp: at,
        agent_id: format!("person/{role}"),
        action: "changed".to_owned(),
        inputs_summary: format!("{} patches", ops.len()),
        outputs_summary: ops.join(", "),
        duration_ms: 0,
        tokens_used: 0,
        cost_usd: 0.0,
        confidence: ConfidenceVector::of(1.0, 1),
        tool_calls: Vec::new(),
        notes: String::new(),
    }
}
