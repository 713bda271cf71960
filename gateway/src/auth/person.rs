//! A request of a person in their own matters: by their session, never by a program's token.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use storage::Session;

use super::permission::SeeSelf;
use super::principal::{self, Principal};
use super::scope::Allowed;
use super::session;
use crate::app::App;
use crate::error::ApiError;

/// Somebody who is signed in to the console.
#[derive(Debug)]
pub struct SignedIn {
    pub principal: Principal,
    pub session: Session,
}

impl FromRequestParts<Arc<App>> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let Allowed { principal, .. } = Allowed::<SeeSelf>::from_request_parts(parts, app).await?;
        // `authenticate` takes a token before a cookie: one that came with this request speaks for a program.
        let by_cookie = !parts.headers.contains_key(axum::http::header::AUTHORIZATION);
        let secret = session::cookie(&parts.headers).filter(|_| by_cookie);
        let session = match secret {
            Some(secret) => principal::open_session(app, &secret).await?,
            None => None,
        };
        let session = session.ok_or_else(|| {
            ApiError::forbidden("this is for people who are signed in to the console, not for tokens")
        })?;
        Ok(Self { principal, session })
    }
}
