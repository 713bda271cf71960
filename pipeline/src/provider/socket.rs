//! Websockets to providers: small buffers, bounded waits, failures sorted by what to do about them.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::failure::{Failure, Kind, retry_after};

/// A provider that does not take a message for this long is gone.
const SEND: Duration = Duration::from_millis(1_000);
/// Largest message a provider may send us.
const MESSAGE_BYTES: usize = 4 << 20;
/// Buffers of each direction; the crate's own of 128 KiB would cost more than the rest of a call.
const BUFFER_BYTES: usize = 8 << 10;

/// One open websocket to a provider.
#[derive(Debug)]
pub struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub enum Incoming {
    Text(String),
    Binary(bytes::Bytes),
}

impl Socket {
    /// Opens a websocket. `headers` carry the key: they are marked sensitive and never shown.
    ///
    /// # Errors
    /// [`Failure`] by HTTP status of a refused upgrade, or [`Kind::Connect`].
    pub async fn open(
        url: &str,
        headers: &[(&'static str, &str)],
        deadline: Duration,
    ) -> Result<Self, Failure> {
        let mut request = url
            .into_client_request()
            .map_err(|_| Failure::new(Kind::Connect, "the base URL makes no address"))?;
        for (name, value) in headers {
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| Failure::new(Kind::Unauthorised, "the key holds odd characters"))?;
            value.set_sensitive(true);
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(0)
            .max_write_buffer_size(MESSAGE_BYTES)
            .max_message_size(Some(MESSAGE_BYTES))
            .max_frame_size(Some(MESSAGE_BYTES));
        match timeout(deadline, connect_async_with_config(request, Some(config), true)).await {
            Err(_) => Err(Failure::new(Kind::Connect, "no connection in time")),
            Ok(Err(error)) => Err(refused(&error)),
            Ok(Ok((socket, _))) => Ok(Self(socket)),
        }
    }

    /// Sends text.
    ///
    /// # Errors
    /// [`Kind::Closed`], or [`Kind::Stalled`] when the peer takes nothing for a second.
    pub async fn text(&mut self, text: String) -> Result<(), Failure> {
        self.send(Message::Text(text.into())).await
    }

    /// Sends bytes. An empty message is not sent: some providers take it for the end.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub async fn binary(&mut self, bytes: Vec<u8>) -> Result<(), Failure> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.send(Message::Binary(bytes.into())).await
    }

    async fn send(&mut self, message: Message) -> Result<(), Failure> {
        match timeout(SEND, self.0.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(lost(&error)),
            Err(_) => Err(Failure::stalled("took nothing for a second")),
        }
    }

    /// The next message. Cancel-safe. `None`: closed in good order (code 1000 or none).
    ///
    /// # Errors
    /// [`Kind::Closed`] with the close code and reason's first word, or a protocol fault.
    pub async fn next(&mut self) -> Result<Option<Incoming>, Failure> {
        loop {
            return match self.0.next().await {
                None => Ok(None),
                Some(Ok(Message::Text(text))) => Ok(Some(Incoming::Text(text.as_str().to_owned()))),
                Some(Ok(Message::Binary(bytes))) => Ok(Some(Incoming::Binary(bytes))),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
                Some(Ok(Message::Close(None))) => Ok(None),
                Some(Ok(Message::Close(Some(frame)))) if u16::from(frame.code) == 1000 => Ok(None),
                Some(Ok(Message::Close(Some(frame)))) => Err(closed(u16::from(frame.code), &frame.reason)),
                Some(Err(error)) => Err(lost(&error)),
            };
        }
    }

    /// Closes without waiting for the peer.
    pub async fn close(mut self) {
        let _ = timeout(Duration::from_millis(200), self.0.close(None)).await;
    }
}

/// Reasons of a close are the provider's words, so only a short plain code of them is kept.
fn closed(code: u16, reason: &str) -> Failure {
    let word: String = reason
        .split(|c: char| c.is_whitespace() || c == ':')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .take(40)
        .collect();
    Failure::new(Kind::Closed, format!("closed with {code} {word}").trim_end().to_owned())
}

fn lost(error: &WsError) -> Failure {
    match error {
        WsError::ConnectionClosed | WsError::AlreadyClosed | WsError::Io(_) => {
            Failure::new(Kind::Closed, "the connection broke")
        }
        WsError::Protocol(ProtocolError::ResetWithoutClosingHandshake) => {
            Failure::new(Kind::Closed, "the connection broke")
        }
        WsError::Protocol(_) | WsError::Utf8(_) | WsError::Capacity(_) => {
            Failure::new(Kind::Garbage, "not a websocket message")
        }
        _ => Failure::new(Kind::Closed, "the socket failed"),
    }
}

fn refused(error: &WsError) -> Failure {
    let WsError::Http(response) = error else {
        return Failure::new(Kind::Connect, "no websocket connection");
    };
    let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok());
    let status = response.status().as_u16();
    let kind = Kind::of_status(status, header("retry-after").and_then(retry_after));
    let request = header("dg-request-id").or_else(|| header("request-id")).unwrap_or("none");
    let request: String =
        request.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(64).collect();
    if let Some(said) = header("dg-error") {
        // The vendor's words about our parameters: for whoever runs this, and not for viewers of calls.
        let said: String = said.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').take(200).collect();
        tracing::warn!(status, request, said, "a provider says why it refused the upgrade");
    }
    Failure::new(kind, format!("the upgrade was refused with {status} (request {request})"))
}
