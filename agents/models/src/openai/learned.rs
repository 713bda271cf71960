//! What a server does not take. Servers that speak this protocol know different fields and refuse those that they do not
//! know; a name alone does not say which. A refusal that names one is answered within the turn by a request without it,
//! and what then works is kept for the turns after it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;

use super::{Settings, request};
use crate::link::Refused;
use crate::model::Request;

pub(super) const MAX_TOKENS: &str = "max_tokens";
pub(super) const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";
const EFFORT: &str = "reasoning_effort";
const TEMPERATURE: &str = "temperature";
const STREAM_OPTIONS: &str = "stream_options";
/// One more try for each field that may be refused.
const TRIES: usize = 4;
/// Least first: a caller waits.
const EFFORTS: [&str; 3] = ["none", "minimal", "low"];

/// How requests differ from what the settings say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Learned {
    /// The answer's bound goes by its other name.
    other_limit: bool,
    effort: Effort,
    no_temperature: bool,
    no_stream_options: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Effort {
    #[default]
    AsSet,
    Other(&'static str),
    NotSent,
}

impl Learned {
    pub(super) const fn limit(&self, settings: &Settings) -> &'static str {
        if settings.max_completion_tokens == self.other_limit { MAX_TOKENS } else { MAX_COMPLETION_TOKENS }
    }

    pub(super) fn effort<'a>(&self, settings: &'a Settings) -> Option<&'a str> {
        match self.effort {
            Effort::AsSet => settings.reasoning_effort.as_deref(),
            Effort::Other(effort) => Some(effort),
            Effort::NotSent => None,
        }
    }

    pub(super) fn temperature(&self, settings: &Settings) -> Option<f32> {
        settings.temperature.filter(|_| !self.no_temperature)
    }

    /// Mistral's own API counts unasked.
    pub(super) const fn stream_options(&self, settings: &Settings) -> bool {
        !settings.mistral && !self.no_stream_options
    }

    /// Fields of ours that this request holds and could do without.
    fn sent(&self, settings: &Settings) -> Vec<&'static str> {
        let mut sent = vec![self.limit(settings)];
        let others = [
            (EFFORT, self.effort(settings).is_some()),
            (TEMPERATURE, self.temperature(settings).is_some()),
            (STREAM_OPTIONS, self.stream_options(settings)),
        ];
        sent.extend(others.into_iter().filter(|(_, is)| *is).map(|(name, _)| name));
        sent
    }

    /// Does without a field, or says it otherwise. False: there is no other way.
    fn avoid(&mut self, field: &str, settings: &Settings, told: &str) -> bool {
        match field {
            EFFORT => {
                let now = self.effort(settings).unwrap_or_default();
                self.effort = match (self.effort, least_taken(told, now)) {
                    (Effort::AsSet, Some(effort)) => Effort::Other(effort),
                    _ => Effort::NotSent,
                };
            }
            TEMPERATURE => self.no_temperature = true,
            STREAM_OPTIONS => self.no_stream_options = true,
            // An answer without a bound is no way out.
            _ if self.other_limit => return false,
            _ => self.other_limit = true,
        }
        true
    }
}

/// One request and how it is asked after a refusal.
pub(super) struct Asking {
    settings: Arc<Settings>,
    request: Request,
    learned: Learned,
    known: Arc<Mutex<Learned>>,
    tries: usize,
}

impl Asking {
    pub(super) fn new(settings: Arc<Settings>, request: Request, known: Arc<Mutex<Learned>>) -> Self {
        let learned = *known.lock();
        Self { settings, request, learned, known, tries: 0 }
    }

    pub(super) fn body(&self) -> Vec<u8> {
        request::body(&self.settings, &self.learned, &self.request)
    }

