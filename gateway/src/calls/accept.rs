//! `GET /twilio/media` and `GET /v1/phone/media`: a socket becomes a call, or is closed with a reason.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use super::admission::Admission;
use super::budget::{self, Allowance};
use super::handshake::{self, Opened, Refusal};
use super::run::Admitted;
use super::socket::{self, Closing, code};
use super::{busy, run};
use crate::app::App;
use crate::auth::origin;
use crate::error::{ApiError, ErrorCode};
use crate::providers::notices::Notice;
use crate::telemetry::metrics;
use crate::webhooks::trust;

/// The carrier's media stream. The upgrade is signed like a webhook.
pub async fn carrier(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if let Err(refusal) = trust::check_upgrade(&app, &request) {
        return refusal.into_response();
    }
    accept(app, upgrade)
}

/// The browser phone's media stream. Its single-use token was given to a signed-in session, so only pages of
/// other sites need to be kept out here.
pub async fn phone(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if origin::is_cross_origin(request.headers(), &app.public_url) {
        return ApiError::forbidden("the stream was opened by a page of another site").into_response();
    }
    accept(app, upgrade)
}

fn accept(
    app: Arc<App>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return rejection.into_response(),
    };
    let Ok(handshake) = app.handshakes.clone().try_acquire_owned() else {
        metrics::refused("too_many_handshakes");
        return ApiError::new(ErrorCode::ServiceUnavailable, "too many streams are opening").into_response();
    };
    // Held from here, so that a stop waits for sockets that are still shaking hands.
    let tracked = app.tasks.token();
    socket::bounded(upgrade).on_upgrade(move |socket| async move {
        hold(&app, socket, handshake).await;
        drop(tracked);
    })
}

/// A socket's whole life.
async fn hold(app: &Arc<App>, mut socket: WebSocket, handshake: OwnedSemaphorePermit) {
    let accepted = Instant::now();
    let opened = tokio::select! {
        opened = handshake::complete(app, &mut socket, accepted) => opened,
        () = app.stop.now.cancelled() => Err(Refusal {
            closing: Closing::new(code::GOING_AWAY, "the gateway is stopping"),
            reason: "draining",
        }),
    };
    drop(handshake);
    match opened {
        Ok(opened) => {
            let span = tracing::info_span!("call", call_id = %opened.call.id);
            admit(app, socket, opened, accepted).instrument(span).await;
        }
        Err(refusal) => refuse(socket, refusal).await,
    }
}

async fn admit(app: &Arc<App>, socket: WebSocket, opened: Opened, accepted: Instant) {
    if app.stop.draining.is_cancelled() {
        metrics::refused("draining");
        return socket::close(socket, &Closing::new(code::GOING_AWAY, "the gateway is stopping")).await;
    }
    let Some(ready) = app.ready.get() else {
        metrics::refused("not_ready");
        return socket::close(socket, &Closing::new(code::TRY_LATER, "the gateway is starting")).await;
    };
    let store = match app.platform.tenant(opened.call.line.tenant_id).await {
        Ok(store) => store,
        Err(error) => {
            tracing::error!(%error, "the call's tenant cannot be opened");
            metrics::refused("failed");
            return socket::close(socket, &Closing::new(code::INTERNAL, "the call could not begin")).await;
        }
    };
    let (admission, why, allowed) = match budget::allowance(app.config.budget, &store).await {
        Allowance::Call(most) => {
            let admission = app.capacity.admit((ready.providers.load)(), app.strain.read());
            (admission, Notice::Busy, most)
        }
        Allowance::Spent => (app.capacity.turn_away(), Notice::Budget, None),
    };
    match admission {
        Admission::Serve(permit) => {
            let admitted = Admitted { opened, accepted, permit, store, budget_micros: allowed };
            run::serve(app, ready, socket, admitted).await;
        }
        Admission::Busy(permit) => busy::tell(app, ready, socket, opened, why, permit).await,
        Admission::Refuse => {
            metrics::refused("full");
            tracing::warn!("no room, not even for the busy message");
            socket::close(socket, &Closing::new(code::TRY_LATER, "all lines are busy")).await;
        }
    }
}

async fn refuse(socket: WebSocket, refusal: Refusal) {
    metrics::refused(refusal.reason);
    tracing::warn!(reason = refusal.reason, code = refusal.closing.code, "a media stream was refused");
    socket::close(socket, &refusal.closing).await;
}
