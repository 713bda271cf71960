//! The answer's chunks.

use pipeline::ports::Meter;
use pipeline::provider::{Failure, Kind};
use serde::Deserialize;
use serde_json::Value;

use super::calls::{Calls, Fragment};
use super::learned::Asking;
use super::thoughts::Thoughts;
use crate::answer::{Count, Decode, Progress};
use crate::link::{Refused, detail};
use crate::model::{ModelEvent, Stop};
use crate::sse::Event;

/// Says that the stream is over; not every server sends it.
const OVER: &str = "[DONE]";

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta {
    /// A string, or a list of parts.
    content: Option<Value>,
    /// Thoughts of local reasoning models, by either name.
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    tool_calls: Option<Vec<Fragment>>,
}

/// Reads one answer.
pub(super) struct Stream {
    count: Count,
    thoughts: Thoughts,
    calls: Calls,
    called: bool,
    finish_reason: Option<String>,
    asking: Option<Asking>,
}

impl Stream {
    pub(super) fn new(count: Count) -> Self {
        Self {
            count,
            thoughts: Thoughts::default(),
            calls: Calls::default(),
            called: false,
            finish_reason: None,
            asking: None,
        }
    }

    /// What was asked, for another try without what is refused.
    pub(super) fn asking(self, asking: Asking) -> Self {
        Self { asking: Some(asking), ..self }
    }

    fn choice(&mut self, choice: Choice, out: &mut Vec<ModelEvent>) -> Progress {
        let delta = choice.delta.unwrap_or_default();
        let mut progress = Progress::Nothing;
        for thought in [delta.reasoning_content, delta.reasoning].into_iter().flatten() {
            self.count.wrote(&thought);
            progress = Progress::Thought(thought.chars().count());
        }
        let text = text_of(delta.content);
        if !text.is_empty() {
            self.count.wrote(&text);
            let spoken = self.thoughts.pass(&text);
            progress = if spoken.is_empty() {
                Progress::Thought(text.chars().count())
            } else {
                let grown = spoken.chars().count();
                out.push(ModelEvent::Text(spoken));
                Progress::Content(grown)
            };
        }
        for fragment in delta.tool_calls.unwrap_or_default() {
            let added = self.calls.add(fragment);
            self.count.wrote(&added);
            progress = Progress::Content(added.chars().count());
        }
        if let Some(reason) = choice.finish_reason {
            self.finish_reason = Some(reason);
            self.complete(out);
            progress = Progress::Complete;
        }
        progress
    }

    /// The content is all there: what was held back is given.
    fn complete(&mut self, out: &mut Vec<ModelEvent>) {
        let rest = self.thoughts.finish();
        if !rest.is_empty() {
            out.push(ModelEvent::Text(rest));
        }
        for call in self.calls.finish() {
            self.called = true;
            out.push(ModelEvent::Call(call));
        }
    }

    fn done(&self) -> ModelEvent {
        let stop = match self.finish_reason.as_deref() {
            Some("content_filter") => Stop::Refusal,
            // Some servers say `stop` beside tool calls.
            _ if self.called => Stop::Tools,
            Some("length") => Stop::Length,
            _ => Stop::End,
        };
        ModelEvent::Done { stop, opaque: None }
    }

    /// The prompt's tokens include those read from and written to the cache.
    fn used(&self, usage: &Value) {
        let at = |path: &str| usage.pointer(path).and_then(Value::as_u64);
        let (read, write) = (
            at("/prompt_tokens_details/cached_tokens").unwrap_or(0),
            at("/prompt_tokens_details/cache_write_tokens").unwrap_or(0),
        );
        if let Some(prompt) = at("/prompt_tokens") {
            self.count.set(Meter::InputTokens, prompt.saturating_sub(read + write));
            self.count.set(Meter::CacheReadTokens, read);
            self.count.set(Meter::CacheWriteTokens, write);
        }
        if let Some(completion) = at("/completion_tokens") {
            self.count.set(Meter::OutputTokens, completion);
        }
    }
}

