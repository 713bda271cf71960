//! We called about an appointment: nothing of it before they are there, and their answer is noted before it is confirmed.

use chrono::Duration;
use pipeline::ports::{AfterReply, Language, TurnInput};
use pipeline::turn::Expectation;

use super::{LEXICAL, Phone, noon};
use crate::builtin::reminder::{COMES, Reminded};
use crate::builtin::{Effect, State};

const BOTH: [Language; 2] = [Language::En, Language::Es];

fn called(language: Language, sure: bool, place: &str, in_days: i64) -> (Phone<'static>, String) {
    let mut phone = Phone::speaking(&LEXICAL, false, language, &BOTH);
    let reminded = Reminded {
        item: "INS-4821".into(),
        starts: noon() + Duration::days(in_days),
        place: place.into(),
        sure,
        asks: 0,
    };
    phone.state =
        State { outbound: true, reminded: Some(reminded), ..State::new(true).speaking(language, &BOTH) };
    let said = phone.input(&TurnInput::Opened);
    (phone, said)
}

fn attends(phone: &Phone<'_>) -> Option<bool> {
    phone.last.as_ref().unwrap().effects.iter().find_map(|effect| match effect {
        Effect::NoteOn { item, text } if item == "INS-4821" => Some(text == COMES),
        _ => None,
    })
}

#[test]
fn who_pressed_a_key_is_told_day_time_and_place_and_asked() {
    for (language, answer, coming, confirms) in [
        (Language::En, "yes I'll be there", true, "I've noted that you'll be there."),
        (Language::En, "no I can't make it", false, "I've noted that you can't be there."),
        (Language::Es, "sí, ahí estaré", true, "He anotado"),
        (Language::Es, "no, no puedo", false, "He anotado"),
    ] {
        let (mut phone, said) = called(language, true, "14 Oak Street", 2);
        assert!(said.contains("14 Oak Street") && said.contains("24"), "{said}");
        assert_eq!(phone.last.as_ref().unwrap().expects, Expectation::YesNo);
        let said = phone.say(answer);
        assert_eq!(attends(&phone), Some(coming), "{answer}: {said}");
        let step = phone.last.clone().unwrap();
        let promise = step.say.iter().find(|say| say.text.contains(confirms)).expect(&said);
        assert!(promise.promises, "said before it is so");
        assert_eq!(step.then, AfterReply::Listen);
    }
}

#[test]
fn who_only_said_so_is_asked_first_and_nothing_is_told_before() {
    let (mut phone, said) = called(Language::En, false, "14 Oak Street", 2);
    assert!(!said.contains("Oak") && !said.contains("24") && said.ends_with("May I tell you now?"), "{said}");
    // A machine goes on with its greeting.
    for greeting in
        ["please leave your name and number after the tone", "yes you have reached the Smith family at home"]
    {
        let said = phone.say(greeting);
        assert!(!said.contains("Oak"), "{said}");
    }
    // Who asks back is asked again, and told.
    let (mut phone, _) = called(Language::En, false, "14 Oak Street", 2);
    assert!(phone.say("what is it about").ends_with("May I tell you now?"));
    assert!(phone.say("yeah go ahead").contains("14 Oak Street"));
    let (mut phone, _) = called(Language::En, false, "", 2);
    let said = phone.say("yes");
    assert!(said.contains("You have an appointment for") && said.ends_with("Will you be there?"), "{said}");
    let (mut phone, _) = called(Language::En, false, "", 2);
    let said = phone.say("no");
    assert!(!said.contains("24"), "{said}");
    assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::HangUp);
}

#[test]
fn who_cannot_come_is_offered_a_person_for_another_time() {
    let (mut phone, _) = called(Language::En, true, "14 Oak Street", 2);
    let said = phone.say("no");
    assert!(said.ends_with("Shall I have somebody call you to find another time?"), "{said}");
    phone.say("yes");
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
}

#[test]
fn politeness_is_no_promise_to_come() {
    let (mut phone, _) = called(Language::En, true, "14 Oak Street", 2);
    phone.say("please call me back later about that");
    assert_eq!(attends(&phone), None);
}

#[test]
fn keys_answer_too_and_what_is_over_is_not_told() {
    let (mut phone, _) = called(Language::En, true, "14 Oak Street", 2);
    phone.input(&TurnInput::Digits { digits: "1".into() });
    assert_eq!(attends(&phone), Some(true));
    let (mut phone, _) = called(Language::En, true, "14 Oak Street", 2);
    phone.input(&TurnInput::Digits { digits: "2".into() });
    assert_eq!(attends(&phone), Some(false));
    let (_, said) = called(Language::En, true, "14 Oak Street", -1);
    assert!(!said.contains("Oak"), "{said}");
}
