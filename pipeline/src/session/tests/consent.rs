//! Nobody hears and nothing is recorded before the caller was told, or against their word.

use super::world::{Habits, World, say};
use crate::event::EventBody;
use crate::ports::{CallRecord, Consented, ReplyCommand, ReplyEvent};
use crate::session::{Input, Supervisor};
use crate::turn::TurnId;

fn tells() -> Habits {
    Habits { tells: true, ..Habits::default() }
}

fn told(w: &World) -> Vec<Consented> {
    let of =
        |e: &EventBody| if let EventBody::Consent { consented, .. } = e { Some(*consented) } else { None };
    w.events.iter().filter_map(|(_, e)| of(e)).collect()
}

#[test]
fn it_begins_when_the_notice_was_heard_to_its_end_and_is_on_the_record() {
    let mut w = World::new(Vec::new(), tells());
    w.run_to(2_000);
    assert!(!w.session.may_record() && !w.session.may_be_heard(), "the greeting is being said");
    w.run_to(6_000);
    assert!(w.session.may_record() && w.session.may_be_heard());
    assert_eq!(told(&w), [Consented::Told]);
    let on_record = w
        .records
        .iter()
        .any(|(_, e)| matches!(e.record, CallRecord::Consent { consented: Consented::Told, .. }));
    assert!(on_record);
}

#[test]
fn a_greeting_that_says_nothing_of_it_or_was_cut_off_allows_nothing() {
    let mut w = World::new(Vec::new(), Habits::default());
    w.run_to(6_000);
    assert!(!w.session.may_record() && !w.session.may_be_heard());

    let mut cut = World::new(vec![say(600, 3_000, "Help there is a fire")], tells());
    cut.run_to(2_900);
    assert!(!cut.session.may_record(), "the emergency cut the notice off");
}

#[test]
fn a_no_in_mid_call_is_the_last_word() {
    let mut w = World::new(Vec::new(), tells());
    w.at(5_000, Input::Reply(ReplyEvent::Consent(Consented::Withdrawn)));
    w.at(5_500, Input::Reply(ReplyEvent::Consent(Consented::Agreed)));
    w.run_to(6_000);
    assert_eq!(told(&w), [Consented::Told, Consented::Withdrawn]);
    assert!(!w.session.may_record() && !w.session.may_be_heard());
}

#[test]
fn the_agent_pauses_what_may_be_recorded_and_nothing_else() {
    let pauses = |w: &World| {
        let of = |e: &EventBody| match e {
            EventBody::Recording { paused, by } => Some((*paused, by.clone())),
            _ => None,
        };
        w.events.iter().filter_map(|(_, e)| of(e)).collect::<Vec<_>>()
    };
    let asked = |turn, paused| Input::Reply(ReplyEvent::Recording { turn, paused });
    let asking = |habits| {
        let mut w = World::new(vec![say(6_500, 8_000, "My card number is next")], habits);
        w.run_to(8_700);
        let begun = |(_, command): &(_, ReplyCommand)| match command {
            ReplyCommand::Start { turn, .. } => Some(*turn),
            _ => None,
        };
        let turn = w.commands.iter().filter_map(begun).next_back().unwrap();
        w.at(8_710, asked(turn, true));
        w.at(8_720, asked(TurnId(turn.0 + 7), false));
        w.run_to(8_800);
        w
    };
    let told = asking(tells());
    assert_eq!(pauses(&told), [(true, "the agent".to_owned())], "no reply of ours lets it go on");
    assert_eq!(pauses(&asking(Habits::default())), [], "nothing is recorded");
}

#[test]
fn who_takes_the_call_over_hears_the_caller_and_records_nothing() {
    let mut w = World::new(Vec::new(), Habits::default());
    w.at(5_000, Input::Supervisor(Supervisor::TakeOver { lease: 1, by: "pat".into() }));
    w.run_to(5_500);
    assert!(w.session.may_be_heard() && !w.session.may_record());
}
