//! False cut-offs and end-of-turn delay of the session's policy, on recorded and synthesised turns with pauses
//! inside, against plain thresholds of silence.
//!
//! `cargo run --release -p benches --bin endpointing`, after `make models` and scripts/prompts.sh. In virtual time,
//! on one core: the recogniser's and the turn model's answers come after the processor time that they took.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use benches::clips::{self, Prompts};
use benches::cloud_ear::{CloudEar, Marks, NoEar};
use benches::embedded_ear::{EmbeddedEar, Engine};
use benches::endpoint_score::{Axes, Verdict, axes, delay_at, early_at, quantile};
use benches::turns::{Source, Turn, foreign, turns};
use benches::virtual_call::{Course, Ear, Scores, Setup, VirtualCall};
use pipeline::audio::earshot::EarshotVad;
use pipeline::ports::{Language, SpeechToText, SttCommand, SttEvent};
use pipeline::session::SessionConfig;
use pipeline::turn::TurnId;
use speech::LocalSpeech;
use telephony::media::{AudioFrame, CallTime};

/// Thresholds that are printed, and those between which it is interpolated, ms.
const PRINTED: [u64; 6] = [300, 400, 500, 600, 800, 1_000];
const GRID: [u64; 14] = [200, 250, 300, 350, 400, 500, 600, 700, 800, 900, 1_000, 1_200, 1_400, 1_600];
/// All silences of the session's policy times this, to place it on a curve.
const STRETCHES: [f64; 6] = [0.5, 0.7, 1.0, 1.4, 2.0, 3.5];
/// From a reply's start to its first words: rules on this machine, a model over the network.
const EMBEDDED_REPLY: Duration = Duration::from_millis(60);
const CLOUD_REPLY: Duration = Duration::from_millis(500);
/// How far the simulated recogniser is behind, ms.
const BEHIND_MS: u64 = 100;
/// After the last word, ms: who has not ended the turn by then never does.
const PATIENCE_MS: u64 = 5_000;
/// Turns with which the recogniser in virtual time is compared with the product's.
const COMPARED: usize = 8;
/// Number of a turn that is not the first of its call.
const LATER: u32 = 5;
/// Cases of each kind that are named.
const NAMED: usize = 16;

/// A turn and what both detectors make of it.
struct Material {
    number: usize,
    turn: Turn,
    frames: Vec<AudioFrame>,
    silero: Scores,
    earshot: Scores,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Detector {
    Silero,
    Earshot,
}

fn main() -> Result<()> {
    let began = Instant::now();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from);
    let only_foreign = std::env::args().any(|word| word == "--foreign");
    let prompts = Prompts::open(&root)?;
    let speech = LocalSpeech::load(&models, 1).context("models are missing: `make models` brings them")?;
    let engine = RefCell::new(Engine::load(&models)?);
    by_voice(&speech, &engine)?;
    if only_foreign {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let material = runtime.block_on(turns(&prompts, &speech.voice()))?;
    let material: Vec<_> =
        material.into_iter().enumerate().map(|(n, turn)| Material::new(n, turn, &speech)).collect();
    print_set(&material);
    runtime.block_on(compare(&material, &engine, &speech))?;

    header("Silero, built-in recogniser, Smart Turn");
    let local = Ours::of(&material, |m, stretch| embedded(m, &engine, stretch));
    local.print("session, as `serve` runs on a bare machine");
    thresholds(&material, Detector::Silero, &local);

    header("earshot, simulated recogniser over the network (true text, marks at sentence ends)");
    let networked = Ours::of(&material, |m, stretch| cloud(m, Marks::True, stretch));
    networked.print("session, SessionConfig::cloud()");
    let marked: Vec<_> = material.iter().map(|m| cloud(m, Marks::Always, 1.0)).collect();
    row("  the same, a full stop after every final", &marked);
    thresholds(&material, Detector::Earshot, &networked);

    for (name, ours) in [("built-in", &local), ("cloud", &networked)] {
        by_kind(name, &material, ours.verdicts());
        worst(name, &material, ours.verdicts());
    }
    let (mut decodes, mut judgements) = engine.borrow().costs();
    println!("\nprocessor time: decode {}, judgement {}", spread(&mut decodes), spread(&mut judgements));
    println!("whole run {:.0} s", began.elapsed().as_secs_f32());
    Ok(())
}

/// Callers in foreign voices: openings with a thinking pause and without, and what is said later.
fn by_voice(speech: &LocalSpeech, engine: &RefCell<Engine>) -> Result<()> {
    let material: Vec<_> =
        foreign()?.into_iter().enumerate().map(|(n, turn)| Material::new(n, turn, speech)).collect();
    let verdicts: Vec<_> = material.iter().map(|m| embedded(m, engine, 1.0)).collect();
    println!(
        "foreign voices, built-in recogniser: cut off (heard); of these joined and answered whole; last word to commit"
    );
    type Kind = fn(&Turn) -> bool;
    let kinds: [(&str, Kind); 3] = [
        ("openings with a pause of 0.6 to 1.2 s", |t| t.source == Source::Opening && !t.pauses.is_empty()),
        ("openings without", |t| t.source == Source::Opening && t.pauses.is_empty()),
        ("later turns", |t| t.source == Source::Later),
    ];
    for (name, is) in kinds {
        for held_out in [true, false] {
            let these = verdicts.iter().filter(|v| v.held_out == held_out && is(&material[v.turn].turn));
            let these: Vec<&Verdict> = these.collect();
            let a = axes(these.iter().copied());
            let early = these.iter().filter(|v| v.early_ms.is_some()).count();
            println!(
                "  {name:<40} {:<9} {early:>2} of {:>2} ({}), joined {}; p50 {:.0}, p95 {:.0} ms, never {}",
                if held_out { "held out" } else { "dev" },
                a.turns,
                these.iter().filter(|v| v.heard).count(),
                these.iter().filter(|v| v.joined).count(),
                a.p50,
                a.p95,
                a.missed,
            );
        }
    }
    Ok(())
}

impl Material {
    fn new(number: usize, turn: Turn, speech: &LocalSpeech) -> Self {
        let frames = clips::frames(&turn.pcm);
        let silero = Scores::of(&mut speech.vad(), &frames);
        let earshot = Scores::of(&mut EarshotVad::default(), &frames);
        Self { number, turn, frames, silero, earshot }
    }

