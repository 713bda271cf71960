//! Moves of the leg: keys, and the end of the call.

use std::time::Duration;

use telephony::dtmf::{Digits, DigitsEnd, DtmfConfig};

use super::Session;
use super::output::Output;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use crate::event::EventBody;
use crate::ports::{CallRecord, EndReason, ReplyCommand, SttCommand, TurnInput};
use crate::turn::Expectation;

/// What callers dial for help in danger; who cannot speak may key it here.
const HELP: [&str; 1] = ["911"];
/// Silence after a first key of it that says that it was meant by itself.
const HELP_GAP: Duration = Duration::from_millis(1_500);
/// Who ends every entry with pound presses it within this after a key that was enough by itself.
const LATE_POUND: Duration = Duration::from_secs(2);
/// A question passed over by keys.
const PASS: &str = "#";

impl Session {
    pub(super) fn on_digit(&mut self, digit: char) {
        let confirms = digit == '#' && !self.digits.is_collecting() && self.now < self.pound_is_late;
        if self.regions.leg != Leg::Open || confirms || !self.cut_for_key() {
            return;
        }
        self.timers.stop(Timer::NoInput);
        let asked = matches!(self.reply_expects(), Expectation::Digits | Expectation::Secret);
        let config = if asked { DtmfConfig::default() } else { self.answer_by_key(digit) };
        self.digits.expect(config);
        let entry = self.digits.push(self.now, digit);
        match self.digits.deadline() {
            Some(at) => self.timers.set(Timer::DigitEntry, at),
            None => self.timers.stop(Timer::DigitEntry),
        }
        self.on_entry(entry);
    }

    /// Where no number was asked for, each key is an answer of its own, but what may become a call for help.
    fn answer_by_key(&self, digit: char) -> DtmfConfig {
        let keyed = format!("{}{digit}", self.digits.so_far());
        let longest = HELP.iter().filter(|help| help.starts_with(&keyed)).map(|help| help.len()).max();
        DtmfConfig { max_digits: longest.unwrap_or(keyed.len()), inter_digit: HELP_GAP }
    }

    /// A key is meant: it always interrupts, notices too. Only our last words are said to the end. False when there
    /// is nobody left to take the key.
    fn cut_for_key(&mut self) -> bool {
        let speaking = matches!(self.regions.agent, Agent::Speaking | Agent::Yielding);
        if self.ending.is_some_and(|reason| reason != EndReason::NoInput) {
            return false;
        }
        if speaking {
            self.interrupt();
            self.cut = None;
        }
        self.regions.leg == Leg::Open
    }

    pub(super) fn on_digits_due(&mut self) {
        let entry = self.digits.poll(self.now);
        self.on_entry(entry);
    }

    fn on_entry(&mut self, entry: Option<Digits>) {
        let Some(entry) = entry else {
            self.rearm_no_input();
            return;
        };
        // Pound with nothing before it is an answer too: there is none to give.
        let passes = entry.digits.is_empty();
        let digits = if passes { PASS.to_owned() } else { entry.digits };
        let secret = self.takes_secret() && !passes;
        if !self.cut_for_key() {
            return;
        }
        // Who ended it by pound themselves means the next one.
        self.pound_is_late = if entry.end == DigitsEnd::Full { self.now + LATE_POUND } else { self.now };
        self.silences = 0;
        self.drop_speculation();
        if secret {
            self.take_keyed_secret(digits);
            return;
        }
        self.begin_turn(TurnInput::Digits { digits: digits.clone() });
        self.record(CallRecord::Digits { turn: self.turn, digits: digits.clone() });
        self.emit(EventBody::Dtmf { turn: self.turn, digits });
    }

    /// Ends the call from our side: nothing more is sent.
    pub(super) fn hang_up(&mut self, reason: EndReason) {
        if self.regions.leg != Leg::Open {
            return;
        }
        self.silence_ours();
        self.close_stream();
        self.ending = Some(reason);
        self.regions.leg = Leg::Closing;
        self.finish();
    }

