//! From an open socket to a call: `connected`, `start`, token, and the call that the token names.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::{Message, WebSocket};
use chrono::{DateTime, Utc};
use storage::Auth;
use telephony::carrier::{MediaReader, MediaWire, MediaWriter};
use telephony::media::{CallTime, MediaEvent, StreamStart};
use tokio::time::timeout;

use super::pending_streams::ExpectedCall;
use super::socket::{self, Closing, code};
use crate::app::App;

/// Name of the stream parameter that carries the token.
pub const TOKEN_PARAMETER: &str = "token";

/// A socket that belongs to a call.
#[derive(Debug)]
pub struct Opened {
    pub call: Arc<ExpectedCall>,
    pub reader: Box<dyn MediaReader>,
    pub writer: Box<dyn MediaWriter>,
}

/// Why a socket got no call.
#[derive(Debug)]
pub struct Refusal {
    pub closing: Closing,
    /// Name for metrics and log.
    pub reason: &'static str,
}

impl Refusal {
    pub(super) fn new(reason: &'static str, code: u16, text: impl Into<String>) -> Self {
        Self { closing: Closing::new(code, text), reason }
    }
}

/// Reads up to `start` within the limit, and checks what it says.
pub async fn complete(
    app: &App,
    wire: &dyn MediaWire,
    socket: &mut WebSocket,
    accepted: Instant,
) -> Result<Opened, Refusal> {
    let mut reader = wire.reader();
    let start = started(app, socket, reader.as_mut(), accepted).await?;
    let call = redeem(app, &start).await?;
    Ok(Opened { call, reader, writer: wire.writer(&start.stream_sid) })
}

/// Reads up to `start` within the limit.
pub(super) async fn started(
    app: &App,
    socket: &mut WebSocket,
    reader: &mut dyn MediaReader,
    accepted: Instant,
) -> Result<StreamStart, Refusal> {
    let started = timeout(app.config.limits.handshake, read_start(socket, reader, accepted)).await;
    started.unwrap_or_else(|_| {
        Err(Refusal::new("handshake_timeout", code::POLICY, "no `start` in time: send connected, then start"))
    })
}

async fn read_start(
    socket: &mut WebSocket,
    reader: &mut dyn MediaReader,
    accepted: Instant,
) -> Result<StreamStart, Refusal> {
    let mut events = Vec::new();
    loop {
        let message = match socket.recv().await {
            Some(Ok(message)) => message,
            Some(Err(e)) => {
                let closing = socket::read_failure(e).unwrap_or_else(Closing::normal);
                return Err(Refusal { closing, reason: "unreadable" });
            }
            None => return Err(Refusal::new("gone", code::NORMAL, "")),
        };
        let outcome = match &message {
            Message::Text(text) => reader.read(call_time(accepted), text, &mut events),
            Message::Binary(bytes) => reader.read_binary(bytes),
            Message::Close(_) => return Err(Refusal::new("gone", code::NORMAL, "")),
            Message::Ping(_) | Message::Pong(_) => Ok(()),
        };
        if let Err(error) = outcome
            && error.closes()
        {
            return Err(Refusal { closing: error.into(), reason: error.reason() });
        }
        if let Some(MediaEvent::Started(start)) = events.pop() {
            return Ok(start);
        }
    }
}

async fn redeem(app: &App, start: &StreamStart) -> Result<Arc<ExpectedCall>, Refusal> {
    let given = start.parameters.iter().find(|(name, _)| name == TOKEN_PARAMETER);
    let Some((_, token)) = given else {
        return Err(Refusal::new("token_missing", code::POLICY, "start brings no stream token"));
    };
    let redeemed = app.expected.redeem(token, &start.call_sid, &start.account_sid);
    let (call, claims) = redeemed.map_err(|e| Refusal::new(e.reason(), code::POLICY, e.to_string()))?;
    let expires = DateTime::from_timestamp(i64::try_from(claims.expires_unix).unwrap_or(i64::MAX), 0);
    match app.platform.store().use_nonce(&claims.nonce, expires.unwrap_or_else(Utc::now)).await {
        Ok(true) => Ok(call),
        Ok(false) => Err(Refusal::new("token_replayed", code::POLICY, "stream token was used before")),
        Err(e) => {
            tracing::error!(error = %e, "a stream token could not be used up");
            Err(Refusal::new("storage", code::INTERNAL, "storage does not answer: call again"))
        }
    }
}

/// Time since the stream was accepted.
#[must_use]
pub fn call_time(accepted: Instant) -> CallTime {
    CallTime::from_micros(u64::try_from(accepted.elapsed().as_micros()).unwrap_or(u64::MAX))
}
