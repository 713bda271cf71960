//! The per-turn waterfall: where each millisecond between the caller's last word and our first went.
//!
//! It holds what the caller waited for. Work that ran beside another stage, as a reply begun on a guess does while the
//! turn's end is awaited, counts from where that stage ended. A filler ("One moment.") is not the reply: the total goes to
//! the reply's own first frame, and what a reply that is ready waits for the filler to be over is pacing.

use serde::{Deserialize, Serialize};

use crate::turn::TurnId;

/// Stages of a turn, in order. They lie side by side on the clock, so they sum to the turn time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Last speech frame in → the decision that the turn is over, which stands.
    Endpointing,
    /// Decision → final text (zero when it was decoded during the wait).
    SttFinal,
    Guard,
    Retrieval,
    /// The responder's own work: what to do, tools and records.
    Orchestrator,
    /// A model was asked → its first words, over all requests before the reply's first words; a model that failed too.
    LlmFirstToken,
    /// First words → first speakable clause.
    FirstClause,
    Rules,
    /// First clause → its first audio.
    TtsFirstByte,
    /// First audio → first frame out (includes the wait for durability).
    Pacing,
}

impl Stage {
    /// Name on the wire and in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Endpointing => "endpointing",
            Self::SttFinal => "stt_final",
            Self::Guard => "guard",
            Self::Retrieval => "retrieval",
            Self::Orchestrator => "orchestrator",
            Self::LlmFirstToken => "llm_first_token",
            Self::FirstClause => "first_clause",
            Self::Rules => "rules",
            Self::TtsFirstByte => "tts_first_byte",
            Self::Pacing => "pacing",
        }
    }
}

/// One stage's share, milliseconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageTime {
    pub stage: Stage,
    pub ms: f64,
}

/// One turn's waterfall. `total_ms` = sum of `stages` + `unattributed_ms`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TurnLatency {
    pub turn: TurnId,
    /// Last speech frame in → first reply frame out, ms.
    pub total_ms: f64,
    pub stages: Vec<StageTime>,
    pub unattributed_ms: f64,
    /// A filler was spoken while the caller waited.
    pub filler: bool,
    /// The reply was begun before the turn's end was decided, and kept.
    pub speculative: bool,
    /// The end-of-turn signal judged the caller complete (embedded path), so the short wait applied.
    #[serde(default)]
    pub judged_complete: bool,
}
