//! Callers who are put through to a person, and those who come back.

use std::sync::LazyLock;

use pipeline::ports::{AfterReply, Language, NotTaken, Returned, TurnInput};
use pipeline::turn::{Expectation, SegmentKind};

use super::{Phone, World};
use crate::builtin::{Effect, Span, State, Target, Week};

const CLERK: &str = "the clerk's office";
const SHERIFF: &str = "the sheriff's desk";

/// Where the sheriff's desk speaks English only, the school office is closed on Sundays, and the mayor's is not the agent's to call.
static STAFFED: LazyLock<World> = LazyLock::new(|| {
    let mut world = World::new(false);
    let target = |name: &str| Target {
        name: name.to_owned(),
        number: "+12025550180".to_owned(),
        week: Week::default(),
        languages: Vec::new(),
        subjects: Vec::new(),
        by_agent: true,
        warm: false,
        notes: false,
        lines: 1,
        queue: false,
        on_lines: Vec::new(),
    };
    let day = Week::weekdays(Span { opens: 480, closes: 1_020 });
    world.facts.hours_known = false;
    world.facts.targets = vec![
        Target { week: day, ..target("the school office") },
        Target { by_agent: false, ..target("the mayor's office") },
        target(CLERK),
        Target { languages: vec!["en".to_owned()], ..target(SHERIFF) },
    ];
    world
});

fn call(language: Language) -> Phone<'static> {
    let both = [Language::En, Language::Es];
    let mut phone = Phone::speaking(&STAFFED, true, language, &both);
    phone.state.can_transfer = true;
    phone
}

fn says(phone: &mut Phone<'static>, text: &str) -> String {
    phone.input(&TurnInput::said(text))
}

fn keys(phone: &mut Phone<'static>, digits: &str) -> String {
    phone.input(&TurnInput::Digits { digits: digits.to_owned() })
}

/// The target that the last step puts the call through to.
fn goes_to(phone: &Phone<'static>) -> Option<String> {
    let step = phone.last.as_ref().unwrap();
    let target = step.effects.iter().find_map(|effect| match effect {
        Effect::PutThrough { target, .. } => Some(target.clone()),
        _ => None,
    });
    assert_eq!(step.then == AfterReply::Transfer, target.is_some());
    if target.is_some() {
        assert!(step.say.iter().any(|say| say.promises && say.kind == SegmentKind::Notice));
    }
    target
}

#[test]
fn whoever_asks_for_a_person_is_asked_and_then_put_through() {
    for (asks, target) in [
        ("Operator.", CLERK),
        ("Let me talk to a person.", CLERK),
        ("I want to talk to the sheriff.", SHERIFF),
    ] {
        let mut phone = call(Language::En);
        let offered = says(&mut phone, asks);
        assert!(
            offered.contains(&format!("I can put you through to {target}. Shall I?")),
            "{asks}: {offered}"
        );
        assert_eq!(phone.last.as_ref().unwrap().expects, Expectation::YesNo);
        assert_eq!(goes_to(&phone), None);
        let told = says(&mut phone, "Yes, please.");
        assert_eq!(goes_to(&phone).as_deref(), Some(target), "{told}");
        assert!(told.contains("I'll put you through"), "{told}");
        assert!(phone.filed.is_empty());
    }
    for press in ["1", "0"] {
        let mut phone = call(Language::En);
        assert!(keys(&mut phone, "0").contains("Shall I?"));
        keys(&mut phone, press);
        assert_eq!(goes_to(&phone).as_deref(), Some(CLERK), "{press}");
    }
    let mut phone = call(Language::Es);
    assert!(says(&mut phone, "Quiero hablar con una persona.").contains("Le puedo pasar con"));
    says(&mut phone, "Sí, por favor.");
    assert_eq!(goes_to(&phone).as_deref(), Some(CLERK));
}

#[test]
fn nobody_is_offered_who_takes_callers_of_other_lines() {
    let mut world = World::new(false);
    let clerk = STAFFED.facts.targets.iter().find(|target| target.name == CLERK).unwrap();
    world.facts.hours_known = false;
    world.facts.targets = vec![Target { on_lines: vec!["+12025550100".to_owned()], ..clerk.clone() }];
    for (line, offered) in [("+12025550100", true), ("+12025550101", false), ("", false)] {
        let mut phone = Phone::new(&world, true);
        phone.state.can_transfer = true;
        phone.state.line = line.to_owned();
        let said = phone.say("Operator.");
        assert_eq!(said.contains(&format!("put you through to {CLERK}")), offered, "{line}: {said}");
    }
}

