//! `GET /v1/me`: who is signed in, and what they may call.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::Serialize;
use storage::{Directory, Line, Role, Tenant, TenantId};

use crate::app::App;
use crate::auth::{Kind, Scoped, SeeSelf};
use crate::error::ApiError;

/// The answer.
#[derive(Debug, Serialize)]
pub struct Me {
    subject: String,
    roles: [Role; 1],
    kind: &'static str,
    tenant: TenantRef,
    tenants: Vec<TenantRef>,
    lines: Vec<LineRef>,
    expires_at: Option<DateTime<Utc>>,
    version: &'static str,
    mode: &'static str,
    public_url: String,
}

/// A tenant, as lists name it.
#[derive(Debug, Serialize)]
pub struct TenantRef {
    id: TenantId,
    slug: String,
    name: String,
}

#[derive(Debug, Serialize)]
struct LineRef {
    number: String,
    name: String,
    languages: Vec<String>,
}

impl From<Tenant> for TenantRef {
    fn from(tenant: Tenant) -> Self {
        Self { id: tenant.id, slug: tenant.slug, name: tenant.name }
    }
}

impl From<Line> for LineRef {
    fn from(line: Line) -> Self {
        Self { number: line.number, name: line.name, languages: line.languages }
    }
}

/// The handler.
pub async fn handle(State(app): State<Arc<App>>, scope: Scoped<SeeSelf>) -> Result<Json<Me>, ApiError> {
    let directory = app.platform.store();
    let lines = directory.lines(scope.tenant.id).await?;
    let tenants = if scope.principal.is_platform_admin() {
        directory.tenants().await?
    } else {
        vec![scope.tenant.clone()]
    };
    Ok(Json(Me {
        subject: scope.principal.subject,
        roles: [scope.principal.role],
        kind: kind_name(scope.principal.kind),
        tenant: scope.tenant.into(),
        tenants: tenants.into_iter().map(TenantRef::from).collect(),
        lines: lines.into_iter().map(LineRef::from).collect(),
        expires_at: scope.principal.expires_at,
        version: env!("CARGO_PKG_VERSION"),
        mode: if app.config.unsigned() { "demo" } else { "carrier" },
        public_url: app.public_url.to_string(),
    }))
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::AdminToken => "admin_token",
        Kind::LocalToken => "local_token",
        Kind::ApiToken(_) => "api_token",
        Kind::Session(_) => "session",
    }
}
