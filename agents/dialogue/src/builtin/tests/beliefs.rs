//! What callers put right, and what must never be filed.

use super::super::CORRECTS;
use pipeline::ports::{Language, TurnInput};
use proptest::prelude::*;

use super::super::UNCONFIRMED;
use super::{LEXICAL, Phone};
use language::sound::letters;

fn incident() -> Phone<'static> {
    let mut phone = Phone::new(&LEXICAL, false);
    phone.say("I want to report an incident");
    phone
}

fn slot(phone: &Phone<'_>, slot: &str) -> String {
    phone.state.tasks.last().and_then(|t| t.slots.get(slot)).map(|f| f.value.clone()).unwrap_or_default()
}

#[test]
fn everything_said_at_once_is_taken_at_once() {
    let mut phone = Phone::new(&LEXICAL, false);
    phone.say("There's a hole in front of 12 Maple Street, I hit it last night, nobody was hurt");
    assert_eq!(slot(&phone, "where"), "in front of 12 Maple Street");
    assert_eq!(slot(&phone, "injured"), "no");
    assert!(!slot(&phone, "when").is_empty());
    let asked = phone.state.tasks.last().unwrap().asked.clone();
    assert!(
        !asked.contains_key("where") && !asked.contains_key("when") && !asked.contains_key("injured"),
        "{asked:?}"
    );
}

#[test]
fn a_correction_in_one_breath_leaves_no_trace_of_what_was_wrong() {
    let mut phone = incident();
    phone.say("A tree fell on the road");
    phone.say("Marble Street, no, sorry, Main Street");
    assert_eq!(slot(&phone, "where"), "Main Street");
}

#[test]
fn a_correction_changes_its_slot_at_any_later_time() {
    let mut phone = incident();
    phone.say("A tree fell on the road");
    phone.say("at 15 Elm Street");
    phone.say("No, Oak Street, not Elm Street");
    assert_eq!(slot(&phone, "where"), "15 Oak Street");
    phone.say("yesterday");
    phone.say("Nobody was hurt");
    phone.say("John Miller");
    phone.say("no, my name is spelled M U E L L E R");
    assert_eq!(slot(&phone, "name"), "John Mueller");
    phone.say("202 555 0148");
    let reply = phone.say("no, the number is wrong");
    assert!(reply.contains("number"), "{reply}");
    phone.say("202 555 0184");
    phone.say("yes");
    let filed = &phone.filed[0].fields;
    assert_eq!(filed["where"], "15 Oak Street");
    assert_eq!(filed["phone"], "+12025550184");
}

#[test]
fn a_street_that_may_be_another_is_asked_about() {
    let mut phone = incident();
    phone.say("A tree fell on the road");
    let reply = phone.say("Mabel Street");
    assert!(reply.contains("Maple Street"), "{reply}");
    phone.say("yes");
    assert_eq!(slot(&phone, "where"), "Maple Street");
}

#[test]
fn what_is_heard_again_after_it_was_taken_back_is_left_to_a_person() {
    let mut phone = incident();
    phone.say("A tree fell on the road");
    for words in ["Kowalski Park", "yesterday", "Nobody was hurt", "skip", "202 555 0148"] {
        phone.say(words);
    }
    phone.say("no, the place is wrong");
    phone.say("Kowalski Park");
    let reply = phone.say("Kowalski Park");
    assert!(reply.contains("leave it open"), "{reply}");
    let reply = phone.say("yes");
    assert!(reply.contains("the place"), "{reply}");
    let filed = &phone.filed[0].fields;
    assert_eq!(filed[UNCONFIRMED], "where");
    assert!(!filed.values().any(|v| v.contains("Kowalski")), "a rejected value was filed");
}

#[test]
fn questions_fit_what_is_reported() {
    for (told, question) in [
        ("The street light on Elm Street is out", "notice it"),
        ("A man fell on the steps of the courthouse on Elm Street", "happen"),
    ] {
        let mut phone = Phone::new(&LEXICAL, false);
        let reply = phone.say(&format!("I want to report this. {told}"));
        assert!(reply.contains(question), "{told}: {reply}");
    }
}

