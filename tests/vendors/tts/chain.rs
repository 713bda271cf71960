#![allow(clippy::unwrap_used)]
//! A chain of voices over a call: company for the late, the way back, breakers, and the end of the chain.

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsStream};
use pipeline::provider::{Kind, Member, Ranked};
use speech::tts::cache::{CachedVoice, DEFAULT_MAX_BYTES, PhraseCache};
use speech::tts::failover::FailoverTts;
use tests::doubles::HummingVoice;
use tests::vendors::fault::Fault;
use tests::vendors::tone::VoiceOptions;
use tokio::time::sleep;

use super::rig::{Call, Vendors, aura, bytes_of, elevenlabs, id};

const TEXT: &str = "A crew will come by on Friday.";
const SORRY: &str = "I am sorry, something went wrong.";

#[tokio::test]
async fn a_late_voice_speaks_all_the_same_and_no_other_is_heard_in_mid_call() {
    let late = VoiceOptions { first_after: Duration::from_millis(800), ..VoiceOptions::default() };
    let vendors = Vendors::with(late, VoiceOptions::default()).await;
    let mut call = Call::of(&vendors.chain());
    call.say(1, 0, TEXT).await;
    call.say(1, 1, TEXT).await;
    call.hear(1, 1).await;
    assert!(call.segments[&id(1, 0)].began.unwrap() < Duration::from_millis(1_100), "{call:?}");
    assert_eq!(call.told(), ["elevenlabs slow"]);
    assert!((400..500).contains(&call.notes[0].delay_ms), "{:?}", call.notes);
    call.cancel(1).await;
    assert_eq!(call.turn(2, TEXT).await.bytes, bytes_of(TEXT));
    assert_eq!((call.told(), vendors.aura.upgrades().len()), (vec!["elevenlabs slow".to_owned(); 2], 0));
    vendors.assert_used_well();
}

#[tokio::test]
async fn a_connection_that_went_dead_is_replaced_and_the_voice_stays() {
    let vendors = Vendors::start().await;
    let mut call = Call::of(&vendors.chain());
    call.turn(1, TEXT).await;
    call.cancel(1).await;
    // The connections that there are swallow what is asked; the next ones are well.
    vendors.eleven.faults.set(Fault::Stall);
    call.say(2, 0, TEXT).await;
    call.wait(Duration::from_millis(300)).await;
    vendors.eleven.faults.set(Fault::None);
    let heard = call.hear(2, 0).await;
    assert_eq!((heard.bytes, heard.failed.is_none()), (bytes_of(TEXT), true));
    assert!(heard.began.unwrap() < Duration::from_millis(900), "{:?}", heard.began);
    assert_eq!((call.told(), vendors.aura.upgrades().len()), (vec!["elevenlabs slow".to_owned()], 0));
}

#[tokio::test]
async fn a_call_that_goes_well_connects_to_no_standby() {
    let vendors = Vendors::start().await;
    let mut call = Call::of(&vendors.chain());
    assert_eq!(call.turn(1, TEXT).await.bytes, bytes_of(TEXT));
    assert_eq!(vendors.aura.upgrades().len(), 0);
    vendors.assert_used_well();
}

#[tokio::test]
async fn the_preferred_voice_comes_back_at_the_next_turn_and_not_before() {
    let vendors = Vendors::start().await;
    vendors.eleven.faults.set(Fault::Garbage);
    let mut call = Call::of(&vendors.chain());
    call.say(1, 0, TEXT).await;
    call.hear(1, 0).await;
    vendors.eleven.faults.set(Fault::None);
    call.say(1, 1, TEXT).await;
    call.hear(1, 1).await;
    assert_eq!((vendors.eleven.seen().len(), vendors.aura.seen().len()), (1, 2));
    call.turn(3, TEXT).await;
    assert_eq!(call.told(), ["elevenlabs failed", "deepgram took_over", "elevenlabs recovered"]);
    assert_eq!((vendors.eleven.seen().len(), vendors.aura.seen().len()), (2, 2));
    vendors.assert_used_well();
}

