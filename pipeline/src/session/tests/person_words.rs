//! What the person who has the call says is written down, and what was said is known to who goes on.

use telephony::media::{AudioFrame, FRAME_BYTES};

use super::world::{World, say};
use super::{GREETED, world};
use crate::event::{EventBody, Ruling};
use crate::ports::{CallRecord, Consented, Noticed, Overheard, ReplyCommand, ReplyEvent, SttEvent};
use crate::provider::Failure;
use crate::session::{Input, Supervisor};
use crate::turn::Speaker;

/// When the caller has been told who speaks.
const TOLD: u64 = 8_000;

fn taken(w: &mut World, to_ms: u64) {
    w.at(GREETED, Input::Supervisor(Supervisor::TakeOver { lease: 1, by: "pat".into() }));
    for at in (GREETED..to_ms).step_by(20) {
        w.at(at, Input::Voice { lease: 1, frame: AudioFrame([0x11; FRAME_BYTES]) });
    }
}

fn gives_back(w: &mut World, at: u64) {
    w.at(at, Input::Supervisor(Supervisor::Release { lease: 1, note: None }));
}

fn overheard(w: &World) -> Vec<(u64, String)> {
    let words = |command: &ReplyCommand| match command {
        ReplyCommand::Overheard(Overheard::Caller { text }) => Some(format!("caller: {text}")),
        ReplyCommand::Overheard(Overheard::Person { by, text }) => Some(format!("{by}: {text}")),
        _ => None,
    };
    w.commands.iter().filter_map(|(at, command)| Some((at.as_ms(), words(command)?))).collect()
}

fn lines(w: &World) -> Vec<String> {
    overheard(w).into_iter().map(|(_, line)| line).collect()
}

#[test]
fn a_persons_words_are_on_the_record_with_their_name_and_reach_the_responder_in_order() {
    let mut w = world(vec![say(11_000, 12_000, "It is about my permit")]);
    w.persons =
        vec![say(TOLD, 9_500, "Hello, this is Pat."), say(13_500, 15_000, "You will have it on Tuesday.")];
    taken(&mut w, 20_000);
    gives_back(&mut w, 20_000);
    w.run_to(24_000);
    let all =
        ["pat: Hello, this is Pat.", "caller: It is about my permit", "pat: You will have it on Tuesday."];
    assert_eq!(lines(&w), all);
    let said: Vec<_> = w
        .records
        .iter()
        .filter_map(|(_, e)| match &e.record {
            CallRecord::PersonSaid { turn, by, text, from_ms, to_ms } => {
                Some((turn.0, by.as_str(), text.as_str(), *from_ms, *to_ms))
            }
            _ => None,
        })
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert_eq!((said[0].0, said[0].1, said[0].2), (0, "pat", "Hello, this is Pat."));
    assert_eq!(said[1].0, 1, "after the caller's turn");
    assert!(said[0].3.abs_diff(TOLD) < 150 && said[0].4.abs_diff(9_500) < 150, "{said:?}");
    let shown = w.events.iter().any(|(_, event)| {
        matches!(event, EventBody::Final { speaker: Speaker::Supervisor, by: Some(by), .. } if by == "pat")
    });
    assert!(shown);
    // A second after they fell silent at most.
    assert!(overheard(&w)[0].0 < 9_500 + 1_000, "{:?}", overheard(&w));
}

#[test]
fn a_pause_within_a_sentence_does_not_cut_it_in_two() {
    let mut w = world(Vec::new());
    w.persons = vec![say(TOLD, 9_000, "The office is open"), say(9_450, 10_500, "from eight to five.")];
    taken(&mut w, 14_000);
    w.run_to(14_000);
    assert_eq!(lines(&w), ["pat: The office is open from eight to five."]);
}

