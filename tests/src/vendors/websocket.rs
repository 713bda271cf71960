//! Websocket servers that can be made to fail: what the simulated providers of streams have in common.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, sleep_until};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::fault::{Fault, Faults};

/// Small, since hundreds of connections share a core with what is measured.
const BUFFER_BYTES: usize = 4 << 10;
const NEVER: i64 = i64::MAX;

/// A TCP connection that breaks after so many more bytes were written to it.
#[derive(Debug)]
struct Fused {
    tcp: TcpStream,
    left: Arc<AtomicI64>,
}

impl AsyncRead for Fused {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for Fused {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let left = self.left.load(Ordering::Relaxed);
        if left <= 0 {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let most = buf.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let written = std::task::ready!(Pin::new(&mut self.tcp).poll_write(cx, &buf[..most]))?;
        if left != NEVER {
            self.left.fetch_sub(written as i64, Ordering::Relaxed);
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

/// What a client asked for in its upgrade.
#[derive(Clone, Debug, Default)]
pub struct Upgrade {
    pub path: String,
    pub query: HashMap<String, String>,
    headers: HashMap<String, String>,
}

impl Upgrade {
    fn of(request: &Request) -> Self {
        let uri = request.uri();
        let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        let query = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let text = |value: &HeaderValue| value.to_str().unwrap_or_default().to_owned();
        let headers = request.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
        Self { path: uri.path().to_owned(), query, headers: headers.collect() }
    }

    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    #[must_use]
    pub fn value(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }
}

/// How an upgrade is refused: status, header with a reason, body.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    pub header: Option<(&'static str, String)>,
    pub body: String,
}

impl Refusal {
    fn response(self, retry_after: Option<f32>) -> ErrorResponse {
        let mut response = ErrorResponse::new(Some(self.body));
        *response.status_mut() = self.status.try_into().unwrap_or_default();
        let header = self.header.filter(|(_, value)| HeaderValue::from_str(value).is_ok());
        for (name, value) in header.into_iter().chain(retry_after.map(|s| ("retry-after", s.to_string()))) {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
        response
    }
}

/// One provider's server. It ends, with all its connections, when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    accepting: AbortHandle,
    pub log: Log,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// What a server noticed of its clients.
#[derive(Clone, Debug, Default)]
pub struct Log(Arc<Mutex<Noticed>>);

#[derive(Debug, Default)]
struct Noticed {
    texts: Vec<String>,
    upgrades: Vec<Upgrade>,
    violations: Vec<String>,
}

impl Log {
    /// A text to be voiced came.
    pub fn text(&self, text: &str) {
        self.0.lock().texts.push(text.to_owned());
    }

    /// A client did what the provider's documentation forbids.
    pub fn violation(&self, what: impl Into<String>) {
        self.0.lock().violations.push(what.into());
    }

    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.0.lock().texts.clone()
    }

    #[must_use]
    pub fn upgrades(&self) -> Vec<Upgrade> {
        self.0.lock().upgrades.clone()
    }

    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.0.lock().violations.clone()
    }
}

impl Server {
    /// Listens on loopback. `check` judges each upgrade, `refuse` words a refusal with a status, `serve` has the
    /// connection.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start<S, F>(
        faults: Faults,
        check: impl Fn(&Upgrade, &Log) -> Result<(), Refusal> + Clone + Send + Sync + 'static,
        refuse: fn(u16) -> Refusal,
        serve: S,
    ) -> Self
    where
        S: Fn(Connection) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let log = Log::default();
        let noticed = log.clone();
        let accepting = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((tcp, _)) = listener.accept().await {
                while connections.try_join_next().is_some() {}
                let (fault, faults, log) = (faults.take(), faults.clone(), noticed.clone());
                let (check, serve) = (check.clone(), serve.clone());
                connections.spawn(async move {
                    if let Some(connection) = upgrade(tcp, fault, faults, log, check, refuse).await {
                        serve(connection).await;
                    }
                });
            }
        });
        Self { address, accepting: accepting.abort_handle(), log }
    }

    /// Base URL for clients.
    #[must_use]
    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }
}

