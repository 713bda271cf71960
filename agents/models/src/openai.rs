//! Models behind OpenAI's chat-completions API, or behind one of the many servers that speak it: llama.cpp, vLLM,
//! Ollama, Mistral.

mod calls;
mod learned;
mod request;
mod stream;
mod thoughts;

use std::sync::Arc;

use parking_lot::Mutex;
use pipeline::ports::PortError;
use pipeline::provider::{Deadlines, Endpoint};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use self::learned::{Asking, Learned};
use self::stream::Stream;
use super::answer::{Count, begin};
use super::link::Link;
use super::model::{LanguageModel, ModelStream, Request, Tally};

/// Name in fail-over lists, events and the price table.
pub const NAME: &str = "openai";

/// How the provider is reached and asked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    /// Servers of one's own mostly want none.
    pub key: Option<SecretString>,
    /// As the server names it; not checked here.
    pub model: String,
    /// Bound the answer by `max_completion_tokens`, as OpenAI's newer models want, and not by `max_tokens`, which is all
    /// that many other servers know.
    pub max_completion_tokens: bool,
    /// How much a model that reasons thinks before it speaks; `None` leaves it to the server.
    pub reasoning_effort: Option<String>,
    /// 0–2; `None` leaves it to the server.
    pub temperature: Option<f32>,
    /// Keep to what Mistral's own API takes: call ids of nine letters and digits, no `stream_options` (it counts
    /// unasked), and a message of ours between a tool's result and the caller's next words.
    pub mistral: bool,
    /// `give_up` and `between` are kept here, `first` by the fail-over.
    pub deadlines: Deadlines,
}

impl Settings {
    #[must_use]
    pub fn new(endpoint: Endpoint, key: Option<SecretString>, model: String) -> Self {
        Self {
            endpoint,
            key,
            max_completion_tokens: reasons(&model),
            reasoning_effort: least_effort(&model).map(str::to_owned),
            model,
            temperature: None,
            mistral: false,
            deadlines: Deadlines::LLM,
        }
    }
}

/// Whether a model is one of OpenAI's that reason: they refuse `max_tokens`.
#[must_use]
pub fn reasons(model: &str) -> bool {
    least_effort(model).is_some()
}

/// The least that one of OpenAI's models may be told to think; a caller waits for it. `None` for every other model.
#[must_use]
pub fn least_effort(model: &str) -> Option<&'static str> {
    // Routers put the maker before the name.
    let name = model.rsplit('/').next().unwrap_or(model);
    let begins = |start: &str| {
        name.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    };
    if begins("gpt-5") && !name.starts_with("gpt-5.") {
        // The first of the line knows no "none".
        return (!name.contains("chat")).then_some("minimal");
    }
    if name.starts_with("gpt-5.") || ["gpt-6", "gpt-7"].into_iter().any(|start| name.starts_with(start)) {
        return (!name.contains("chat")).then_some("none");
    }
    ["o1", "o3", "o4"].into_iter().any(begins).then_some("low")
}

/// The provider. `ask` and `warm` need a tokio runtime around them.
pub struct OpenAi {
    link: Link,
    settings: Arc<Settings>,
    /// What the server refused so far.
    known: Arc<Mutex<Learned>>,
}

impl OpenAi {
    /// Makes the client; connects to nothing yet.
    ///
    /// # Errors
    /// When the key cannot stand in a header, or no TLS client can be made.
    pub fn new(settings: Settings) -> Result<Self, PortError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.key {
            let bearer = format!("Bearer {}", key.expose_secret().trim());
            let mut value = HeaderValue::from_str(&bearer).map_err(|_| PortError::Unavailable {
                what: "the language model's key holds characters that no header takes".into(),
                fix: "copy it again, without line breaks".into(),
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        let link = Link::new(&settings.endpoint, "/v1/chat/completions", headers, settings.deadlines)?;
        Ok(Self { link, settings: Arc::new(settings), known: Arc::default() })
    }
}

impl LanguageModel for OpenAi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, request: Request) -> ModelStream {
        let asking = Asking::new(Arc::clone(&self.settings), request, Arc::clone(&self.known));
        let body = asking.body();
        let count = Count::new(NAME, self.settings.model.clone(), Tally::default());
        begin(self.link.clone(), body, Stream::new(count).asking(asking))
    }

    fn warm(&self, _request: Request) {
        self.link.open_spare();
    }
}

impl std::fmt::Debug for OpenAi {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenAi").field("link", &self.link).field("model", &self.settings.model).finish()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_are_told_not_to_think_and_others_nothing_new() {
        for (model, effort) in [
            ("gpt-5.4-mini", Some("none")),
            ("openai/gpt-5.4-mini-2026-03-17", Some("none")),
            ("gpt-5-mini", Some("minimal")),
            ("gpt-5", Some("minimal")),
            ("o4-mini", Some("low")),
            ("gpt-4.1-mini", None),
            ("gpt-oss-20b", None),
            ("qwen3", None),
            ("olmo-2", None),
            ("gpt-5.3-chat-latest", None),
        ] {
            assert_eq!(least_effort(model), effort, "{model}");
        }
    }

    #[test]
    fn neither_settings_nor_the_provider_show_the_key() {
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        let settings = Settings::new(endpoint, Some(SecretString::from("sk-secret")), "m".into());
        let shown = format!("{settings:?} {:?}", OpenAi::new(settings.clone()).unwrap());
        assert!(!shown.contains("sk-secret"), "{shown}");
    }
}
