//! A call's life as one pure state machine. No I/O, no clock, no randomness, no await.
//!
//! **The one rule: give one input, then drain [`Session::poll_output`] until it says [`Output::Wait`], then give
//! the next.** Debug builds assert it. Outputs that are not drained before the next input would act on a
//! conversation that has moved on.
//!
//! State is four regions side by side ([`state`]): caller, agent, control, leg. Each has a file of moves:
//! `caller.rs`, `agent.rs` (with `speech.rs` for what is said), `control.rs`, `leg.rs`.
#![deny(clippy::disallowed_methods)]

mod agent;
mod asking;
mod attention;
pub mod barge_in;
mod call_queue;
mod caller;
pub mod completeness;
mod config;
mod consent;
mod control;
pub mod endpointing;
mod filler;
mod hold;
mod input;
pub mod journal;
mod leg;
mod notes;
mod output;
mod overlap;
pub mod pause_score;
mod pending_words;
mod person_words;
mod rejoin;
mod reply;
mod secret;
mod speech;
pub mod state;
#[cfg(test)]
mod tests;
mod timers;
mod usage;
mod utterance;
mod waterfall;

use std::collections::VecDeque;

use telephony::dtmf::{DigitCollector, DtmfConfig};
use telephony::media::{CallTime, MarkId};
use telephony::playout::PlayOut;

pub use config::{Phrases, SessionConfig};
pub use input::{Input, Port, Supervisor};
pub use notes::NO_NOTES;
pub use output::Output;
use reply::Reply;
use state::{Leg, Regions};
use timers::{Timer, Timers};
use utterance::{Ear, Utterance};

use crate::cost::Bill;
use crate::event::EventBody;
use crate::ports::{CallRecord, Consented, EndReason, Language, LogEntry, LogEvent, Question, TurnInput};
use crate::turn::{Expectation, TurnId};

/// The call.
#[derive(Debug)]
pub struct Session {
    config: SessionConfig,
    now: CallTime,
    regions: Regions,
    timers: Timers,
    out: VecDeque<Output>,
    drained: bool,
    play_out: PlayOut,
    digits: DigitCollector,
    /// Until then a pound belongs to the keys before it.
    pound_is_late: CallTime,
    ear: Ear,
    patience: endpointing::Patience,
    utterance: Option<Utterance>,
    last_utterance: u32,
    /// Words of a turn whose reply was taken back unheard: the caller was not finished.
    carried: pending_words::WaitingWords,
    /// The turn whose words these are, to be decided anew.
    reopened: Option<rejoin::Reopened>,
    /// What the caller said while we spoke that is answered after it.
    deferred: pending_words::WaitingWords,
    /// Words over our reply that nobody could make out.
    missed: bool,
    reply: Option<Reply>,
    /// A reply of the caller's that was cut, kept until the cut proves right.
    cut: Option<Reply>,
    /// The reply that was being said when the leg closed, until its account is settled.
    parting: Option<Reply>,
    last_epoch: u32,
    turn: TurnId,
    expects: Expectation,
    /// The caller has said what they call for.
    has_asked: bool,
    silences: u32,
    wasted_speculations: u32,
    stale: u64,
    last_seq: u64,
    durable: u64,
    log_failed: bool,
    ending: Option<EndReason>,
    /// Language that we speak and listen for.
    language: Language,
    bill: Bill,
    /// Tokens of replies that were begun on a guess and thrown away.
    wasted_tokens: u64,
    /// Reports of usage that the price table does not know.
    unpriced: u64,
    line_charged_ms: u64,
    /// What was told of why a person should look at this call.
    attention: attention::Attention,
    /// A tool of the responder's takes its time.
    busy: bool,
    /// Number under which the filler of this wait is said, once it is.
    bridge: Option<TurnId>,
    soft_sounds: u16,
    announced: reply::Announced,
    /// Replies in a row that failed.
    faults: u32,
    /// The caller's telephone gives our voice back, or may.
    gives_back: bool,
    /// The end of our last reply, for recognising its echo.
    last_said: String,
    /// Who of the office has the call.
    person: Option<control::Person>,
    person_words: person_words::PersonWords,
    /// Stretches of people's sound that are not settled: group in the play-out, and whose.
    stretches: VecDeque<(u32, String)>,
    /// Lines of people that wait to be said.
    lines: VecDeque<String>,
    /// What people of the office are to be asked once our reply was heard.
    to_ask: Option<Question>,
    /// The question that the caller waits for.
    asked: Option<asking::Asked>,
    /// The caller waits in line for a person.
    line: Option<call_queue::Line>,
    /// How the caller stands to being recorded. `None`: they were neither told nor asked.
    consented: Option<Consented>,
    /// How notes stand, where they are taken.
    notes: notes::Notes,
}