#[test]
fn words_stay_with_whoever_said_them_when_the_call_changes_hands() {
    let mut w = world(Vec::new());
    w.persons =
        vec![say(TOLD, 9_940, "One moment, I'll get my chief."), say(11_500, 13_000, "This is the chief.")];
    taken(&mut w, 10_000);
    w.at(10_000, Input::Supervisor(Supervisor::TakeOver { lease: 2, by: "chief".into() }));
    for at in (10_000..16_000).step_by(20) {
        w.at(at, Input::Voice { lease: 2, frame: AudioFrame([0x11; FRAME_BYTES]) });
    }
    w.run_to(15_900);
    assert_eq!(lines(&w), ["pat: One moment, I'll get my chief.", "chief: This is the chief."]);
}

#[test]
fn last_words_are_kept_whoever_has_the_call_by_then() {
    // Given back at once, hung up at once.
    let mut w = world(Vec::new());
    w.persons = vec![say(TOLD, 9_500, "I'll give you back now.")];
    taken(&mut w, 9_520);
    gives_back(&mut w, 9_540);
    w.run_to(12_000);
    assert_eq!(lines(&w), ["pat: I'll give you back now."]);
    assert!(!w.session.hears_person(), "their recognizer may go");

    let mut w = world(Vec::new());
    w.persons = vec![say(TOLD, 9_500, "Goodbye.")];
    taken(&mut w, 9_900);
    w.at(10_000, Input::CarrierStopped);
    w.run_to(16_000);
    assert!(w.ended.is_some());
    assert_eq!(lines(&w), ["pat: Goodbye."]);
}

#[test]
fn a_secret_that_a_person_asks_for_is_hidden_until_it_is_told() {
    let mut w =
        world(vec![say(10_800, 12_500, "four seven one one"), say(15_000, 16_000, "21 Maple Street")]);
    w.persons = vec![say(TOLD, 9_500, "Can you give me your PIN?")];
    taken(&mut w, 20_000);
    w.run_to(10_700);
    assert!(w.session.hides_caller(), "before they begin to answer");
    w.run_to(14_500);
    assert!(!w.session.hides_caller(), "told");
    w.run_to(18_000);
    assert_eq!(w.caller_turns(), ["\u{27e8}secret\u{27e9}", "21 Maple Street"]);
    let all: Vec<_> = lines(&w);
    assert!(all.iter().all(|line| !line.contains("four seven")), "{all:?}");
    assert!(!w.events.iter().any(|(_, e)| format!("{e:?}").contains("four seven")));
}

#[test]
fn the_wish_not_to_be_recorded_counts_while_a_person_has_the_call() {
    let mut w = world(Vec::new());
    taken(&mut w, 14_000);
    w.at(10_000, Input::Reply(ReplyEvent::Consent(Consented::Withdrawn)));
    let ruling = Ruling {
        turn: crate::turn::TurnId(0),
        rule: "no-legal-advice".into(),
        category: "legal".into(),
        action: "WARN".into(),
        applies_to: "person".into(),
        stopped: None,
    };
    w.at(10_100, Input::Reply(ReplyEvent::Noticed(Noticed::Rule(ruling))));
    w.run_to(12_000);
    assert!(!w.session.may_record());
    assert!(w.events.iter().any(|(_, e)| matches!(e, EventBody::Rule(ruling) if ruling.action == "WARN")));
}

#[test]
fn a_recognizer_that_goes_costs_their_words_and_nothing_else() {
    let mut w = world(vec![say(11_000, 12_000, "It is about my permit")]);
    w.persons = vec![say(TOLD, 9_500, "Hello, this is Pat.")];
    taken(&mut w, 14_000);
    gives_back(&mut w, 14_000);
    w.at(8_500, Input::PersonStt(SttEvent::Lost { failure: Failure::stalled("simulated") }));
    w.run_to(20_000);
    assert_eq!(lines(&w), ["caller: It is about my permit"]);
    assert!(w.ended.is_none());
    let spoke = w.records.iter().any(|(_, e)| matches!(e.record, CallRecord::PersonSpoke { .. }));
    assert!(spoke, "that they spoke is on the record");
}