impl Decode for Stream {
    fn event(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<Progress, Failure> {
        if event.data.trim() == OVER {
            if self.finish_reason.is_none() {
                self.complete(out);
            }
            out.push(self.done());
            return Ok(Progress::Over);
        }
        let garbage = || Failure::new(Kind::Garbage, "a chunk that is none of theirs");
        let value: Value = serde_json::from_str(&event.data).map_err(|_| garbage())?;
        if let Some(error) = Trouble::of(&value, event.name == "error") {
            let kind = error.kind.unwrap_or(Kind::Server);
            return Err(Failure::new(kind, detail("in the stream", &error.name, None)));
        }
        if !value.is_object() {
            return Err(garbage());
        }
        let chunk: Chunk = serde_json::from_value(value).map_err(|_| garbage())?;
        if let Some(usage) = &chunk.usage {
            self.used(usage);
        }
        // Only one answer is ever asked for. A chunk without any carries usage alone.
        let first = chunk.choices.unwrap_or_default().into_iter().next();
        Ok(first.map_or(Progress::Nothing, |choice| self.choice(choice, out)))
    }

    fn ended(&mut self, out: &mut Vec<ModelEvent>) -> bool {
        if self.finish_reason.is_some() {
            out.push(self.done());
        }
        self.finish_reason.is_some()
    }

    fn amend(&mut self, refused: &Refused) -> Option<Vec<u8>> {
        self.asking.as_mut()?.amend(refused)
    }

    fn taken(&mut self) {
        if let Some(asking) = self.asking.take() {
            asking.taken();
        }
    }

    fn refused(&self, refused: &Refused) -> Failure {
        let body: Value = serde_json::from_slice(&refused.body).unwrap_or_default();
        let error = Trouble::of(&body, true).unwrap_or_default();
        let kind = match error.kind {
            // Out of credit comes as 429, and waiting does not help.
            Some(Kind::Unauthorised) => Kind::Unauthorised,
            _ => Kind::of_status(refused.status, refused.retry_after),
        };
        let place = format!("status {}", refused.status);
        Failure::new(kind, detail(&place, &error.name, refused.request_id.as_deref()))
    }

    fn count(&mut self) -> &mut Count {
        &mut self.count
    }
}

/// An error object, in one of its many forms.
#[derive(Default)]
struct Trouble {
    name: String,
    kind: Option<Kind>,
}

impl Trouble {
    /// `expected`: it is known to be one, whatever it looks like.
    fn of(value: &Value, expected: bool) -> Option<Self> {
        let error = match value.get("error") {
            Some(Value::Null) | None if value["object"] == "error" || expected => value,
            Some(Value::Null) | None => return None,
            Some(error) => error,
        };
        let code = match &error["code"] {
            Value::String(code) => code.clone(),
            Value::Number(code) => code.to_string(),
            _ => String::new(),
        };
        let kind = kind_of(&code).or_else(|| kind_of(error["type"].as_str().unwrap_or_default()));
        let name = error["type"].as_str().filter(|t| !t.is_empty() && *t != "error");
        Some(Self { name: name.map_or(code, str::to_owned), kind })
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    if let Ok(status @ 400..=599) = name.parse::<u16>() {
        return Some(Kind::of_status(status, None));
    }
    Some(match name {
        "insufficient_quota"
        | "invalid_api_key"
        | "authentication_error"
        | "permission_error"
        | "billing_hard_limit_reached" => Kind::Unauthorised,
        "rate_limit_exceeded" | "rate_limit_error" | "tokens" | "requests" => {
            Kind::RateLimited { retry_after: None }
        }
        "overloaded" | "overloaded_error" | "service_unavailable" | "unavailable_error" => Kind::Overloaded,
        "invalid_request_error" | "BadRequestError" | "context_length_exceeded" | "model_not_found" => {
            Kind::Refused
        }
        _ => return None,
    })
}

/// Text of a content field: parts other than text are thoughts or pictures, and not spoken.
fn text_of(content: Option<Value>) -> String {
    match content {
        Some(Value::String(text)) => text,
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter(|p| p["type"] == "text").filter_map(|p| p["text"].as_str());
            texts.collect()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
