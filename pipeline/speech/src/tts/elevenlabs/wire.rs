//! Messages of the multi-context websocket, as contexts are opened, spoken in and closed.
//!
//! A segment's context is opened and flushed in one go, and closed when the first of its audio has come: only a closed
//! context reports its end, and one that is closed beside its flush may lose the end of its sentence. A context that is
//! cancelled before that is closed at once; what still comes of it is dropped by its number.
#![deny(clippy::disallowed_methods)]

use std::borrow::Cow;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tts::alignment::CharTime;
use crate::tts::cloud::{Dialect, Told};
use pipeline::provider::socket::Incoming;
use pipeline::provider::{Failure, Kind};
use pipeline::turn::SegmentId;

/// The vendor closes the connection at the sixth; one is left in reserve.
const MOST_CONTEXTS: usize = 4;
const VOICE: VoiceSettings = VoiceSettings { stability: 0.5, similarity_boost: 0.8 };

/// One connection's contexts.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// Those whose end was not reported yet, cancelled ones among them.
    open: Vec<Context>,
    /// What is to be sent because of what was heard.
    owed: Vec<String>,
}

#[derive(Debug)]
struct Context {
    serial: u32,
    id: String,
    /// Its close was sent.
    is_closed: bool,
}

impl Context {
    /// The message that closes it, once.
    fn close(&mut self) -> Option<String> {
        if std::mem::replace(&mut self.is_closed, true) {
            return None;
        }
        let close = Request { context_id: &self.id, close_context: true, ..Request::default() };
        serde_json::to_string(&close).ok()
    }
}

#[derive(Serialize)]
struct VoiceSettings {
    stability: f32,
    similarity_boost: f32,
}

#[derive(Serialize, Default)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    context_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice_settings: Option<VoiceSettings>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    flush: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    close_context: bool,
}

impl Dialect for Wire {
    fn ask(&mut self, serial: u32, id: SegmentId, text: &str, _: Instant) -> Option<Vec<String>> {
        if self.open.len() >= MOST_CONTEXTS {
            return None;
        }
        // A segment may be asked for twice (once cancelled, once again): the number tells the two apart.
        let context_id = &format!("s-{}-{}-{serial}", id.turn.0, id.index);
        let text = format!("{text} ");
        let messages = [
            Request { text: Some(&text), context_id, voice_settings: Some(VOICE), ..Request::default() },
            Request { context_id, flush: true, ..Request::default() },
        ];
        self.open.push(Context { serial, id: context_id.clone(), is_closed: false });
        Some(messages.iter().filter_map(|m| serde_json::to_string(m).ok()).collect())
    }

    fn stop(&mut self, serials: &[u32]) -> Vec<String> {
        let stopped = self.open.iter_mut().filter(|context| serials.contains(&context.serial));
        stopped.filter_map(Context::close).collect()
    }

    fn owed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.owed)
    }

    fn hear(&mut self, message: &Incoming, told: &mut Vec<Told>) {
        let Incoming::Text(text) = message else { return };
        let Some(answer) = Answer::parse(text) else {
            let failure = Failure::new(Kind::Garbage, "a message that makes no sense");
            told.push(Told::Failed { serial: None, failure });
            return;
        };
        let serial = self.serial_of(answer.context.as_deref());
        if let Some(name) = &answer.error {
            self.open.retain(|open| Some(open.serial) != serial);
            told.push(Told::Failed { serial, failure: refused(name) });
            return;
        }
        let Some(serial) = serial else { return };
        match answer.audio.as_deref().map(decoded) {
            Some(None) => {
                let failure = Failure::new(Kind::Garbage, "audio that is not base64");
                told.push(Told::Failed { serial: Some(serial), failure });
                return;
            }
            Some(Some(mulaw)) => {
                let speaking = self.open.iter_mut().find(|open| open.serial == serial);
                self.owed.extend(speaking.and_then(Context::close));
                told.push(Told::Audio { serial, mulaw, times: answer.times });
            }
            None if !answer.times.is_empty() => {
                told.push(Told::Audio { serial, mulaw: Vec::new(), times: answer.times });
            }
            None => {}
        }
        if answer.last {
            self.open.retain(|open| open.serial != serial);
            told.push(Told::Done { serial });
        }
    }
}

impl Wire {
    /// The open context of a message. One that names none belongs to the only one there is.
    fn serial_of(&self, context: Option<&str>) -> Option<u32> {
        match (context, self.open.as_slice()) {
            (Some(id), open) => {
                let serial = id.rsplit('-').next()?.parse().ok()?;
                open.iter().any(|context| context.serial == serial).then_some(serial)
            }
            (None, [only]) => Some(only.serial),
            (None, _) => None,
        }
    }
}

