//! A day of calls in virtual time, with everything going wrong now and then.
//!
//! 24 simulated hours in eight parts of three hours each, so that they run side by side. What must hold is asserted
//! by the world at every step (see `world.rs`) and at the end of every call here.

use std::collections::BTreeSet;
use std::time::Duration;

use telephony::media::{AudioFrame, CallTime, FRAME_BYTES};
use telephony::sim::Impairments;

use super::world::{Habits, Speech, World};
use crate::event::EventBody;
use crate::ports::{AfterReply, CallRecord, EndReason, ReplyCommand};
use crate::session::{Input, Port, SessionConfig, Supervisor};
use crate::turn::{Expectation, SegmentId, TurnId};

const PART_MS: u64 = 3 * 60 * 60 * 1_000;

/// Small generator with a seed, so that a failure can be run again.
struct Dice(u64);

impl Dice {
    fn throw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, n: u64) -> u64 {
        self.throw() % n.max(1)
    }

    fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

const SAID: [&str; 10] = [
    "When is the office open?",
    "I want to report a fallen tree on my street",
    "uh-huh",
    "",
    "no wait",
    "my number is two zero two",
    "this is an emergency",
    "the office is open from eight",
    "Yes.",
    "and then I went to the",
];

fn script(dice: &mut Dice, length_ms: u64) -> Vec<Speech> {
    let mut at = dice.between(200, 6_000);
    let mut script = Vec::new();
    while at < length_ms {
        let to_ms = at + dice.between(120, 4_000);
        let complete = dice.of(&[0.05, 0.3, 0.6, 0.95]);
        script.push(Speech { from_ms: at, to_ms, text: dice.of(&SAID), complete });
        at = to_ms + dice.of(&[150, 350, 700, 1_500, 4_000, 12_000]);
    }
    script
}

fn habits(dice: &mut Dice) -> Habits {
    let seldom = |dice: &mut Dice, share: f64| if dice.one_in(4) { share } else { 0.0 };
    Habits {
        stages: Vec::new(),
        interim_every_ms: dice.between(60, 1_200),
        confidence: 0.9,
        final_ms: dice.of(&[40, 120, 400, 1_200, 3_500]),
        reply_ms: dice.of(&[3, 300, 900, 2_500, 9_500]),
        synthesis_ms: dice.of(&[20, 120, 700]),
        durable_ms: dice.of(&[1, 5, 300]),
        log_fails: dice.one_in(40),
        mute_recogniser: dice.one_in(10),
        lost_finals: seldom(dice, 0.3),
        failed_segments: seldom(dice, 0.1),
        failed_replies: seldom(dice, 0.2),
        charges: dice.one_in(2),
        letter_ms: dice.between(30, 90),
        expects: dice.of(&[
            Expectation::Open,
            Expectation::YesNo,
            Expectation::Digits,
            Expectation::Secret,
            Expectation::Story,
            Expectation::Wait,
        ]),
        then: if dice.one_in(12) { AfterReply::HangUp } else { AfterReply::Listen },
        question: None,
        notice: dice.one_in(3),
        tells: dice.one_in(3),
    }
}

fn impairments(dice: &mut Dice) -> Impairments {
    let ms = |n| Duration::from_millis(n);
    Impairments {
        delay_out: ms(dice.between(5, 250)),
        delay_back: ms(dice.between(5, 250)),
        jitter: ms(dice.of(&[0, 0, 20, 80])),
        mark_loss_per_mille: dice.of(&[0, 0, 100, 1_000]),
        stall: dice
            .one_in(6)
            .then(|| (CallTime::from_ms(dice.between(1_000, 60_000)), ms(dice.between(200, 4_000)))),
        ..Impairments::default()
    }
}

/// Something from outside at a moment of the call.
fn incident(dice: &mut Dice) -> Input {
    match dice.below(11) {
        0 => Input::PortLost(dice.of(&[Port::Stt, Port::Reply, Port::Tts, Port::Log])),
        1 => Input::Supervisor(Supervisor::TakeOver { lease: 1, by: "pat".into() }),
        2 => Input::Supervisor(Supervisor::Release { lease: 1, note: None }),
        5 => Input::Supervisor(Supervisor::Say { by: "pat".into(), text: "One more thing.".into() }),
        6 => Input::Voice { lease: 1, frame: AudioFrame([0x11; FRAME_BYTES]) },
        3 => Input::Supervisor(Supervisor::HangUp(EndReason::SupervisorHungUp)),
        4 => Input::CarrierLost,
        _ => Input::Digit(dice.of(&['0', '1', '7', '#', '*'])),
    }
}