#[tokio::test]
async fn a_voice_whose_breaker_is_open_costs_the_next_calls_nothing() {
    let vendors = Vendors::start().await;
    vendors.eleven.faults.set(Fault::Status { status: 401, retry_after: None });
    let chain = vendors.chain();
    Call::of(&chain).turn(1, TEXT).await;
    let asked = vendors.eleven.upgrades().len();
    for _ in 0..3 {
        let mut call = Call::of(&chain);
        let heard = call.turn(1, TEXT).await;
        assert!(heard.began.unwrap() < Duration::from_millis(300), "{:?}", heard.began);
        assert_eq!(call.told(), ["deepgram took_over"], "the record says who spoke");
    }
    assert_eq!(vendors.eleven.upgrades().len(), asked);
}

#[tokio::test]
async fn when_all_fail_a_phrase_of_the_cache_is_heard_all_the_same() {
    let vendors = Vendors::start().await;
    let folder = tempfile::tempdir().unwrap();
    let cache = Arc::new(PhraseCache::open(folder.path(), DEFAULT_MAX_BYTES).unwrap());
    let preferred = Arc::new(elevenlabs(&vendors.eleven));
    let voice =
        CachedVoice::new(Arc::new(vendors.chain()), preferred, cache, "").identified("eleven/voice-en");
    assert_eq!(voice.warm(Language::En, vec![SORRY.to_owned()], |_, _| {}).await.unwrap(), 0);
    vendors.eleven.faults.set(Fault::Stall);
    vendors.aura.faults.set(Fault::Status { status: 500, retry_after: None });
    let mut call = Call::of(&voice);
    let failed = call.turn(1, TEXT).await.failed.clone().unwrap();
    assert!(matches!(failed.kind, Kind::Stalled | Kind::Server), "{failed}");
    assert_eq!(call.told().last().unwrap(), "tts exhausted");
    call.say_as(2, 0, SORRY, true).await;
    let heard = call.hear(2, 0).await;
    assert_eq!((heard.bytes, heard.failed.is_none()), (bytes_of(SORRY), true));
    assert!(heard.began.unwrap() < Duration::from_millis(100));
}

#[tokio::test]
async fn a_phrase_that_a_standby_said_is_not_kept_as_the_preferred_voices() {
    let vendors = Vendors::start().await;
    let folder = tempfile::tempdir().unwrap();
    let cache = Arc::new(PhraseCache::open(folder.path(), DEFAULT_MAX_BYTES).unwrap());
    let chain: Arc<dyn TextToSpeech> = Arc::new(vendors.chain());
    let voice = CachedVoice::new(Arc::clone(&chain), chain, Arc::clone(&cache), "");
    vendors.eleven.faults.set(Fault::Garbage);
    let mut call = Call::of(&voice);
    call.say_as(1, 0, SORRY, true).await;
    call.hear(1, 0).await;
    vendors.eleven.faults.set(Fault::None);
    sleep(Duration::from_millis(200)).await;
    assert!(cache.get(&voice.key(Language::En, SORRY)).is_none(), "the standby's is not the preferred one's");
    call.say_as(3, 0, SORRY, true).await;
    call.hear(3, 0).await;
    sleep(Duration::from_millis(200)).await;
    assert!(cache.get(&voice.key(Language::En, SORRY)).is_some(), "said by the preferred voice itself");
    // The standby's is heard when nobody can say it.
    let (english, spanish) = (voice.key(Language::En, SORRY), voice.key(Language::Es, SORRY));
    assert_ne!(english, spanish);
}

