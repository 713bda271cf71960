//! Anthropic's Messages API, as strict about requests as the vendor.

mod cache;
mod check;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};

use self::cache::{Cache, Input};
use super::model::body::Piece;
use super::model::{ModelServer, Pace, Refusal, Script, Step, Vendor, tokens};

/// The key that the server takes.
pub const KEY: &str = "sk-ant-simulated-key";

/// The simulated provider.
pub type AnthropicServer = ModelServer<Messages>;

/// What it speaks.
#[derive(Debug, Default)]
pub struct Messages {
    cache: Mutex<Cache>,
    ids: AtomicUsize,
}

impl AnthropicServer {
    /// Starts on a free port of loopback; `write` makes the answer to a request's body.
    pub async fn start(pace: Pace, write: impl Fn(&Value) -> Script + Send + Sync + 'static) -> Self {
        Self::with(Messages::default(), pace, write).await
    }
}

impl Vendor for Messages {
    const PATH: &'static str = "/v1/messages";

    fn check(&self, headers: &HeaderMap, request: &Value) -> Result<(), Refusal> {
        check::request(headers, request)
    }

    fn answer(&self, request: &Value, script: &Script, pace: Pace) -> Vec<Piece> {
        let input = self.cache.lock().read(request);
        let mut writer = Writer { pieces: Vec::new(), wait: pace.first, pace, index: 0, written: 0 };
        let model = request["model"].as_str().unwrap_or_default();
        writer.event("message_start", &started(&self.id("msg"), model, &input));
        for step in &script.steps {
            match step {
                Step::Say(text) => writer
                    .block(&json!({ "type": "text", "text": "" }), deltas(text, pace, "text_delta", "text")),
                Step::Think(text) => {
                    let begin = json!({ "type": "thinking", "thinking": "", "signature": "" });
                    let mut parts = deltas(text, pace, "thinking_delta", "thinking");
                    let signature = check::signature(text);
                    parts.push(json!({ "type": "signature_delta", "signature": signature }).to_string());
                    writer.block(&begin, parts);
                }
                Step::Call { name, input } => {
                    let begin =
                        json!({ "type": "tool_use", "id": self.id("toolu"), "name": name, "input": {} });
                    let mut parts = deltas("", pace, "input_json_delta", "partial_json");
                    if input.as_object().is_some_and(|o| !o.is_empty()) {
                        parts.extend(deltas(&input.to_string(), pace, "input_json_delta", "partial_json"));
                    }
                    writer.block(&begin, parts);
                }
                Step::Break(name) => {
                    writer.raw(self.error_event(name));
                    return writer.pieces;
                }
            }
        }
        let stop = script.stop.unwrap_or(if script.has_calls() { "tool_use" } else { "end_turn" });
        let usage = json!({ "output_tokens": writer.written.max(1) });
        let delta = json!({ "stop_reason": stop, "stop_sequence": null });
        writer.event("message_delta", &json!({ "type": "message_delta", "delta": delta, "usage": usage }));
        writer.event("message_stop", &json!({ "type": "message_stop" }));
        writer.pieces
    }

    fn silent_answer(&self, request: &Value) -> Option<Value> {
        if request["max_tokens"] != 0 {
            return None;
        }
        let input = self.cache.lock().read(request);
        Some(started(&self.id("msg"), "m", &input)["message"].clone())
    }

    fn error_name(&self, status: u16) -> &'static str {
        match status {
            401 => "authentication_error",
            402 => "billing_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            429 => "rate_limit_error",
            504 => "timeout_error",
            529 => "overloaded_error",
            500.. => "api_error",
            _ => "invalid_request_error",
        }
    }

    fn error_body(&self, name: &str, message: &str) -> Value {
        let error = json!({ "type": name, "message": message });
        json!({ "type": "error", "error": error, "request_id": "req_simulated" })
    }

    fn error_event(&self, name: &str) -> Bytes {
        framed("error", &self.error_body(name, "as the test wants").to_string())
    }
}

impl Messages {
    fn id(&self, kind: &str) -> String {
        format!("{kind}_01Sim{:08}", self.ids.fetch_add(1, Ordering::Relaxed))
    }
}

struct Writer {
    pieces: Vec<Piece>,
    wait: Duration,
    pace: Pace,
    index: usize,
    /// Tokens.
    written: usize,
}

impl Writer {
    fn raw(&mut self, bytes: Bytes) {
        self.pieces.push(Piece { after: std::mem::take(&mut self.wait), bytes });
    }

    fn event(&mut self, name: &str, data: &Value) {
        self.raw(framed(name, &data.to_string()));
    }

    fn block(&mut self, begin: &Value, deltas: Vec<String>) {
        let index = self.index;
        let start = json!({ "type": "content_block_start", "index": index, "content_block": begin });
        self.event("content_block_start", &start);
        if index == 0 {
            self.event("ping", &json!({ "type": "ping" }));
        }
        for (nth, delta) in deltas.into_iter().enumerate() {
            if nth > 0 {
                self.wait = self.pace.between;
            }
            let data = format!("{{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{delta}}}");
            self.raw(framed("content_block_delta", &data));
            self.written += 1;
        }
        self.event("content_block_stop", &json!({ "type": "content_block_stop", "index": index }));
        self.wait = self.pace.between;
        self.index += 1;
    }
}

fn started(id: &str, model: &str, input: &Input) -> Value {
    json!({ "type": "message_start", "message": {
        "id": id, "type": "message", "role": "assistant", "model": model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": input.plain,
            "cache_creation_input_tokens": input.written,
            "cache_read_input_tokens": input.read,
            "output_tokens": 1,
        },
    } })
}

fn deltas(text: &str, pace: Pace, kind: &str, field: &str) -> Vec<String> {
    let delta = |token: &str| {
        let token = Value::from(token).to_string();
        format!("{{\"type\":\"{kind}\",\"{field}\":{token}}}")
    };
    if text.is_empty() {
        return vec![delta("")];
    }
    tokens(text, pace.chars).map(delta).collect()
}

fn framed(name: &str, data: &str) -> Bytes {
    Bytes::from(format!("event: {name}\ndata: {data}\n\n"))
}
