//! Claude by Anthropic's Messages API.

mod prewarm;
mod request;
mod stream;

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use parking_lot::Mutex;
use pipeline::ports::PortError;
use pipeline::provider::{Deadlines, Endpoint};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use tokio::time::Instant;

pub use self::prewarm::{Counter, Prewarm};
use self::stream::Stream;
use super::answer::{Count, begin};
use super::link::Link;
use super::model::{LanguageModel, ModelStream, Request, Tally};

/// Name in fail-over lists, events and the price table.
pub const NAME: &str = "anthropic";
/// The version this adapter was written for; it takes `2023-06-01` too.
pub const VERSION: &str = "2026-10-21";
/// A prompt cache lives five minutes after its last use; it is written again a little before.
const CACHED: Duration = Duration::from_secs(270);
/// Prefixes remembered as cached: more tenants than this write theirs more often.
const PREFIXES: usize = 256;

/// How the provider is reached and asked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub key: SecretString,
    /// As the provider names it; not checked here.
    pub model: String,
    /// Value of the version header.
    pub version: String,
    /// Send the key as `authorization: Bearer` and not as `x-api-key`.
    pub bearer: bool,
    /// `low`, `medium`, `high`, … for models that take it; not every one does.
    pub effort: Option<String>,
    pub thinking: Thinking,
    pub prewarm: Prewarm,
    /// `give_up` and `between` are kept here, `first` by the fail-over.
    pub deadlines: Deadlines,
}

/// Whether a model is told not to think before it speaks, which takes seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    #[default]
    Disabled,
    /// Say nothing of it: for models that refuse to be told.
    Omit,
}

impl Settings {
    #[must_use]
    pub fn new(endpoint: Endpoint, key: SecretString, model: String) -> Self {
        Self {
            endpoint,
            key,
            model,
            version: VERSION.to_owned(),
            bearer: false,
            effort: None,
            thinking: Thinking::default(),
            prewarm: Prewarm::Off,
            deadlines: Deadlines::LLM,
        }
    }
}

/// The provider. `ask` and `warm` need a tokio runtime around them.
pub struct Anthropic {
    link: Link,
    settings: Settings,
    /// Hashes of prefixes written to the prompt cache by [`LanguageModel::warm`], and when.
    cached: Mutex<VecDeque<(u64, Instant)>>,
}

impl Anthropic {
    /// Makes the client; connects to nothing yet.
    ///
    /// # Errors
    /// When the key or the version cannot stand in a header, or no TLS client can be made.
    pub fn new(settings: Settings) -> Result<Self, PortError> {
        let mut headers = HeaderMap::new();
        let key = settings.key.expose_secret();
        let (name, value) = if settings.bearer {
            (AUTHORIZATION, format!("Bearer {key}"))
        } else {
            (HeaderName::from_static("x-api-key"), key.to_owned())
        };
        let mut value = header(&value, "the language model's key")?;
        value.set_sensitive(true);
        headers.insert(name, value);
        headers.insert("anthropic-version", header(&settings.version, "the language model's API version")?);
        let link = Link::new(&settings.endpoint, "/v1/messages", headers, settings.deadlines)?;
        Ok(Self { link, settings, cached: Mutex::default() })
    }

    /// Whether the prefix of this request is to be written to the prompt cache now.
    fn is_cold(&self, request: &Request) -> bool {
        let mut hash = DefaultHasher::new();
        request.conversation.system.hash(&mut hash);
        for tool in request.tools.iter() {
            (&tool.name, &tool.description).hash(&mut hash);
        }
        let (prefix, now) = (hash.finish(), Instant::now());
        let mut cached = self.cached.lock();
        cached.retain(|(_, at)| now.duration_since(*at) < CACHED);
        if cached.iter().any(|(known, _)| *known == prefix) {
            return false;
        }
        if cached.len() == PREFIXES {
            cached.pop_front();
        }
        cached.push_back((prefix, now));
        true
    }
}

impl LanguageModel for Anthropic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn ask(&self, request: Request) -> ModelStream {
        let body = request::body(&self.settings, &request);
        let count = Count::new(NAME, self.settings.model.clone(), Tally::default());
        begin(self.link.clone(), body, Stream::new(count))
    }

    fn warm(&self, request: Request) {
        let Prewarm::CountedBy(counter) = &self.settings.prewarm else { return self.link.open_spare() };
        if !self.is_cold(&request) {
            return self.link.open_spare();
        }
        let body = request::cache_write(&self.settings, &request);
        prewarm::send(self.link.clone(), body, self.settings.model.clone(), counter.clone());
    }
}

impl std::fmt::Debug for Anthropic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Anthropic").field("link", &self.link).field("model", &self.settings.model).finish()
    }
}

fn header(value: &str, what: &str) -> Result<HeaderValue, PortError> {
    HeaderValue::from_str(value.trim()).map_err(|_| PortError::Unavailable {
        what: format!("{what} holds characters that no header takes"),
        fix: "copy it again, without line breaks".into(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn settings(key: &str) -> Settings {
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        Settings::new(endpoint, SecretString::from(key), "m".into())
    }

    #[test]
    fn neither_settings_nor_the_provider_show_the_key() {
        let settings = settings("sk-secret");
        let shown = format!("{settings:?} {:?}", Anthropic::new(settings.clone()).unwrap());
        assert!(!shown.contains("sk-secret"), "{shown}");
    }

    #[test]
    fn a_key_with_a_line_break_inside_is_refused_without_being_shown() {
        let error = Anthropic::new(settings("sk-a\nb")).unwrap_err().to_string();
        assert_eq!(
            error,
            "the language model's key holds characters that no header takes: copy it again, without line breaks"
        );
    }
}
