//! What the pipeline needs from outside, as ports.
//!
//! Each stream port is a pair of bounded channels, opened once per call: commands go in, events come out, and
//! dropping the command side ends the work. The pure session speaks only these command and event types, so a
//! local model, a cloud vendor and a simulator are the same to it. Every event names the turn, segment or
//! utterance it belongs to; the session drops what is stale, so an adapter may ignore a cancel safely.

mod after_reply;
mod consent;
mod follow_up;
mod hand_over;
mod notes;
mod overheard;
mod recalled;
mod reminder;
mod staff;
mod turn_input;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use telephony::media::AudioFrame;
use tokio::sync::mpsc;

use crate::event::{Attack, AttentionLevel, AttentionReason, CallEvent, ControlReason, Holder, Ruling};
use crate::latency::Stage;
use crate::lexicon::Lexicon;
use crate::provider::Failure;
use crate::turn::{CallId, Expectation, Heard, ReplySegment, SegmentId, TurnId, UtteranceId, WordTime};
pub use after_reply::AfterReply;
pub use consent::{Consent, Consented};
pub use follow_up::FollowUp;
pub use hand_over::{HandOver, InLine, NotTaken, Question, Returned, Staff};
pub use language::{Language, Screen};
pub use notes::NotesState;
pub use overheard::{Noticed, Overheard};
pub use recalled::Recalled;
pub use reminder::Reminder;
pub use staff::StaffWord;
pub use turn_input::{MOST_ALTERNATIVES, SecretDigits, TurnInput};

/// Why a port could not do its work. Never carries caller text.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PortError {
    /// At its bound: refuse politely, try again later.
    #[error("{0} is at its capacity")]
    Full(&'static str),
    /// Not usable: what is wrong and what to do about it.
    #[error("{what}: {fix}")]
    Unavailable { what: String, fix: String },
}

// ---------------------------------------------------------------- providers

/// Something that happened to a provider while it served a call: recorded, shown, counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderNote {
    /// Name as in the fail-over lists: `deepgram`, `local`, …
    pub provider: String,
    pub state: ProviderState,
    /// What was seen, in fixed words. Never caller text, never a key.
    pub reason: String,
    /// What it cost the caller, as far as the adapter knows: time from the work being asked for, ms.
    pub delay_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    /// Late, and still given a chance beside a standby.
    Slow,
    /// Work for this call failed and was given to another, or again to the same.
    Failed,
    /// This provider took over from the one before it.
    TookOver,
    /// The preferred provider serves again, from this turn on.
    Recovered,
    /// Nobody is left of this kind.
    Exhausted,
}

impl ProviderState {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slow => "slow",
            Self::Failed => "failed",
            Self::TookOver => "took_over",
            Self::Recovered => "recovered",
            Self::Exhausted => "exhausted",
        }
    }
}

/// What a provider did that costs money. The session prices it; a local engine reports none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub provider: String,
    /// Model as configured; with the provider's name it is the key of the price table.
    pub model: String,
    pub meter: Meter,
    /// In units of the meter, since the last report.
    pub amount: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meter {
    /// Audio recognised, ms.
    AudioMs,
    /// Characters synthesised.
    Characters,
    /// Tokens read at full price.
    InputTokens,
    /// Tokens read from the provider's prompt cache.
    CacheReadTokens,
    /// Tokens written to the provider's prompt cache.
    CacheWriteTokens,
    OutputTokens,
    /// Time on the carrier's line, ms.
    LineMs,
}

// ---------------------------------------------------------------- speech to text

/// What a recogniser is told of a call.
#[derive(Clone, Debug, Default)]
pub struct Hearing {
    /// Language of the greeting.
    pub language: Language,
    /// Languages that the caller may change to. An engine that hears several at once listens for all of them.
    pub languages: Vec<Language>,
    /// Names and words of the tenant that are easily misheard.
    pub key_terms: Arc<[String]>,
}

impl From<Language> for Hearing {
    fn from(language: Language) -> Self {
        Self { language, languages: vec![language], key_terms: Arc::default() }
    }
}

/// What a voice is told of a call.
#[derive(Clone, Debug, Default)]
pub struct Saying {
    /// Language of the greeting.
    pub language: Language,
    /// The tenant's pronunciations.
    pub lexicon: Arc<Lexicon>,
}

impl From<Language> for Saying {
    fn from(language: Language) -> Self {
        Self { language, lexicon: Arc::default() }
    }
}

/// A recogniser. `open` is cheap; streams share models.
pub trait SpeechToText: Send + Sync + 'static {
    fn name(&self) -> &'static str;
    /// Whether one stream hears all of [`Hearing::languages`] at once. Another is opened anew for another language.
    fn hears_several(&self) -> bool {
        false
    }

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError>;
}