fn one_call(seed: u64) -> u64 {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let length = dice.between(5_000, 240_000);
    let (script, habits, impairments) =
        (script(&mut dice, length), habits(&mut dice), impairments(&mut dice));
    let base = if dice.one_in(2) { SessionConfig::cloud() } else { SessionConfig::default() };
    let config = SessionConfig { can_call_back: dice.one_in(2), ..base };
    let mut w = World::configured(script, habits, seed, impairments, config);
    for _ in 0..dice.below(4) {
        let input = incident(&mut dice);
        w.at(dice.between(10, length), input);
    }
    w.run_to(length);
    w.at(length + 1, Input::CarrierStopped);
    // The last words, their reply's effects and the last record have bounded time.
    w.run_to(length + 20_000);
    let Some((ended, reason)) = w.ended else { panic!("call {seed} is stuck: {:?}", w.session.regions()) };
    settled(&w, seed);
    assert!(
        ended.as_ms() <= length + 12_000,
        "call {seed} took {ended:?} of {length} ms to end ({reason:?})"
    );
    ended.as_ms()
}

/// Every account is closed: what was planned is on record as played, cut or dropped, and every reply that took
/// effect was told what was heard of it.
fn settled(w: &World, seed: u64) {
    let records = || w.records.iter().map(|(_, e)| &e.record);
    let planned: BTreeSet<_> = records()
        .filter_map(|r| match r {
            CallRecord::Planned { segment } => Some(segment.id),
            _ => None,
        })
        .collect();
    let plans = records().filter(|r| matches!(r, CallRecord::Planned { .. })).count();
    assert_eq!(planned.len(), plans, "call {seed}: two segments share a number");
    let played: BTreeSet<_> = records()
        .filter_map(|r| match r {
            CallRecord::Played { segment, .. } => Some(*segment),
            _ => None,
        })
        .collect();
    let open: Vec<_> = planned.difference(&played).collect();
    if let Some(first) = open.first() {
        panic!("call {seed}: segments {open:?} have no account{}", around(w, **first));
    }
    let seqs: Vec<u64> = w.records.iter().map(|(_, e)| e.seq).collect();
    assert!(seqs.iter().copied().eq(1..=seqs.len() as u64), "call {seed}: records have gaps");
    assert_eq!(records().filter(|r| matches!(r, CallRecord::Ended { .. })).count(), 1, "call {seed}");
    let mut live: BTreeSet<TurnId> = BTreeSet::new();
    for (_, command) in &w.commands {
        match command {
            ReplyCommand::Start { turn, .. } => {
                live.insert(*turn);
                assert!(live.len() <= 1, "call {seed}: two replies at a time: {live:?}");
            }
            ReplyCommand::Cancel { turn } => {
                live.remove(turn);
            }
            ReplyCommand::Heard(heard) => {
                live.remove(&heard.turn);
            }
            ReplyCommand::Commit { turn } => assert!(live.contains(turn), "call {seed}: {turn:?} was gone"),
            ReplyCommand::TakenBack { turn } => {
                assert!(!live.contains(turn), "call {seed}: {turn:?} was taken back and not cancelled");
            }
            ReplyCommand::Language(_) | ReplyCommand::Told(_) | ReplyCommand::Overheard(_) => {}
        }
    }
}

/// What happened around the first record of `about`, for whoever has to find out why.
fn around(w: &World, about: SegmentId) -> String {
    let is = |r: &CallRecord| matches!(r, CallRecord::Planned { segment } if segment.id == about);
    let planned = w.records.iter().find(|(_, e)| is(&e.record)).map_or(0, |(at, _)| at.as_ms());
    let records = w.records.iter().map(|(at, e)| (at.as_ms(), format!("record {:?}", e.record)));
    let commands = w.commands.iter().map(|(at, c)| (at.as_ms(), format!("{c:?}")));
    let clears = w.clears.iter().map(|at| (at.as_ms(), "clear".to_owned()));
    let events = w.events.iter().filter(|(_, e)| matches!(e, EventBody::Provider { .. }));
    let events = events.map(|(at, e)| (at.as_ms(), format!("{e:?}")));
    let mut all: Vec<_> = records.chain(commands).chain(clears).chain(events).collect();
    all.sort_by_key(|(at, _)| *at);
    let near = |at: u64| (planned.saturating_sub(4_000)..planned + 8_000).contains(&at);
    all.iter().filter(|(at, _)| near(*at)).map(|(at, what)| format!("\n{at} {what}")).collect()
}

fn part(number: u64) {
    let (mut passed, mut calls) = (0, 0);
    while passed < PART_MS {
        passed += one_call(number * 1_000_000 + calls);
        calls += 1;
    }
    assert!(calls > 50, "{calls} calls");
}

macro_rules! parts {
    ($($name:ident = $number:literal),+) => {
        $(#[test]
        fn $name() {
            part($number);
        })+
    };
}

parts!(
    hours_0_to_3 = 1,
    hours_3_to_6 = 2,
    hours_6_to_9 = 3,
    hours_9_to_12 = 4,
    hours_12_to_15 = 5,
    hours_15_to_18 = 6,
    hours_18_to_21 = 7,
    hours_21_to_24 = 8
);
