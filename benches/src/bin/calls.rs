//! Figures of whole calls with the built-in stack, over the real wire: turn time, greeting, barge-in.
//!
//! `cargo run --release -p benches --bin calls [turns]`, after `scripts/models.sh` and `scripts/prompts.sh`.
//! One call at a time. The caller is a client on loopback that sends a frame every 20 ms and plays what it gets.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use gateway::calls::journal_recorders::RecordLine;
use gateway::config::Config;
use gateway::providers::engines::Engines;
use gateway::startup::{Gateway, RunningGateway};
use pipeline::audio::g711::mulaw_decode;
use pipeline::session::journal::{Recorded, decode_frame};
use pipeline::session::state::Agent;
use serde_json::{Value, json};
use telephony::media::FRAME_BYTES;
use tokio::sync::mpsc;
use tokio::time::Instant;

#[path = "../../../tests/src/caller.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod caller;
#[path = "../figures.rs"]
mod figures;
#[path = "../voice.rs"]
mod voice;

use caller::Caller;
use figures::Series;
use voice::{Voice, prompt};

const LINE: &str = "+12025550100";
const ADMIN: &str = "bench-admin-token-0123456789";
/// Loudest sample of a frame from which it counts as speech.
const SPEECH_PEAK: i16 = 600;

fn main() -> Result<()> {
    let turns =
        std::env::args().nth(1).map_or(Ok(40), |n| n.parse()).context("the argument is a number of turns")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run(turns))
}

async fn run(turns: usize) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from);
    let dir = tempfile::tempdir()?;
    let mut config = Config::for_test(dir.path());
    config.admin_token = Some(ADMIN.to_owned().into());
    config.models_dir = models;
    let engines = Engines::new(&config);
    let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
    running.ready().await?;
    let base = format!("http://{}", running.addr);
    let voice = Voice::new(&running)?;

    greeting(&base).await?;
    turn_times(&base, &root, &voice, turns).await?;
    barge_in(&running, &base, &root, &voice).await?;
    running.shutdown().await;
    Ok(())
}

/// Start of the stream to the first greeting audio.
async fn greeting(base: &str) -> Result<()> {
    let mut series = Series::default();
    for _ in 0..10 {
        let order = caller::order(base, LINE).await?;
        let started = Instant::now();
        let mut call = Caller::open(order).await?;
        call.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await?;
        let first = call.heard.lock().media[0].0;
        series.push(first - started);
        call.hang_up().await?;
    }
    series.print("stream opened -> first greeting audio", "300 at most");
    Ok(())
}

/// What the caller says, as mu-law with its trailing silence cut off.
struct Question {
    name: String,
    mulaw: Vec<u8>,
}

async fn questions(root: &Path, voice: &Voice, turns: usize) -> Result<Vec<Question>> {
    const ASKED: [&str; 16] = [
        "What are your office hours?",
        "How do I get rid of an old couch?",
        "When is my trash picked up?",
        "How do I get a copy of my birth certificate?",
        "Where can I vote?",
        "I would like to report a pothole on Main Street.",
        "How do I pay my property tax?",
        "Can I burn leaves in my yard?",
        "How much is a dog licence?",
        "I need a building permit for a deck.",
        "Is the library open on Sunday?",
        "How do I contest a parking ticket?",
        "My neighbour is very loud at night.",
        "How can I request public records?",
        "Do you have any job openings?",
        "Who plows the snow on my street?",
    ];
    let mut all = Vec::new();
    for text in ASKED.iter().take(turns / 2) {
        all.push(Question { name: format!("\"{text}\""), mulaw: trimmed(voice.say(text).await?) });
    }
    let list = std::fs::read_to_string(root.join("benches/data/prompts.txt"))?;
    let names: Vec<_> = list.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let wanted = turns - all.len();
    for name in names.iter().step_by((names.len() / wanted.max(1)).max(1)).take(wanted) {
        all.push(Question { name: (*name).to_owned(), mulaw: trimmed(prompt(root, name)?) });
    }
    Ok(all)
}

/// Ends with the last frame of speech, so that the clock starts at the right one.
fn trimmed(mulaw: Vec<u8>) -> Vec<u8> {
    let frames = mulaw.chunks(FRAME_BYTES);
    let last = frames.clone().rposition(is_loud).map_or(mulaw.len(), |i| (i + 1) * FRAME_BYTES);
    mulaw[..last.min(mulaw.len())].to_vec()
}

fn is_loud(frame: &[u8]) -> bool {
    frame.iter().any(|b| mulaw_decode(*b).unsigned_abs() > SPEECH_PEAK.unsigned_abs())
}

/// End of the caller's speech to the first reply audio, measured at the caller.
async fn turn_times(base: &str, root: &Path, voice: &Voice, turns: usize) -> Result<()> {
    let asked = questions(root, voice, turns).await?;
    let (mut outside, mut all, mut complete, mut stages) =
        (Series::default(), Series::default(), Series::default(), figures::Stages::default());
    for group in asked.chunks(8) {
        let mut call = Caller::dial(base, LINE).await?;
        let sid = call.order.call_sid.clone();
        call.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await?;
        for question in group {
            match ask(&mut call, question).await {
                Ok(took) => outside.push(took),
                Err(e) => println!("    {}: {e}", question.name),
            }
        }
        call.hang_up().await?;
        let latency = get(base, &format!("/v1/calls/{sid}/latency")).await?;
        for turn in latency["turns"].as_array().into_iter().flatten() {
            let total = Duration::from_secs_f64(turn["total_ms"].as_f64().unwrap_or(0.0) / 1_000.0);
            all.push(total);
            if turn["judged_complete"] == true {
                complete.push(total);
            }
            stages.add(turn);
        }
    }
    outside.print("last speech frame sent -> first reply audio, at the caller", "p50 750, p95 1400");
    all.print("turn time by the gateway's clock, all turns", "p50 750, p95 1400");
    complete.print("  of these, judged complete by the end-of-turn signal", "p95 1000");
    stages.print();
    Ok(())
}

