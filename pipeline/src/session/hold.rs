//! The caller waits with us while a person is called.
//!
//! Nobody listens meanwhile: neither the recogniser nor the agent gets a sound, so the wait costs nothing and nothing said in it
//! is taken for an answer. Now and then the caller is told that it goes on. Whoever calls the person says how it ends; where they
//! never do, the agent goes on by itself.

use super::output::Output;
use super::state::{Caller, Control, Leg};
use super::timers::Timer;
use super::{Input, Session};
use crate::event::{ControlReason, EventBody, Holder};
use crate::ports::{AfterReply, CallRecord, Returned, SttCommand, SttEvent, TurnInput};
use crate::turn::SegmentKind;

impl Session {
    /// The caller was told that somebody is called for them, or that it takes a while.
    pub(super) fn hold_on(&mut self) {
        self.timers.set(Timer::HoldWords, self.now + self.config.hold_words_every);
        if self.regions.control == Control::Held {
            return;
        }
        self.go_deaf();
        self.timers.set(Timer::HoldLimit, self.now + self.config.longest_hold);
        self.tell_held(ControlReason::Held);
    }

    /// Nothing of the caller's is heard from here on.
    pub(super) fn go_deaf(&mut self) {
        self.regions.control = Control::Held;
        self.timers.set(Timer::HoldSound, self.now + self.config.hold_sound_every);
        self.drop_speculation();
        self.forget_unanswered();
        if let Some(utterance) = self.utterance.take() {
            self.out.push_back(Output::Stt(SttCommand::Ended { utterance: utterance.id }));
        }
        self.regions.caller = Caller::Silent;
        for timer in [Timer::NoInput, Timer::Pause, Timer::EndOfTurn, Timer::RecogniserWatchdog] {
            self.timers.stop(timer);
        }
    }

    /// Whether an input is not taken because the caller is held.
    pub(super) fn is_deaf_to(&self, input: &Input) -> bool {
        let heard = matches!(
            input,
            Input::Frame(_)
                | Input::Vad(_)
                | Input::Digit(_)
                | Input::Stt(
                    SttEvent::Interim { .. }
                        | SttEvent::Final { .. }
                        | SttEvent::TurnEnd { .. }
                        | SttEvent::MaybeEnd { .. }
                        | SttEvent::SpeechHeard
                        | SttEvent::Language(_)
                )
        );
        heard && self.regions.control == Control::Held
    }

    pub(super) fn say_hold_words(&mut self) {
        if self.line.is_some() {
            return self.on_line_due();
        }
        if self.asked.is_some() {
            return self.on_asking_due();
        }
        if self.regions.control == Control::Held && self.regions.leg == Leg::Open {
            let text = self.phrases().still_calling.clone();
            self.speak_own(text, SegmentKind::Notice, AfterReply::Hold);
        }
    }

    /// Nobody took the call: the agent goes on, and says so.
    pub(super) fn come_back(&mut self, returned: Returned) {
        let waits = self.regions.control == Control::Held || self.line.is_some();
        if !waits || self.regions.leg != Leg::Open {
            self.stale += 1;
            return;
        }
        self.end_hold();
        self.begin_turn(TurnInput::Returned(returned));
    }

    /// Nobody said how it ended.
    pub(super) fn on_hold_over(&mut self) {
        if self.line.is_some() {
            return self.on_line_over();
        }
        if self.asked.is_some() {
            return self.on_asking_over();
        }
        if self.regions.control == Control::Held && self.regions.leg == Leg::Open {
            self.end_hold();
            let text = self.phrases().agent_is_back.clone();
            self.speak_own(text, SegmentKind::Reply, AfterReply::Listen);
        }
    }

    /// The caller is heard again.
    pub(super) fn end_hold(&mut self) {
        let asked = self.close_question();
        if self.line.take().is_some() || asked || self.regions.control == Control::Held {
            self.timers.stop(Timer::HoldWords);
            self.timers.stop(Timer::HoldSound);
            self.timers.stop(Timer::HoldLimit);
            self.regions.control = Control::Agent;
            self.tell_held(ControlReason::HeldNoMore);
        }
    }

    pub(super) fn tell_held(&mut self, reason: ControlReason) {
        let (turn, holder) = (self.turn, Holder::Agent);
        self.record(CallRecord::Control { turn, holder, by: String::new(), reason, note: String::new() });
        self.emit(EventBody::Control { holder, by: String::new(), reason, lease: 0 });
    }
}
