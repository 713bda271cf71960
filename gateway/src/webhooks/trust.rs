//! That a request comes from the carrier: by its signature, or, without a key to check one, by coming from this
//! machine alone.

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, Uri};
use telephony::carrier::{CarrierRequest, RequestBody};
use telephony::twilio::signature::SigningKeys;

use crate::app::App;
use crate::auth::origin;
use crate::error::ApiError;
use crate::telemetry::metrics;

/// What of a request the check needs.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub uri: &'a Uri,
    pub headers: &'a HeaderMap,
    pub extensions: &'a Extensions,
}

/// Checks a webhook.
pub fn check(app: &App, seen: Seen<'_>, body: RequestBody<'_>) -> Result<(), ApiError> {
    let path = seen.uri.path_and_query().map_or("/", |p| p.as_str());
    match &app.signing {
        Some(keys) => signed(keys, &app.public_url.join(path), seen.headers, body),
        None => local_only(app, seen),
    }
}

/// Checks the upgrade of a media stream. The carrier signs the `wss` address that it was given.
pub fn check_upgrade(app: &App, request: &Request) -> Result<(), ApiError> {
    let seen = Seen { uri: request.uri(), headers: request.headers(), extensions: request.extensions() };
    let path = seen.uri.path_and_query().map_or("/", |p| p.as_str());
    match &app.signing {
        Some(keys) => signed(keys, &app.public_url.join_ws(path), seen.headers, RequestBody::Upgrade),
        None => local_only(app, seen),
    }
}

fn signed(keys: &SigningKeys, url: &str, headers: &HeaderMap, body: RequestBody<'_>) -> Result<(), ApiError> {
    let pairs: Vec<(&str, &str)> =
        headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect();
    match keys.verify(&CarrierRequest { url, headers: &pairs, body }) {
        Ok(form) => {
            tracing::debug!(form, "carrier signature matched");
            Ok(())
        }
        Err(e) => {
            metrics::refused(e.reason());
            tracing::warn!(reason = e.reason(), "a carrier request was refused");
            Err(ApiError::forbidden(e.to_string()))
        }
    }
}

/// Decision 15: without a key only this machine may call, directly, on an address that only it can reach.
fn local_only(app: &App, seen: Seen<'_>) -> Result<(), ApiError> {
    let why = if !app.public_url.is_loopback() {
        "PUBLIC_URL is public, so carrier requests must be signed"
    } else if !origin::is_local(origin::peer(seen.extensions), seen.headers) {
        "unsigned carrier requests are served from this machine only"
    } else if origin::is_cross_origin(seen.headers, &app.public_url) {
        "the request was made by a page of another site"
    } else {
        return Ok(());
    };
    metrics::refused("unsigned");
    tracing::warn!(why, "a carrier request was refused");
    Err(ApiError::forbidden(why).advise("set TWILIO_AUTH_TOKEN to the carrier account's token"))
}
