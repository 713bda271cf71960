//! Who has the call: the agent, or a person of the office.
//!
//! A person takes over; the caller is told so; then the person's voice goes to the caller and the agent takes no turn. When
//! no sound of theirs has come for a while the caller is asked for a moment, and a little later the agent goes on: a browser
//! that died needs nobody to say so. What comes under an older lease than the last is dropped, so two never speak at once.

use std::time::Duration;

use telephony::media::{AudioFrame, CallTime, FRAME_MS};
use telephony::playout::{Closed, SegmentKey, SegmentState};

use super::output::Output;
use super::state::{Agent, Control, Leg};
use super::timers::Timer;
use super::{Session, Supervisor};
use crate::audio::g711::mulaw_decode;
use crate::event::{Attack, AttentionReason, ControlReason, EventBody, Holder, Ruling};
use crate::ports::{AfterReply, CallRecord, EndReason, Noticed, ReplyCommand, StaffWord, TurnInput};
use crate::turn::{Expectation, SegmentKind};

/// Frames that a person's sound is ahead before the first of them leaves: evens out their network.
const AHEAD: u32 = 3;
/// Sound of theirs that may wait to be sent; what comes beyond is dropped, or the talk would drift apart.
const MOST_WAITING_MS: u64 = 300;
/// Waiting sound from which pauses are shortened: after a stall of their network the talk catches up in them.
const SOME_WAITING_MS: u64 = 60;
/// Mean level of a pause, of 32,767.
const PAUSE_LEVEL: u32 = 300;
/// No frame for so long: this stretch of sound is over.
const STRETCH: Duration = Duration::from_millis(10 * FRAME_MS);
/// Stretches that are remembered until their play-out is settled.
const REMEMBERED: usize = 16;
/// Lines of people that wait to be said.
const MOST_LINES: usize = 4;

/// Whether nothing is said in a frame.
fn is_pause(frame: &AudioFrame) -> bool {
    let sum: u32 = frame.bytes().iter().map(|code| u32::from(mulaw_decode(*code).unsigned_abs())).sum();
    sum < PAUSE_LEVEL * frame.bytes().len() as u32
}

impl Person {
    /// Somebody who has the caller already, at their own telephone.
    pub(super) fn at_telephone(by: String, now: CallTime) -> Self {
        Self { lease: 0, by, stretch: None, heard_at: now, missed: false, told: true }
    }
}

/// The person who has the call.
#[derive(Debug)]
pub(super) struct Person {
    lease: u32,
    pub(super) by: String,
    /// The stretch of sound that goes on, and its frames so far.
    stretch: Option<(SegmentKey, u32)>,
    heard_at: CallTime,
    /// The caller was asked for a moment.
    missed: bool,
    /// They may speak: the caller was told who it is.
    told: bool,
}

impl Session {
    pub(super) fn on_supervisor(&mut self, act: Supervisor) {
        match act {
            Supervisor::HangUp(reason) => self.hang_up(reason),
            Supervisor::TakeOver { lease, by } => self.take_over(lease, by),
            Supervisor::Release { lease, note } => {
                if self.person.as_ref().is_some_and(|p| p.lease == lease) {
                    self.give_back(note, ControlReason::Released);
                } else {
                    self.stale += 1;
                }
            }
            Supervisor::Whisper { by, word } => self.whisper(by, word),
            Supervisor::Answer { by, question, text } => self.take_answer(by, question, text),
            Supervisor::ComeBack(returned) => self.come_back(returned),
            Supervisor::InLine(stands) => self.note_place(stands),
            Supervisor::YourTurn { target } => self.note_turn(target),
            Supervisor::Say { by, text } => self.take_line(by, text),
        }
    }

    fn take_over(&mut self, lease: u32, by: String) {
        if self.regions.leg != Leg::Open || self.ending == Some(EndReason::Failed) {
            self.emit(EventBody::Control {
                holder: Holder::Agent,
                by,
                reason: ControlReason::Refused,
                lease,
            });
            return;
        }
        self.end_hold();
        let now = self.now;
        if self.person.is_some() {
            self.end_stretch();
            if self.person.as_ref().is_some_and(|person| person.by != by) {
                self.change_person_words();
            }
            if let Some(person) = &mut self.person {
                (person.lease, person.by, person.heard_at, person.missed) = (lease, by, now, false);
            }
            self.await_person();
            self.tell_control(ControlReason::TakenOver, None);
            if self.regions.control == Control::Supervisor {
                self.tell_control(ControlReason::Speaking, None);
            }
            return;
        }
        self.silence_agent();
        let (stretch, heard_at, missed, told) = (None, now, false, false);
        self.person = Some(Person { lease, by, stretch, heard_at, missed, told });
        self.tell_control(ControlReason::TakenOver, None);
        let text = self.phrases().person_speaks.clone();
        self.announce(text);
    }

