//! The caller waits while people of the office are asked something.
//!
//! Between words to them nobody listens, as in any hold, but a key still counts. The words offer a callback, and after each of them
//! the caller is heard for a moment: who would rather be called back says so. What they mean by it is the responder's to tell.

use std::time::Duration;

use super::Session;
use super::state::{Control, Leg};
use super::timers::Timer;
use crate::event::EventBody;
use crate::ports::{AfterReply, CallRecord, TurnInput};
use crate::turn::SegmentKind;

/// Somebody speaks, or keys come: it is looked again so soon.
const BUSY: Duration = Duration::from_millis(500);

/// What people of the office were asked.
#[derive(Debug)]
pub(super) struct Asked {
    id: u32,
    /// Somebody answered; the caller hears it as soon as neither side speaks.
    answer: Option<String>,
}

impl Session {
    /// People of the office are asked, and the caller waits for their answer.
    pub(super) fn ask_staff(&mut self) {
        if let Some(question) = self.to_ask.take() {
            self.close_question();
            let id = self.turn.0;
            self.asked = Some(Asked { id, answer: None });
            self.note_asked(String::new(), question.text.clone(), "asked");
            let (text, within_s) = (question.text, question.within_s);
            self.emit(EventBody::QuestionAsked { question_id: id, text, within_s });
            self.hold_on();
            self.timers.set(Timer::HoldLimit, self.now + Duration::from_secs(within_s.into()));
        } else if self.asked.is_some() {
            // The words that say that it goes on, or what was answered to something said after them.
            self.listen_a_moment();
            if self.has_answer() {
                self.timers.set(Timer::HoldWords, self.now);
            }
        } else {
            self.listen_again();
        }
    }

    fn has_answer(&self) -> bool {
        self.asked.as_ref().is_some_and(|asked| asked.answer.is_some())
    }

    /// A person of the office answers: the agent says it.
    pub(super) fn take_answer(&mut self, by: String, question: u32, text: String) {
        let is_open = self.asked.as_ref().is_some_and(|asked| asked.id == question && asked.answer.is_none());
        if !is_open || self.regions.leg != Leg::Open {
            self.stale += 1;
            return;
        }
        self.note_asked(by.clone(), text.clone(), "answered");
        self.emit(EventBody::QuestionClosed { question_id: question, by: Some(by) });
        if let Some(asked) = &mut self.asked {
            asked.answer = Some(text);
        }
        if self.is_quiet_in_line() {
            self.tell_answer();
        } else {
            self.timers.set(Timer::HoldWords, self.now + BUSY);
        }
    }

    /// `false`: there is none to tell.
    fn tell_answer(&mut self) -> bool {
        let Some(text) = self.asked.as_ref().and_then(|asked| asked.answer.clone()) else { return false };
        self.end_hold();
        self.begin_turn(TurnInput::Answered { text });
        true
    }

    fn note_asked(&mut self, by: String, text: String, until: &str) {
        let (turn, until) = (self.turn, until.to_owned());
        self.record(CallRecord::Whispered { turn, by, text, until });
    }

    /// Nobody is asked any more. `false`: nobody was.
    pub(super) fn close_question(&mut self) -> bool {
        let Some(asked) = self.asked.take() else { return false };
        if asked.answer.is_none() {
            self.emit(EventBody::QuestionClosed { question_id: asked.id, by: None });
        }
        true
    }

    /// Time for what comes next: the answer, words to the caller, or silence after these.
    pub(super) fn on_asking_due(&mut self) {
        if self.regions.leg != Leg::Open {
            return;
        }
        if !self.is_quiet_in_line() {
            self.timers.set(Timer::HoldWords, self.now + BUSY);
            return;
        }
        if self.tell_answer() {
            return;
        }
        if self.regions.control != Control::Held {
            let every = self.config.hold_words_every.saturating_sub(self.config.line_ear);
            self.timers.set(Timer::HoldWords, self.now + every);
            return self.go_deaf();
        }
        // Should the words be cut and nothing follow, this goes on all the same.
        self.timers.set(Timer::HoldWords, self.now + self.config.hold_words_every);
        self.regions.control = Control::Agent;
        let text = self.phrases().still_asking.clone();
        self.speak_own(text, SegmentKind::Reply, AfterReply::Ask);
    }

    /// Nobody answered in time. Who is saying something meanwhile is heard first.
    pub(super) fn on_asking_over(&mut self) {
        if self.regions.leg != Leg::Open {
            return;
        }
        if !self.is_quiet_in_line() || self.has_answer() {
            self.timers.set(Timer::HoldLimit, self.now + BUSY);
            return;
        }
        self.end_hold();
        self.begin_turn(TurnInput::Unanswered);
    }

    /// The agent asked, or said, something that ends any wait: the caller's word is next. An answer of the office's that came
    /// meanwhile is told before.
    pub(super) fn listen_again(&mut self) {
        if self.tell_answer() {
            return;
        }
        if self.waits_with_ear() {
            self.end_hold();
        }
        self.rearm_no_input();
        self.take_deferred();
        self.say_line();
    }
}
