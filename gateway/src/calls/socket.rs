//! The media socket as the rest of `calls` sees it: how it is opened, and how it is closed with a reason.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use futures_util::SinkExt;
use telephony::carrier::MAX_MESSAGE_BYTES;
use telephony::error::StreamError;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;

/// Longest wait for a close to be taken.
pub const CLOSE_WAIT: Duration = Duration::from_secs(2);

/// Close codes of RFC 6455 that we use.
pub mod code {
    pub const NORMAL: u16 = 1000;
    pub const GOING_AWAY: u16 = 1001;
    pub const UNSUPPORTED: u16 = 1003;
    pub const POLICY: u16 = 1008;
    pub const TOO_BIG: u16 = 1009;
    pub const INTERNAL: u16 = 1011;
    pub const TRY_LATER: u16 = 1013;
}

/// Why a socket is closed, told to the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closing {
    pub code: u16,
    pub reason: String,
}

impl Closing {
    pub fn new(code: u16, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into() }
    }

    #[must_use]
    pub fn normal() -> Self {
        Self::new(code::NORMAL, "")
    }

    /// The frame; its reason is cut to what a control frame can hold.
    #[must_use]
    pub fn frame(&self) -> CloseFrame {
        let mut reason = self.reason.clone();
        while reason.len() > 120 {
            reason.pop();
        }
        CloseFrame { code: self.code, reason: reason.into() }
    }
}

impl From<StreamError> for Closing {
    fn from(error: StreamError) -> Self {
        let code = match error {
            StreamError::Binary => code::UNSUPPORTED,
            StreamError::MessageTooLarge(_) | StreamError::PayloadTooLarge(_) => code::TOO_BIG,
            _ => code::POLICY,
        };
        Self::new(code, error.to_string())
    }
}

/// Bounds every socket: the defaults reserve a quarter of a megabyte each and accept messages of 64 MiB.
pub fn bounded(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade
        .read_buffer_size(4 * 1024)
        .write_buffer_size(0)
        .max_write_buffer_size(128 * 1024)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
}

/// Closes a socket that nobody else uses: says why, and waits briefly for the peer to take it.
pub async fn close(mut socket: WebSocket, closing: &Closing) {
    let farewell = async {
        socket.send(Message::Close(Some(closing.frame()))).await?;
        socket.flush().await?;
        while let Some(Ok(_)) = socket.recv().await {}
        Ok::<_, axum::Error>(())
    };
    let _ = timeout(CLOSE_WAIT, farewell).await;
}

/// What a failed read means: a message over its bound, text that is no text, or a socket that died.
#[must_use]
pub fn read_failure(error: axum::Error) -> Option<Closing> {
    let inner = error.into_inner();
    match inner.downcast_ref::<tungstenite::Error>()? {
        tungstenite::Error::Capacity(_) => Some(StreamError::MessageTooLarge(MAX_MESSAGE_BYTES).into()),
        tungstenite::Error::Utf8(_) => Some(Closing::new(1007, "text frame that is not UTF-8")),
        tungstenite::Error::Protocol(e) => match e {
            tungstenite::error::ProtocolError::ResetWithoutClosingHandshake => None,
            e => Some(Closing::new(1002, e.to_string())),
        },
        _ => None,
    }
}