    /// Our voice stops at once, and what waited to be said or answered is the person's business now.
    fn silence_agent(&mut self) {
        // A goodbye that was being said is no end any more.
        self.ending = None;
        if matches!(self.regions.agent, Agent::Speaking | Agent::Yielding) {
            self.interrupt();
        }
        self.cut = None;
        self.drop_reply();
        self.regions.agent = Agent::Idle;
        self.hush_filler();
        self.end_wait();
        for timer in [Timer::NoInput, Timer::ReplyDeadline, Timer::DuckLimit] {
            self.timers.stop(timer);
        }
        self.play_out.set_duck(false);
        self.play_out.set_hold(false);
        self.forget_unanswered();
        self.busy = false;
        // What we asked last, a secret even, is asked no more.
        self.expects = Expectation::Open;
    }

    pub(super) fn forget_unanswered(&mut self) {
        self.deferred.clear();
        self.carried.clear();
        self.missed = false;
        if self.reopened.take().is_some() {
            self.turn = self.turn.next();
        }
    }

    /// Says something to the caller between two voices. The agent takes no turn meanwhile.
    fn announce(&mut self, text: String) {
        self.regions.control = Control::Announcing;
        self.speak_own(text, SegmentKind::Notice, AfterReply::Listen);
    }

    /// What was announced is said, or was cut: the person has the caller.
    pub(super) fn after_announcement(&mut self) {
        self.cut = None;
        self.regions.control = Control::Supervisor;
        let Some(person) = &mut self.person else { return };
        if !std::mem::replace(&mut person.told, true) {
            person.heard_at = self.now;
            self.tell_control(ControlReason::Speaking, None);
        }
        if self.person.as_ref().is_some_and(|p| !p.missed) {
            self.await_person();
        }
    }

    fn await_person(&mut self) {
        self.timers.stop(Timer::ControlLease);
        self.timers.set(Timer::PersonSilent, self.now + self.config.person_silent);
    }

    /// 20 ms from the microphone of whoever holds this lease.
    pub(super) fn on_voice(&mut self, lease: u32, frame: &AudioFrame) {
        let now = self.now;
        let Some(person) = self.person.as_mut().filter(|p| p.lease == lease && self.regions.leg == Leg::Open)
        else {
            self.stale += 1;
            return;
        };
        (person.heard_at, person.missed) = (now, false);
        self.await_person();
        let begun = self.person.as_ref().and_then(|p| p.stretch);
        let waiting = self.play_out.pending_ms();
        let plays = begun.is_some_and(|(_, frames)| frames >= AHEAD);
        let late = waiting >= MOST_WAITING_MS || plays && waiting >= SOME_WAITING_MS && is_pause(frame);
        if self.regions.control != Control::Supervisor || late {
            // The caller is being told who speaks, or the sound came later than it was spoken.
            self.stale += 1;
            return;
        }
        let (key, frames) = begun.unwrap_or_else(|| self.begin_stretch());
        self.play_out.push_audio(key, frame.bytes());
        self.hear_person(frame);
        if frames + 1 == AHEAD {
            self.play_out.release(key);
        }
        if let Some(person) = &mut self.person {
            person.stretch = Some((key, frames + 1));
        }
        self.timers.set(Timer::StretchEnd, now + STRETCH);
    }

    fn begin_stretch(&mut self) -> (SegmentKey, u32) {
        let key = SegmentKey { group: self.next_epoch().0, index: 0 };
        self.play_out.plan(self.now, key, String::new());
        let by = self.person.as_ref().map(|p| p.by.clone()).unwrap_or_default();
        self.stretches.push_back((key.group, by));
        if self.stretches.len() > REMEMBERED {
            self.stretches.pop_front();
        }
        (key, 0)
    }

    /// Nothing more comes of this stretch; what is there is said to the end.
    pub(super) fn end_stretch(&mut self) {
        self.timers.stop(Timer::StretchEnd);
        if let Some((key, _)) = self.person.as_mut().and_then(|p| p.stretch.take()) {
            self.play_out.release(key);
            self.play_out.finish(key, Vec::new());
        }
    }

    /// A person's sound was played, or cut: that they spoke is on the record. True when it was theirs.
    pub(super) fn close_stretch(&mut self, closed: &Closed) -> bool {
        let Some(at) = self.stretches.iter().position(|(group, _)| *group == closed.key.group) else {
            return false;
        };
        let Some((_, by)) = self.stretches.remove(at) else { return false };
        if closed.state != SegmentState::Dropped {
            let (from_ms, to_ms) = (closed.from.as_ms(), closed.to.as_ms());
            self.record(CallRecord::PersonSpoke { turn: self.turn, by, from_ms, to_ms });
        }
        true
    }

