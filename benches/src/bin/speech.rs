//! Figures of the built-in speech stack: accuracy, latency, capacity.
//!
//! `cargo run --release -p benches --bin speech [threads]`, after `scripts/models.sh` and `scripts/prompts.sh`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use pipeline::audio::g711::{mulaw_encode, mulaw_to_f32};
use pipeline::audio::level::rms_dbfs;
use pipeline::ports::{
    Language, SpeechToText, SttCommand, SttEvent, SttStream, TextToSpeech, TtsCommand, TtsEvent,
    VoiceActivity,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};
use speech::LocalSpeech;
use speech::spoken::speakable::{speakable, spoken_text};
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};

/// Silence around each prompt, ms.
const BEFORE_MS: usize = 250;
const AFTER_MS: usize = 200;
/// Frame at which a session would hear speech begin: 100 ms after it does.
const HEARD_FRAME: usize = (BEFORE_MS + 100) / 20;
/// Finals later than this are heard as a slow answer.
const FINAL_DEADLINE: Duration = Duration::from_millis(500);

fn main() -> Result<()> {
    let threads = match std::env::args().nth(1) {
        Some(n) => n.parse().context("the argument is the number of worker threads")?,
        None => 0,
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from);
    let started = Instant::now();
    let speech = LocalSpeech::load(&models, threads)?;
    println!("loaded in {:.1} s, {} MB resident, {speech:?}", started.elapsed().as_secs_f32(), resident_mb());
    let data = Data::read(&root)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        recognition(&speech, &data).await?;
        synthesis(&speech, &data).await?;
        turn_end(&speech, &data).await?;
        voice_activity(&speech, &data);
        capacity(&speech, &data).await
    })?;
    println!("{} MB resident at the end", resident_mb());
    Ok(())
}

/// What is measured with.
struct Data {
    prompts: Vec<Prompt>,
    county: Vec<String>,
    variants: Vec<(String, String)>,
}

struct Prompt {
    name: String,
    text: String,
    /// Mu-law, without added silence.
    audio: Vec<u8>,
}

impl Data {
    fn read(root: &Path) -> Result<Self> {
        let prompts = root.join("target/prompts");
        if !prompts.join(".complete").exists() {
            bail!("the prompts are missing: run scripts/prompts.sh");
        }
        // The transcripts are in Latin 1.
        let transcripts = std::fs::read(prompts.join("en.txt"))?;
        let transcripts: String = transcripts.into_iter().map(char::from).collect();
        let texts: HashMap<&str, &str> = transcripts.lines().filter_map(|l| l.split_once(": ")).collect();
        let prompts = lines(include_str!("../../data/prompts.txt"))
            .map(|name| {
                let text =
                    texts.get(name).with_context(|| format!("{name} has no transcript"))?.trim().to_owned();
                let audio = mulaw_of(&prompts.join("en").join(format!("{name}.wav")))?;
                Ok(Prompt { name: name.to_owned(), text, audio })
            })
            .collect::<Result<_>>()?;
        let variants = lines(include_str!("../../data/variants.txt")).filter_map(|l| l.split_once(" = "));
        Ok(Self {
            prompts,
            county: lines(include_str!("../../data/county.txt")).map(str::to_owned).collect(),
            variants: variants.map(|(a, b)| (format!(" {a} "), format!(" {b} "))).collect(),
        })
    }

