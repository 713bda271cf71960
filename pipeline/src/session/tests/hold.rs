//! A caller who waits with us while a person is called.

use super::GREETED;
use super::world::{Habits, Speech, World, say};
use crate::event::{ControlReason, EventBody};
use crate::ports::{AfterReply, CallRecord, NotTaken, Question, ReplyCommand, Returned, TurnInput};
use crate::session::state::{Agent, Control};
use crate::session::{Input, Phrases, Supervisor};

/// A caller who was greeted, and is held after our next reply.
fn world_that_holds(more: Vec<Speech>) -> World {
    let asks = say(GREETED, 5_000, "Yes, put me through.");
    let mut w = World::new([asks].into_iter().chain(more).collect(), Habits::default());
    w.run_to(GREETED);
    w.habits.then = AfterReply::Hold;
    w
}

fn nobody() -> Returned {
    Returned { target: "the clerk's office".into(), why: NotTaken::NoAnswer }
}

fn reasons(w: &World) -> Vec<ControlReason> {
    let of = |event: &EventBody| match event {
        EventBody::Control { reason, .. } => Some(*reason),
        _ => None,
    };
    w.events.iter().filter_map(|(_, event)| of(event)).collect()
}

fn said_between(w: &World, from_ms: u64, to_ms: u64) -> Vec<String> {
    let within = |at: u64| from_ms <= at && at < to_ms;
    w.spoken.iter().filter(|(at, _)| within(at.as_ms())).map(|(_, said)| said.text.clone()).collect()
}

#[test]
fn nobody_listens_to_a_caller_who_is_held_and_they_hear_every_20_s_that_it_goes_on() {
    let mut w = world_that_holds(vec![say(30_000, 32_000, "I am talking to somebody else.")]);
    w.run_to(20_000);
    assert_eq!(w.session.regions().control, Control::Held);
    assert_eq!(reasons(&w), [ControlReason::Held]);
    let held = 20_000;
    w.run_to(70_000);
    assert_eq!(w.recognised_since(held), 0, "no sound reaches the recogniser");
    let words = Phrases::default().still_calling;
    let told = said_between(&w, held, 70_000);
    assert!((2..=3).contains(&told.len()) && told.iter().all(|said| *said == words), "{told:?}");
    assert_eq!(w.caller_turns(), ["Yes, put me through."]);

    w.habits.then = AfterReply::Listen;
    w.at(70_000, Input::Supervisor(Supervisor::ComeBack(nobody())));
    w.run_to(70_100);
    let begun = |command: &ReplyCommand| matches!(command, ReplyCommand::Start { input: TurnInput::Returned(returned), .. } if *returned == nobody());
    assert!(w.commands.iter().any(|(_, command)| begun(command)), "the agent learns how it ended");
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
    assert!(w.session.regions().control == Control::Agent && w.session.regions().agent != Agent::Idle);
    assert!(w.recognised_since(70_000) > 0, "and the caller is heard again");
}

#[test]
fn a_soft_sound_says_that_the_line_is_not_dead() {
    let mut w = world_that_holds(Vec::new());
    w.run_to(20_000);
    let (held, every) = (w.now.as_ms(), 5_000);
    w.run_to(held + 13_000);
    let sounds: Vec<u64> = w.frames.iter().map(|at| at.as_ms()).filter(|at| *at > held).collect();
    let begins = |pair: &&[u64]| pair[1] - pair[0] > 1_000;
    let gaps: Vec<u64> = sounds.windows(2).filter(begins).map(|pair| pair[1] - pair[0]).collect();
    assert!(!gaps.is_empty() && gaps.iter().all(|gap| (every - 1_000..=every).contains(gap)), "{gaps:?}");
    let none =
        w.records.iter().any(|(at, e)| at.as_ms() > held && matches!(e.record, CallRecord::Played { .. }));
    assert!(!none, "it is no word of ours");
    w.habits.then = AfterReply::Listen;
    w.at(held + 13_000, Input::Supervisor(Supervisor::ComeBack(nobody())));
    w.run_to(held + 40_000);
    assert_eq!(w.session.regions().control, Control::Agent);
}

#[test]
fn where_nobody_says_how_it_ended_the_agent_goes_on_by_itself() {
    let mut w = world_that_holds(Vec::new());
    w.run_to(162_000);
    assert!(said_between(&w, 140_000, 162_000).contains(&Phrases::default().agent_is_back));
    // What comes too late changes nothing.
    let before = w.session.stale();
    w.at(162_000, Input::Supervisor(Supervisor::ComeBack(nobody())));
    w.run_to(162_020);
    assert_eq!(w.session.stale(), before + 1);
}

fn questions(w: &World) -> Vec<(Option<u32>, Option<Option<String>>)> {
    let of = |event: &EventBody| match event {
        EventBody::QuestionAsked { question_id, .. } => Some((Some(*question_id), None)),
        EventBody::QuestionClosed { by, .. } => Some((None, Some(by.clone()))),
        _ => None,
    };
    w.events.iter().filter_map(|(_, event)| of(event)).collect()
}

/// A caller whose question is put to people of the office after our next reply.
fn world_that_asks() -> World {
    let asks = say(GREETED, 5_000, "Is the pool heated?");
    let mut w = World::new(vec![asks], Habits::default());
    w.run_to(GREETED);
    w.habits.then = AfterReply::Ask;
    w.habits.question = Some(Question { text: "Is the pool heated?".into(), within_s: 60 });
    w.run_to(20_000);
    w.habits.then = AfterReply::Listen;
    w.habits.question = None;
    w
}

fn begins(w: &World, wanted: &TurnInput) -> bool {
    w.commands.iter().any(|(_, c)| matches!(c, ReplyCommand::Start { input, .. } if input == wanted))
}

