//! The agent takes notes of a talk between the caller and a person at their own telephone, and says nothing.

use telephony::media::{AudioFrame, FRAME_BYTES};

use super::world::{Habits, Speech, World, quick, say};
use crate::event::{AttentionLevel, AttentionReason, EventBody};
use crate::ports::{
    CallRecord, EndReason, NotesState, Noticed, Overheard, ReplyCommand, ReplyEvent, SttEvent,
};
use crate::provider::Failure;
use crate::session::{Input, Port, SessionConfig, Supervisor};
use crate::turn::Speaker;

const CLERK: &str = "the clerk's office";

/// A talk whose sound comes until then.
fn talk(caller: Vec<Speech>, clerk: Vec<Speech>, to_ms: u64) -> World {
    let config = SessionConfig { notes_with: Some(CLERK.to_owned()), ..quick() };
    let mut w = World::of(caller, Habits::default(), config);
    w.persons = clerk;
    for at in (20..to_ms).step_by(20) {
        w.at(at, Input::Heard(AudioFrame([0x11; FRAME_BYTES])));
    }
    w
}

/// What is on the record, in order.
fn written(w: &World) -> Vec<String> {
    let line = |record: &CallRecord| match record {
        CallRecord::CallerTurn { text, .. } => Some(format!("caller: {text}")),
        CallRecord::PersonSaid { by, text, .. } => Some(format!("{by}: {text}")),
        CallRecord::Notes { state, with, .. } => {
            assert_eq!(with, CLERK);
            Some(format!("({})", state.name()))
        }
        CallRecord::Ended { reason } => Some(format!("{reason:?}")),
        _ => None,
    };
    w.records.iter().filter_map(|(_, entry)| line(&entry.record)).collect()
}

/// Neither is anything said, nor is the responder asked for an answer.
fn is_silent(w: &World) -> bool {
    let asked = w.commands.iter().any(|(_, command)| matches!(command, ReplyCommand::Start { .. }));
    w.frames.is_empty()
        && w.spoken.is_empty()
        && !asked
        && !w.session.may_be_heard()
        && !w.session.may_record()
}

#[test]
fn both_sides_are_written_down_and_nothing_is_said() {
    let mut w = talk(
        vec![say(4_000, 6_000, "I need a copy of my permit")],
        vec![
            say(1_000, 3_000, "Clerk's office, how can I help?"),
            say(8_000, 9_500, "You will have it on Tuesday."),
        ],
        14_000,
    );
    w.run_to(12_000);
    assert!(is_silent(&w) && w.ended.is_none());
    w.at(12_500, Input::CarrierStopped);
    w.run_to(20_000);
    let all = [
        "(began)",
        "the clerk's office: Clerk's office, how can I help?",
        "caller: I need a copy of my permit",
        "the clerk's office: You will have it on Tuesday.",
        "(ended)",
        "Transferred",
    ];
    assert_eq!(written(&w), all);
    let heard: Vec<_> = w
        .commands
        .iter()
        .filter_map(|(_, command)| match command {
            ReplyCommand::Overheard(Overheard::Caller { text } | Overheard::Person { text, .. }) => {
                Some(text)
            }
            _ => None,
        })
        .collect();
    assert_eq!(heard.len(), 3, "the responder knows of it: {heard:?}");
    let shown = |speaker| {
        w.events
            .iter()
            .filter(|(_, e)| matches!(e, EventBody::Final { speaker: s, .. } if *s == speaker))
            .count()
    };
    assert_eq!((shown(Speaker::Supervisor), shown(Speaker::Caller), shown(Speaker::Agent)), (2, 1, 0));
    assert_eq!(w.ended.map(|(_, reason)| reason), Some(EndReason::Transferred));
}

#[test]
fn what_either_said_last_is_still_written_down() {
    for (caller, clerk, last) in [
        (vec![say(2_000, 4_000, "Thank you, goodbye")], Vec::new(), "caller: Thank you, goodbye"),
        (Vec::new(), vec![say(2_000, 4_000, "Goodbye now.")], "the clerk's office: Goodbye now."),
    ] {
        for end in [Input::CarrierStopped, Input::Supervisor(Supervisor::HangUp(EndReason::CallerHungUp))] {
            let mut w = talk(caller.clone(), clerk.clone(), 4_010);
            w.at(4_020, end);
            w.run_to(9_000);
            assert_eq!(written(&w), ["(began)", last, "(ended)", "Transferred"]);
        }
    }
}

