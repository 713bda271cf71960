//! Callers who go on after we took their turn for over: one turn, one reply, no effect twice and none lost.

use proptest::prelude::*;
use telephony::media::CallTime;

use super::GREETED;
use super::world::{Habits, Speech, World, quick, say};
use crate::ports::{CallRecord, ReplyCommand, SttEvent, TurnInput};
use crate::session::Input;
use crate::turn::{TurnId, UtteranceId};

const FIRST: &str = "I would like to know when the office is open.";
const SECOND: &str = "On Saturday I mean.";

/// The caller says the first part until 5,500 ms; the second begins so long after the decision.
fn goes_on(after_ms: u64, habits: Habits) -> World {
    let decided = decided_at(&habits);
    let from = decided + after_ms;
    let mut w = World::new(vec![say(GREETED, 5_500, FIRST), say(from, from + 1_600, SECOND)], habits);
    w.run_to(from + 6_000);
    w
}

fn decided_at(habits: &Habits) -> u64 {
    let mut w = World::new(vec![say(GREETED, 5_500, FIRST)], habits.clone());
    w.run_to(8_000);
    answered(&w)[0].0
}

/// Replies to words that took effect: when, epoch, words.
fn answered(w: &World) -> Vec<(u64, TurnId, String)> {
    let mut begun = Vec::new();
    let mut counted = Vec::new();
    for (at, command) in &w.commands {
        match command {
            ReplyCommand::Start { turn, input: TurnInput::Said { text, .. }, speculative } => {
                begun.push((*turn, text.clone()));
                if !speculative {
                    counted.push((at.as_ms(), *turn, text.clone()));
                }
            }
            ReplyCommand::Commit { turn } => {
                if let Some((_, text)) = begun.iter().find(|b| b.0 == *turn) {
                    counted.push((at.as_ms(), *turn, text.clone()));
                }
            }
            _ => {}
        }
    }
    counted
}

fn taken_back(w: &World) -> Vec<(CallTime, TurnId)> {
    let of = |c: &ReplyCommand| if let ReplyCommand::TakenBack { turn } = c { Some(*turn) } else { None };
    w.commands.iter().filter_map(|(at, c)| Some((*at, of(c)?))).collect()
}

#[test]
fn words_that_go_on_while_our_first_words_are_heard_are_the_same_turn() {
    for after in [120, 400, 700] {
        let w = goes_on(after, Habits::default());
        let answered = answered(&w);
        let both = format!("{FIRST} {SECOND}");
        assert_eq!(answered.len(), 2, "after {after}: {answered:?}");
        assert_eq!(answered[1].2, both, "after {after}");
        assert_eq!(taken_back(&w).iter().map(|t| t.1).collect::<Vec<_>>(), [answered[0].1], "after {after}");
        // On the record there is one turn of the caller's: the later line of its number is the whole of it.
        let turn = |r: &CallRecord| match r {
            CallRecord::CallerTurn { turn, text, started_ms, .. } => Some((*turn, text.clone(), *started_ms)),
            _ => None,
        };
        let turns: Vec<_> = w.records.iter().filter_map(|(_, e)| turn(&e.record)).collect();
        assert_eq!((turns[0].0, turns[1].0, turns[1].1.as_str()), (TurnId(1), TurnId(1), both.as_str()));
        assert_eq!(turns[0].2, turns[1].2, "it began when its first words did");
        assert_eq!(w.session.turn(), TurnId(1));
    }
}

#[test]
fn our_voice_stops_at_once_and_says_nothing_of_the_first_reply_again() {
    let w = goes_on(400, Habits::default());
    let (back, epoch) = taken_back(&w)[0];
    assert!(w.clears.contains(&back), "cleared when it is taken back: {:?} {back:?}", w.clears);
    let second = answered(&w)[1].0;
    let between = w.frames.iter().filter(|at| **at > back && at.as_ms() < second).count();
    assert_eq!(between, 0, "nothing is said until the whole is decided");
    let after = w.commands.iter().filter(|(at, _)| *at >= back);
    assert!(after.into_iter().all(|(_, c)| !matches!(c, ReplyCommand::Heard(h) if h.turn == epoch)));
}

#[test]
fn segments_of_both_replies_have_numbers_of_their_own_and_each_ends_once() {
    let w = goes_on(500, Habits::default());
    let mut planned = Vec::new();
    for (_, e) in &w.records {
        if let CallRecord::Planned { segment } = &e.record {
            assert!(!planned.contains(&segment.id), "{:?} is planned twice", segment.id);
            planned.push(segment.id);
        }
    }
    assert!(planned.iter().filter(|id| id.turn == TurnId(1)).count() >= 4, "{planned:?}");
    for id in planned {
        let ends = w
            .records
            .iter()
            .filter(|(_, e)| matches!(&e.record, CallRecord::Played { segment, .. } if *segment == id));
        assert!(ends.count() <= 1, "{id:?}");
    }
}

#[test]
fn what_comes_later_is_an_interruption_and_a_turn_of_its_own() {
    let w = goes_on(2_200, Habits::default());
    assert!(taken_back(&w).is_empty());
    assert_eq!(answered(&w)[1].2, SECOND);
    assert_eq!(w.session.turn(), TurnId(2));
}

