//! `GET/PUT /v1/tenants/{id}/config` and `POST …/config/check`: a tenant as one document, TOML or JSON.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::{Directory, StorageError, Tenant};

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ManageTenant;
use crate::auth::principal::Principal;
use crate::auth::scope::{Allowed, Realm};
use crate::error::{ApiError, ErrorCode};
use crate::tenant_config::read::{Fault, Reading};
use crate::tenant_config::versions::{self, Change};
use crate::tenant_config::{TenantConfig, check, keep, read, teams};

/// Largest document, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// Media type of TOML.
pub(super) const TOML: &str = "application/toml";
/// Name of the setting on the audit.
const SETTING: &str = "config";

/// What is wrong with a document, and what it would change.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checked {
    pub valid: bool,
    pub faults: Vec<Fault>,
    /// Empty where it is not valid.
    pub changes: Vec<String>,
}

/// What a document changed.
#[derive(Debug, Serialize, Deserialize)]
pub struct Applied {
    /// Of the document as it is now: for `If-Match`.
    pub version: String,
    pub changes: Vec<String>,
    /// Number of the version that it is kept as. `null`: nothing was changed.
    pub kept_as: Option<u32>,
}

/// `GET /v1/tenants/{id}/config`: JSON, or TOML where that is asked for.
pub async fn get(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let config = current(&app, &tenant).await?;
    let tag = [(header::ETAG, format!("\"{}\"", config.version()))];
    if wants_toml(&headers) {
        let text = config.to_toml().map_err(|error| ApiError::internal(&error))?;
        return Ok((tag, [(header::CONTENT_TYPE, TOML)], text).into_response());
    }
    Ok((tag, Json(config)).into_response())
}

/// `POST /v1/tenants/{id}/config/check`. Nothing is kept.
pub async fn check(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Checked>, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let reading = checked(&app, &tenant, &body, is_toml(&headers)).await?;
    let valid = reading.faults.is_empty();
    let changes = if valid { changes_of(&app, &tenant, reading.config).await? } else { Vec::new() };
    Ok(Json(Checked { valid, faults: reading.faults, changes }))
}

/// `PUT /v1/tenants/{id}/config`: the whole document. The next call is answered by it; with a fault nothing changes.
pub async fn put(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let reading = checked(&app, &tenant, &body, is_toml(&headers)).await?;
    if !reading.faults.is_empty() {
        return Err(refused(&reading.faults));
    }
    apply(&app, &who.principal, tenant, reading.config, &headers, None).await
}

/// Lays a checked document down. `back_to`: it is that of an earlier version.
pub(super) async fn apply(
    app: &App,
    principal: &Principal,
    tenant: Tenant,
    config: TenantConfig,
    headers: &HeaderMap,
    back_to: Option<u32>,
) -> Result<Response, ApiError> {
    // What is kept and what is in force stay the same when two documents, or one and rules, are put at once.
    let one_at_a_time = app.rules.lock().await;
    let store = app.platform.tenant(tenant.id).await?;
    // Read first: who is quicker on another gateway makes this one fail, not the other way round.
    let mut expected = versions::newest(&store).await?;
    let now = current(app, &tenant).await?;
    unchanged_since(headers, &now)?;
    let then = settled(config, &tenant, &now).await?;
    let changes = keep::changes(&store, &now, &then).await?;
    let mut kept_as = None;
    if !changes.is_empty() {
        expected = versions::catch_up(&store, &now, expected).await.map_err(quicker)?;
        let told = back_to.map(|number| format!("goes back to version {number}")).into_iter();
        let told = told.chain(changes.iter().cloned()).collect();
        let change = Change { expected, actor: principal.subject.clone(), changes: told };
        kept_as = Some(keep::lay_down(app, &tenant, &then, change).await.map_err(failed)?);
    }
    let renamed = app.platform.store().tenant_by_id(tenant.id).await?.unwrap_or(tenant);
    let version = current(app, &renamed).await?.version();
    drop(one_at_a_time);
    if !changes.is_empty() {
        app.audit.record(Some(renamed.id), acts::setting_changed(principal, SETTING)).await?;
        for team in teams::changed(&now.teams, &then.teams) {
            let act = acts::setting_changed(principal, &format!("team.{team}"));
            app.audit.record(Some(renamed.id), act).await?;
        }
        tracing::info!(audit = "tenant.config", tenant = %renamed.slug, by = %principal.subject, changes = changes.len(), "a tenant's document was laid down");
    }
    let tag = [(header::ETAG, format!("\"{version}\""))];
    Ok((tag, Json(Applied { version, changes, kept_as })).into_response())
}

/// A tenant that this principal manages. Another's does not exist for them.
pub(super) async fn managed(app: &App, principal: &Principal, id: &str) -> Result<Tenant, ApiError> {
    let none = || ApiError::not_found("tenant");
    let realm = Realm::of(app, principal, Some(id)).await?;
    app.platform.store().tenant_by_id(realm.tenant.ok_or_else(none)?).await?.ok_or_else(none)
}