    /// Lets a session listen to the turn.
    fn listen<E: Ear>(&self, scores: &Scores, setup: Setup, ear: E) -> (Verdict, VirtualCall<E>) {
        let end = CallTime::from_ms(self.turn.end_ms);
        // Only callers of their own words answer the greeting.
        let first_turn = TurnId(if self.turn.source == Source::Opening { 0 } else { LATER });
        let config = SessionConfig { first_turn, ..setup.config };
        let setup = Setup { expects: self.turn.expects, config, ..setup };
        let mut call = VirtualCall::new(setup, self.frames.clone(), Box::new(scores.clone()), ear);
        let seen_enough = |course: &Course| course.committed.last().is_some_and(|at| *at >= end);
        call.run(end + Duration::from_millis(PATIENCE_MS), seen_enough);
        let first = call.course.committed.first().copied();
        let early = first.filter(|at| *at < end);
        let by = first.unwrap_or(end);
        let understood = call.course.texts.iter().rev().find(|t| t.at <= by);
        let complete = call.course.judgements.iter().rev().find(|(at, _)| *at <= by);
        let verdict = Verdict {
            turn: self.number,
            held_out: self.turn.held_out,
            early_ms: early.map(CallTime::as_ms),
            heard: early.is_some() && call.course.frames.first().is_some_and(|at| *at < end),
            joined: early.is_some() && call.course.answered.last().is_some_and(|text| self.is_whole(text)),
            delay_ms: first.filter(|at| *at >= end).map(|at| at.as_ms() - end.as_ms()),
            understood: understood.map(|t| t.text.clone()).unwrap_or_default(),
            complete: complete.map(|(_, probability)| *probability),
        };
        (verdict, call)
    }

    /// Whether these are all words of the turn, as far as a recogniser that errs can show it.
    fn is_whole(&self, text: &str) -> bool {
        text.split_whitespace().count() * 10 >= self.turn.words.len() * 7
    }
}

/// The session's own policy, at each stretch of its silences.
struct Ours(Vec<(f64, Vec<Verdict>)>);

impl Ours {
    fn of(material: &[Material], listen: impl Fn(&Material, f64) -> Verdict) -> Self {
        let at = |stretch: f64| (stretch, material.iter().map(|m| listen(m, stretch)).collect());
        Self(STRETCHES.map(at).into())
    }