#[derive(Debug)]
pub struct SttStream {
    /// Bound 256 (5 s of frames). Full: the driver drops audio and counts it.
    pub commands: mpsc::Sender<SttCommand>,
    pub events: mpsc::Receiver<SttEvent>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SttCommand {
    /// Every inbound frame of the call, speech or not, in order.
    Audio(AudioFrame),
    /// The session heard speech begin (about 60–100 ms ago). The recogniser adds its own pre-roll of 400 ms.
    SpeechStarted { utterance: UtteranceId },
    /// The caller fell silent (about 150–200 ms ago), for the `pause`-th time in this utterance. Answer with
    /// `Final` for everything up to here and, where there is an end-of-turn model, with `TurnEnd`.
    /// The caller may go on: a later pause replaces the result. `asked`: what our last words asked for, which says
    /// what kind of words to expect.
    Pause { utterance: UtteranceId, pause: u32, asked: Expectation },
    /// Speech went on after a pause: work for that pause is worthless, stop it if you can.
    Resumed { utterance: UtteranceId },
    /// The utterance is over; forget its audio.
    Ended { utterance: UtteranceId },
    /// The caller goes on in this language. An engine that hears several at once has nothing to do.
    Language(Language),
}

#[derive(Clone, Debug, PartialEq)]
pub enum SttEvent {
    /// Text so far; replaces the earlier interim of the same utterance.
    Interim {
        utterance: UtteranceId,
        text: String,
    },
    /// Text of the utterance up to the named pause. Empty when there were no words. A later one of the same pause
    /// replaces it.
    Final {
        utterance: UtteranceId,
        pause: u32,
        text: String,
        /// 0–1; 1 where the engine gives none.
        confidence: f32,
        /// What else it may have been, likeliest first. Empty where the engine gives none.
        alternatives: Vec<String>,
        /// No better text follows. Otherwise one may within moments: a decided turn may wait for it a little.
        settled: bool,
    },
    /// Probability 0–1 that the caller has finished, judged at the named pause.
    TurnEnd {
        utterance: UtteranceId,
        pause: u32,
        probability: f32,
    },
    /// The recogniser takes the interim text for the whole turn, before it was asked about a pause: worth a guess.
    /// Taken back by other interim text.
    MaybeEnd {
        utterance: UtteranceId,
        /// 0–1, as of [`Self::TurnEnd`].
        probability: f32,
    },
    /// The connection is open: from now on results can come. Engines on this machine do not say so.
    Ready,
    /// Words were recognised while no utterance is open: the caller speaks too softly for the voice-activity
    /// detector. The session opens an utterance; until then the text waits in the adapter.
    SpeechHeard,
    /// The caller speaks this language now. Told when it changes, by engines that hear several.
    Language(Language),
    Provider(ProviderNote),
    Used(Usage),
    /// The engine is gone; the stream gives nothing more.
    Lost {
        failure: Failure,
    },
}

// ---------------------------------------------------------------- voice activity

/// Speech score over time. Runs in the call's own task, so it must cost well under a millisecond a frame.
pub trait VoiceActivity: Send + 'static {
    /// Takes 20 ms; gives the probability of speech (0–1) whenever a window is complete (here: 32 ms).
    fn push(&mut self, frame: &AudioFrame) -> Option<f32>;
}

// ---------------------------------------------------------------- text to speech

pub trait TextToSpeech: Send + Sync + 'static {
    fn name(&self) -> &'static str;
    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError>;
}

#[derive(Debug)]
pub struct TtsStream {
    /// Bound 64. Full: reply text waits (back-pressure).
    pub commands: mpsc::Sender<TtsCommand>,
    /// Bound 64 pieces. Full: synthesis waits.
    pub events: mpsc::Receiver<TtsEvent>,
}

