//! Chat completions as OpenAI documents them, and with the habits of the many servers that imitate it.

mod check;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::HeaderMap;
use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::model::body::Piece;
use super::model::{ModelServer, Pace, Refusal, Script, Step, Vendor, tokens};

/// The key that the server takes, where it wants one.
pub const KEY: &str = "sk-simulated-key";

/// The simulated provider.
pub type OpenAiServer = ModelServer<Completions>;

/// Ways in which servers differ. None set: OpenAI's own.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    /// Takes anybody.
    pub no_key: bool,
    /// Mistral's rules for ids, roles and fields.
    pub mistral: bool,
    /// Wants `max_completion_tokens`.
    pub completion_tokens: bool,
    pub no_index: bool,
    pub whole_calls: bool,
    pub arguments_as_object: bool,
    pub no_ids: bool,
    /// `stop` beside tool calls.
    pub always_stop: bool,
    pub no_done: bool,
    pub no_usage: bool,
    /// A comment and a chunk without choices at the beginning.
    pub empty_choices: bool,
    /// Errors without an `error` object.
    pub flat_errors: bool,
    /// Thoughts as `<think>` in the text.
    pub inline_thoughts: bool,
}

/// What it speaks.
#[derive(Debug, Default)]
pub struct Completions {
    habits: Habits,
    ids: AtomicUsize,
    /// The last prompt: what the next one shares with it counts as cached.
    last: Mutex<String>,
}

impl OpenAiServer {
    /// OpenAI's own, on a free port of loopback; `write` makes the answer to a request's body.
    pub async fn start(pace: Pace, write: impl Fn(&Value) -> Script + Send + Sync + 'static) -> Self {
        Self::with(Completions::default(), pace, write).await
    }

    /// One of the others.
    pub async fn like(
        habits: Habits,
        pace: Pace,
        write: impl Fn(&Value) -> Script + Send + Sync + 'static,
    ) -> Self {
        Self::with(Completions { habits, ..Completions::default() }, pace, write).await
    }
}

impl Vendor for Completions {
    const PATH: &'static str = "/v1/chat/completions";

    fn check(&self, headers: &HeaderMap, request: &Value) -> Result<(), Refusal> {
        check::request(&self.habits, headers, request)
    }

    fn answer(&self, request: &Value, script: &Script, pace: Pace) -> Vec<Piece> {
        let mut writer = Writer { pieces: Vec::new(), wait: pace.first, pace, written: 0 };
        if self.habits.empty_choices {
            writer.raw(Bytes::from_static(b": keep-alive\n\n"));
            writer.data(&json!({ "id": "c1", "choices": [] }));
        }
        writer.delta(&json!({ "role": "assistant", "content": "" }));
        let mut calls = 0;
        for step in &script.steps {
            match step {
                Step::Say(text) => writer.text("content", text),
                Step::Think(text) if self.habits.inline_thoughts => {
                    writer.text("content", &format!("<think>\n{text}\n</think>\n\n"));
                }
                Step::Think(text) => writer.text("reasoning_content", text),
                Step::Call { name, input } => {
                    self.call(&mut writer, calls, name, input);
                    calls += 1;
                }
                Step::Break(name) => {
                    writer.raw(self.error_event(name));
                    return writer.pieces;
                }
            }
        }
        let natural = if calls > 0 && !self.habits.always_stop { "tool_calls" } else { "stop" };
        let choice = json!({ "index": 0, "delta": {}, "finish_reason": script.stop.unwrap_or(natural) });
        writer.data(&json!({ "id": "c1", "choices": [choice] }));
        if !self.habits.no_usage {
            let usage = self.usage(request, writer.written);
            writer.data(&json!({ "id": "c1", "choices": [], "usage": usage }));
        }
        if !self.habits.no_done {
            writer.raw(Bytes::from_static(b"data: [DONE]\n\n"));
        }
        writer.pieces
    }

    fn silent_answer(&self, _request: &Value) -> Option<Value> {
        None
    }

    fn error_name(&self, status: u16) -> &'static str {
        match status {
            401 => "invalid_api_key",
            429 => "rate_limit_exceeded",
            500.. => "server_error",
            _ => "invalid_request_error",
        }
    }

    fn error_body(&self, name: &str, message: &str) -> Value {
        let error = json!({ "message": message, "type": name, "param": null, "code": null });
        if self.habits.flat_errors {
            return json!({ "object": "error", "message": message, "type": name, "code": 400 });
        }
        json!({ "error": error })
    }

    fn error_event(&self, name: &str) -> Bytes {
        framed(&self.error_body(name, "as the test wants").to_string())
    }
}

impl Completions {
    fn call(&self, writer: &mut Writer, index: usize, name: &str, input: &Value) {
        let habits = &self.habits;
        let number = self.ids.fetch_add(1, Ordering::Relaxed);
        let id = if habits.mistral { format!("m{number:08}") } else { format!("call_{number:08}") };
        let mut first = json!({ "type": "function", "function": { "name": name, "arguments": "" } });
        if !habits.no_ids {
            first["id"] = id.into();
        }
        if !habits.no_index {
            first["index"] = index.into();
        }
        if habits.whole_calls || habits.arguments_as_object {
            let arguments = if habits.arguments_as_object { input.clone() } else { input.to_string().into() };
            first["function"]["arguments"] = arguments;
            writer.delta(&json!({ "tool_calls": [first] }));
            return;
        }
        writer.delta(&json!({ "tool_calls": [first] }));
        for token in tokens(&input.to_string(), writer.pace.chars) {
            let mut fragment = json!({ "function": { "arguments": token } });
            if !habits.no_index {
                fragment["index"] = index.into();
            }
            writer.wait = writer.pace.between;
            writer.delta(&json!({ "tool_calls": [fragment] }));
            writer.written += 1;
        }
    }

    fn usage(&self, request: &Value, written: usize) -> Value {
        let prompt = request["messages"].to_string();
        let mut last = self.last.lock();
        let shared = prompt.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count() / 4;
        last.clone_from(&prompt);
        let tokens = prompt.len() / 4;
        json!({
            "prompt_tokens": tokens, "completion_tokens": written, "total_tokens": tokens + written,
            "prompt_tokens_details": { "cached_tokens": shared },
        })
    }
}

struct Writer {
    pieces: Vec<Piece>,
    wait: Duration,
    pace: Pace,
    /// Tokens.
    written: usize,
}

impl Writer {
    fn raw(&mut self, bytes: Bytes) {
        self.pieces.push(Piece { after: std::mem::take(&mut self.wait), bytes });
    }

    fn data(&mut self, data: &Value) {
        self.raw(framed(&data.to_string()));
    }

    fn delta(&mut self, delta: &Value) {
        self.data(&json!({
            "id": "c1", "object": "chat.completion.chunk", "created": 1_760_000_000, "model": "m", "usage": null,
            "choices": [{ "index": 0, "delta": delta, "finish_reason": null }],
        }));
    }

    fn text(&mut self, field: &str, text: &str) {
        for token in tokens(text, self.pace.chars) {
            let token = Value::from(token).to_string();
            self.raw(framed(&format!(
                "{{\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{{\"index\":0,\
                 \"delta\":{{\"{field}\":{token}}},\"finish_reason\":null}}]}}"
            )));
            self.written += 1;
            self.wait = self.pace.between;
        }
    }
}

fn framed(data: &str) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}
