//! `GET/PUT /v1/tenants/{id}/slots`, `POST …/slots/check` and `GET/PUT …/holidays`: parts of a tenant's document by themselves.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use storage::Tenant;

use super::tenant_config::{Checked, apply, changes_of, current, faults_of, managed, refused};
use crate::app::App;
use crate::auth::permission::ManageTenant;
use crate::auth::scope::Allowed;
use crate::error::{ApiError, JsonBody};
use crate::tenant_config::TenantConfig;
use crate::tenant_config::holidays::Holiday;
use crate::tenant_config::read::Fault;
use crate::tenant_config::single_slots::{SingleSlot, Table, table};

/// Largest table, in bytes.
pub const MAX_BODY: usize = 1024 * 1024;

/// Single times that callers may book, beside the plans.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotList {
    pub slots: Vec<SingleSlot>,
}

/// Days on which the office is closed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HolidayList {
    pub holidays: Vec<Holiday>,
}

/// `GET …/slots`.
pub async fn slots(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<SlotList>, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    Ok(Json(SlotList { slots: current(&app, &tenant).await?.slots }))
}

/// `POST …/slots/check`: a table (CSV), or JSON. Nothing is kept.
pub async fn check_slots(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Result<Json<Checked>, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let (config, faults) = with_slots(&app, &tenant, read(&headers, &body)?).await?;
    let changes = if faults.is_empty() { changes_of(&app, &tenant, config).await? } else { Vec::new() };
    Ok(Json(Checked { valid: faults.is_empty(), faults, changes }))
}

/// `PUT …/slots`: all of them; what is not among them goes, unless it is booked.
pub async fn put_slots(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let (config, faults) = with_slots(&app, &tenant, read(&headers, &body)?).await?;
    if !faults.is_empty() {
        return Err(refused(&faults));
    }
    apply(&app, &who.principal, tenant, config, &headers, None).await
}

/// `GET …/holidays`.
pub async fn holidays(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<HolidayList>, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    Ok(Json(HolidayList { holidays: current(&app, &tenant).await?.holidays }))
}

/// `PUT …/holidays`: all of them.
pub async fn put_holidays(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<HolidayList>,
) -> Result<Response, ApiError> {
    let tenant = managed(&app, &who.principal, &id).await?;
    let config = TenantConfig { holidays: asked.holidays, ..current(&app, &tenant).await? };
    let faults = faults_of(&app, &tenant, &config).await?;
    if !faults.is_empty() {
        return Err(refused(&faults));
    }
    apply(&app, &who.principal, tenant, config, &headers, None).await
}

fn read(headers: &HeaderMap, body: &str) -> Result<Table, ApiError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.contains("csv") {
        return Ok(table(body));
    }
    let asked = serde_json::from_str::<SlotList>(body);
    let wrong =
        |error| ApiError::invalid("body", format_args!("is no list of times: {error}; or send text/csv"));
    Ok(Table { singles: asked.map_err(wrong)?.slots, ..Table::default() })
}

/// The document with these times, and what is wrong, by the lines of their table.
async fn with_slots(
    app: &App,
    tenant: &Tenant,
    mut read: Table,
) -> Result<(TenantConfig, Vec<Fault>), ApiError> {
    let singles = std::mem::take(&mut read.singles);
    let config = TenantConfig { slots: singles, ..current(app, tenant).await? };
    let mut faults = std::mem::take(&mut read.faults);
    if faults.is_empty() {
        faults = faults_of(app, tenant, &config).await?;
        read.place(&mut faults);
    }
    Ok((config, faults))
}
