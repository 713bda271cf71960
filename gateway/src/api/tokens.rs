//! `GET/POST /v1/tokens` and `DELETE /v1/tokens/{id}`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{ApiToken, Auth, NewToken, Role};

use super::users::OfTenant;
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ManageTenant;
use crate::auth::scope::{Allowed, Realm};
use crate::error::{ApiError, JsonBody, QueryOf};

/// Longest life of a token that expires.
const MOST_DAYS: u32 = 3_650;

/// The request.
#[derive(Debug, Deserialize)]
pub struct Create {
    name: String,
    role: Role,
    tenant: Option<String>,
    /// Days until it expires; absent: until revoked.
    days: Option<u32>,
}

/// `GET /v1/tokens`.
pub async fn list(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    QueryOf(of): QueryOf<OfTenant>,
) -> Result<Json<Value>, ApiError> {
    let realm = Realm::of(&app, &who.principal, of.tenant.as_deref()).await?;
    let tokens = app.platform.store().tokens(realm.tenant).await?;
    let items: Vec<_> = tokens.iter().map(shape).collect();
    Ok(Json(json!({ "items": items, "next_cursor": null })))
}

/// `POST /v1/tokens`. The secret is in this answer and nowhere else.
pub async fn create(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    JsonBody(asked): JsonBody<Create>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let realm = Realm::of(&app, &who.principal, asked.tenant.as_deref()).await?;
    realm.check_role(asked.role)?;
    let expires_at = asked.days.map(expiry).transpose()?;
    let new = NewToken { tenant_id: realm.tenant, name: asked.name, role: asked.role, expires_at };
    let issued = app.platform.store().create_token(new).await?;
    let created = acts::token_created(&who.principal, &issued.token);
    app.audit.record(realm.tenant, created).await?;
    tracing::info!(audit = "token.created", token = %issued.token.id, role = %issued.token.role, by = %who.principal.subject, "token created");
    let mut answer = shape(&issued.token);
    answer["secret"] = Value::from(issued.secret.expose_secret());
    Ok((StatusCode::CREATED, Json(answer)))
}

fn expiry(days: u32) -> Result<DateTime<Utc>, ApiError> {
    match days {
        1..=MOST_DAYS => Ok(Utc::now() + TimeDelta::days(i64::from(days))),
        _ => Err(ApiError::invalid("days", format!("must be from 1 to {MOST_DAYS}"))
            .advise("leave it out for a token that is good until it is revoked")),
    }
}

/// `DELETE /v1/tokens/{id}`.
pub async fn revoke(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    QueryOf(of): QueryOf<OfTenant>,
) -> Result<StatusCode, ApiError> {
    let realm = Realm::of(&app, &who.principal, of.tenant.as_deref()).await?;
    let id = id.parse().map_err(|_| ApiError::not_found("token"))?;
    if !app.platform.store().revoke_token(realm.tenant, id).await? {
        return Err(ApiError::not_found("token"));
    }
    app.audit.record(realm.tenant, acts::token_revoked(&who.principal, id)).await?;
    tracing::info!(audit = "token.revoked", token = %id, by = %who.principal.subject, "token revoked");
    Ok(StatusCode::NO_CONTENT)
}

fn shape(token: &ApiToken) -> Value {
    json!({
        "id": token.id, "name": token.name, "role": token.role, "tenant_id": token.tenant_id,
        "created_at": token.created_at, "expires_at": token.expires_at, "revoked_at": token.revoked_at,
    })
}
