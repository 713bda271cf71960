//! What every HTTP request gets: an id, a count, and headers that keep browsers careful.

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;
use uuid::Uuid;

use crate::console::assets::CONTENT_SECURITY_POLICY;

tokio::task_local! {
    static ID: Uuid;
}

/// Id of the request that this task serves; `None` outside of requests.
#[must_use]
pub fn id() -> Option<Uuid> {
    ID.try_with(|id| *id).ok()
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Names the request in log and answer, and counts it by route. Path and query are not logged: they hold ids,
/// and a sign-in link's query is a secret.
pub async fn observe(request: Request, next: Next) -> Response {
    let own = Uuid::now_v7();
    let id = own.to_string();
    let route = request.extensions().get::<MatchedPath>().map_or("(console)", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id, method = %request.method(), route);
    let mut response = ID.scope(own, next.run(request)).instrument(span.clone()).await;
    let status = response.status();
    span.in_scope(|| {
        // 503 is an answer, not a fault: /ready gives it all through a start.
        if status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE {
            tracing::warn!(status = status.as_u16(), "request failed");
        } else {
            tracing::debug!(status = status.as_u16(), "request");
        }
    });
    metrics::counter!("quandura_http_requests_total", "route" => route, "status" => status.as_u16().to_string())
        .increment(1);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// Security headers. A handler's own header of the same name stays.
pub async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let defaults: [(HeaderName, &'static str); 6] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not `no-referrer`: under that, browsers post forms with `Origin: null`, which is no origin of ours.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (HeaderName::from_static("permissions-policy"), "microphone=(self), camera=(), geolocation=()"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in defaults {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}