/// Asks, waits for the answer's first audio, silences it with a key, and gives the time it took.
async fn ask(call: &mut Caller, question: &Question) -> Result<Duration> {
    let before = call.heard.lock().media.len();
    call.speak(&question.mulaw).await?;
    let spoken = Instant::now();
    call.silent_until(Duration::from_secs(4), |h| h.media.len() > before).await?;
    let answered = call.heard.lock().media[before].0;
    call.silent_ms(400).await?;
    let key = json!({"event": "dtmf", "streamSid": call.stream_sid, "dtmf": {"track": "inbound_track", "digit": "*"}});
    call.send(&key).await?;
    call.silent_ms(700).await?;
    Ok(answered - spoken)
}

/// Onset of the caller's voice over a reply to the duck and to the clear, and what must not clear.
async fn barge_in(running: &RunningGateway, base: &str, root: &Path, voice: &Voice) -> Result<()> {
    const CUTS: [&str; 10] = [
        "No, I meant the office on the north side.",
        "Wait, that is not what I asked.",
        "Actually, can you tell me about recycling?",
        "Sorry, I have another question about my water bill.",
        "Let me talk to a real person please.",
        "I already know that, what about the fee?",
        "Excuse me, how do I pay online?",
        "That's the wrong department, I need animal control.",
        "What time do you close on Friday?",
        "Stop, I want to report an accident.",
    ];
    const NODS: [&str; 6] = ["Uh-huh.", "Okay.", "Mm-hmm.", "Yeah.", "Right.", "I see."];
    let mut journal = running.app.recorders.attach_from_start().context("another recorder is attached")?;
    let (mut duck, mut clear) = (Series::default(), Series::default());
    let (mut missed, mut wrong, mut tried) = (0, 0, 0);
    for text in CUTS {
        let over = talk_over(base, &mut journal, &trimmed(voice.say(text).await?)).await?;
        match (over.duck, over.clear) {
            (Some(d), Some(c)) => {
                println!("    {:>4} ms duck {:>4} ms clear  {text}", d.as_millis(), c.as_millis());
                duck.push(d);
                clear.push(c);
            }
            _ => missed += 1,
        }
    }
    let noises = [voice::burst(300, 9), voice::burst(900, 3), voice::hum(1_500)];
    let mut nods = Vec::new();
    for text in NODS {
        nods.push((text.to_owned(), trimmed(voice.say(text).await?)));
    }
    nods.extend(noises.into_iter().enumerate().map(|(i, n)| (format!("noise {i}"), n)));
    nods.push(("a prompt's breath".into(), prompt(root, "is")?.into_iter().take(1_600).collect()));
    for (name, sound) in nods {
        tried += 1;
        let over = talk_over(base, &mut journal, &sound).await?;
        if over.clear.is_some() {
            wrong += 1;
            println!("    cleared wrongly on {name}, understood as {:?}", over.texts);
        }
    }
    duck.print("barge-in: onset -> duck", "p95 150");
    clear.print("barge-in: onset -> clear", "p95 700");
    println!(
        "  interruptions not taken: {missed} of {}; cleared on a back-channel or noise: {wrong} of {tried}",
        CUTS.len()
    );
    Ok(())
}

#[derive(Debug, Default)]
struct TalkOver {
    duck: Option<Duration>,
    clear: Option<Duration>,
    /// What the recogniser made of the sound.
    texts: Vec<String>,
}

/// Makes the agent talk, speaks over it, and reads from the call's journal when it gave way.
async fn talk_over(base: &str, journal: &mut mpsc::Receiver<RecordLine>, sound: &[u8]) -> Result<TalkOver> {
    let mut call = Caller::dial(base, LINE).await?;
    call.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await?;
    call.silent_ms(1_500).await?;
    call.speak(sound).await?;
    call.silent_ms(900).await?;
    call.hang_up().await?;
    let (mut onset, mut over) = (None, TalkOver::default());
    while let Some(RecordLine { entry: Some(entry), .. }) = journal.recv().await {
        let at = Duration::from_micros(entry.at_us);
        match entry.what {
            Recorded::In { audio } if onset.is_none() => {
                onset = decode_frame(&audio).filter(|f| is_loud(f.bytes())).map(|_| at);
            }
            Recorded::Regions { agent: Agent::Yielding, .. } => {
                over.duck = over.duck.or(Some(since(at, onset)))
            }
            Recorded::Interim { text, .. } | Recorded::Final { text, .. } => over.texts.push(text),
            Recorded::Clear => over.clear = over.clear.or(Some(since(at, onset))),
            _ => {}
        }
    }
    Ok(over)
}

fn since(at: Duration, onset: Option<Duration>) -> Duration {
    at.saturating_sub(onset.unwrap_or(at))
}

async fn get(base: &str, path: &str) -> Result<Value> {
    let answer = reqwest::Client::new().get(format!("{base}{path}")).bearer_auth(ADMIN).send().await?;
    Ok(answer.error_for_status()?.json().await?)
}
