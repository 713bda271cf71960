//! Deepgram's recognisers over their websockets: Nova (`/v1/listen`) and Flux (`/v2/listen`).
//!
//! A stream serves one connection and says honestly when it is lost; trying again is up to the fail-over around it.

mod address;
mod flux;
mod nova;
mod stream;
mod utterance;
mod wire;

#[cfg(test)]
mod tests;

use secrecy::SecretString;
use tokio::sync::mpsc;

use pipeline::ports::{Hearing, Language, PortError, SpeechToText, SttStream};
use pipeline::provider::{Deadlines, Endpoint};

/// How to reach the recogniser.
#[derive(Clone, Debug)]
pub struct Settings {
    pub endpoint: Endpoint,
    pub key: SecretString,
    /// `nova-3`, `nova-2-general`, `flux-general-en`, `flux-general-multi` …
    pub model: String,
    pub deadlines: Deadlines,
    /// Nova: silence after which it settles words by itself, ms.
    pub endpointing_ms: u32,
    /// Flux: confidence from which it calls a turn over, and may be over.
    pub end_threshold: f32,
    pub eager_threshold: f32,
    /// Flux: silence after which it calls a turn over in any case, ms.
    pub end_timeout_ms: u32,
}

impl Settings {
    /// The defaults of a telephone line.
    #[must_use]
    pub fn new(endpoint: Endpoint, key: SecretString, model: impl Into<String>) -> Self {
        Self {
            endpoint,
            key,
            model: model.into(),
            deadlines: Deadlines::STT,
            endpointing_ms: 200,
            end_threshold: 0.7,
            eager_threshold: 0.4,
            end_timeout_ms: 5_000,
        }
    }
}

/// Nova: words and pauses; what ends a turn is up to us.
#[derive(Clone, Debug)]
pub struct Deepgram(Settings);

/// Flux: words and its own judgement of the turn's end.
#[derive(Clone, Debug)]
pub struct Flux(Settings);

impl Deepgram {
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self(settings)
    }
}

impl Flux {
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self(settings)
    }
}

impl SpeechToText for Deepgram {
    fn name(&self) -> &'static str {
        "deepgram"
    }

    fn hears_several(&self) -> bool {
        self.0.model.starts_with("nova-3")
    }

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError> {
        open(&self.0, stream::Protocol::Nova, address::nova(&self.0, hearing))
    }
}

impl SpeechToText for Flux {
    fn name(&self) -> &'static str {
        "deepgram-flux"
    }

    fn hears_several(&self) -> bool {
        self.0.model.contains("multi")
    }

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError> {
        if hearing.language != Language::En && !self.0.model.contains("multi") {
            return Err(PortError::Unavailable {
                what: format!("{} hears English only", self.0.model),
                fix: "set the model flux-general-multi for lines with Spanish".to_owned(),
            });
        }
        open(&self.0, stream::Protocol::Flux, address::flux(&self.0, hearing))
    }
}

fn open(settings: &Settings, protocol: stream::Protocol, url: String) -> Result<SttStream, PortError> {
    let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
        what: "the recogniser was opened outside an async runtime".to_owned(),
        fix: "open it from the call's task".to_owned(),
    })?;
    let (commands, inbox) = mpsc::channel(256);
    let (outbox, events) = mpsc::channel(64);
    runtime.spawn(stream::run(settings.clone(), protocol, url, inbox, outbox));
    Ok(SttStream { commands, events })
}