    /// As the product is.
    fn verdicts(&self) -> &[Verdict] {
        self.0.iter().find(|(stretch, _)| *stretch == 1.0).map_or(&[], |(_, verdicts)| verdicts)
    }

    fn print(&self, name: &str) {
        row(name, self.verdicts());
        for (stretch, verdicts) in self.0.iter().filter(|(stretch, _)| *stretch != 1.0) {
            row(&format!("  its silences times {stretch}"), verdicts);
        }
    }

    fn curve(&self, held_out: bool) -> Vec<(f64, f64)> {
        self.0.iter().map(|(_, verdicts)| point(half(verdicts, held_out))).collect()
    }
}

fn embedded(m: &Material, engine: &RefCell<Engine>, stretch: f64) -> Verdict {
    let config = stretched(SessionConfig::default(), stretch);
    let setup = Setup { config, reply_after: EMBEDDED_REPLY, ..Setup::default() };
    m.listen(&m.silero, setup, EmbeddedEar::new(engine).without_interims()).0
}

fn cloud(m: &Material, marks: Marks, stretch: f64) -> Verdict {
    let config = stretched(SessionConfig::cloud(), stretch);
    let setup = Setup { config, reply_after: CLOUD_REPLY, ..Setup::default() };
    let ear = CloudEar::new(m.turn.words.clone(), BEHIND_MS, m.number as u64 * 37).with_marks(marks);
    m.listen(&m.earshot, setup, ear).0
}

fn stretched(config: SessionConfig, stretch: f64) -> SessionConfig {
    let times = |silence: Duration| silence.mul_f64(stretch);
    let complete_silence = times(config.complete_silence);
    SessionConfig {
        complete_silence,
        pause_after: config.pause_after.min(complete_silence),
        incomplete_silence: times(config.incomplete_silence),
        later_silence: times(config.later_silence),
        patient_silence: times(config.patient_silence),
        first_silence: times(config.first_silence),
        opening_silence: times(config.opening_silence),
        first_wait: times(config.first_wait),
        later_wait: times(config.later_wait),
        wait_for_odds: times(config.wait_for_odds),
        ..config
    }
}

/// A threshold of silence and nothing else, on the session's own detector logic.
fn silence_only(m: &Material, detector: Detector, threshold: u64) -> Verdict {
    let silence = Duration::from_millis(threshold);
    let config = SessionConfig {
        complete_silence: silence,
        incomplete_silence: silence,
        later_silence: silence,
        patient_silence: silence,
        first_silence: silence,
        opening_silence: silence,
        ..SessionConfig::default()
    };
    let setup = Setup { config, reply_after: EMBEDDED_REPLY, ..Setup::default() };
    let scores = if detector == Detector::Silero { &m.silero } else { &m.earshot };
    m.listen(scores, setup, NoEar::default()).0
}

fn thresholds(material: &[Material], detector: Detector, ours: &Ours) {
    let at = |threshold: u64| {
        (threshold, material.iter().map(|m| silence_only(m, detector, threshold)).collect::<Vec<_>>())
    };
    let grid: Vec<_> = GRID.into_iter().map(at).collect();
    for (threshold, verdicts) in grid.iter().filter(|(threshold, _)| PRINTED.contains(threshold)) {
        row(&format!("silence of {threshold} ms"), verdicts);
    }
    println!(
        "the field, on another set (see the field notes): cut off if 300 ms may pass / delay if 5 % may be"
    );
    println!(
        "  LiveKit v1 9.9 % / 543 ms, Flux 12.9 % / 1151 ms, Smart Turn 3.2 35.2 % / 1051 ms, silence 55.6 % / 1600 ms"
    );
    println!("placed on the field's axes (median delay; interpolated between settings)  held out | dev");
    let curve = |held_out| grid.iter().map(|(_, v)| point(half(v, held_out))).collect::<Vec<_>>();
    for (name, [held, dev]) in [
        ("silence only", [curve(true), curve(false)]),
        ("session, stretched and shrunk", [ours.curve(true), ours.curve(false)]),
    ] {
        println!(
            "  {name:<31} delay if 5 % may be cut off: {} | {}; cut off if 300 ms may pass: {} | {}",
            shown(delay_at(&held, 5.0), "ms"),
            shown(delay_at(&dev, 5.0), "ms"),
            shown(early_at(&held, 300.0), "%"),
            shown(early_at(&dev, 300.0), "%"),
        );
    }
}

fn shown(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| "out of range".to_owned(), |v| format!("{v:.0} {unit}"))
}

