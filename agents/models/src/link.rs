//! One provider's HTTP connections: kept warm, one request an answer, every wait with its end.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use pipeline::ports::PortError;
use pipeline::provider::failure::retry_after;
use pipeline::provider::{Deadlines, Endpoint, Failure, Kind};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response};
use tokio::time::{Instant, timeout, timeout_at};

/// An idle connection outlives the longest pause between two turns.
const IDLE: Duration = Duration::from_secs(90);
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Most bytes of an error's body that are read, and how long that may take.
const ERROR_BYTES: usize = 64 << 10;
const ERROR_WAIT: Duration = Duration::from_millis(300);

/// Connections to one address. A clone shares them.
#[derive(Clone)]
pub struct Link(Arc<Inner>);

struct Inner {
    client: Client,
    url: String,
    /// Asked for nothing but to have a connection open.
    idle_url: String,
    deadlines: Deadlines,
}

/// A request was answered with an error.
pub struct Refused {
    pub status: u16,
    pub retry_after: Option<Duration>,
    pub request_id: Option<String>,
    pub body: Vec<u8>,
}

language::shown!(Refused, "Refused": status, retry_after, request_id; body);

/// Why there is no answer to read.
#[derive(Debug)]
pub enum Unanswered {
    Failed(Failure),
    Refused(Refused),
}

impl Link {
    /// For `path` (with its version) at `endpoint`. `headers` hold the key, marked sensitive.
    ///
    /// # Errors
    /// When no TLS client can be made.
    pub fn new(
        endpoint: &Endpoint,
        path: &str,
        headers: HeaderMap,
        deadlines: Deadlines,
    ) -> Result<Self, PortError> {
        let mut client = Client::builder()
            .default_headers(headers)
            .connect_timeout(deadlines.connect)
            .pool_idle_timeout(IDLE)
            .tcp_keepalive(KEEP_ALIVE)
            .tcp_keepalive_interval(KEEP_ALIVE / 3)
            .tcp_nodelay(true)
            // The fail-over alone decides on another try; the key goes to the configured host and no further; and
            // the environment is the configuration's to read.
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        if !endpoint.is_secure() {
            client = client.tls_certs_only([]);
        }
        let client = client.build().map_err(|_| PortError::Unavailable {
            what: format!("no TLS client for {}", endpoint.host()),
            fix: "install the system's CA certificates (package ca-certificates)".into(),
        })?;
        let (url, idle_url) = (endpoint.http(path), endpoint.http("/v1/models"));
        Ok(Self(Arc::new(Inner { client, url, idle_url, deadlines })))
    }

    #[must_use]
    pub fn deadlines(&self) -> Deadlines {
        self.0.deadlines
    }

    /// Sends a request and gives its answer as soon as the head of it is there.
    ///
    /// # Errors
    /// A connection that fails or stays silent until `end`, or an answer other than 200.
    pub async fn post(&self, body: Vec<u8>, end: Instant) -> Result<Response, Unanswered> {
        let request = self
            .0
            .client
            .post(&self.0.url)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(body);
        let sent = timeout_at(end, request.send()).await;
        let response = sent
            .map_err(|_| Unanswered::Failed(Failure::stalled("took the request and answered nothing")))?
            .map_err(|e| Unanswered::Failed(unsent(&e)))?;
        if response.status().as_u16() == 200 {
            return Ok(response);
        }
        Err(Unanswered::Refused(refused(response).await))
    }

    /// Opens a connection beside the turn, or proves that one is open: no handshake shall fall into the next turn.
    pub fn open_spare(&self) {
        let link = Arc::clone(&self.0);
        tokio::spawn(async move {
            let head = link.client.request(Method::HEAD, &link.idle_url);
            let wait = link.deadlines.connect + link.deadlines.give_up;
            // Any answer will do, an error too.
            let _ = timeout(wait, head.send()).await;
        });
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Link").field(&self.0.url).finish()
    }
}

/// The error's own text may name the address with a query; only its sort is told.
fn unsent(error: &reqwest::Error) -> Failure {
    if error.is_connect() {
        return Failure::new(Kind::Connect, "no connection");
    }
    Failure::new(Kind::Closed, "the connection broke before an answer")
}

async fn refused(mut response: Response) -> Refused {
    let header = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok());
    let millis = header("retry-after-ms").and_then(retry_after).map(|ms| ms / 1_000);
    let retry_after = millis.or_else(|| header("retry-after").and_then(retry_after));
    let request_id = header("request-id").or_else(|| header("x-request-id")).map(str::to_owned);
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > ERROR_BYTES {
                break;
            }
        }
    };
    // What has come by then is enough: the status says most of it.
    let _ = timeout(ERROR_WAIT, read).await;
    Refused { status, retry_after, request_id, body }
}

/// The next bytes of an answer; `None` at its end. Cancel-safe.
///
/// # Errors
/// [`Kind::Closed`] when the connection ends in the middle.
pub async fn next_bytes(response: &mut Response) -> Result<Option<Bytes>, Failure> {
    response.chunk().await.map_err(|_| Failure::new(Kind::Closed, "the connection broke in mid-answer"))
}

/// What was seen of a failure, in words that may be shown: `name` and `request_id` come from the provider and are
/// cut down to plain identifiers.
#[must_use]
pub fn detail(place: &str, name: &str, request_id: Option<&str>) -> String {
    let name = plain(name);
    let gap = if name.is_empty() { "" } else { " " };
    match request_id.map(plain).filter(|id| !id.is_empty()) {
        Some(id) => format!("{place}{gap}{name} (request {id})"),
        None => format!("{place}{gap}{name}"),
    }
}

fn plain(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if word.chars().all(plain) { word.chars().take(64).collect() } else { String::new() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn details_hold_identifiers_and_no_prose() {
        assert_eq!(
            detail("status 529", "overloaded_error", Some("req_1")),
            "status 529 overloaded_error (request req_1)"
        );
        assert_eq!(detail("status 400", "Jane Doe, 5 Elm St", Some("a b")), "status 400");
    }

    #[test]
    fn a_link_shows_its_address_and_no_headers() {
        let mut headers = HeaderMap::new();
        headers.insert("x-api-key", HeaderValue::from_static("sk-secret"));
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        let link = Link::new(&endpoint, "/v1/messages", headers, Deadlines::LLM).unwrap();
        assert_eq!(format!("{link:?}"), "Link(\"http://127.0.0.1:9/v1/messages\")");
    }
}
