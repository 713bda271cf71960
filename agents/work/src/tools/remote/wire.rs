//! A client of the protocol over streamable HTTP, every wait and every size with its bound. `rmcp` has the protocol: it asks for the
//! newest revision and goes on with the one that the server speaks, and begins again what a server has forgotten.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::HeaderMap;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ClientRequest,
    Implementation, ListToolsRequest, MetaObject, PaginatedRequestParams, ProtocolVersion, RequestMetaObject,
    ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransportConfig, StreamableHttpError};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

/// Most bytes of an answer, or of one event of a stream, that are read.
const MAX_ANSWER: usize = 256 * 1024;
/// Most bytes that are read of an error of HTTP.
const MAX_ERROR: usize = 4 * 1024;
const CONNECT: Duration = Duration::from_secs(3);

/// Why there is no answer. None of them holds a word of the other side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Failure {
    #[error("it cannot be reached")]
    Unreachable,
    #[error("it took too long")]
    Timeout,
    #[error("it answered with an error of HTTP")]
    Http(u16),
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
#[derive(Clone)]
pub struct Wire {
    client: Client,
    transport: StreamableHttpClientTransportConfig,
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").field("url", &self.transport.uri).finish_non_exhaustive()
    }
}

/// What a server and we have agreed on. It ends with its last clone.
#[derive(Clone)]
pub struct Session(Arc<RunningService<RoleClient, ClientConfig>>);

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("closed", &self.is_over()).finish_non_exhaustive()
    }
}

impl Wire {
    /// `headers` hold what the server knows us by, marked sensitive.
    ///
    /// # Errors
    /// When no TLS client can be made.
    pub fn new(url: &str, headers: HeaderMap) -> Result<Self, Failure> {
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
        let mut transport = StreamableHttpClientTransportConfig::with_uri(url);
        transport.max_json_response_size = MAX_ANSWER;
        transport.max_sse_event_size = MAX_ANSWER;
        transport.max_error_response_size = MAX_ERROR;
        Ok(Self { client, transport })
    }

    /// Agrees with the server on a revision: the newest by itself, an older one by its handshake.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn begin(&self, within: Duration) -> Result<Session, Failure> {
        let us = Implementation::new("quandura-voice", env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), us);
        let transport =
            StreamableHttpClientTransport::with_client(self.client.clone(), self.transport.clone());
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let begun = timeout(within, client.serve_with_lifecycle(transport, lifecycle));
        let begun = begun.await.map_err(|_| Failure::Timeout)?.map_err(|error| unbegun(&error))?;
        Ok(Session(Arc::new(begun)))
    }
}

impl Session {
    /// Nothing can be asked in it any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.0.is_transport_closed()
    }

    /// One page of the server's tools as it lists them, and where the next one begins.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn list(
        &self,
        cursor: Option<String>,
        within: Duration,
    ) -> Result<(Vec<Value>, Option<String>), Failure> {
        let page = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = ListToolsRequest { params: page, ..ListToolsRequest::default() };
        match self.ask(ClientRequest::ListToolsRequest(request), within).await? {
            ServerResult::ListToolsResult(page) => {
                let tools = page.tools.into_iter().map(|tool| json!(tool)).collect();
                Ok((tools, page.next_cursor))
            }
            // A list in which one tool is not as the protocol has them: the others are none the worse for it.
            ServerResult::CustomResult(mut page) => {
                let Value::Array(tools) = page.0["tools"].take() else { return Err(Failure::Garbage) };
                Ok((tools, page.0["nextCursor"].as_str().map(str::to_owned)))
            }
            _ => Err(Failure::Garbage),
        }
    }

    /// One call of a tool. `key`: what the server may know a repeated call by.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        key: Option<&str>,
        within: Duration,
    ) -> Result<CallToolResult, Failure> {
        let mut params = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
        params.meta = key.map(|key| {
            let meta = Map::from_iter([("idempotencyKey".to_owned(), json!(key))]);
            RequestMetaObject(MetaObject(meta))
        });
        match self.ask(ClientRequest::CallToolRequest(CallToolRequest::new(params)), within).await? {
            ServerResult::CallToolResult(result) => Ok(result),
            // It wants to ask somebody something first, which nobody here answers, or says nothing that the protocol knows.
            ServerResult::InputRequiredResult(_) => Err(Failure::Refused),
            _ => Err(Failure::Garbage),
        }
    }

    async fn ask(&self, request: ClientRequest, within: Duration) -> Result<ServerResult, Failure> {
        let asked = timeout(within, self.0.send_request(request));
        asked.await.map_err(|_| Failure::Timeout)?.map_err(|error| unanswered(&error))
    }
}

fn unbegun(error: &ClientInitializeError) -> Failure {
    match error {
        ClientInitializeError::TransportError { error, .. } => broken(error),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => unbegun(fallback),
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled => Failure::Unreachable,
        ClientInitializeError::JsonRpcError(_) => Failure::Refused,
        _ => Failure::Garbage,
    }
}

fn unanswered(error: &ServiceError) -> Failure {
    match error {
        ServiceError::McpError(_) => Failure::Refused,
        ServiceError::TransportSend(error) => broken(error),
        ServiceError::Timeout { .. } => Failure::Timeout,
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Failure::Unreachable,
        _ => Failure::Garbage,
    }
}

/// What the transport says of itself, without a word of the other side.
fn broken(error: &(dyn Error + 'static)) -> Failure {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return of_transport(error);
        }
        cause = error.source();
    }
    Failure::Unreachable
}

fn of_transport(error: &StreamableHttpError<reqwest::Error>) -> Failure {
    match error {
        StreamableHttpError::HttpStatus(error) => Failure::Http(error.status),
        StreamableHttpError::AuthRequired(_) => Failure::Http(401),
        StreamableHttpError::InsufficientScope(_) => Failure::Http(403),
        StreamableHttpError::SessionExpired => Failure::Http(404),
        StreamableHttpError::ResponseBodyTooLarge { .. } => Failure::TooLong,
        // "HTTP 400 Bad Request: …": of other statuses it keeps no number.
        StreamableHttpError::UnexpectedServerResponse(told) => {
            let status = told.strip_prefix("HTTP ").and_then(|told| told.get(..3)?.parse().ok());
            status.map_or(Failure::Garbage, Failure::Http)
        }
        StreamableHttpError::UnexpectedContentType(_) | StreamableHttpError::Deserialize(_) => {
            Failure::Garbage
        }
        StreamableHttpError::SessionRecoveryTimeout | StreamableHttpError::ControlRequestTimeout => {
            Failure::Timeout
        }
        _ => Failure::Unreachable,
    }
}
