#![allow(clippy::unwrap_used)]
use std::time::Duration;

use pipeline::lexicon::Lexicon;
use pipeline::ports::{Language, Meter, Saying, TextToSpeech, Usage};
use pipeline::provider::Kind;
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::fault::Fault;
use tests::vendors::tone::VoiceOptions;
use tokio::time::{Instant, sleep};

use super::rig::{Call, LETTER_MS, bytes_of, elevenlabs, id};

async fn server() -> ElevenLabsServer {
    ElevenLabsServer::start(VoiceOptions::default()).await
}

#[tokio::test]
async fn a_segment_is_spoken_timed_by_written_words_and_billed() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    let spoken = "Your fee is five dollars and twenty cents today.";
    let heard = call.turn(1, "Your fee is $5.20 today.").await;
    assert_eq!(heard.bytes, bytes_of(spoken));
    let words = heard.words.as_ref().unwrap();
    let span = |text: &str| {
        let at = spoken.find(text).unwrap() * LETTER_MS;
        (at as u32, (at + text.len() * LETTER_MS) as u32)
    };
    let expected = ["Your", "fee", "is", "five dollars and twenty cents", "today."].map(span);
    assert_eq!(words.iter().map(|w| (w.start_ms, w.end_ms)).collect::<Vec<_>>(), expected);
    assert_eq!(words[3].text, "$5.20");
    assert_eq!(server.seen(), [spoken]);
    let usage = Usage {
        provider: "elevenlabs".into(),
        model: "eleven_flash_v2_5".into(),
        meter: Meter::Characters,
        amount: spoken.len() as u64,
    };
    assert_eq!((call.used.as_slice(), server.violations()), (&[usage][..], vec![]));
}

#[tokio::test]
async fn the_language_is_named_to_models_that_take_it() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    call.turn(1, "Good morning.").await;
    call.change_to(Language::Es).await;
    call.turn(2, "Buenos días.").await;
    let named = |voice: &str| {
        let all = server.upgrades();
        let of_voice = all.iter().filter(|asked| asked.path.contains(voice));
        of_voice.map(|asked| asked.value("language_code").to_owned()).collect::<Vec<_>>()
    };
    assert!(named("voice-en").iter().all(|code| code == "en") && !named("voice-en").is_empty());
    assert!(named("voice-es").iter().all(|code| code == "es") && !named("voice-es").is_empty());
    assert_eq!(server.violations(), [""; 0]);
}

#[tokio::test]
async fn words_are_estimated_when_the_vendor_tells_no_times() {
    let server = ElevenLabsServer::start(VoiceOptions { alignment: false, ..VoiceOptions::default() }).await;
    let mut call = Call::of(&elevenlabs(&server));
    let words = call.turn(1, "one two").await.words.clone().unwrap();
    assert_eq!(words.iter().map(|w| (w.start_ms, w.end_ms)).collect::<Vec<_>>(), [(0, 180), (240, 420)]);
}

#[tokio::test]
async fn the_tenants_respellings_are_sent_and_phonemes_are_not() {
    let server = server().await;
    let entries = [("Puyallup", "pew-allup"), ("Xenia", "/zˈiniə/")];
    let lexicon = Lexicon::new(entries.map(|(word, sound)| (word.to_owned(), sound.to_owned())));
    let saying = Saying { lexicon: std::sync::Arc::new(lexicon), ..Saying::default() };
    let mut call = Call::saying(&elevenlabs(&server), &saying);
    let words = call.turn(1, "Puyallup or Xenia").await.words.clone().unwrap();
    assert_eq!(server.seen(), ["pew-allup or Xenia"]);
    assert_eq!(words.iter().map(|w| w.text.as_str()).collect::<Vec<_>>(), ["Puyallup", "or", "Xenia"]);
}

#[tokio::test]
async fn many_short_segments_keep_to_five_contexts_and_to_their_order() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    for i in 0..20 {
        call.say(1, i, "Yes.").await;
    }
    call.hear(1, 19).await;
    assert_eq!(call.order, (0..20).map(|i| id(1, i)).collect::<Vec<_>>());
    assert!(call.segments.values().all(|s| s.bytes == bytes_of("Yes.")));
    assert_eq!((server.violations(), server.upgrades().len()), (vec![], 2), "the call's, and one kept ready");
}

