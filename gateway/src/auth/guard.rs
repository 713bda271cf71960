//! The door of the API: rebinding, identity, and cross-site requests, in this order.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use chrono::{TimeDelta, Utc};
use storage::Auth;

use super::origin;
use super::principal::{Kind, Principal, identify};
use crate::app::App;
use crate::audit::acts;
use crate::error::{ApiError, ErrorCode};

/// How often it is noted that a session is used. Looks at whether an open stream may go on are no use of it.
const SEEN_EVERY: TimeDelta = TimeDelta::minutes(1);

/// Refuses requests to a name that is not ours. In unsigned mode a browser on this machine can be led here by a
/// rebound name, so names are checked; behind a carrier's public address the proxy in front decides.
pub async fn refuse_foreign_host(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    if app.config.unsigned() && !origin::host_is_ours(request.headers(), &app.public_url) {
        return ApiError::forbidden("this gateway does not answer to that host name")
            .with_status(StatusCode::MISDIRECTED_REQUEST)
            .advise("use the address that `quandura serve` printed, or set PUBLIC_URL to the name you use")
            .into_response();
    }
    next.run(request).await
}

/// Who makes this request. Refuses those who prove nothing, and pages of other sites that ride on a session.
pub async fn authenticate(app: &App, parts: &Parts) -> Result<Principal, ApiError> {
    let peer = origin::peer(&parts.extensions);
    let Some(principal) = identify(app, &parts.headers, peer).await? else {
        if parts.headers.contains_key(header::AUTHORIZATION) {
            app.audit.stranger(acts::token_refused()).await;
        }
        return Err(ApiError::unauthorized());
    };
    let is_safe = matches!(parts.method, Method::GET | Method::HEAD | Method::OPTIONS);
    let rides_on_session = matches!(principal.kind, Kind::Session(_));
    if rides_on_session && !is_safe && !origin::origin_is_ours(&parts.headers, &app.public_url) {
        return Err(ApiError::new(ErrorCode::Forbidden, "the request was made by a page of another site")
            .advise("send it from the console, or with a bearer token"));
    }
    if let (Kind::Session(id), Some(seen)) = (principal.kind, principal.seen_at)
        && Utc::now() - seen > SEEN_EVERY
    {
        app.platform.store().session_used(id).await?;
    }
    Ok(principal)
}
