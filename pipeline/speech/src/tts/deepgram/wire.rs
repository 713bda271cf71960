//! Messages of the speak websocket: texts and flushes out, audio in the order of the flushes back.
#![deny(clippy::disallowed_methods)]

use std::borrow::Cow;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::tts::cloud::{Dialect, Told};
use pipeline::provider::socket::Incoming;
use pipeline::provider::{Failure, Kind};
use pipeline::turn::SegmentId;

/// Most characters in one message; the vendor refuses 2,000.
const MOST_CHARS: usize = 1_900;
/// Segments in the vendor's hands at a time: the next is begun while the one before is still being sent.
const MOST_ASKED: usize = 4;
/// The vendor processes 20 flushes a minute on one connection and drops the rest. Two are kept in reserve.
const MOST_FLUSHES: usize = 18;
const MINUTE: Duration = Duration::from_secs(60);

const FLUSH: &str = r#"{"type":"Flush"}"#;
const CLEAR: &str = r#"{"type":"Clear"}"#;

/// One connection.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// Numbers of texts whose flush was not answered yet. Audio is the first one's.
    asked: VecDeque<u32>,
    /// Clears that were not answered yet: until then, whatever comes is of what was dropped.
    clearing: u32,
    /// Of the last minute.
    flushes: VecDeque<Instant>,
}

#[derive(Serialize)]
#[serde(tag = "type")]
struct Speak<'a> {
    text: &'a str,
}

#[derive(Deserialize)]
struct Notice<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Cow<'a, str>,
    #[serde(default)]
    code: Option<serde_json::Value>,
    #[serde(default)]
    description: Option<serde_json::Value>,
}

impl Dialect for Wire {
    fn ask(&mut self, serial: u32, _: SegmentId, text: &str, now: Instant) -> Option<Vec<String>> {
        if self.asked.len() >= MOST_ASKED {
            return None;
        }
        let mut messages: Vec<String> =
            pieces(text).filter_map(|text| serde_json::to_string(&Speak { text }).ok()).collect();
        messages.push(FLUSH.to_owned());
        while self.flushes.front().is_some_and(|at| now.duration_since(*at) >= MINUTE) {
            self.flushes.pop_front();
        }
        self.flushes.push_back(now);
        self.asked.push_back(serial);
        Some(messages)
    }

    fn stop(&mut self, serials: &[u32]) -> Vec<String> {
        // A clear drops everything. Where something else is in hand, what is not wanted is voiced and not heard.
        if self.asked.is_empty() || !self.asked.iter().all(|asked| serials.contains(asked)) {
            return Vec::new();
        }
        self.asked.clear();
        self.clearing += 1;
        vec![CLEAR.to_owned()]
    }

    fn hear(&mut self, message: &Incoming, told: &mut Vec<Told>) {
        match message {
            Incoming::Binary(audio) => {
                if let (Some(serial), 0) = (self.asked.front(), self.clearing) {
                    told.push(Told::Audio { serial: *serial, mulaw: audio.to_vec(), times: Vec::new() });
                }
            }
            Incoming::Text(text) => match serde_json::from_str::<Notice<'_>>(text) {
                Ok(notice) => self.notice(&notice, told),
                Err(_) => {
                    let failure = Failure::new(Kind::Garbage, "a message that makes no sense");
                    told.push(Told::Failed { serial: None, failure });
                }
            },
        }
    }

    fn is_worn(&self, now: Instant) -> bool {
        self.flushes.iter().filter(|at| now.duration_since(**at) < MINUTE).count() >= MOST_FLUSHES
    }
}

impl Wire {
    fn notice(&mut self, notice: &Notice<'_>, told: &mut Vec<Told>) {
        match &*notice.kind {
            "Cleared" => self.clearing = self.clearing.saturating_sub(1),
            "Flushed" if self.clearing == 0 => {
                told.extend(self.asked.pop_front().map(|serial| Told::Done { serial }));
            }
            // The one warning that costs something: a flush that was not processed is never answered, and its
            // text would be said with the next segment's.
            "Warning" if notice.holds("flush") => {
                let failure = Failure::new(Kind::RateLimited { retry_after: None }, "too many flushes");
                told.push(Told::Failed { serial: None, failure });
            }
            "Error" => {
                let failure = Failure::new(Kind::Server, format!("error message {}", notice.name()));
                told.push(Told::Failed { serial: None, failure });
            }
            _ => {}
        }
    }
}

impl Notice<'_> {
    fn holds(&self, word: &str) -> bool {
        let texts = [&self.code, &self.description].into_iter().flatten().filter_map(|v| v.as_str());
        texts.map(str::to_lowercase).any(|text| text.contains(word))
    }

    /// The vendor's code, if it looks like one.
    fn name(&self) -> String {
        let code = self.code.as_ref().and_then(|code| code.as_str()).unwrap_or("unnamed");
        code.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40).collect()
    }
}

/// A text in pieces that the vendor takes: whole sentences where there are any, else whole words.
fn pieces(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        text = text.trim();
        if text.is_empty() {
            return None;
        }
        let limit = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
        let head = &text[..limit];
        let sentence = || head.rfind(['.', '?', '!']).map(|at| at + 1);
        let end = match limit == text.len() {
            true => limit,
            false => {
                sentence().or_else(|| head.rfind(char::is_whitespace)).filter(|at| *at > 0).unwrap_or(limit)
            }
        };
        let (piece, rest) = text.split_at(end);
        text = rest;
        Some(piece)
    })
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
