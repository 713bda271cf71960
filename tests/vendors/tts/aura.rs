#![allow(clippy::unwrap_used)]
use std::time::Duration;

use pipeline::ports::{Language, TextToSpeech};
use pipeline::provider::Kind;
use tests::vendors::aura::AuraServer;
use tests::vendors::fault::Fault;
use tests::vendors::tone::VoiceOptions;
use tokio::time::{Instant, sleep};

use super::rig::{Call, aura, bytes_of, id};

async fn server() -> AuraServer {
    AuraServer::start(VoiceOptions::default()).await
}

#[tokio::test]
async fn a_segment_is_spoken_and_its_written_words_are_timed_by_share() {
    let server = server().await;
    let mut call = Call::of(&aura(&server));
    let spoken = "Call five five five, zero one nine nine.";
    let heard = call.turn(1, "Call 555-0199.").await;
    assert_eq!((server.seen(), heard.bytes), (vec![spoken.to_owned()], bytes_of(spoken)));
    let words: Vec<_> =
        heard.words.iter().flatten().map(|w| (w.text.as_str(), w.start_ms, w.end_ms)).collect();
    assert_eq!(words, [("Call", 0, 240), ("555-0199.", 300, 2_400)]);
    assert_eq!((call.used[0].model.as_str(), call.used[0].amount), ("aura-2-thalia-en", spoken.len() as u64));
    assert_eq!(server.violations(), [""; 0]);
}

#[tokio::test]
async fn segments_come_whole_and_in_order() {
    let server = server().await;
    let mut call = Call::of(&aura(&server));
    for i in 0..8 {
        call.say(1, i, "This is one of them.").await;
    }
    call.hear(1, 7).await;
    assert_eq!(call.order, (0..8).map(|i| id(1, i)).collect::<Vec<_>>());
    assert!(call.segments.values().all(|s| s.bytes == bytes_of("This is one of them.")));
}

#[tokio::test]
async fn audio_that_comes_before_a_clear_is_answered_is_dropped() {
    let slow = VoiceOptions { spacing: Duration::from_millis(60), ..VoiceOptions::default() };
    let server = AuraServer::start(slow).await;
    let mut call = Call::of(&aura(&server));
    call.say(1, 0, "This is a long sentence that nobody wants to hear.").await;
    call.say(1, 1, "And neither is this.").await;
    call.wait(Duration::from_millis(300)).await;
    call.cancel(1).await;
    let heard = call.turn(2, "This one is wanted.").await.bytes;
    assert_eq!(heard, bytes_of("This one is wanted."), "and nothing of the other");
    assert_eq!(server.violations(), [""; 0]);
}

#[tokio::test]
async fn a_fresh_connection_takes_over_before_the_flushes_of_a_minute_are_used_up() {
    let quick = VoiceOptions { first_after: Duration::from_millis(5), ..VoiceOptions::default() };
    let server = AuraServer::start(quick).await;
    let mut call = Call::of(&aura(&server));
    for i in 0..45 {
        call.say(1, i, "Yes.").await;
        call.hear(1, i).await;
    }
    assert!(call.segments.values().all(|s| s.bytes == bytes_of("Yes.") && s.failed.is_none()));
    assert_eq!(server.violations(), [""; 0]);
    assert_eq!(server.upgrades().len(), 4, "18, 18 and 9 flushes, and one kept ready");
}

#[tokio::test]
async fn long_texts_go_in_pieces_that_the_vendor_takes() {
    let quick = VoiceOptions { letter_ms: 1, ..VoiceOptions::default() };
    let server = AuraServer::start(quick).await;
    let mut call = Call::of(&aura(&server));
    let text = "This sentence has thirty-six chars. ".repeat(120);
    let heard = call.turn(1, text.trim()).await;
    assert_eq!(heard.bytes, text.trim().len() * 8);
    assert_eq!((server.violations(), server.seen()), (vec![], vec![text.trim().to_owned()]));
}

