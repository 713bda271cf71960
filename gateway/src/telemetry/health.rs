//! `/health`, `/ready`, `/metrics`.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Value, json};

use super::metrics::recorder;
use crate::app::App;
use crate::auth::{guard, origin};
use crate::error::{ApiError, ErrorCode};

/// State of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    Healthy,
    Degraded,
    Unhealthy,
}

/// The standard health response.
#[derive(Debug, Serialize)]
pub struct HealthCheckResponse {
    status: HealthStatus,
    version: &'static str,
    timestamp: DateTime<Utc>,
    uptime_seconds: u64,
    dependencies: BTreeMap<&'static str, HealthStatus>,
    metrics: Value,
}

/// `GET /health`: for everyone its status; for this machine and those with a token all of it.
pub async fn health(State(app): State<Arc<App>>, parts: Parts) -> Response {
    let full = check(&app).await;
    let code = match full.status {
        HealthStatus::Unhealthy => StatusCode::SERVICE_UNAVAILABLE,
        HealthStatus::Healthy | HealthStatus::Degraded => StatusCode::OK,
    };
    if may_look(&app, &parts).await.is_ok() {
        (code, Json(full)).into_response()
    } else {
        (code, Json(json!({ "status": full.status }))).into_response()
    }
}

/// `GET /ready`: 200 when a call that comes now is served.
pub async fn ready(State(app): State<Arc<App>>, parts: Parts) -> Result<Response, ApiError> {
    may_look(&app, &parts).await?;
    if app.is_ready() {
        return Ok(Json(json!({ "ready": true })).into_response());
    }
    let why = if app.stop.draining.is_cancelled() {
        "the gateway is stopping"
    } else {
        "the speech engines are loading"
    };
    Err(ApiError::new(ErrorCode::ServiceUnavailable, why).with_details(json!({ "ready": false })))
}

/// `GET /metrics`: Prometheus text.
pub async fn metrics(State(app): State<Arc<App>>, parts: Parts) -> Result<Response, ApiError> {
    may_look(&app, &parts).await?;
    if let Some(ready) = app.ready.get() {
        metrics::gauge!("quandura_speech_load").set(f64::from(ready.load()));
    }
    let text = recorder().map(|handle| {
        handle.run_upkeep();
        handle.render()
    });
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, text.unwrap_or_default()).into_response())
}

/// Decision 32: this machine needs no token.
async fn may_look(app: &App, parts: &Parts) -> Result<(), ApiError> {
    if origin::is_local(origin::peer(&parts.extensions), &parts.headers) {
        return Ok(());
    }
    guard::authenticate(app, parts).await.map(drop)
}

async fn check(app: &App) -> HealthCheckResponse {
    let storage = app.platform.health().await;
    let storage_works = storage.iter().all(|database| database.answer.is_ok());
    let speech = match app.ready.get() {
        Some(ready) if ready.load() < 0.95 => HealthStatus::Healthy,
        Some(_) | None => HealthStatus::Degraded,
    };
    let dependencies = BTreeMap::from([
        ("storage", if storage_works { HealthStatus::Healthy } else { HealthStatus::Unhealthy }),
        ("speech", speech),
    ]);
    HealthCheckResponse {
        status: dependencies.values().copied().max().unwrap_or(HealthStatus::Healthy),
        version: env!("CARGO_PKG_VERSION"),
        timestamp: Utc::now(),
        uptime_seconds: app.started.elapsed().as_secs(),
        dependencies,
        metrics: json!({
            "calls_live": app.live.len(),
            "calls_max": app.capacity.most(),
            "draining": app.stop.draining.is_cancelled(),
        }),
    }
}
