//! Whole calls over bad legs: whatever the line does, the record adds up and the call ends.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use telephony::media::CallTime;
use telephony::sim::Impairments;

use super::world::{Habits, Speech, World};
use crate::ports::{CallRecord, EndReason, Played};
use crate::session::Input;
use crate::turn::SegmentId;

fn impairments() -> impl Strategy<Value = Impairments> {
    let ms = Duration::from_millis;
    (
        0u64..200,
        0u64..200,
        0u64..120,
        0u16..60,
        0u16..300,
        prop::option::of((2_000u64..20_000, 200u64..3_000)),
    )
        .prop_map(move |(out, back, jitter, loss, marks, stall)| Impairments {
            delay_out: ms(out),
            delay_back: ms(back),
            jitter: ms(jitter),
            loss_per_mille: loss,
            mark_loss_per_mille: marks,
            stop_at: None,
            stall: stall.map(|(at, long)| (CallTime::from_ms(at), ms(long))),
        })
}

fn speech() -> impl Strategy<Value = Vec<Speech>> {
    let text =
        prop::sample::select(vec!["", "Uh-huh.", "When are you open?", "Stop please", "I want to report a"]);
    prop::collection::vec((100u64..4_000, 150u64..2_500, text, 0f32..1.0), 0..8).prop_map(|parts| {
        let mut at = 500;
        parts
            .into_iter()
            .map(|(gap, length, text, complete)| {
                let from_ms = at + gap;
                at = from_ms + length;
                Speech { from_ms, to_ms: at, text, complete }
            })
            .collect()
    })
}

/// What became of each planned segment.
fn accounts(world: &World) -> BTreeMap<SegmentId, Vec<Played>> {
    let mut accounts: BTreeMap<SegmentId, Vec<Played>> = BTreeMap::new();
    for (_, entry) in &world.records {
        match &entry.record {
            CallRecord::Planned { segment } => {
                accounts.entry(segment.id).or_default();
            }
            CallRecord::Played { segment, state, .. } => {
                accounts.entry(*segment).or_default().push(*state);
            }
            _ => {}
        }
    }
    accounts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn every_planned_segment_is_accounted_for_and_the_call_ends(
        seed in any::<u64>(), leg in impairments(), script in speech(), hang_up in 1_000u64..40_000,
    ) {
        let mut w = World::impaired(script, Habits::default(), seed, leg);
        w.at(hang_up, Input::CarrierStopped);
        w.run_to(hang_up + 10_000);
        let Some((_, reason)) = w.ended else { panic!("the call never ended: {:?}", w.session.regions()) };
        // A caller who says nothing for long enough is hung up on before they hang up.
        prop_assert!(matches!(reason, EndReason::CallerHungUp | EndReason::NoInput), "{reason:?}");
        for (segment, states) in accounts(&w) {
            prop_assert!(!states.is_empty(), "{segment:?} was planned and nobody knows what became of it");
        }
        let last = w.records.last().map(|(_, e)| e.record.clone());
        prop_assert_eq!(last, Some(CallRecord::Ended { reason }));
    }

    #[test]
    fn heard_words_never_exceed_what_reached_the_ear(
        seed in any::<u64>(), leg in impairments(), script in speech(),
    ) {
        let leg = Impairments { loss_per_mille: 0, ..leg };
        let mut w = World::impaired(script, Habits::default(), seed, leg);
        w.run_to(25_000);
        // Each letter is 60 ms; the ear must have got at least as much sound as the heard words need.
        let heard: usize = w.records.iter().filter_map(|(_, e)| match &e.record {
            // An estimate says that it is one; what is claimed as known must be so.
            CallRecord::Played { heard_text, estimated: false, .. } => Some(heard_text.len()),
            _ => None,
        }).sum();
        let ear: u64 = w.carrier.heard().iter().map(|f| f.to.since(f.from).as_millis() as u64).sum();
        prop_assert!(heard as u64 * 60 <= ear + 100 * (w.records.len() as u64 + 1), "{heard} letters in {ear} ms");
    }
}
