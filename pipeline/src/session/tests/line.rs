//! A caller who waits in line for a person.

use super::GREETED;
use super::world::{Habits, Speech, World, say};
use crate::event::{ControlReason, EventBody};
use crate::ports::{AfterReply, InLine, NotTaken, ReplyCommand, Returned, TurnInput};
use crate::session::state::Control;
use crate::session::{Input, Phrases, Supervisor};

const CLERK: &str = "the clerk's office";

/// A caller who was greeted, and waits in line after our next reply.
fn world_in_line(more: Vec<Speech>) -> World {
    let asks = say(GREETED, 5_000, "Yes, I'll wait.");
    let mut w = World::new([asks].into_iter().chain(more).collect(), Habits::default());
    w.run_to(GREETED);
    w.habits.then = AfterReply::Wait;
    w
}

fn stands(place: u32) -> InLine {
    InLine { target: CLERK.into(), place, minutes: None }
}

fn reasons(w: &World) -> Vec<ControlReason> {
    let of = |event: &EventBody| match event {
        EventBody::Control { reason, .. } => Some(*reason),
        _ => None,
    };
    w.events.iter().filter_map(|(_, event)| of(event)).collect()
}

fn said_between(w: &World, from_ms: u64, to_ms: u64) -> Vec<String> {
    let within = |at: u64| from_ms <= at && at < to_ms;
    w.spoken.iter().filter(|(at, _)| within(at.as_ms())).map(|(_, said)| said.text.clone()).collect()
}

/// When a reply was begun to this.
fn begun(w: &World, wanted: &TurnInput) -> Option<u64> {
    let is = |c: &ReplyCommand| matches!(c, ReplyCommand::Start { input, .. } if input == wanted);
    w.commands.iter().find(|(_, command)| is(command)).map(|(at, _)| at.as_ms())
}

#[test]
fn words_come_at_intervals_with_the_place_when_it_changed_and_nobody_listens_between_them() {
    let mut w = world_in_line(vec![say(24_000, 26_000, "I am talking to somebody else.")]);
    w.at(12_000, Input::Supervisor(Supervisor::InLine(stands(2))));
    w.run_to(20_000);
    assert_eq!((w.session.regions().control, reasons(&w)), (Control::Held, vec![ControlReason::Held]));
    let before = w.recognised_since(20_000);
    w.run_to(27_000);
    assert_eq!(w.recognised_since(20_000), before, "no sound reaches the recogniser");
    w.run_to(60_000);
    let first = begun(&w, &TurnInput::InLine(stands(2))).expect("the place is told");
    assert!(w.recognised_since(first) > 0, "for a moment they are heard");
    w.at(61_000, Input::Supervisor(Supervisor::InLine(stands(2))));
    w.run_to(100_000);
    let still = Phrases::default().still_in_line;
    assert!(said_between(&w, 40_000, 100_000).contains(&still), "the same place is not told again");
    w.at(100_000, Input::Supervisor(Supervisor::InLine(stands(1))));
    w.run_to(140_000);
    assert!(begun(&w, &TurnInput::InLine(stands(1))).is_some());
    assert_eq!(w.caller_turns(), ["Yes, I'll wait."]);
    assert_eq!(reasons(&w), [ControlReason::Held]);
    assert!(w.ended.is_none());
}

#[test]
fn who_speaks_after_a_word_is_heard_and_who_leaves_the_line_is_with_the_agent() {
    let mut w = world_in_line(Vec::new());
    w.run_to(20_000);
    w.at(20_000, Input::Supervisor(Supervisor::InLine(stands(2))));
    while begun(&w, &TurnInput::InLine(stands(2))).is_none() {
        let next = w.now.as_ms() + 500;
        assert!(next < 60_000);
        w.run_to(next);
    }
    let (from, leaves) = (w.now.as_ms() + 6_500, "Call me back, please.");
    w.speaks(say(from, from + 1_200, leaves));
    w.run_to(from);
    w.habits.then = AfterReply::Listen;
    w.run_to(from + 12_000);
    assert_eq!(w.caller_turns().last(), Some(&leaves.to_owned()));
    assert_eq!(w.session.regions().control, Control::Agent);
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
    let stale = w.session.stale();
    w.at(w.now.as_ms() + 20, Input::Supervisor(Supervisor::YourTurn { target: CLERK.into() }));
    w.run_to(w.now.as_ms() + 100);
    assert_eq!(w.session.stale(), stale + 1, "there is no turn for who left");
}

#[test]
fn a_key_counts_while_nobody_listens() {
    let mut w = world_in_line(Vec::new());
    w.run_to(25_000);
    assert_eq!(w.session.regions().control, Control::Held);
    w.habits.then = AfterReply::Listen;
    w.at(25_000, Input::Digit('1'));
    w.run_to(25_200);
    assert!(begun(&w, &TurnInput::Digits { digits: "1".into() }).is_some());
    w.run_to(40_000);
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
}

#[test]
fn when_it_is_their_turn_the_agent_says_so_and_they_go() {
    let mut w = world_in_line(Vec::new());
    w.run_to(25_000);
    w.habits.then = AfterReply::Transfer;
    w.at(25_000, Input::Supervisor(Supervisor::YourTurn { target: CLERK.into() }));
    w.run_to(25_100);
    assert!(begun(&w, &TurnInput::YourTurn { target: CLERK.into() }).is_some());
    assert_eq!(reasons(&w), [ControlReason::Held, ControlReason::HeldNoMore]);
    w.run_to(60_000);
    assert_eq!(w.ended.map(|(_, reason)| reason), Some(crate::ports::EndReason::Transferred));
}

#[test]
fn nobody_waits_for_ever() {
    let mut w = world_in_line(Vec::new());
    w.at(20_000, Input::Supervisor(Supervisor::InLine(stands(3))));
    w.run_to(46 * 60_000);
    let busy = Returned { target: CLERK.into(), why: NotTaken::Busy };
    assert!(begun(&w, &TurnInput::Returned(busy)).is_some());
}
