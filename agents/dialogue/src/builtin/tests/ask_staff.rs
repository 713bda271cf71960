//! Questions that people of the office are asked while the caller waits.

use std::sync::LazyLock;

use pipeline::ports::{AfterReply, TurnInput};

use super::{Phone, World};
use crate::builtin::Effect;

static ASKING: LazyLock<World> = LazyLock::new(|| {
    let mut world = World::new(false);
    world.facts.ask_staff_s = 60;
    world
});
const QUESTION: &str = "Who painted the ceiling of the old opera house?";

fn asked(staff_there: bool) -> (Phone<'static>, String) {
    let mut phone = Phone::new(&ASKING, true);
    phone.state.staff_there = staff_there;
    let mut told = phone.input(&TurnInput::said(QUESTION));
    // One question back may come first.
    if told.contains("Is this about") {
        phone.state.staff_there = staff_there;
        told = phone.input(&TurnInput::said("No."));
    }
    (phone, told)
}

#[test]
fn what_no_page_answers_the_office_is_asked_and_its_answer_is_said_with_the_source() {
    let (mut phone, told) = asked(true);
    assert!(told.contains("Shall I ask somebody in the office?"), "{told}");
    let waits = phone.input(&TurnInput::said("Yes, please."));
    let step = phone.last.clone().unwrap();
    assert_eq!(step.then, AfterReply::Ask, "{waits}");
    assert!(
        matches!(&step.effects[..], [Effect::AskStaff { question }] if !question.is_empty()),
        "{:?}",
        step.effects
    );
    let answer = TurnInput::Answered { text: "Maria Keller did, in 1911".into() };
    let said = phone.input(&answer);
    assert!(said.contains("in the office says: Maria Keller did, in 1911."), "{said}");
    assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::Listen);
    assert!(phone.filed.is_empty());
}

#[test]
fn an_answer_that_does_not_come_is_a_call_back() {
    let (mut phone, _) = asked(true);
    phone.input(&TurnInput::said("Yes."));
    let late = phone.input(&TurnInput::Unanswered);
    assert!(late.contains("in time"), "{late}");
    let task = phone.state.task().unwrap();
    assert_eq!(task.id, "person");
    assert!(task.slots.contains_key("reason"), "what it is about is not asked again");
}

#[test]
fn nobody_is_asked_who_is_not_there_and_a_no_is_a_no() {
    let (_, told) = asked(false);
    assert!(!told.contains("Shall I ask"), "{told}");
    let (mut phone, _) = asked(true);
    let instead = phone.input(&TurnInput::said("No."));
    assert!(instead.contains("leave a message"), "{instead}");
}

fn waiting() -> Phone<'static> {
    let (mut phone, _) = asked(true);
    phone.input(&TurnInput::said("Yes."));
    assert!(phone.state.waits());
    phone
}

#[test]
fn who_would_rather_be_called_back_is_and_hears_nothing_of_nobody() {
    let ways = [
        TurnInput::said("Just call me back."),
        TurnInput::said("I can't wait that long."),
        TurnInput::said("Yes, please."),
        TurnInput::Digits { digits: "1".into() },
    ];
    for way in ways {
        let mut phone = waiting();
        let said = phone.input(&way);
        assert!(!said.contains("in time"), "{way:?}: {said}");
        assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::Listen, "{way:?}: {said}");
        let task = phone.state.task().unwrap_or_else(|| panic!("{way:?}: {said}"));
        assert_eq!(task.id, "person");
        assert!(
            task.slots["reason"].value.contains("opera house"),
            "{way:?}: {:?}",
            task.slots["reason"].value
        );
        assert!(!phone.state.waits());
    }
}

#[test]
fn who_goes_on_waiting_is_let_wait() {
    for waits in ["Okay.", "No, I'll wait.", "No.", "I'll hold."] {
        let mut phone = waiting();
        let said = phone.say(waits);
        assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::Ask, "{waits}: {said}");
        assert!(phone.state.waits() && phone.state.task().is_none(), "{waits}: {said}");
        let answer = phone.input(&TurnInput::Answered { text: "Maria Keller did".into() });
        assert!(answer.contains("in the office says: Maria Keller did."), "{answer}");
        assert!(!phone.state.waits());
    }
    // Keys that mean nothing here, and sounds, change nothing.
    let mut phone = waiting();
    for nothing in [TurnInput::Digits { digits: "5".into() }, TurnInput::Unintelligible] {
        assert_eq!(phone.input(&nothing), "");
        assert_eq!(phone.last.as_ref().unwrap().then, AfterReply::Ask);
    }
    // Danger comes first.
    let danger = phone.say("Oh my God, my husband stopped breathing.");
    assert!(danger.starts_with("Hang up now and dial 911."), "{danger}");
}