pub(super) async fn current(app: &App, tenant: &Tenant) -> Result<TenantConfig, ApiError> {
    keep::current(&app.platform, tenant).await.map_err(|error| ApiError::internal(&error))
}

/// What laying a checked document down would change.
pub(super) async fn changes_of(
    app: &App,
    tenant: &Tenant,
    config: TenantConfig,
) -> Result<Vec<String>, ApiError> {
    let store = app.platform.tenant(tenant.id).await?;
    let now = current(app, tenant).await?;
    let then = settled(config, tenant, &now).await?;
    Ok(keep::changes(&store, &now, &then).await?)
}

/// The document as it can be held against `now`, settled beside the calls: schemas of teams are compiled.
pub(super) async fn settled(
    config: TenantConfig,
    tenant: &Tenant,
    now: &TenantConfig,
) -> Result<TenantConfig, ApiError> {
    let (tenant, now) = (tenant.clone(), now.clone());
    let settled = tokio::task::spawn_blocking(move || keep::settled(config, &tenant, &now)).await;
    settled.map_err(|error| ApiError::internal(&error))
}

/// Everything that is wrong with a document that was put together here.
pub(super) async fn faults_of(
    app: &App,
    tenant: &Tenant,
    config: &TenantConfig,
) -> Result<Vec<Fault>, ApiError> {
    let own = config.clone();
    let read = tokio::task::spawn_blocking(move || check::check(&own)).await;
    let mut faults = read.map_err(|error| ApiError::internal(&error))?;
    faults.extend(check::taken(config, &app.platform, Some(tenant.id)).await?);
    Ok(faults)
}

/// The document, with everything that is wrong with it and where.
pub(super) async fn checked(
    app: &App,
    tenant: &Tenant,
    body: &str,
    is_toml: bool,
) -> Result<Reading, ApiError> {
    if body.len() > MAX_BODY {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        return Err(
            ApiError::invalid("body", format_args!("is longer than {MAX_BODY} bytes")).with_status(status)
        );
    }
    let text = body.to_owned();
    let read = move || {
        let mut reading = if is_toml { read::toml(&text) } else { read::json(&text) };
        if reading.faults.is_empty() {
            reading.faults = check::check(&reading.config);
        }
        reading
    };
    // Its own sentences are held against the rules, which takes a while; live calls share the threads of this task.
    let mut reading = tokio::task::spawn_blocking(read).await.map_err(|error| ApiError::internal(&error))?;
    if !reading.config.slug.is_empty() && reading.config.slug != tenant.slug {
        let told = format!("is not that of this tenant: {}", tenant.slug);
        reading.faults.push(Fault::new("slug", told));
    }
    reading.faults.extend(check::taken(&reading.config, &app.platform, Some(tenant.id)).await?);
    let mut faults = std::mem::take(&mut reading.faults);
    reading.place(&mut faults);
    reading.faults = faults;
    Ok(reading)
}

/// Whether TOML is sent.
pub(super) fn is_toml(headers: &HeaderMap) -> bool {
    names_toml(headers, header::CONTENT_TYPE)
}

/// Whether TOML is asked for.
pub(super) fn wants_toml(headers: &HeaderMap) -> bool {
    names_toml(headers, header::ACCEPT)
}

fn names_toml(headers: &HeaderMap, name: header::HeaderName) -> bool {
    headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("toml"))
}

fn unchanged_since(headers: &HeaderMap, now: &TenantConfig) -> Result<(), ApiError> {
    let asked = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok()).map(str::trim);
    match asked {
        Some(tag) if tag != "*" && tag.trim_matches('"') != now.version() => {
            Err(changed_meanwhile().with_details(json!({ "current_version": now.version() })))
        }
        _ => Ok(()),
    }
}

/// Every fault of a text.
pub(super) fn refused(faults: &[Fault]) -> ApiError {
    let first = faults.first().map(ToString::to_string).unwrap_or_default();
    let more = match faults.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more)", n - 1),
    };
    ApiError::new(ErrorCode::InvalidParameter, format!("{first}{more}"))
        .with_status(StatusCode::UNPROCESSABLE_ENTITY)
        .with_details(json!({ "parameter": "body", "faults": faults }))
        .advise("put right what error_details.faults lists")
}

/// Somebody else kept a version since this one was read.
pub(super) fn quicker(error: StorageError) -> ApiError {
    match error {
        StorageError::Conflict { .. } => changed_meanwhile(),
        other => other.into(),
    }
}

fn changed_meanwhile() -> ApiError {
    ApiError::new(ErrorCode::Conflict, "the document was changed meanwhile")
        .with_status(StatusCode::PRECONDITION_FAILED)
        .advise("read it again, then retry")
}

fn failed(error: anyhow::Error) -> ApiError {
    match error.downcast::<StorageError>() {
        Ok(error) => quicker(error),
        Err(error) => ApiError::internal(&error),
    }
}