#[tokio::test]
async fn nothing_is_heard_of_a_cancelled_turn_though_its_audio_still_comes() {
    let slow = VoiceOptions { spacing: Duration::from_millis(60), ..VoiceOptions::default() };
    let server = ElevenLabsServer::start(slow).await;
    let mut call = Call::of(&elevenlabs(&server));
    call.say(1, 0, "This is a long sentence that nobody wants to hear.").await;
    call.say(1, 1, "And neither is this.").await;
    call.wait(Duration::from_millis(300)).await;
    call.cancel(1).await;
    call.say(2, 0, "This one is wanted.").await;
    sleep(Duration::from_millis(50)).await;
    let before = call.segments[&id(1, 0)].bytes;
    let heard = call.hear(2, 0).await.bytes;
    call.wait(Duration::from_millis(500)).await;
    assert_eq!(heard, bytes_of("This one is wanted."));
    assert!(
        before > 0 && call.segments[&id(1, 0)].bytes <= before + 2 * 1_600,
        "what was on its way at most"
    );
    assert!(!call.segments[&id(1, 0)].is_over() && !call.segments.contains_key(&id(1, 1)));
    assert_eq!(server.violations(), [""; 0]);
}

#[tokio::test]
async fn a_segment_asked_for_again_after_its_cancel_is_the_new_one() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    call.say(1, 0, "This is the first text of this segment.").await;
    call.wait(Duration::from_millis(20)).await;
    call.cancel(1).await;
    assert_eq!(call.turn(1, "Another.").await.bytes, bytes_of("Another."));
}

#[tokio::test]
async fn an_open_inside_a_call_takes_a_ready_connection_and_makes_no_handshake() {
    let server = server().await;
    let voice = elevenlabs(&server);
    voice.warm(&[Language::En]);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(server.upgrades().len(), 1, "one is kept ready before the first call");
    // From here on, no new connection comes about.
    server.faults.set(Fault::HalfOpen);
    let mut call = Call::of(&voice);
    let heard = call.turn(1, "Good morning.").await;
    assert_eq!(heard.bytes, bytes_of("Good morning."));
    assert!(heard.began.unwrap() < Duration::from_millis(300), "{:?}", heard.began);
    assert_eq!(server.upgrades().len(), 1);
}

#[tokio::test]
async fn without_warm_connections_the_same_call_fails() {
    let server = server().await;
    let voice = elevenlabs(&server);
    server.faults.set(Fault::HalfOpen);
    let mut call = Call::of(&voice);
    let heard = call.turn(1, "Good morning.").await;
    assert_eq!(heard.failed.as_ref().unwrap().kind, Kind::Connect);
}

#[tokio::test]
async fn a_connection_lost_between_turns_is_opened_again_at_once_and_is_no_failure() {
    let impatient = VoiceOptions { inactivity: Some(Duration::from_millis(800)), ..VoiceOptions::default() };
    let server = ElevenLabsServer::start(impatient).await;
    let mut call = Call::of(&elevenlabs(&server));
    call.turn(1, "Good morning.").await;
    call.wait(Duration::from_millis(1_100)).await;
    assert_eq!(server.upgrades().len(), 4, "the call's and the one kept ready, both lost and opened again");
    let heard = call.turn(2, "Still here.").await;
    assert_eq!(heard.bytes, bytes_of("Still here."));
    assert!(heard.began.unwrap() < Duration::from_millis(300), "{:?}", heard.began);
    assert_eq!(call.told(), [""; 0]);
}

#[tokio::test]
async fn what_waits_behind_others_is_never_asked_for_once_it_is_cancelled() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    for i in 0..12 {
        call.say(1, i, "This is one of many.").await;
    }
    call.wait(Duration::from_millis(40)).await;
    call.cancel(1).await;
    call.turn(2, "This one is wanted.").await;
    call.wait(Duration::from_millis(300)).await;
    assert_eq!(server.seen().len(), 4 + 1, "those in the vendor's hands, and the next turn's");
    assert_eq!((call.used.len(), server.violations()), (5, vec![]), "all of which are billed");
}