#[test]
fn nothing_is_written_down_after_one_of_them_wants_no_notes() {
    let more = vec![say(8_000, 10_000, "My number is five five five")];
    let clerk = vec![say(5_000, 12_000, "Of course, and then there is another thing")];
    for (stops, state) in [
        (Input::Reply(ReplyEvent::Noticed(Noticed::NoNotes)), "(withdrawn)"),
        (Input::Digit('2'), "(withdrawn)"),
        (Input::PortLost(Port::Stt), "(lost)"),
        (Input::PersonStt(SttEvent::Lost { failure: Failure::stalled("simulated") }), "(lost)"),
    ] {
        let mut script = vec![say(1_000, 3_000, "I don't want any notes")];
        script.extend(more.clone());
        let mut w = talk(script, clerk.clone(), 12_000);
        w.at(6_000, stops);
        w.run_to(15_000);
        assert_eq!(written(&w), ["(began)", "caller: I don't want any notes", state, "Transferred"]);
        let (at, _) = w.ended.unwrap();
        assert!(at.as_ms() < 6_100 && w.closed, "the stream is closed at once: {at:?}");
    }
    // Any other key is somebody else's business, and so is what the console could ask of a call.
    let mut w = talk(vec![say(1_000, 3_000, "I need my permit")], Vec::new(), 6_000);
    w.at(3_500, Input::Digit('5'));
    w.at(3_600, Input::Supervisor(Supervisor::TakeOver { lease: 7, by: "pat".into() }));
    w.at(3_700, Input::Supervisor(Supervisor::Say { by: "pat".into(), text: "Hello.".into() }));
    w.at(3_800, Input::PortLost(Port::Tts));
    w.run_to(6_000);
    assert!(is_silent(&w) && w.ended.is_none());
    assert_eq!(written(&w), ["(began)", "caller: I need my permit"]);
}

#[test]
fn danger_makes_the_call_urgent_and_a_pin_is_masked() {
    let mut w = talk(
        vec![say(5_000, 7_000, "four seven one one")],
        vec![say(1_000, 3_000, "Can you give me your PIN?")],
        10_000,
    );
    w.at(8_500, Input::Reply(ReplyEvent::Noticed(Noticed::Attention(AttentionReason::Emergency))));
    w.run_to(10_000);
    assert_eq!(written(&w).last().map(String::as_str), Some("caller: ⟨secret⟩"));
    assert!(!w.events.iter().any(|(_, event)| format!("{event:?}").contains("four seven")));
    let urgent = w.records.iter().any(|(_, entry)| {
        matches!(&entry.record, CallRecord::Attention { level: AttentionLevel::Urgent, .. })
    });
    assert!(urgent && is_silent(&w));
    assert_eq!(w.session.turn().0, 1);
}

#[test]
fn a_stream_that_breaks_and_a_record_that_fails_end_the_notes_and_not_the_call() {
    let mut w = talk(vec![say(1_000, 3_000, "I need my permit")], Vec::new(), 6_000);
    w.at(5_000, Input::CarrierLost);
    w.run_to(9_000);
    assert_eq!(written(&w), ["(began)", "caller: I need my permit", "(lost)", "Transferred"]);
    let config = SessionConfig { notes_with: Some(CLERK.to_owned()), ..quick() };
    let habits = Habits { log_fails: true, ..Habits::default() };
    let mut w = World::of(vec![say(1_000, 3_000, "I need my permit")], habits, config);
    w.run_to(9_000);
    assert_eq!(w.ended.map(|(_, reason)| reason), Some(EndReason::Transferred));
    assert!(is_silent(&w), "nobody apologises to people who talk with each other");
}

#[test]
fn the_longest_talk_has_an_end_in_the_notes() {
    let config = SessionConfig {
        notes_with: Some(CLERK.to_owned()),
        longest_call: std::time::Duration::from_secs(5),
        ..quick()
    };
    let mut w = World::of(Vec::new(), Habits::default(), config);
    w.run_to(9_000);
    assert_eq!(written(&w), ["(began)", "(ended)", "Transferred"]);
    assert!(w.events.iter().any(|(_, e)| matches!(e, EventBody::Notes { state: NotesState::Ended, .. })));
}
