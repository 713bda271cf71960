//! A PIN that is keyed in or spoken leaves no trace.

use super::world::{Habits, World, say};
use crate::ports::{ReplyCommand, TurnInput};
use crate::session::Input;
use crate::turn::Expectation;

fn asked() -> Habits {
    Habits { expects: Expectation::Secret, ..Habits::default() }
}

fn secret(w: &World) -> Vec<String> {
    let of = |c: &ReplyCommand| match c {
        ReplyCommand::Start { input: TurnInput::Secret(secret), .. } => Some(secret.expose().to_owned()),
        _ => None,
    };
    w.commands.iter().filter_map(|(_, c)| of(c)).collect()
}

fn traces(w: &World) -> String {
    format!("{:?} {:?} {:?}", w.records, w.events, w.commands)
}

#[test]
fn a_keyed_secret_reaches_the_responder_and_nothing_else() {
    let mut w = World::new(Vec::new(), asked());
    for (i, key) in "4711#".chars().enumerate() {
        w.at(6_000 + 300 * i as u64, Input::Digit(key));
    }
    w.run_to(12_000);
    assert_eq!(secret(&w), ["4711"]);
    assert!(!traces(&w).contains("4711"), "{}", traces(&w));
    assert!(traces(&w).contains("⟨secret⟩"));
}

#[test]
fn a_spoken_secret_reaches_the_responder_and_nothing_else() {
    let mut w = World::new(vec![say(6_000, 7_500, "four seven one one")], asked());
    w.run_to(12_000);
    assert_eq!(secret(&w), ["four seven one one"]);
    assert!(!traces(&w).contains("seven"), "{}", traces(&w));
}

#[test]
fn other_words_in_place_of_a_secret_are_an_ordinary_turn() {
    let mut w = World::new(vec![say(6_000, 7_500, "I don't have one")], asked());
    w.run_to(12_000);
    assert!(secret(&w).is_empty());
    assert_eq!(w.caller_turns(), ["I don't have one"]);
}