    /// Words to compare: as spoken, lower case, variants unified.
    fn words(&self, text: &str) -> Vec<String> {
        let spoken = spoken_text(&speakable(text)).to_lowercase();
        let kept = |c: char| if c.is_alphanumeric() || c == '\'' || c == '-' { c } else { ' ' };
        let plain: Vec<String> =
            spoken.chars().map(kept).collect::<String>().split_whitespace().map(str::to_owned).collect();
        let mut line = format!(" {} ", plain.join(" "));
        for (heard, written) in &self.variants {
            line = line.replace(heard, written);
        }
        line.replace('-', " ").split_whitespace().map(str::to_owned).collect()
    }
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

fn mulaw_of(path: &Path) -> Result<Vec<u8>> {
    let mut wav =
        hound::WavReader::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(wav.samples::<i16>().map(|s| s.map(mulaw_encode)).collect::<Result<_, _>>()?)
}

fn padded(audio: &[u8]) -> Vec<u8> {
    let mut out = vec![MULAW_SILENCE; BEFORE_MS * 8];
    out.extend_from_slice(audio);
    out.resize(out.len() + AFTER_MS * 8, MULAW_SILENCE);
    out
}

fn frames(audio: &[u8]) -> impl Iterator<Item = AudioFrame> + '_ {
    audio.chunks(FRAME_BYTES).map(|c| {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..c.len()].copy_from_slice(c);
        AudioFrame(frame)
    })
}

/// What came of one utterance.
#[derive(Default)]
struct Heard {
    text: String,
    confidence: f32,
    turn_end: f32,
    /// Pause to final, and to turn end.
    final_after: Duration,
    turn_after: Duration,
    first_interim: Option<Duration>,
    interims: usize,
}

/// Lets the recogniser hear one utterance. `pace` is the time between frames: zero for as fast as it goes.
async fn hear(stream: &mut SttStream, number: u32, audio: &[u8], pace: Duration) -> Result<Heard> {
    let utterance = UtteranceId(number);
    let mut heard = Heard::default();
    let mut clock = tokio::time::interval(pace.max(Duration::from_micros(1)));
    clock.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
    let onset = Instant::now() + Duration::from_millis(BEFORE_MS as u64);
    for (i, frame) in frames(audio).enumerate() {
        if !pace.is_zero() {
            clock.tick().await;
        }
        if i == HEARD_FRAME {
            stream.commands.send(SttCommand::SpeechStarted { utterance }).await?;
        }
        stream.commands.send(SttCommand::Audio(frame)).await?;
        while let Ok(event) = stream.events.try_recv() {
            if matches!(event, SttEvent::Interim { .. }) {
                heard.first_interim.get_or_insert_with(|| onset.elapsed());
                heard.interims += 1;
            }
        }
    }
    let paused = Instant::now();
    stream.commands.send(SttCommand::Pause { utterance, pause: 1, asked: Expectation::Open }).await?;
    let (mut text_there, mut turn_there) = (false, false);
    while !(text_there && turn_there) {
        match stream.events.recv().await.context("the recogniser ended")? {
            // The first ear's words have their figure; the second's have the `ears` bench.
            SttEvent::Final { settled: false, .. } => {}
            SttEvent::Final { text, confidence, .. } => {
                (heard.text, heard.confidence, heard.final_after) = (text, confidence, paused.elapsed());
                text_there = true;
            }
            SttEvent::TurnEnd { probability, .. } => {
                (heard.turn_end, heard.turn_after) = (probability, paused.elapsed());
                turn_there = true;
            }
            SttEvent::Ready
            | SttEvent::MaybeEnd { .. }
            | SttEvent::SpeechHeard
            | SttEvent::Language(_)
            | SttEvent::Provider(_)
            | SttEvent::Used(_) => {}
            SttEvent::Lost { failure } => bail!("the recogniser was lost: {failure}"),
            SttEvent::Interim { .. } => {}
        }
    }
    stream.commands.send(SttCommand::Ended { utterance }).await?;
    Ok(heard)
}

