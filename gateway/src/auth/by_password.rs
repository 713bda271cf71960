//! `POST /sign-in/password`: a login and its password for a session.
//!
//! Whoever has no such password hears the same, after the same work, whether or not there is such a user.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use serde::Deserialize;
use storage::{Auth, BegunBy, Credentials, UserId};
use uuid::Uuid;

use super::pages::{self, Again};
use super::secrets::Given;
use super::{origin, sign_in};
use crate::app::App;
use crate::audit::acts;
use crate::error::{ApiError, FormOf};

/// Largest form.
pub const MAX_BODY: usize = 8 * 1024;
/// Bytes of a login that are looked at.
const LONGEST_LOGIN: usize = 200;

/// What the form carries.
#[derive(Debug, Deserialize)]
pub struct Asked {
    login: String,
    password: Given,
}

/// The handler.
pub async fn submit(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
    FormOf(asked): FormOf<Asked>,
) -> Result<Response, ApiError> {
    // A page of another site must not sign a visitor in under an identity of its choice.
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the form was posted by a page of another site"));
    }
    let login = asked.login.trim();
    let again = |message| Again { login, message };
    if login.is_empty() || login.len() > LONGEST_LOGIN {
        return Ok(pages::refused(
            &app,
            StatusCode::BAD_REQUEST,
            &Again { login: "", message: "Type your login." },
        ));
    }
    let address = origin::client(&extensions, &headers, &app.config.sign_in.proxies);
    let store = app.platform.store();
    if let Err(wait) = app.attempts.begin(store, login, address, Utc::now()).await {
        let message = format!("Too many attempts failed. {}.", capital(wait.action().unwrap_or("Try later")));
        let mut response = pages::refused(&app, StatusCode::TOO_MANY_REQUESTS, &again(&message));
        if let Some(after) = wait.into_response().headers_mut().remove(header::RETRY_AFTER) {
            response.headers_mut().insert(header::RETRY_AFTER, after);
        }
        return Ok(response);
    }
    let user = store.user_by_login(login).await?;
    // Asked for nobody, too: that takes its time as well.
    let id = user.as_ref().map_or(UserId(Uuid::nil()), |user| user.id);
    let kept = store.password(id).await?.map(|kept| kept.hash);
    let is_right = app.hasher.matches(asked.password.0, kept).await?;
    match user {
        Some(user) if is_right => {
            app.attempts.succeeded(store, login, address, Utc::now()).await;
            sign_in::begin(&app, &user, BegunBy::Password, None).await
        }
        user => {
            app.audit.stranger(acts::password_refused(user.as_ref())).await;
            tracing::warn!(audit = "session.refused", "a login and its password were not good");
            let message = "That login and password do not belong together. Whoever has no password yet signs in with \
                a one-time link of an administrator.";
            Ok(pages::refused(&app, StatusCode::UNAUTHORIZED, &again(message)))
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
