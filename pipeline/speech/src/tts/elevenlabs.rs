//! ElevenLabs' voices over their multi-context websocket: one connection per call and voice, one context per
//! segment, mu-law straight through, words timed by the vendor's own alignment.

mod wire;

use std::sync::Arc;
use std::time::Duration;

use secrecy::SecretString;

use super::cloud::{CloudVoice, Dial, Health, Offer, Vendor, escaped, pool};
use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsStream};
use pipeline::provider::{Deadlines, Endpoint};
use wire::Wire;

/// As in fail-over lists and the price table.
pub const NAME: &str = "elevenlabs";
/// An idle connection is told so often that it is still wanted; the vendor's clock is set to 180 s.
const KEEP_ALIVE: (Duration, &str) = (Duration::from_secs(15), r#"{"text":""}"#);
const INACTIVITY_SECONDS: u32 = 180;

/// What the operator sets.
#[derive(Clone, Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub key: SecretString,
    /// The vendor's model id, such as `eleven_flash_v2_5`.
    pub model: String,
    /// Voice id.
    pub voice: String,
    /// Voice id for Spanish. Absent: the same voice speaks it.
    pub voice_es: Option<String>,
    pub deadlines: Deadlines,
}

/// The voice, for all calls.
#[derive(Debug)]
pub struct ElevenLabs(CloudVoice<Wire>);

impl ElevenLabs {
    /// Opens nothing yet: see [`Self::warm`].
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let health = Health::default();
        let english = offer(settings, Language::En, &settings.voice, &health);
        let voice = settings.voice_es.as_deref().unwrap_or(&settings.voice);
        let spanish = if voice != settings.voice || takes_language(&settings.model) {
            offer(settings, Language::Es, voice, &health)
        } else {
            // One address for both: they share its connections.
            let (model, identity) = (english.model.clone(), english.identity.clone());
            Offer { language: Language::Es, model, identity, pool: Arc::clone(&english.pool) }
        };
        Self(CloudVoice::new(Vendor {
            name: NAME,
            deadlines: settings.deadlines,
            keep_alive: Some(KEEP_ALIVE),
            health,
            offers: vec![english, spanish],
        }))
    }

    /// Begins to keep connections ready for these languages. Call it from the runtime, before the first call.
    pub fn warm(&self, languages: &[Language]) {
        self.0.warm(languages);
    }

    /// Tells this voice from every other in the key of rendered phrases: vendor, model and voice id.
    #[must_use]
    pub fn identity(&self, language: Language) -> Option<&str> {
        self.0.identity(language)
    }
}

impl TextToSpeech for ElevenLabs {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        self.0.open(saying)
    }
}

/// Models of the generation that can be told the language; others guess it from the text, and refuse to be told.
fn takes_language(model: &str) -> bool {
    model.contains("_v2_5")
}

fn offer(settings: &Settings, language: Language, voice: &str, health: &Health) -> Offer {
    let mut path = format!(
        "/v1/text-to-speech/{}/multi-stream-input?model_id={}&output_format=ulaw_8000&auto_mode=true\
         &sync_alignment=true&inactivity_timeout={INACTIVITY_SECONDS}",
        escaped(voice),
        escaped(&settings.model),
    );
    if takes_language(&settings.model) {
        path.push_str("&language_code=");
        path.push_str(language.code());
    }
    Offer {
        language,
        model: settings.model.clone(),
        identity: format!("{NAME}/{}/{voice}", settings.model),
        pool: pool(Dial {
            provider: NAME,
            url: settings.endpoint.ws(&path),
            header: "xi-api-key",
            key: settings.key.clone(),
            deadline: settings.deadlines.connect,
            keep_alive: Some(KEEP_ALIVE),
            health: health.clone(),
        }),
    }
}
