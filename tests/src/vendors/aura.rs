//! Deepgram's speak websocket, as its documentation describes it, with a tone for a voice.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::fault::{Fault, Faults};
use super::tone::{VoiceOptions, tone};
use super::websocket::{Connection, Event, Log, Refusal, Server, Upgrade};

/// Flushes that the vendor processes in a minute.
const MOST_FLUSHES: usize = 20;
const MOST_CHARS: usize = 2_000;
/// From a clear to its answer; audio that was on its way comes in between.
const CLEAR: Duration = Duration::from_millis(30);

/// The server. Wrong use is answered as the vendor does, and noted in [`Self::violations`].
#[derive(Debug)]
pub struct AuraServer {
    server: Server,
    pub faults: Faults,
}

impl AuraServer {
    pub async fn start(options: VoiceOptions) -> Self {
        let faults = Faults::default();
        let token = format!("Token {}", options.key);
        let options = Arc::new(options);
        let check = move |asked: &Upgrade, log: &Log| check(asked, log, &token);
        let serve = move |connection| Speaker::new(connection, Arc::clone(&options)).run();
        Self { server: Server::start(faults.clone(), check, refuse, serve).await, faults }
    }

    /// Base URL for clients.
    #[must_use]
    pub fn base(&self) -> String {
        self.server.base()
    }

    /// Texts that were voiced, one a flush.
    #[must_use]
    pub fn seen(&self) -> Vec<String> {
        self.server.log.texts()
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
        401 => "Invalid credentials.",
        429 => "Too many requests.",
        _ => "simulated",
    };
    let body = format!(r#"{{"err_code":"SIMULATED","err_msg":"{reason}","request_id":"simulated-1"}}"#);
    Refusal { status, header: Some(("dg-error", reason.to_owned())), body }
}

fn check(asked: &Upgrade, log: &Log, token: &str) -> Result<(), Refusal> {
    if asked.header("authorization") != token {
        return Err(refuse(401));
    }
    let well = asked.path == "/v1/speak"
        && !asked.value("model").is_empty()
        && asked.value("encoding") == "mulaw"
        && asked.value("sample_rate") == "8000"
        && asked.value("mip_opt_out") == "true";
    if !well {
        log.violation(format!("path {} query {:?}", asked.path, asked.query));
        return Err(refuse(400));
    }
    Ok(())
}

/// One connection.
struct Speaker {
    connection: Connection,
    options: Arc<VoiceOptions>,
    text: String,
    flushes: VecDeque<Instant>,
    sequence: u64,
    last: Instant,
}

impl Speaker {
    fn new(connection: Connection, options: Arc<VoiceOptions>) -> Self {
        Self {
            connection,
            options,
            text: String::new(),
            flushes: VecDeque::new(),
            sequence: 0,
            last: Instant::now(),
        }
    }

    async fn run(mut self) {
        let model = self.connection.asked.value("model").to_owned();
        let metadata = format!(
            r#"{{"type":"Metadata","request_id":"simulated-1","model_name":"{model}","additional_model_uuids":[]}}"#
        );
        self.connection.send_at(Instant::now(), metadata);
        loop {
            let until = self.options.inactivity.map(|most| self.last + most);
            match self.connection.next(until).await {
                None => return,
                Some(Event::Text(text)) => {
                    self.last = Instant::now();
                    self.on_text(&text);
                }
                Some(Event::Binary(_)) => self.refuse(1003, "MESSAGE-0000"),
                Some(Event::Time) => {
                    self.last = Instant::now() + Duration::from_secs(60);
                    self.connection.close_at(Instant::now(), 1011, "NET-0001");
                }
            }
        }
    }

    fn refuse(&mut self, code: u16, reason: &str) {
        self.connection.log.violation(format!("closed with {code} {reason}"));
        self.connection.forget(|_| false);
        self.connection.close_at(Instant::now(), code, reason);
    }

    fn on_text(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        match message["type"].as_str().unwrap_or_default() {
            "Speak" => match message["text"].as_str() {
                Some(text) if text.chars().count() > MOST_CHARS => self.refuse(1009, "BIG-0001"),
                Some(text) => {
                    if !self.text.is_empty() {
                        self.text.push(' ');
                    }
                    self.text.push_str(text.trim());
                }
                None => self.refuse(1008, "DATA-0000"),
            },
            "Flush" => self.flush(Instant::now()),
            "Clear" => self.clear(Instant::now()),
            "Close" => self.connection.close_at(Instant::now(), 1000, ""),
            _ => self.refuse(1008, "DATA-0000"),
        }
    }

    fn flush(&mut self, now: Instant) {
        self.flushes.retain(|at| now.duration_since(*at) < Duration::from_secs(60));
        if self.flushes.len() >= MOST_FLUSHES {
            self.connection.log.violation("more than 20 flushes a minute");
            let warning = r#"{"type":"Warning","code":"EXCEEDED","description":"Too many Flush messages"}"#;
            return self.connection.send_at(now, warning);
        }
        self.flushes.push_back(now);
        let text = std::mem::take(&mut self.text);
        if self.options.remember && !text.is_empty() {
            self.connection.log.text(&text);
        }
        // One text after another: each begins when the one before is sent.
        let mut at =
            self.connection.busy_until().map_or(now, |until| until.max(now)) + self.options.draw_first();
        let mut spacing = self.options.spacing;
        match self.connection.fault() {
            Fault::Garbage => return self.connection.send_at(at, "]{ \u{1F600} no JSON"),
            Fault::ErrorFrame(name) => {
                let error = format!(r#"{{"type":"Error","code":"{name}","description":"simulated"}}"#);
                self.connection.send_at(at, error);
                return self.connection.close_at(at, 1011, &name);
            }
            Fault::Drip(pause) => spacing += pause,
            _ => {}
        }
        let (total, piece) = (self.options.bytes_of(&text), self.options.piece_ms as usize * 8);
        for from in (0..total).step_by(piece) {
            self.connection.send_at(at, Message::Binary(tone(piece.min(total - from))));
            at += spacing;
        }
        self.connection.send_at(at, format!(r#"{{"type":"Flushed","sequence_id":{}}}"#, self.sequence));
        self.sequence += 1;
    }

    /// Audio that is on its way comes all the same, before the answer.
    fn clear(&mut self, now: Instant) {
        self.text.clear();
        let dropped = self.connection.forget(|_| false);
        if dropped > 0 {
            self.connection.send_at(now + CLEAR / 2, Message::Binary(tone(800)));
        }
        self.connection
            .send_at(now + CLEAR, format!(r#"{{"type":"Cleared","sequence_id":{}}}"#, self.sequence));
    }
}
