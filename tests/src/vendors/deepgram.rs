//! Deepgram's listening websockets, `/v1/listen` and `/v2/listen`, as its documentation describes them.
//!
//! What is recognised is a script: each loud stretch of audio is the next text. Times are of the audio that came in.

mod ear;
mod flux;
mod nova;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::fault::{Fault, Faults};
use super::websocket::{Connection, Log, Refusal, Server, Upgrade};

/// How the simulated recogniser behaves.
#[derive(Clone, Debug)]
pub struct ListenOptions {
    /// Key that clients must bring.
    pub key: String,
    /// What is said, one text a loud stretch, on every connection from the beginning. The last one is said again.
    pub texts: Vec<String>,
    /// From audio coming in to what it says being known.
    pub latency: Duration,
    /// Draws it anew for each result instead, counted from the last loud audio.
    pub drawn_latency: Option<fn() -> Duration>,
    /// Flux: the same for all but the end of a turn, which it takes longer to be sure of.
    pub drawn_eager: Option<fn() -> Duration>,
    /// Between two interims, ms of audio.
    pub interim_ms: u64,
    /// Length of a spoken word, ms of audio.
    pub word_ms: u64,
    /// Flux: silence after which a turn may be over, and is.
    pub eager_ms: u64,
    pub end_ms: u64,
    /// Tag of every word, for models that hear several languages.
    pub language: &'static str,
    /// Connections on which nothing came for so long are closed.
    pub idle: Duration,
}

impl Default for ListenOptions {
    fn default() -> Self {
        Self {
            key: "test-key".to_owned(),
            texts: vec!["When is the office open?".to_owned()],
            latency: Duration::from_millis(60),
            drawn_latency: None,
            drawn_eager: None,
            interim_ms: 250,
            word_ms: 250,
            eager_ms: 160,
            end_ms: 260,
            language: "en",
            idle: Duration::from_secs(10),
        }
    }
}

impl ListenOptions {
    /// Time that a result takes when the last loud audio is so long ago.
    fn draw_latency(&self, silence_ms: u64, ended: bool) -> Duration {
        const LEAST: Duration = Duration::from_millis(20);
        let draw = if ended { self.drawn_latency } else { self.drawn_eager.or(self.drawn_latency) };
        let drawn = draw.map(|draw| draw());
        drawn.map_or(self.latency, |latency| {
            latency.saturating_sub(Duration::from_millis(silence_ms)).max(LEAST)
        })
    }
}

/// The server, for both protocols.
#[derive(Debug)]
pub struct DeepgramServer {
    server: Server,
    pub faults: Faults,
    heard: Arc<Heard>,
}

/// What all connections of a server heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    counts: Mutex<Counts>,
}

/// What came in, over all connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub audio_bytes: usize,
    pub messages: usize,
    pub keep_alives: usize,
    pub finalizes: usize,
    pub forced_ends: usize,
    pub goodbyes: usize,
}

impl Heard {
    pub(super) fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut self.counts.lock());
    }
}

impl DeepgramServer {
    pub async fn start(options: ListenOptions) -> Self {
        let (faults, heard) = (Faults::default(), Arc::<Heard>::default());
        let token = format!("Token {}", options.key);
        let options = Arc::new(options);
        let check = move |asked: &Upgrade, log: &Log| check(asked, log, &token);
        let all = Arc::clone(&heard);
        let serve = move |connection: Connection| {
            let (options, heard) = (Arc::clone(&options), Arc::clone(&all));
            async move {
                if connection.asked.path == "/v1/listen" {
                    nova::Listener::new(connection, options, heard).run().await;
                } else {
                    flux::Listener::new(connection, options, heard).run().await;
                }
            }
        };
        Self { server: Server::start(faults.clone(), check, refuse, serve).await, faults, heard }
    }

    /// Base URL for clients.
    #[must_use]
    pub fn base(&self) -> String {
        self.server.base()
    }

    #[must_use]
    pub fn counts(&self) -> Counts {
        *self.heard.counts.lock()
    }

    /// Upgrades that were asked for, granted or not.
    #[must_use]
    pub fn upgrades(&self) -> Vec<Upgrade> {
        self.server.log.upgrades()
    }

    /// What clients did against the documentation.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.server.log.violations()
    }
}

fn refuse(status: u16) -> Refusal {
    let reason = match status {
        400 => "Bad parameter.",
        401 => "Invalid credentials.",
        429 => "Too many requests.",
        _ => "simulated",
    };
    let body = format!(r#"{{"err_code":"SIMULATED","err_msg":"{reason}","request_id":"simulated-1"}}"#);
    Refusal { status, header: Some(("dg-error", reason.to_owned())), body }
}

fn check(asked: &Upgrade, log: &Log, token: &str) -> Result<(), Refusal> {
    const NOVA: [&str; 14] = [
        "model",
        "language",
        "encoding",
        "sample_rate",
        "channels",
        "interim_results",
        "endpointing",
        "utterance_end_ms",
        "punctuate",
        "numerals",
        "mip_opt_out",
        "keyterm",
        "keywords",
        "vad_events",
    ];
    const FLUX: [&str; 9] = [
        "model",
        "encoding",
        "sample_rate",
        "eot_threshold",
        "eager_eot_threshold",
        "eot_timeout_ms",
        "keyterm",
        "language_hint",
        "mip_opt_out",
    ];
    if asked.header("authorization") != token {
        return Err(refuse(401));
    }
    let known: &[&str] = match asked.path.as_str() {
        "/v1/listen" => &NOVA,
        "/v2/listen" => &FLUX,
        _ => return Err(refuse(404)),
    };
    let (v1, nova_3) = (known.len() == NOVA.len(), asked.value("model").starts_with("nova-3"));
    let strange = asked.query.keys().find(|name| !known.contains(&name.as_str()));
    let audio = asked.value("encoding") == "mulaw" && asked.value("sample_rate") == "8000";
    let terms = !v1
        || if nova_3 { !asked.query.contains_key("keywords") } else { !asked.query.contains_key("keyterm") };
    if strange.is_some() || !audio || !terms || asked.value("model").is_empty() {
        log.violation(format!("upgrade: {strange:?} audio {audio} terms {terms}"));
        return Err(refuse(400));
    }
    Ok(())
}

/// What a fault that the provider words itself says.
pub(super) fn nonsense(fault: &Fault) -> bool {
    matches!(fault, Fault::Garbage)
}
