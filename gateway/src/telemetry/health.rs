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
use super::process;
use crate::app::App;
use crate::auth::{guard, origin};
use crate::error::{ApiError, ErrorCode};
use crate::providers::Ready;
use crate::providers::lineup::ProviderState;

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
    dependencies: BTreeMap<String, HealthStatus>,
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
        note_load(&app, ready);
    }
    let text = recorder().map(|handle| {
        handle.run_upkeep();
        handle.render()
    });
    let text = exposition(text.unwrap_or_default());
    let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    Ok((kind, text).into_response())
}

/// Decision 32: this machine needs no token.
async fn may_look(app: &App, parts: &Parts) -> Result<(), ApiError> {
    if origin::is_local(origin::peer(&parts.extensions), &parts.headers) {
        return Ok(());
    }
    guard::authenticate(app, parts).await.map(drop)
}

/// Each provider as `stt.deepgram`, and what follows for its kind: it is degraded while somebody of it serves.
fn of_providers(states: &[ProviderState]) -> BTreeMap<String, HealthStatus> {
    let mut found = BTreeMap::new();
    for state in states {
        let own = if state.is_well { HealthStatus::Healthy } else { HealthStatus::Degraded };
        found.insert(format!("{}.{}", state.kind, state.name), own);
        let of_kind = states.iter().filter(|other| other.kind == state.kind);
        let (well, all) = of_kind.fold((0, 0), |(well, all), s| (well + usize::from(s.is_well), all + 1));
        let kind = match well {
            0 => HealthStatus::Unhealthy,
            n if n < all => HealthStatus::Degraded,
            _ => HealthStatus::Healthy,
        };
        found.insert(state.kind.to_owned(), kind);
    }
    found
}

#[allow(clippy::cast_precision_loss)] // a gauge of some hundreds at most
fn note_load(app: &App, ready: &Ready) {
    metrics::gauge!("quandura_speech_load").set(f64::from((ready.providers.load)()));
    metrics::gauge!("quandura_strain").set(f64::from(app.strain.read()));
    metrics::gauge!("quandura_calls_max").set(app.capacity.most() as f64);
    for state in (ready.lineup.states)() {
        let up = if state.is_well { 1.0 } else { 0.0 };
        metrics::gauge!("quandura_provider_up", "kind" => state.kind, "provider" => state.name).set(up);
    }
}

/// Dollars are counted as a gauge that only grows; whoever scrapes is told what it is. The process's own figures
/// come from the system.
fn exposition(text: String) -> String {
    let counted =
        text.replace("# TYPE quandura_cost_usd_total gauge", "# TYPE quandura_cost_usd_total counter");
    counted + &process::metrics()
}

async fn check(app: &App) -> HealthCheckResponse {
    let storage = app.platform.health().await;
    let storage_works = storage.iter().all(|database| database.answer.is_ok());
    let speech = match app.ready.get() {
        Some(ready) if ready.load() < 0.95 => HealthStatus::Healthy,
        Some(_) | None => HealthStatus::Degraded,
    };
    let storage = if storage_works { HealthStatus::Healthy } else { HealthStatus::Unhealthy };
    let backend = format!("storage.{}", app.platform.backend()).to_lowercase();
    let mut dependencies =
        BTreeMap::from([("storage".to_owned(), storage), (backend, storage), ("speech".to_owned(), speech)]);
    if !app.damaged.is_empty() {
        dependencies.insert("storage.tenants".to_owned(), HealthStatus::Degraded);
    }
    if !app.unended.is_empty() {
        dependencies.insert("storage.calls_to_end".to_owned(), HealthStatus::Degraded);
    }
    if app.recordings.disk.is_full() {
        dependencies.insert("recordings".to_owned(), HealthStatus::Degraded);
    }
    for name in app.loops.unwell() {
        dependencies.insert(format!("task.{name}"), HealthStatus::Degraded);
    }
    if let Some(ready) = app.ready.get() {
        dependencies.extend(of_providers(&(ready.lineup.states)()));
        if let Some(rendered) = &ready.lineup.rendered {
            let phrases = if rendered.is_complete() { HealthStatus::Healthy } else { HealthStatus::Degraded };
            dependencies.insert("phrases".to_owned(), phrases);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn state(kind: &'static str, name: &'static str, is_well: bool) -> ProviderState {
        ProviderState { kind, name, is_well }
    }

    #[test]
    fn a_kind_is_degraded_while_somebody_of_it_serves_and_down_when_nobody_does() {
        let health = of_providers(&[
            state("stt", "deepgram", false),
            state("stt", "local", true),
            state("llm", "anthropic", false),
            state("tts", "elevenlabs", true),
        ]);
        let of = |name: &str| health[name];
        assert_eq!((of("stt"), of("stt.deepgram")), (HealthStatus::Degraded, HealthStatus::Degraded));
        assert_eq!((of("stt.local"), of("tts")), (HealthStatus::Healthy, HealthStatus::Healthy));
        assert_eq!((of("llm"), of("llm.anthropic")), (HealthStatus::Unhealthy, HealthStatus::Degraded));
    }

    #[test]
    fn dollars_are_told_as_a_counter_beside_the_process() {
        let text =
            exposition("# TYPE quandura_cost_usd_total gauge\nquandura_cost_usd_total 1.5\n".to_owned());
        assert!(text.starts_with("# TYPE quandura_cost_usd_total counter\nquandura_cost_usd_total 1.5\n"));
        assert!(text.contains("\nprocess_cpu_seconds_total "), "{text}");
    }
}