impl Session {
    /// A session whose stream was accepted at `now`, with its identity checked. The greeting is asked for at once.
    #[must_use]
    pub fn new(config: SessionConfig, now: CallTime) -> Self {
        let mut session = Self {
            play_out: PlayOut::new(config.play_out),
            language: config.language,
            turn: config.first_turn,
            has_asked: config.first_turn != TurnId(0),
            config,
            now,
            regions: Regions { leg: Leg::Open, ..Regions::default() },
            timers: Timers::default(),
            out: VecDeque::new(),
            drained: true,
            digits: DigitCollector::new(DtmfConfig::default()),
            pound_is_late: CallTime::ZERO,
            ear: Ear::default(),
            patience: endpointing::Patience::default(),
            utterance: None,
            last_utterance: 0,
            carried: pending_words::WaitingWords::default(),
            reopened: None,
            deferred: pending_words::WaitingWords::default(),
            missed: false,
            reply: None,
            cut: None,
            parting: None,
            last_epoch: 0,
            expects: Expectation::Open,
            silences: 0,
            wasted_speculations: 0,
            stale: 0,
            last_seq: 0,
            durable: 0,
            log_failed: false,
            ending: None,
            bill: Bill::default(),
            wasted_tokens: 0,
            unpriced: 0,
            line_charged_ms: 0,
            attention: attention::Attention::default(),
            busy: false,
            bridge: None,
            soft_sounds: 0,
            announced: reply::Announced::default(),
            faults: 0,
            gives_back: true,
            last_said: String::new(),
            person: None,
            person_words: person_words::PersonWords::default(),
            stretches: VecDeque::new(),
            lines: VecDeque::new(),
            to_ask: None,
            asked: None,
            line: None,
            consented: None,
            notes: notes::Notes::default(),
        };
        session.timers.set(Timer::LongestCall, now + session.config.longest_call);
        match session.config.notes_with.clone() {
            Some(with) => session.take_notes(with),
            None => session.begin_turn(TurnInput::Opened),
        }
        session.drained = false;
        session
    }

    /// Takes one input that happened at `now`. Drain the outputs before the next.
    pub fn handle_input(&mut self, now: CallTime, input: Input) {
        debug_assert!(self.drained, "outputs must be drained before the next input");
        self.drained = false;
        self.now = self.now.max(now);
        if self.regions.leg == Leg::Ended {
            return;
        }
        self.dispatch(input);
        self.run_timers();
        debug_assert_eq!(self.regions.illegal(), None, "{:?}", self.regions);
    }

    /// The next thing to do; [`Output::Wait`] when there is nothing until its time.
    pub fn poll_output(&mut self) -> Output {
        loop {
            if let Some(output) = self.out.pop_front() {
                return output;
            }
            if self.regions.leg == Leg::Open {
                if let Some(command) = self.play_out.poll(self.now) {
                    return Output::Carrier(command);
                }
                if self.settle_play_out() {
                    continue;
                }
            }
            self.drained = true;
            return Output::Wait(self.next_deadline());
        }
    }

    /// The four regions now.
    #[must_use]
    pub fn regions(&self) -> Regions {
        self.regions
    }

    /// The play-out with its ledger: what was planned, sent, heard.
    #[must_use]
    pub fn play_out(&self) -> &PlayOut {
        &self.play_out
    }

    /// Language that we speak and listen for.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Turns so far; 0 while there was only the greeting.
    #[must_use]
    pub fn turn(&self) -> TurnId {
        self.turn
    }

    /// What the call has cost so far.
    #[must_use]
    pub fn bill(&self) -> &Bill {
        &self.bill
    }

    /// Reports of usage that the price table does not know.
    #[must_use]
    pub fn unpriced(&self) -> u64 {
        self.unpriced
    }

