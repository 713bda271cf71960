//! What must hold on any leg and in any order of calls.

use std::time::Duration;

use proptest::prelude::*;

use super::rig::{Rig, key, tone};
use crate::media::{CallTime, MarkId, MediaCommand};
use crate::playout::{PlayOut, PlayOutConfig, SegmentKey, SegmentState, WordSpan};
use crate::sim::Impairments;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Ways a leg over the ordinary internet can be, without losses.
fn ordinary_leg() -> impl Strategy<Value = Impairments> {
    (0..70u64, 0..70u64, 0..25u64).prop_map(|(out, back, jitter)| Impairments {
        delay_out: ms(out),
        delay_back: ms(back),
        jitter: ms(jitter),
        ..Impairments::default()
    })
}

/// Any leg at all.
fn bad_leg() -> impl Strategy<Value = Impairments> {
    let stall = prop::option::of((0..4_000u64, 0..5_000u64));
    let stop = prop::option::of(0..6_000u64);
    (0..300u64, 0..300u64, 0..400u64, 0..200u16, 0..=1_000u16, stall, stop).prop_map(
        |(out, back, jitter, loss, mark_loss, stall, stop)| Impairments {
            delay_out: ms(out),
            delay_back: ms(back),
            jitter: ms(jitter),
            loss_per_mille: loss,
            mark_loss_per_mille: mark_loss,
            stop_at: stop.map(CallTime::from_ms),
            stall: stall.map(|(from, length)| (CallTime::from_ms(from), ms(length))),
        },
    )
}

/// One call to a play-out.
#[derive(Clone, Debug)]
enum Call {
    Plan(SegmentKey),
    Push(SegmentKey, usize),
    Finish(SegmentKey),
    Release(SegmentKey),
    Cancel(u32),
    Clear,
    Poll,
    Mark(u64),
    Duck(bool),
    Hold(bool),
    Wait(u64),
}

fn any_key() -> impl Strategy<Value = SegmentKey> {
    (0..4u32, 0..3u16).prop_map(|(group, index)| key(group, index))
}

fn any_call() -> impl Strategy<Value = Call> {
    prop_oneof![
        4 => any_key().prop_map(Call::Plan),
        6 => (any_key(), 0..9_000usize).prop_map(|(k, n)| Call::Push(k, n)),
        3 => any_key().prop_map(Call::Finish),
        5 => any_key().prop_map(Call::Release),
        1 => (0..4u32).prop_map(Call::Cancel),
        1 => Just(Call::Clear),
        4 => Just(Call::Poll),
        3 => (0..12u64).prop_map(Call::Mark),
        1 => any::<bool>().prop_map(Call::Duck),
        1 => any::<bool>().prop_map(Call::Hold),
        8 => (0..700u64).prop_map(Call::Wait),
    ]
}

