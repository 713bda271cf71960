//! Every route on one screen.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{delete, get, post};
use axum::{Router, http::StatusCode};

use crate::api::{
    calls, control, events, knowledge, me, passport, phone, record, tenant_settings, tenants, text_checks,
    tokens, transcript, users, work_items,
};
use crate::app::App;
use crate::auth::{guard, sign_in};
use crate::calls::accept;
use crate::console::assets;
use crate::error::{ApiError, ErrorCode};
use crate::telemetry::{health, request};
use crate::webhooks::{resume, status, voice};

/// Largest JSON body: a few hundred documents.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// The whole HTTP surface.
pub fn router(app: Arc<App>) -> Router {
    let carrier = Router::new()
        .route(voice::VOICE_PATH, get(voice::handle).post(voice::handle))
        .route(voice::RESUME_PATH, get(resume::handle).post(resume::handle))
        .route("/twilio/status", post(status::handle))
        .route(voice::MEDIA_PATH, get(accept::carrier));
    let texts = DefaultBodyLimit::max(text_checks::MAX_BODY);
    let api = Router::new()
        .route("/v1/me", get(me::handle))
        .route("/v1/calls", get(calls::list))
        .route("/v1/calls/{id}", get(calls::one))
        .route("/v1/calls/{id}/transcript", get(transcript::handle))
        .route("/v1/calls/{id}/latency", get(calls::latency))
        .route("/v1/calls/{id}/passport", get(passport::handle))
        .route("/v1/calls/{id}/hangup", post(control::hang_up))
        .route("/v1/work-items", get(work_items::list))
        .route("/v1/events", get(events::handle))
        .route("/v1/phone", post(phone::dial))
        .route(phone::MEDIA_PATH, get(accept::phone))
        .route("/v1/knowledge/documents", post(knowledge::put))
        .route("/v1/knowledge/search", post(knowledge::search))
        .route("/v1/safety/check", post(text_checks::safety_check).layer(texts))
        .route("/v1/guard/sanitize", post(text_checks::sanitize).layer(texts))
        .route("/v1/record", get(record::handle))
        .route("/v1/tenants", get(tenants::list).post(tenants::create))
        .route(
            "/v1/tenants/{id}/vocabulary",
            get(tenant_settings::vocabulary).put(tenant_settings::put_vocabulary),
        )
        .route(
            "/v1/tenants/{id}/pronunciations",
            get(tenant_settings::pronunciations).put(tenant_settings::put_pronunciations),
        )
        .route("/v1/tenants/{id}/budget", get(tenant_settings::budget).put(tenant_settings::put_budget))
        .route("/v1/users", get(users::list).post(users::create))
        .route("/v1/users/links", post(users::link))
        .route("/v1/tokens", get(tokens::list).post(tokens::create))
        .route("/v1/tokens/{id}", delete(tokens::revoke));
    let process = Router::new()
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/sign-in", get(sign_in::page).post(sign_in::submit))
        .route("/sign-out", post(sign_in::sign_out));
    Router::new()
        .merge(carrier)
        .merge(api)
        .merge(process)
        .fallback(get(assets::serve))
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), guard::refuse_foreign_host))
        .layer(from_fn(request::harden))
        .layer(from_fn(request::observe))
        .with_state(app)
}

async fn wrong_method() -> impl IntoResponse {
    ApiError::new(ErrorCode::InvalidRequest, "this address does not take that method")
        .with_status(StatusCode::METHOD_NOT_ALLOWED)
}
