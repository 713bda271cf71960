//! Real telephone speech through the whole built-in stack: recogniser, agent, voice, storage.
//!
//! Needs `models/` (scripts/models.sh) and `target/prompts` (scripts/prompts.sh); fails without them.
#![allow(clippy::unwrap_used)]

mod prompts;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gateway::config::Config;
use gateway::providers::engines::Engines;
use gateway::startup::{Gateway, RunningGateway};
use pipeline::audio::g711::mulaw_encode;
use pipeline::ports::{Language, TtsCommand, TtsEvent};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};
use serde_json::Value;
use tempfile::TempDir;
use tests::caller::Caller;
use tests::gateway::{ADMIN, LINE};

struct Desk {
    running: RunningGateway,
    base: String,
    _dir: TempDir,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn models() -> PathBuf {
    std::env::var_os("MODELS_DIR").map_or_else(|| root().join("models"), PathBuf::from)
}

/// Rendered phrases, shared by the tests of one build: to render them takes a gateway most of a minute. What was built or
/// brought since then may have another voice, so that it begins anew.
fn phrases() -> PathBuf {
    let changed = |path: PathBuf| path.metadata().unwrap().modified().unwrap();
    let files = std::fs::read_dir(models()).unwrap().map(|file| file.unwrap().path());
    let newest = files.chain([std::env::current_exe().unwrap()]).map(changed).max().unwrap();
    let stamp = newest.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis().to_string();
    let all = root().join("target/test-phrases");
    for old in std::fs::read_dir(&all).into_iter().flatten().flatten().filter(|f| *f.file_name() != *stamp) {
        std::fs::remove_dir_all(old.path()).unwrap();
    }
    std::fs::create_dir_all(all.join(&stamp)).unwrap();
    all.join(stamp).canonicalize().unwrap()
}

impl Desk {
    async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut config = Config::for_test(dir.path());
        config.admin_token = Some(ADMIN.to_owned().into());
        config.models_dir = models();
        std::fs::create_dir_all(&config.data_dir).unwrap();
        std::os::unix::fs::symlink(phrases(), config.data_dir.join("phrases")).unwrap();
        let engines = Engines::new(&config);
        let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await.unwrap();
        running.ready().await.unwrap();
        let base = format!("http://{}", running.addr);
        Self { running, base, _dir: dir }
    }

    /// Dials and listens to the greeting.
    async fn dial(&self) -> Caller {
        let mut caller = Caller::dial(&self.base, LINE).await.unwrap();
        caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
        caller
    }

    async fn get(&self, path: &str) -> Value {
        let request = reqwest::Client::new().get(format!("{}{path}", self.base)).bearer_auth(ADMIN);
        request.send().await.unwrap().error_for_status().unwrap().json().await.unwrap()
    }

    /// What one side said in a call, turn by turn.
    async fn said(&self, call: &str, speaker: &str) -> Vec<String> {
        let transcript = self.get(&format!("/v1/calls/{call}/transcript")).await;
        let turns = transcript["turns"].as_array().unwrap();
        let of = turns.iter().filter(|t| t["speaker"] == speaker);
        of.map(|t| t["text"].as_str().unwrap().to_owned()).collect()
    }

    /// A sentence in the built-in voice, as a caller would say it.
    async fn voice(&self, text: &str) -> Vec<u8> {
        let tts = self.running.app.ready.get().unwrap().providers.tts.clone();
        let mut stream = tts.open(&Language::En.into()).unwrap();
        let id = SegmentId { turn: TurnId(1), index: 0 };
        let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
        stream.commands.send(TtsCommand::Speak(segment)).await.unwrap();
        let mut spoken = Vec::new();
        loop {
            match stream.events.recv().await.unwrap() {
                TtsEvent::Audio { mulaw, .. } => spoken.extend(mulaw),
                TtsEvent::Done { .. } => return spoken,
                TtsEvent::Failed { failure, .. } => panic!("{failure}"),
                TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
            }
        }
    }
}

/// One of Debian's telephone prompts: its audio as mu-law, and its words.
fn prompt(name: &str) -> (Vec<u8>, String) {
    let folder = root().join("target/prompts");
    let mut wav = hound::WavReader::open(folder.join(format!("en/{name}.wav")))
        .expect("target/prompts holds the telephone prompts: run scripts/prompts.sh");
    let mulaw = wav.samples::<i16>().map(|s| mulaw_encode(s.unwrap())).collect();
    let texts = std::fs::read_to_string(folder.join("en.txt")).unwrap();
    let text = texts.lines().find_map(|l| l.strip_prefix(&format!("{name}:"))).unwrap();
    (mulaw, text.trim().to_owned())
}