fn decoded(audio: &str) -> Option<Vec<u8>> {
    base64_simd::forgiving_decode_to_vec(audio.as_bytes()).ok()
}

/// The vendor's error names change over time, so they are sorted by what they hold.
fn refused(name: &str) -> Failure {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let kind = if has(&["quota", "api_key", "unauthorized", "permission", "subscription"]) {
        Kind::Unauthorised
    } else if has(&["too_many", "concurrent", "rate"]) {
        Kind::RateLimited { retry_after: None }
    } else if has(&["busy", "overload", "capacity"]) {
        Kind::Overloaded
    } else if has(&["timeout"]) {
        Kind::Closed
    } else if has(&["internal", "server", "unavailable"]) {
        Kind::Server
    } else {
        Kind::Refused
    };
    Failure::new(kind, format!("error message {name}"))
}

// ---------------------------------------------------------------- what the vendor sends

/// A message, whichever of the vendor's spellings it uses.
#[derive(Debug, Default, PartialEq)]
struct Answer<'a> {
    audio: Option<Cow<'a, str>>,
    context: Option<Cow<'a, str>>,
    last: bool,
    times: Vec<CharTime>,
    /// Short and plain: it goes into events.
    error: Option<String>,
}

/// Borrows where the text has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
struct Plain<'a> {
    #[serde(borrow, default)]
    audio: Option<Text<'a>>,
    #[serde(borrow, default, rename = "contextId", alias = "context_id")]
    context: Option<Text<'a>>,
    #[serde(default, rename = "isFinal", alias = "is_final")]
    last: Option<bool>,
    #[serde(borrow, default)]
    alignment: Option<Alignment<'a>>,
    #[serde(borrow, default, rename = "normalizedAlignment", alias = "normalized_alignment")]
    normalized: Option<Alignment<'a>>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Alignment<'a> {
    #[serde(borrow)]
    chars: Vec<Text<'a>>,
    #[serde(rename = "charStartTimesMs", alias = "char_start_times_ms", alias = "charsStartTimesMs")]
    starts: Vec<f32>,
    #[serde(rename = "charDurationsMs", alias = "charsDurationsMs", alias = "char_durations_ms")]
    lengths: Vec<f32>,
}

impl<'a> Answer<'a> {
    /// `None`: not a JSON object.
    fn parse(text: &'a str) -> Option<Self> {
        match serde_json::from_str::<Plain<'_>>(text) {
            Ok(plain) => Some(Self {
                audio: plain.audio.map(|t| t.0).filter(|t| !t.is_empty()),
                context: plain.context.map(|t| t.0),
                last: plain.last.unwrap_or(false),
                times: plain.alignment.or(plain.normalized).map(Alignment::times).unwrap_or_default(),
                error: plain.error.map(|t| plain_name(&t.0)),
            }),
            Err(_) => Answer::salvaged(&serde_json::from_str(text).ok()?),
        }
    }

    /// Takes what can be used of a message that is not shaped as expected: audio without its alignment, an error
    /// that is an object.
    fn salvaged(value: &Value) -> Option<Answer<'static>> {
        let fields = value.as_object()?;
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| fields.get(*name)?.as_str());
            found.map(|text| Cow::Owned(text.to_owned()))
        };
        let error = fields.get("error").filter(|error| !error.is_null());
        Some(Answer {
            audio: text(&["audio"]).filter(|t: &Cow<'_, str>| !t.is_empty()),
            context: text(&["contextId", "context_id"]),
            last: ["isFinal", "is_final"].iter().any(|name| fields.get(*name) == Some(&Value::Bool(true))),
            times: Vec::new(),
            error: error.map(|error| {
                let named = ["status", "code", "type"].iter().find_map(|name| error.get(*name)?.as_str());
                plain_name(error.as_str().or(named).unwrap_or("unnamed"))
            }),
        })
    }
}

impl Alignment<'_> {
    fn times(self) -> Vec<CharTime> {
        let mut times = Vec::with_capacity(self.chars.len());
        for ((text, start_ms), length_ms) in self.chars.iter().zip(self.starts).zip(self.lengths) {
            times.extend(text.0.chars().map(|char| CharTime { char, start_ms, length_ms }));
        }
        times
    }
}

/// An error's name is the vendor's: of it, only what can be a name is kept.
fn plain_name(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).take(40);
    let kept: String = kept.collect();
    if kept.is_empty() { "unnamed".to_owned() } else { kept.to_ascii_lowercase() }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
