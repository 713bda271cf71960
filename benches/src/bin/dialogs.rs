//! Spoken conversations with the real gateway over the real wire: one table.
//!
//! `make dialogs`, or `cargo run --release -p benches --bin dialogs -- --help`. What is measured and how:
//! `docs/benchmarks.md`. How a set is written: `benches/sets/README.md`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use benches::dialogs::cues::Cues;
use benches::dialogs::house::House;
use benches::dialogs::mind::{OWN_ENGLISH, OWN_SPANISH};
use benches::dialogs::rehearsal::{Ears, rehearse};
use benches::dialogs::set::{Language, Scenario, Set};
use benches::dialogs::talk::{Call, Studio, hold};
use benches::dialogs::utterance::Utterance;
use benches::dialogs::verdict::{Verdict, judge};
use benches::dialogs::voices::{Booth, Sound, Voice};
use benches::dialogs::{report, saved, texts};
use clap::Parser;
use futures_util::StreamExt;
use tokio::sync::Mutex;

/// Longest that one call may take, whatever happens.
const CALL: Duration = Duration::from_secs(420);

#[derive(Debug, Parser)]
#[command(about = "Spoken conversations of simulated callers with the real gateway", max_term_width = 100)]
struct Args {
    /// A set (TOML). May be given more than once; else all `scenarios*.toml` of benches/sets, and its texts.
    #[arg(long = "set", value_name = "FILE")]
    sets: Vec<PathBuf>,
    /// Only scenarios whose name contains this. May be given more than once.
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Lists the scenarios and calls nobody.
    #[arg(long)]
    list: bool,
    /// Calls at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Keeps each call here: sound (caller left, agent right) and transcript with times.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Writes figures and calls as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Decides what is left to chance.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// Emergencies as text: kind, who tells it, text, language, tab-separated.
    #[arg(long, value_name = "FILE")]
    emergencies: Vec<PathBuf>,
    /// Ordinary openings as text: route, act, text, language.
    #[arg(long, value_name = "FILE")]
    ordinary: Vec<PathBuf>,
    /// Questions in Spanish: page, question.
    #[arg(long, value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// No calls, only what is measured by text.
    #[arg(long)]
    text_only: bool,
    /// The callers without a line: their words as text. Seconds a call; no times, no turn taking.
    #[arg(long, conflicts_with = "by_ear")]
    by_text: bool,
    /// The callers without a line: what the recognizers write down of their voices.
    #[arg(long)]
    by_ear: bool,
}

fn main() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => return failed(&e.into()),
    };
    match prepare(Args::parse()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some((args, set, studio))) => {
            let code = match runtime.block_on(run(&args, &set, &studio)) {
                Ok(true) => ExitCode::SUCCESS,
                Ok(false) => ExitCode::FAILURE,
                Err(e) => failed(&e),
            };
            // What still reads a transcript ends here.
            runtime.shutdown_timeout(Duration::from_secs(2));
            if let Ok(studio) = Arc::try_unwrap(studio) {
                studio.house.stop();
            }
            code
        }
        Err(e) => failed(&e),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}

/// Reads the sets, brings the gateway up, and has everything spoken that may be said.
fn prepare(mut args: Args) -> Result<Option<(Args, Set, Arc<Studio>)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if args.sets.is_empty() {
        let folder = root.join("benches/sets");
        args.sets = beginning(&folder, "scenarios")?;
        args.emergencies.extend(beginning(&folder, "emergencies")?);
        args.ordinary.extend(beginning(&folder, "openings")?);
        args.questions.extend(beginning(&folder, "questions-es")?);
    }
    let mut set = Set::default();
    for path in &args.sets {
        let more = Set::read(path)?;
        set.scenario.extend(more.scenario);
        set.texts.emergencies.extend(more.texts.emergencies);
        set.texts.ordinary.extend(more.texts.ordinary);
        set.texts.search.extend(more.texts.search);
    }
    set.texts.add_files(&args.emergencies, &args.ordinary, &args.questions)?;
    let chosen =
        |scenario: &Scenario| args.only.is_empty() || args.only.iter().any(|o| scenario.id.contains(o));
    set.scenario.retain(chosen);
    if args.list {
        for s in &set.scenario {
            let voice = Voice::of(s.language, s.voice).name();
            println!("{:<28} {:<10} {:<11} {:<28} {}", s.id, s.kind, s.line.name(), voice, s.want);
        }
        return Ok(None);
    }
    if args.text_only {
        set.scenario.clear();
    } else {
        ensure!(!set.scenario.is_empty(), "no scenario has that name; --list shows them");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let booth = Booth::open(&target.join("dialogs/voices"))?;
    let others = if args.by_text { Vec::new() } else { speak_all(&booth, &set)? };
    println!("starting the gateway");
    let house = House::start(&models())?;
    Ok(Some((args, set, Arc::new(Studio { house, booth, cues: Cues::load()?, others }))))
}

fn models() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from)
}

/// Files of a folder whose name begins so, in order.
fn beginning(folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.file_name().is_some_and(|found| found.to_string_lossy().starts_with(name)));
    files.sort();
    Ok(files)
}