#[tokio::test]
async fn a_connection_lost_inside_a_segment_fails_it_and_serves_the_next() {
    for bytes in [0, 1, 700, 5_000] {
        let server = server().await;
        let mut call = Call::of(&elevenlabs(&server));
        call.turn(1, "Good morning.").await;
        server.faults.set(Fault::CloseAfter(bytes));
        let failed = call.turn(2, "This is a sentence of some length.").await.failed.clone().unwrap();
        assert!(failed.kind.is_worth_one_retry(), "after {bytes}: {failed}");
        server.faults.set(Fault::None);
        assert_eq!(call.turn(3, "Here again.").await.bytes, bytes_of("Here again."), "after {bytes}");
    }
}

#[tokio::test]
async fn each_fault_fails_the_segment_with_its_kind_and_in_time() {
    let rate = Kind::RateLimited { retry_after: Some(Duration::from_secs(7)) };
    let status = |status, retry_after| Fault::Status { status, retry_after };
    for (fault, kind) in [
        (Fault::Stall, Kind::Stalled),
        (Fault::StallAfter(3), Kind::Stalled),
        (Fault::Garbage, Kind::Garbage),
        (Fault::ErrorFrame("system_busy".into()), Kind::Overloaded),
        (Fault::Drip(Duration::from_millis(900)), Kind::Stalled),
        (Fault::HalfOpen, Kind::Connect),
        (status(401, None), Kind::Unauthorised),
        (status(429, Some(7.0)), rate),
        (status(500, None), Kind::Server),
        (status(529, None), Kind::Overloaded),
    ] {
        let server = server().await;
        server.faults.set(fault.clone());
        let mut call = Call::of(&elevenlabs(&server));
        let before = Instant::now();
        let heard = call.turn(1, "This is a sentence of some length.").await;
        assert_eq!(heard.failed.as_ref().map(|f| f.kind), Some(kind), "{fault:?}: {:?}", heard.failed);
        assert!(before.elapsed() < Duration::from_millis(2_000), "{fault:?} took {:?}", before.elapsed());
    }
}

#[tokio::test]
async fn spanish_is_spoken_by_its_own_voice_on_its_own_connection() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    call.say(1, 0, "Good morning.").await;
    call.change_to(Language::Es).await;
    call.say(1, 1, "Buenos días.").await;
    call.hear(1, 1).await;
    assert_eq!(call.order, [id(1, 0), id(1, 1)]);
    assert_eq!(call.segments[&id(1, 1)].bytes, bytes_of("Buenos días."));
    let paths: Vec<_> = server.upgrades().iter().map(|u| u.path.clone()).collect();
    assert!(paths.iter().any(|p| p == "/v1/text-to-speech/voice-es/multi-stream-input"), "{paths:?}");
    assert_eq!(server.violations(), [""; 0]);
}

#[tokio::test]
async fn what_nobody_can_say_is_done_without_asking() {
    let server = server().await;
    let mut call = Call::of(&elevenlabs(&server));
    assert_eq!(call.turn(1, " … ").await.bytes, 0);
    assert_eq!((server.seen(), call.used.len()), (vec![], 0));
}

#[tokio::test]
async fn connections_in_advance_are_not_opened_at_a_provider_that_refuses_our_key() {
    let server = server().await;
    server.faults.set(Fault::Status { status: 401, retry_after: None });
    let voice = elevenlabs(&server);
    voice.warm(&[Language::En]);
    sleep(Duration::from_millis(2_500)).await;
    assert_eq!(server.upgrades().len(), 1);
    assert_eq!(voice.name(), "elevenlabs");
}

#[tokio::test]
async fn no_task_and_no_connection_are_left_when_a_call_is_over() {
    let server = server().await;
    let voice = elevenlabs(&server);
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let mut call = Call::of(&voice);
    call.turn(1, "Good morning.").await;
    call.close();
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
