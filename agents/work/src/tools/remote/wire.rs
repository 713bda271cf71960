//! JSON-RPC over streamable HTTP, as a client: one request, one answer, every wait and every size with its bound.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use dialogue::sse::Reader;

/// Most bytes of an answer that are read.
const MAX_ANSWER: usize = 256 * 1024;
const CONNECT: Duration = Duration::from_secs(3);
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// What we ask for, and the versions that we go on with.
pub const OURS: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Why there is no answer. None of them holds a word of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    #[error("it cannot be reached")]
    Unreachable,
    #[error("it took too long")]
    Timeout,
    #[error("it answered with an error of HTTP")]
    Http(u16),
    /// The session is gone: begin another.
    #[error("it has forgotten the session")]
    Session,
    #[error("its answer is no message of the protocol")]
    Garbage,
    #[error("its answer is too long")]
    TooLong,
    /// A result came: the tool ran. It is not what its schema promises.
    #[error("its answer is not what it promises")]
    Broken,
    /// A JSON-RPC error.
    #[error("it refused the request")]
    Refused,
}

impl Failure {
    /// For metrics and rows of the outbox.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Http(_) => "http_error",
            Self::Session => "session",
            Self::Garbage => "garbage",
            Self::TooLong => "too_long",
            Self::Broken => "broken",
            Self::Refused => "refused",
        }
    }

    /// The same request may work later.
    #[must_use]
    pub const fn is_passing(self) -> bool {
        !matches!(self, Self::Refused | Self::Broken | Self::TooLong | Self::Http(400..=407 | 410..=428))
    }
}

/// Connections to one server.
#[derive(Clone, Debug)]
pub struct Wire {
    client: Client,
    url: String,
}

/// A session with a server, as `initialize` gave it.
#[derive(Clone, Debug, Default)]
pub struct Session {
    id: Option<HeaderValue>,
    version: Option<&'static str>,
}

impl Wire {
    /// `headers` hold what the server knows us by, marked sensitive.
    ///
    /// # Errors
    /// When no TLS client can be made.
    pub fn new(url: String, headers: HeaderMap) -> Result<Self, Failure> {
        let mut client = Client::builder()
            .default_headers(headers)
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .retry(reqwest::retry::never())
            // What a server knows us by goes to the address of the configuration and no further.
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        if url.starts_with("http://") {
            client = client.tls_certs_only([]);
        }
        let client = client.build().map_err(|_| Failure::Unreachable)?;
        Ok(Self { client, url })
    }

    /// Begins a session.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn begin(&self, within: Duration) -> Result<Session, Failure> {
        let params = json!({ "protocolVersion": OURS[0], "capabilities": {},
            "clientInfo": { "name": "quandura-voice", "version": env!("CARGO_PKG_VERSION") } });
        let asked = async {
            let response = self.send(&Session::default(), &request("initialize", &params)).await?;
            let id = response.headers().get(SESSION).filter(|id| id.len() <= 200).cloned();
            let result = answer(response).await?;
            let spoken = result["protocolVersion"].as_str().unwrap_or_default();
            let version = OURS.into_iter().find(|ours| *ours == spoken).ok_or(Failure::Garbage)?;
            let session = Session { id, version: Some(version) };
            let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
            self.send(&session, &told).await?;
            Ok(session)
        };
        timeout(within, asked).await.map_err(|_| Failure::Timeout)?
    }

    /// One request of a session, and its result.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn ask(
        &self,
        session: &Session,
        method: &str,
        params: &Value,
        within: Duration,
    ) -> Result<Value, Failure> {
        let asked = async { answer(self.send(session, &request(method, params)).await?).await };
        timeout(within, asked).await.map_err(|_| Failure::Timeout)?
    }

    async fn send(&self, session: &Session, message: &Value) -> Result<Response, Failure> {
        let mut post = self
            .client
            .post(&self.url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"))
            .body(message.to_string());
        if let Some(id) = &session.id {
            post = post.header(SESSION, id.clone());
        }
        if let Some(version) = session.version {
            post = post.header(VERSION, version);
        }
        let response = post.send().await.map_err(|_| Failure::Unreachable)?;
        match response.status().as_u16() {
            200..=299 => Ok(response),
            404 if session.id.is_some() => Err(Failure::Session),
            status => Err(Failure::Http(status)),
        }
    }
}

/// One request is under way on a connection, so every one may have the same id.
fn request(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The result in an answer: one JSON body, or the event of a stream that answers our request.
async fn answer(mut response: Response) -> Result<Value, Failure> {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (mut read, mut body) = (0, Vec::new());
    let mut events = kind.starts_with("text/event-stream").then(Reader::default);
    while let Some(bytes) = response.chunk().await.map_err(|_| Failure::Unreachable)? {
        read += bytes.len();
        if read > MAX_ANSWER {
            return Err(Failure::TooLong);
        }
        let Some(reader) = &mut events else {
            body.extend_from_slice(&bytes);
            continue;
        };
        let mut complete = Vec::new();
        reader.feed(&bytes, &mut complete).map_err(|_| Failure::TooLong)?;
        // The server may tell of progress before; only what answers us counts.
        for event in complete {
            match serde_json::from_str::<Value>(&event.data) {
                Ok(message) if message["id"] == 1 && message.get("method").is_none() => {
                    return result(message);
                }
                Ok(_) => {}
                Err(_) => return Err(Failure::Garbage),
            }
        }
    }
    if events.is_some() {
        return Err(Failure::Garbage);
    }
    result(serde_json::from_slice(&body).map_err(|_| Failure::Garbage)?)
}

fn result(mut message: Value) -> Result<Value, Failure> {
    if message["jsonrpc"] != "2.0" || message["id"] != 1 {
        return Err(Failure::Garbage);
    }
    if message.get("error").is_some() {
        return Err(Failure::Refused);
    }
    match message["result"].take() {
        result @ Value::Object(_) => Ok(result),
        _ => Err(Failure::Garbage),
    }
}
