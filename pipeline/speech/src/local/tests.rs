//! The whole stack with its models. They are part of the build, so their absence is a failure.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use telephony::media::{AudioFrame, FRAME_BYTES};

use super::*;
use crate::spoken::speakable::{speakable_in, spoken_text};
use pipeline::audio::level::mulaw_dbfs;
use pipeline::ports::{
    Language, SpeechToText, SttCommand, SttEvent, TextToSpeech, TtsCommand, TtsEvent, VoiceActivity,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId, WordTime};

fn models() -> PathBuf {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    std::env::var_os("MODELS_DIR").map_or_else(|| PathBuf::from(default), PathBuf::from)
}

/// Loaded once for all tests of this process.
fn speech() -> LocalSpeech {
    static SPEECH: OnceLock<LocalSpeech> = OnceLock::new();
    SPEECH.get_or_init(|| LocalSpeech::load(&models(), 2).unwrap_or_else(|e| panic!("{e}"))).clone()
}

fn segment(turn: u32, index: u16, text: &str) -> ReplySegment {
    let id = SegmentId { turn: TurnId(turn), index };
    ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false }
}

/// Words alone: case and full stops are a guess of the recogniser's, which depends on how the audio was cut for it.
fn words_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric() || c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// A text's audio and word times.
async fn say(voice: &impl TextToSpeech, text: &str) -> (Vec<u8>, Vec<WordTime>) {
    let mut stream = voice.open(&Language::En.into()).unwrap();
    stream.commands.send(TtsCommand::Speak(segment(1, 0, text))).await.unwrap();
    collected(&mut stream).await
}

/// All of a segment's audio, and its word times.
async fn collected(stream: &mut pipeline::ports::TtsStream) -> (Vec<u8>, Vec<WordTime>) {
    let mut audio = Vec::new();
    loop {
        match stream.events.recv().await.unwrap() {
            TtsEvent::Audio { mulaw, .. } => audio.extend(mulaw),
            TtsEvent::Done { words, .. } => return (audio, words),
            TtsEvent::Failed { failure, .. } => panic!("{failure}"),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }
}

fn frames(audio: &[u8]) -> impl Iterator<Item = AudioFrame> + '_ {
    audio.chunks(FRAME_BYTES).map(|c| {
        let mut frame = [0xFF; FRAME_BYTES];
        frame[..c.len()].copy_from_slice(c);
        AudioFrame(frame)
    })
}

const UTTERANCE: UtteranceId = UtteranceId(1);

