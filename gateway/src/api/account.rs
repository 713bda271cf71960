//! `/v1/me/…`: what somebody signs in with, and where they are signed in.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{Extensions, HeaderMap, StatusCode};
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::{BegunBy, Credentials, OpenSession, Session};

use super::passkeys;
use crate::app::App;
use crate::audit::acts;
use crate::auth::person::SignedIn;
use crate::auth::secrets::Given;
use crate::auth::{origin, password};
use crate::error::{ApiError, JsonBody};

/// How long after a one-time link a password may be set without the old one (whoever forgot it has no other way), and
/// after any sign-in a passkey may be added.
const FRESH: TimeDelta = TimeDelta::minutes(15);

/// What somebody signs in with.
#[derive(Debug, Serialize)]
pub struct SignsIn {
    login: String,
    password_set_at: Option<DateTime<Utc>>,
    /// A password may be set, and for that the old one must be given.
    may_set_password: bool,
    needs_old_password: bool,
    passkeys: Vec<Value>,
    /// Whether one more may be added in this session.
    may_add_passkey: bool,
}

/// A new password.
#[derive(Debug, Deserialize)]
pub struct NewPassword {
    #[serde(default)]
    old: Option<Given>,
    new: Given,
}

/// Whether this session's word is enough for another password.
fn is_fresh(session: &Session) -> bool {
    session.begun_by == BegunBy::Link && is_recent(session)
}

/// Whether somebody has proved just now who they are.
pub(super) fn is_recent(session: &Session) -> bool {
    Utc::now() - session.created_at <= FRESH
}

/// Whoever is known by a token or a provider outside has no password or passkey here: it would outlive their right to
/// come in.
pub(super) fn may_have_credentials(session: &Session) -> bool {
    !session.user.login.contains(':')
}

/// `GET /v1/me/sign-in`.
pub async fn sign_in(State(app): State<Arc<App>>, who: SignedIn) -> Result<Json<SignsIn>, ApiError> {
    let kept = app.platform.store().password(who.session.user.id).await?;
    let passkeys = app.platform.store().passkeys_of(who.session.user.id).await?;
    let is_fresh = is_fresh(&who.session);
    Ok(Json(SignsIn {
        may_set_password: may_have_credentials(&who.session) && (kept.is_some() || is_fresh),
        needs_old_password: !is_fresh,
        passkeys: passkeys.iter().map(passkeys::shape).collect(),
        may_add_passkey: may_have_credentials(&who.session) && is_recent(&who.session),
        password_set_at: kept.map(|kept| kept.set_at),
        login: who.session.user.login,
    }))
}

/// `PUT /v1/me/password`: every other session and every link ends with the old one.
pub async fn set_password(
    State(app): State<Arc<App>>,
    who: SignedIn,
    extensions: Extensions,
    headers: HeaderMap,
    JsonBody(asked): JsonBody<NewPassword>,
) -> Result<StatusCode, ApiError> {
    let user = &who.session.user;
    if !may_have_credentials(&who.session) {
        return Err(ApiError::forbidden("this login is a token's or a provider's, and has no password here"));
    }
    if !is_fresh(&who.session) {
        let address = origin::client(&extensions, &headers, &app.config.sign_in.proxies);
        check_old(&app, &who, asked.old, address).await?;
    }
    if let Some(why) = password::unfit(&asked.new.0, user) {
        return Err(ApiError::invalid("new", why).advise("choose four words that do not belong together"));
    }
    let hash = app.hasher.hash(asked.new.0).await?;
    app.platform.store().set_password(user.id, &hash, Some(who.session.id)).await?;
    app.audit.record(user.tenant_id, acts::password_set(&who.principal, user)).await?;
    tracing::info!(audit = "password.set", user = %user.id, "a password was set");
    Ok(StatusCode::NO_CONTENT)
}

/// Whether they know the password that they have. Guesses wait as at the sign-in.
async fn check_old(
    app: &App,
    who: &SignedIn,
    old: Option<Given>,
    address: std::net::IpAddr,
) -> Result<(), ApiError> {
    let user = &who.session.user;
    let Some(kept) = app.platform.store().password(user.id).await? else {
        return Err(ApiError::forbidden("the first password is set soon after a one-time link")
            .advise("ask an administrator for a new link"));
    };
    let old = old.ok_or_else(|| ApiError::invalid("old", "is missing"))?;
    let store = app.platform.store();
    app.attempts.begin(store, &user.login, address, Utc::now()).await?;
    if app.hasher.matches(old.0, Some(kept.hash)).await? {
        app.attempts.succeeded(store, &user.login, address, Utc::now()).await;
        return Ok(());
    }
    app.audit.refused(user.tenant_id, acts::password_kept(&who.principal, user)).await;
    Err(ApiError::invalid("old", "is not your password"))
}

/// `GET /v1/me/sessions`.
pub async fn sessions(State(app): State<Arc<App>>, who: SignedIn) -> Result<Json<Value>, ApiError> {
    let open = app.platform.store().sessions_of(who.session.user.id).await?;
    let items: Vec<_> = open.iter().map(|one| shape(one, &who.session)).collect();
    Ok(Json(json!({ "items": items, "next_cursor": null })))
}

/// `DELETE /v1/me/sessions/{id}`.
pub async fn end_one(
    State(app): State<Arc<App>>,
    who: SignedIn,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let user = &who.session.user;
    let id = id.parse().map_err(|_| ApiError::not_found("session"))?;
    if !app.platform.store().end_session_of(user.id, id).await? {
        return Err(ApiError::not_found("session"));
    }
    app.audit.record(user.tenant_id, acts::sessions_ended(&who.principal, user, Some(id))).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /v1/me/sessions`: all but this one.
pub async fn end_others(State(app): State<Arc<App>>, who: SignedIn) -> Result<StatusCode, ApiError> {
    let user = &who.session.user;
    app.platform.store().end_sessions_of(user.id, Some(who.session.id)).await?;
    app.audit.record(user.tenant_id, acts::sessions_ended(&who.principal, user, None)).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn shape(one: &OpenSession, here: &Session) -> Value {
    json!({
        "id": one.id, "begun_by": one.begun_by, "created_at": one.created_at, "seen_at": one.seen_at,
        "expires_at": one.expires_at, "is_this": one.id == here.id,
    })
}
