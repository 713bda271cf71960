//! Conversations in virtual time. Each test is one behaviour of a live call.
#![allow(clippy::unwrap_used)]

mod attention;
mod consent;
mod control;
mod echo;
mod guess;
mod hold;
mod impaired;
mod line;
mod money;
mod notes;
mod person_words;
mod properties;
mod rejoin;
mod secrets;
mod soak;
mod waiting;
mod waterfall;
mod world;

use telephony::media::CallTime;
use world::{Habits, Speech, World, say};

use super::state::{Agent, Leg};
use super::{Input, Port};
use crate::event::EventBody;
use crate::ports::{AfterReply, CallRecord, EndReason, Played, ReplyCommand, TurnInput};
use crate::turn::Expectation;

/// The greeting of the test world is over by then (48 letters, 60 ms each).
const GREETED: u64 = 3_500;

fn world(script: Vec<Speech>) -> World {
    World::new(script, Habits::default())
}

#[test]
fn greeting_leaves_at_once_and_a_question_is_answered_within_the_budget() {
    let mut w = world(vec![say(GREETED, 5_500, "When is the office open?")]);
    w.run_to(8_000);
    assert!(w.frames[0].as_ms() < 100, "greeting at {:?}", w.frames[0]);
    assert_eq!(w.caller_turns(), ["When is the office open?"]);
    let answered = w.first_frame_after(5_400).unwrap();
    assert!(answered - 5_500 < 750, "answered after {} ms", answered - 5_500);
    let latency = w
        .events
        .iter()
        .find_map(|(_, e)| match e {
            EventBody::Latency { latency } => Some(latency.clone()),
            _ => None,
        })
        .unwrap();
    let sum: f64 = latency.stages.iter().map(|s| s.ms).sum::<f64>() + latency.unattributed_ms;
    assert!((sum - latency.total_ms).abs() < 0.01);
    assert!(latency.speculative && latency.judged_complete && !latency.filler);
}

#[test]
fn nothing_of_a_reply_is_spoken_before_its_words_are_durable() {
    let habits = Habits { durable_ms: 400, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 5_500, "When is the office open?")], habits);
    w.run_to(9_000);
    let planned = w
        .records
        .iter()
        .find(|(_, e)| matches!(&e.record, CallRecord::Planned { segment } if segment.id.turn.0 == 1))
        .unwrap()
        .1
        .seq;
    let durable = w.durable.iter().find(|(_, seq)| *seq == planned).unwrap().0;
    let first = w.first_frame_after(5_400).unwrap();
    assert!(first >= durable.as_ms(), "spoken at {first}, durable at {durable:?}");
}

#[test]
fn interruption_clears_and_keeps_only_what_was_heard() {
    let mut w = world(vec![
        say(GREETED, 5_000, "When is the office open?"),
        say(7_300, 9_300, "No I meant the one in the north"),
    ]);
    w.run_to(8_900);
    assert_eq!(w.clears.len(), 1);
    let stop = w.clears[0].as_ms() - 7_300;
    assert!(stop < 700, "cleared {stop} ms after the onset");
    let heard = w
        .commands
        .iter()
        .filter_map(|(_, c)| match c {
            ReplyCommand::Heard(h) if !h.complete => Some(h.clone()),
            _ => None,
        })
        .next_back()
        .unwrap();
    assert!("The office is open from eight to five.".starts_with(&heard.text), "{}", heard.text);
    assert!(!heard.text.is_empty());
    assert!(
        w.first_frame_after(w.clears[0].as_ms() + 1).is_none(),
        "no frame of a cut reply after the clear"
    );
    w.run_to(12_000);
    assert_eq!(w.caller_turns().len(), 2);
    assert!(w.records.iter().any(|(_, e)| matches!(e.record, CallRecord::Interrupted { .. })));
}

#[test]
fn back_channel_ducks_but_never_clears() {
    let mut w = world(vec![say(GREETED, 5_000, "When is the office open?"), say(6_500, 6_900, "Uh-huh.")]);
    w.run_to(6_700);
    assert_eq!(w.session.regions().agent, Agent::Yielding);
    w.run_to(7_500);
    assert_eq!(w.session.regions().agent, Agent::Speaking);
    w.run_to(14_000);
    assert!(w.clears.is_empty());
    assert_eq!(w.caller_turns().len(), 1);
}

#[test]
fn noise_without_words_never_clears_and_its_duck_ends() {
    let mut w = world(vec![say(GREETED, 5_000, "When is the office open?"), say(6_300, 8_000, "")]);
    w.run_to(9_000);
    assert!(w.clears.is_empty());
    assert_eq!(w.session.regions().agent, Agent::Speaking);
}