#[test]
fn whoever_stays_in_an_emergency_is_sent_to_911_first_and_then_offered_a_person_once() {
    let danger = "There's smoke coming out of my neighbor's house and he's inside.";
    let mut phone = call(Language::En);
    let first = says(&mut phone, danger);
    assert!(first.starts_with("Hang up now and dial 911.") && !first.contains("Shall I"), "{first}");
    let second = says(&mut phone, "Can't you just send somebody?");
    assert!(second.contains("dial 911 right now"), "{second}");
    assert!(second.ends_with(&format!("put you through to {CLERK} now. Shall I?")), "{second}");
    assert_eq!(goes_to(&phone), None);
    let declined = says(&mut phone, "No.");
    assert!(declined.contains("dial 911") && !declined.contains("Shall I"), "{declined}");
    assert!(!says(&mut phone, "Can't you just send somebody?").contains("Shall I"), "once");

    let mut phone = call(Language::En);
    says(&mut phone, danger);
    says(&mut phone, "Can't you just send somebody?");
    says(&mut phone, "Yes, please.");
    assert_eq!(goes_to(&phone).as_deref(), Some(CLERK));

    // Nobody there: nothing is offered.
    let mut phone = call(Language::En);
    phone.state.can_transfer = false;
    says(&mut phone, danger);
    assert!(!says(&mut phone, "Can't you just send somebody?").contains("Shall I"));
}

/// Desks with a subject each, one of them for who speaks Spanish, and one for anything.
static DESKS: LazyLock<World> = LazyLock::new(|| {
    let mut world = World::new(false);
    let desk = |name: &str, subjects: &[&str], languages: &[&str]| Target {
        name: name.to_owned(),
        number: "+12025550180".to_owned(),
        subjects: subjects.iter().map(|&word| word.to_owned()).collect(),
        languages: languages.iter().map(|&tag| tag.to_owned()).collect(),
        by_agent: true,
        ..Target::default()
    };
    world.facts.hours_known = false;
    world.facts.targets = vec![
        desk("the treasurer", &["property taxes", "tax"], &["en"]),
        desk("Mr. Reyes", &["property taxes", "impuestos"], &["es"]),
        desk("Ms. Lee", &["building permits"], &[]),
        desk("the front desk", &[], &[]),
    ];
    world
});

#[test]
fn who_is_there_for_it_is_chosen_first_and_who_is_for_anything_before_who_is_not() {
    for (language, asks, target) in [
        (Language::En, "Let me talk to a person about my taxes.", "the treasurer"),
        (Language::En, "I need to talk to a person about a building permit.", "Ms. Lee"),
        (Language::En, "Let me talk to a person about a permit.", "the front desk"),
        (Language::En, "Operator.", "the front desk"),
        (Language::En, "I want to talk to the treasurer.", "the treasurer"),
        (Language::Es, "Quiero hablar con una persona sobre mis impuestos.", "Mr. Reyes"),
        (Language::Es, "Quiero hablar con una persona.", "the front desk"),
    ] {
        let mut phone = Phone::speaking(&DESKS, true, language, &[Language::En, Language::Es]);
        phone.state.can_transfer = true;
        let offered = says(&mut phone, asks);
        assert!(offered.contains(target), "{asks}: {offered}");
    }
    // What the call was about before counts, where nothing is said of it now.
    let mut phone = Phone::speaking(&DESKS, true, Language::En, &[Language::En]);
    phone.state.can_transfer = true;
    phone.state.about = "When are property taxes due?".to_owned();
    let offered = says(&mut phone, "Operator.");
    assert!(offered.contains("the treasurer"), "{offered}");
}

#[test]
fn a_no_leads_to_a_call_back_and_is_not_asked_again() {
    let mut phone = call(Language::En);
    says(&mut phone, "Operator.");
    let instead = says(&mut phone, "No.");
    assert!(instead.contains("call you back?"), "{instead}");
    let begun = says(&mut phone, "Yes.");
    assert!(!begun.contains("put you through"), "{begun}");
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
    // Whoever asks to be called back is not offered anything else.
    let mut phone = call(Language::En);
    let begun = says(&mut phone, "Can somebody call me back?");
    assert!(!begun.contains("put you through"), "{begun}");
    // Amid something else, a no leads back to it.
    let mut phone = call(Language::En);
    says(&mut phone, "I want to report a pothole.");
    let task = phone.state.task().unwrap().id.clone();
    assert!(keys(&mut phone, "0").contains("Shall I?"));
    says(&mut phone, "No.");
    assert_eq!(phone.state.task().map(|now| now.id.as_str()), Some(task.as_str()));
}

