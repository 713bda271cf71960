//! Messages of both listening protocols, as far as we read them. Unknown fields and types are passed over.

use serde::Deserialize;

/// Any message of `/v1/listen`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Nova {
    Results(Results),
    UtteranceEnd {},
    Error {
        #[serde(default)]
        variant: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Results {
    /// Seconds from the start of audio.
    #[serde(default)]
    pub start: f64,
    #[serde(default)]
    pub duration: f64,
    #[serde(default)]
    pub is_final: bool,
    #[serde(default)]
    pub speech_final: bool,
    #[serde(default)]
    pub from_finalize: bool,
    #[serde(default)]
    pub channel: Channel,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Channel {
    #[serde(default)]
    pub alternatives: Vec<Alternative>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Alternative {
    #[serde(default)]
    pub transcript: String,
    #[serde(default)]
    pub confidence: f32,
    #[serde(default)]
    pub words: Vec<Word>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Word {
    #[serde(default)]
    pub word: String,
    #[serde(default)]
    pub punctuated_word: Option<String>,
    /// Seconds; Flux may leave them out.
    #[serde(default)]
    pub start: Option<f64>,
    #[serde(default)]
    pub confidence: f32,
    #[serde(default)]
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
        #[serde(default)]
        code: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct TurnInfo {
    #[serde(default)]
    pub event: String,
    #[serde(default)]
    pub turn_index: u64,
    /// Seconds.
    #[serde(default)]
    pub audio_window_end: f64,
    #[serde(default)]
    pub transcript: String,
    #[serde(default)]
    pub words: Vec<Word>,
    #[serde(default)]
    pub end_of_turn_confidence: f32,
    #[serde(default)]
    pub languages: Vec<String>,
}
