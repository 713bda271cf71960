//! `/v2/listen`.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::ear::{Ear, Spoken, joined};
use super::{Heard, ListenOptions, nonsense};
use crate::vendors::fault::Fault;
use crate::vendors::websocket::{Connection, Event};

pub(super) struct Listener {
    connection: Connection,
    options: Arc<ListenOptions>,
    heard: Arc<Heard>,
    ear: Ear,
    sequence: u64,
    turn: u64,
    /// Words of the turn so far.
    words: Vec<Spoken>,
    eager: bool,
    update_at_ms: u64,
}

impl Listener {
    pub fn new(connection: Connection, options: Arc<ListenOptions>, heard: Arc<Heard>) -> Self {
        let ear = Ear::new(&options.texts, options.word_ms);
        Self {
            connection,
            options,
            heard,
            ear,
            sequence: 0,
            turn: 0,
            words: Vec::new(),
            eager: false,
            update_at_ms: 0,
        }
    }

    pub async fn run(mut self) {
        let connected = json!({"type": "Connected", "request_id": "simulated-1", "sequence_id": 0});
        self.connection.send_at(Instant::now(), connected.to_string());
        if let Fault::ErrorFrame(code) = self.connection.fault() {
            let error = json!({"type": "Error", "sequence_id": 1, "code": code, "description": "simulated"});
            self.connection.send_at(Instant::now(), error.to_string());
            self.connection.close_at(Instant::now(), 1011, "simulated");
        }
        while let Some(event) = self.connection.next(None).await {
            match event {
                Event::Time => {}
                Event::Binary(audio) if audio.is_empty() => {
                    self.connection.log.violation("an empty binary message");
                    return;
                }
                Event::Binary(audio) => self.audio(&audio),
                Event::Text(text) => self.command(&text),
            }
        }
    }

    fn audio(&mut self, audio: &[u8]) {
        self.heard.count(|c| {
            c.audio_bytes += audio.len();
            c.messages += 1;
        });
        let mut steps = Vec::new();
        self.ear.push(audio, |ear| {
            steps.push((std::mem::take(&mut ear.words), ear.speaks(), ear.silence_ms(), ear.ms));
        });
        for (words, speaks, silence, ms) in steps {
            self.step(words, speaks, silence, ms);
        }
    }

    fn step(&mut self, words: Vec<Spoken>, speaks: bool, silence: u64, ms: u64) {
        let first = self.words.is_empty() && !words.is_empty();
        let more = !words.is_empty();
        self.words.extend(words);
        if self.words.is_empty() {
            return;
        }
        if first {
            self.send("StartOfTurn", ms, 0.05);
            self.update_at_ms = ms;
        } else if self.eager && (speaks || more) {
            self.eager = false;
            self.send("TurnResumed", ms, 0.1);
        } else if !speaks && silence >= self.options.end_ms {
            self.end("model", ms, 0.86);
        } else if !speaks && silence >= self.options.eager_ms && !self.eager {
            self.eager = true;
            self.send("EagerEndOfTurn", ms, 0.55);
        } else if ms >= self.update_at_ms + self.options.interim_ms {
            self.update_at_ms = ms;
            self.send("Update", ms, 0.1);
        }
    }

    fn end(&mut self, trigger: &str, ms: u64, confidence: f64) {
        self.eager = false;
        self.send_with("EndOfTurn", ms, confidence, Some(trigger));
        self.turn += 1;
        self.words.clear();
    }

    fn command(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        match message["type"].as_str().unwrap_or_default() {
            "CloseStream" => {
                self.heard.count(|c| c.goodbyes += 1);
                self.connection.close_at(Instant::now(), 1000, "");
            }
            "ForceEndTurn" => {
                self.heard.count(|c| c.forced_ends += 1);
                self.ear.finish();
                self.words.append(&mut self.ear.words);
                if !self.words.is_empty() {
                    let ms = self.ear.ms;
                    self.end("manual", ms, 0.4);
                }
            }
            "Configure" => {
                let done = json!({"type": "ConfigureSuccess", "request_id": "simulated-1", "sequence_id": 0});
                self.connection.send_at(Instant::now(), done.to_string());
            }
            other => self.connection.log.violation(format!("unknown message {other:?}")),
        }
    }

    fn send(&mut self, event: &str, ms: u64, confidence: f64) {
        self.send_with(event, ms, confidence, None);
    }

    fn send_with(&mut self, event: &str, ms: u64, confidence: f64, trigger: Option<&str>) {
        let fault = self.connection.fault();
        self.sequence += 1;
        let s = |ms: u64| ms as f64 / 1_000.0;
        let words: Vec<Value> = self
            .words
            .iter()
            .map(|w| json!({"word": w.text, "confidence": 0.98, "start": s(w.start_ms), "end": s(w.start_ms + 200)}))
            .collect();
        let mut message = json!({"type": "TurnInfo", "request_id": "simulated-1", "sequence_id": self.sequence,
            "event": event, "turn_index": self.turn, "audio_window_start": 0.0, "audio_window_end": s(ms),
            "transcript": joined(&self.words), "words": words, "end_of_turn_confidence": confidence});
        if let Some(trigger) = trigger {
            message["trigger"] = json!(trigger);
        }
        if self.connection.asked.value("model").contains("multi") {
            message["languages"] = json!([self.options.language]);
        }
        let text = if nonsense(&fault) { "\u{1}{{ no turn".to_owned() } else { message.to_string() };
        let drip = if let Fault::Drip(each) = fault { each } else { std::time::Duration::ZERO };
        let busy = self.connection.busy_until().unwrap_or_else(Instant::now);
        let latency = self.options.draw_latency(self.ear.silence_ms(), event == "EndOfTurn");
        let at = (Instant::now() + latency).max(busy + drip);
        self.connection.send_at(at, Message::text(text));
    }
}
