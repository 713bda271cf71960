//! What the caller hears while something of ours is late.

use std::time::Duration;

use super::world::{Habits, World, say};
use super::{GREETED, world};
use crate::event::{Attack, EventBody};
use crate::ports::{CallRecord, EndReason, ReplyEvent, TurnInput};
use crate::ports::{ReplyCommand, SttEvent};
use crate::session::{Input, SessionConfig};
use crate::turn::{Expectation, SegmentKind, TurnId};

fn fillers(w: &World) -> Vec<u64> {
    w.spoken.iter().filter(|(_, s)| s.kind == SegmentKind::Filler).map(|(at, _)| at.as_ms()).collect()
}

#[test]
fn a_recogniser_that_owes_the_text_is_bridged_by_the_filler_within_two_seconds() {
    let habits = Habits { lost_finals: 1.0, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 5_000, "When is the office open?")], habits);
    w.run_to(12_000);
    let heard = w.first_frame_after(5_001).unwrap();
    assert!(heard < 7_000, "the first sound came {} ms after the caller's last word", heard - 5_000);
    assert_eq!(fillers(&w).len(), 1);
    // The interim text stands in for the final in the end.
    assert_eq!(w.caller_turns().len(), 1);
}

#[test]
fn a_caller_who_goes_on_silences_the_filler_and_keeps_the_turn() {
    let habits = Habits { final_ms: 2_500, ..Habits::default() };
    let script = vec![say(GREETED, 5_000, "I want to report"), say(6_900, 8_500, "a fallen tree")];
    let mut w = World::new(script, habits);
    w.run_to(16_000);
    assert!((5_800..6_400).contains(&fillers(&w)[0]), "{:?}", fillers(&w));
    assert_eq!(w.clears.len(), 1, "what was left of the filler is cleared");
    assert!((6_900..7_300).contains(&w.clears[0].as_ms()), "{:?}", w.clears);
    assert_eq!(w.caller_turns(), ["I want to report a fallen tree"]);
}

#[test]
fn a_long_wait_has_one_spoken_filler_and_then_soft_sounds() {
    let habits = Habits { reply_ms: 7_000, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 4_500, "When is the office open?")], habits);
    w.run_to(11_600);
    assert_eq!(fillers(&w).len(), 1);
    let sounds =
        [8_800..10_000, 10_800..11_600].map(|r| w.frames.iter().filter(|t| r.contains(&t.as_ms())).count());
    assert!(sounds.iter().all(|n| (10..40).contains(n)), "soft sounds in each stretch: {sounds:?}");
    w.run_to(20_000);
    assert!(w.events.iter().any(|(_, e)| matches!(e, EventBody::Latency { latency } if latency.filler)));
}

#[test]
fn the_idle_clock_stands_while_a_tool_works_and_while_the_caller_asked_for_time() {
    let silences = |w: &World| {
        let asked =
            |c: &ReplyCommand| matches!(c, ReplyCommand::Start { input: TurnInput::Silence { .. }, .. });
        w.commands.iter().filter(|(_, c)| asked(c)).map(|(at, _)| at.as_ms()).collect::<Vec<_>>()
    };
    let habits = Habits { expects: Expectation::Wait, ..Habits::default() };
    let mut w = World::new(Vec::new(), habits);
    w.run_to(60_000);
    assert!(silences(&w)[0] > 45_000, "{:?}", silences(&w));
    let mut w = world(vec![say(GREETED, 4_500, "Book it please")]);
    w.run_to(4_700);
    let begun = w.commands.iter().rev().find_map(|(_, c)| match c {
        ReplyCommand::Start { turn, .. } => Some(*turn),
        _ => None,
    });
    let turn = begun.unwrap();
    w.at(4_850, Input::Reply(ReplyEvent::Busy { turn, busy: true }));
    w.run_to(40_000);
    assert!(silences(&w).len() <= 3, "{:?}", silences(&w));
}

#[test]
fn two_replies_in_a_row_that_fail_end_the_call_with_a_call_back_on_the_record() {
    let habits = Habits { failed_replies: 1.0, durable_ms: 400, ..Habits::default() };
    let config = SessionConfig { can_call_back: true, ..SessionConfig::default() };
    let mut w = World::of(Vec::new(), habits, config);
    w.run_to(60_000);
    assert_eq!(w.ended.unwrap().1, EndReason::Failed);
    let owed = w.records.iter().find(|(_, e)| matches!(e.record, CallRecord::CallBackOwed { .. })).unwrap();
    let durable = w.durable.iter().find(|(_, seq)| *seq == owed.1.seq).unwrap().0;
    let promise = w.spoken.iter().find(|(_, s)| s.text.contains("call you back")).unwrap().0;
    let spoken = w.first_frame_after(promise.as_ms() + 1).unwrap();
    assert!(spoken >= durable.as_ms(), "promised at {spoken}, durable at {durable:?}");
}

#[test]
fn words_that_the_detector_missed_open_a_turn() {
    let mut w = world(Vec::new());
    w.at(4_000, Input::Stt(SttEvent::SpeechHeard));
    w.run_to(4_010);
    assert_eq!(w.session.regions().caller, crate::session::state::Caller::Speaking);
    w.run_to(4_000 + Duration::from_secs(4).as_millis() as u64);
    assert!(w.session.regions().caller != crate::session::state::Caller::Speaking, "it ends by silence");
}

#[test]
fn an_attack_in_the_turn_that_counts_is_an_event_of_that_turn_and_one_of_a_dropped_reply_is_not() {
    let attack = |turn: TurnId| Attack {
        turn,
        channel: "voice".into(),
        kind: "instruction_override".into(),
        severity: "high".into(),
    };
    let mut w = world(vec![say(GREETED, 4_500, "Book it please")]);
    w.run_to(5_200);
    let begun = w.commands.iter().rev().find_map(|(_, c)| match c {
        ReplyCommand::Start { turn, .. } => Some(*turn),
        _ => None,
    });
    let turn = begun.unwrap();
    w.at(5_200, Input::Reply(ReplyEvent::Guard(attack(TurnId(turn.0 + 7)))));
    w.at(5_200, Input::Reply(ReplyEvent::Guard(attack(turn))));
    w.run_to(12_000);
    let told: Vec<&Attack> = w
        .events
        .iter()
        .filter_map(|(_, e)| if let EventBody::Guard(found) = e { Some(found) } else { None })
        .collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].kind.as_str(), told[0].severity.as_str()), ("instruction_override", "high"));
}
