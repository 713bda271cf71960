//! The caller waits in line for a person.
//!
//! Between words to them nobody listens, as in any hold, but a key still counts. After each word they are heard for a moment: who
//! would rather be called back says so. Whoever keeps the line says where they stand, and when it is their turn.

use std::time::Duration;

use super::Session;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use crate::event::{ControlReason, EventBody};
use crate::ports::{AfterReply, InLine, NotTaken, Returned, TurnInput};
use crate::turn::{Expectation, SegmentKind};

/// Somebody speaks, or keys come: it is looked again so soon.
const BUSY: Duration = Duration::from_millis(500);

/// What the session knows of the line.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Where the caller stands.
    stands: Option<InLine>,
    /// The place that they were told last.
    told: u32,
    /// It is their turn, at this target.
    called: Option<String>,
}

impl Session {
    /// The caller was told where they stand, or was answered while they wait.
    pub(super) fn stand_in_line(&mut self) {
        if self.line.is_none() {
            self.line = Some(Line::default());
            self.timers.set(Timer::HoldLimit, self.now + self.config.longest_line);
            self.tell_held(ControlReason::Held);
        }
        self.listen_a_moment();
    }

    /// The caller is heard for a while, in the midst of a wait.
    pub(super) fn listen_a_moment(&mut self) {
        self.timers.stop(Timer::NoInput);
        // Who was asked something has the time that any answer has.
        let asked = !matches!(self.expects, Expectation::Open | Expectation::Wait);
        let ear = if asked { self.config.no_input } else { self.config.line_ear };
        self.timers.set(Timer::HoldWords, self.now + ear);
        self.take_deferred();
        self.say_line();
    }

    /// The caller waits, and is heard now and then: in line, or for an answer of the office's.
    pub(super) fn waits_with_ear(&self) -> bool {
        self.line.is_some() || self.asked.is_some()
    }

    /// Where the caller stands now. They hear of it with the next words to them.
    pub(super) fn note_place(&mut self, stands: InLine) {
        let Some(line) = &mut self.line else {
            self.stale += 1;
            return;
        };
        let (target, place) = (stands.target.clone(), stands.place);
        if line.stands.replace(stands).is_none_or(|before| before.place != place) {
            self.emit(EventBody::InLine { target, place });
        }
    }

    /// It is their turn, as soon as neither side speaks.
    pub(super) fn note_turn(&mut self, target: String) {
        match &mut self.line {
            Some(line) => {
                line.called = Some(target);
                self.timers.set(Timer::HoldWords, self.now);
            }
            None => self.stale += 1,
        }
    }

    /// Time for what comes next in a line: their turn, words to them, or silence after these.
    pub(super) fn on_line_due(&mut self) {
        if self.regions.leg != Leg::Open {
            return;
        }
        if !self.is_quiet_in_line() {
            self.timers.set(Timer::HoldWords, self.now + BUSY);
            return;
        }
        let Some(line) = &mut self.line else { return };
        if let Some(target) = line.called.take() {
            self.end_hold();
            return self.begin_turn(TurnInput::YourTurn { target });
        }
        // Should the words be cut and nothing follow, this goes on all the same.
        self.timers.set(Timer::HoldWords, self.now + self.config.hold_words_every);
        if self.regions.control != Control::Held {
            return self.go_deaf();
        }
        self.regions.control = Control::Agent;
        match line.stands.clone().filter(|stands| stands.place != line.told) {
            Some(stands) => {
                line.told = stands.place;
                self.begin_turn(TurnInput::InLine(stands));
            }
            None => {
                let text = self.phrases().still_in_line.clone();
                self.speak_own(text, SegmentKind::Reply, AfterReply::Wait);
            }
        }
    }

    pub(super) fn is_quiet_in_line(&self) -> bool {
        let caller = matches!(self.regions.caller, Caller::Silent | Caller::MaybeSpeaking);
        let agent = self.regions.agent == Agent::Idle && self.utterance.is_none() && !self.busy;
        self.regions.control == Control::Held || caller && agent && !self.digits.is_collecting()
    }

    /// A key is meant, also while nobody listens.
    pub(super) fn open_ear_for_key(&mut self) {
        if self.waits_with_ear() && self.regions.control == Control::Held {
            self.regions.control = Control::Agent;
            self.timers.set(Timer::HoldWords, self.now + self.config.line_ear);
        }
    }

    /// Nobody was there for them in all that time.
    pub(super) fn on_line_over(&mut self) {
        if self.regions.leg != Leg::Open {
            return;
        }
        let stands = self.line.as_ref().and_then(|line| line.stands.clone());
        self.end_hold();
        if let Some(InLine { target, .. }) = stands {
            return self.begin_turn(TurnInput::Returned(Returned { target, why: NotTaken::Busy }));
        }
        let text = self.phrases().agent_is_back.clone();
        self.speak_own(text, SegmentKind::Reply, AfterReply::Listen);
    }

    /// Words of our own end a hold. Who waits in line, or for an answer, goes on waiting, unless the words end the call.
    pub(super) fn leave_hold(&mut self, then: AfterReply) {
        if matches!(self.after_own(then), AfterReply::Wait | AfterReply::Ask) {
            self.regions.control = Control::Agent;
        } else {
            self.end_hold();
        }
    }

    /// What follows words of our own.
    pub(super) fn after_own(&self, then: AfterReply) -> AfterReply {
        match then {
            AfterReply::Listen if self.line.is_some() => AfterReply::Wait,
            AfterReply::Listen if self.asked.is_some() => AfterReply::Ask,
            _ => then,
        }
    }
}
