//! `/v1/me/passkeys`: made, named, taken away by whom they belong to.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{Credentials, NewPasskey, Passkey};

use super::account::{is_recent, may_have_credentials};
use crate::app::App;
use crate::audit::acts;
use crate::auth::passkey::{CHALLENGE_LIVES, ceremony, cose, routes};
use crate::auth::person::SignedIn;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Passkeys of one person.
const MOST: usize = 20;
/// Characters of a name.
const LONGEST_NAME: usize = 60;

/// What a device made; in base64url.
#[derive(Debug, Deserialize)]
pub struct Made {
    name: String,
    client_data: String,
    attestation: String,
}

/// Another name.
#[derive(Debug, Deserialize)]
pub struct Named {
    name: String,
}

/// `POST /v1/me/passkeys/options`: what the browser is asked to make.
pub async fn options(State(app): State<Arc<App>>, who: SignedIn) -> Result<Json<Value>, ApiError> {
    let party = routes::party(&app)?;
    may_add(&who)?;
    let (store, user) = (app.platform.store(), &who.session.user);
    let kept = store.passkeys_of(user.id).await?;
    if kept.len() >= MOST {
        return Err(ApiError::new(ErrorCode::Conflict, format!("{MOST} passkeys are the most a person has")));
    }
    let challenge = store.issue_challenge(Some(user.id), CHALLENGE_LIVES).await?;
    let exclude: Vec<_> = kept.iter().map(|one| URL_SAFE_NO_PAD.encode(&one.credential_id)).collect();
    Ok(Json(json!({
        "challenge": URL_SAFE_NO_PAD.encode(challenge.expose_secret()), "rp_id": party.id, "rp_name": "Quandura Voice",
        "user_id": URL_SAFE_NO_PAD.encode(user.id.0.as_bytes()), "user_name": user.login,
        "user_display_name": user.display_name, "algorithms": cose::ALGORITHMS, "exclude": exclude,
        "timeout_ms": CHALLENGE_LIVES.as_millis(),
    })))
}

/// `POST /v1/me/passkeys`.
pub async fn add(
    State(app): State<Arc<App>>,
    who: SignedIn,
    JsonBody(asked): JsonBody<Made>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let party = routes::party(&app)?;
    may_add(&who)?;
    let (store, user) = (app.platform.store(), &who.session.user);
    let name = checked(&asked.name)?;
    let refused = |what: &str| ApiError::invalid("passkey", format!("cannot be taken ({what})"));
    let read = |text: &str| {
        URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).map_err(|_| refused("not to be read"))
    };
    let (client_data, attestation) = (read(&asked.client_data)?, read(&asked.attestation)?);
    let (made, challenge) =
        ceremony::made(&client_data, &attestation, &party).map_err(|fault| refused(fault.code()))?;
    let challenge = String::from_utf8(read(&challenge)?).map_err(|_| refused("challenge"))?;
    if !store.use_challenge(&challenge, Some(user.id)).await? {
        return Err(refused("challenge").advise("begin again"));
    }
    let new = NewPasskey {
        user_id: user.id,
        credential_id: made.credential_id,
        public_key: made.public_key,
        uses: made.count,
        name,
    };
    let passkey = store.add_passkey(new).await?;
    app.audit.record(user.tenant_id, acts::passkey_changed(&who.principal, "added", passkey.id)).await?;
    tracing::info!(audit = "passkey.added", user = %user.id, "a passkey was added");
    Ok((StatusCode::CREATED, Json(shape(&passkey))))
}

/// `PATCH /v1/me/passkeys/{id}`.
pub async fn rename(
    State(app): State<Arc<App>>,
    who: SignedIn,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Named>,
) -> Result<StatusCode, ApiError> {
    let (id, name) = (id.parse().map_err(|_| ApiError::not_found("passkey"))?, checked(&asked.name)?);
    if !app.platform.store().rename_passkey(who.session.user.id, id, &name).await? {
        return Err(ApiError::not_found("passkey"));
    }
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /v1/me/passkeys/{id}`.
pub async fn remove(
    State(app): State<Arc<App>>,
    who: SignedIn,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let user = &who.session.user;
    let id = id.parse().map_err(|_| ApiError::not_found("passkey"))?;
    if !app.platform.store().remove_passkey(user.id, id).await? {
        return Err(ApiError::not_found("passkey"));
    }
    app.audit.record(user.tenant_id, acts::passkey_changed(&who.principal, "removed", id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A session that was left open on somebody's desk must not become a key of whoever sits down there.
fn may_add(who: &SignedIn) -> Result<(), ApiError> {
    if !may_have_credentials(&who.session) {
        return Err(ApiError::forbidden("this login is a token's or a provider's, and has no passkeys here"));
    }
    if !is_recent(&who.session) {
        return Err(ApiError::forbidden("a passkey is added soon after signing in")
            .advise("sign out, sign in again, and add it within 15 minutes"));
    }
    Ok(())
}

fn checked(name: &str) -> Result<String, ApiError> {
    let name: String = name.trim().chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        return Err(ApiError::invalid("name", format!("must have 1 to {LONGEST_NAME} characters")));
    }
    Ok(name)
}

/// As its owner sees it.
pub fn shape(passkey: &Passkey) -> Value {
    json!({
        "id": passkey.id, "name": passkey.name, "created_at": passkey.created_at, "used_at": passkey.used_at,
    })
}
