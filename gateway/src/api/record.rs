//! `GET /v1/record`: the socket of `quandura record`. It carries raw journals, so it is for the platform-admin
//! alone, and every use is on record.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use tokio::sync::mpsc;

use crate::app::App;
use crate::audit::acts;
use crate::auth::scope::Allowed;
use crate::auth::{Record, origin};
use crate::calls::journal_recorders::RecordLine;
use crate::calls::socket::{self, Closing, code};
use crate::error::{ApiError, ErrorCode};

/// The handler.
pub async fn handle(
    State(app): State<Arc<App>>,
    who: Allowed<Record>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the socket was opened by a page of another site"));
    }
    let lines = app.recorders.attach().ok_or_else(|| {
        ApiError::new(ErrorCode::Conflict, "another recorder is attached").advise("stop it first")
    })?;
    app.audit.record(None, acts::recorder_attached(&who.principal)).await?;
    let by = who.principal.subject;
    tracing::warn!(
        audit = "recorder.attached",
        by,
        "calls that begin now are recorded where their line allows it"
    );
    Ok(socket::bounded(upgrade).on_upgrade(move |socket| async move {
        feed(&app, socket, lines).await;
        tracing::warn!(audit = "recorder.detached", by, "the recorder left");
    }))
}

async fn feed(app: &App, mut socket: WebSocket, mut lines: mpsc::Receiver<RecordLine>) {
    loop {
        tokio::select! {
            line = lines.recv() => {
                let Some(text) = line.and_then(|line| serde_json::to_string(&line).ok()) else { break };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            // A recorder says nothing; what can be read is its leaving.
            message = socket.recv() => match message {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            () = app.stop.closing.cancelled() => break,
        }
    }
    socket::close(socket, &Closing::new(code::GOING_AWAY, "the gateway is stopping")).await;
}