#[test]
fn false_stop_resumes_from_the_sentence_that_was_cut() {
    let habits = Habits { mute_recogniser: true, ..Habits::default() };
    let mut w =
        World::new(vec![say(GREETED, 5_000, "When is the office open?"), say(7_600, 8_900, "")], habits);
    w.run_to(8_800);
    assert_eq!(w.clears.len(), 1, "a long sound that the recogniser is mute about stops us");
    w.run_to(17_000);
    let resumed = w.first_frame_after(w.clears[0].as_ms() + 1).unwrap();
    assert!(resumed < 10_100, "resumed at {resumed}");
    let whole = w.records.iter().filter(|(_, e)| {
        matches!(&e.record, CallRecord::Played { state: Played::Heard, segment, .. } if segment.turn.0 == 1)
    });
    assert!(whole.count() >= 2, "both sentences are heard in the end");
    assert_eq!(w.caller_turns().len(), 1);
}

#[test]
fn caller_who_goes_on_after_a_pause_has_one_turn_and_one_reply() {
    let mut w = world(vec![
        Speech { complete: 0.1, ..say(GREETED, 4_500, "I would like to know") },
        say(4_950, 6_500, "when the office is open."),
    ]);
    w.run_to(9_000);
    assert_eq!(w.caller_turns(), ["I would like to know when the office is open."]);
    assert_eq!(w.replies_committed(), 2, "greeting and one answer");
    assert_eq!(w.session.wasted_speculations(), 1);
}

#[test]
fn caller_who_goes_on_before_our_first_word_takes_the_turn_back() {
    let habits = Habits { synthesis_ms: 900, ..Habits::default() };
    let mut w = World::new(
        vec![say(4_500, 5_500, "I have a question."), say(5_950, 7_500, "When are you open?")],
        habits,
    );
    w.run_to(10_000);
    let inputs: Vec<_> = w
        .commands
        .iter()
        .filter_map(|(_, c)| match c {
            ReplyCommand::Start { input: TurnInput::Said { text, .. }, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(inputs.last().unwrap(), "I have a question. When are you open?");
    assert!(w.first_frame_after(5_500).unwrap() > 7_500, "we do not talk over the caller");
}

#[test]
fn yes_over_the_end_of_a_question_is_an_answer() {
    let habits = Habits { expects: Expectation::YesNo, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 5_000, "Book it."), say(10_600, 11_000, "Yes.")], habits);
    w.run_to(14_000);
    assert_eq!(w.caller_turns(), ["Book it.", "Yes."]);
}

#[test]
fn slow_reply_is_bridged_by_one_filler() {
    let habits = Habits { reply_ms: 1_600, ..Habits::default() };
    let mut w = World::new(vec![say(6_000, 7_000, "When is the office open?")], habits);
    w.run_to(12_000);
    let filled = w.first_frame_after(7_000).unwrap();
    assert!(filled < 8_300, "filler at {filled}");
    let latency = w.events.iter().find_map(|(_, e)| match e {
        EventBody::Latency { latency } => Some(latency.clone()),
        _ => None,
    });
    assert!(latency.unwrap().filler);
}

#[test]
fn silence_is_asked_about_and_ends_the_call() {
    let mut w = world(Vec::new());
    w.run_to(90_000);
    let asked = w
        .commands
        .iter()
        .filter(|(_, c)| matches!(c, ReplyCommand::Start { input: TurnInput::Silence { .. }, .. }))
        .count();
    assert_eq!(asked, 3);
    assert_eq!(w.ended.unwrap().1, EndReason::NoInput);
    assert!(w.closed);
}

#[test]
fn first_no_input_prompt_counts_from_the_heard_end_of_the_greeting() {
    let mut w = world(Vec::new());
    w.run_to(14_000);
    let prompt = w
        .commands
        .iter()
        .find(|(_, c)| matches!(c, ReplyCommand::Start { input: TurnInput::Silence { times: 1 }, .. }))
        .unwrap()
        .0;
    let heard =
        w.events.iter().find_map(|(at, e)| matches!(e, EventBody::ReplyHeard { .. }).then_some(*at)).unwrap();
    assert_eq!(
        prompt.since(heard).as_millis() / 100,
        80,
        "asked {:?} after the end was heard",
        prompt.since(heard)
    );
}

#[test]
fn last_words_of_a_caller_who_hangs_up_are_kept_and_acted_on() {
    let mut w = world(vec![say(GREETED, 6_000, "The tree fell on Oak Street and")]);
    w.at(5_000, Input::CarrierStopped);
    w.run_to(9_000);
    assert_eq!(w.caller_turns(), ["The tree fell on Oak Street and"]);
    assert!(w.replies_committed() == 2, "the responder got the last words");
    let (_, reason) = w.ended.unwrap();
    assert_eq!(reason, EndReason::CallerHungUp);
    let last = &w.records.last().unwrap().1.record;
    assert_eq!(*last, CallRecord::Ended { reason: EndReason::CallerHungUp });
}

#[test]
fn goodbye_ends_the_call_when_it_was_heard() {
    let habits = Habits { then: AfterReply::HangUp, ..Habits::default() };
    let mut w = World::new(Vec::new(), habits);
    w.run_to(6_000);
    let (at, reason) = w.ended.unwrap();
    assert_eq!(reason, EndReason::AgentHungUp);
    assert!(at.as_ms() >= 48 * 60, "not before the greeting was heard: {at:?}");
    assert!(w.closed);
}

#[test]
fn a_record_that_can_not_be_written_ends_the_call_with_an_apology_and_no_answer() {
    let habits = Habits { log_fails: true, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 5_500, "Book an inspection.")], habits);
    w.run_to(40_000);
    assert_eq!(w.ended.unwrap().1, EndReason::Failed);
    assert!(w.caller_turns().is_empty() || w.closed);
}