#[tokio::test]
async fn what_a_standby_once_said_is_heard_when_nobody_can_say_it() {
    let vendors = Vendors::start().await;
    let folder = tempfile::tempdir().unwrap();
    let cache = Arc::new(PhraseCache::open(folder.path(), DEFAULT_MAX_BYTES).unwrap());
    let chain: Arc<dyn TextToSpeech> = Arc::new(vendors.chain());
    let voice = CachedVoice::new(Arc::clone(&chain), chain, cache, "");
    let standby = HummingVoice::default();
    let missing = voice.warm_standby(&standby, Language::En, vec![SORRY.to_owned()], |_, _| {});
    assert_eq!(missing.await.unwrap(), 0);
    vendors.eleven.faults.set(Fault::Garbage);
    vendors.aura.faults.set(Fault::Garbage);
    let mut call = Call::of(&voice);
    call.say_as(1, 0, SORRY, true).await;
    let heard = call.hear(1, 0).await;
    assert_eq!((heard.bytes, heard.failed.is_none()), (SORRY.len() * 50 * 8, true), "50 ms a character");
}

/// The voice of this machine, which speaks English only.
#[derive(Debug)]
struct Embedded(HummingVoice);

impl TextToSpeech for Embedded {
    fn name(&self) -> &'static str {
        "local"
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        if saying.language == Language::En { self.0.open(saying) } else { Err(PortError::Full("English")) }
    }
}

#[tokio::test]
async fn the_embedded_voice_speaks_when_all_vendors_fail_and_only_its_language() {
    let vendors = Vendors::start().await;
    vendors.eleven.faults.set(Fault::CloseAfter(0));
    vendors.aura.faults.set(Fault::Status { status: 503, retry_after: None });
    let chain = FailoverTts::new(Ranked::new(vec![
        Member::remote("elevenlabs", Arc::new(elevenlabs(&vendors.eleven)) as Arc<dyn TextToSpeech>),
        Member::remote("deepgram", Arc::new(aura(&vendors.aura))),
        Member::local("local", Arc::new(Embedded(HummingVoice::default()))),
    ]));
    let mut call = Call::of(&chain);
    let heard = call.turn(1, TEXT).await;
    assert_eq!((heard.bytes, heard.failed.is_none()), (TEXT.len() * 50 * 8, true), "50 ms a character");
    assert!(heard.began.unwrap() < Duration::from_secs(1));
    assert_eq!(call.told(), ["elevenlabs failed", "deepgram failed", "local took_over"]);
    call.change_to(Language::Es).await;
    let heard = call.turn(3, "Un equipo vendrá el viernes.").await;
    assert!(heard.failed.is_some(), "it speaks no Spanish");
    assert_eq!(call.told().last().unwrap(), "tts exhausted");
}

#[tokio::test]
async fn a_turn_without_speech_and_a_cancelled_segment_are_no_outage() {
    let vendors = Vendors::start().await;
    let chain = vendors.chain();
    let mut call = Call::of(&chain);
    call.wait(Duration::from_millis(500)).await;
    vendors.eleven.faults.set(Fault::Stall);
    call.say(1, 0, TEXT).await;
    call.wait(Duration::from_millis(200)).await;
    call.cancel(1).await;
    call.wait(Duration::from_millis(1_500)).await;
    assert_eq!((call.told(), call.segments.len()), (vec![], 0));
    assert!(chain.ranked().members().iter().all(Member::is_well));
}

#[tokio::test]
async fn no_task_is_left_when_a_call_of_many_faults_is_over() {
    let vendors = Vendors::start().await;
    let chain = vendors.chain();
    let tasks = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    // From their first use on both vendors keep a connection ready.
    for fault in [Fault::Garbage, Fault::None] {
        vendors.eleven.faults.set(fault);
        Call::of(&chain).turn(1, TEXT).await;
    }
    sleep(Duration::from_millis(500)).await;
    let before = tasks();
    let mut call = Call::of(&chain);
    for (turn, fault) in
        [Fault::StallAfter(2), Fault::Garbage, Fault::CloseAfter(2_000)].into_iter().enumerate()
    {
        vendors.eleven.faults.set(fault);
        call.turn(turn as u32 + 1, TEXT).await;
        vendors.eleven.faults.set(Fault::None);
    }
    call.say(9, 0, TEXT).await;
    call.close();
    sleep(Duration::from_millis(1_000)).await;
    assert!(tasks() <= before, "{} tasks, {before} before", tasks());
}
