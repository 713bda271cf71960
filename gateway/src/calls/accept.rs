//! A carrier's media stream and `GET /v1/phone/media`: a socket becomes a call, or is closed with a reason.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use telephony::carrier::MediaWire;
use telephony::phone::WIRE;
use tracing::Instrument;

use super::admission::Admission;
use super::budget::{self, Allowance};
use super::doorway::{Doorway, Place};
use super::handshake::{self, Opened, Refusal};
use super::pending_streams::Opening;
use super::run::Admitted;
use super::socket::{self, Closing, code};
use super::{busy, run};
use crate::app::App;
use crate::auth::origin;
use crate::error::{ApiError, ErrorCode, QueryOf};
use crate::providers::notices::Notice;
use crate::telemetry::metrics;
use crate::webhooks::authenticity;

/// The carrier's media stream. The upgrade is signed like a webhook.
pub async fn carrier(
    State(app): State<Arc<App>>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if let Err(refusal) = authenticity::check_upgrade(&app, &request) {
        return refusal.into_response();
    }
    let source = origin::peer(request.extensions());
    let door = app.doorways.carrier.clone();
    accept(app, upgrade, (&door, source), None)
}

/// Names the awaited call in a phone's stream address.
#[derive(Debug, Deserialize)]
pub struct PhoneStream {
    call: Option<String>,
}

/// The browser phone's media stream. Its address names a call that a signed-in session asked for, its single-use token
/// comes with `start`; pages of other sites are kept out.
pub async fn phone(
    State(app): State<Arc<App>>,
    QueryOf(named): QueryOf<PhoneStream>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    request: Request,
) -> Response {
    if origin::is_cross_origin(request.headers(), &app.public_url) {
        return ApiError::forbidden("the stream was opened by a page of another site").into_response();
    }
    let call = named.call.and_then(|id| id.parse().ok()).and_then(|id| app.expected.phone(id));
    let Some(call) = call else {
        metrics::refused("not_awaited");
        return ApiError::forbidden("no call of a phone is awaited under that address")
            .advise("open the stream_url that POST /v1/phone gave, as it is")
            .into_response();
    };
    let Some(opening) = call.open() else {
        metrics::refused("too_many_handshakes");
        return ApiError::new(ErrorCode::ServiceUnavailable, "this call's stream is being opened already")
            .into_response();
    };
    let source = origin::peer(request.extensions());
    let door = app.doorways.phones.clone();
    accept(app, upgrade, (&door, source), Some(opening))
}

fn accept(
    app: Arc<App>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
    (door, source): (&Doorway, IpAddr),
    opening: Option<Opening>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return ApiError::from(rejection).into_response(),
    };
    let Some(place) = door.enter(source) else {
        metrics::refused("too_many_handshakes");
        return ApiError::new(ErrorCode::ServiceUnavailable, "too many streams are opening").into_response();
    };
    // Held from here, so that a stop waits for sockets that are still shaking hands.
    let tracked = app.tasks.token();
    socket::bounded(upgrade).on_upgrade(move |socket| async move {
        hold(&app, socket, (place, opening)).await;
        drop(tracked);
    })
}

/// A socket's whole life.
async fn hold(app: &Arc<App>, mut socket: WebSocket, handshake: (Place, Option<Opening>)) {
    let accepted = Instant::now();
    // A phone of ours speaks the same whoever the carrier is.
    let wire: &dyn MediaWire = if handshake.1.is_some() { &WIRE } else { app.carrier.as_ref() };
    let opened = tokio::select! {
        opened = handshake::complete(app, wire, &mut socket, accepted) => opened,
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
    // Held for as long as the call lasts.
    let place = app.gates.call(opened.call.line.tenant_id);
    let (admission, why, allowed) = match budget::allowance(app.config.budget, &store).await {
        Allowance::Call(_) if place.is_none() => {
            metrics::refused("tenant_full");
            (app.capacity.turn_away(), Notice::Busy, None)
        }
        Allowance::Call(most) => {
            let admission = app.capacity.admit((ready.providers.load)(), app.strain.read());
            (admission, Notice::Busy, most)
        }
        Allowance::Spent => (app.capacity.turn_away(), Notice::Budget, None),
    };
    match admission {
        Admission::Serve(permit) => {
            let admitted = Admitted { opened, accepted, permit, store, budget_micros: allowed, notes: None };
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

pub(super) async fn refuse(socket: WebSocket, refusal: Refusal) {
    metrics::refused(refusal.reason);
    tracing::warn!(reason = refusal.reason, code = refusal.closing.code, "a media stream was refused");
    socket::close(socket, &refusal.closing).await;
}
