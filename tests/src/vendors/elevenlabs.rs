//! ElevenLabs' multi-context websocket, as its documentation describes it, with a tone for a voice.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tokio_tungstenite::tungstenite::Message;

use super::fault::{Fault, Faults};
use super::tone::{VoiceOptions, tone};
use super::websocket::{Connection, Event, Refusal, Server, Upgrade};

/// Open contexts that the vendor allows on one connection.
const MOST_CONTEXTS: usize = 5;
/// Fields that a client may send.
const FIELDS: [&str; 8] = [
    "text",
    "context_id",
    "voice_settings",
    "generation_config",
    "flush",
    "close_context",
    "close_socket",
    "try_trigger_generation",
];

/// The server. Wrong use is answered as the vendor does, and noted in [`Self::violations`].
#[derive(Debug)]
pub struct ElevenLabsServer {
    server: Server,
    pub faults: Faults,
}

impl ElevenLabsServer {
    pub async fn start(options: VoiceOptions) -> Self {
        let faults = Faults::default();
        let key = options.key.clone();
        let shared = Arc::new(Shared { piece: base64(&tone(options.piece_ms as usize * 8)), options });
        let check = move |asked: &Upgrade, log: &super::websocket::Log| check(asked, log, &key);
        let serve = move |connection| Contexts::new(connection, Arc::clone(&shared)).run();
        Self { server: Server::start(faults.clone(), check, refuse, serve).await, faults }
    }

    /// Base URL for clients.
    #[must_use]
    pub fn base(&self) -> String {
        self.server.base()
    }

