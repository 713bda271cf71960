//! We called because something is missing in a request: nothing of it before they are there, one question at a time, and what they
//! answer is noted before it is confirmed.

use chrono::Duration;
use pipeline::ports::{AfterReply, Language, TurnInput};
use pipeline::turn::Expectation;

use super::{LEXICAL, Phone, noon};
use crate::builtin::missing::Missing;
use crate::builtin::state::Pending;
use crate::builtin::{Effect, State};

const BOTH: [Language; 2] = [Language::En, Language::Es];

fn called_about(language: Language, sure: bool, kind: &str, details: &[&str]) -> (Phone<'static>, String) {
    let mut phone = Phone::speaking(&LEXICAL, true, language, &BOTH);
    let missing = Missing {
        item: "CBK-4821".into(),
        kind: kind.into(),
        on: noon().date() - Duration::days(2),
        place: if details.contains(&"where") { String::new() } else { "14 Oak Street".into() },
        details: details.iter().map(|detail| (*detail).to_owned()).collect(),
        sure,
        asks: 0,
        untold: false,
    };
    phone.state =
        State { outbound: true, missing: Some(missing), ..State::new(true).speaking(language, &BOTH) };
    let said = phone.input(&TurnInput::Opened);
    (phone, said)
}

fn called(details: &[&str]) -> (Phone<'static>, String) {
    called_about(Language::En, true, "incident", details)
}

/// What the last turn noted on the request.
fn noted(phone: &Phone<'_>) -> Vec<String> {
    let effects = phone.last.as_ref().unwrap().effects.iter();
    let notes = effects.filter_map(|effect| match effect {
        Effect::NoteOn { item, text } if item == "CBK-4821" => Some(text.clone()),
        _ => None,
    });
    notes.collect()
}

fn notes(phone: &Phone<'_>, told: &str) -> bool {
    matches!(noted(phone).as_slice(), [one] if one.contains(told))
}

#[test]
fn who_pressed_a_key_is_told_what_it_is_about_and_asked_one_thing_at_a_time() {
    let (mut phone, said) = called(&["when", "injured"]);
    assert!(said.contains("the report that you made on Friday, November 20."), "{said}");
    assert!(said.contains("14 Oak Street") && said.ends_with("When did it happen?"), "{said}");
    assert_eq!(phone.last.as_ref().unwrap().expects, Expectation::Date);
    let said = phone.say("yesterday around three");
    assert!(notes(&phone, "They told us. when: 2026-11-21T"), "{:?}", noted(&phone));
    assert!(said.contains("I've noted that.") && said.ends_with("Was anybody hurt?"), "{said}");
    let step = phone.last.clone().unwrap();
    let promise = step.say.iter().find(|say| say.text.contains("I've noted that.")).expect(&said);
    assert!(promise.promises, "said before it is so");
    assert_eq!(step.expects, Expectation::YesNo);
    let said = phone.say("no, nobody");
    assert!(notes(&phone, "injured: no"), "{:?}", noted(&phone));
    assert!(said.contains("That was all we needed.") && said.ends_with('?'), "{said}");
    assert_eq!((&phone.state.missing, &phone.state.pending), (&None, &Some(Pending::More)));
    assert!(phone.filed.is_empty());
}

#[test]
fn it_is_asked_in_their_language() {
    let (mut phone, said) = called_about(Language::Es, true, "incident", &["where"]);
    assert!(said.contains("Es sobre el reporte que usted hizo el") && said.ends_with('?'), "{said}");
    let said = phone.say("en la calle Elm, frente a la biblioteca");
    assert!(notes(&phone, "where: "), "{:?}", noted(&phone));
    assert!(said.contains("Lo he anotado.") && said.contains("Eso era todo"), "{said}");
    for (kind, about) in [
        ("inspection", "inspection that you asked for"),
        ("message", "message that you left"),
        ("call", "your call on"),
    ] {
        let (_, said) = called_about(Language::En, true, kind, &["address"]);
        assert!(said.contains(about), "{said}");
    }
    let (mut phone, said) = called_about(Language::En, true, "call", &["request"]);
    assert!(said.ends_with("What did you want to tell us?"), "{said}");
    phone.say("the handrail at the library is loose");
    assert!(notes(&phone, "request: The handrail at the library is loose"), "{:?}", noted(&phone));
}

#[test]
fn who_only_said_so_is_asked_first_and_nothing_is_told_before() {
    let called = || called_about(Language::En, false, "incident", &["when"]);
    let (mut phone, said) = called();
    assert!(!said.contains("report") && said.ends_with("May I ask you now?"), "{said}");
    // A machine goes on with its greeting.
    for greeting in [
        "please leave your name and number after the tone",
        "yes you have reached the Smith family at home",
        "we cannot come to the phone right now",
    ] {
        let said = phone.say(greeting);
        assert!(!said.contains("report that you made") && noted(&phone).is_empty(), "{said}");
    }
    let (mut phone, _) = called();
    assert!(phone.say("what is it about").ends_with("May I ask you now?"));
    let said = phone.say("yeah go ahead");
    assert!(said.contains("report that you made") && said.ends_with("When did it happen?"), "{said}");
    let (mut phone, _) = called();
    let said = phone.say("no");
    assert!(
        notes(&phone, "did not want to answer: when")
            && said.ends_with("Shall I have somebody call you about it?")
    );
    phone.say("yes");
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
}