    /// The request without what was refused; `None` when the refusal names nothing that could be left out.
    pub(super) fn amend(&mut self, refused: &Refused) -> Option<Vec<u8>> {
        if !matches!(refused.status, 400 | 422) || self.tries == TRIES {
            return None;
        }
        self.tries += 1;
        let told = String::from_utf8_lossy(&refused.body);
        let field = named(&told, &self.learned.sent(&self.settings))?;
        self.learned.avoid(field, &self.settings, &told).then(|| self.body())
    }

    /// The request was taken: the next ones are asked the same way.
    pub(super) fn taken(&self) {
        if self.tries > 0 {
            tracing::info!(
                model = self.settings.model,
                asked = ?self.learned,
                "the language model's server refused a field; it is asked without it from now on"
            );
            *self.known.lock() = self.learned;
        }
    }
}

/// Which of our fields an error is about: the one that it gives as its parameter, else the first that it names.
fn named(told: &str, sent: &[&'static str]) -> Option<&'static str> {
    let value: Value = serde_json::from_str(told).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    if let Some(param) = error["param"].as_str().filter(|param| !param.is_empty()) {
        return sent.iter().find(|field| **field == param).copied();
    }
    let place = |field: &&'static str| word(told, field).map(|at| (at, *field));
    sent.iter().filter_map(place).min().map(|(_, field)| field)
}

/// Where a name stands as a word of its own.
fn word(text: &str, name: &str) -> Option<usize> {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(inside) && !text[at + name.len()..].starts_with(inside))
}

/// The least effort among those that an error says are taken, other than the one refused.
fn least_taken(told: &str, refused: &str) -> Option<&'static str> {
    let (_, taken) = told.split_once("upported values are")?;
    EFFORTS.into_iter().find(|effort| *effort != refused && word(taken, effort).is_some())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pipeline::provider::Endpoint;
    use serde_json::json;

    use super::*;

    fn settings() -> Settings {
        let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
        Settings { temperature: Some(0.3), ..Settings::new(endpoint, None, "gpt-5.4-mini".into()) }
    }

    #[test]
    fn an_error_names_its_field_by_parameter_or_in_its_words() {
        let learned = Learned::default();
        let sent = learned.sent(&settings());
        let told = |value: Value| named(&value.to_string(), &sent);
        assert_eq!(told(json!({"error": {"message": "no", "param": "temperature"}})), Some(TEMPERATURE));
        assert_eq!(told(json!({"error": {"message": "temperature", "param": "messages"}})), None);
        let vllm =
            json!({"object": "error", "message": "('body', 'max_completion_tokens'): extra", "param": null});
        assert_eq!(told(vllm), Some(MAX_COMPLETION_TOKENS));
        let mistral = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"]}]});
        assert_eq!(told(mistral), Some(STREAM_OPTIONS));
        assert_eq!(told(json!({"error": {"message": "'my_temperature' is odd; max_tokens too"}})), None);
        assert_eq!(named("not JSON: reasoning_effort?", &sent), Some(EFFORT));
    }

    #[test]
    fn a_refused_effort_gives_way_to_the_least_that_is_taken_and_then_to_none_at_all() {
        let (settings, mut learned) = (settings(), Learned::default());
        let told = "Unsupported value: 'none'. Supported values are: 'low', 'minimal', and 'high'.";
        assert!(learned.avoid(EFFORT, &settings, told));
        assert_eq!(learned.effort(&settings), Some("minimal"));
        assert!(learned.avoid(EFFORT, &settings, told));
        assert_eq!(learned.effort(&settings), None);
    }

    #[test]
    fn the_bound_of_an_answer_is_renamed_once_and_never_left_out() {
        let (settings, mut learned) = (settings(), Learned::default());
        assert_eq!(learned.limit(&settings), MAX_COMPLETION_TOKENS);
        assert!(learned.avoid(MAX_COMPLETION_TOKENS, &settings, ""));
        assert_eq!(learned.limit(&settings), MAX_TOKENS);
        assert!(!learned.avoid(MAX_TOKENS, &settings, ""));
    }
}