    /// Texts that were voiced, in the order in which they were asked for.
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

struct Shared {
    options: VoiceOptions,
    /// A whole piece of the tone.
    piece: String,
}

fn base64(audio: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(audio)
}

fn refuse(status: u16) -> Refusal {
    let name = match status {
        401 | 403 => "invalid_api_key",
        429 => "too_many_concurrent_requests",
        503 | 529 => "system_busy",
        500.. => "internal_server_error",
        _ => "validation_error",
    };
    let body = format!(r#"{{"detail":{{"status":"{name}","message":"simulated"}}}}"#);
    Refusal { status, header: Some(("request-id", "simulated-1".to_owned())), body }
}

fn check(asked: &Upgrade, log: &super::websocket::Log, key: &str) -> Result<(), Refusal> {
    if asked.header("xi-api-key") != key {
        return Err(refuse(401));
    }
    let voice = asked.path.strip_prefix("/v1/text-to-speech/");
    if voice.and_then(|rest| rest.strip_suffix("/multi-stream-input")).is_none_or(str::is_empty) {
        log.violation(format!("path {}", asked.path));
        return Err(refuse(404));
    }
    let seconds: u32 = asked.value("inactivity_timeout").parse().unwrap_or(20);
    // Models of one generation take it; the vendor says of the others that they ignore or refuse it.
    let model = asked.value("model_id");
    if model.contains("_v2_5") != ["en", "es"].contains(&asked.value("language_code")) {
        log.violation(format!("language {:?} for {model}", asked.value("language_code")));
    }
    let flags = ["auto_mode", "sync_alignment"].map(|name| asked.value(name));
    let well = !asked.value("model_id").is_empty()
        && asked.value("output_format") == "ulaw_8000"
        && (1..=180).contains(&seconds)
        && flags.iter().all(|flag| ["", "true", "false"].contains(flag));
    if !well {
        log.violation(format!("query {:?}", asked.query));
        return Err(refuse(400));
    }
    Ok(())
}

/// One connection's contexts.
struct Contexts {
    connection: Connection,
    shared: Arc<Shared>,
    open: BTreeMap<String, Voiced>,
    inactivity: Duration,
    last: Instant,
}

#[derive(Default)]
struct Voiced {
    text: String,
    settings: Option<Value>,
    closing: bool,
    /// When the first of its audio leaves.
    from: Option<Instant>,
    /// When the last of its audio leaves.
    until: Option<Instant>,
    /// Its end is reported then.
    ends: Option<Instant>,
    touched: Option<Instant>,
}

impl Contexts {
    fn new(connection: Connection, shared: Arc<Shared>) -> Self {
        let asked = connection.asked.value("inactivity_timeout").parse().unwrap_or(20);
        let inactivity = shared.options.inactivity.unwrap_or(Duration::from_secs(asked));
        Self { connection, shared, open: BTreeMap::new(), inactivity, last: Instant::now() }
    }

    async fn run(mut self) {
        loop {
            let idle = self.open.values().filter(|c| !c.closing).filter_map(|c| c.touched).min();
            let until = idle.map_or(self.last, |idle| idle.min(self.last)) + self.inactivity;
            let event = self.connection.next(Some(until)).await;
            let now = Instant::now();
            self.open.retain(|_, context| context.ends.is_none_or(|at| at > now));
            match event {
                None => return,
                Some(Event::Text(text)) => {
                    self.last = now;
                    self.on_text(&text, now);
                }
                Some(Event::Binary(_)) => self.refuse(now, "invalid_input_message", "a binary message"),
                Some(Event::Time) => {
                    if now >= until {
                        self.refuse(now, "input_timeout_exceeded", "nothing came in time");
                    }
                }
            }
        }
    }

    /// The error message, and the end of the connection.
    fn refuse(&mut self, now: Instant, name: &str, what: &str) {
        self.connection.log.violation(format!("{name}: {what}"));
        self.connection.forget(|_| false);
        let error = format!(r#"{{"message":"simulated: {what}","error":"{name}","code":1008}}"#);
        self.connection.send_at(now, error);
        self.connection.close_at(now, 1008, name);
        self.last = now + Duration::from_secs(60);
    }

    fn on_text(&mut self, text: &str, now: Instant) {
        let Ok(Value::Object(message)) = serde_json::from_str::<Value>(text) else {
            return self.refuse(now, "invalid_input_message", "no JSON object");
        };
        if let Some(field) = message.keys().find(|field| !FIELDS.contains(&field.as_str())) {
            self.connection.log.violation(format!("field {field}"));
        }
        let is = |name: &str| message.get(name) == Some(&Value::Bool(true));
        let text = message.get("text").and_then(Value::as_str);
        if is("close_socket") {
            return self.connection.close_at(now, 1000, "");
        }
        let Some(id) = message.get("context_id").and_then(Value::as_str) else {
            if text != Some("") {
                self.refuse(now, "invalid_input_message", "neither a context nor a keep-alive");
            }
            return;
        };
        if !self.take_text(id, text, message.get("voice_settings"), now) {
            return;
        }
        if is("flush") {
            self.voice(id, now);
        }
        if is("close_context") {
            self.close(id, now);
        }
    }

    /// Opens a context or adds to it. False: the client broke a rule.
    fn take_text(&mut self, id: &str, text: Option<&str>, settings: Option<&Value>, now: Instant) -> bool {
        if text.is_some_and(|text| !text.is_empty() && !text.ends_with(' ')) {
            self.connection.log.violation("a piece of text that does not end with a space");
        }
        if !self.open.contains_key(id) {
            let Some(text) = text else {
                self.refuse(now, "invalid_input_message", "a context that is not open");
                return false;
            };
            if self.open.len() >= MOST_CONTEXTS {
                self.refuse(now, "max_active_conversations", "a sixth context");
                return false;
            }
            let context = Voiced {
                text: text.to_owned(),
                settings: settings.cloned(),
                touched: Some(now),
                ..Voiced::default()
            };
            self.open.insert(id.to_owned(), context);
            return true;
        }
        let Some(context) = self.open.get_mut(id) else { return false };
        context.touched = Some(now);
        if settings.is_some() && settings != context.settings.as_ref() {
            self.refuse(now, "invalid_input_message", "settings after the first message");
            return false;
        }
        if context.closing && text.is_some() {
            self.connection.log.violation("text for a context that is closing");
        }
        context.text.push_str(text.unwrap_or_default());
        true
    }

    fn close(&mut self, id: &str, now: Instant) {
        let Some(context) = self.open.get_mut(id) else { return };
        if std::mem::replace(&mut context.closing, true) {
            self.connection.log.violation("a context closed twice");
            return;
        }
        // A close that overtakes the flush loses what was not voiced yet, as users of the vendor report.
        if context.from.is_some_and(|from| now < from) {
            let name = format!(r#""contextId":"{id}""#);
            let is_its = |message: &Message| matches!(message, Message::Text(text) if text.contains(&name));
            self.connection.forget(|message| !is_its(message));
            context.until = None;
        }
        let at = context.until.map_or(now, |until| until.max(now));
        context.ends = Some(at);
        self.connection.send_at(at, format!(r#"{{"isFinal":true,"contextId":"{id}"}}"#));
    }

    /// Voices what was buffered in a context.
    fn voice(&mut self, id: &str, now: Instant) {
        let Some(context) = self.open.get_mut(id) else { return };
        let text = std::mem::take(&mut context.text);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let options = &self.shared.options;
        if options.remember {
            self.connection.log.text(text);
        }
        let first = context.until.map_or(now, |until| until.max(now)) + options.draw_first();
        context.from = Some(first);
        let mut spacing = options.spacing;
        // Of what fails, no end is reported.
        context.until = Some(first + Duration::from_secs(3_600));
        match self.connection.fault() {
            Fault::Garbage => return self.connection.send_at(first, "]{ \u{1F600} no JSON"),
            Fault::ErrorFrame(name) => {
                let error = format!(r#"{{"message":"simulated","error":"{name}","code":1008}}"#);
                self.connection.send_at(first, error);
                return self.connection.close_at(first, 1008, &name);
            }
            Fault::Drip(pause) => spacing += pause,
            _ => {}
        }
        let chars: Vec<char> = text.chars().collect();
        let (letter, piece) = (options.letter_ms as usize, options.piece_ms as usize);
        let length_ms = chars.len() * letter;
        let mut at = first;
        for from in (0..length_ms).step_by(piece) {
            let ms = piece.min(length_ms - from);
            let message = self.shared.message(id, &chars, from, ms);
            self.connection.send_at(at, message);
            at += spacing;
        }
        context.until = Some(at);
    }
}

impl Shared {
    /// A piece of audio, with the characters that begin in it.
    fn message(&self, id: &str, chars: &[char], from_ms: usize, ms: usize) -> String {
        let last = if ms == self.options.piece_ms as usize { None } else { Some(base64(&tone(ms * 8))) };
        let audio = last.as_deref().unwrap_or(&self.piece);
        let mut out = String::with_capacity(audio.len() + 256);
        let _ = write!(out, r#"{{"audio":"{audio}","isFinal":null,"contextId":"{id}","alignment":"#);
        if self.options.alignment {
            self.align(&mut out, chars, from_ms, ms);
        } else {
            out.push_str("null");
        }
        out.push_str(r#","normalizedAlignment":null}"#);
        out
    }

    fn align(&self, out: &mut String, chars: &[char], from_ms: usize, ms: usize) {
        let letter = self.options.letter_ms as usize;
        let range = from_ms.div_ceil(letter)..(from_ms + ms).div_ceil(letter).min(chars.len());
        let list = |out: &mut String, name: &str, item: &dyn Fn(usize, &mut String)| {
            let _ = write!(out, r#""{name}":["#);
            for (n, i) in range.clone().enumerate() {
                out.push_str(if n == 0 { "" } else { "," });
                item(i, out);
            }
            out.push(']');
        };
        out.push('{');
        list(out, "chars", &|i, out| {
            let _ = write!(out, "{}", Value::String(chars[i].to_string()));
        });
        out.push(',');
        list(out, "charStartTimesMs", &|i, out| {
            let _ = write!(out, "{}", i * letter - from_ms);
        });
        out.push(',');
        list(out, "charDurationsMs", &|_, out| {
            let _ = write!(out, "{letter}");
        });
        out.push('}');
    }
}
