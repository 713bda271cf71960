//! The answer's events.

use std::collections::BTreeMap;

use pipeline::ports::Meter;
use pipeline::provider::{Failure, Kind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::NAME;
use crate::answer::{Count, Decode, Progress};
use crate::conversation::{Opaque, ToolCall};
use crate::link::{Refused, detail};
use crate::model::{ModelEvent, Stop};
use crate::sse::Event;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Wire {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u32,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u32,
        delta: Delta,
    },
    ContentBlockStop {
        index: u32,
    },
    MessageDelta {
        #[serde(default)]
        delta: Ending,
        #[serde(default)]
        usage: Used,
    },
    MessageStop,
    Error {
        error: Value,
        #[serde(default)]
        request_id: Option<String>,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Started {
    #[serde(default)]
    usage: Used,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(other)]
    Other,
}

#[derive(Default, Deserialize)]
struct Ending {
    #[serde(default)]
    stop_reason: Option<String>,
}

/// Totals, not increments; all but input and output may be absent or null.
#[derive(Default, Deserialize)]
pub(super) struct Used {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Used {
    const fn meters(&self) -> [(Meter, Option<u64>); 4] {
        [
            (Meter::InputTokens, self.input_tokens),
            (Meter::CacheWriteTokens, self.cache_creation_input_tokens),
            (Meter::CacheReadTokens, self.cache_read_input_tokens),
            (Meter::OutputTokens, self.output_tokens),
        ]
    }

    /// Anything was told at all.
    pub(super) fn is_told(&self) -> bool {
        self.meters().iter().any(|(_, tokens)| tokens.is_some())
    }

    pub(super) fn count(&self, count: &Count) {
        for (meter, tokens) in self.meters() {
            if let Some(tokens) = tokens {
                count.set(meter, tokens);
            }
        }
    }
}

/// A content block that has begun.
enum Block {
    Text(String),
    Thinking {
        thinking: String,
        signature: String,
    },
    ToolUse {
        id: String,
        name: String,
        json: String,
    },
    /// Kept as it came.
    Other(Value),
}

/// Reads one answer.
pub(super) struct Stream {
    count: Count,
    /// In the order of their indices: a block stays when it is complete.
    blocks: BTreeMap<u32, Block>,
    calls: usize,
    stop_reason: Option<String>,
}

impl Stream {
    pub(super) fn new(count: Count) -> Self {
        Self { count, blocks: BTreeMap::new(), calls: 0, stop_reason: None }
    }

    fn block_begins(&mut self, index: u32, block: Value, out: &mut Vec<ModelEvent>) -> Progress {
        let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
        let (block, progress) = match block["type"].as_str() {
            Some("text") => {
                let begin = text("text");
                let progress = self.text(&begin, out);
                (Block::Text(begin), progress)
            }
            Some("thinking") => (
                Block::Thinking { thinking: text("thinking"), signature: text("signature") },
                Progress::Frame,
            ),
            Some("tool_use") => {
                let (id, name) = (text("id"), text("name"));
                let written = name.chars().count();
                (Block::ToolUse { id, name, json: String::new() }, Progress::Content(written))
            }
            _ => (Block::Other(block), Progress::Frame),
        };
        self.blocks.insert(index, block);
        progress
    }

    fn text(&mut self, text: &str, out: &mut Vec<ModelEvent>) -> Progress {
        if text.is_empty() {
            return Progress::Frame;
        }
        self.count.wrote(text);
        out.push(ModelEvent::Text(text.to_owned()));
        Progress::Content(text.chars().count())
    }

    fn delta(&mut self, index: u32, delta: Delta, out: &mut Vec<ModelEvent>) -> Progress {
        match (self.blocks.get_mut(&index), delta) {
            (block, Delta::Text { text }) => {
                if let Some(Block::Text(all)) = block {
                    all.push_str(&text);
                }
                self.text(&text, out)
            }
            (Some(Block::ToolUse { json, .. }), Delta::Input { partial_json }) => {
                json.push_str(&partial_json);
                self.count.wrote(&partial_json);
                Progress::Content(partial_json.chars().count())
            }
            (Some(Block::Thinking { thinking, .. }), Delta::Thinking { thinking: more }) => {
                thinking.push_str(&more);
                self.count.wrote(&more);
                Progress::Thought(more.chars().count())
            }
            (Some(Block::Thinking { signature, .. }), Delta::Signature { signature: more }) => {
                signature.push_str(&more);
                Progress::Frame
            }
            _ => Progress::Nothing,
        }
    }

    fn block_ends(&mut self, index: u32, out: &mut Vec<ModelEvent>) -> Progress {
        if let Some(Block::ToolUse { id, name, json }) = self.blocks.get(&index) {
            self.calls += 1;
            out.push(ModelEvent::Call(ToolCall { id: id.clone(), name: name.clone(), input: input(json) }));
        }
        Progress::Frame
    }

    fn done(&mut self) -> ModelEvent {
        let stop = match self.stop_reason.as_deref() {
            Some("refusal") => Stop::Refusal,
            _ if self.calls > 0 => Stop::Tools,
            Some("max_tokens" | "model_context_window_exceeded") => Stop::Length,
            _ => Stop::End,
        };
        ModelEvent::Done { stop, opaque: self.opaque() }
    }

    /// The whole answer as it came, when there are thoughts in it: their signatures hold for it and nothing else.
    fn opaque(&mut self) -> Option<Opaque> {
        let is_thought = |b: &Block| match b {
            Block::Thinking { signature, .. } => !signature.is_empty(),
            Block::Other(block) => block["type"] == "redacted_thinking",
            _ => false,
        };
        if !self.blocks.values().any(is_thought) {
            return None;
        }
        let blocks = std::mem::take(&mut self.blocks).into_values().filter_map(Block::given_back).collect();
        Some(Opaque { provider: NAME.to_owned(), blocks })
    }
}

impl Block {
    /// `None` for what the provider would not take back: an empty text, a thought without signature.
    fn given_back(self) -> Option<Value> {
        match self {
            Self::Text(text) => (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text })),
            Self::Thinking { thinking, signature } => (!signature.is_empty())
                .then(|| json!({ "type": "thinking", "thinking": thinking, "signature": signature })),
            Self::ToolUse { id, name, json } => {
                Some(json!({ "type": "tool_use", "id": id, "name": name, "input": input(&json) }))
            }
            Self::Other(block) => Some(block),
        }
    }
}

