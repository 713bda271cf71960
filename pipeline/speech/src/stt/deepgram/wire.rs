//! Messages of both listening protocols, as far as we read them. Unknown fields and types are passed over.

use serde::{Deserialize, Deserializer};

/// A field that is null is one that is missing.
fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Any message of `/v1/listen`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Nova {
    Results(Results),
    UtteranceEnd {},
    Error {
        #[serde(default, deserialize_with = "or_default")]
        variant: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Results {
    /// Seconds from the start of audio.
    #[serde(default, deserialize_with = "or_default")]
    pub start: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub duration: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub is_final: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub speech_final: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub from_finalize: bool,
    #[serde(default, deserialize_with = "or_default")]
    pub channel: Channel,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Channel {
    #[serde(default, deserialize_with = "or_default")]
    pub alternatives: Vec<Alternative>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Alternative {
    #[serde(default, deserialize_with = "or_default")]
    pub transcript: String,
    #[serde(default, deserialize_with = "or_default")]
    pub confidence: f32,
    #[serde(default, deserialize_with = "or_default")]
    pub words: Vec<Word>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Word {
    #[serde(default, deserialize_with = "or_default")]
    pub word: String,
    #[serde(default, deserialize_with = "or_default")]
    pub punctuated_word: Option<String>,
    /// Seconds; Flux may leave them out.
    #[serde(default, deserialize_with = "or_default")]
    pub start: Option<f64>,
    #[serde(default, deserialize_with = "or_default")]
    pub confidence: f32,
    #[serde(default, deserialize_with = "or_default")]
    pub language: Option<String>,
}

impl Word {
    pub fn text(&self) -> &str {
        self.punctuated_word.as_deref().unwrap_or(&self.word)
    }
}

/// Any message of `/v2/listen`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Flux {
    TurnInfo(TurnInfo),
    Error {
        #[serde(default, deserialize_with = "or_default")]
        code: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TurnInfo {
    #[serde(default, deserialize_with = "or_default")]
    pub event: String,
    #[serde(default, deserialize_with = "or_default")]
    pub turn_index: u64,
    /// Seconds.
    #[serde(default, deserialize_with = "or_default")]
    pub audio_window_end: f64,
    #[serde(default, deserialize_with = "or_default")]
    pub transcript: String,
    #[serde(default, deserialize_with = "or_default")]
    pub words: Vec<Word>,
    #[serde(default, deserialize_with = "or_default")]
    pub end_of_turn_confidence: f32,
    #[serde(default, deserialize_with = "or_default")]
    pub languages: Vec<String>,
}
