//! The caller waits with us while a person is called, or while people of the office are asked something.
//!
//! Nobody listens meanwhile: neither the recogniser nor the agent gets a sound, so the wait costs nothing and nothing said in it
//! is taken for an answer. Now and then the caller is told that it goes on. Whoever calls the person says how it ends; where they
//! never do, the agent goes on by itself.

use std::time::Duration;

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

    /// People of the office are asked, and the caller waits for their answer.
    pub(super) fn ask_staff(&mut self) {
        if let Some(question) = self.to_ask.take() {
            let question_id = self.turn.0;
            self.asked = Some(question_id);
            self.note_asked(String::new(), question.text.clone(), "asked");
            let (text, within_s) = (question.text, question.within_s);
            self.emit(EventBody::QuestionAsked { question_id, text, within_s });
            self.hold_on();
            self.timers.set(Timer::HoldLimit, self.now + Duration::from_secs(within_s.into()));
        } else if self.asked.is_some() {
            // The words that say that it goes on.
            self.hold_on();
        } else {
            self.rearm_no_input();
        }
    }

    /// A person of the office answers: the agent says it.
    pub(super) fn take_answer(&mut self, by: &str, question: u32, text: String) {
        if self.asked != Some(question) || self.regions.leg != Leg::Open {
            self.stale += 1;
            return;
        }
        self.note_asked(by.to_owned(), text.clone(), "answered");
        self.close_question(Some(by.to_owned()));
        self.end_hold();
        self.begin_turn(TurnInput::Answered { text });
    }

    fn note_asked(&mut self, by: String, text: String, until: &str) {
        let (turn, until) = (self.turn, until.to_owned());
        self.record(CallRecord::Whispered { turn, by, text, until });
    }

    fn close_question(&mut self, by: Option<String>) {
        if let Some(question_id) = self.asked.take() {
            self.emit(EventBody::QuestionClosed { question_id, by });
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
        if self.regions.control == Control::Held && self.regions.leg == Leg::Open {
            let (text, then) = if self.asked.is_some() {
                (self.phrases().still_asking.clone(), AfterReply::Ask)
            } else {
                (self.phrases().still_calling.clone(), AfterReply::Hold)
            };
            self.speak_own(text, SegmentKind::Notice, then);
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
        if self.regions.control == Control::Held && self.regions.leg == Leg::Open {
            let asked = self.asked.is_some();
            self.end_hold();
            if asked {
                return self.begin_turn(TurnInput::Unanswered);
            }
            let text = self.phrases().agent_is_back.clone();
            self.speak_own(text, SegmentKind::Reply, AfterReply::Listen);
        }
    }

    /// The caller is heard again.
    pub(super) fn end_hold(&mut self) {
        self.close_question(None);
        if self.line.take().is_some() || self.regions.control == Control::Held {
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
