//! What callers are told and asked of being recorded.

use pipeline::ports::{Consent, Consented, Language, TurnInput};
use pipeline::turn::SegmentKind;

use super::{Phone, WORLD};
use crate::builtin::{Lookup, State, Step};

/// A call on a line of this kind, before the greeting.
fn begun(consent: Consent, language: Language) -> Phone<'static> {
    let mut phone = Phone::speaking(&WORLD, false, language, &[Language::En, Language::Es]);
    phone.state = State { consent, ..State::new(false).speaking(language, &[Language::En, Language::Es]) };
    phone.input(&TurnInput::Opened);
    phone
}

fn step(phone: &mut Phone<'static>, text: &str) -> Step {
    phone.input(&TurnInput::said(text));
    let step = phone.last.clone().unwrap();
    assert!(!matches!(step.wants, Some(Lookup::Claim { .. })));
    step
}

fn text(step: &Step) -> String {
    step.say.iter().map(|say| say.text.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_line_with_a_notice_says_it_before_it_asks_what_is_wanted() {
    for (language, notice) in
        [(Language::En, "This call may be recorded."), (Language::Es, "Esta llamada puede ser grabada.")]
    {
        let phone = begun(Consent::Notice, language);
        let say = &phone.last.as_ref().unwrap().say;
        let told: Vec<_> = say.iter().filter(|say| say.kind == SegmentKind::Consent).collect();
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].text, notice);
        assert!(say.last().unwrap().kind != SegmentKind::Consent, "the question comes last");
    }
    let silent = begun(Consent::Off, Language::En);
    assert!(!text(silent.last.as_ref().unwrap()).contains("recorded"));
}

#[test]
fn who_changes_the_language_is_told_again_in_it() {
    let mut phone = begun(Consent::Notice, Language::En);
    let step = step(&mut phone, "español por favor");
    assert!(text(&step).contains("Esta llamada puede ser grabada."), "{}", text(&step));
}

#[test]
fn a_line_that_asks_takes_a_yes_for_a_yes_and_all_else_for_a_no() {
    for (answer, consented) in [
        ("yes that's fine", Consented::Agreed),
        ("yes", Consented::Agreed),
        ("no", Consented::Refused),
        ("no thanks", Consented::Refused),
        ("how much is a dog license", Consented::Refused),
    ] {
        let mut phone = begun(Consent::Ask, Language::En);
        let greeting = text(phone.last.as_ref().unwrap());
        assert!(greeting.ends_with("May we record this call?"), "{greeting}");
        let step = step(&mut phone, answer);
        assert_eq!(step.consented, Some(consented), "{answer}: {}", text(&step));
    }
    let mut phone = begun(Consent::Ask, Language::En);
    phone.input(&TurnInput::Digits { digits: "2".to_owned() });
    let step = phone.last.clone().unwrap();
    assert_eq!((step.consented, step.language), (None, Some(Language::Es)), "two is the key for Spanish");
    let danger = begun(Consent::Ask, Language::En);
    let step = danger.think(&TurnInput::said("my house is on fire"));
    assert!(text(&step).contains("911") && step.consented.is_none(), "{}", text(&step));
}

#[test]
fn a_wish_not_to_be_recorded_is_taken_at_any_time_and_what_was_asked_goes_on() {
    for wish in ["please stop recording this call", "I don't want to be recorded", "don't record me"] {
        let mut phone = begun(Consent::Notice, Language::En);
        step(&mut phone, "I want to leave a message");
        assert!(phone.state.task().is_some());
        let step = step(&mut phone, wish);
        assert_eq!(step.consented, Some(Consented::Withdrawn), "{wish}: {}", text(&step));
        assert!(phone.state.task().is_some(), "the message goes on: {}", text(&step));
    }
    let mut spanish = begun(Consent::Notice, Language::Es);
    assert_eq!(step(&mut spanish, "no quiero que me graben").consented, Some(Consented::Withdrawn));
    let mut silent = begun(Consent::Off, Language::En);
    let step = step(&mut silent, "are you not recording me, don't record this");
    assert_eq!(step.consented, None);
    assert!(text(&step).contains("no recording"), "{}", text(&step));
}

#[test]
fn whoever_wants_no_notes_of_a_talk_is_understood_in_either_language() {
    let wants = |text: &str| WORLD.dialogue.wants_no_notes(text);
    for none in [
        "Please stop taking notes.",
        "stop taking notes",
        "don't take any notes on this",
        "no notes please",
        "could you stop writing this down",
        "I don't want that written down",
        "let's go off the record for a second",
        "please stop recording this",
        "turn off the note taker",
        "stop listening",
        "No tome notas, por favor.",
        "deje de anotar",
        "deje de tomar notas",
        "no quiero que anoten esto",
        "no me grabe por favor",
    ] {
        assert!(wants(none), "{none}");
    }
    for other in [
        "I noted the number down",
        "did you get my note on the door",
        "let me write that down",
        "don't worry about it",
        "I never got a note from you",
        "tome nota del número",
        "I don't have any money",
        "No, thank you.",
        "can you turn off the water",
        "stop by on Tuesday",
    ] {
        assert!(!wants(other), "{other}");
    }
}
