//! `/v1/listen`.

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
    endpointing_ms: u64,
    /// End of what was given as final.
    final_ms: u64,
    interim_at_ms: u64,
    last_came: Instant,
}

impl Listener {
    pub fn new(connection: Connection, options: Arc<ListenOptions>, heard: Arc<Heard>) -> Self {
        let endpointing_ms = connection.asked.value("endpointing").parse().unwrap_or(10);
        let ear = Ear::new(&options.texts, options.word_ms);
        Self {
            connection,
            options,
            heard,
            ear,
            endpointing_ms,
            final_ms: 0,
            interim_at_ms: 0,
            last_came: Instant::now(),
        }
    }

    pub async fn run(mut self) {
        if let Fault::ErrorFrame(name) = self.connection.fault() {
            let error = json!({"type": "Error", "variant": name, "description": "simulated"});
            self.connection.send_at(Instant::now(), error.to_string());
        }
        loop {
            let idle = self.last_came + self.options.idle;
            match self.connection.next(Some(idle)).await {
                None => return,
                Some(Event::Time) => {
                    self.connection.close_at(Instant::now(), 1011, "NET-0001");
                    self.last_came = Instant::now();
                }
                Some(Event::Binary(audio)) => {
                    self.last_came = Instant::now();
                    if audio.is_empty() {
                        self.connection.log.violation("an empty binary message");
                        return;
                    }
                    self.audio(&audio);
                }
                Some(Event::Text(text)) => {
                    self.last_came = Instant::now();
                    self.command(&text);
                }
            }
        }
    }

    fn audio(&mut self, audio: &[u8]) {
        self.heard.count(|c| {
            c.audio_bytes += audio.len();
            c.messages += 1;
        });
        let mut out = Vec::new();
        let (every, endpointing) = (self.options.interim_ms, self.endpointing_ms);
        let (mut interim_at, mut final_ms) = (self.interim_at_ms, self.final_ms);
        self.ear.push(audio, |ear| {
            if !ear.words.is_empty() && !ear.speaks() && ear.silence_ms() >= endpointing.max(100) {
                let words = std::mem::take(&mut ear.words);
                out.push((words, final_ms, ear.ms, true, true));
                (final_ms, interim_at) = (ear.ms, ear.ms);
            } else if !ear.words.is_empty() && ear.ms >= interim_at + every {
                out.push((ear.words.clone(), final_ms, ear.ms, false, false));
                interim_at = ear.ms;
            }
        });
        (self.interim_at_ms, self.final_ms) = (interim_at, final_ms);
        for (words, from, to, settled, speech_final) in out {
            self.send(&words, (from, to), settled, speech_final, false);
        }
    }

    fn command(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        match message["type"].as_str().unwrap_or_default() {
            "KeepAlive" => self.heard.count(|c| c.keep_alives += 1),
            "Finalize" => {
                self.heard.count(|c| c.finalizes += 1);
                self.ear.finish();
                let words = std::mem::take(&mut self.ear.words);
                let span = (self.final_ms, self.ear.ms);
                (self.final_ms, self.interim_at_ms) = (self.ear.ms, self.ear.ms);
                self.send(&words, span, true, false, true);
            }
            "CloseStream" => {
                self.heard.count(|c| c.goodbyes += 1);
                let metadata = json!({"type": "Metadata", "request_id": "simulated-1", "channels": 1});
                self.connection.send_at(Instant::now(), metadata.to_string());
                self.connection.close_at(Instant::now(), 1000, "");
            }
            "Configure" => {}
            other => self.connection.log.violation(format!("unknown message {other:?}")),
        }
    }

    fn send(
        &mut self,
        words: &[Spoken],
        (from, to): (u64, u64),
        settled: bool,
        speech_final: bool,
        asked: bool,
    ) {
        let fault = self.connection.fault();
        let s = |ms: u64| ms as f64 / 1_000.0;
        let tagged: Vec<Value> = words
            .iter()
            .map(|w| {
                json!({"word": w.text.to_lowercase(), "punctuated_word": w.text, "start": s(w.start_ms),
                    "end": s(w.start_ms + 200), "confidence": 0.98, "language": self.options.language})
            })
            .collect();
        let text = if nonsense(&fault) {
            "\u{1}{{ no results".to_owned()
        } else {
            json!({"type": "Results", "channel_index": [0, 1], "start": s(from), "duration": s(to - from),
                "is_final": settled, "speech_final": speech_final, "from_finalize": asked,
                "channel": {"alternatives": [{"transcript": joined(words), "confidence": 0.97, "words": tagged}]},
                "metadata": {"request_id": "simulated-1"}})
            .to_string()
        };
        let drip = if let Fault::Drip(each) = fault { each } else { std::time::Duration::ZERO };
        let busy = self.connection.busy_until().unwrap_or_else(Instant::now);
        let at = (Instant::now() + self.options.draw_latency(self.ear.silence_ms(), true)).max(busy + drip);
        self.connection.send_at(at, Message::text(text));
    }
}