#[test]
fn two_misses_in_a_row_offer_a_person() {
    let mut phone = call(Language::En);
    phone.input(&TurnInput::Unintelligible);
    let second = phone.input(&TurnInput::Unintelligible);
    assert!(second.contains("Shall I?"), "{second}");
    keys(&mut phone, "1");
    assert_eq!(goes_to(&phone).as_deref(), Some(CLERK));
}

#[test]
fn where_nobody_can_be_rung_it_is_as_it_was() {
    let mut browser = call(Language::En);
    browser.state.can_transfer = false;
    let honest = says(&mut browser, "Operator.");
    assert!(honest.contains("call you back") && !honest.contains("put you through"), "{honest}");
    let mut phone = Phone::new(&super::LEXICAL, true);
    phone.state.can_transfer = true;
    let honest = says(&mut phone, "Operator.");
    assert!(honest.contains("call you back") && !honest.contains("put you through"), "{honest}");
}

fn back(why: NotTaken, language: Language) -> (Phone<'static>, String) {
    let mut phone = call(language);
    let returned = Some(Returned { target: CLERK.to_owned(), why });
    let fresh = State::new(true).speaking(language, &[Language::En, Language::Es]);
    phone.state = State { can_transfer: true, returned, not_taken: vec![CLERK.to_owned()], ..fresh };
    let told = phone.input(&TurnInput::Opened);
    (phone, told)
}

#[test]
fn a_caller_who_comes_back_hears_why_and_what_is_left() {
    for why in [NotTaken::Declined, NotTaken::Busy, NotTaken::NoAnswer, NotTaken::Machine, NotTaken::Failed] {
        for language in [Language::En, Language::Es] {
            let (_, told) = back(why, language);
            assert!(told.contains(CLERK) && !told.contains('{') && told.ends_with('?'), "{told}");
        }
    }
    let (mut phone, _) = back(NotTaken::Busy, Language::En);
    let message = says(&mut phone, "I'll leave a message.");
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("message"), "{message}");
    // The one that did not take the call is not offered again; another one is.
    let (mut phone, _) = back(NotTaken::NoAnswer, Language::En);
    let other = keys(&mut phone, "0");
    assert!(other.contains(SHERIFF), "{other}");
}

#[test]
fn who_came_back_and_left_without_a_word_is_called_back() {
    let (phone, _) = back(NotTaken::NoAnswer, Language::En);
    let owed = STAFFED.dialogue.unfinished(&phone.state);
    assert_eq!(owed.len(), 1);
    assert!(owed[0].task == "person" && owed[0].use_caller_number && owed[0].incomplete);
    let (mut phone, _) = back(NotTaken::NoAnswer, Language::En);
    says(&mut phone, "No, thank you, that's all.");
    assert!(STAFFED.dialogue.unfinished(&phone.state).is_empty());
}

#[test]
fn where_the_person_there_is_asked_first_the_caller_waits_and_may_come_back() {
    let mut world = World::new(false);
    world.facts.hours_known = false;
    let clerk = STAFFED.facts.targets.iter().find(|target| target.name == CLERK).unwrap();
    world.facts.targets = vec![Target { warm: true, ..clerk.clone() }];
    let world: &'static World = Box::leak(Box::new(world));
    let mut phone = Phone::new(world, true);
    phone.state.can_transfer = true;
    says(&mut phone, "I want to report a pothole.");
    keys(&mut phone, "0");
    let told = says(&mut phone, "Yes.");
    assert!(told.contains("while I try the clerk's office"), "{told}");
    let step = phone.last.clone().unwrap();
    assert_eq!(step.then, AfterReply::Hold);
    let Some(Effect::PutThrough { about, .. }) = step.effects.first() else { panic!("{:?}", step.effects) };
    assert!(!about.is_empty() && !about.contains("pothole"), "no word of the caller's: {about}");
    let returned = Returned { target: CLERK.to_owned(), why: NotTaken::Declined };
    let back = phone.input(&TurnInput::Returned(returned));
    assert!(back.starts_with("I'm sorry, no one at the clerk's office can take your call"), "{back}");
    assert!(!keys(&mut phone, "0").contains("put you through"), "not there once more");
}