fn apply(play: &mut PlayOut, now: &mut CallTime, call: &Call) -> Vec<MediaCommand> {
    match *call {
        Call::Plan(key) => play.plan(*now, key, "one two three".into()),
        Call::Push(key, bytes) => play.push_audio(key, &vec![tone(key.group); bytes]),
        Call::Finish(key) => play.finish(key, vec![WordSpan { text: "one".into(), start_ms: 0, end_ms: 50 }]),
        Call::Release(key) => play.release(key),
        Call::Cancel(group) => play.cancel(*now, group),
        Call::Clear => play.clear(*now),
        Call::Poll => return std::iter::from_fn(|| play.poll(*now)).collect(),
        Call::Mark(mark) => play.mark_played(*now, MarkId(mark)),
        Call::Duck(on) => play.set_duck(on),
        Call::Hold(on) => play.set_hold(on),
        Call::Wait(wait) => *now += ms(wait),
    }
    Vec::new()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_cut_is_right_to_within_100_ms(
        seed in any::<u64>(),
        leg in ordinary_leg(),
        lengths in prop::collection::vec(1..150u32, 1..6),
        cut_ms in 1..6_000u64,
    ) {
        let mut rig = Rig::new(seed, leg);
        for (index, length) in lengths.iter().enumerate() {
            rig.say(key(1, u16::try_from(index).unwrap()), length * 20);
        }
        rig.run_until(CallTime::from_ms(cut_ms));
        rig.clear();
        let ledger = rig.ledger_ms(1);
        rig.run_until(CallTime::from_ms(cut_ms + 3_000));
        let ear = rig.ear_ms();
        prop_assert!(ledger.abs_diff(ear) <= 100, "ledger {ledger} ms, ear {ear} ms");
        prop_assert_eq!(ledger, rig.ledger_ms(1));
    }

    #[test]
    fn what_is_believed_heard_lags_by_less_than_100_ms_and_never_leads(
        seed in any::<u64>(),
        leg in ordinary_leg(),
        lengths in prop::collection::vec(1..150u32, 1..6),
        looks in prop::collection::vec(1..900u64, 1..12),
    ) {
        let mut rig = Rig::new(seed, leg);
        for (index, length) in lengths.iter().enumerate() {
            rig.say(key(1, u16::try_from(index).unwrap()), length * 20);
        }
        for look in looks {
            rig.run_until(rig.now + ms(look));
            // The ear's frames are on record from their beginning on.
            let under_way = rig.sim.heard().last().map_or(0, |f| u64::try_from(f.to.since(rig.now).as_millis()).unwrap());
            let (ledger, ear) = (rig.ledger_ms(1), rig.ear_ms());
            prop_assert!(ledger <= ear, "ledger {ledger} ms, ear {ear} ms");
            prop_assert!(ledger + 120 >= ear - under_way.min(ear), "ledger {ledger} ms, ear {ear} ms");
        }
    }

    #[test]
    fn what_is_heard_to_the_end_is_closed_as_heard(
        seed in any::<u64>(),
        leg in ordinary_leg(),
        lengths in prop::collection::vec(1..100u32, 1..6),
        pause in 0..800u64,
    ) {
        let mut rig = Rig::new(seed, leg);
        for (index, length) in lengths.iter().enumerate() {
            rig.say(key(1, u16::try_from(index).unwrap()), length * 20);
            rig.run_until(rig.now + ms(pause));
        }
        rig.run_until(rig.now + ms(15_000));
        prop_assert!(rig.play.is_drained());
        prop_assert!(rig.play.heard(1).complete);
        prop_assert_eq!(rig.ledger_ms(1), u64::from(lengths.iter().sum::<u32>()) * 20);
        let first = rig.sim.heard()[0].from;
        let closed = rig.play.take_closed().unwrap();
        prop_assert!(closed.from.as_ms().abs_diff(first.as_ms()) <= 100);
        let mut last = closed;
        while let Some(closed) = rig.play.take_closed() {
            prop_assert!(closed.to >= last.to && !closed.estimated);
            last = closed;
        }
        let end = rig.sim.heard().last().unwrap().to;
        prop_assert!(last.to.as_ms().abs_diff(end.as_ms()) <= 100, "{:?} {:?}", last.to, end);
    }

    #[test]
    fn the_carrier_never_holds_more_than_the_cushion(
        seed in any::<u64>(),
        lengths in prop::collection::vec(1..200u32, 1..6),
        pause in 0..2_000u64,
    ) {
        let mut rig = Rig::new(seed, Impairments::default());
        for (index, length) in lengths.iter().enumerate() {
            rig.say(key(1, u16::try_from(index).unwrap()), length * 20);
            rig.run_until(rig.now + ms(pause));
        }
        rig.run_until(rig.now + ms(20_000));
        prop_assert!(rig.fullest <= 7, "{}", rig.fullest);
    }

    #[test]
    fn any_leg_closes_every_segment_in_the_end(
        seed in any::<u64>(),
        leg in bad_leg(),
        lengths in prop::collection::vec(1..100u32, 1..6),
        cut in prop::option::of(0..5_000u64),
    ) {
        let mut rig = Rig::new(seed, leg);
        for (index, length) in lengths.iter().enumerate() {
            rig.say(key(1, u16::try_from(index).unwrap()), length * 20);
        }
        if let Some(cut) = cut {
            rig.run_until(CallTime::from_ms(cut));
            rig.clear();
        }
        rig.run_until(CallTime::from_ms(25_000));
        prop_assert!(rig.play.is_drained());
        let closed: Vec<_> = std::iter::from_fn(|| rig.play.take_closed()).collect();
        prop_assert_eq!(closed.len(), lengths.len());
        prop_assert!(closed.iter().all(|c| c.from <= c.to));
        prop_assert!(closed.iter().all(|c| c.state == SegmentState::Heard || cut.is_some()));
        // Up to 20 frames of 20 ms, and one that the carrier has not begun.
        prop_assert!(rig.play.cushion() <= ms(400));
    }

    #[test]
    fn no_order_of_calls_breaks_it(calls in prop::collection::vec(any_call(), 0..120)) {
        let mut play = PlayOut::new(PlayOutConfig::default());
        let mut now = CallTime::ZERO;
        let mut free_at = CallTime::ZERO;
        for call in &calls {
            for command in apply(&mut play, &mut now, call) {
                if matches!(command, MediaCommand::Clear) {
                    free_at = now;
                }
                if matches!(command, MediaCommand::Frame(_)) {
                    free_at = free_at.max(now) + ms(20);
                    prop_assert!(free_at.since(now) <= ms(400), "{:?} ahead", free_at.since(now));
                }
            }
            if matches!(call, Call::Poll) {
                prop_assert!(play.deadline().is_none_or(|at| at > now));
            }
        }
        play.clear(now);
        while play.poll(now).is_some() {}
        prop_assert!(play.is_drained() && !play.is_audible(now));
        prop_assert_eq!(play.pending_ms(), 0);
    }

    #[test]
    fn nothing_of_a_cancelled_or_cleared_group_is_sent_after(
        before in prop::collection::vec(any_call(), 0..60),
        clear in any::<bool>(),
        after in prop::collection::vec(any_call(), 0..60),
    ) {
        let mut play = PlayOut::new(PlayOutConfig::default());
        let mut now = CallTime::ZERO;
        for call in &before {
            apply(&mut play, &mut now, call);
        }
        if clear { play.clear(now) } else { play.cancel(now, 2) }
        play.set_duck(false);
        let mut cleared = !clear;
        for call in after.iter().chain([Call::Wait(5_000), Call::Poll].iter()) {
            // What is planned anew under the same group is another matter.
            if matches!(call, Call::Plan(_) | Call::Duck(_)) {
                continue;
            }
            for command in apply(&mut play, &mut now, call) {
                cleared |= matches!(command, MediaCommand::Clear);
                prop_assert!(cleared, "the clear comes first");
                if let MediaCommand::Frame(frame) = command {
                    prop_assert!(!clear && !frame.0.contains(&tone(2)));
                }
            }
        }
    }
}
