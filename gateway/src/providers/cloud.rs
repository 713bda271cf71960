//! Providers outside this machine, made from their settings. None is asked for anything here.

use std::sync::Arc;

use anyhow::bail;
use models::anthropic::{self, Anthropic, Prewarm, Thinking};
use models::model::LanguageModel;
use models::openai::{self, OpenAi};
use pipeline::ports::{Language, SpeechToText, TextToSpeech};
use pipeline::provider::Deadlines;
use secrecy::SecretString;
use speech::stt::deepgram::{self, Deepgram, Flux};
use speech::tts::deepgram::{self as aura, Aura};
use speech::tts::elevenlabs::{self, ElevenLabs};

use super::{ability, prewarm};
use crate::config::cloud::Account;
use crate::config::{Config, Llm, Named, Stt, Tts};

/// A voice, and what tells it from every other in the key of rendered phrases.
pub struct Voice {
    pub voice: Arc<dyn TextToSpeech>,
    pub identity: String,
}

impl std::fmt::Debug for Voice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Voice({})", self.identity)
    }
}

/// A recogniser outside this machine.
pub fn recogniser(stt: Stt, config: &Config) -> anyhow::Result<Arc<dyn SpeechToText>> {
    let given = &config.cloud.deepgram;
    let settings = |model: &str| {
        let key = key(stt, &given.account)?;
        anyhow::Ok(deepgram::Settings::new(given.account.endpoint.clone(), key, model))
    };
    match stt {
        Stt::Deepgram => Ok(Arc::new(Deepgram::new(settings(&given.model)?))),
        Stt::Flux => Ok(Arc::new(Flux::new(settings(&given.flux_model)?))),
        Stt::Local => bail!("`{}` is no provider outside this machine", stt.name()),
    }
}

/// A voice outside this machine. Connections are kept ready in these languages from now on, so call it from the
/// runtime.
pub fn voice(tts: Tts, config: &Config, languages: &[Language]) -> anyhow::Result<Voice> {
    let identity = |of: &dyn Fn(Language) -> Option<String>| {
        [Language::En, Language::Es].into_iter().filter_map(of).collect::<Vec<_>>().join("+")
    };
    match tts {
        Tts::ElevenLabs => {
            let given = &config.cloud.elevenlabs;
            let voice = ElevenLabs::new(&elevenlabs::Settings {
                endpoint: given.account.endpoint.clone(),
                key: key(tts, &given.account)?,
                model: given.model.clone(),
                voice: given.voice_id.clone(),
                voice_es: given.voice_id_es.clone(),
                deadlines: Deadlines::TTS,
            });
            voice.warm(languages);
            let identity = identity(&|language| voice.identity(language).map(str::to_owned));
            Ok(Voice { voice: Arc::new(voice), identity })
        }
        Tts::Deepgram => {
            let given = &config.cloud.deepgram;
            let voice = Aura::new(&aura::Settings {
                endpoint: given.account.endpoint.clone(),
                key: key(tts, &given.account)?,
                model: given.voice.clone(),
                model_es: Some(given.voice_es.clone()),
                deadlines: Deadlines::TTS,
            });
            voice.warm(languages);
            let identity = identity(&|language| voice.identity(language).map(str::to_owned));
            Ok(Voice { voice: Arc::new(voice), identity })
        }
        Tts::Local => bail!("`{}` is no provider outside this machine", tts.name()),
    }
}

/// A language model outside this machine.
pub fn model(llm: Llm, config: &Config) -> anyhow::Result<Arc<dyn LanguageModel>> {
    match llm {
        Llm::Anthropic => {
            let given = &config.cloud.anthropic;
            let (endpoint, key) = (given.account.endpoint.clone(), key(llm, &given.account)?);
            let counter = prewarm::counter(config.prices.table(&ability::charged(config)));
            let thinking = if given.tell_not_to_think { Thinking::Disabled } else { Thinking::Omit };
            Ok(Arc::new(Anthropic::new(anthropic::Settings {
                version: given.version.clone(),
                bearer: given.bearer,
                effort: given.effort.clone(),
                thinking,
                prewarm: if given.prewarm { Prewarm::CountedBy(counter) } else { Prewarm::Off },
                ..anthropic::Settings::new(endpoint, key, given.model.clone())
            })?))
        }
        Llm::OpenAi => {
            let given = &config.cloud.openai;
            let (endpoint, key) = (given.account.endpoint.clone(), given.account.key.clone());
            let by_name = openai::Settings::new(endpoint, key, given.model.clone());
            Ok(Arc::new(OpenAi::new(openai::Settings {
                max_completion_tokens: given.max_completion_tokens.unwrap_or(by_name.max_completion_tokens),
                reasoning_effort: match given.reasoning_effort.as_deref() {
                    Some("off") => None,
                    Some(effort) => Some(effort.to_owned()),
                    None => by_name.reasoning_effort.clone(),
                },
                mistral: given.mistral,
                ..by_name
            })?))
        }
        Llm::Builtin => bail!("`{}` is no provider outside this machine", llm.name()),
    }
}

/// The configuration has checked that it is there.
fn key(provider: impl Named, account: &Account) -> anyhow::Result<SecretString> {
    match &account.key {
        Some(key) => Ok(key.clone()),
        None => bail!("`{}` has no key; set {}", provider.name(), provider.key_variable()),
    }
}
