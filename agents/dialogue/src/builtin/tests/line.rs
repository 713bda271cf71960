//! Callers for whom everybody is on a call.

use std::sync::LazyLock;

use pipeline::ports::{AfterReply, InLine, Language, NotTaken, Returned, TurnInput};
use pipeline::turn::SegmentKind;

use super::{Phone, World};
use crate::builtin::{Effect, LineAct, Standing, State, Target};

const CLERK: &str = "the clerk's office";

/// The clerk's, where callers may wait, and a treasurer for one subject, where they may not.
static WORLD: LazyLock<World> = LazyLock::new(|| {
    let mut world = World::new(false);
    let target = |name: &str, subjects: &[&str], queue| Target {
        name: name.to_owned(),
        number: "+12025550180".to_owned(),
        subjects: subjects.iter().map(|&word| word.to_owned()).collect(),
        by_agent: true,
        queue,
        on_lines: Vec::new(),
        ..Target::default()
    };
    world.facts.hours_known = false;
    world.facts.targets = vec![target(CLERK, &[], true), target("the treasurer", &["taxes"], false)];
    world
});

fn stands(is_free: bool, place: u32, minutes: Option<u32>) -> Standing {
    Standing { target: CLERK.to_owned(), is_free, is_full: false, place, minutes }
}

fn call(language: Language, standing: Standing) -> Phone<'static> {
    let mut phone = Phone::speaking(&WORLD, true, language, &[Language::En, Language::Es]);
    phone.state.can_transfer = true;
    phone.queues = vec![standing];
    phone
}

fn says(phone: &mut Phone<'static>, text: &str) -> String {
    phone.input(&TurnInput::said(text))
}

fn keys(phone: &mut Phone<'static>, digits: &str) -> String {
    phone.input(&TurnInput::Digits { digits: digits.to_owned() })
}

fn acts(phone: &Phone<'static>) -> Vec<LineAct> {
    let act = |effect: &Effect| match effect {
        Effect::Line(act) => Some(act.clone()),
        _ => None,
    };
    phone.last.as_ref().unwrap().effects.iter().filter_map(act).collect()
}

fn then(phone: &Phone<'static>) -> AfterReply {
    phone.last.as_ref().unwrap().then
}

/// A caller who waits.
fn waiting(language: Language) -> Phone<'static> {
    let mut phone = call(language, stands(false, 2, Some(4)));
    keys(&mut phone, "0");
    keys(&mut phone, "1");
    assert!(phone.state.in_line.is_some() && then(&phone) == AfterReply::Wait);
    phone
}

fn begins_call_back(phone: &Phone<'static>) {
    assert_eq!(acts(phone), [LineAct::CallBack { target: CLERK.to_owned() }]);
    assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
    assert!(phone.state.in_line.is_none() && then(phone) == AfterReply::Listen);
}

#[test]
fn the_place_and_how_long_it_may_take_are_told_before_anybody_has_to_choose() {
    for (place, minutes, told, not) in [
        (
            2,
            Some(4),
            "If you wait, you are second in line. It may take about four minutes. You can also say",
            "{",
        ),
        (1, Some(1), "If you wait, you are first in line. It may take about a minute.", "{"),
        (12, Some(25), "If you wait, you are number 12 in line. It may take about 25 minutes.", "{"),
        (9, Some(90), "If you wait, you are ninth in line. It may take more than an hour.", "90"),
        (1, None, "If you wait, you are first in line. You can also say", "It may take"),
    ] {
        let mut phone = call(Language::En, stands(false, place, minutes));
        let offered = says(&mut phone, "Let me talk to a person.");
        assert!(offered.contains(told) && !offered.contains(not), "{offered}");
    }
    let mut phone = call(Language::Es, stands(false, 2, Some(4)));
    let offered = says(&mut phone, "Quiero hablar con una persona.");
    assert!(
        offered.contains(
            "Si espera, tiene el segundo lugar de la fila. Puede tardar alrededor de cuatro minutos."
        ),
        "{offered}"
    );
    says(&mut phone, "Sí, por favor.");
    assert!(matches!(&acts(&phone)[..], [LineAct::Join { target, .. }] if target == CLERK));
}

#[test]
fn who_is_free_comes_before_any_line_and_who_cannot_be_waited_for_is_tried() {
    let mut free = call(Language::En, stands(true, 1, None));
    assert!(says(&mut free, "Operator.").contains("I can put you through to the clerk's office. Shall I?"));
    let mut taxes = call(Language::En, stands(false, 2, None));
    let offered = says(&mut taxes, "Let me talk to a person about my taxes.");
    assert!(offered.contains("I can put you through to the treasurer. Shall I?"), "{offered}");
    let mut full = call(Language::En, Standing { is_full: true, ..stands(false, 51, None) });
    let offered = says(&mut full, "Operator.");
    assert!(offered.contains("call you back") && !offered.contains("in line"), "{offered}");
}