#[tokio::test]
async fn a_connection_lost_between_turns_is_no_failure() {
    let impatient = VoiceOptions { inactivity: Some(Duration::from_millis(300)), ..VoiceOptions::default() };
    let server = AuraServer::start(impatient).await;
    let mut call = Call::of(&aura(&server));
    call.turn(1, "Good morning.").await;
    call.wait(Duration::from_millis(700)).await;
    assert_eq!(call.turn(2, "Still here.").await.bytes, bytes_of("Still here."));
}

#[tokio::test]
async fn each_fault_fails_the_segment_with_its_kind_and_in_time() {
    let status = |status, retry_after| Fault::Status { status, retry_after };
    for (fault, kind) in [
        (Fault::Stall, Kind::Stalled),
        (Fault::StallAfter(5), Kind::Stalled),
        (Fault::Garbage, Kind::Garbage),
        (Fault::ErrorFrame("NET-0000".into()), Kind::Server),
        (Fault::Drip(Duration::from_millis(900)), Kind::Stalled),
        (Fault::HalfOpen, Kind::Connect),
        (status(401, None), Kind::Unauthorised),
        (status(402, None), Kind::Unauthorised),
        (status(429, None), Kind::RateLimited { retry_after: None }),
        (status(500, None), Kind::Server),
    ] {
        let server = server().await;
        server.faults.set(fault.clone());
        let mut call = Call::of(&aura(&server));
        let before = Instant::now();
        let heard = call.turn(1, "This is a sentence of some length.").await;
        assert_eq!(heard.failed.as_ref().map(|f| f.kind), Some(kind), "{fault:?}: {:?}", heard.failed);
        assert!(before.elapsed() < Duration::from_millis(2_500), "{fault:?} took {:?}", before.elapsed());
        server.faults.set(Fault::None);
        assert_eq!(call.turn(2, "Here again.").await.bytes, bytes_of("Here again."), "{fault:?}");
    }
}

#[tokio::test]
async fn a_connection_lost_inside_a_segment_fails_it_and_serves_the_next() {
    for bytes in [0, 1, 700, 2_001, 9_000] {
        let server = server().await;
        let mut call = Call::of(&aura(&server));
        call.turn(1, "Good morning.").await;
        server.faults.set(Fault::CloseAfter(bytes));
        let failed = call.turn(2, "This is a sentence of some length.").await.failed.clone().unwrap();
        assert!(failed.kind.is_worth_one_retry(), "after {bytes}: {failed}");
        server.faults.set(Fault::None);
        assert_eq!(call.turn(3, "Here again.").await.bytes, bytes_of("Here again."), "after {bytes}");
    }
}

#[tokio::test]
async fn a_language_without_a_voice_is_refused_at_open_and_fails_later() {
    let server = server().await;
    let voice = aura(&server);
    let error = voice.open(&Language::Es.into()).unwrap_err();
    assert!(error.to_string().contains("no voice for the language es"), "{error}");
    let mut call = Call::of(&voice);
    call.change_to(Language::Es).await;
    assert_eq!(call.turn(1, "Hola.").await.failed.as_ref().unwrap().kind, Kind::Refused);
    call.change_to(Language::En).await;
    assert_eq!(call.turn(2, "Hello.").await.bytes, bytes_of("Hello."));
}

#[tokio::test]
async fn no_task_is_left_when_a_call_is_over() {
    let server = server().await;
    let voice = aura(&server);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    Call::of(&voice).turn(1, "Good morning.").await;
    sleep(Duration::from_millis(400)).await;
    let before = tasks();
    for _ in 0..5 {
        let mut call = Call::of(&voice);
        call.say(1, 0, "Good morning, this is a sentence.").await;
        call.wait(Duration::from_millis(100)).await;
        call.close();
    }
    sleep(Duration::from_millis(600)).await;
    assert_eq!(tasks(), before);
}