/// Words without case and punctuation.
fn words(text: &str) -> Vec<String> {
    let clean = text.to_lowercase().replace(|c: char| !c.is_alphanumeric() && c != '\'', " ");
    clean.split_whitespace().map(str::to_owned).collect()
}

/// Share of `wanted`'s words that `heard` has too.
fn overlap(wanted: &str, heard: &str) -> f64 {
    let heard = words(heard);
    let wanted = words(wanted);
    wanted.iter().filter(|w| heard.contains(w)).count() as f64 / wanted.len() as f64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn telephone_speech_is_understood_and_answered() {
    let desk = Desk::start().await;
    // Whole sentences: the models' last digits differ by processor, which tips a label of two or three words.
    let whole =
        ["cannot-complete-as-dialed", "check-number-dial-again", "feature-not-avail-line", "conf-onlyperson"];
    for name in whole {
        let (mulaw, text) = prompt(name);
        let mut caller = desk.dial().await;
        let before = caller.heard.lock().bytes();
        caller.speak(&mulaw).await.unwrap();
        caller.silent_until(Duration::from_secs(6), |h| h.bytes() > before + 8_000).await.unwrap();
        caller.silent_until_quiet(Duration::from_millis(500), Duration::from_secs(30)).await.unwrap();
        let call = caller.order.call_sid.clone();
        caller.hang_up().await.unwrap();
        let said = desk.said(&call, "caller").await.join(" ");
        assert!(overlap(&text, &said) >= 0.8, "{name}: said {text:?}, understood {said:?}");
        assert!(!desk.said(&call, "agent").await.last().unwrap().is_empty());
    }
    desk.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_callers_at_once_get_their_own_answers() {
    let desk = Desk::start().await;
    let questions =
        [("How do I get rid of an old couch?", "Solid Waste"), ("How do I license my dog?", "dog")];
    let mut calls = Vec::new();
    for (question, _) in questions {
        let audio = desk.voice(question).await;
        let mut caller = Caller::dial(&desk.base, LINE).await.unwrap();
        calls.push(tokio::spawn(async move {
            caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
            caller.speak(&audio).await.unwrap();
            let before = caller.heard.lock().bytes();
            caller.silent_until(Duration::from_secs(6), |h| h.bytes() > before).await.unwrap();
            caller.silent_until_quiet(Duration::from_millis(500), Duration::from_secs(40)).await.unwrap();
            let call = caller.order.call_sid.clone();
            caller.hang_up().await.unwrap();
            call
        }));
    }
    for (call, (question, about)) in calls.into_iter().zip(questions) {
        let call = call.await.unwrap();
        assert!(overlap(question, &desk.said(&call, "caller").await.join(" ")) >= 0.7);
        let answer = desk.said(&call, "agent").await.join(" ");
        assert!(answer.to_lowercase().contains(&about.to_lowercase()), "{question}: {answer}");
    }
    desk.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spoken_interruption_stops_the_answer_and_is_answered_itself() {
    let desk = Desk::start().await;
    let question = desk.voice("How do I get rid of an old couch?").await;
    let other = desk.voice("Wait, when is the library open on Saturday?").await;
    let mut caller = desk.dial().await;
    caller.speak(&question).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.silent_until(Duration::from_secs(6), |h| h.bytes() > before).await.unwrap();
    caller.silent_ms(2_500).await.unwrap();
    assert!(caller.heard.lock().clears.is_empty());
    caller.speak(&other).await.unwrap();
    assert_eq!(caller.heard.lock().clears.len(), 1, "stopped while the caller still spoke");
    caller.silent_until_quiet(Duration::from_millis(500), Duration::from_secs(40)).await.unwrap();
    let call = caller.order.call_sid.clone();
    caller.hang_up().await.unwrap();
    let transcript = desk.get(&format!("/v1/calls/{call}/transcript")).await;
    let cut =
        transcript["turns"].as_array().unwrap().iter().find(|t| t["interrupted"] == true).unwrap().clone();
    let (all, heard) = (cut["text"].as_str().unwrap(), cut["heard_text"].as_str().unwrap());
    assert!(!heard.is_empty() && heard.len() < all.len() && all.starts_with(heard), "{cut}");
    let answer = desk.said(&call, "agent").await.pop().unwrap();
    assert!(answer.contains("open Friday and Saturday"), "{answer}");
    desk.running.shutdown().await;
}