#[test]
fn lost_recogniser_is_apologised_for_and_the_call_ends() {
    let mut w = world(Vec::new());
    w.at(5_000, Input::PortLost(Port::Stt));
    w.run_to(40_000);
    assert!(w.first_frame_after(5_000).is_some(), "the apology is spoken");
    assert_eq!(w.ended.unwrap().1, EndReason::Failed);
}

#[test]
fn key_interrupts_and_is_an_input() {
    let mut w = world(Vec::new());
    w.at(1_000, Input::Digit('0'));
    w.run_to(3_000);
    assert_eq!(w.clears, [CallTime::from_ms(1_000)]);
    let digits = w
        .commands
        .iter()
        .any(|(_, c)| matches!(c, ReplyCommand::Start { input: TurnInput::Digits { digits }, .. } if digits == "0"));
    assert!(digits);
}

/// What the keys that were pressed, each at its time, came to.
fn keyed(pressed: &[(u64, char)]) -> Vec<String> {
    let mut w = world(Vec::new());
    for &(at, key) in pressed {
        w.at(at, Input::Digit(key));
    }
    w.run_to(20_000);
    let of = |command: &ReplyCommand| match command {
        ReplyCommand::Start { input: TurnInput::Digits { digits }, .. } => Some(digits.clone()),
        _ => None,
    };
    w.commands.iter().filter_map(|(_, command)| of(command)).collect()
}

#[test]
fn call_for_help_is_one_entry() {
    assert_eq!(keyed(&[(8_000, '9'), (8_400, '1'), (8_800, '1')]), ["911"]);
    assert_eq!(keyed(&[(8_000, '9'), (12_000, '1')]), ["9", "1"], "what is meant by itself is an answer");
    assert_eq!(keyed(&[(8_000, '9'), (8_400, '5'), (8_800, '1')]), ["95", "1"]);
}

#[test]
fn pound_passes_over_unless_it_ends_an_entry() {
    assert_eq!(keyed(&[(8_000, '#')]), ["#"]);
    assert_eq!(keyed(&[(8_000, '1'), (9_500, '#')]), ["1"]);
    assert_eq!(keyed(&[(8_000, '1'), (11_000, '#')]), ["1", "#"]);
    assert_eq!(keyed(&[(8_000, '#'), (9_000, '#')]), ["#", "#"]);
}

#[test]
fn ended_session_takes_anything_and_says_nothing() {
    let mut w = world(Vec::new());
    w.at(500, Input::CarrierLost);
    w.run_to(5_000);
    assert_eq!(w.ended.unwrap().1, EndReason::StreamLost);
    assert_eq!(w.session.regions().leg, Leg::Ended);
    assert!(matches!(w.session.poll_output(), super::Output::Wait(_)));
    w.session.handle_input(CallTime::from_ms(6_000), Input::Vad(0.9));
    assert!(matches!(w.session.poll_output(), super::Output::Wait(_)));
}

#[test]
fn words_over_a_notice_are_kept_and_answered_when_it_is_over() {
    let habits = Habits { notice: true, ..Habits::default() };
    let mut w = World::new(vec![say(1_000, 2_000, "When are you open?")], habits);
    w.run_to(8_000);
    assert!(w.clears.is_empty(), "a notice is not interrupted");
    assert_eq!(w.caller_turns(), ["When are you open?"]);
    let asked = w.commands.iter().find(|(_, c)| {
        matches!(c, ReplyCommand::Start { input: TurnInput::Said { text, .. }, .. } if text == "When are you open?")
    });
    assert!(asked.unwrap().0.as_ms() >= 48 * 60);
}

#[test]
fn emergency_interrupts_even_a_notice() {
    let habits = Habits { notice: true, ..Habits::default() };
    let mut w = World::new(vec![say(1_000, 2_400, "Help there is a fire in my kitchen")], habits);
    w.run_to(3_000);
    assert_eq!(w.clears.len(), 1);
}

#[test]
fn a_caller_who_speaks_at_once_does_not_lose_the_greeting() {
    let habits = Habits { synthesis_ms: 600, ..Habits::default() };
    let mut w = World::new(vec![say(40, 1_500, "Hello?")], habits);
    w.run_to(1_400);
    assert!(
        w.frames[0].as_ms() < 700,
        "the greeting begins although the caller speaks: {:?}",
        w.frames.first()
    );
}
