//! The caller goes on after we took the turn for over, and has heard nothing of our answer in substance: it is the same
//! turn. Our voice stops, the words are joined, the conversation goes back to before the turn, and all of it is decided
//! again.

use telephony::media::CallTime;

use super::Session;
use super::endpointing::words;
use super::output::Output;
use super::pending_words::WaitingWords;
use super::reply::Reply;
use super::state::{Agent, Caller};
use super::timers::Timer;
use super::utterance::{FinalText, Utterance};
use super::waterfall::Moments;
use crate::ports::{CallRecord, ReplyCommand, TtsCommand, TurnInput};
use crate::turn::TurnId;

/// How the conversation stood before a turn of the caller's was decided.
#[derive(Clone, Debug)]
pub(super) struct Before {
    /// When the turn was decided.
    pub decided: CallTime,
    /// When its first words began, and how well the worst of it was understood.
    pub began: CallTime,
    pub confidence: f32,
    pub turn: TurnId,
    pub has_asked: bool,
    pub silences: u32,
}

/// A turn that was taken back and is not decided anew yet. Its words wait in `carried`.
#[derive(Clone, Debug)]
pub(super) struct Reopened {
    pub before: Before,
}

impl Session {
    /// Whether speech that begins now goes on with the turn that was decided last.
    pub(super) fn may_rejoin(&self, began: CallTime) -> bool {
        let Some((reply, before)) = self.reply.as_ref().and_then(|r| Some((r, r.before.as_ref()?))) else {
            return false;
        };
        if self.regions.agent == Agent::Thinking {
            return true;
        }
        let Some(first) = self.play_out.first_sent_at(reply.epoch.0) else { return true };
        let heard = began.since(first);
        let in_first_clause = reply.segments.len() > 1 || !reply.is_synthesised();
        began.since(before.decided) <= self.config.rejoin_within
            && (heard < self.config.rejoin_heard || in_first_clause && self.is_in_first_segment(reply))
    }

    fn is_in_first_segment(&self, reply: &Reply) -> bool {
        let first = reply.segments.first().map_or(0, |s| words(&s.said.text).count());
        words(&self.play_out.heard(reply.epoch.0).text).count() < first
    }

    /// The caller goes on: real words, or sound that lasts while nothing is heard of what it is.
    pub(super) fn rejoin_if_caller_goes_on(&mut self) {
        if self.regions.agent == Agent::Idle || self.regions.caller == Caller::Silent {
            return;
        }
        // What began over our voice is weighed against it.
        let Some(utterance) = self.utterance.as_ref().filter(|u| u.rejoins && u.over_reply.is_none()) else {
            return;
        };
        let speech = self.ear.last_speech().since(utterance.began);
        let goes_on = match utterance.text() {
            Some(text) => {
                (speech >= self.config.take_back_speech || utterance.by_words)
                    && !super::barge_in::is_only_back_channel(text)
            }
            None => speech >= self.config.rejoin_unheard,
        };
        if goes_on {
            self.rejoin();
        }
    }

    /// The transition. What was told of the reply so far is the last that is heard of it.
    pub(super) fn rejoin(&mut self) {
        let Some(reply) = self.reply.take() else { return };
        let (TurnInput::Said { text, alternatives, .. }, Some(before)) = (&reply.input, reply.before.clone())
        else {
            self.reply = Some(reply);
            return;
        };
        let (text, alternatives) = (text.clone(), alternatives.clone());
        let words = WaitingWords { text, confidence: before.confidence, alternatives };
        self.patience.learn_cut_off();
        self.silence_taken_back(&reply);
        self.out.push_back(Output::Reply(ReplyCommand::Cancel { turn: reply.epoch }));
        self.out.push_back(Output::Reply(ReplyCommand::TakenBack { turn: reply.epoch }));
        self.record(CallRecord::Rejoined { turn: reply.turn, at_ms: self.now.as_ms() });
        self.settle_parted(reply);
        self.carried = words;
        (self.turn, self.has_asked, self.silences) = (before.turn, before.has_asked, before.silences);
        self.reopened = Some(Reopened { before });
        self.regions.agent = Agent::Idle;
        self.busy = false;
        if let Some(utterance) = &mut self.utterance {
            utterance.rejoins = false;
            utterance.over_reply = None;
        }
    }

    fn silence_taken_back(&mut self, reply: &Reply) {
        if matches!(self.regions.agent, Agent::Speaking | Agent::Yielding) {
            self.play_out.clear(self.now);
        } else {
            self.play_out.cancel(self.now, reply.epoch.0);
            self.play_out.cancel(self.now, reply.epoch.0 + 1);
        }
        self.play_out.set_duck(false);
        self.play_out.set_hold(false);
        self.flush_carrier();
        if !reply.is_synthesised() {
            self.out.push_back(Output::Tts(TtsCommand::Cancel { turn: reply.epoch }));
        }
        self.end_wait();
        for timer in [Timer::ReplyDeadline, Timer::DuckLimit] {
            self.timers.stop(timer);
        }
    }

    /// Puts a turn of the caller's on the record: the whole of it, where its beginning was taken back. Gives its words
    /// with those that wait for an answer, and what stood before it.
    pub(super) fn note_whole_turn(
        &mut self,
        began: CallTime,
        decided: CallTime,
        done: &FinalText,
    ) -> (WaitingWords, Before) {
        let words = self.carried.followed_by(&done.text, done.confidence, &done.alternatives);
        let text = words.text.trim().to_owned();
        let reopened = self.reopened.take().map(|r| r.before);
        let joined = reopened.is_some();
        let before = match reopened {
            Some(before) => Before { decided, confidence: words.confidence.min(before.confidence), ..before },
            None => Before {
                decided,
                began,
                confidence: words.confidence,
                turn: self.turn,
                has_asked: self.has_asked,
                silences: self.silences,
            },
        };
        let whole = FinalText { text: text.clone(), confidence: before.confidence, ..done.clone() };
        self.note_caller_turn(before.began, if joined { &whole } else { done });
        let alternatives = words.alternatives;
        (WaitingWords { text, confidence: before.confidence, alternatives }, before)
    }

    /// What stood before the turn that was put on the record last, and is answered only now.
    pub(super) fn before_noted(&self) -> Before {
        Before {
            decided: self.now,
            began: self.ear.last_speech(),
            confidence: 1.0,
            turn: TurnId(self.turn.0.saturating_sub(1)),
            has_asked: self.has_asked,
            silences: self.silences,
        }
    }

    /// What took the turn back was no word of the caller's after all: the turn counts as it was decided.
    pub(super) fn decide_as_before(&mut self, utterance: &Utterance) -> bool {
        if self.reopened.is_none() || self.reply.as_ref().is_some_and(|r| r.committed) {
            return false;
        }
        let decided = utterance.decided.unwrap_or(self.now);
        let (text, alternatives) = (String::new(), Vec::new());
        let done = FinalText { text, confidence: 1.0, alternatives, at: self.now, settled: true };
        self.answer(&done, utterance.began, Moments::at(self.ear.last_speech(), decided, self.now));
        true
    }
}