/// Has everything spoken once; gives the openings, for voices behind other callers.
fn speak_all(booth: &Booth, set: &Set) -> Result<Vec<Vec<f32>>> {
    println!("speaking {} callers' words (kept for the next time)", set.scenario.len());
    let own = |language| if language == Language::En { OWN_ENGLISH } else { OWN_SPANISH };
    let mut openings = Vec::new();
    for scenario in &set.scenario {
        let voice = Voice::of(scenario.language, scenario.voice);
        for said in scenario.utterances() {
            booth.sounds(voice, said).with_context(|| format!("scenario {}", scenario.id))?;
        }
        for text in own(scenario.language) {
            booth.sounds(voice, &Utterance::parse(text).map_err(anyhow::Error::msg)?)?;
        }
        let sounds = booth.sounds(voice, &scenario.opening)?;
        openings.extend(sounds.into_iter().filter_map(|sound| match sound {
            Sound::Speech(pcm) => Some(pcm),
            Sound::Pause(_) | Sound::Keys(_) => None,
        }));
    }
    // People on television say other things than this caller; three sentences of a page are enough for a small set.
    for text in [
        "The weather tomorrow will be sunny with a light wind from the west.",
        "And now back to the studio, where our guest has arrived.",
    ] {
        let said = Utterance::parse(text).map_err(anyhow::Error::msg)?;
        for place in [2, 5] {
            openings.extend(booth.sounds(Voice::of(Language::En, place), &said)?.into_iter().filter_map(
                |s| match s {
                    Sound::Speech(pcm) => Some(pcm),
                    Sound::Pause(_) | Sound::Keys(_) => None,
                },
            ));
        }
    }
    Ok(openings)
}

/// Holds all calls and prints the table. `false`: a call failed in the harness.
async fn run(args: &Args, set: &Set, studio: &Arc<Studio>) -> Result<bool> {
    let all = set.scenario.len();
    let began = Instant::now();
    let ears = if args.by_ear { Some(Ears::load(&models())?) } else { None };
    let (ears, ears_wanted) = (&Mutex::new(ears), args.by_ear);
    let calls = set.scenario.iter().enumerate().map(|(at, scenario)| async move {
        let from = number(scenario, at);
        let seed = args.seed.wrapping_mul(1_000).wrapping_add(at as u64);
        let call = if args.by_text || args.by_ear {
            // One caller after the other where there is one pair of ears.
            let mut ears = ears.lock().await;
            let ears = ears.as_mut().filter(|_| ears_wanted);
            tokio::time::timeout(CALL, rehearse(studio, ears, scenario, &from, seed)).await
        } else {
            tokio::time::timeout(CALL, hold(studio, scenario, &from, seed)).await
        };
        let outcome = call.unwrap_or_else(|_| Err(anyhow::anyhow!("the call hung for {CALL:?}")));
        (scenario, from, outcome)
    });
    let mut calls = futures_util::stream::iter(calls).buffer_unordered(args.jobs.max(1));
    let (mut verdicts, mut broken) = (Vec::new(), 0);
    while let Some((scenario, from, outcome)) = calls.next().await {
        let done = verdicts.len() + broken + 1;
        match outcome {
            Ok(call) => {
                let voice = Voice::of(scenario.language, scenario.voice).name();
                let verdict = judge(scenario, &voice, &from, &call);
                progress(done, all, &verdict);
                keep(args, &call, &verdict)?;
                verdicts.push(verdict);
            }
            Err(e) => {
                broken += 1;
                println!("[{done:>3}/{all}] {:<28} BROKEN  {e:#}", scenario.id);
            }
        }
    }
    let figures = texts::measure(&studio.house, &set.texts).await?;
    for miss in &figures.misses {
        println!("  {miss}");
    }
    let names: Vec<String> =
        args.sets.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    let minutes = began.elapsed().as_secs() / 60;
    let title =
        format!("{} calls of {} in {minutes} min, {} at a time", verdicts.len(), names.join(", "), args.jobs);
    println!("{}", report::table(&verdicts, &figures, &title));
    if let Some(path) = &args.json {
        let json = serde_json::to_string_pretty(&report::json(&verdicts, &figures, &title))?;
        std::fs::write(path, json).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    if broken > 0 {
        println!("{broken} calls failed in the harness and are in no figure");
    }
    Ok(broken == 0)
}

fn keep(args: &Args, call: &Call, verdict: &Verdict) -> Result<()> {
    args.save.as_ref().map_or(Ok(()), |folder| saved::write(folder, call, verdict))
}

/// A number of the caller's own, out of those kept for fiction.
fn number(scenario: &Scenario, at: usize) -> String {
    scenario.from.clone().unwrap_or_else(|| format!("+1303555{:04}", 100 + at % 100))
}

fn progress(done: usize, all: usize, verdict: &Verdict) {
    let mark = if verdict.success { "ok  " } else { "FAIL" };
    println!(
        "[{done:>3}/{all}] {:<28} {mark} {:>3} s, {} turns, {} again, {}{}{}",
        verdict.id,
        verdict.seconds,
        verdict.turns,
        verdict.said_again,
        verdict.ended,
        if verdict.faults.is_empty() { "" } else { ": " },
        verdict.faults.join("; ")
    );
}