    /// No sound of the person's for a while.
    pub(super) fn on_person_silent(&mut self) {
        if self.regions.leg != Leg::Open || self.person.is_none() {
            return;
        }
        if self.regions.control == Control::Announcing {
            self.await_person();
            return;
        }
        self.end_stretch();
        let Some(person) = &mut self.person else { return };
        person.missed = true;
        self.timers.set(Timer::ControlLease, person.heard_at + self.config.control_lease);
        let text = self.phrases().filler.clone();
        self.announce(text);
    }

    /// They do not come back: the agent goes on.
    pub(super) fn on_lease_over(&mut self) {
        if self.regions.leg == Leg::Open && self.person.is_some() {
            self.give_back(None, ControlReason::Lost);
        }
    }

    fn give_back(&mut self, note: Option<String>, reason: ControlReason) {
        self.end_stretch();
        self.forget_unanswered();
        // What they asked for is asked no more.
        self.expects = Expectation::Open;
        self.person_leaves(reason, note.clone());
        if let Some(text) = note {
            self.out.push_back(Output::Reply(ReplyCommand::Told(StaffWord::Fact(text))));
        }
        // The agent speaks first: it knows what was under way.
        if self.regions.leg == Leg::Open {
            self.begin_turn(TurnInput::GivenBack);
        }
    }

    /// Whoever had the call has it no more.
    pub(super) fn person_leaves(&mut self, reason: ControlReason, note: Option<String>) {
        for timer in [Timer::ControlLease, Timer::PersonSilent, Timer::StretchEnd] {
            self.timers.stop(timer);
        }
        self.regions.control = Control::Agent;
        self.tell_control(reason, note);
        self.person = None;
    }

    /// On the record, and to whoever watches.
    fn tell_control(&mut self, reason: ControlReason, note: Option<String>) {
        let Some(person) = &self.person else { return };
        let (by, lease) = (person.by.clone(), person.lease);
        let holder = reason.holder();
        if reason != ControlReason::Speaking {
            let turn = self.turn;
            self.record(CallRecord::Control {
                turn,
                holder,
                by: by.clone(),
                reason,
                note: note.unwrap_or_default(),
            });
        }
        self.emit(EventBody::Control { holder, by, reason, lease });
    }

    /// Something in what was said while a person has, or had, the call: told to whoever watches.
    pub(super) fn on_noticed(&mut self, noticed: Noticed) {
        let turn = self.turn;
        match noticed {
            Noticed::Rule(ruling) => self.emit(EventBody::Rule(Ruling { turn, ..ruling })),
            Noticed::Guard(attack) => {
                self.emit(EventBody::Guard(Attack { turn, ..attack }));
                self.attend(AttentionReason::Guard);
            }
            Noticed::Attention(reason) => self.attend(reason),
            Noticed::NoNotes => self.withdraw_notes(),
        }
    }

    // ------------------------------------------------------------ whispers and lines

    /// A person tells the agent something. Only the responder hears of it.
    fn whisper(&mut self, by: String, word: StaffWord) {
        if self.regions.leg != Leg::Open {
            return;
        }
        let (turn, until) = (self.turn, word.until().to_owned());
        let text = word.text().to_owned();
        self.record(CallRecord::Whispered { turn, by: by.clone(), text: text.clone(), until: until.clone() });
        self.emit(EventBody::Whispered { by, text, until });
        // What was begun on a guess did not know of it.
        self.drop_speculation();
        self.out.push_back(Output::Reply(ReplyCommand::Told(word)));
    }

    /// A line to be said word for word, as soon as neither side speaks.
    fn take_line(&mut self, by: String, text: String) {
        if self.regions.leg != Leg::Open || self.lines.len() >= MOST_LINES {
            return;
        }
        let (turn, until) = (self.turn, "said".to_owned());
        self.record(CallRecord::Whispered { turn, by: by.clone(), text: text.clone(), until: until.clone() });
        self.emit(EventBody::Whispered { by, text: text.clone(), until });
        self.lines.push_back(text);
        self.say_line();
    }

    /// Says the next line of a person's, when there is one and nobody speaks. The responder learns that it was said.
    pub(super) fn say_line(&mut self) {
        let quiet = self.utterance.is_none() && self.reply.as_ref().is_none_or(|r| !r.committed);
        let ours = self.regions.control == Control::Agent && self.regions.agent == Agent::Idle;
        if !(quiet && ours) || self.regions.leg != Leg::Open || self.ending.is_some() {
            return;
        }
        let Some(text) = self.lines.pop_front() else { return };
        self.timers.stop(Timer::NoInput);
        self.out.push_back(Output::Reply(ReplyCommand::Told(StaffWord::Said(text.clone()))));
        self.speak_text(text, SegmentKind::Reply, AfterReply::Listen, false);
        if let Some(reply) = &mut self.reply {
            // No phrase of ours: it is spoken once it is on the record, and may fail like any reply.
            (reply.ungated, reply.apologised) = (false, false);
        }
    }
}
