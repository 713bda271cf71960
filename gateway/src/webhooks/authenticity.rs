//! That a request comes from the carrier: by its signature, or, without a key to check one, by coming from this
//! machine alone.

use axum::extract::Request;
use axum::http::{Extensions, HeaderMap, Uri};
use chrono::Utc;
use telephony::carrier::{CarrierRequest, RequestBody};

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
    is_ours(app, seen)?;
    let path = seen.uri.path_and_query().map_or("/", |p| p.as_str());
    if app.carrier.has_key() {
        signed(app, &app.public_url.join(path), seen.headers, body)
    } else {
        local_only(app, seen)
    }
}

/// Another carrier's webhooks are there, and are not this gateway's.
fn is_ours(app: &App, seen: Seen<'_>) -> Result<(), ApiError> {
    let name = app.carrier.name();
    let first = seen.uri.path().split('/').nth(1);
    if first == Some(name) {
        return Ok(());
    }
    metrics::refused("other_carrier");
    tracing::warn!(carrier = name, "a request for another carrier's webhooks was refused");
    Err(ApiError::not_found("address")
        .advise(format!("this gateway's carrier is {name}: use the addresses below /{name}")))
}

/// Checks the upgrade of a media stream. A carrier that signs it signs the `wss` address that it was given; of one that does
/// not, the stream's token is all there is, and enough.
pub fn check_upgrade(app: &App, request: &Request) -> Result<(), ApiError> {
    let seen = Seen { uri: request.uri(), headers: request.headers(), extensions: request.extensions() };
    is_ours(app, seen)?;
    let path = seen.uri.path_and_query().map_or("/", |p| p.as_str());
    match (app.carrier.has_key(), app.carrier.abilities().signs_streams) {
        (true, true) => signed(app, &app.public_url.join_ws(path), seen.headers, RequestBody::Upgrade),
        (true, false) => Ok(()),
        (false, _) => local_only(app, seen),
    }
}

fn signed(app: &App, url: &str, headers: &HeaderMap, body: RequestBody<'_>) -> Result<(), ApiError> {
    let pairs: Vec<(&str, &str)> =
        headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect();
    let now_unix = u64::try_from(Utc::now().timestamp()).unwrap_or_default();
    match app.carrier.verify(&CarrierRequest { url, headers: &pairs, body, now_unix }) {
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
    Err(ApiError::forbidden(why).advise(app.config.carrier.key_advice()))
}
