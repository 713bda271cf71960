//! A caller who is not served hears a person-like voice say why, not silence.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket};
use chrono::Utc;
use storage::Calls;
use telephony::carrier::MediaWriter;
use telephony::media::{AudioFrame, FRAME_MS, MarkId, MediaCommand};
use tokio::time::{Instant, timeout};

use super::admission::Permit;
use super::handshake::Opened;
use super::socket::{self, Closing};
use crate::app::App;
use crate::providers::Ready;
use crate::providers::notices::Notice;
use crate::telemetry::metrics;

/// Frames sent ahead of play-out.
const AHEAD: u32 = 8;
/// Longest wait for the message's end to be heard.
const LAST_MARK: Duration = Duration::from_secs(3);

/// Says why there is no call and closes the stream; the carrier then asks what to do, and is told to hang up.
pub async fn tell(
    app: &Arc<App>,
    ready: &Ready,
    mut socket: WebSocket,
    opened: Opened,
    why: Notice,
    _permit: Permit,
) {
    metrics::refused(why.reason());
    tracing::warn!(
        reason = why.reason(),
        live = app.live.len(),
        most = app.capacity.most(),
        "a caller is turned away"
    );
    record(app, &opened, why).await;
    let frames = ready.notices.frames(why, ready.lineup.language_of(&opened.call.line));
    if say(&mut socket, opened.writer.as_ref(), &frames).await.is_some() {
        let _ = timeout(LAST_MARK, heard(&mut socket, opened)).await;
    }
    socket::close(socket, &Closing::normal()).await;
}

/// Sends at the pace of play-out; `None` when the socket does not take it.
async fn say(socket: &mut WebSocket, writer: &dyn MediaWriter, frames: &[AudioFrame]) -> Option<()> {
    let began = Instant::now();
    let mut text = String::new();
    for (n, frame) in (0_u32..).zip(frames) {
        let due = Duration::from_millis(FRAME_MS) * n.saturating_sub(AHEAD);
        tokio::time::sleep_until(began + due).await;
        text.clear();
        writer.write(&MediaCommand::Frame(*frame), &mut text);
        send(socket, &text).await?;
    }
    text.clear();
    writer.write(&MediaCommand::Mark(MarkId(1)), &mut text);
    send(socket, &text).await
}

async fn send(socket: &mut WebSocket, text: &str) -> Option<()> {
    let sent = timeout(Duration::from_secs(2), socket.send(Message::Text(text.into()))).await;
    sent.ok()?.ok()
}

/// Waits for the mark behind the message, or for the caller to hang up.
async fn heard(socket: &mut WebSocket, mut opened: Opened) {
    let mut events = Vec::new();
    while let Some(Ok(Message::Text(message))) = socket.recv().await {
        let read = opened.reader.read(telephony::media::CallTime::ZERO, &message, &mut events);
        let over = |event| {
            matches!(
                event,
                telephony::media::MediaEvent::MarkPlayed(_) | telephony::media::MediaEvent::Stopped
            )
        };
        if read.is_err() || events.drain(..).any(over) {
            return;
        }
    }
}

async fn record(app: &App, opened: &Opened, why: Notice) {
    opened.call.begin();
    let Ok(store) = app.platform.tenant(opened.call.line.tenant_id).await else { return };
    let now = Utc::now();
    if !opened.call.resumes
        && let Err(e) = store.begin_call(opened.call.record(now)).await
    {
        tracing::error!(error = %e, "a call that was turned away could not be recorded");
    }
    if store.end_call(opened.call.id, why.reason(), now).await.is_err() {
        app.unended.note(opened.call.id, opened.call.line.tenant_id, why.reason(), now);
    }
}
