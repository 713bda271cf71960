//! A person of the office takes the call, speaks, and gives it back.

use telephony::media::{AudioFrame, FRAME_BYTES};

use super::world::{Habits, World, say};
use super::{GREETED, world};
use crate::event::{ControlReason, EventBody, Holder};
use crate::ports::{AfterReply, CallRecord, EndReason, ReplyCommand, StaffWord, TurnInput};
use crate::session::state::{Agent, Control};
use crate::session::{Input, Phrases, Supervisor};

/// What a person sounds like; the agent is 0x20.
const PERSON: u8 = 0x11;
const AGENT: u8 = 0x20;

fn take(lease: u32, by: &str) -> Input {
    Input::Supervisor(Supervisor::TakeOver { lease, by: by.into() })
}

fn give(lease: u32, note: Option<&str>) -> Input {
    Input::Supervisor(Supervisor::Release { lease, note: note.map(str::to_owned) })
}

fn speak(w: &mut World, lease: u32, from_ms: u64, to_ms: u64) {
    for at in (from_ms..to_ms).step_by(20) {
        w.at(at, Input::Voice { lease, frame: AudioFrame([PERSON; FRAME_BYTES]) });
    }
}

fn spoken_after(w: &World, ms: u64) -> Vec<String> {
    w.spoken.iter().filter(|(at, _)| at.as_ms() >= ms).map(|(_, s)| s.text.clone()).collect()
}

fn hands(w: &World) -> Vec<(ControlReason, String)> {
    let change = |e: &EventBody| match e {
        EventBody::Control { reason, by, .. } => Some((*reason, by.clone())),
        _ => None,
    };
    w.events.iter().filter_map(|(_, e)| change(e)).collect()
}

/// When the agent was to speak first after a person.
fn given_back(w: &World) -> Option<u64> {
    let back = |c: &ReplyCommand| matches!(c, ReplyCommand::Start { input: TurnInput::GivenBack, .. });
    w.commands.iter().find(|(_, c)| back(c)).map(|(at, _)| at.as_ms())
}

fn sounds(w: &World, code: u8, from_ms: u64, to_ms: u64) -> usize {
    let within = |at: u64| from_ms <= at && at < to_ms;
    w.sounds.iter().filter(|(at, sound)| *sound == code && within(at.as_ms())).count()
}

fn starts_after(w: &World, from_ms: u64, to_ms: u64) -> usize {
    let begins = |c: &ReplyCommand| matches!(c, ReplyCommand::Start { .. } | ReplyCommand::Commit { .. });
    let within = |at: u64| from_ms <= at && at < to_ms;
    w.commands.iter().filter(|(at, c)| within(at.as_ms()) && begins(c)).count()
}

#[test]
fn a_person_takes_the_call_in_mid_sentence_speaks_and_gives_it_back_with_a_note() {
    let habits = Habits { letter_ms: 40, ..Habits::default() };
    let question = say(GREETED, 5_000, "When is the office open?");
    let mut w = World::new(vec![question, say(11_000, 12_000, "Thank you, that helps")], habits);
    let took = 6_500;
    w.at(took, take(1, "pat"));
    speak(&mut w, 1, took, 20_000);
    w.at(20_000, give(1, Some("They were promised a copy by mail.")));
    w.run_to(18_000);
    assert_eq!(w.session.regions().control, Control::Supervisor);
    assert!(w.clears.iter().any(|at| at.as_ms() == took), "the agent stops at once: {:?}", w.clears);
    assert_eq!(spoken_after(&w, took), [Phrases::default().person_speaks], "and says who speaks, no more");
    let told = w.session.play_out().pending_ms();
    assert!(told <= 300, "what the person says lies {told} ms behind");
    // 50 frames a second from the end of the announcement on.
    assert!(sounds(&w, PERSON, 10_000, 18_000) >= 395, "{}", sounds(&w, PERSON, 10_000, 18_000));
    assert_eq!(sounds(&w, AGENT, 10_000, 18_000), 0);
    assert_eq!(starts_after(&w, took, 18_000), 0);
    assert_eq!(w.caller_turns(), ["When is the office open?", "Thank you, that helps"]);

    w.run_to(24_000);
    assert_eq!(given_back(&w), Some(20_000), "the agent speaks first");
    assert!(!spoken_after(&w, 20_000).is_empty());
    let fact = ReplyCommand::Told(StaffWord::Fact("They were promised a copy by mail.".into()));
    let told = w.commands.iter().position(|(_, c)| *c == fact).expect("the note reaches the responder");
    let begins = |c: &ReplyCommand| matches!(c, ReplyCommand::Start { input: TurnInput::GivenBack, .. });
    assert!(w.commands[told..].iter().any(|(_, c)| begins(c)), "before it goes on");
    let (taken, speaking, released) =
        (ControlReason::TakenOver, ControlReason::Speaking, ControlReason::Released);
    let pat = || "pat".to_owned();
    assert_eq!(hands(&w), [(taken, pat()), (speaking, pat()), (released, pat())]);
    let spoke = w.records.iter().find_map(|(_, e)| match &e.record {
        CallRecord::PersonSpoke { by, from_ms, to_ms, .. } => Some((by.clone(), *from_ms, *to_ms)),
        _ => None,
    });
    let (by, from_ms, to_ms) = spoke.expect("that a person spoke is on the record");
    assert!(by == "pat" && from_ms < 10_000 && (19_900..21_000).contains(&to_ms), "{from_ms}-{to_ms}");
    w.run_to(40_000);
    assert!(
        spoken_after(&w, 30_000).contains(&"Are you still there?".to_owned()),
        "the idle clock runs again"
    );
}