fn half(verdicts: &[Verdict], held_out: bool) -> Axes {
    axes(verdicts.iter().filter(|v| v.held_out == held_out))
}

fn point(axes: Axes) -> (f64, f64) {
    (axes.p50, axes.early)
}

fn header(title: &str) {
    println!("\n{title}");
    let columns = "ended early  heard   p50   p90   p95  never";
    println!("{:<46} held out: {columns} | dev: ended early  heard   p50   p90   p95", "");
}

fn row(name: &str, verdicts: &[Verdict]) {
    let (held, dev) = (half(verdicts, true), half(verdicts, false));
    println!(
        "{name:<46}           {:>9.1} % {:>4.1} % {:>5.0} {:>5.0} {:>5.0}  {:>5} |      {:>9.1} % {:>4.1} % {:>5.0} {:>5.0} {:>5.0}",
        held.early,
        held.heard,
        held.p50,
        held.p90,
        held.p95,
        held.missed,
        dev.early,
        dev.heard,
        dev.p50,
        dev.p90,
        dev.p95
    );
}

fn print_set(material: &[Material]) {
    let mut made_of: BTreeMap<String, (usize, usize, usize)> = BTreeMap::new();
    for Material { turn, .. } in material {
        let kind = made_of.entry(format!("{:?}, asked {:?}", turn.source, turn.expects)).or_default();
        kind.0 += 1;
        kind.1 += usize::from(!turn.pauses.is_empty());
        kind.2 += turn.pauses.len();
    }
    let mut pauses: Vec<u64> = material.iter().flat_map(|m| &m.turn.pauses).map(|(a, b)| b - a).collect();
    pauses.sort_unstable();
    let seconds: u64 = material.iter().map(|m| m.turn.end_ms).sum::<u64>() / 1_000;
    println!(
        "{} turns ({} held out: every second), {} with pauses put inside, {} with line noise, {seconds} s of talk",
        material.len(),
        material.iter().filter(|m| m.turn.held_out).count(),
        material.iter().filter(|m| !m.turn.pauses.is_empty()).count(),
        material.iter().filter(|m| m.turn.noisy).count(),
    );
    println!(
        "{} pauses of {} to {} ms: p25 {}, p50 {}, p75 {}, p90 {}",
        pauses.len(),
        pauses[0],
        pauses[pauses.len() - 1],
        quantile(&pauses, 0.25),
        quantile(&pauses, 0.5),
        quantile(&pauses, 0.75),
        quantile(&pauses, 0.9)
    );
    for (kind, (turns, paused, pauses)) in made_of {
        println!("  {turns:>3} {kind}: {paused} with {pauses} pauses");
    }
    println!(
        "ended early: the turn was committed before its last word. heard: a reply's first frame left before it, so"
    );
    println!(
        "the early end was not taken back in time. p50 to p95: last word to commit, ms, of turns not ended early."
    );
}

fn by_kind(name: &str, material: &[Material], verdicts: &[Verdict]) {
    println!("\n{name}, by what was asked (both halves): turns, ended early, heard, p50, p95");
    let mut kinds: BTreeMap<String, Vec<&Verdict>> = BTreeMap::new();
    for verdict in verdicts {
        let turn = &material[verdict.turn].turn;
        let pauses = if turn.pauses.is_empty() { "plain" } else { "paused" };
        kinds.entry(format!("{:?}, {:?}, {pauses}", turn.expects, turn.source)).or_default().push(verdict);
    }
    for (kind, verdicts) in kinds {
        let a = axes(verdicts);
        println!(
            "  {kind:<40} {:>3} {:>6.1} % {:>6.1} % {:>5.0} {:>5.0}",
            a.turns, a.early, a.heard, a.p50, a.p95
        );
    }
}

