//! What every simulated language model is made of: a server on loopback, a script for each answer, a pace, faults,
//! and a record of what was asked.

pub mod body;
pub mod door;

use std::collections::VecDeque;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use self::body::{Piece, Watch, paced};
use self::door::{Door, Plug};
use super::fault::{Fault, Faults};

/// Requests that are remembered; older ones are forgotten, so that a long load costs no memory.
const REMEMBERED: usize = 1_000;

/// What a model says in one answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub steps: Vec<Step>,
    /// The vendor's own stop reason instead of the one that fits the steps.
    pub stop: Option<&'static str>,
    /// From the request to the first of this answer, where it is not the server's own.
    pub first: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Say(String),
    Call {
        name: String,
        input: Value,
    },
    /// Not for anybody's ears.
    Think(String),
    /// The vendor's error of this name, in the middle of the stream; nothing follows.
    Break(String),
}

impl Script {
    #[must_use]
    pub fn say(text: &str) -> Self {
        Self::default().then(Step::Say(text.into()))
    }

    #[must_use]
    pub fn call(name: &str, input: Value) -> Self {
        Self::default().and_call(name, input)
    }

    #[must_use]
    pub fn and_call(self, name: &str, input: Value) -> Self {
        self.then(Step::Call { name: name.into(), input })
    }

    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.steps.iter().any(|s| matches!(s, Step::Call { .. }))
    }
}

/// How fast an answer comes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// From the request to the first of the answer.
    pub first: Duration,
    /// Between two tokens.
    pub between: Duration,
    /// Characters of a token.
    pub chars: usize,
}

impl Pace {
    /// For tests that are about something else.
    pub const QUICK: Self = Self { first: Duration::from_millis(5), between: Duration::ZERO, chars: 4 };
}

/// Cuts a text into tokens.
pub fn tokens(text: &str, chars: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.char_indices().nth(chars.max(1)).map_or(rest.len(), |(at, _)| at);
        let (token, after) = rest.split_at(end);
        rest = after;
        (!token.is_empty()).then_some(token)
    })
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Captured {
    pub headers: HeaderMap,
    pub body: Value,
    /// The body's very bytes.
    pub raw: Bytes,
    pub at: Instant,
}

/// Why a request is refused.
#[derive(Debug)]
pub struct Refusal {
    pub status: u16,
    pub name: &'static str,
    pub message: String,
}

impl Refusal {
    #[must_use]
    pub fn new(status: u16, name: &'static str, message: impl Into<String>) -> Self {
        Self { status, name, message: message.into() }
    }
}

/// What differs from vendor to vendor.
pub trait Vendor: Send + Sync + Sized + 'static {
    const PATH: &'static str;

    /// As strict as the vendor.
    ///
    /// # Errors
    /// What the vendor would find wrong.
    fn check(&self, headers: &HeaderMap, request: &Value) -> Result<(), Refusal>;

    /// The events of an answer, each with the wait before it.
    fn answer(&self, request: &Value, script: &Script, pace: Pace) -> Vec<Piece>;

    /// An answer to a request that wants none: a cache warmed.
    fn silent_answer(&self, request: &Value) -> Option<Value>;

    /// Name of the error that goes with a status.
    fn error_name(&self, status: u16) -> &'static str;

    fn error_body(&self, name: &str, message: &str) -> Value;

    /// An error in the stream.
    fn error_event(&self, name: &str) -> Bytes;
}

type Write = dyn Fn(&Value) -> Script + Send + Sync;

/// One simulated provider. It stops when dropped.
pub struct ModelServer<V: Vendor> {
    pub faults: Faults,
    base: String,
    shared: Arc<Shared<V>>,
    task: JoinHandle<()>,
}

struct Shared<V> {
    vendor: V,
    pace: Pace,
    write: Box<Write>,
    faults: Faults,
    requests: Mutex<VecDeque<Captured>>,
    hung_up: Arc<Mutex<Vec<Instant>>>,
    connections: Arc<AtomicUsize>,
    warmed: AtomicUsize,
}

impl<V> Shared<V> {
    fn remember(&self, captured: Captured) {
        let mut requests = self.requests.lock();
        if requests.len() == REMEMBERED {
            requests.pop_front();
        }
        requests.push_back(captured);
    }
}

