//! `GET/POST /v1/users`, `DELETE /v1/users/{id}` and `POST /v1/users/links`.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{Auth, Credentials, LOCAL_LOGIN, NewUser, Removal, Role, User};

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ManageTenant;
use crate::auth::scope::{Allowed, Realm};
use crate::auth::sign_in::{self, LINK_LIVES};
use crate::error::{ApiError, ErrorCode, JsonBody, QueryOf};

/// `?tenant=`.
#[derive(Debug, Deserialize)]
pub struct OfTenant {
    pub tenant: Option<String>,
}

/// The request.
#[derive(Debug, Deserialize)]
pub struct Create {
    login: String,
    name: String,
    role: Role,
    tenant: Option<String>,
}

/// Whose link.
#[derive(Debug, Default, Deserialize)]
pub struct LinkFor {
    login: Option<String>,
    /// Takes away what they sign in with and ends their sessions: the link is the only way in.
    #[serde(default)]
    reset: bool,
}

/// `GET /v1/users`.
pub async fn list(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    QueryOf(of): QueryOf<OfTenant>,
) -> Result<Json<Value>, ApiError> {
    let realm = Realm::of(&app, &who.principal, of.tenant.as_deref()).await?;
    let users = app.platform.store().users(realm.tenant).await?;
    let items: Vec<_> = users.iter().map(shape).collect();
    Ok(Json(json!({ "items": items, "next_cursor": null })))
}

/// `POST /v1/users`.
pub async fn create(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    JsonBody(asked): JsonBody<Create>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let realm = Realm::of(&app, &who.principal, asked.tenant.as_deref()).await?;
    realm.check_role(asked.role)?;
    let login = asked.login.trim().to_owned();
    // Names with a colon, and the local administrator's, are given by the gateway itself.
    if login.is_empty() || login.contains(':') || login.eq_ignore_ascii_case(LOCAL_LOGIN) {
        return Err(ApiError::invalid("login", "is empty, reserved, or holds a colon"));
    }
    let new = NewUser { tenant_id: realm.tenant, login, display_name: asked.name, role: asked.role };
    let user = app.platform.store().create_user(new).await?;
    app.audit.record(realm.tenant, acts::user_created(&who.principal, &user)).await?;
    tracing::info!(audit = "user.created", user = %user.id, role = %user.role, by = %who.principal.subject, "user created");
    Ok((StatusCode::CREATED, Json(shape(&user))))
}

/// `DELETE /v1/users/{id}`: the user's sessions, links and open event streams end with it.
pub async fn remove(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    QueryOf(of): QueryOf<OfTenant>,
) -> Result<StatusCode, ApiError> {
    let realm = Realm::of(&app, &who.principal, of.tenant.as_deref()).await?;
    let id = id.parse().map_err(|_| ApiError::not_found("user"))?;
    let user = app.platform.store().user(id).await?.filter(|user| user.tenant_id == realm.tenant);
    let user = user.ok_or_else(|| ApiError::not_found("user"))?;
    if user.login == LOCAL_LOGIN {
        return Err(ApiError::invalid("id", "is the local administrator's, who cannot be removed")
            .advise("whoever holds the machine signs in so; keep others from its data folder instead"));
    }
    match app.platform.store().remove_user(realm.tenant, id).await? {
        Removal::Done => {}
        Removal::Unknown => return Err(ApiError::not_found("user")),
        Removal::LastAdministrator => {
            app.audit.record(realm.tenant, acts::user_kept(&who.principal, &user)).await?;
            return Err(ApiError::new(
                ErrorCode::Conflict,
                format!("{} is the last platform administrator with a name of their own", user.login),
            )
            .advise("add another platform administrator first, then remove this one"));
        }
    }
    app.audit.record(realm.tenant, acts::user_removed(&who.principal, &user)).await?;
    tracing::info!(audit = "user.removed", user = %id, by = %who.principal.subject, "user removed");
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /v1/users/links`: a one-time sign-in link; without a login, for the local administrator.
pub async fn link(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    JsonBody(asked): JsonBody<LinkFor>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (url, login, tenant) = match asked.login {
        Some(login) => {
            let user = app.platform.store().user_by_login(&login).await?;
            let user = user
                .filter(|user| who.principal.is_platform_admin() || user.tenant_id == who.principal.tenant);
            let user = user.ok_or_else(|| ApiError::not_found("user"))?;
            if asked.reset {
                app.platform.store().reset_credentials(user.id).await?;
                app.audit.record(user.tenant_id, acts::credentials_reset(&who.principal, &user)).await?;
            }
            (sign_in::link_for(&app, &user).await?, user.login, user.tenant_id)
        }
        None if asked.reset => {
            return Err(ApiError::invalid("login", "must be named where sign-in is reset"));
        }
        None if who.principal.is_platform_admin() => {
            (sign_in::local_link(&app).await?, LOCAL_LOGIN.to_owned(), None)
        }
        None => {
            return Err(ApiError::forbidden("only a platform-admin may sign in as the local administrator"));
        }
    };
    app.audit.record(tenant, acts::link_issued(&who.principal, &login)).await?;
    tracing::info!(audit = "link.issued", by = %who.principal.subject, "sign-in link issued");
    Ok((StatusCode::CREATED, Json(json!({ "url": url, "expires_in_s": LINK_LIVES.as_secs() }))))
}

fn shape(user: &User) -> Value {
    json!({
        "id": user.id, "login": user.login, "name": user.display_name, "role": user.role,
        "tenant_id": user.tenant_id, "created_at": user.created_at,
    })
}