async fn recognition(speech: &LocalSpeech, data: &Data) -> Result<()> {
    let mut stream = speech.recogniser().open(&Language::En.into())?;
    let (mut wrong, mut total, mut seconds) = (0, 0, 0.0);
    let (mut finals, mut turns, mut per_second, mut sure) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (i, prompt) in data.prompts.iter().enumerate() {
        let audio = padded(&prompt.audio);
        let heard = hear(&mut stream, i as u32 + 1, &audio, Duration::ZERO).await?;
        let (expected, got) = (data.words(&prompt.text), data.words(&heard.text));
        let edits = distance(&expected, &got);
        if edits > 0 {
            println!(
                "  {}: {edits} of {}: {:?} heard as {:?}",
                prompt.name,
                expected.len(),
                prompt.text,
                heard.text
            );
        }
        wrong += edits;
        total += expected.len();
        let length = audio.len() as f32 / 8_000.0;
        seconds += length;
        finals.push(heard.final_after);
        turns.push(heard.turn_after);
        sure.push(heard.confidence);
        if (2.0..4.5).contains(&length) {
            per_second.push(heard.final_after.div_f32(length / 3.0));
        }
    }
    sure.sort_by(f32::total_cmp);
    println!("recognition: WER {:.2} % ({wrong} of {total} words, {seconds:.0} s)", percent(wrong, total));
    println!("  pause to final: {}; for 3 s of audio {}", quantiles(&finals), quantiles(&per_second));
    println!("  pause to turn end: {}", quantiles(&turns));
    println!("  confidence: lowest {:.2}, tenth {:.2}, median {:.2}", sure[0], sure[10], sure[50]);
    Ok(())
}

/// What came of one segment.
struct Said {
    audio: Vec<u8>,
    first: Duration,
    whole: Duration,
}

