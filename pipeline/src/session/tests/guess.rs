//! Replies begun on words that are not final yet.

use super::GREETED;
use super::world::{Habits, World, say};
use crate::ports::{ReplyCommand, SttEvent, TurnInput};
use crate::session::{Input, SessionConfig};
use crate::turn::{TurnId, UtteranceId};

const FINAL: &str = "When is the office open?";

/// A question that ends at 5,000 ms; its last interim comes at 5,050, its final some 500 ms after the last word.
fn heard(interim: &str) -> World {
    let habits = Habits { final_ms: 350, ..Habits::default() };
    let mut w = World::of(vec![say(GREETED, 5_000, FINAL)], habits, SessionConfig::cloud());
    w.at(5_050, Input::Stt(SttEvent::Interim { utterance: UtteranceId(1), text: interim.to_owned() }));
    w.run_to(9_000);
    w
}

/// Replies to words: when they were begun, on what, and whether on a guess.
fn begun(w: &World) -> Vec<(u64, TurnId, String, bool)> {
    let start = |(at, c): &(telephony::media::CallTime, ReplyCommand)| match c {
        ReplyCommand::Start { turn, input: TurnInput::Said { text, .. }, speculative } => {
            Some((at.as_ms(), *turn, text.clone(), *speculative))
        }
        _ => None,
    };
    w.commands.iter().filter_map(start).collect()
}

fn committed(w: &World) -> Vec<TurnId> {
    let commit = |c: &ReplyCommand| match c {
        ReplyCommand::Commit { turn } => Some(*turn),
        _ => None,
    };
    w.commands.iter().filter_map(|(_, c)| commit(c)).collect()
}

#[test]
fn an_interim_that_reads_complete_begins_the_reply_and_the_same_words_as_a_final_commit_it() {
    let w = heard("when is the office open.");
    let begun = begun(&w);
    assert_eq!(begun.len(), 1, "{begun:?}");
    assert!((5_050..5_130).contains(&begun[0].0) && begun[0].3, "{begun:?}");
    assert_eq!(committed(&w), [begun[0].1]);
    assert_eq!(w.caller_turns(), [FINAL]);
}

#[test]
fn a_final_with_other_words_replaces_the_guess_of_which_nothing_is_heard() {
    let w = heard("When is the library open?");
    let begun = begun(&w);
    assert_eq!(begun.iter().map(|b| b.2.as_str()).collect::<Vec<_>>(), ["When is the library open?", FINAL]);
    assert_eq!(committed(&w), [begun[1].1]);
    assert!(w.commands.iter().any(|(_, c)| *c == ReplyCommand::Cancel { turn: begun[0].1 }));
    assert_eq!(w.session.wasted_speculations(), 1);
    assert_eq!(w.caller_turns(), [FINAL]);
}

#[test]
fn words_that_were_not_heard_clearly_are_marked_and_no_guess_counts() {
    let habits = Habits { final_ms: 350, confidence: 0.3, ..Habits::default() };
    let mut w = World::of(vec![say(GREETED, 5_000, FINAL)], habits, SessionConfig::cloud());
    w.at(5_050, Input::Stt(SttEvent::Interim { utterance: UtteranceId(1), text: FINAL.to_owned() }));
    w.run_to(9_000);
    let unsure = |(_, c): &(telephony::media::CallTime, ReplyCommand)| match c {
        ReplyCommand::Start { input: TurnInput::Said { unsure, .. }, .. } => Some(*unsure),
        _ => None,
    };
    assert_eq!(w.commands.iter().filter_map(unsure).collect::<Vec<_>>(), [false, true]);
    assert_eq!(committed(&w), [begun(&w)[1].1]);
    assert_eq!(w.caller_turns(), [FINAL]);
}

#[test]
fn an_interim_without_an_end_waits_for_the_final() {
    for interim in ["When is the", "When is the office open and.", "When is the,"] {
        let begun = begun(&heard(interim));
        assert_eq!(begun.len(), 1, "{interim}");
        assert!(begun[0].0 >= 5_400 && begun[0].2 == FINAL, "{interim}: {begun:?}");
    }
}

#[test]
fn words_while_the_caller_still_speaks_begin_nothing() {
    let habits = Habits { final_ms: 350, ..Habits::default() };
    let mut w = World::of(vec![say(GREETED, 6_000, FINAL)], habits, SessionConfig::cloud());
    w.at(5_000, Input::Stt(SttEvent::Interim { utterance: UtteranceId(1), text: "When is it.".to_owned() }));
    w.run_to(5_900);
    assert_eq!(begun(&w), []);
}

#[test]
fn a_recogniser_that_takes_the_words_for_the_whole_turn_is_believed_while_we_still_hear_sound() {
    let habits = Habits { final_ms: 350, ..Habits::default() };
    let mut w = World::of(vec![say(GREETED, 6_000, FINAL)], habits, SessionConfig::cloud());
    let utterance = UtteranceId(1);
    w.at(5_990, Input::Stt(SttEvent::Interim { utterance, text: FINAL.trim_end_matches('?').to_owned() }));
    w.at(5_991, Input::Stt(SttEvent::MaybeEnd { utterance, probability: 0.5 }));
    w.run_to(9_000);
    let begun = begun(&w);
    assert_eq!(begun.iter().map(|b| b.0).collect::<Vec<_>>(), [5_991]);
    assert_eq!(committed(&w), [begun[0].1]);
}

#[test]
fn a_likely_end_is_taken_back_by_other_words() {
    let habits = Habits { final_ms: 350, ..Habits::default() };
    let mut w = World::of(vec![say(GREETED, 6_000, FINAL)], habits, SessionConfig::cloud());
    let utterance = UtteranceId(1);
    w.at(5_000, Input::Stt(SttEvent::MaybeEnd { utterance, probability: 0.5 }));
    w.at(5_100, Input::Stt(SttEvent::Interim { utterance, text: "When is the office and".to_owned() }));
    w.run_to(5_900);
    // What was begun, if anything, was begun before those words.
    assert!(begun(&w).iter().all(|b| b.0 < 5_100));
    assert_eq!(w.session.regions().caller, crate::session::state::Caller::Speaking);
}