#[test]
fn who_does_not_know_or_does_not_want_to_say_is_offered_a_person() {
    let (mut phone, _) = called(&["when", "where"]);
    let said = phone.say("I don't know");
    assert!(notes(&phone, "They could not say: when."), "{:?}", noted(&phone));
    assert!(said.contains("That's all right."), "{said}");
    let said = phone.say("on Elm Street");
    assert!(notes(&phone, "where: Elm Street"), "{:?}", noted(&phone));
    assert!(said.ends_with("Shall I have somebody call you about it?"), "{said}");
    let said = phone.say("no");
    assert!(phone.state.missing.is_none() && said.ends_with('?'), "{said}");

    let (mut phone, _) = called(&["when", "where"]);
    let said = phone.say("no");
    assert!(notes(&phone, "did not want to answer: when, where"), "{:?}", noted(&phone));
    assert!(said.ends_with("Shall I have somebody call you about it?"), "{said}");
    let (mut phone, _) = called(&["when"]);
    phone.say("can I talk to a person");
    assert!(notes(&phone, "They asked for a person. Not told: when."), "{:?}", noted(&phone));
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
}

#[test]
fn what_is_not_understood_is_asked_three_times_at_most() {
    let (mut phone, _) = called(&["when"]);
    for _ in 0..2 {
        phone.say("flurb blarg");
        assert!(phone.state.pending == Some(Pending::Missing) && noted(&phone).is_empty());
    }
    let said = phone.say("flurb blarg");
    assert!(notes(&phone, "could not say: when") && said.ends_with("call you about it?"), "{said}");
}

#[test]
fn one_answer_may_tell_more_than_one_thing() {
    let (mut phone, _) = called(&["where", "when"]);
    let said = phone.say("it was on Elm Street, yesterday at three");
    let told = noted(&phone).join(" ");
    assert!(told.contains("where: ") && told.contains("when: 2026-11-21T"), "{told}");
    assert!(said.contains("That was all we needed."), "{said}");
}

#[test]
fn keys_answer_a_yes_or_no() {
    let (mut phone, _) = called(&["injured"]);
    phone.input(&TurnInput::Digits { digits: "2".into() });
    assert!(notes(&phone, "injured: no"), "{:?}", noted(&phone));
    let (mut phone, _) = called(&["injured"]);
    let said = phone.input(&TurnInput::Digits { digits: "1".into() });
    assert!(notes(&phone, "injured: yes") && said.contains("dial 911"), "{said}");
    let (mut phone, _) = called(&["where"]);
    phone.input(&TurnInput::Digits { digits: "9".into() });
    assert!(phone.last.as_ref().unwrap().effects.iter().any(|e| matches!(e, Effect::StopCalls { .. })));
}

#[test]
fn questions_other_wishes_and_emergencies_are_served_and_then_it_is_asked_again() {
    let (mut phone, _) = called(&["where"]);
    let said = phone.say("when is trash pickup?");
    assert!(noted(&phone).is_empty() && phone.state.missing.is_some(), "{said}");
    if phone.state.pending == Some(Pending::MoreOnPage) {
        phone.say("no");
    }
    assert_eq!(phone.state.pending, Some(Pending::Missing));
    let said = phone.say("who is this, are you a robot?");
    assert!(noted(&phone).is_empty() && said.ends_with('?'), "{said}");
    assert_eq!(phone.state.pending, Some(Pending::Missing), "{said}");

    let (mut phone, _) = called(&["injured"]);
    phone.say("I want to book an inspection");
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("booking"));
    phone.say("never mind, cancel it");
    assert_eq!(phone.state.pending, Some(Pending::Missing));

    let (mut phone, _) = called(&["where"]);
    let said = phone.say("help, my house is on fire");
    assert!(phone.urgent && said.starts_with("Hang up now and dial 911"), "{said}");

    let (mut phone, _) = called(&["where"]);
    phone.say("goodbye");
    assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::HangUp);
}

#[test]
fn say_that_again_repeats_the_question() {
    let (mut phone, said) = called(&["when"]);
    let again = phone.say("could you repeat that");
    assert!(said.ends_with("When did it happen?") && again.ends_with("When did it happen?"), "{again}");
    phone.say("last Tuesday");
    assert!(notes(&phone, "when: 2026-11-17"), "{:?}", noted(&phone));
}
