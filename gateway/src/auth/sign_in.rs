//! Signing in to the console with a one-time link.
//!
//! The link only shows a page with a button: mail scanners and link previews fetch links, and must not use them up.
//! The button posts the secret, which is exchanged for a session cookie.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{Auth, BegunBy, Credentials, LOCAL_LOGIN, NewUser, Role, StorageError, TokenId, User};

use super::passkey::Party;
use super::permission::SeeSelf;
use super::principal::{self, Kind, Principal, by_token};
use super::scope::Allowed;
use super::{openid, origin, pages, session};
use crate::app::App;
use crate::audit::acts;
use crate::error::{ApiError, QueryOf};

/// How long a link can be used.
pub const LINK_LIVES: Duration = Duration::from_secs(15 * 60);
/// What the link and the form carry.
#[derive(Debug, Deserialize)]
pub struct Ticket {
    #[serde(default)]
    token: String,
}

/// A one-time link for the local administrator.
pub async fn local_link(app: &App) -> Result<String, StorageError> {
    let user = local_user(app).await?;
    link_for(app, &user).await
}

/// A one-time link for a user.
pub async fn link_for(app: &App, user: &User) -> Result<String, StorageError> {
    let secret = app.platform.store().issue_link(user.id, LINK_LIVES).await?;
    Ok(app.public_url.join(&format!("/sign-in?token={}", secret.expose_secret())))
}

async fn local_user(app: &App) -> Result<User, StorageError> {
    let store = app.platform.store();
    if let Some(user) = store.user_by_login(LOCAL_LOGIN).await? {
        return if user.role == Role::PlatformAdmin {
            Ok(user)
        } else {
            Err(StorageError::Taken { what: "login" })
        };
    }
    let new = NewUser {
        tenant_id: None,
        login: LOCAL_LOGIN.to_owned(),
        display_name: "Local administrator".to_owned(),
        role: Role::PlatformAdmin,
    };
    store.create_user(new).await
}

/// `GET /sign-in`.
pub async fn page(State(app): State<Arc<App>>, QueryOf(ticket): QueryOf<Ticket>) -> Response {
    if ticket.token.is_empty() { pages::ways(&app, None) } else { pages::button(&ticket.token) }
}

/// `POST /sign-in`: a one-time secret or an API token for a session.
pub async fn submit(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
    Form(ticket): Form<Ticket>,
) -> Result<Response, ApiError> {
    // A page of another site must not sign a visitor in under an identity of its choice.
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the form was posted by a page of another site"));
    }
    let is_local = origin::is_local(origin::peer(&extensions), &headers);
    let Some((user, token)) = redeem(&app, &ticket.token, is_local).await? else {
        app.gates.failed(origin::client(&extensions, &headers, &app.config.sign_in.proxies))?;
        app.audit.stranger(acts::sign_in_refused()).await;
        // The console says what to do next; someone who is signed in already is simply let in.
        tracing::warn!(audit = "session.refused", "a sign-in link or token was not good");
        return Ok((StatusCode::SEE_OTHER, [(header::LOCATION, "/?expired")]).into_response());
    };
    match token {
        Some(token) => begin(&app, &user, BegunBy::Token, Some(token)).await,
        None => begin(&app, &user, BegunBy::Link, None).await,
    }
}

/// Begins a session and leads to the console.
pub async fn begin(
    app: &App,
    user: &User,
    by: BegunBy,
    token: Option<TokenId>,
) -> Result<Response, ApiError> {
    let (store, lives) = (app.platform.store(), app.config.sign_in.session);
    let secret = match token {
        Some(token) => store.create_token_session(user.id, token, lives).await?,
        None => store.create_session(user.id, by, lives).await?,
    };
    app.audit.record(user.tenant_id, acts::signed_in(user, by)).await?;
    tracing::info!(audit = "session.started", login = %user.login, %by, "signed in to the console");
    // Whoever came by a link is asked how they want to sign in from now on; on their own machine, the link will do.
    let chooses =
        by == BegunBy::Link && user.login != LOCAL_LOGIN && store.password(user.id).await?.is_none();
    Ok(enter(app, &secret, if chooses { "/#/account" } else { "/" }))
}

/// Who signs in, and the API token that they did it with: their session ends with it.
async fn redeem(
    app: &App,
    token: &str,
    is_local: bool,
) -> Result<Option<(User, Option<TokenId>)>, StorageError> {
    if let Some(user) = app.platform.store().redeem_link(token).await? {
        return Ok(Some((user, None)));
    }
    let Some(principal) = by_token(app, token, is_local).await? else { return Ok(None) };
    let token = match principal.kind {
        Kind::ApiToken(id) => Some(id),
        _ => None,
    };
    Ok(Some((user_of(app, principal).await?, token)))
}

/// A session belongs to a user, so a token gets one of its own role and tenant.
async fn user_of(app: &App, principal: Principal) -> Result<User, StorageError> {
    if principal.is_platform_admin() {
        return local_user(app).await;
    }
    let store = app.platform.store();
    let scope = principal.tenant.map_or_else(|| "platform".to_owned(), |tenant| tenant.to_string());
    let login = format!("token:{scope}:{}:{}", principal.role, principal.subject);
    if let Some(user) = store.user_by_login(&login).await? {
        let same = user.role == principal.role && user.tenant_id == principal.tenant;
        return if same { Ok(user) } else { Err(StorageError::Taken { what: "login" }) };
    }
    let display_name = format!("Token {}", principal.subject);
    store
        .create_user(NewUser { tenant_id: principal.tenant, login, display_name, role: principal.role })
        .await
}

fn enter(app: &App, secret: &SecretString, to: &'static str) -> Response {
    let mut response = (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response();
    if let Some(cookie) = session::start(secret, app.config.sign_in.session, app.public_url.is_https()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// `GET /sign-in/ways`: which ways there are, for the console's page of them.
pub async fn ways(State(app): State<Arc<App>>) -> Json<Value> {
    let openid = app.openid.as_ref().map(|provider| provider.settings.name.as_str());
    let passkeys = Party::of(&app.public_url).map(|party| party.id);
    Json(json!({ "openid": openid, "passkeys": passkeys }))
}

/// `POST /sign-out`. Whoever came from a provider outside is told where to end that, too.
pub async fn sign_out(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    who: Allowed<SeeSelf>,
) -> Result<Response, ApiError> {
    let session = match session::cookie(&headers) {
        Some(secret) => principal::open_session(&app, &secret).await?,
        None => None,
    };
    let then = match session.map(|session| session.begun_by) {
        Some(BegunBy::Openid) => openid::routes::leave(&app).await,
        _ => None,
    };
    if let Kind::Session(id) = who.principal.kind {
        app.platform.store().end_session(id).await?;
        app.audit.record(who.principal.tenant, acts::signed_out(&who.principal)).await?;
    }
    let mut response = match then {
        Some(then) => Json(json!({ "then": then })).into_response(),
        None => StatusCode::NO_CONTENT.into_response(),
    };
    if let Some(cookie) = session::end(app.public_url.is_https()) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