#[test]
fn a_cough_or_a_nod_after_the_decision_leaves_the_reply_alone() {
    for (text, length) in [("", 300), ("Uh-huh.", 400), ("Okay.", 350)] {
        let decided = decided_at(&Habits::default());
        for after in [60, 500] {
            let from = decided + after;
            let script = vec![say(GREETED, 5_500, FIRST), say(from, from + length, text)];
            let mut w = World::new(script, Habits::default());
            w.run_to(from + 6_000);
            assert!(taken_back(&w).is_empty(), "{text:?} after {after}");
            assert_eq!(answered(&w).len(), 1, "{text:?} after {after}");
            assert!(w.first_frame_after(from + length + 1_000).is_some(), "the reply goes on after {text:?}");
        }
    }
}

#[test]
fn sound_that_took_the_turn_back_and_was_nothing_has_it_answered_all_the_same() {
    // The recogniser is silent for long and then finds no word.
    let habits = Habits { mute_recogniser: true, ..Habits::default() };
    let decided = decided_at(&habits);
    let script = vec![say(GREETED, 5_500, FIRST), say(decided + 300, decided + 1_700, "")];
    let mut w = World::new(script, habits);
    w.run_to(decided + 8_000);
    assert_eq!(taken_back(&w).len(), 1);
    let answered = answered(&w);
    assert_eq!(answered.last().unwrap().2, FIRST);
    assert!(w.first_frame_after(answered.last().unwrap().0).is_some());
    assert_eq!(w.session.turn(), TurnId(1));
}

#[test]
fn a_caller_who_goes_on_and_hangs_up_has_all_of_it_acted_on() {
    let decided = decided_at(&Habits::default());
    let from = decided + 300;
    let mut w =
        World::new(vec![say(GREETED, 5_500, FIRST), say(from, from + 1_600, SECOND)], Habits::default());
    w.at(from + 1_200, Input::CarrierStopped);
    w.run_to(from + 6_000);
    assert!(answered(&w).last().unwrap().2.starts_with(FIRST), "{:?}", answered(&w));
    assert!(w.ended.is_some());
}

#[test]
fn keys_after_a_turn_was_taken_back_are_a_turn_of_their_own_and_its_words_are_not_lost() {
    let decided = decided_at(&Habits::default());
    let from = decided + 300;
    let mut w =
        World::new(vec![say(GREETED, 5_500, FIRST), say(from, from + 3_000, SECOND)], Habits::default());
    w.at(from + 2_000, Input::Digit('0'));
    w.run_to(from + 9_000);
    let last = answered(&w).last().unwrap().2.clone();
    assert_eq!(last, format!("{FIRST} {SECOND}"));
    let keys = w.records.iter().find_map(|(_, e)| match &e.record {
        CallRecord::Digits { turn, .. } => Some(*turn),
        _ => None,
    });
    assert_eq!(keys, Some(TurnId(2)));
}

#[test]
fn what_was_said_over_a_yes_or_no_question_answers_it_when_it_is_over() {
    let habits = Habits { expects: crate::turn::Expectation::YesNo, ..Habits::default() };
    // The reply of two sentences is over at about 11,000.
    let mut w = World::new(vec![say(GREETED, 5_000, "Book it."), say(9_600, 9_900, "Yes.")], habits);
    w.run_to(16_000);
    assert_eq!(w.caller_turns(), ["Book it.", "Yes."]);
    assert!(w.clears.is_empty(), "the question is said to its end");
    assert_eq!(answered(&w).last().unwrap().2, "Yes.");
}

#[test]
fn words_over_our_reply_that_nobody_could_make_out_are_asked_for_again() {
    let mut w = World::new(vec![say(GREETED, 5_000, FIRST), say(7_400, 7_800, "")], Habits::default());
    let text = "about the tax".to_owned();
    w.at(7_700, Input::Stt(SttEvent::Interim { utterance: UtteranceId(2), text }));
    w.run_to(15_000);
    let asked = w
        .commands
        .iter()
        .filter(|(_, c)| matches!(c, ReplyCommand::Start { input: TurnInput::Unintelligible, .. }));
    assert_eq!(asked.count(), 1, "{:?}", w.commands);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Whatever is said when, each word of the caller's is answered in one reply that stands.
    #[test]
    fn every_word_is_answered_by_one_reply_that_stands(
        gaps in prop::collection::vec((100u64..2_600, 500u64..1_500), 1..6), reply_ms in 4u64..900,
        synthesis_ms in 20u64..700, complete in 0.0f32..1.0,
    ) {
        const WORDS: [&str; 7] = [
            "alpha bravo please", "charlie delta now", "echo foxtrot thing", "golf hotel matter", "india juliet here",
            "kilo lima there", "mike november too",
        ];
        let mut script = vec![Speech { complete, ..say(GREETED, 4_600, WORDS[0]) }];
        let mut at = 4_600;
        for (n, (gap, length)) in gaps.iter().enumerate() {
            let from = at + gap;
            at = from + length;
            script.push(Speech { complete, ..say(from, at, WORDS[n + 1]) });
        }
        let said = script.len();
        let habits = Habits { reply_ms, synthesis_ms, ..Habits::default() };
        let mut w = World::of(script, habits, quick());
        w.run_to(at + 12_000);
        let back: Vec<_> = taken_back(&w).into_iter().map(|t| t.1).collect();
        let standing: Vec<_> = answered(&w).into_iter().filter(|a| !back.contains(&a.1)).collect();
        for words in &WORDS[..said] {
            let count = standing.iter().filter(|a| a.2.contains(words)).count();
            prop_assert_eq!(count, 1, "{} in {:?}, taken back {:?}", words, standing, back);
        }
    }
}
