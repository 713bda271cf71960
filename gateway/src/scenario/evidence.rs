//! What came of a call: everything that a verdict and a report are made of.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use telephony::media::AudioFrame;

use super::caller::{Astray, Spoken};
use super::track::Track;
use super::work::Filed;

/// One side's words in a turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Turn {
    pub turn: u64,
    pub speaker: String,
    pub text: String,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub interrupted: bool,
    pub heard_text: Option<String>,
}

impl Turn {
    #[must_use]
    pub fn is_agent(&self) -> bool {
        self.speaker == "agent"
    }

    /// What of it reached the caller, as far as it is over.
    #[must_use]
    pub fn heard(&self) -> &str {
        match &self.heard_text {
            Some(heard) if self.ended_at.is_some() || self.interrupted => heard,
            _ => &self.text,
        }
    }
}

/// A tool that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub ok: bool,
}

/// A call as it went.
#[derive(Debug, Default)]
pub struct Evidence {
    pub call_id: String,
    pub carrier_sid: String,
    pub from: String,
    pub began: DateTime<Utc>,
    pub spoken: Vec<Spoken>,
    pub said: Vec<bool>,
    pub heard: Vec<bool>,
    pub clears: Vec<usize>,
    /// When the words of each turn of the agent were first told of.
    pub told: Vec<(u64, usize)>,
    pub astray: Vec<Astray>,
    /// The caller hung up, rather than the gateway.
    pub hung_up: bool,
    pub transcript: Vec<Turn>,
    pub tools: Vec<Tool>,
    pub work: Vec<Filed>,
    pub state: String,
    pub language: String,
    pub attention: String,
    pub attention_reason: String,
    pub team: String,
    /// Waterfalls as the API gives them.
    pub latency: Vec<Value>,
    /// Sound of both sides.
    pub caller_sound: Vec<AudioFrame>,
    pub agent_sound: Vec<AudioFrame>,
    /// Frames that this machine sent over 40 ms late.
    pub late: usize,
}

impl Evidence {
    #[must_use]
    pub fn track(&self) -> Track<'_> {
        Track { said: &self.said, heard: &self.heard, clears: &self.clears }
    }

    /// When a turn of the agent was decided, in frames.
    fn told_at(&self, turn: u64) -> Option<usize> {
        self.told.iter().find(|(known, _)| *known == turn).map(|(_, at)| *at)
    }

    /// What was heard of turns that were told of from `from` to before `to`.
    fn heard_between(&self, from: usize, to: usize) -> String {
        let within = |turn: &&Turn| {
            turn.is_agent() && self.told_at(turn.turn).is_some_and(|at| (from..to).contains(&at))
        };
        let heard = self.transcript.iter().filter(within).map(|turn| turn.heard().trim());
        heard.filter(|heard| !heard.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// What was said before the caller did anything.
    #[must_use]
    pub fn greeting(&self) -> String {
        self.heard_between(0, self.spoken.first().map_or(usize::MAX, |spoken| spoken.from.max(1)))
    }

    /// What was heard in answer to the `at`-th thing that the caller did.
    #[must_use]
    pub fn reply_to(&self, at: usize) -> String {
        let Some(spoken) = self.spoken.get(at) else { return String::new() };
        let next = self.spoken.get(at + 1).map_or(usize::MAX, |next| next.from);
        self.heard_between(spoken.from, next)
    }

    /// Everything heard after the greeting.
    #[must_use]
    pub fn replies(&self) -> String {
        let began = self.spoken.first().map_or(usize::MAX, |spoken| spoken.from);
        self.heard_between(began, usize::MAX)
    }

    /// Length of the call, ms.
    #[must_use]
    pub fn duration_ms(&self) -> u64 {
        super::track::ms(self.heard.len())
    }
}