async fn say(voice: &dyn TextToSpeech, text: &str) -> Result<Said> {
    let mut stream = voice.open(&Language::En.into())?;
    let id = SegmentId { turn: TurnId(1), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
    let began = Instant::now();
    stream.commands.send(TtsCommand::Speak(segment)).await?;
    let (mut audio, mut first) = (Vec::new(), None);
    loop {
        match stream.events.recv().await.context("the voice ended")? {
            TtsEvent::Audio { mulaw, .. } => {
                first.get_or_insert_with(|| began.elapsed());
                audio.extend(mulaw);
            }
            TtsEvent::Done { .. } => {
                return Ok(Said { audio, first: first.unwrap_or_default(), whole: began.elapsed() });
            }
            TtsEvent::Failed { failure, .. } => bail!("{failure}"),
            TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
        }
    }
}

async fn synthesis(speech: &LocalSpeech, data: &Data) -> Result<()> {
    let voice = speech.voice();
    let mut stream = speech.recogniser().open(&Language::En.into())?;
    let (mut wrong, mut total, mut seconds) = (0, 0, 0.0f32);
    let (mut firsts, mut wholes, mut levels) = (Vec::new(), Vec::new(), Vec::new());
    for (i, text) in data.county.iter().enumerate() {
        let said = say(&voice, text).await?;
        seconds += said.audio.len() as f32 / 8_000.0;
        levels.push(speech_dbfs(&said.audio));
        firsts.push(said.first);
        wholes.push(said.whole);
        let heard = hear(&mut stream, i as u32 + 1, &padded(&said.audio), Duration::ZERO).await?;
        let (expected, got) = (data.words(text), data.words(&heard.text));
        let edits = distance(&expected, &got);
        if edits > 0 {
            println!("  {edits} of {}: {text:?} heard as {:?}", expected.len(), heard.text);
        }
        wrong += edits;
        total += expected.len();
    }
    let mut clauses = Vec::new();
    for text in [
        "I can help with that today,",
        "Your street light report is filed,",
        "The office is open until five,",
    ] {
        for _ in 0..5 {
            clauses.push(say(&voice, text).await?.first);
        }
    }
    let busy: f32 = wholes.iter().map(Duration::as_secs_f32).sum();
    levels.sort_by(f32::total_cmp);
    println!("synthesis: round-trip WER {:.2} % ({wrong} of {total} words)", percent(wrong, total));
    println!("  real-time factor {:.4} ({seconds:.0} s of audio)", busy / seconds);
    println!("  first audio: {}; whole sentence {}", quantiles(&firsts), quantiles(&wholes));
    println!("  first clause of six words: {}", quantiles(&clauses));
    println!(
        "  level: {:.1} to {:.1}, median {:.1} dBFS",
        levels[0],
        levels[levels.len() - 1],
        levels[levels.len() / 2]
    );
    Ok(())
}

/// Loudness over 20 ms stretches that hold speech.
fn speech_dbfs(audio: &[u8]) -> f32 {
    let mut pcm = Vec::new();
    mulaw_to_f32(audio, &mut pcm);
    let loud: Vec<f32> = pcm.chunks(160).filter(|c| rms_dbfs(c) > -40.0).flatten().copied().collect();
    rms_dbfs(&loud)
}

async fn turn_end(speech: &LocalSpeech, data: &Data) -> Result<()> {
    let mut stream = speech.recogniser().open(&Language::En.into())?;
    let whole = data
        .prompts
        .iter()
        .filter(|p| p.text.ends_with('.') && !p.text.ends_with("..") && !p.text.starts_with('.'));
    let (mut complete, mut cut, mut number) = ((0, 0), (0, 0), 0);
    for prompt in whole.filter(|p| p.text.split_whitespace().count() >= 5) {
        for share in [1.0, 0.45, 0.65] {
            number += 1;
            let length = (prompt.audio.len() as f32 * share) as usize;
            let heard = hear(&mut stream, number, &padded(&prompt.audio[..length]), Duration::ZERO).await?;
            let (count, right) = if share == 1.0 {
                (&mut complete, heard.turn_end > 0.5)
            } else {
                (&mut cut, heard.turn_end <= 0.5)
            };
            count.0 += usize::from(right);
            count.1 += 1;
        }
    }
    println!(
        "turn end: complete judged complete {:.0} % of {}, cut judged incomplete {:.0} % of {}",
        percent(complete.0, complete.1),
        complete.1,
        percent(cut.0, cut.1),
        cut.1
    );
    Ok(())
}

/// Onsets and offsets against the clean signal's energy: prompts with a second of silence between.
fn voice_activity(speech: &LocalSpeech, data: &Data) {
    let mut vad = speech.vad();
    let (mut onsets, mut offsets, mut missed) = (Vec::new(), Vec::new(), 0);
    let (mut cost, mut windows) = (Duration::ZERO, 0u32);
    for prompt in &data.prompts {
        let mut audio = vec![MULAW_SILENCE; 8_000];
        audio.extend_from_slice(&prompt.audio);
        audio.resize(audio.len() + 4_000, MULAW_SILENCE);
        let mut pcm = Vec::new();
        mulaw_to_f32(&audio, &mut pcm);
        let loud: Vec<usize> =
            (0..pcm.len() / 80).filter(|i| rms_dbfs(&pcm[i * 80..(i + 1) * 80]) > -45.0).collect();
        let (Some(&first), Some(&last)) = (loud.first(), loud.last()) else { continue };
        let (mut onset, mut offset) = (None, None);
        for (i, frame) in frames(&audio).enumerate() {
            let began = Instant::now();
            let Some(score) = vad.push(&frame) else { continue };
            cost += began.elapsed();
            windows += 1;
            // Known once the frame is in.
            let at_ms = (i as i64 + 1) * 20;
            if score > 0.5 {
                onset.get_or_insert(at_ms - first as i64 * 10);
                offset = None;
            } else if onset.is_some() {
                offset.get_or_insert(at_ms - (last as i64 + 1) * 10);
            }
        }
        match (onset, offset) {
            (Some(on), Some(off)) => {
                onsets.push(on);
                offsets.push(off);
            }
            _ => missed += 1,
        }
    }
    onsets.sort_unstable();
    offsets.sort_unstable();
    let at =
        |v: &[i64], q: usize| v.get((v.len() * q / 100).min(v.len().saturating_sub(1))).copied().unwrap_or(0);
    println!(
        "speech score: onset after {} ms (p95 {}), offset after {} ms (p95 {}), {missed} missed, {:.2} ms a window",
        at(&onsets, 50),
        at(&onsets, 95),
        at(&offsets, 50),
        at(&offsets, 95),
        cost.as_secs_f32() * 1e3 / windows.max(1) as f32
    );
}

/// More and more callers who talk without cease, in real time, until finals come late.
async fn capacity(speech: &LocalSpeech, data: &Data) -> Result<()> {
    let audio: Vec<Vec<u8>> = data
        .prompts
        .iter()
        .filter(|p| (16_000..56_000).contains(&p.audio.len()))
        .map(|p| padded(&p.audio))
        .collect();
    let audio = Arc::new(audio);
    println!("capacity: callers talking at once, utterances of 2 to 7 s");
    let mut held = 0;
    for talkers in [1, 2, 4, 6, 8, 10, 12, 16, 20, 24] {
        let until = Instant::now() + Duration::from_secs(15);
        let calls: Vec<_> =
            (0..talkers).map(|i| tokio::spawn(talk(speech.clone(), Arc::clone(&audio), i, until))).collect();
        tokio::time::sleep(Duration::from_secs(10)).await;
        let load = speech.load_figure();
        let (mut finals, mut first, mut interims, mut seconds) = (Vec::new(), Vec::new(), 0, 0.0);
        let mut replies = Vec::new();
        for call in calls {
            for heard in call.await?? {
                finals.push(heard.heard.final_after);
                first.extend(heard.heard.first_interim);
                interims += heard.heard.interims;
                seconds += heard.seconds;
                replies.push(heard.reply);
            }
        }
        let p95 = quantile(&finals, 95);
        println!(
            "  {talkers:2}: final {}; reply audio {}; first interim {:.0} ms, {:.1} a second; load {load:.2}",
            quantiles(&finals),
            quantiles(&replies),
            quantile(&first, 50).as_secs_f32() * 1e3,
            interims as f32 / seconds
        );
        if p95 > FINAL_DEADLINE {
            break;
        }
        held = talkers;
    }
    println!("  {held} talkers with finals under {} ms at p95 on {speech:?}", FINAL_DEADLINE.as_millis());
    Ok(())
}

/// One exchange of a capacity run.
struct Exchange {
    heard: Heard,
    seconds: f32,
    /// Text to first audio of the answer.
    reply: Duration,
}

async fn talk(
    speech: LocalSpeech,
    audio: Arc<Vec<Vec<u8>>>,
    caller: usize,
    until: Instant,
) -> Result<Vec<Exchange>> {
    let voice = speech.voice();
    let mut stream = speech.recogniser().open(&Language::En.into())?;
    let mut heard = Vec::new();
    tokio::time::sleep(Duration::from_millis(caller as u64 * 137 % 1_900)).await;
    let mut number = 0;
    while Instant::now() < until {
        let clip = &audio[(caller * 17 + number * 7) % audio.len()];
        number += 1;
        let one = hear(&mut stream, number as u32, clip, Duration::from_millis(20)).await?;
        let reply = say(&voice, "Thank you, I have filed that for you.").await?.first;
        heard.push(Exchange { heard: one, seconds: clip.len() as f32 / 8_000.0, reply });
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    Ok(heard)
}

fn percent(part: usize, whole: usize) -> f32 {
    100.0 * part as f32 / whole.max(1) as f32
}

fn quantile(times: &[Duration], q: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get((sorted.len() * q / 100).min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

fn quantiles(times: &[Duration]) -> String {
    let ms = |q| quantile(times, q).as_secs_f32() * 1e3;
    format!("p50 {:.0} ms, p95 {:.0} ms", ms(50), ms(95))
}

/// Word edits: substitutions, insertions, deletions.
fn distance(a: &[String], b: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let kept = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