#[test]
fn no_silence_prompt_and_no_filler_comes_while_a_person_has_the_call() {
    let mut w = world(vec![say(8_000, 9_000, "Let me see"), say(30_000, 31_000, "Are you there?")]);
    w.at(GREETED, take(1, "pat"));
    speak(&mut w, 1, GREETED, 60_000);
    w.run_to(60_000);
    assert_eq!(spoken_after(&w, GREETED).len(), 1, "{:?}", spoken_after(&w, GREETED));
    assert_eq!(w.session.regions().agent, Agent::Idle);
}

#[test]
fn a_dead_browser_is_made_up_for_within_two_seconds_and_after_five_the_agent_goes_on() {
    let mut w = world(vec![say(16_000, 17_000, "When is the office open?")]);
    w.at(GREETED, take(1, "pat"));
    speak(&mut w, 1, GREETED, 10_000);
    w.run_to(12_000);
    let moment = Phrases::default().filler;
    assert_eq!(spoken_after(&w, 10_000), [moment], "within two seconds");
    w.run_to(14_900);
    assert_eq!(spoken_after(&w, 12_000), [""; 0]);
    w.run_to(15_200);
    assert!(given_back(&w).is_some_and(|at| (14_900..=15_200).contains(&at)), "{:?}", given_back(&w));
    assert_eq!(hands(&w).last().unwrap().0, ControlReason::Lost);
    w.run_to(30_000);
    assert!(starts_after(&w, 15_200, 30_000) > 0, "and answers");

    // Nobody ever came to the microphone.
    let mut w = world(Vec::new());
    w.at(GREETED, take(1, "pat"));
    w.run_to(20_000);
    assert_eq!(hands(&w).last().unwrap().0, ControlReason::Lost);
}

#[test]
fn a_person_who_comes_back_in_time_keeps_the_call() {
    let mut w = world(Vec::new());
    w.at(GREETED, take(1, "pat"));
    speak(&mut w, 1, GREETED, 10_000);
    speak(&mut w, 1, 12_500, 25_000);
    w.run_to(24_000);
    assert_eq!(w.session.regions().control, Control::Supervisor);
    assert!(sounds(&w, PERSON, 14_500, 24_000) > 450);
}

#[test]
fn after_a_stall_of_their_network_the_talk_catches_up_in_the_next_pause() {
    let mut w = world(Vec::new());
    w.at(GREETED, take(1, "pat"));
    speak(&mut w, 1, GREETED, 9_000);
    // Nothing for half a second, then all of it at once, and speech that goes on.
    for _ in 0..25 {
        w.at(9_480, Input::Voice { lease: 1, frame: AudioFrame([PERSON; FRAME_BYTES]) });
    }
    speak(&mut w, 1, 9_500, 10_500);
    w.run_to(10_490);
    let late = w.session.play_out().pending_ms();
    assert!((60..=320).contains(&late), "{late} ms");
    for at in (10_500..11_000).step_by(20) {
        w.at(at, Input::Voice { lease: 1, frame: AudioFrame::SILENCE });
    }
    w.run_to(11_000);
    assert!(w.session.play_out().pending_ms() <= 60, "{} ms", w.session.play_out().pending_ms());
}