impl TtsStream {
    /// Of a session that says nothing.
    #[must_use]
    pub fn closed() -> Self {
        Self { commands: mpsc::channel(1).0, events: mpsc::channel(1).1 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum TtsCommand {
    /// Say this. Segments are synthesised in the order given.
    Speak(ReplySegment),
    /// Forget everything of this turn.
    Cancel { turn: TurnId },
    /// Segments from here on are in this language.
    Language(Language),
}

#[derive(Clone, Debug, PartialEq)]
pub enum TtsEvent {
    /// Mu-law 8 kHz of any length, in order.
    Audio {
        segment: SegmentId,
        mulaw: Vec<u8>,
    },
    /// The segment is complete. `words` may be empty: then word times are estimated from text and length.
    Done {
        segment: SegmentId,
        words: Vec<WordTime>,
    },
    Failed {
        segment: SegmentId,
        failure: Failure,
    },
    Provider(ProviderNote),
    Used(Usage),
}

// ---------------------------------------------------------------- replies

/// What decides what to say. `open` starts one conversation.
pub trait Responder: Send + Sync + 'static {
    fn name(&self) -> &'static str;
    fn open(&self, call: CallBrief) -> Result<ReplyStream, PortError>;
}

/// What a conversation knows of its call from the start.
#[derive(Clone, Debug)]
pub struct CallBrief {
    pub call: CallId,
    /// Tenant's UUID.
    pub tenant: uuid::Uuid,
    pub passport: uuid::Uuid,
    /// Caller's number as the carrier gave it, if it gave one. Sensitive: for zone code and tools only.
    pub caller: Option<String>,
    /// Number that was called, E.164.
    pub line: String,
    pub language: Language,
    /// Languages that the line's recogniser and voice can both do, the default first. A caller who wants another
    /// one is told so, in it.
    pub spoken: Vec<Language>,
    /// Empty for strangers.
    pub recalled: Vec<Recalled>,
    /// We called them: they know who we are, and were told what for.
    pub outbound: bool,
    /// What they are reminded of.
    pub reminder: Option<Reminder>,
    /// What they are asked for.
    pub follow_up: Option<FollowUp>,
    /// What the line tells its callers of being recorded.
    pub consent: Consent,
    pub hand_over: HandOver,
}

#[derive(Debug)]
pub struct ReplyStream {
    /// Bound 32. Never full in practice; full counts as a lost responder.
    pub commands: mpsc::Sender<ReplyCommand>,
    /// Bound 64. Full: the responder waits.
    pub events: mpsc::Receiver<ReplyEvent>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReplyCommand {
    /// Begin a reply. While `speculative`, the run must have no effect at all: no write, no state, no tool beyond
    /// pure reads. Segments that need an effect wait for `Commit`.
    Start { turn: TurnId, input: TurnInput, speculative: bool },
    /// The caller's turn really ended with exactly this input: the run may take effect.
    Commit { turn: TurnId },
    /// Drop the run. After a commit, effects stay; speech stops.
    Cancel { turn: TurnId },
    /// What the caller really heard of a reply, once it ended or was cut.
    Heard(Heard),
    /// In place of [`Self::Heard`], after the cancel: the caller was not finished, and the turn goes back to before this
    /// reply. What it did and nobody was told of is undone; the same words come again in front of the next ones.
    TakenBack { turn: TurnId },
    /// The recogniser says that the caller speaks this language. The responder decides whether to change over.
    Language(Language),
    /// A person of the office tells it something. What that can unlock is bounded; a responder without a model may ignore it.
    Told(StaffWord),
    /// Said between the caller and a person of the office who has the call.
    Overheard(Overheard),
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReplyEvent {
    /// The next segment. Indices count up from 0 in each turn.
    Segment(ReplySegment),
    /// What a stage cost, for the waterfall.
    Stage {
        turn: TurnId,
        stage: Stage,
        micros: u64,
    },
    /// A tool was used (name only, never arguments).
    Tool {
        turn: TurnId,
        name: String,
        ok: bool,
    },
    Guard(Attack),
    Rule(Ruling),
    /// A person should look at this call.
    Attention {
        turn: TurnId,
        reason: AttentionReason,
    },
    /// The reply is complete. `expects` says what kind of answer we now wait for.
    Done {
        turn: TurnId,
        expects: Expectation,
        then: AfterReply,
    },
    Failed {
        turn: TurnId,
        reason: String,
    },
    /// From this turn's next segment on we speak this language, and listen for it.
    Language {
        turn: TurnId,
        language: Language,
    },
    /// What a person of the office is asked when this reply was heard, after which the caller waits ([`AfterReply::Ask`]).
    Question {
        turn: TurnId,
        question: Question,
    },
    /// The recording is silent from here on, or no more.
    Recording {
        turn: TurnId,
        paused: bool,
    },
    /// How the caller stands to being recorded. Counts whatever becomes of the reply.
    Consent(Consented),
    /// Found in what was [`ReplyCommand::Overheard`].
    Noticed(Noticed),
    Provider(ProviderNote),
    /// What a model call cost. `speculative`: it was for a run that was never committed.
    Used {
        turn: TurnId,
        usage: Usage,
        speculative: bool,
    },
    /// A tool has begun that takes its time (`busy`), or is done: idle clocks and fillers take note.
    Busy {
        turn: TurnId,
        busy: bool,
    },
}

// ---------------------------------------------------------------- durability

/// Where a call's record is made durable.
pub trait CallLog: Send + Sync + 'static {
    fn open(&self, call: CallId) -> Result<LogStream, PortError>;
}

#[derive(Debug)]
pub struct LogStream {
    /// Bound 256. Full: the call waits; nothing is dropped.
    pub commands: mpsc::Sender<LogEntry>,
    pub events: mpsc::Receiver<LogEvent>,
}

/// One line of a call's record. Text in it is raw: the log belongs to the sensitive zone and seals it.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Counts up by one from 1 within a call.
    pub seq: u64,
    /// Milliseconds since the stream was accepted.
    pub at_ms: u64,
    pub record: CallRecord,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogEvent {
    /// Everything up to and with this number survives a kill of the process, and of the machine.
    Durable { seq: u64 },
    /// This entry could not be written; the reply it belongs to must not be spoken.
    Failed { seq: u64 },
}

/// What is kept of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallRecord {
    /// What the caller said in a turn. Times are ms since the stream was accepted.
    CallerTurn { turn: TurnId, text: String, started_ms: u64, ended_ms: u64, confidence: f32 },
    /// Keys pressed (not secret ones).
    Digits { turn: TurnId, digits: String },
    /// A segment of our reply, planned. It is spoken only after this record is durable.
    Planned { segment: ReplySegment },
    /// Where a segment's play-out ended. `heard_text` holds the words that were played.
    Played {
        segment: SegmentId,
        state: Played,
        from_ms: u64,
        to_ms: u64,
        heard_text: String,
        estimated: bool,
    },
    /// The reply of this turn was cut by the caller.
    Interrupted { turn: TurnId, at_ms: u64 },
    /// The caller went on with this turn: what was answered to its first half counts no more.
    Rejoined { turn: TurnId, at_ms: u64 },
    /// The waterfall of a turn.
    Latency { latency: crate::latency::TurnLatency },
    /// A provider failed, was slow, took over or came back.
    Provider { note: ProviderNote },
    /// What a turn cost, and the call so far, in millionths of a US dollar. Wasted: part of it for replies begun
    /// on a guess and thrown away.
    Cost { turn: TurnId, turn_micros: u64, call_micros: u64, wasted_micros: u64 },
    /// The conversation went on in another language.
    Language { turn: TurnId, language: Language },
    /// A person should look at the call: told once a reason, with the highest level so far.
    Attention { turn: TurnId, level: AttentionLevel, reason: AttentionReason },
    /// We had to give up and promise that somebody calls back. Once this is durable the promise is spoken.
    CallBackOwed { turn: TurnId },
    /// The call changed hands. `note`: what the person who gave it back had to say.
    Control { turn: TurnId, holder: Holder, by: String, reason: ControlReason, note: String },
    /// A person of the office was heard by the caller.
    PersonSpoke { turn: TurnId, by: String, from_ms: u64, to_ms: u64 },
    /// What they said, as it was recognized.
    PersonSaid { turn: TurnId, by: String, text: String, from_ms: u64, to_ms: u64 },
    /// A person told the agent something (`next`, `withdrawn`), or had it say a line (`said`); the agent asked people of the office
    /// something (`asked`), and one of them answered (`answered`).
    Whispered { turn: TurnId, by: String, text: String, until: String },
    /// The caller was told that the call is recorded, or said how they stand to it.
    Consent { turn: TurnId, consented: Consented },
    /// How it stands with notes of what the caller and the person at this target say.
    Notes { turn: TurnId, state: NotesState, with: String },
    /// The call is over.
    Ended { reason: EndReason },
}

/// How a segment's play-out ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Played {
    Heard,
    PartlyHeard,
    Dropped,
}

/// Why a call ended. Logged, stored and shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The caller hung up, or the carrier ended the stream.
    CallerHungUp,
    /// We said goodbye.
    AgentHungUp,
    SupervisorHungUp,
    /// We called, and a machine had answered.
    Machine,
    /// The caller is put through to a person: the carrier goes on with the call.
    Transferred,
    /// Nothing was said for too long.
    NoInput,
    /// The socket died without a stop.
    StreamLost,
    /// A newer stream for the same call took over.
    Replaced,
    /// The peer broke the protocol.
    ProtocolError,
    /// The machine is full: the caller heard the busy message.
    Busy,
    /// The gateway is stopping.
    Draining,
    /// Longest call reached.
    TooLong,
    /// The call's budget is spent; the caller was told and offered a call-back.
    Budget,
    /// A part of ours failed and the apology was spoken.
    Failed,
    /// The process died in mid-call; set at the next start.
    Interrupted,
}

// ---------------------------------------------------------------- events

/// Where a call's events go. Must never block the call: full means drop and count.
pub trait EventSink: Send + Sync + 'static {
    fn emit(&self, event: CallEvent);
}

impl<T: EventSink + ?Sized> EventSink for Arc<T> {
    fn emit(&self, event: CallEvent) {
        (**self).emit(event);
    }
}

impl fmt::Debug for dyn SpeechToText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpeechToText({})", self.name())
    }
}

impl fmt::Debug for dyn TextToSpeech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextToSpeech({})", self.name())
    }
}