#[test]
fn what_the_office_answers_reaches_the_agent_while_the_caller_waits() {
    let mut w = world_that_asks();
    assert_eq!((questions(&w), w.session.regions().control), (vec![(Some(1), None)], Control::Held));
    let answer = |question, text: &str| {
        Input::Supervisor(Supervisor::Answer { by: "pat".into(), question, text: text.into() })
    };
    w.run_to(40_000);
    assert!(said_between(&w, 20_000, 40_000).contains(&Phrases::default().still_asking));
    w.at(40_000, answer(7, "To another question."));
    w.at(40_020, answer(1, "Yes, to 80 degrees."));
    w.run_to(40_100);
    assert!(begins(&w, &TurnInput::Answered { text: "Yes, to 80 degrees.".into() }));
    assert!(!begins(&w, &TurnInput::Answered { text: "To another question.".into() }));
    assert_eq!(questions(&w)[1..], [(None, Some(Some("pat".to_owned())))]);
    let kept = |until: &str| {
        w.records
            .iter()
            .any(|(_, e)| matches!(&e.record, CallRecord::Whispered { until: u, .. } if u == until))
    };
    assert!(kept("asked") && kept("answered"));
    let stale = w.session.stale();
    w.at(40_200, answer(1, "Once more."));
    w.run_to(40_240);
    assert_eq!(w.session.stale(), stale + 1, "an answer counts once");
}

#[test]
fn a_question_that_nobody_answers_in_time_is_given_up() {
    let mut w = world_that_asks();
    w.run_to(90_000);
    assert!(begins(&w, &TurnInput::Unanswered));
    assert_eq!(questions(&w)[1..], [(None, Some(None))]);
}

/// The caller has heard, for the first time, that it goes on and how to be called back.
fn world_that_offers() -> World {
    let mut w = world_that_asks();
    let words = Phrases::default().still_asking;
    while !w.spoken.iter().any(|(_, said)| said.text == words) || w.session.regions().agent != Agent::Idle {
        let next = w.now.as_ms() + 100;
        assert!(next < 60_000, "the words come");
        w.run_to(next);
    }
    w
}

#[test]
fn the_words_of_the_wait_offer_a_callback_and_the_caller_is_heard_after_them() {
    for phrases in [Phrases::default(), Phrases::spanish()] {
        let words = phrases.still_asking;
        assert!(words.contains("press one") || words.contains("oprima uno"), "{words}");
        assert!(words.split('.').all(|sentence| sentence.split_whitespace().count() <= 20), "{words}");
    }
    let mut w = world_that_offers();
    assert_eq!(w.session.regions().control, Control::Agent);
    let (from, wish) = (w.now.as_ms() + 1_000, "Just call me back.");
    w.speaks(say(from, from + 1_200, wish));
    w.run_to(from + 9_000);
    assert_eq!(w.caller_turns().last(), Some(&wish.to_owned()));
    assert!(begins(&w, &TurnInput::said(wish)));
    // The responder took it for what it was: nobody is asked any more, and nobody's silence is called lateness.
    assert_eq!(questions(&w)[1..], [(None, Some(None))]);
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
    w.run_to(110_000);
    assert!(!begins(&w, &TurnInput::Unanswered));
}

#[test]
fn a_key_ends_the_wait_for_an_answer_also_while_nobody_listens() {
    let mut w = world_that_asks();
    assert_eq!(w.session.regions().control, Control::Held);
    let pressed = w.now.as_ms() + 1_000;
    w.at(pressed, Input::Digit('1'));
    w.run_to(pressed + 15_000);
    assert!(begins(&w, &TurnInput::Digits { digits: "1".into() }));
    assert_eq!(questions(&w)[1..], [(None, Some(None))]);
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
}

#[test]
fn who_says_that_they_wait_goes_on_waiting_and_hears_the_answer() {
    let mut w = world_that_offers();
    w.habits.then = AfterReply::Ask;
    let from = w.now.as_ms() + 1_000;
    w.speaks(say(from, from + 1_000, "Okay, I'll wait."));
    w.run_to(from + 14_000);
    assert_eq!(w.caller_turns().last().map(String::as_str), Some("Okay, I'll wait."));
    assert_eq!(
        (questions(&w).len(), w.session.regions().control),
        (1, Control::Held),
        "nothing was given up"
    );
    w.habits.then = AfterReply::Listen;
    let answer = Supervisor::Answer { by: "pat".into(), question: 1, text: "Yes.".into() };
    let at = w.now.as_ms() + 20;
    w.at(at, Input::Supervisor(answer));
    w.run_to(at + 100);
    assert!(begins(&w, &TurnInput::Answered { text: "Yes.".into() }));
}

#[test]
fn an_answer_that_comes_while_the_caller_speaks_is_told_after_their_words() {
    let mut w = world_that_offers();
    let from = w.now.as_ms() + 500;
    w.speaks(say(from, from + 2_000, "Call me back about it, would you?"));
    let answer = |text: &str| {
        Input::Supervisor(Supervisor::Answer { by: "pat".into(), question: 1, text: text.into() })
    };
    w.at(from + 1_000, answer("Yes."));
    w.at(from + 1_200, answer("No."));
    let stale = w.session.stale();
    w.run_to(from + 1_500);
    assert!(!begins(&w, &TurnInput::Answered { text: "Yes.".into() }), "they are heard out");
    assert_eq!(questions(&w)[1..], [(None, Some(Some("pat".to_owned())))], "it is closed at once");
    assert_eq!(w.session.stale(), stale + 1, "an answer counts once");
    w.run_to(from + 20_000);
    assert!(begins(&w, &TurnInput::Answered { text: "Yes.".into() }), "and is told all the same");
    assert_eq!(questions(&w).len(), 2);
}