fn worst(name: &str, material: &[Material], verdicts: &[Verdict]) {
    let mut early: Vec<_> = verdicts.iter().filter_map(|v| Some((v, v.early_ms?))).collect();
    early.sort_by_key(|(v, at)| (!v.heard, material[v.turn].turn.pause_at(*at).map_or(0, |(a, b)| b - a)));
    println!("{name}: {} turns ended early; heard ones and short pauses first:", early.len());
    for (verdict, at) in early.into_iter().take(NAMED) {
        let turn = &material[verdict.turn].turn;
        let pause = turn
            .pause_at(at)
            .map_or_else(|| "a pause of its own".to_owned(), |(a, b)| format!("{} ms", b - a));
        let said = turn.said_by(at);
        let heard = if verdict.heard { ", heard" } else { "" };
        let rest = turn.name.get(said.len()..).unwrap_or_default().trim();
        println!("  {:?}, {pause}{heard}: \"{said} | {rest}\"; {}", turn.expects, understood(verdict));
    }
    let bare = |v: &&Verdict| !v.understood.trim_end().ends_with(['.', '?', '!']);
    let (too_soon, rightly): (Vec<_>, Vec<_>) = verdicts.iter().partition(|v| v.early_ms.is_some());
    println!(
        "{name}: text without an end's mark: {} of {} that were ended early, {} of {} others",
        too_soon.iter().filter(|v| bare(v)).count(),
        too_soon.len(),
        rightly.iter().filter(|v| bare(v)).count(),
        rightly.len()
    );
    let mut slow: Vec<_> = verdicts.iter().filter(|v| v.delay_ms.is_some()).collect();
    slow.sort_by_key(|v| std::cmp::Reverse(v.delay_ms));
    println!("{name}: slowest:");
    for verdict in slow.into_iter().take(NAMED / 2) {
        let turn = &material[verdict.turn].turn;
        let delay = verdict.delay_ms.unwrap_or_default();
        println!("  {delay} ms, {:?}: \"{}\"; {}", turn.expects, turn.name, understood(verdict));
    }
}

fn understood(verdict: &Verdict) -> String {
    let complete = verdict.complete.map_or_else(String::new, |p| format!(", complete {p:.2}"));
    format!("understood {:?}{complete}", verdict.understood)
}

fn spread(costs: &mut [Duration]) -> String {
    costs.sort_unstable();
    let ms: Vec<u64> = costs.iter().map(|c| c.as_millis() as u64).collect();
    format!("p50 {:.0} p95 {:.0} ms (n {})", quantile(&ms, 0.5), quantile(&ms, 0.95), ms.len())
}

/// The recogniser in virtual time must say what the product's own says: the same commands to both, up to a pause.
async fn compare(material: &[Material], engine: &RefCell<Engine>, speech: &LocalSpeech) -> Result<()> {
    let (mut same, mut tried) = (0, 0);
    for m in material.iter().step_by(material.len() / COMPARED).take(COMPARED) {
        let setup = Setup { reply_after: EMBEDDED_REPLY, ..Setup::default() };
        let (_, call) = m.listen(&m.silero, setup, EmbeddedEar::new(engine));
        let told = &call.ear.told;
        let Some(pause) = told.iter().position(|c| matches!(c, SttCommand::Pause { .. })) else { continue };
        tried += 1;
        let (text, complete) = product_says(speech, &told[..=pause]).await?;
        let judged = call.course.judgements.iter().any(|(_, p)| (p - complete).abs() < 1e-3);
        let written = call.course.texts.iter().any(|t| t.text == text);
        // A caller who goes on at once makes both worthless before they are there.
        let resumed = told
            .get(pause + 1..)
            .is_some_and(|after| after.iter().take(15).any(|c| matches!(c, SttCommand::Resumed { .. })));
        if (judged && written) || resumed {
            same += 1;
        } else {
            println!(
                "  the product says {text:?}, {complete:.2}; in virtual time {:?}, {:?}",
                call.course.texts, call.course.judgements
            );
        }
    }
    println!("recogniser in virtual time against the product's own: {same} of {tried} pauses alike");
    Ok(())
}

async fn product_says(speech: &LocalSpeech, commands: &[SttCommand]) -> Result<(String, f32)> {
    let mut stream = speech.recogniser().open(&Language::En.into())?;
    for command in commands {
        stream.commands.send(command.clone()).await?;
    }
    let (mut text, mut complete) = (None, None);
    while text.is_none() || complete.is_none() {
        match stream.events.recv().await.context("the recogniser ended")? {
            SttEvent::Final { text: t, .. } => text = Some(t),
            SttEvent::TurnEnd { probability, .. } => complete = Some(probability),
            _ => {}
        }
    }
    Ok((text.unwrap_or_default(), complete.unwrap_or_default()))
}
