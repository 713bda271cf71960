//! Opening a media stream from the carrier's side.

use std::time::Duration;

use telephony::carrier::MAX_MESSAGE_BYTES;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// A media stream.
pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Longest wait for the socket to open.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes kept for reading; the default reserves 128 KiB a socket.
const READ_BUFFER: usize = 4 * 1024;

/// Why a stream did not open.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    #[error("{0} is no websocket address")]
    NoAddress(String),
    #[error("{url} was refused with status {status}")]
    Refused { url: String, status: u16 },
    #[error("{url} does not open: {what}")]
    Failed { url: String, what: String },
    #[error("{0} does not answer")]
    Silent(String),
}

/// Opens the stream. Messages collect up to `write_buffer` bytes until they are flushed; 0 sends each at once.
///
/// # Errors
/// [`NotOpened`], within 10 s.
pub async fn open(
    url: &str,
    signature: Option<(&'static str, String)>,
    write_buffer: usize,
) -> Result<Socket, NotOpened> {
    let no_address = || NotOpened::NoAddress(url.to_owned());
    let mut request = url.into_client_request().map_err(|_| no_address())?;
    if let Some((name, value)) = signature {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| no_address())?;
        request.headers_mut().insert(name, HeaderValue::from_str(&value).map_err(|_| no_address())?);
    }
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(write_buffer);
    // Frames are small and urgent: never wait for more to send with them.
    let connecting = tokio_tungstenite::connect_async_with_config(request, Some(config), true);
    match timeout(PATIENCE, connecting).await {
        Ok(Ok((socket, _))) => Ok(socket),
        Ok(Err(Error::Http(response))) => {
            Err(NotOpened::Refused { url: url.to_owned(), status: response.status().as_u16() })
        }
        Ok(Err(e)) => Err(NotOpened::Failed { url: url.to_owned(), what: e.to_string() }),
        Err(_) => Err(NotOpened::Silent(url.to_owned())),
    }
}
