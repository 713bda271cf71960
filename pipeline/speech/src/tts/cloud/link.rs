//! One call's connection to a vendor: taken warm, and opened again at once when it is lost between two segments.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use secrecy::{ExposeSecret, SecretString};
use tokio::time::{Instant, sleep, sleep_until};

use pipeline::provider::socket::{Incoming, Socket};
use pipeline::provider::warm::{Opener, Pool};
use pipeline::provider::{Breaker, Failure, Kind, retry};

/// A connection that lived this long was a good one: tries to reopen it begin anew.
const GOOD_LIFE: Duration = Duration::from_secs(5);

/// How connections for one voice are opened, and kept while idle.
pub(in crate::tts) struct Dial {
    pub provider: &'static str,
    pub url: String,
    /// Header that carries the key.
    pub header: &'static str,
    pub key: SecretString,
    pub deadline: Duration,
    /// What keeps an idle connection alive, and how often.
    pub keep_alive: Option<(Duration, &'static str)>,
    pub health: Health,
}

/// What is known of a vendor's health, for whoever opens connections in advance.
#[derive(Clone, Debug, Default)]
pub(in crate::tts) struct Health(Arc<Mutex<Breaker>>);

impl Health {
    pub fn succeeded(&self) {
        self.0.lock().on_success();
    }

    pub fn failed(&self, kind: Kind) {
        self.0.lock().on_failure(Instant::now().into_std(), kind);
    }
}

impl Opener for Dial {
    type Conn = Socket;

    async fn open(&self) -> Result<Socket, Failure> {
        let headers = [(self.header, self.key.expose_secret())];
        let opened = Socket::open(&self.url, &headers, self.deadline).await;
        let outcome = opened.as_ref().map_or_else(|failure| failure.kind.name(), |_| "open");
        metrics::counter!("quandura_voice_handshakes_total", "provider" => self.provider, "outcome" => outcome)
            .increment(1);
        if let Err(failure) = &opened {
            self.health.failed(failure.kind);
        }
        opened
    }

    async fn keep(&self, socket: &mut Socket) {
        loop {
            let due = async {
                match self.keep_alive {
                    Some((every, message)) => {
                        sleep(every).await;
                        message
                    }
                    None => pending().await,
                }
            };
            tokio::select! {
                biased;
                message = socket.next() => if !matches!(message, Ok(Some(_))) { return },
                message = due => if socket.text(message.to_owned()).await.is_err() { return },
            }
        }
    }

    fn may_open(&self) -> bool {
        self.health.0.lock().allows(Instant::now().into_std())
    }
}

/// What happened on a link.
pub(super) enum LinkEvent {
    /// Connected, with nothing said yet.
    Up,
    /// There was a connection, and now there is none.
    Lost(Failure),
    /// There is no connection to be had at present.
    Unreachable(Failure),
    Message(Incoming),
}

/// The connection, or the way to it.
pub(super) struct Link {
    pub pool: Arc<Pool<Dial>>,
    state: State,
    tries: usize,
}

enum State {
    Opening(BoxFuture<'static, Result<Socket, Failure>>),
    Up {
        socket: Box<Socket>,
        since: Instant,
    },
    /// Opened again then.
    Resting(Instant),
    /// Opened again when somebody wants to speak.
    Down,
}

impl Link {
    pub fn open(pool: Arc<Pool<Dial>>) -> Self {
        let state = opening(&pool);
        Self { pool, state, tries: 0 }
    }

    pub const fn is_up(&self) -> bool {
        matches!(self.state, State::Up { .. })
    }

    /// Somebody wants to speak: no more waiting between tries.
    pub fn want(&mut self) {
        if matches!(self.state, State::Resting(_) | State::Down) {
            self.state = opening(&self.pool);
        }
    }

    /// Gives the connection up for a fresh one.
    pub fn replace(&mut self) {
        self.state = opening(&self.pool);
    }

    /// What happens next. Cancel-safe.
    pub async fn next(&mut self) -> LinkEvent {
        loop {
            match &mut self.state {
                State::Opening(opening) => {
                    let opened = opening.await;
                    return self.opened(opened);
                }
                State::Up { socket, .. } => match socket.next().await {
                    Ok(Some(message)) => return LinkEvent::Message(message),
                    Ok(None) => {
                        return self.lost(Failure::new(Kind::Closed, "the provider closed the connection"));
                    }
                    Err(failure) => return self.lost(failure),
                },
                State::Resting(until) => {
                    sleep_until(*until).await;
                    self.want();
                }
                State::Down => pending().await,
            }
        }
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The connection is no more; whoever sends tells [`Self::replace`] or [`Self::lost`].
    pub async fn send(&mut self, message: String) -> Result<(), Failure> {
        match &mut self.state {
            State::Up { socket, .. } => socket.text(message).await,
            _ => Err(Failure::new(Kind::Closed, "the connection is gone")),
        }
    }

    /// Says goodbye, within a fifth of a second.
    pub async fn close(self) {
        if let State::Up { socket, .. } = self.state {
            socket.close().await;
        }
    }

    /// The connection is lost; it is opened again unless that would be of no use.
    pub fn lost(&mut self, failure: Failure) -> LinkEvent {
        if let State::Up { since, .. } = &self.state
            && since.elapsed() >= GOOD_LIFE
        {
            self.tries = 0;
        }
        self.rest(failure.kind);
        LinkEvent::Lost(failure)
    }

    fn opened(&mut self, opened: Result<Socket, Failure>) -> LinkEvent {
        match opened {
            Ok(socket) => {
                self.state = State::Up { socket: Box::new(socket), since: Instant::now() };
                LinkEvent::Up
            }
            Err(failure) => {
                self.rest(failure.kind);
                LinkEvent::Unreachable(failure)
            }
        }
    }

    fn rest(&mut self, kind: Kind) {
        let worth = kind.is_worth_one_retry() || kind == Kind::Stalled;
        let wait = retry::wait(self.tries, rand::random()).filter(|_| worth);
        self.tries += 1;
        self.state = wait.map_or(State::Down, |wait| State::Resting(Instant::now() + wait));
    }
}

fn opening(pool: &Arc<Pool<Dial>>) -> State {
    let pool = Arc::clone(pool);
    State::Opening(Box::pin(async move { pool.get().await }))
}