impl<V: Vendor> ModelServer<V> {
    /// Starts on a free port of loopback. `write` makes the answer to a request's body.
    ///
    /// # Panics
    /// When loopback has no port.
    pub async fn with(
        vendor: V,
        pace: Pace,
        write: impl Fn(&Value) -> Script + Send + Sync + 'static,
    ) -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a port on loopback");
        let base = format!("http://{}", tcp.local_addr().expect("a bound port"));
        let faults = Faults::default();
        let shared = Arc::new(Shared {
            vendor,
            pace,
            write: Box::new(write),
            faults: faults.clone(),
            requests: Mutex::default(),
            hung_up: Arc::default(),
            connections: Arc::default(),
            warmed: AtomicUsize::new(0),
        });
        let router = Router::new()
            .route(V::PATH, post(asked::<V>))
            .route("/v1/models", get(idle::<V>))
            .with_state(Arc::clone(&shared))
            .into_make_service_with_connect_info::<Plug>();
        let door = Door::new(tcp, faults.clone(), Arc::clone(&shared.connections));
        let task = tokio::spawn(async move {
            let _ = axum::serve(door, router).await;
        });
        Self { faults, base, shared, task }
    }

    /// Base URL, without a version.
    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Requests for an answer, oldest first; the last thousand.
    #[must_use]
    pub fn requests(&self) -> Vec<Captured> {
        self.shared.requests.lock().iter().cloned().collect()
    }

    /// When clients went away before the end of their answer.
    #[must_use]
    pub fn hung_up(&self) -> Vec<Instant> {
        self.shared.hung_up.lock().clone()
    }

    /// Connections ever taken.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Requests that only opened a connection.
    #[must_use]
    pub fn warmed(&self) -> usize {
        self.shared.warmed.load(Ordering::Relaxed)
    }
}

impl<V: Vendor> Drop for ModelServer<V> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl<V: Vendor> fmt::Debug for ModelServer<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelServer").field("base", &self.base).finish_non_exhaustive()
    }
}

async fn idle<V: Vendor>(State(shared): State<Arc<Shared<V>>>) -> &'static str {
    shared.warmed.fetch_add(1, Ordering::Relaxed);
    "{\"data\":[]}"
}

async fn asked<V: Vendor>(
    State(shared): State<Arc<Shared<V>>>,
    ConnectInfo(plug): ConnectInfo<Plug>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let vendor = &shared.vendor;
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return refused(vendor, &Refusal::new(400, vendor.error_name(400), "not JSON"), None);
    };
    let checked = vendor.check(&headers, &request);
    shared.remember(Captured { headers, body: request.clone(), raw: body.clone(), at: Instant::now() });
    let fault = shared.faults.take();
    let mut watch = Watch::new(Arc::clone(&shared.hung_up));
    match &fault {
        Fault::Stall | Fault::HalfOpen => pending::<()>().await,
        Fault::Status { status, retry_after } => {
            watch.finish();
            // Vendors quote what they complain of.
            let message = format!("as the test wants, about {}", String::from_utf8_lossy(&body));
            let refusal = Refusal::new(*status, vendor.error_name(*status), message);
            return refused(vendor, &refusal, *retry_after);
        }
        Fault::CloseAfter(0) => {
            watch.finish();
            plug.pull();
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        }
        _ => {}
    }
    if let Err(refusal) = checked {
        watch.finish();
        return refused(vendor, &refusal, None);
    }
    if let Some(answer) = vendor.silent_answer(&request) {
        watch.finish();
        return ([(header::CONTENT_TYPE, "application/json")], answer.to_string()).into_response();
    }
    let script = (shared.write)(&request);
    let pace = Pace { first: script.first.unwrap_or(shared.pace.first), ..shared.pace };
    let mut pieces = vendor.answer(&request, &script, pace);
    if let Fault::ErrorFrame(name) = &fault {
        pieces.truncate(1);
        pieces.push(Piece { after: Duration::ZERO, bytes: vendor.error_event(name) });
    }
    let head = [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")];
    (head, Body::from_stream(paced(pieces, fault, watch))).into_response()
}

fn refused<V: Vendor>(vendor: &V, refusal: &Refusal, retry_after: Option<f32>) -> Response {
    let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = vendor.error_body(refusal.name, &refusal.message).to_string();
    let mut response = (status, [("request-id", "req_simulated")], body).into_response();
    if let Some(value) = retry_after.and_then(|s| s.to_string().parse().ok()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}
