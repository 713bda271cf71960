//! One attempt at answering: its text, its audio, and how far both have come.

use std::collections::VecDeque;

use telephony::media::CallTime;
use telephony::playout::SegmentKey;

use super::endpointing::words;
use super::rejoin::Before;
use super::waterfall::Moments;
use crate::ports::{AfterReply, TurnInput};
use crate::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, WordTime};

/// Most pieces of audio kept for a reply that is not committed. Beyond it a speculative reply is dropped.
pub(super) const SPECULATIVE_PIECES: usize = 256;

/// A reply, speculative or firm.
///
/// `epoch` names the attempt towards responder and synthesiser; `turn` is the number people see. A speculative
/// attempt that is dropped uses up an epoch but no turn.
#[derive(Debug)]
pub(super) struct Reply {
    pub epoch: TurnId,
    pub turn: TurnId,
    pub input: TurnInput,
    pub committed: bool,
    /// Said without waiting for the record: greeting and the session's own phrases.
    pub ungated: bool,
    pub segments: Vec<Segment>,
    /// The responder has given all segments.
    pub complete: bool,
    pub expects: Expectation,
    pub then: AfterReply,
    pub first_segment: Option<CallTime>,
    pub first_audio: Option<CallTime>,
    /// What the responder told: stage, microseconds, and when it was told.
    pub stages: Vec<(crate::latency::Stage, u64, CallTime)>,
    pub moments: Option<Moments>,
    pub apologised: bool,
    /// How the conversation stood before the caller's turn that it answers.
    pub before: Option<Before>,
    /// Number of its first segment on the record: not 0 where the turn was answered before and taken back.
    pub first_index: u16,
}

#[derive(Debug)]
pub(super) struct Segment {
    pub said: ReplySegment,
    /// Number of its record; 0 while there is none.
    pub seq: u64,
    /// It stands in the play-out queue.
    pub planned: bool,
    /// Audio that came before the commit.
    pub waiting: Vec<Vec<u8>>,
    /// Words, once synthesis is complete; kept until the commit.
    pub finished: Option<Vec<WordTime>>,
    /// Nothing more comes from the synthesiser.
    pub synthesised: bool,
}

impl Reply {
    pub fn new(epoch: TurnId, turn: TurnId, input: TurnInput) -> Self {
        Self {
            epoch,
            turn,
            ungated: input == TurnInput::Opened,
            input,
            committed: false,
            segments: Vec::new(),
            complete: false,
            expects: Expectation::Open,
            then: AfterReply::Listen,
            first_segment: None,
            first_audio: None,
            stages: Vec::new(),
            moments: None,
            apologised: false,
            before: None,
            first_index: 0,
        }
    }

    /// Begun on a guess that turned out right: the same words, however the recogniser wrote them in the end.
    pub fn guesses(&self, input: &TurnInput) -> bool {
        !self.committed
            && match (&self.input, input) {
                (
                    TurnInput::Said { text: guessed, unsure: guessed_unsure, alternatives: others },
                    TurnInput::Said { text, unsure, alternatives },
                ) => guessed_unsure == unsure && others == alternatives && words(guessed).eq(words(text)),
                (guessed, input) => guessed == input,
            }
    }

    pub fn push(&mut self, said: ReplySegment, now: CallTime) {
        self.first_segment.get_or_insert(now);
        self.segments.push(Segment {
            said,
            seq: 0,
            planned: false,
            waiting: Vec::new(),
            finished: None,
            synthesised: false,
        });
    }

    pub fn segment_mut(&mut self, id: SegmentId) -> Option<&mut Segment> {
        self.segments.iter_mut().find(|s| s.said.id == id)
    }

    pub fn kind_of(&self, id: SegmentId) -> Option<SegmentKind> {
        self.segments.iter().find(|s| s.said.id == id).map(|s| s.said.kind)
    }

    /// Everything that will be said has been synthesised.
    pub fn is_synthesised(&self) -> bool {
        self.complete && self.segments.iter().all(|s| s.synthesised)
    }

    pub fn has_audio(&self) -> bool {
        self.first_audio.is_some()
    }

    pub fn waiting_pieces(&self) -> usize {
        self.segments.iter().map(|s| s.waiting.len()).sum()
    }

    pub fn text(&self) -> String {
        let mut text = String::new();
        for s in &self.segments {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(s.said.text.trim());
        }
        text
    }

    /// Every word is the session's or a notice: not to be interrupted by ordinary speech.
    pub fn is_notice(&self) -> bool {
        !self.segments.is_empty() && self.segments.iter().all(|s| s.said.kind.is_notice())
    }
}

/// How many segments of each of the latest turns are on the record. A turn that is taken back is spoken in again.
#[derive(Debug, Default)]
pub(super) struct Announced(VecDeque<(TurnId, u16)>);

impl Announced {
    /// Turns that are remembered: no turn is gone back to after so many others.
    const KEPT: usize = 16;

    /// Number of what is said next in this turn.
    pub fn next(&self, turn: TurnId) -> u16 {
        self.0.iter().find(|(of, _)| *of == turn).map_or(0, |(_, next)| *next)
    }

    /// A segment of this number is on the record.
    pub fn note(&mut self, turn: TurnId, index: u16) {
        let next = self.next(turn).max(index.saturating_add(1));
        self.0.retain(|(of, _)| *of != turn);
        self.0.push_back((turn, next));
        if self.0.len() > Self::KEPT {
            self.0.pop_front();
        }
    }
}

pub(super) fn key(id: SegmentId) -> SegmentKey {
    SegmentKey { group: id.turn.0, index: id.index }
}