#[test]
fn a_yes_waits_and_anything_against_it_leads_to_a_call_back() {
    for yes in ["Yes.", "Yes, I'll wait.", "I'll wait, please.", "I can hold."] {
        let mut phone = call(Language::En, stands(false, 1, None));
        says(&mut phone, "Operator.");
        let told = says(&mut phone, yes);
        assert!(told.contains("Please stay on the line for the clerk's office"), "{yes}: {told}");
        let step = phone.last.as_ref().unwrap();
        assert!(step.say.iter().any(|say| say.promises), "said once it is so");
        assert!(matches!(&acts(&phone)[..], [LineAct::Join { urgent: false, .. }]), "{yes}");
        assert_eq!(then(&phone), AfterReply::Wait);
    }
    for back in ["Call me back.", "Please have somebody call me back."] {
        let mut phone = call(Language::En, stands(false, 1, None));
        says(&mut phone, "Operator.");
        let told = says(&mut phone, back);
        assert!(told.contains("Okay, you keep your place."), "{back}: {told}");
        begins_call_back(&phone);
    }
    for no in ["No.", "I can't wait that long."] {
        let mut phone = call(Language::En, stands(false, 1, None));
        says(&mut phone, "Operator.");
        let told = says(&mut phone, no);
        assert!(told.contains("Would you like a person to call you back?"), "{no}: {told}");
        assert_eq!(acts(&phone), [LineAct::CallBack { target: CLERK.to_owned() }], "{no}");
        says(&mut phone, "Yes.");
        assert_eq!(phone.state.task().map(|task| task.id.as_str()), Some("person"));
    }
}

#[test]
fn who_waits_hears_where_they_stand_and_leaves_by_a_key_or_a_word() {
    for language in [Language::En, Language::Es] {
        let mut phone = waiting(language);
        let told =
            phone.input(&TurnInput::InLine(InLine { target: CLERK.into(), place: 1, minutes: Some(2) }));
        assert!(!told.contains('{') && then(&phone) == AfterReply::Wait, "{told}");
        keys(&mut phone, "1");
        begins_call_back(&phone);
    }
    for word in ["Call me back.", "I can't wait any longer.", "No."] {
        let mut phone = waiting(Language::En);
        says(&mut phone, word);
        begins_call_back(&phone);
    }
    let mut phone = waiting(Language::En);
    says(&mut phone, "Never mind, goodbye.");
    assert_eq!((acts(&phone), then(&phone)), (vec![LineAct::Leave], AfterReply::HangUp));
}

#[test]
fn what_else_is_said_in_a_line_costs_no_place() {
    let mut phone = waiting(Language::En);
    let silent = phone.input(&TurnInput::Unintelligible);
    assert!(silent.is_empty() && then(&phone) == AfterReply::Wait, "{silent}");
    let how = says(&mut phone, "Let me talk to a person.");
    assert!(how.contains("press one") && then(&phone) == AfterReply::Wait, "{how}");
    let told = says(&mut phone, "My husband is not breathing!");
    assert!(told.contains("911") && then(&phone) == AfterReply::Wait, "{told}");
    assert!(phone.urgent && phone.state.in_line.is_some());
    let mut phone = waiting(Language::En);
    keys(&mut phone, "911");
    assert!(phone.state.in_line.is_some() && acts(&phone).is_empty());
}

#[test]
fn in_their_turn_they_are_told_and_go_and_no_second_transfer_is_asked_for() {
    for (warm, goes) in [(false, AfterReply::Transfer), (true, AfterReply::Hold)] {
        let mut world = World::new(false);
        world.facts.hours_known = false;
        world.facts.targets = vec![Target { warm, ..WORLD.facts.targets[0].clone() }];
        let world: &'static World = Box::leak(Box::new(world));
        let mut phone = Phone::new(world, true);
        phone.state.in_line = Some(CLERK.to_owned());
        let told = phone.input(&TurnInput::YourTurn { target: CLERK.to_owned() });
        assert!(told.starts_with("Thank you for waiting. It's your turn."), "{told}");
        let step = phone.last.as_ref().unwrap();
        assert_eq!((step.then, step.effects.len()), (goes, 0));
        assert!(step.say.iter().any(|say| say.kind == SegmentKind::Notice && say.text.contains(CLERK)));
    }
    // Nobody was there for them in all that time.
    let mut phone = waiting(Language::En);
    let back = phone.input(&TurnInput::Returned(Returned { target: CLERK.into(), why: NotTaken::Busy }));
    assert!(back.contains("the line is busy at the clerk's office"), "{back}");
    assert_eq!((acts(&phone), then(&phone)), (vec![LineAct::Leave], AfterReply::Listen));
}

#[test]
fn who_broke_off_hears_that_they_have_their_place() {
    for language in [Language::En, Language::Es] {
        let mut phone = call(language, stands(false, 1, None));
        let returned = Some(Returned { target: CLERK.to_owned(), why: NotTaken::InLine });
        let fresh = State::new(true).speaking(language, &[Language::En, Language::Es]);
        phone.state = State { can_transfer: true, returned, ..fresh };
        let told = phone.input(&TurnInput::Opened);
        assert!(!told.contains('{') && then(&phone) == AfterReply::Wait, "{told}");
        assert!(phone.state.in_line.as_deref() == Some(CLERK) && phone.state.returned.is_none());
        assert!(WORLD.dialogue.unfinished(&phone.state).is_empty(), "the line sees to a call back");
    }
}
