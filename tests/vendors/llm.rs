//! Language models: the adapters and the fail-over around them, against servers that speak the vendors' protocols.
#![allow(clippy::unwrap_used)]

mod cache;
mod cancel;
mod faults;
mod history;
mod privacy;
mod streaming;
mod strictness;

use std::sync::Arc;
use std::time::Duration;

use models::anthropic::{self, Anthropic};
use models::conversation::{Conversation, Message, Opaque, ToolCall, ToolSpec};
use models::failover::FailoverModel;
use models::model::{LanguageModel, ModelEvent, ModelStream, Request, Stop, Tally};
use models::openai::{self, OpenAi};
use pipeline::ports::{Meter, ProviderNote, ProviderState};
use pipeline::provider::{Endpoint, Failure, Member, Ranked};
use secrecy::SecretString;
use serde_json::{Value, json};
use tests::vendors::model::Pace;
use tests::vendors::{anthropic as claude, openai as chat};
use tokio::time::Instant;

/// Time within which a caller must hear the first words, whatever happens.
const BEARABLE: Duration = Duration::from_secs(2);

fn claude_settings(base: &str) -> anthropic::Settings {
    let key = SecretString::from(claude::KEY);
    anthropic::Settings::new(Endpoint::parse(base).unwrap(), key, "claude-haiku-4-5".into())
}

fn claude_at(base: &str) -> Arc<dyn LanguageModel> {
    Arc::new(Anthropic::new(claude_settings(base)).unwrap())
}

fn chat_settings(base: &str) -> openai::Settings {
    let key = SecretString::from(chat::KEY);
    openai::Settings::new(Endpoint::parse(base).unwrap(), Some(key), "qwen".into())
}

fn chat_at(base: &str) -> Arc<dyn LanguageModel> {
    Arc::new(OpenAi::new(chat_settings(base)).unwrap())
}

fn ranked(models: &[&Arc<dyn LanguageModel>]) -> FailoverModel {
    let member = |m: &&Arc<dyn LanguageModel>| Member::remote(m.name(), Arc::clone(m));
    FailoverModel::new(Ranked::new(models.iter().map(member).collect()))
}

fn caller(text: &str) -> Message {
    Message::Caller { text: text.into() }
}

fn agent(text: &str) -> Message {
    Message::Agent { text: text.into(), calls: vec![], opaque: None }
}

fn find_tool() -> ToolSpec {
    let input = json!({ "type": "object", "properties": { "phone": { "type": "string" } } });
    ToolSpec { name: "find_appointment".into(), description: "Looks up appointments.".into(), input }
}

fn request(messages: Vec<Message>) -> Request {
    let system = "You are the phone agent of Riverbend County. ".repeat(20);
    let conversation = Conversation { system, briefing: "It is Monday.".into(), messages };
    Request { conversation: Arc::new(conversation), tools: Arc::new([find_tool()]), max_tokens: 300 }
}

/// What came of an answer.
#[derive(Debug, Default)]
struct Heard {
    text: String,
    /// From the request to the first text or call.
    first: Option<Duration>,
    whole: Duration,
    calls: Vec<ToolCall>,
    notes: Vec<ProviderNote>,
    stop: Option<Stop>,
    opaque: Option<Opaque>,
    failure: Option<Failure>,
    tally: Tally,
}

impl Heard {
    fn amount(&self, provider: &str, meter: Meter) -> u64 {
        let of = |u: &&pipeline::ports::Usage| u.provider == provider && u.meter == meter;
        self.tally.usage().iter().find(of).map_or(0, |u| u.amount)
    }

    fn states(&self) -> Vec<(&str, ProviderState)> {
        self.notes.iter().map(|n| (n.provider.as_str(), n.state)).collect()
    }

    /// As a step of the conversation.
    fn message(&self) -> Message {
        Message::Agent { text: self.text.clone(), calls: self.calls.clone(), opaque: self.opaque.clone() }
    }
}

async fn hear(mut stream: ModelStream) -> Heard {
    let began = Instant::now();
    let mut heard = Heard { tally: stream.tally.clone(), ..Heard::default() };
    while let Some(event) = stream.events.recv().await {
        assert!(heard.stop.is_none() && heard.failure.is_none(), "nothing comes after the end: {event:?}");
        if matches!(event, ModelEvent::Text(_) | ModelEvent::Call(_)) {
            heard.first.get_or_insert(began.elapsed());
        }
        match event {
            ModelEvent::Text(text) => heard.text.push_str(&text),
            ModelEvent::Call(call) => heard.calls.push(call),
            ModelEvent::Provider(note) => heard.notes.push(note),
            ModelEvent::Done { stop, opaque } => (heard.stop, heard.opaque) = (Some(stop), opaque),
            ModelEvent::Failed(failure) => heard.failure = Some(failure),
        }
    }
    heard.whole = began.elapsed();
    assert!(heard.stop.is_some() != heard.failure.is_some(), "one end: {heard:?}");
    heard
}

async fn ask(model: &dyn LanguageModel, messages: Vec<Message>) -> Heard {
    hear(model.ask(request(messages))).await
}

/// Waits until something is so, for up to a second.
async fn soon(mut so: impl FnMut() -> bool) -> bool {
    for _ in 0..200 {
        if so() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    so()
}

/// The texts of a request's last message, whichever vendor's.
fn last_words(request: &Value) -> String {
    let last = request["messages"].as_array().and_then(|m| m.last()).cloned().unwrap_or_default();
    match &last["content"] {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|p| p["text"].as_str()).collect(),
    }
}