#[test]
fn a_reference_is_given_to_who_can_write_it_down() {
    let mut phone = Phone::new(&LEXICAL, true);
    phone.say("I want to talk to a person");
    for words in ["John Miller", "yes", "my tax bill"] {
        phone.say(words);
    }
    let reply = phone.say("yes");
    assert!(reply.ends_with("Do you have something to write with?"), "{reply}");
    let mut other = Phone::new(&LEXICAL, true);
    (other.state, other.filed) = (phone.state.clone(), phone.filed.clone());
    let reply = phone.say("yes");
    assert!(reply.contains("R E F, 1 0, 0 1. Once more"), "{reply}");
    let reply = other.say("no");
    assert!(!reply.contains("R E F") && reply.contains("any time"), "{reply}");
}

const TURNS: &[&str] = &[
    "A tree fell on the road",
    "Kowalski Park",
    "Mabel Street",
    "12 Main Street",
    "No, Oak Street, not Main Street",
    "no, the place is wrong",
    "yesterday",
    "not yesterday, Tuesday",
    "nobody was hurt",
    "John Miller",
    "no, it's Mueller, not Miller",
    "no, the name is wrong",
    "202 555 0148",
    "no, the number is wrong",
    "the last four are 0184, not 0148",
    "yes",
    "no",
    "that's wrong",
    "yes, but the number is wrong",
    "skip",
    "I don't know",
    "go back",
    "leave a message",
    "goodbye",
];

/// Those that name no value.
const BARE: &[&str] =
    &["yes", "no", "that's wrong", "skip", "I don't know", "go back", "leave a message", "goodbye"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// What stands as taken back is never in what is filed, in whatever order things are said.
    #[test]
    fn a_rejected_value_is_never_filed(turns in prop::collection::vec(prop::sample::select(TURNS), 1..30)) {
        let mut phone = incident();
        for text in turns {
            let before = phone.filed.len();
            let tasks = phone.state.tasks.clone();
            phone.input(&TurnInput::said(text));
            for filing in &phone.filed[before..] {
                // A correction of what is on file and a message of its own may be filed in one turn.
                let amends = filing.fields.contains_key(CORRECTS);
                let same = |task: &&super::super::state::Task| task.id == filing.task && task.amends.is_some() == amends;
                let Some(task) = tasks.iter().find(same) else { continue };
                for (slot, value) in &filing.fields {
                    let taken_back = task.belief(slot).is_some_and(|b| b.rejected.contains(&letters(value)));
                    // Who says it again in these very words has it after all.
                    let stood = task.slots.get(slot).is_some_and(|standing| standing.value == *value);
                    prop_assert!(!taken_back || (!stood && !BARE.contains(&text)), "{slot} of {} was taken back", filing.task);
                }
            }
            if phone.state.closed {
                break;
            }
        }
        for filing in phone.world.dialogue.unfinished(&phone.state) {
            // A report that is put right and a new one stand side by side: it is of the one that does not take the value back.
            let amends = filing.fields.contains_key(CORRECTS);
            let of = || {
                let all = phone.state.tasks.iter().chain(&phone.state.parked);
                all.filter(|task| task.amends.is_some() == amends && (amends || task.id == filing.task))
            };
            for (slot, value) in &filing.fields {
                let takes_back = |task: &super::super::state::Task| task.belief(slot).is_some_and(|b| b.rejected.contains(&letters(value)));
                let taken_back = of().next().is_some() && of().all(takes_back);
                prop_assert!(!taken_back, "{slot} was taken back");
            }
        }
    }

    /// A correction of one slot leaves the others as they are.
    #[test]
    fn a_correction_changes_one_slot(which in 0usize..4) {
        let (name, text) = [
            ("where", "No, Oak Street, not Main Street"),
            ("name", "no, it's Mueller, not Miller"),
            ("phone", "sorry, the number is 202 555 0184"),
            ("when", "not yesterday, Tuesday"),
        ][which];
        let mut phone = Phone::speaking(&LEXICAL, false, Language::En, &[Language::En]);
        phone.say("I want to report an incident");
        for words in ["A tree fell on the road", "12 Main Street", "yesterday", "nobody was hurt", "John Miller", "202 555 0148"] {
            phone.say(words);
        }
        let before = phone.state.tasks.last().unwrap().slots.clone();
        phone.say(text);
        let after = &phone.state.tasks.last().unwrap().slots;
        for (slot, value) in &before {
            prop_assert_eq!(after.get(slot) != Some(value), slot == name, "{} after {}", slot, text);
        }
    }
}
