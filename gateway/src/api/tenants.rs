//! `GET/POST /v1/tenants`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::zones::normalise_phone;
use storage::{Directory, Line, NewTenant, RecordingConsent, Tenant};

use crate::app::App;
use crate::audit::acts;
use crate::auth::ManagePlatform;
use crate::auth::scope::Allowed;
use crate::error::{ApiError, JsonBody};
use crate::tenant_config::follow;

/// The request.
#[derive(Debug, Deserialize)]
pub struct Create {
    slug: String,
    name: String,
    timezone: Option<String>,
    /// Number that callers dial.
    line: Option<String>,
}

/// `GET /v1/tenants`.
pub async fn list(
    State(app): State<Arc<App>>,
    _who: Allowed<ManagePlatform>,
) -> Result<Json<Value>, ApiError> {
    let directory = app.platform.store();
    let mut items = Vec::new();
    for tenant in directory.tenants().await? {
        let lines = directory.lines(tenant.id).await?;
        items.push(shape(&tenant, lines));
    }
    Ok(Json(json!({ "items": items, "next_cursor": null })))
}

/// `POST /v1/tenants`.
pub async fn create(
    State(app): State<Arc<App>>,
    who: Allowed<ManagePlatform>,
    JsonBody(asked): JsonBody<Create>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let number = match &asked.line {
        Some(text) => {
            Some(normalise_phone(text).ok_or_else(|| ApiError::invalid("line", "is not a phone number"))?)
        }
        None => None,
    };
    let directory = app.platform.store();
    if let Some(number) = &number
        && directory.line(number).await?.is_some()
    {
        return Err(storage::StorageError::Taken { what: "number" }.into());
    }
    let timezone = asked.timezone.unwrap_or_else(|| "America/New_York".to_owned());
    let tenant =
        app.platform.create_tenant(NewTenant { slug: asked.slug, name: asked.name, timezone }).await?;
    if let Some(number) = number {
        directory.put_line(first_line(&tenant, number)).await?;
    }
    let lines = directory.lines(tenant.id).await?;
    // Running engines answer for it at once; those of another gateway when it looks next.
    let store = app.platform.tenant(tenant.id).await?;
    follow::take_up(&app, &tenant, store).await.map_err(|error| ApiError::internal(&error))?;
    app.audit.record(Some(tenant.id), acts::tenant_created(&who.principal, &tenant)).await?;
    tracing::info!(audit = "tenant.created", slug = %tenant.slug, by = %who.principal.subject, "tenant created");
    Ok((StatusCode::CREATED, Json(shape(&tenant, lines))))
}

fn first_line(tenant: &Tenant, number: String) -> Line {
    Line {
        number,
        tenant_id: tenant.id,
        name: format!("{} main line", tenant.name),
        languages: vec!["en".to_owned()],
        greeting: format!("Thank you for calling {}. How can I help you?", tenant.name),
        recording_consent: RecordingConsent::Off,
    }
}

fn shape(tenant: &Tenant, lines: Vec<Line>) -> Value {
    let lines: Vec<_> = lines.into_iter().map(|l| json!({ "number": l.number, "name": l.name })).collect();
    json!({
        "id": tenant.id, "slug": tenant.slug, "name": tenant.name, "timezone": tenant.timezone,
        "created_at": tenant.created_at, "lines": lines,
    })
}
