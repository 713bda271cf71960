//! When a person should look at a call: what viewers are told.

use super::GREETED;
use super::world::{Habits, World, say};
use crate::event::{Attack, AttentionLevel, AttentionReason as Reason, EventBody, Ruling};
use crate::ports::{ProviderNote, ProviderState, ReplyCommand, ReplyEvent, SttEvent};
use crate::session::Input;
use crate::turn::TurnId;

fn told(w: &World) -> Vec<(AttentionLevel, Reason)> {
    let told = |event: &EventBody| match event {
        EventBody::Attention { level, reason } => Some((*level, *reason)),
        _ => None,
    };
    w.events.iter().filter_map(|(_, event)| told(event)).collect()
}

fn note(state: ProviderState) -> SttEvent {
    SttEvent::Provider(ProviderNote { provider: "a".into(), state, reason: "late".into(), delay_ms: 900 })
}

fn attack(turn: TurnId) -> ReplyEvent {
    let [channel, kind, severity] = ["voice", "instruction_override", "high"].map(str::to_owned);
    ReplyEvent::Guard(Attack { turn, channel, kind, severity })
}

fn ruling(turn: TurnId) -> ReplyEvent {
    let [rule, category, action, applies_to] = ["no-advice", "legal", "BLOCK", "words"].map(str::to_owned);
    ReplyEvent::Rule(Ruling { turn, rule, category, action, applies_to, stopped: None })
}

#[test]
fn a_call_that_goes_well_asks_for_nobody() {
    let mut w = World::new(vec![say(GREETED, 5_500, "When is the office open?")], Habits::default());
    w.at(4_000, Input::Stt(note(ProviderState::Slow)));
    w.at(4_100, Input::Stt(note(ProviderState::Recovered)));
    w.run_to(12_000);
    assert_eq!(told(&w), []);
}

#[test]
fn two_silences_are_told_and_one_is_not() {
    let mut w = World::new(Vec::new(), Habits::default());
    w.run_to(15_000);
    assert_eq!(told(&w), []);
    w.run_to(40_000);
    assert_eq!(told(&w), [(AttentionLevel::Watch, Reason::Silence)]);
}

#[test]
fn what_failed_and_what_stepped_in_is_told_once_and_the_level_never_falls() {
    let mut w = World::new(vec![say(GREETED, 5_500, "When is the office open?")], Habits::default());
    for at in [4_000, 4_100] {
        w.at(at, Input::Stt(note(ProviderState::Failed)));
    }
    w.run_to(5_900);
    let of_turn = |(_, command): &(_, ReplyCommand)| match command {
        ReplyCommand::Start { turn, .. } => Some(*turn),
        _ => None,
    };
    let turn = w.commands.iter().filter_map(of_turn).next_back().unwrap();
    let attention = |reason| ReplyEvent::Attention { turn, reason };
    let told_by_the_reply = [
        attack(turn),
        ruling(turn),
        attention(Reason::Emergency),
        attention(Reason::PersonAsked),
        attack(turn),
        attention(Reason::Misunderstood),
    ];
    for (event, at) in told_by_the_reply.into_iter().zip(5_910..) {
        w.at(at, Input::Reply(event));
    }
    w.run_to(12_000);
    let expected = [
        (AttentionLevel::Watch, Reason::ProviderFailing),
        (AttentionLevel::Watch, Reason::Guard),
        (AttentionLevel::Watch, Reason::Rule),
        (AttentionLevel::Urgent, Reason::Emergency),
        (AttentionLevel::Urgent, Reason::PersonAsked),
        (AttentionLevel::Urgent, Reason::Misunderstood),
    ];
    assert_eq!(told(&w), expected);
}
