//! `POST /sign-in/passkey/options` and `POST /sign-in/passkey`: a passkey for a session, without a login: the device knows it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{Extensions, HeaderMap, StatusCode, header};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{Auth, BegunBy, Credentials, User};

use super::ceremony::{self, Fault, Used};
use super::{CHALLENGE_LIVES, Party};
use crate::app::App;
use crate::audit::acts;
use crate::auth::{origin, sign_in};
use crate::error::{ApiError, ErrorCode, JsonBody};

/// What a device signed; each part in base64url.
#[derive(Debug, Deserialize)]
pub struct Signed {
    id: String,
    client_data: String,
    authenticator_data: String,
    signature: String,
    user_handle: Option<String>,
}

/// `POST /sign-in/passkey/options`.
pub async fn options(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
) -> Result<Json<Value>, ApiError> {
    let party = party(&app)?;
    own_page(&app, &headers)?;
    app.gates.begins(origin::client(&extensions, &headers, &app.config.sign_in.proxies))?;
    let challenge = app.platform.store().issue_challenge(None, CHALLENGE_LIVES).await?;
    Ok(Json(json!({
        "challenge": URL_SAFE_NO_PAD.encode(secrecy::ExposeSecret::expose_secret(&challenge)),
        "rp_id": party.id, "timeout_ms": CHALLENGE_LIVES.as_millis(),
    })))
}

/// `POST /sign-in/passkey`.
pub async fn submit(
    State(app): State<Arc<App>>,
    extensions: Extensions,
    headers: HeaderMap,
    JsonBody(signed): JsonBody<Signed>,
) -> Result<Response, ApiError> {
    let party = party(&app)?;
    own_page(&app, &headers)?;
    match check(&app, &party, &signed).await? {
        Ok(user) => {
            let mut response = sign_in::begin(&app, &user, BegunBy::Passkey, None).await?;
            // A script asks, and goes on by itself.
            *response.status_mut() = StatusCode::NO_CONTENT;
            response.headers_mut().remove(header::LOCATION);
            Ok(response)
        }
        Err(why) => {
            app.gates.failed(origin::client(&extensions, &headers, &app.config.sign_in.proxies))?;
            app.audit.stranger(acts::passkey_refused(why)).await;
            tracing::warn!(audit = "session.refused", why, "a passkey let nobody in");
            Err(ApiError::new(ErrorCode::Unauthorized, "this passkey lets nobody in here")
                .advise("try another one, or sign in another way"))
        }
    }
}

/// Whose passkey it is, or why it does not count.
async fn check(app: &App, party: &Party, signed: &Signed) -> Result<Result<User, &'static str>, ApiError> {
    let read = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
    let parts = (|| {
        let [id, client_data] = [read(&signed.id)?, read(&signed.client_data)?];
        Some((id, client_data, read(&signed.authenticator_data)?, read(&signed.signature)?))
    })();
    let Some((id, client_data, authenticator_data, signature)) = parts else { return Ok(Err("broken")) };
    let used =
        Used { client_data: &client_data, authenticator_data: &authenticator_data, signature: &signature };
    let store = app.platform.store();
    let challenge = match ceremony::challenge_of(used, party) {
        Ok(challenge) => challenge,
        Err(fault) => return Ok(Err(fault.code())),
    };
    let is_ours = match read(&challenge).and_then(|challenge| String::from_utf8(challenge).ok()) {
        Some(challenge) => store.use_challenge(&challenge, None).await?,
        None => false,
    };
    if !is_ours {
        return Ok(Err("challenge"));
    }
    let Some(passkey) = store.passkey(&id).await? else { return Ok(Err("unknown")) };
    let count = match ceremony::used(used, &passkey.public_key, passkey.uses(), party) {
        Ok(count) => count,
        Err(fault) => return Ok(Err(fault.code())),
    };
    let handle = signed.user_handle.as_deref().and_then(read);
    if handle.is_some_and(|handle| handle != passkey.user_id.0.as_bytes()) {
        return Ok(Err("other_user"));
    }
    // Of two uses at once with the same count, one is a copy's.
    if !store.passkey_used(passkey.id, count).await? {
        return Ok(Err(Fault::Copied.code()));
    }
    Ok(store.user(passkey.user_id).await?.ok_or("unknown"))
}

/// Whose passkeys are taken here.
pub fn party(app: &App) -> Result<Party, ApiError> {
    Party::of(&app.public_url).ok_or_else(|| {
        ApiError::not_found("passkey")
            .advise("passkeys need a name and HTTPS: set PUBLIC_URL to https://voice.example.com")
    })
}

fn own_page(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    if origin::is_cross_origin(headers, &app.public_url) {
        return Err(ApiError::forbidden("the request was made by a page of another site"));
    }
    Ok(())
}