impl Decode for Stream {
    fn event(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<Progress, Failure> {
        let wire: Wire = serde_json::from_str(&event.data)
            .map_err(|_| Failure::new(Kind::Garbage, "an event that is none of theirs"))?;
        Ok(match wire {
            Wire::MessageStart { message } => {
                message.usage.count(&self.count);
                Progress::Frame
            }
            Wire::ContentBlockStart { index, content_block } => self.block_begins(index, content_block, out),
            Wire::ContentBlockDelta { index, delta } => self.delta(index, delta, out),
            Wire::ContentBlockStop { index } => self.block_ends(index, out),
            Wire::MessageDelta { delta, usage } => {
                usage.count(&self.count);
                let ends = delta.stop_reason.is_some();
                self.stop_reason = delta.stop_reason.or(self.stop_reason.take());
                if ends { Progress::Complete } else { Progress::Frame }
            }
            Wire::MessageStop => {
                let done = self.done();
                out.push(done);
                Progress::Over
            }
            Wire::Error { error, request_id } => {
                let name = error["type"].as_str().unwrap_or_default();
                let kind = kind_of(name).unwrap_or(Kind::Server);
                return Err(Failure::new(kind, detail("in the stream", name, request_id.as_deref())));
            }
            Wire::Other => Progress::Nothing,
        })
    }

    fn ended(&mut self, out: &mut Vec<ModelEvent>) -> bool {
        if self.stop_reason.is_some() {
            let done = self.done();
            out.push(done);
        }
        self.stop_reason.is_some()
    }

    fn refused(&self, refused: &Refused) -> Failure {
        let body: Value = serde_json::from_slice(&refused.body).unwrap_or_default();
        let name = body["error"]["type"].as_str().unwrap_or_default();
        let kind = match kind_of(name) {
            Some(Kind::RateLimited { .. }) => Kind::RateLimited { retry_after: refused.retry_after },
            Some(kind) => kind,
            None => Kind::of_status(refused.status, refused.retry_after),
        };
        let request_id = refused.request_id.as_deref().or_else(|| body["request_id"].as_str());
        Failure::new(kind, detail(&format!("status {}", refused.status), name, request_id))
    }

    fn count(&mut self) -> &mut Count {
        &mut self.count
    }
}

/// What an error's name means, whatever the status.
fn kind_of(name: &str) -> Option<Kind> {
    Some(match name {
        "authentication_error" | "permission_error" | "billing_error" => Kind::Unauthorised,
        "rate_limit_error" | "ramp_limit_exceeded" => Kind::RateLimited { retry_after: None },
        "overloaded_error" => Kind::Overloaded,
        "api_error" | "timeout_error" => Kind::Server,
        "invalid_request_error" | "not_found_error" | "request_too_large" => Kind::Refused,
        _ => return None,
    })
}

/// Nothing at all means no parameters; what is no JSON is kept as it is, for the tool to refuse.
fn input(json: &str) -> Value {
    if json.trim().is_empty() {
        return Value::Object(Map::new());
    }
    serde_json::from_str(json).unwrap_or_else(|_| Value::String(json.to_owned()))
}

#[cfg(test)]
mod tests;
