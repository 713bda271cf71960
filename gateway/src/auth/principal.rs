//! Finds out who asks: a bearer token, or the console's session.

use std::net::IpAddr;

use axum::http::{HeaderMap, header};
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};
use storage::{Auth, Role, Session, SessionId, StorageError, TenantId, TokenId};

use super::{origin, secrets, session};
use crate::app::App;

/// Somebody who proved who they are.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Login, or the name of the token.
    pub subject: String,
    pub role: Role,
    /// The only tenant they may see; `None` for the platform's own people and programs.
    pub tenant: Option<TenantId>,
    pub kind: Kind,
    pub expires_at: Option<DateTime<Utc>>,
    /// When the session was last used, to the minute.
    pub seen_at: Option<DateTime<Utc>>,
}

/// By what they proved it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `ADMIN_TOKEN`.
    AdminToken,
    /// The token file in the data folder.
    LocalToken,
    ApiToken(TokenId),
    /// The console's cookie. Unsafe methods need our own `Origin`.
    Session(SessionId),
}

impl Principal {
    fn admin(subject: &str, kind: Kind) -> Self {
        Self {
            subject: subject.to_owned(),
            role: Role::PlatformAdmin,
            tenant: None,
            kind,
            expires_at: None,
            seen_at: None,
        }
    }

    /// True for those who may look at any tenant.
    #[must_use]
    pub fn is_platform_admin(&self) -> bool {
        self.role == Role::PlatformAdmin && self.tenant.is_none()
    }
}

/// The principal of a request, or `None` when it proves nothing. A bearer token that is wrong proves nothing
/// either, even beside a good cookie: a program that sends one wants to be told.
pub async fn identify(
    app: &App,
    headers: &HeaderMap,
    peer: IpAddr,
) -> Result<Option<Principal>, StorageError> {
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let token = value.to_str().ok().and_then(bearer);
        return match token {
            Some(token) => by_token(app, token, origin::is_local(peer, headers)).await,
            None => Ok(None),
        };
    }
    match session::cookie(headers) {
        Some(secret) => by_session(app, secret).await,
        None => Ok(None),
    }
}

/// The principal behind a token, as `Authorization` or the sign-in page gives it.
pub async fn by_token(app: &App, token: &str, is_local: bool) -> Result<Option<Principal>, StorageError> {
    if app.config.admin_token.as_ref().is_some_and(|admin| secrets::matches(token, admin)) {
        return Ok(Some(Principal::admin("admin-token", Kind::AdminToken)));
    }
    if is_local && app.local_token.matches(token) {
        return Ok(Some(Principal::admin("local-admin", Kind::LocalToken)));
    }
    let found = app.platform.store().token(token).await?;
    Ok(found.map(|token| Principal {
        subject: token.name,
        role: token.role,
        tenant: token.tenant_id,
        kind: Kind::ApiToken(token.id),
        expires_at: token.expires_at,
        seen_at: None,
    }))
}

/// The session of a cookie, unless it has rested for too long.
pub async fn open_session(app: &App, secret: &SecretString) -> Result<Option<Session>, StorageError> {
    let found = app.platform.store().session(secret.expose_secret()).await?;
    let Some(session) = found else { return Ok(None) };
    let idle = TimeDelta::from_std(app.config.sign_in.idle).unwrap_or(TimeDelta::MAX);
    if Utc::now() - session.seen_at <= idle {
        return Ok(Some(session));
    }
    app.platform.store().end_session(session.id).await?;
    Ok(None)
}

async fn by_session(app: &App, secret: SecretString) -> Result<Option<Principal>, StorageError> {
    let found = open_session(app, &secret).await?;
    Ok(found.map(|session| Principal {
        subject: session.user.login,
        role: session.user.role,
        tenant: session.user.tenant_id,
        kind: Kind::Session(session.id),
        expires_at: Some(session.expires_at),
        seen_at: Some(session.seen_at),
    }))
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}