async fn upgrade(
    tcp: TcpStream,
    fault: Fault,
    faults: Faults,
    log: Log,
    check: impl Fn(&Upgrade, &Log) -> Result<(), Refusal>,
    refuse: fn(u16) -> Refusal,
) -> Option<Connection> {
    if fault == Fault::HalfOpen {
        std::future::pending::<()>().await;
    }
    let _ = tcp.set_nodelay(true);
    let left = Arc::new(AtomicI64::new(NEVER));
    let mut asked = Upgrade::default();
    #[allow(clippy::result_large_err)] // The library's own type.
    let judge = |request: &Request, response: Response| {
        asked = Upgrade::of(request);
        log.0.lock().upgrades.push(asked.clone());
        if let Fault::Status { status, retry_after } = fault {
            return Err(refuse(status).response(retry_after));
        }
        check(&asked, &log).map(|()| response).map_err(|refusal| refusal.response(None))
    };
    let config = WebSocketConfig::default().read_buffer_size(BUFFER_BYTES).write_buffer_size(0);
    let fused = Fused { tcp, left: Arc::clone(&left) };
    let socket = tokio_tungstenite::accept_hdr_async_with_config(fused, judge, Some(config)).await.ok()?;
    // A standing fault is asked for again at each answer: it may have been lifted by then.
    let fault = if fault == faults.standing() { Fault::None } else { fault };
    Some(Connection {
        socket,
        asked,
        log,
        fault,
        faults,
        left,
        silent_after: None,
        due: BTreeMap::new(),
        order: 0,
    })
}

/// An open connection, with what is still to be sent on it.
pub struct Connection {
    socket: WebSocketStream<Fused>,
    pub asked: Upgrade,
    pub log: Log,
    fault: Fault,
    faults: Faults,
    left: Arc<AtomicI64>,
    /// Messages until it falls silent.
    silent_after: Option<usize>,
    due: BTreeMap<(Instant, u64), Message>,
    order: u64,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("asked", &self.asked.path).finish_non_exhaustive()
    }
}

/// What happened on a connection.
#[derive(Debug)]
pub enum Event {
    Text(String),
    Binary(bytes::Bytes),
    /// The time that was waited for.
    Time,
}

impl Connection {
    /// The fault that the next answer is to suffer. Those of the way a connection breaks or falls silent are
    /// set to work here; the others are the provider's to word.
    pub fn fault(&mut self) -> Fault {
        let fault = if self.fault == Fault::None { self.faults.standing() } else { self.fault.clone() };
        match &fault {
            Fault::CloseAfter(bytes) if self.left.load(Ordering::Relaxed) == NEVER => {
                self.left.store(i64::try_from(*bytes).unwrap_or(NEVER), Ordering::Relaxed);
            }
            Fault::Stall if self.silent_after.is_none() => self.silent_after = Some(0),
            Fault::StallAfter(messages) if self.silent_after.is_none() => self.silent_after = Some(*messages),
            _ => {}
        }
        fault
    }

    /// Sends at a time.
    pub fn send_at(&mut self, at: Instant, message: impl Into<Message>) {
        self.order += 1;
        self.due.insert((at, self.order), message.into());
    }

    /// Sends and then closes, at a time.
    pub fn close_at(&mut self, at: Instant, code: u16, reason: &str) {
        let frame = CloseFrame { code: CloseCode::from(code), reason: reason.to_owned().into() };
        self.send_at(at, Message::Close(Some(frame)));
    }

    /// Drops what is still to be sent, but for text messages of which `keep` holds.
    pub fn forget(&mut self, keep: impl Fn(&Message) -> bool) -> usize {
        let before = self.due.len();
        self.due.retain(|_, message| keep(message));
        before - self.due.len()
    }

    /// The time of the last message that is still to be sent.
    #[must_use]
    pub fn busy_until(&self) -> Option<Instant> {
        self.due.last_key_value().map(|((at, _), _)| *at)
    }

    /// Sends what is due until a message comes or `until` has passed. `None`: the connection is over.
    pub async fn next(&mut self, until: Option<Instant>) -> Option<Event> {
        loop {
            let due = self.due.first_key_value().map(|((at, _), _)| *at);
            let soon = Instant::now() + Duration::from_secs(3_600);
            tokio::select! {
                message = self.socket.next() => match message?.ok()? {
                    Message::Text(text) => return Some(Event::Text(text.as_str().to_owned())),
                    Message::Binary(bytes) => return Some(Event::Binary(bytes)),
                    Message::Close(_) => return None,
                    _ => {}
                },
                () = sleep_until(due.unwrap_or(soon)), if due.is_some() => self.send_due().await?,
                () = sleep_until(until.unwrap_or(soon)), if until.is_some() => return Some(Event::Time),
            }
        }
    }

    async fn send_due(&mut self) -> Option<()> {
        let (_, message) = self.due.pop_first()?;
        match &mut self.silent_after {
            Some(0) => return Some(()),
            Some(left) => *left -= 1,
            None => {}
        }
        let over = matches!(message, Message::Close(_));
        self.socket.send(message).await.ok()?;
        if over {
            // Closing with something unread would reset the connection, and the client might lose the reason.
            let drained = async { while let Some(Ok(_)) = self.socket.next().await {} };
            let _ = tokio::time::timeout(Duration::from_millis(200), drained).await;
            return None;
        }
        Some(())
    }
}