    /// The caller is gone. What they said last is still recognised, recorded and acted on.
    pub(super) fn on_carrier_gone(&mut self, reason: EndReason) {
        if self.regions.leg != Leg::Open {
            return;
        }
        let reason = self.ending.unwrap_or(reason);
        let undone = self.reply.as_ref().is_some_and(|r| r.committed && !r.complete);
        let open = self.utterance.is_some();
        let deferred = std::mem::take(&mut self.deferred);
        if !deferred.is_empty() {
            self.carried =
                self.carried.followed_by(&deferred.text, deferred.confidence, &deferred.alternatives);
        }
        if open && self.regions.caller == Caller::Speaking {
            self.begin_pause();
        }
        self.ending = Some(reason);
        self.leave_open_leg();
        self.timers.set(Timer::Closing, self.now + self.config.closing);
        self.ask_last_words();
        if open && self.utterance.as_ref().is_some_and(|u| u.done.is_some()) {
            self.take_last_words();
        } else if !open && !undone {
            self.act_on_carried();
        }
    }

    /// Words that no reply has answered yet still reach the responder, for their effects.
    fn act_on_carried(&mut self) {
        let words = std::mem::take(&mut self.carried);
        if words.is_empty() {
            self.finish();
        } else {
            if self.reopened.take().is_some() {
                self.turn = self.turn.next();
            }
            let input = self.as_input(words);
            self.commit_turn(input, None);
            if self.reply.is_none() {
                self.finish();
            }
        }
    }

    fn leave_open_leg(&mut self) {
        let audible = matches!(self.regions.agent, Agent::Speaking | Agent::Yielding);
        let finished = self.reply.as_ref().is_none_or(|r| r.complete || !r.committed);
        if audible || finished {
            self.silence_ours();
        }
        self.settle_closed();
        self.regions.agent = Agent::Idle;
        self.regions.leg = Leg::Closing;
        self.timers.stop_all();
    }

    /// Stops our speech and settles what was heard of it, without telling a carrier that is gone.
    fn silence_ours(&mut self) {
        self.play_out.clear(self.now);
        self.settle_closed();
        if let Some(reply) = self.reply.take() {
            let heard = self.heard_of(&reply);
            self.stop_work(&reply);
            self.settle_parted(reply);
            self.out.push_back(Output::Reply(ReplyCommand::Heard(heard)));
        }
        self.regions.agent = Agent::Idle;
    }

    pub(super) fn settle_closed(&mut self) {
        while let Some(closed) = self.play_out.take_closed() {
            self.close_account(closed);
        }
    }

    /// The final of a caller who hung up in mid-sentence: on the record, and to the responder for its effects.
    pub(super) fn take_last_words(&mut self) {
        let Some(utterance) = self.utterance.take() else { return };
        self.out.push_back(Output::Stt(SttCommand::Ended { utterance: utterance.id }));
        let Some(done) = utterance.done.filter(|d| !d.text.trim().is_empty()) else {
            self.act_on_carried();
            return;
        };
        self.drop_speculation();
        let (said, _) = self.note_whole_turn(utterance.began, self.now, &done);
        let input = self.as_input(said);
        self.commit_turn(input, None);
        if self.reply.is_none() {
            self.finish();
        }
    }

    /// Writes the last record; the call is over when it is durable.
    pub(super) fn finish(&mut self) {
        if self.regions.leg == Leg::Ended || self.timers.is_set(Timer::LastRecord) || self.awaits_last_words()
        {
            return;
        }
        // Their last words are on the record as far as they are known by now.
        self.end_person_words();
        self.regions.leg = Leg::Closing;
        self.regions.caller = Caller::Silent;
        self.regions.agent = Agent::Idle;
        self.timers.stop_all();
        self.timers.set(Timer::LastRecord, self.now + self.config.last_record);
        if let Some(reply) = self.reply.take() {
            self.play_out.clear(self.now);
            self.settle_parted(reply);
        }
        self.settle_cost(self.turn);
        let reason = self.end_notes(self.ending.unwrap_or(EndReason::CallerHungUp));
        self.record(CallRecord::Ended { reason });
        if self.log_failed {
            self.end_now();
        }
    }

    pub(super) fn end_if_recorded(&mut self) {
        if self.regions.leg == Leg::Closing
            && self.timers.is_set(Timer::LastRecord)
            && self.durable >= self.last_seq
        {
            self.end_now();
        }
    }

    pub(super) fn end_now(&mut self) {
        if self.regions.leg == Leg::Ended {
            return;
        }
        self.timers.stop_all();
        self.regions.leg = Leg::Ended;
        self.regions.agent = Agent::Idle;
        self.regions.caller = Caller::Silent;
        self.regions.control = Control::Agent;
        self.person = None;
        let reason = self.as_ended(self.ending.unwrap_or(EndReason::CallerHungUp));
        self.emit(EventBody::Ended { reason, duration_ms: self.now.as_ms() });
        self.out.push_back(Output::Ended(reason));
    }
}