/// What the recogniser makes of audio that is spoken in one go.
async fn hear(audio: &[u8]) -> Vec<SttEvent> {
    let mut stream = speech().recogniser().open(&Language::En.into()).unwrap();
    let mut events = Vec::new();
    stream.commands.send(SttCommand::SpeechStarted { utterance: UTTERANCE }).await.unwrap();
    for frame in frames(audio) {
        stream.commands.send(SttCommand::Audio(frame)).await.unwrap();
        while let Ok(event) = stream.events.try_recv() {
            events.push(event);
        }
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    stream
        .commands
        .send(SttCommand::Pause { utterance: UTTERANCE, pause: 1, asked: Expectation::Open })
        .await
        .unwrap();
    let (mut text, mut turn) = (false, false);
    while !(text && turn) {
        let event =
            tokio::time::timeout(Duration::from_secs(30), stream.events.recv()).await.unwrap().unwrap();
        text |= matches!(event, SttEvent::Final { .. });
        turn |= matches!(event, SttEvent::TurnEnd { .. });
        events.push(event);
    }
    events
}

fn final_text(events: &[SttEvent]) -> (String, f32) {
    let text = events.iter().find_map(|e| match e {
        SttEvent::Final { text, confidence, .. } => Some((text.clone(), *confidence)),
        _ => None,
    });
    text.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_voice_says_the_recogniser_hears() {
    let (audio, words) = say(&speech().voice(), "The street light on Maple Avenue is broken.").await;
    let events = hear(&audio).await;
    let (text, confidence) = final_text(&events);
    assert_eq!(words_of(&text), "the street light on maple avenue is broken");
    assert!(confidence > 0.7, "confidence {confidence}");
    let is_start = |text: &str| words_of(text).starts_with("the street");
    assert!(
        events.iter().any(|e| matches!(e, SttEvent::Interim { text, .. } if is_start(text))),
        "{events:?}"
    );

    let spoken: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(spoken, ["The", "street", "light", "on", "Maple", "Avenue", "is", "broken."]);
    assert!(words.is_sorted_by(|a, b| a.end_ms <= b.start_ms + 1 && a.start_ms < b.start_ms));
    assert!(u64::from(words[7].end_ms) <= audio.len() as u64 / 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_voice_starts_soon_and_at_an_even_level() {
    for text in ["Sure, one moment.", "Your request was filed this morning.", "Is there anything else?"] {
        let (audio, _) = say(&speech().voice(), text).await;
        let onset = audio.chunks(40).position(|c| mulaw_dbfs(c) > -40.0).unwrap() * 5;
        assert!(onset < 60, "{text}: speech begins after {onset} ms");
        let loud: Vec<u8> = audio.chunks(160).filter(|c| mulaw_dbfs(c) > -40.0).flatten().copied().collect();
        let level = mulaw_dbfs(&loud);
        assert!((-22.0..=-16.0).contains(&level), "{text}: {level} dBFS");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_no_dictionary_are_spoken_and_phrases_sound_the_same_each_time() {
    let voice = speech().voice();
    let (unknown, _) = say(&voice, "Zblorvik").await;
    assert!(unknown.len() > 8 * 300, "{} bytes", unknown.len());
    assert_eq!(say(&voice, "Zblorvik").await.0, unknown);
    let (nothing, words) = say(&voice, "...").await;
    assert!(nothing.len() < 8_000 && words.len() <= 1);
}

#[test]
fn given_phonemes_are_spoken_once_with_their_mark() {
    let phonemes = |text: &str| speech().pronouncer.phonemes(&crate::spoken::speakable::speakable(text));
    assert_eq!(phonemes("5 p.m., Monday"), "fˈIv pˌiˈɛm, mˈʌndˌA");
    assert_eq!(phonemes("A-12 is"), "ˈA, wˈʌn tˈu ɪz");
    assert_eq!(phonemes("At 9 a.m. in Room A-12"), "ˌæt nˈIn ˌAˈɛm ɪn ɹˈum ˈA, wˈʌn tˈu");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_turn_stops_and_the_next_is_heard() {
    let mut stream = speech().voice().open(&Language::En.into()).unwrap();
    for index in 0..8 {
        let long =
            segment(1, index, "This is a rather long sentence that takes a while to be spoken to its end.");
        stream.commands.send(TtsCommand::Speak(long)).await.unwrap();
    }
    stream.commands.send(TtsCommand::Cancel { turn: TurnId(1) }).await.unwrap();
    stream.commands.send(TtsCommand::Speak(segment(2, 0, "Yes."))).await.unwrap();
    let mut late = 0;
    loop {
        let event =
            tokio::time::timeout(Duration::from_secs(20), stream.events.recv()).await.unwrap().unwrap();
        match event {
            TtsEvent::Done { segment, .. } if segment.turn == TurnId(2) => break,
            TtsEvent::Done { segment, .. } if segment.turn == TurnId(1) => late += 1,
            _ => {}
        }
    }
    assert!(late <= 2, "{late} segments of the cancelled turn were completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_and_noise_have_no_words() {
    let mut seed = 1u32;
    let noise: Vec<u8> = (0..16_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            pipeline::audio::g711::mulaw_encode(((seed >> 16) as i16) / 64)
        })
        .collect();
    for audio in [vec![0xFF; 16_000], noise] {
        let (text, confidence) = final_text(&hear(&audio).await);
        assert_eq!((text.as_str(), confidence), ("", 0.0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_detector_hears_speech_and_ignores_silence() {
    let (audio, _) = say(&speech().voice(), "Good morning, I would like to report a pothole.").await;
    let mut vad = speech().vad();
    let quiet: Vec<f32> = frames(&[0xFF; 16_000]).filter_map(|f| vad.push(&f)).collect();
    assert!(quiet.iter().all(|&s| s == 0.0));
    assert!((61..=63).contains(&quiet.len()), "a score each 32 ms: {}", quiet.len());
    let scores: Vec<f32> = frames(&audio).filter_map(|f| vad.push(&f)).collect();
    let speech = scores.iter().filter(|&&s| s > 0.5).count() as f32 / scores.len() as f32;
    assert!(speech > 0.7, "{speech} of speech was heard");
    let after: Vec<f32> = frames(&[0xFF; 16_000]).filter_map(|f| vad.push(&f)).collect();
    assert!(after[10..].iter().all(|&s| s < 0.3));
}

#[test]
fn missing_and_corrupt_models_are_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    // The library may be loaded already by another test, so a missing model is what is seen then.
    let error = LocalSpeech::load(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("is missing: run `make build`") && error.lines().count() == 1, "{error}");
    let _loaded = speech();
    std::fs::write(folder.path().join(VadEngine::MODEL), b"not a model").unwrap();
    let error = VadEngine::load(folder.path(), 1).unwrap_err().to_string();
    assert!(error.contains("silero-vad.onnx") && error.contains("run `make build`"), "{error}");
    assert_eq!(error.lines().count(), 1);
}

#[tokio::test]
async fn spanish_is_heard() {
    assert!(speech().recogniser().open(&Language::Es.into()).is_ok());
}

/// What the voice makes of a Spanish notice: is there speech in every part of it, of the length that speech has?
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spanish_notice_is_voiced_whole_without_clipping_or_gaps() {
    for text in [
        "Lo siento, este servicio automático solo habla inglés.",
        "Si es una emergencia, cuelgue y marque el 911.",
        "Para que una persona que habla español le llame a este número, oprima uno.",
    ] {
        let mut stream = speech().voice().open(&Language::En.into()).unwrap();
        stream.commands.send(TtsCommand::Language(Language::Es)).await.unwrap();
        stream.commands.send(TtsCommand::Speak(segment(1, 0, text))).await.unwrap();
        let (mut audio, words) = collected(&mut stream).await;
        let said: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
        assert_eq!(said.join(" "), text);
        let aloud = spoken_text(&speakable_in(Language::Es, text));
        let letters = aloud.chars().filter(|c| c.is_alphabetic()).count();
        let per_letter = audio.len() / 8 / letters;
        assert!((45..130).contains(&per_letter), "{text}: {per_letter} ms a letter");
        let loudest = audio.chunks(80).map(mulaw_dbfs).fold(f32::MIN, f32::max);
        assert!((-18.0..-3.0).contains(&loudest), "{text}: {loudest} dBFS");
        // Silences inside are pauses at commas, not lost words.
        audio.truncate(audio.len() - audio.len() % 160);
        let quiet: String =
            audio.chunks(160).map(|c| if mulaw_dbfs(c) < -45.0 { '_' } else { 'x' }).collect();
        let longest = quiet.trim_matches('_').split('x').map(str::len).max().unwrap_or(0) * 20;
        assert!(longest < 600, "{text}: {longest} ms of silence inside");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_who_goes_on_gets_the_text_of_the_later_pause_only() {
    let (audio, _) = say(&speech().voice(), "I want to report a broken street light.").await;
    let mut stream = speech().recogniser().open(&Language::En.into()).unwrap();
    let (first, rest) = audio.split_at(audio.len() / 2 / FRAME_BYTES * FRAME_BYTES);
    let send = |command| stream.commands.send(command);
    send(SttCommand::SpeechStarted { utterance: UTTERANCE }).await.unwrap();
    for frame in frames(first) {
        send(SttCommand::Audio(frame)).await.unwrap();
    }
    send(SttCommand::Pause { utterance: UTTERANCE, pause: 1, asked: Expectation::Open }).await.unwrap();
    send(SttCommand::Resumed { utterance: UTTERANCE }).await.unwrap();
    for frame in frames(rest) {
        send(SttCommand::Audio(frame)).await.unwrap();
    }
    send(SttCommand::Pause { utterance: UTTERANCE, pause: 2, asked: Expectation::Open }).await.unwrap();
    loop {
        let event =
            tokio::time::timeout(Duration::from_secs(30), stream.events.recv()).await.unwrap().unwrap();
        match event {
            SttEvent::Final { pause: 2, text, .. } => {
                assert_eq!(words_of(&text), "i want to report a broken street light");
                return;
            }
            // The first pause's decode may have been done before the caller went on; the session drops it.
            SttEvent::Final { pause, .. } => assert_eq!(pause, 1),
            _ => {}
        }
    }
}

/// The second ear itself, without the pool, which may leave it out: the same words, and the language.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_second_ear_hears_the_words_and_knows_the_language() {
    let mut ear = Whisper::load(&models(), Lexis::load(&models()).unwrap()).unwrap();
    let mut hear = |audio: &[u8], width| {
        let mut pcm = Vec::new();
        pipeline::audio::g711::mulaw_to_f32(audio, &mut pcm);
        let pcm = pipeline::audio::resample::to_16k(&pcm);
        let language = |spanish| if spanish > 0.5 { Language::Es } else { Language::En };
        ear.hear(&pcm, width, &language, &|| false).unwrap().unwrap()
    };
    let (audio, _) = say(&speech().voice(), "The street light on Maple Avenue is broken.").await;
    for width in [1, 3] {
        let heard = hear(&audio, width);
        assert!(words_of(&heard.text).contains("light on maple avenue is broken"), "{heard:?}");
        assert!(heard.spanish < 0.1 && heard.confidence > 0.6, "{heard:?}");
    }
    let stopped = ear.hear(&[0.1; 16_000], 1, &|_| Language::En, &|| true).unwrap();
    assert_eq!(stopped, None);
}
