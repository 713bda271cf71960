//! What a call costs, on the record, and what happens when it costs too much.

use std::sync::Arc;

use super::GREETED;
use super::world::{Habits, World, say};
use crate::cost::Prices;
use crate::event::EventBody;
use crate::ports::{CallRecord, EndReason, Meter, ReplyCommand, ReplyEvent, Usage};
use crate::session::{Input, SessionConfig};

fn config(budget: Option<u64>) -> SessionConfig {
    let mut prices = Prices::default();
    prices.set("voice", "*", Meter::Characters, 0.05);
    prices.set("model", "*", Meter::OutputTokens, 10.0);
    prices.set("line", "*", Meter::LineMs, 0.01);
    SessionConfig {
        prices: Arc::new(prices),
        carrier: Some("line".into()),
        call_budget_micros: budget,
        ..SessionConfig::default()
    }
}

fn charged() -> Habits {
    Habits { charges: true, ..Habits::default() }
}

#[test]
fn every_turn_is_billed_and_the_bill_sums_to_the_call() {
    let mut w = World::of(vec![say(GREETED, 5_000, "When is the office open?")], charged(), config(None));
    w.run_to(14_000);
    w.at(14_001, Input::CarrierStopped);
    w.run_to(20_000);
    let costs = w.records.iter().filter_map(|(_, e)| match e.record {
        CallRecord::Cost { turn, turn_micros, call_micros, .. } => Some((turn.0, turn_micros, call_micros)),
        _ => None,
    });
    let costs: Vec<(u32, u64, u64)> = costs.collect();
    assert_eq!(costs.iter().map(|c| c.0).collect::<Vec<_>>(), [0, 1, 1], "{costs:?}");
    let sum: u64 = costs.iter().map(|c| c.1).sum();
    assert!(costs.last().unwrap().2.abs_diff(sum) <= 2, "{costs:?}");
    let letters: usize = w.spoken.iter().map(|(_, s)| s.text.len()).sum();
    let expected = letters as u64 * 50 + 14_001 * 10_000 / 60_000;
    assert!(costs.last().unwrap().2.abs_diff(expected) <= 20, "{expected} {costs:?}");
}

#[test]
fn a_call_over_its_budget_is_told_and_ended() {
    let mut w =
        World::of(vec![say(GREETED, 5_000, "When is the office open?")], charged(), config(Some(5_000)));
    w.run_to(60_000);
    assert_eq!(w.ended.unwrap().1, EndReason::Budget);
    assert!(w.spoken.iter().any(|(_, s)| s.text.contains("I have to end this call here")));
    assert!(w.closed);
}

#[test]
fn tokens_of_replies_that_were_thrown_away_are_counted_and_capped() {
    // Somebody who pauses all the time: each pause begins a reply, each resumption throws it away.
    let script: Vec<_> =
        (0..12).map(|i| say(GREETED + i * 700, GREETED + i * 700 + 400, "and then there was this")).collect();
    let starts = |cap: u64| {
        let config = SessionConfig { wasted_tokens_per_call: cap, ..config(None) };
        let mut w = World::of(script.clone(), Habits::default(), config);
        let mut seen = 0;
        for ms in (GREETED..18_000).step_by(50) {
            w.run_to(ms);
            let cancelled: Vec<_> = w.commands[seen..]
                .iter()
                .filter_map(|(_, c)| match c {
                    ReplyCommand::Cancel { turn } => Some(*turn),
                    _ => None,
                })
                .collect();
            seen = w.commands.len();
            for turn in cancelled {
                let (provider, model) = ("model".into(), "m".into());
                let usage = Usage { provider, model, meter: Meter::OutputTokens, amount: 900 };
                w.at(ms + 1, Input::Reply(ReplyEvent::Used { turn, usage, speculative: true }));
            }
        }
        let guess = |c: &ReplyCommand| matches!(c, ReplyCommand::Start { speculative: true, .. });
        let begun = w.commands.iter().filter(|(_, c)| guess(c)).count();
        let wasted = w.events.iter().filter_map(|(_, e)| match e {
            EventBody::Cost { wasted_tokens, .. } => Some(*wasted_tokens),
            _ => None,
        });
        (begun, wasted.max().unwrap_or(0))
    };
    let (free, wasted) = starts(u64::MAX);
    let (capped, _) = starts(900);
    assert!(free >= 3 && capped < free, "{free} guesses without a cap, {capped} with one");
    assert!(wasted >= 1_800, "{wasted}");
}
