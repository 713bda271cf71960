//! The words of a conversation: ids, utterances, segments and what was heard.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use crate::segment::{Segmenter, segments};

/// Our id of a call (time-ordered UUID). The carrier's CallSid is another thing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub Uuid);

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A turn: caller utterance(s) plus our reply. Counts up by one; 0 is the greeting.
///
/// Also the *epoch* of everything made for it: what arrives for an older turn is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnId(pub u32);

impl TurnId {
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// One stretch of caller speech. Counts up by one from 1 within a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UtteranceId(pub u32);

/// One unit of reply text sent to synthesis: a clause or a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct SegmentId {
    pub turn: TurnId,
    /// Position in the reply, from 0.
    pub index: u16,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    Caller,
    Agent,
    Supervisor,
}

/// What our last words asked for. Decides how long a silence may be before it counts as an answer's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// Anything.
    #[default]
    Open,
    /// "Is that right?" A back-channel word is an answer here.
    YesNo,
    /// A number read out or keyed in: people pause between groups.
    Digits,
    /// A secret number (PIN), better keyed in than said. It reaches no transcript, log or model.
    Secret,
    /// A name, perhaps spelled.
    Name,
    /// A street address or place.
    Address,
    /// A date or time.
    Date,
    /// An account of what happened: people pause to think.
    Story,
    /// Nothing for now: the caller asked for time.
    Wait,
}

/// Why a segment is said. Ordinary replies can be interrupted; notices can not, except by keys and emergency words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SegmentKind {
    /// Part of an answer.
    Reply,
    /// Greeting or legal notice, always the same words.
    Notice,
    /// Notice that the call may be listened to and recorded, which it may be from its end on.
    Consent,
    /// "Let me look that up."
    Filler,
    /// "Are you still there?"
    Prompt,
}

impl SegmentKind {
    /// Whether it is said to its end, whatever the caller says meanwhile.
    #[must_use]
    pub const fn is_notice(self) -> bool {
        matches!(self, Self::Notice | Self::Consent)
    }
}

/// One unit of reply text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReplySegment {
    pub id: SegmentId,
    pub text: String,
    pub kind: SegmentKind,
    /// The same words are said on many calls: take them from, and keep them in, the rendered-phrase cache.
    pub fixed: bool,
}

/// One spoken word with its place in its segment's audio, milliseconds from the segment's start.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WordTime {
    pub text: String,
    pub start_ms: u32,
    pub end_ms: u32,
}

/// What the caller really heard of a turn's reply, from the play-out ledger and nothing else.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Heard {
    pub turn: TurnId,
    /// The words that were played, in order.
    pub text: String,
    /// Nothing of the reply was cut.
    pub complete: bool,
    /// Marks were late or missing: the cut is estimated from the clock, erring towards too little.
    pub estimated: bool,
}
