#![allow(clippy::unwrap_used)]
//! Every fault of the list, on the preferred voice: what the caller hears of it.

use std::time::Duration;

use pipeline::ports::ProviderState;
use tests::vendors::fault::Fault;

use super::rig::{Call, LETTER_MS, Vendors, bytes_of, id};

const FIRST: &str = "Your street light report has been filed today.";
const SECOND: &str = "A crew will come by on Friday.";

/// Two segments of one turn with the preferred voice at fault from before the call; the call, once both are over.
async fn reply_under(fault: Fault) -> (Vendors, Call) {
    let vendors = Vendors::start().await;
    vendors.eleven.faults.set(fault);
    let mut call = Call::of(&vendors.chain());
    call.say(1, 0, FIRST).await;
    call.say(1, 1, SECOND).await;
    call.hear(1, 1).await;
    (vendors, call)
}

/// A voice that says nothing at all has its whole time before another speaks; one that fails has not.
fn within(fault: &Fault) -> Duration {
    match fault {
        Fault::Stall | Fault::HalfOpen => Duration::from_secs(2),
        _ => Duration::from_secs(1),
    }
}

fn check(fault: &Fault, call: &Call) {
    let (first, second) = (&call.segments[&id(1, 0)], &call.segments[&id(1, 1)]);
    assert_eq!(call.order, [id(1, 0), id(1, 1)], "{fault:?}");
    assert!(first.failed.is_none() && second.failed.is_none(), "{fault:?}: {call:?}");
    assert!(first.began.unwrap() < within(fault), "{fault:?} began after {:?}", first.began);
    assert_eq!(second.bytes, bytes_of(SECOND), "{fault:?}");
    let troubled = |state| call.notes.iter().any(|n| n.provider == "elevenlabs" && n.state == state);
    assert!(troubled(ProviderState::Failed) || troubled(ProviderState::Slow), "{fault:?}: {:?}", call.told());
    let took_over = call.notes.iter().filter(|n| n.state == ProviderState::TookOver).count();
    assert_eq!((took_over, call.told().last().unwrap().as_str()), (1, "deepgram took_over"), "{fault:?}");
}

#[tokio::test]
async fn a_voice_that_gives_nothing_is_replaced_within_the_turn() {
    let status = |status, retry_after| Fault::Status { status, retry_after };
    for fault in [
        Fault::Stall,
        Fault::Garbage,
        Fault::CloseAfter(0),
        Fault::CloseAfter(1),
        Fault::CloseAfter(900),
        Fault::HalfOpen,
        Fault::ErrorFrame("max_active_conversations".into()),
        status(401, None),
        status(429, Some(30.0)),
        status(500, None),
        status(529, None),
    ] {
        let (vendors, call) = reply_under(fault.clone()).await;
        check(&fault, &call);
        assert_eq!(call.segments[&id(1, 0)].bytes, bytes_of(FIRST), "{fault:?}");
        assert_eq!(vendors.aura.seen(), [FIRST, SECOND], "{fault:?}");
        assert_eq!(vendors.aura.violations(), [""; 0]);
    }
}

#[tokio::test]
async fn a_voice_that_breaks_off_is_continued_at_the_right_word() {
    for fault in [
        Fault::StallAfter(1),
        Fault::StallAfter(4),
        Fault::StallAfter(9),
        Fault::CloseAfter(3_000),
        Fault::CloseAfter(9_999),
        Fault::CloseAfter(20_000),
        Fault::Drip(Duration::from_millis(700)),
    ] {
        let (vendors, call) = reply_under(fault.clone()).await;
        check(&fault, &call);
        let heard = &call.segments[&id(1, 0)];
        // Each character lasts 60 ms: a word was delivered if its last one was.
        let delivered_ms = heard.before_switch[0] / 8;
        let ends = FIRST.char_indices().rfind(|(i, c)| *c == ' ' && i * LETTER_MS <= delivered_ms);
        let rest = ends.map_or(FIRST, |(i, _)| &FIRST[i + 1..]);
        assert_eq!(vendors.aura.seen()[0], rest, "{fault:?}: {delivered_ms} ms were delivered");
        assert_eq!(heard.bytes, heard.before_switch[0] + bytes_of(rest), "{fault:?}");
        let words = heard.words.as_ref().unwrap();
        let texts: Vec<_> = words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(texts.join(" "), FIRST, "{fault:?}: the words of both, once each");
        assert!(words.windows(2).all(|w| w[0].end_ms <= w[1].start_ms), "{fault:?}: {words:?}");
        assert!(words.last().unwrap().end_ms as usize <= heard.bytes / 8, "{fault:?}");
    }
}

#[tokio::test]
async fn a_connection_closed_at_any_byte_costs_no_word() {
    let mut calls = tokio::task::JoinSet::new();
    for bytes in (0..26_000).step_by(997) {
        calls.spawn(async move { (bytes, reply_under(Fault::CloseAfter(bytes)).await.1) });
    }
    while let Some(Ok((bytes, call))) = calls.join_next().await {
        let heard = &call.segments[&id(1, 0)];
        assert_eq!(call.order, [id(1, 0), id(1, 1)], "after {bytes}");
        let texts: Vec<_> = heard.words.iter().flatten().map(|w| w.text.as_str()).collect();
        assert_eq!((texts.join(" ").as_str(), heard.failed.is_none()), (FIRST, true), "after {bytes}");
        // At most the word in which it broke off is heard twice; nothing is missing but the space before it.
        let most = bytes_of(FIRST) + bytes_of("report");
        assert!(
            (bytes_of(FIRST) - bytes_of(" ")..=most).contains(&heard.bytes),
            "after {bytes}: {}",
            heard.bytes
        );
        assert_eq!(call.segments[&id(1, 1)].bytes, bytes_of(SECOND), "after {bytes}");
    }
}

#[tokio::test]
async fn a_fault_that_comes_in_mid_call_is_met_as_well() {
    let status = |status| Fault::Status { status, retry_after: None };
    for fault in [Fault::Stall, Fault::Garbage, Fault::CloseAfter(0), status(500)] {
        let vendors = Vendors::start().await;
        let mut call = Call::of(&vendors.chain());
        call.turn(1, FIRST).await;
        assert_eq!(call.told(), [""; 0], "{fault:?}");
        vendors.eleven.faults.set(fault.clone());
        call.cancel(1).await; // Nothing of the first turn is left to play.
        let heard = call.turn(2, SECOND).await;
        assert_eq!((heard.bytes, heard.failed.is_none()), (bytes_of(SECOND), true), "{fault:?}");
        assert!(heard.began.unwrap() < within(&fault), "{fault:?}: {:?}", heard.began);
    }
}
