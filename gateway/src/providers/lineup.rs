//! What is known of the engines that serve, beside the ports themselves.

use std::fmt;
use std::sync::Arc;

use models::model::LanguageModel;
use pipeline::lexicon::Lexicon;
use pipeline::ports::Language;
use pipeline::session::SessionConfig;
use serde::Serialize;
use storage::{Line, TenantId};

use super::phrases::Rendered;

/// One provider as it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProviderState {
    /// `stt`, `llm` or `tts`.
    pub kind: &'static str,
    /// As in the lists.
    pub name: &'static str,
    /// It is asked without a second thought. Otherwise it failed lately and others serve in its place.
    pub is_well: bool,
}

/// Asks how every provider stands.
pub type States = Arc<dyn Fn() -> Vec<ProviderState> + Send + Sync>;

/// Has a tenant's sentences rendered with these pronunciations, in the background. Never waits.
pub type Renew = Arc<dyn Fn(TenantId, &Arc<Lexicon>) + Send + Sync>;

/// Facts about the engines. The default suits engines of this machine that speak English.
#[derive(Clone)]
pub struct Lineup {
    /// Numbers of a conversation that suit the recogniser, with the prices of what is used.
    pub session: SessionConfig,
    /// Languages in which the preferred recogniser and the preferred voice can hold a conversation.
    pub spoken: Vec<Language>,
    pub states: States,
    /// Whether the sentences that callers hear word for word are there; `None` where nothing is rendered ahead.
    pub rendered: Option<Rendered>,
    /// For tenants that are new or have changed their pronunciations.
    pub renew: Renew,
    /// The language model of agents that work after a call; `None`: they work by their built-in methods.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// How much of the cores is used says how busy the process is: nothing of low priority fills them.
    pub cpu_is_strain: bool,
}

impl Default for Lineup {
    fn default() -> Self {
        Self {
            session: SessionConfig::default(),
            spoken: vec![Language::En],
            states: Arc::new(Vec::new),
            rendered: None,
            renew: Arc::new(|_, _| {}),
            model: None,
            cpu_is_strain: false,
        }
    }
}

impl fmt::Debug for Lineup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lineup").field("spoken", &self.spoken).finish_non_exhaustive()
    }
}

impl Lineup {
    /// Languages that callers of a line may choose from, its default first. English when there is no other.
    #[must_use]
    pub fn spoken_on(&self, line: &Line) -> Vec<Language> {
        let mut spoken = Vec::new();
        for language in line.languages.iter().filter_map(|tag| Language::of(tag)) {
            if self.spoken.contains(&language) && !spoken.contains(&language) {
                spoken.push(language);
            }
        }
        if spoken.is_empty() {
            spoken.push(Language::En);
        }
        spoken
    }

    /// Language of a line's greeting.
    #[must_use]
    pub fn language_of(&self, line: &Line) -> Language {
        self.spoken_on(line).first().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use storage::{RecordingConsent, TenantId};

    use super::*;

    fn line(languages: &[&str]) -> Line {
        Line {
            number: "+12025550100".to_owned(),
            tenant_id: TenantId::new(),
            name: String::new(),
            languages: languages.iter().map(|l| (*l).to_owned()).collect(),
            greeting: String::new(),
            recording_consent: RecordingConsent::Off,
        }
    }

    #[test]
    fn a_line_offers_what_it_wants_and_the_engines_can() {
        let both = Lineup { spoken: vec![Language::En, Language::Es], ..Lineup::default() };
        assert_eq!(both.spoken_on(&line(&["es", "en", "es-MX", "fr"])), [Language::Es, Language::En]);
        assert_eq!(both.spoken_on(&line(&["en"])), [Language::En]);
        let english = Lineup::default();
        assert_eq!(english.spoken_on(&line(&["es", "en"])), [Language::En]);
        assert_eq!(english.language_of(&line(&["es"])), Language::En);
    }
}