#[test]
fn one_person_at_a_time_and_who_lost_the_call_is_heard_no_more() {
    let mut w = world(Vec::new());
    w.at(GREETED, take(1, "pat"));
    speak(&mut w, 1, GREETED, 20_000);
    w.at(12_000, take(2, "chief"));
    w.at(13_000, give(1, None));
    w.run_to(13_400);
    // The last of the first person's words are played to their end.
    assert_eq!(sounds(&w, PERSON, 12_400, 13_400), 0, "the second has not spoken yet");
    assert_eq!(w.session.regions().control, Control::Supervisor, "the first gives nothing back");
    speak(&mut w, 2, 13_500, 20_000);
    w.run_to(19_000);
    assert!(sounds(&w, PERSON, 15_500, 19_000) > 160);
    let names: Vec<_> = hands(&w).into_iter().map(|(_, by)| by).collect();
    assert_eq!(names, ["pat", "pat", "chief", "chief"]);
}

#[test]
fn the_call_can_end_in_each_state_and_the_record_says_who_had_it() {
    // Being told, speaking, missed, back.
    for at in [GREETED + 300, 9_000, 12_200, 16_000] {
        for end in [
            Input::CarrierStopped,
            Input::CarrierLost,
            Input::Supervisor(Supervisor::HangUp(EndReason::SupervisorHungUp)),
        ] {
            let mut w = world(vec![say(8_500, 9_500, "And another thing")]);
            w.at(GREETED, take(1, "pat"));
            speak(&mut w, 1, GREETED, 10_500);
            w.at(at, end.clone());
            w.run_to(at + 8_000);
            assert!(w.ended.is_some(), "{end:?} at {at}: {:?}", w.session.regions());
            let holder = w.records.iter().rev().find_map(|(_, e)| match &e.record {
                CallRecord::Control { holder, .. } => Some(*holder),
                _ => None,
            });
            let expected = if at < 15_500 { Holder::Person } else { Holder::Agent };
            assert_eq!(holder, Some(expected), "{end:?} at {at}");
            let spoke = w.records.iter().any(|(_, e)| matches!(e.record, CallRecord::PersonSpoke { .. }));
            assert_eq!(spoke, at > 7_000, "{end:?} at {at}");
        }
    }
}

#[test]
fn a_person_keeps_a_caller_to_whom_goodbye_was_being_said() {
    let habits = Habits { then: AfterReply::HangUp, ..Habits::default() };
    let mut w = World::new(vec![say(GREETED, 5_000, "That is all")], habits);
    w.at(500, Input::Tick);
    w.run_to(400);
    w.habits.then = AfterReply::HangUp;
    w.at(2_000, take(1, "pat"));
    speak(&mut w, 1, 2_000, 12_000);
    w.run_to(11_000);
    assert!(w.ended.is_none());
    assert_eq!(w.session.regions().control, Control::Supervisor);
}

#[test]
fn a_whisper_reaches_the_responder_alone_and_is_on_the_record_as_a_persons() {
    let mut w = world(vec![say(GREETED, 5_000, "When is the office open?")]);
    let word = StaffWord::Next("Mention the holiday.".into());
    w.at(2_000, Input::Supervisor(Supervisor::Whisper { by: "pat".into(), word: word.clone() }));
    w.run_to(9_000);
    assert!(w.commands.iter().any(|(_, c)| *c == ReplyCommand::Told(word.clone())));
    assert!(!w.spoken.iter().any(|(_, s)| s.text.contains("holiday")));
    let kept = w.records.iter().any(|(_, e)| {
        matches!(&e.record, CallRecord::Whispered { by, text, until, .. }
            if by == "pat" && text == "Mention the holiday." && until == "next")
    });
    assert!(kept && w.events.iter().any(|(_, e)| e.name() == "supervisor.whispered"));
}

#[test]
fn a_line_is_said_word_for_word_once_nobody_speaks_and_when_it_is_on_the_record() {
    let mut w = world(vec![say(GREETED, 5_000, "When is the office open?")]);
    let line = "The office on Mill Road is closed today.";
    w.at(6_500, Input::Supervisor(Supervisor::Say { by: "pat".into(), text: line.into() }));
    w.run_to(20_000);
    let texts: Vec<_> = w.spoken.iter().map(|(_, s)| s.text.as_str()).collect();
    let place = texts.iter().position(|t| *t == line).expect("it is said");
    assert!(texts[..place].contains(&w.answers[1]), "after the reply that was being said: {texts:?}");
    assert!(w.commands.iter().any(|(_, c)| *c == ReplyCommand::Told(StaffWord::Said(line.into()))));
    let planned = w
        .records
        .iter()
        .any(|(_, e)| matches!(&e.record, CallRecord::Planned { segment } if segment.text == line));
    assert!(planned, "the transcript has it");
}
