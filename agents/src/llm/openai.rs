//! Models behind OpenAI's chat-completions API, or behind one of the many servers that speak it: llama.cpp, vLLM,
//! Ollama, Mistral.

mod calls;
mod request;
mod stream;
mod thoughts;

use pipeline::ports::PortError;
use pipeline::provider::{Deadlines, Endpoint};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

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
    /// Bound the answer by `max_completion_tokens`, as OpenAI's reasoning models want, and not by `max_tokens`.
    pub max_completion_tokens: bool,
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
    pub const fn new(endpoint: Endpoint, key: Option<SecretString>, model: String) -> Self {
        Self {
            endpoint,
            key,
            model,
            max_completion_tokens: false,
            temperature: None,
            mistral: false,
            deadlines: Deadlines::LLM,
        }
    }
}

/// The provider. `ask` and `warm` need a tokio runtime around them.
pub struct OpenAi {
    link: Link,
    settings: Settings,
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
        Ok(Self { link, settings })
    }
}

impl LanguageModel for OpenAi {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, request: Request) -> ModelStream {
        let body = request::body(&self.settings, &request);
        let count = Count::new(NAME, self.settings.model.clone(), Tally::default());
        begin(self.link.clone(), body, Stream::new(count))
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
    fn neither_settings_nor_the_provider_show_the_key() {
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        let settings = Settings::new(endpoint, Some(SecretString::from("sk-secret")), "m".into());
        let shown = format!("{settings:?} {:?}", OpenAi::new(settings.clone()).unwrap());
        assert!(!shown.contains("sk-secret"), "{shown}");
    }
}
