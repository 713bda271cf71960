//! `GET /v1/tenants/{id}/config/versions`, `…/{number}` and `POST …/{number}/rollback`: what a tenant's document was, and the
//! way back to it.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use storage::versions::{Version, VersionKind};
use storage::{TenantStore, Versions};

use super::page::{Page, PageQuery};
use super::tenant_config::{TOML, apply, checked, current, managed, refused, settled, wants_toml};
use crate::app::App;
use crate::auth::permission::ManageTenant;
use crate::auth::scope::Allowed;
use crate::error::{ApiError, ErrorCode};
use crate::tenant_config::TenantConfig;
use crate::tenant_config::differences::differences;

/// A version without its text.
#[derive(Debug, Serialize, Deserialize)]
pub struct VersionItem {
    /// From 1.
    pub number: u32,
    pub made_at: DateTime<Utc>,
    /// Login, or name of a program's token.
    pub actor: String,
    pub changes: Vec<String>,
    /// It was taken away with this version: there is nothing to go back to.
    pub is_gone: bool,
}

impl From<Version> for VersionItem {
    fn from(kept: Version) -> Self {
        let Version { version, made_at, actor, changes, body, .. } = kept;
        Self { number: version, made_at, actor, changes, is_gone: body.is_none() }
    }
}

/// A version with its document, and what going back to it would change.
#[derive(Debug, Serialize)]
pub struct VersionAnswer {
    #[serde(flatten)]
    item: VersionItem,
    document: TenantConfig,
    /// Empty: it is as the document is now.
    differences: Vec<String>,
}

/// `GET …/versions`: newest first.
pub async fn list(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<VersionItem>>, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let store = app.platform.tenant(tenant.id).await?;
    let kept = store.versions(VersionKind::Config, "", query.after()?, query.fetch()?).await?;
    Ok(Json(query.page(kept, |kept| kept.version.to_string(), VersionItem::from)))
}

/// `GET …/versions/{number}`: JSON, or its document as TOML where that is asked for.
pub async fn one(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let number = numbered(&number)?;
    let store = app.platform.tenant(tenant.id).await?;
    let kept = kept(&store, number).await?;
    let document: TenantConfig =
        serde_json::from_str(kept.body.as_deref().unwrap_or_default()).map_err(|_| unreadable(number))?;
    if wants_toml(&headers) {
        let text = document.to_toml().map_err(|error| ApiError::internal(&error))?;
        return Ok(([(header::CONTENT_TYPE, TOML)], text).into_response());
    }
    let now = current(&app, &tenant).await?;
    let differences = differences(&now, &settled(document.clone(), &tenant, &now).await?);
    Ok(Json(VersionAnswer { item: kept.into(), document, differences }).into_response())
}

/// `POST …/versions/{number}/rollback`: its document is checked and applied as any other, as a new version.
pub async fn roll_back(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let number = numbered(&number)?;
    let store = app.platform.tenant(tenant.id).await?;
    let text = kept(&store, number).await?.body.ok_or_else(|| unreadable(number))?;
    let reading = checked(&app, &tenant, &text, false).await?;
    if !reading.faults.is_empty() {
        return Err(refused(&reading.faults));
    }
    apply(&app, &who.principal, tenant, reading.config, &headers, Some(number)).await
}

/// The number of a version in an address; what is none names no version.
pub(super) fn numbered(text: &str) -> Result<u32, ApiError> {
    text.parse().map_err(|_| ApiError::not_found("version"))
}

async fn kept(store: &TenantStore, number: u32) -> Result<Version, ApiError> {
    let kept = store.version(VersionKind::Config, "", number).await?;
    kept.ok_or_else(|| ApiError::not_found("version"))
}

fn unreadable(number: u32) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, format!("version {number} cannot be read by this program"))
        .advise("roll back to another one")
}
