//! The agent as a silent note-taker: a person has taken the call at their own telephone, and what they and the caller say to each
//! other is written down, as while a person of the office has a call at the console.
//!
//! Nothing is said, no turn is taken, nobody listens and nothing is recorded: only words are kept. Both sides were told before.
//! What goes wrong ends the notes and never the talk, which is the carrier's alone.

use super::control::Person;
use super::person_words::PersonWords;
use super::state::{Agent, Caller, Control, Leg};
use super::timers::Timer;
use super::{Input, Port, Session, Supervisor};
use crate::event::EventBody;
use crate::ports::{CallRecord, EndReason, LogEvent, NotesState, ReplyEvent, SttEvent};

/// The key that the caller was given: no notes, or no more.
pub const NO_NOTES: char = '2';

/// How notes stand in a session that takes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Notes {
    #[default]
    Open,
    /// How they ended is on the record.
    Closed,
}

impl Session {
    /// Whether this session takes notes, and does nothing else.
    #[must_use]
    pub fn takes_notes(&self) -> bool {
        self.config.notes_with.is_some()
    }

    pub(super) fn take_notes(&mut self, with: String) {
        self.person = Some(Person::at_telephone(with, self.now));
        self.regions.control = Control::Supervisor;
        self.regions.agent = Agent::Idle;
        self.tell_notes(NotesState::Began);
    }

    /// What concerns a session that says nothing. The end of what it does not need is no end of it; of what it needs, it is.
    pub(super) fn heeds_in_notes(&mut self, input: &Input) -> bool {
        match input {
            Input::Digit(key) => {
                if *key == NO_NOTES {
                    self.withdraw_notes();
                }
                false
            }
            // Both have hung up, as the carrier has it: what they said last is still written down.
            Input::Supervisor(Supervisor::HangUp(reason @ EndReason::CallerHungUp)) => {
                self.close_stream();
                self.on_carrier_gone(*reason);
                false
            }
            Input::Supervisor(Supervisor::HangUp(_)) => true,
            // The API refuses these; what was on its way all the same changes nothing.
            Input::Supervisor(_) | Input::Voice { .. } | Input::MarkPlayed(_) | Input::Tts(_) => false,
            Input::PortLost(Port::Tts) => false,
            // On a leg that closes, the session itself knows how it ends.
            Input::PortLost(_) | Input::Stt(SttEvent::Lost { .. }) if self.regions.leg == Leg::Open => {
                self.lose_notes();
                false
            }
            // Without them half the talk would be missing, and nobody could tell which.
            Input::PersonStt(SttEvent::Lost { .. }) if self.regions.leg == Leg::Open => {
                self.lose_notes();
                false
            }
            Input::Log(LogEvent::Failed { .. }) => {
                self.log_failed = true;
                self.lose_notes();
                self.end_now();
                false
            }
            // Nothing was asked of the responder, so it answers nothing; what it noticed counts.
            Input::Reply(event) => matches!(
                event,
                ReplyEvent::Noticed(_)
                    | ReplyEvent::Consent(_)
                    | ReplyEvent::Provider(_)
                    | ReplyEvent::Used { .. }
            ),
            _ => true,
        }
    }

    /// One of them wants no notes: nothing that was not written down yet is.
    pub(super) fn withdraw_notes(&mut self) {
        if self.takes_notes() && self.regions.leg == Leg::Open {
            self.stop_notes(NotesState::Withdrawn);
        }
    }

    /// They cost what the call may cost.
    pub(super) fn limit_notes(&mut self) {
        if self.takes_notes() && self.regions.leg == Leg::Open && self.is_over_budget() {
            self.stop_notes(NotesState::NoRoom);
        }
    }

    /// The talk is over: the person's last words are asked for too.
    pub(super) fn ask_last_words(&mut self) {
        if self.takes_notes() {
            self.pause_person_words();
        }
    }

    /// Whether what one of them said last is still to come, and there is time for it.
    pub(super) fn awaits_last_words(&self) -> bool {
        self.takes_notes()
            && self.timers.is_set(Timer::Closing)
            && (self.utterance.is_some() || self.person_words.is_awaited())
    }

    fn lose_notes(&mut self) {
        if self.regions.leg == Leg::Open {
            self.stop_notes(NotesState::Lost);
        }
    }

    fn stop_notes(&mut self, state: NotesState) {
        self.forget_words();
        self.tell_notes(state);
        self.hang_up(EndReason::Transferred);
    }

    /// What either of them is saying is not on the record, and does not get there.
    fn forget_words(&mut self) {
        self.person_words = PersonWords::silenced();
        self.utterance = None;
        self.carried.clear();
        self.deferred.clear();
        self.regions.caller = Caller::Silent;
    }

    /// How the notes ended is on the record before the end of the call. Gives the reason of that.
    pub(super) fn end_notes(&mut self, reason: EndReason) -> EndReason {
        if self.takes_notes() {
            let lost =
                matches!(reason, EndReason::StreamLost | EndReason::ProtocolError | EndReason::Draining);
            self.tell_notes(if lost { NotesState::Lost } else { NotesState::Ended });
        }
        self.as_ended(reason)
    }

    /// However notes end, the call is with the person.
    pub(super) fn as_ended(&self, reason: EndReason) -> EndReason {
        if self.takes_notes() && reason != EndReason::Replaced { EndReason::Transferred } else { reason }
    }

    /// On the record, and to whoever watches. An end is told once.
    fn tell_notes(&mut self, state: NotesState) {
        let Some(with) = self.config.notes_with.clone() else { return };
        if state != NotesState::Began && std::mem::replace(&mut self.notes, Notes::Closed) == Notes::Closed {
            return;
        }
        let turn = self.turn;
        self.record(CallRecord::Notes { turn, state, with: with.clone() });
        self.emit(EventBody::Notes { turn, state, with });
    }
}
