//! Deepgram's Aura voices over their websocket: one connection per call and voice, one flush per segment, mu-law
//! straight through. The vendor tells no word times; they are estimated.

mod wire;

use secrecy::{ExposeSecret, SecretString};

use super::cloud::{CloudVoice, Dial, Health, Offer, Vendor, escaped, pool};
use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsStream};
use pipeline::provider::{Deadlines, Endpoint};
use wire::Wire;

/// As in fail-over lists and the price table.
pub const NAME: &str = "deepgram";

/// What the operator sets.
#[derive(Clone, Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub key: SecretString,
    /// The vendor's model id, which names the voice: `aura-2-thalia-en`.
    pub model: String,
    /// The same for Spanish. Absent: this voice speaks no Spanish.
    pub model_es: Option<String>,
    pub deadlines: Deadlines,
}

/// The voice, for all calls.
#[derive(Debug)]
pub struct Aura(CloudVoice<Wire>);

impl Aura {
    /// Opens nothing yet: see [`Self::warm`].
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let health = Health::default();
        let english = offer(settings, Language::En, &settings.model, &health);
        let spanish = settings.model_es.as_deref().filter(|model| !model.is_empty());
        let spanish = spanish.map(|model| offer(settings, Language::Es, model, &health));
        Self(CloudVoice::new(Vendor {
            name: NAME,
            deadlines: settings.deadlines,
            keep_alive: None,
            health,
            offers: [Some(english), spanish].into_iter().flatten().collect(),
        }))
    }

    /// Begins to keep connections ready for these languages. Call it from the runtime, before the first call.
    pub fn warm(&self, languages: &[Language]) {
        self.0.warm(languages);
    }

    /// Tells this voice from every other in the key of rendered phrases: vendor and model.
    #[must_use]
    pub fn identity(&self, language: Language) -> Option<&str> {
        self.0.identity(language)
    }
}

impl TextToSpeech for Aura {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        self.0.open(saying)
    }
}

fn offer(settings: &Settings, language: Language, model: &str, health: &Health) -> Offer {
    // What is said names callers and cases: the vendor may not keep it to train on.
    let path = format!("/v1/speak?model={}&encoding=mulaw&sample_rate=8000&mip_opt_out=true", escaped(model));
    Offer {
        language,
        model: model.to_owned(),
        identity: format!("{NAME}/{model}"),
        pool: pool(Dial {
            provider: NAME,
            url: settings.endpoint.ws(&path),
            header: "authorization",
            key: format!("Token {}", settings.key.expose_secret()).into(),
            deadline: settings.deadlines.connect,
            keep_alive: None,
            health: health.clone(),
        }),
    }
}
