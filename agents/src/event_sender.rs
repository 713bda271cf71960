//! What leaves a conversation: the events of the port, in order.

use pipeline::event::{Attack, AttentionReason, Ruling};
use pipeline::latency::Stage;
use pipeline::ports::{AfterReply, Language, ProviderNote, ReplyEvent};
use pipeline::turn::{Expectation, ReplySegment, TurnId};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::guard_findings::Alarm;
use models::model::Tally;

/// The event side. A closed one means that the call is over; the command side says so too.
#[derive(Debug)]
pub(super) struct Outbox {
    events: mpsc::Sender<ReplyEvent>,
    /// Language that voice and recogniser were told. `None`: it is not known whether the last word of it counted.
    voiced: Option<Language>,
    changed_in: Option<TurnId>,
}

impl Outbox {
    pub(super) const fn new(events: mpsc::Sender<ReplyEvent>, language: Language) -> Self {
        Self { events, voiced: Some(language), changed_in: None }
    }

    pub(super) async fn send(&self, event: ReplyEvent) {
        drop(self.events.send(event).await);
    }

    /// Whether segments in this language need no change of voice.
    pub(super) fn is_voiced(&self, language: Language) -> bool {
        self.voiced == Some(language)
    }

    /// Segments of this turn from here on are in this language.
    pub(super) async fn voice(&mut self, turn: TurnId, language: Language) {
        if !self.is_voiced(language) {
            self.voiced = Some(language);
            self.changed_in = Some(turn);
            self.send(ReplyEvent::Language { turn, language }).await;
        }
    }

    /// A turn was cancelled: nobody may have listened to its change of language.
    pub(super) fn cancelled(&mut self, turn: TurnId) {
        if self.changed_in == Some(turn) {
            self.voiced = None;
        }
    }

    pub(super) async fn segment(&self, segment: ReplySegment) {
        self.send(ReplyEvent::Segment(segment)).await;
    }

    pub(super) async fn stage(&self, turn: TurnId, stage: Stage, took: std::time::Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.send(ReplyEvent::Stage { turn, stage, micros }).await;
    }

    pub(super) async fn since(&self, turn: TurnId, stage: Stage, began: Instant) {
        self.stage(turn, stage, began.elapsed()).await;
    }

    /// A tool was used. Its name is one of ours, never a model's invention.
    pub(super) async fn tool(&self, turn: TurnId, name: &str, ok: bool) {
        self.send(ReplyEvent::Tool { turn, name: name.to_owned(), ok }).await;
    }

    /// A person should look at this call.
    pub(super) async fn attention(&self, turn: TurnId, reason: AttentionReason) {
        self.send(ReplyEvent::Attention { turn, reason }).await;
    }

    /// The guard found something. Kinds only, never the words.
    pub(super) async fn guard(&self, turn: TurnId, alarm: Alarm) {
        let Alarm { channel, kind, severity } = alarm;
        let [channel, kind, severity] = [channel.name(), kind.name(), severity.name()].map(str::to_owned);
        self.send(ReplyEvent::Guard(Attack { turn, channel, kind, severity })).await;
    }

    /// A rule stopped words or a tool, or warned of them. Screened words of a model at most.
    pub(super) async fn rule(&self, ruling: Ruling) {
        self.send(ReplyEvent::Rule(ruling)).await;
    }

    pub(super) async fn done(&self, turn: TurnId, expects: Expectation, then: AfterReply) {
        self.send(ReplyEvent::Done { turn, expects, then }).await;
    }

    pub(super) async fn busy(&self, turn: TurnId, busy: bool) {
        self.send(ReplyEvent::Busy { turn, busy }).await;
    }

    pub(super) async fn provider(&self, note: ProviderNote) {
        self.send(ReplyEvent::Provider(note)).await;
    }
}

/// Why a person should look at a call in which this tool was used.
pub(super) fn attention(tool: &str) -> Option<AttentionReason> {
    match tool {
        "mark_urgent" => Some(AttentionReason::Emergency),
        "request_person" => Some(AttentionReason::PersonAsked),
        _ => None,
    }
}

/// What the model's answers of one run cost. Reported once, when it is known whether the run counted.
#[derive(Debug, Default)]
pub(super) struct Spent(Vec<Tally>);

impl Spent {
    pub(super) fn add(&mut self, tally: Tally) {
        self.0.push(tally);
    }

    /// Tokens of all answers so far, read and written.
    pub(super) fn tokens(&self) -> u64 {
        self.0.iter().flat_map(Tally::usage).map(|usage| usage.amount).sum()
    }

    pub(super) async fn report(&mut self, out: &Outbox, turn: TurnId, speculative: bool) {
        for usage in self.0.drain(..).flat_map(|tally| tally.usage()) {
            out.send(ReplyEvent::Used { turn, usage, speculative }).await;
        }
    }
}