    /// Results that came too late and were dropped.
    #[must_use]
    pub fn stale(&self) -> u64 {
        self.stale
    }

    /// Replies begun on a guess and thrown away.
    #[must_use]
    pub fn wasted_speculations(&self) -> u32 {
        self.wasted_speculations
    }

    fn dispatch(&mut self, input: Input) {
        if matches!(input, Input::Digit(_)) {
            self.open_ear_for_key();
        }
        if self.is_deaf_to(&input) || self.takes_notes() && !self.heeds_in_notes(&input) {
            return;
        }
        match input {
            Input::Frame(frame) => self.on_frame(frame),
            Input::Heard(frame) => self.hear_person(&frame),
            Input::Vad(score) => self.on_vad(score),
            Input::Echo(gives_back) => self.gives_back = gives_back,
            Input::Digit(digit) => self.on_digit(digit),
            Input::MarkPlayed(mark) => self.on_mark(mark),
            Input::CarrierStopped => self.on_carrier_gone(EndReason::CallerHungUp),
            Input::CarrierLost => self.on_carrier_gone(EndReason::StreamLost),
            Input::Stt(event) => self.on_stt(event),
            Input::Reply(event) => self.on_reply(event),
            Input::Tts(event) => self.on_tts(event),
            Input::Log(event) => self.on_log(event),
            Input::PortLost(port) => self.on_port_lost(port),
            Input::Supervisor(act) => self.on_supervisor(act),
            Input::Voice { lease, frame } => self.on_voice(lease, &frame),
            Input::PersonVad(score) => self.on_person_vad(score),
            Input::PersonStt(event) => self.on_person_stt(event),
            Input::Tick => {}
        }
    }

    fn run_timers(&mut self) {
        while let Some(timer) = self.timers.take_expired(self.now) {
            match timer {
                Timer::Pause => self.on_pause_due(),
                Timer::EndOfTurn => self.try_end_turn(),
                Timer::DuckLimit => self.stop_yielding(),
                Timer::Filler => self.say_filler(),
                Timer::SoftSound => self.make_soft_sound(),
                Timer::ReplyDeadline => self.on_reply_overdue(),
                Timer::NoInput => self.on_no_input(),
                Timer::RecogniserWatchdog => self.on_recogniser_overdue(),
                Timer::DigitEntry => self.on_digits_due(),
                Timer::ControlLease => self.on_lease_over(),
                Timer::PersonSilent => self.on_person_silent(),
                Timer::StretchEnd => self.end_stretch(),
                Timer::PersonWords => self.on_person_words_due(),
                Timer::HoldWords => self.say_hold_words(),
                Timer::HoldSound => self.make_hold_sound(),
                Timer::HoldLimit => self.on_hold_over(),
                Timer::LongestCall => self.hang_up(EndReason::TooLong),
                Timer::Closing => self.finish(),
                Timer::LastRecord => self.end_now(),
            }
        }
    }

    fn on_mark(&mut self, mark: MarkId) {
        self.play_out.mark_played(self.now, mark);
    }

    fn on_log(&mut self, event: LogEvent) {
        match event {
            LogEvent::Durable { seq } => {
                self.durable = self.durable.max(seq);
                self.release_durable();
                self.end_if_recorded();
            }
            LogEvent::Failed { .. } => self.on_log_failed(),
        }
    }

    fn next_deadline(&self) -> CallTime {
        let timer = self.timers.next();
        let play_out = if self.regions.leg == Leg::Open { self.play_out.deadline() } else { None };
        let next = timer.into_iter().chain(play_out).min();
        // A drained session always waits in the future: a deadline of this very instant has been served.
        let soonest = CallTime::from_micros(self.now.as_micros() + 1);
        next.unwrap_or(self.now + self.config.longest_call).max(soonest)
    }

    fn emit(&mut self, event: EventBody) {
        self.out.push_back(Output::Emit(event));
    }

    /// Adds a line to the call's record and gives its number.
    fn record(&mut self, record: CallRecord) -> u64 {
        self.last_seq += 1;
        let entry = LogEntry { seq: self.last_seq, at_ms: self.now.as_ms(), record };
        self.out.push_back(Output::Log(entry));
        self.last_seq
    }
}
