//! `quandura test`: scenarios, several at once.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use chrono::{SecondsFormat, Utc};
use parking_lot::Mutex;
use pipeline::ports::Language;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::args;
use super::client::{base_url, http, token};
use crate::config::Config;
use crate::providers::Progress;
use crate::scenario::call::{self, Busy, Studio};
use crate::scenario::evidence::Evidence;
use crate::scenario::figures::{Figures, Held, Outcome, Run, VERSION};
use crate::scenario::file::{self, Scenario};
use crate::scenario::from_call;
use crate::scenario::gateway::Tested;
use crate::scenario::report::{html, junit, table};
use crate::scenario::verdict::{self, About, Finding};
use caller::voice::Voice;

/// How often a caller tries who is turned away, and the pause between.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_secs(5);

/// Runs scenarios; an error when one did not come out as it should.
pub async fn run(config: &Config, args: args::Test) -> anyhow::Result<()> {
    if args.schema {
        println!("{}", file::SCHEMA.trim_end());
        return Ok(());
    }
    if let (Some(source), Some(output)) = (&args.from_call, &args.output) {
        return write(config, &args, source, output).await;
    }
    let scenarios = read(&args)?;
    // An old run that cannot be read is no reason to lose a new one at its end.
    let old = args.compare.as_deref().map(kept).transpose()?;
    if args.check {
        println!("{} scenarios, nothing wrong with them", scenarios.len());
        return Ok(());
    }
    let voice = match scenarios.iter().any(Studio::needs_voice) {
        true => Some(Voice::load(&config.models_dir, Language::En).await?),
        false => None,
    };
    let studio = Arc::new(Studio::new(tested(config, &args).await?, voice));
    let run = all(&studio, scenarios, &args).await;
    if let Some(studio) = Arc::into_inner(studio) {
        studio.tested.stop().await;
    }
    keep(&args, &run)?;
    print!("{}", table::text(&run));
    if let Some(old) = old {
        print!("{}", table::comparison(&old, &run));
    }
    let bad: Vec<&str> = run.scenarios.iter().filter(|h| h.outcome.is_bad()).map(|h| h.id.as_str()).collect();
    if !bad.is_empty() {
        bail!(
            "{} of {} scenarios did not come out as they should: {}",
            bad.len(),
            run.scenarios.len(),
            bad.join(", ")
        );
    }
    Ok(())
}

fn read(args: &args::Test) -> anyhow::Result<Vec<Scenario>> {
    let mut scenarios = file::read_all(&args.paths).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        anyhow::anyhow!("{}", faults.join("\n"))
    })?;
    if !args.tag.is_empty() {
        scenarios.retain(|scenario| scenario.tags.iter().any(|tag| args.tag.contains(tag)));
    }
    if scenarios.is_empty() {
        bail!(
            "there is no scenario to run: name YAML files, or folders that hold some, and tags that they have"
        );
    }
    let mut ids: Vec<String> = scenarios.iter().map(Scenario::id).collect();
    ids.sort();
    if let Some(twice) = ids.windows(2).find(|pair| pair[0] == pair[1]) {
        bail!("two scenarios have the file name {}: rename one", twice[0]);
    }
    Ok(scenarios)
}

async fn tested(config: &Config, args: &args::Test) -> anyhow::Result<Tested> {
    let Some(url) = args.target.url.as_deref() else {
        eprintln!("starting a gateway of our own");
        return Tested::start(config, http()?, usize::from(args.jobs), progress()).await;
    };
    let base = base_url(config, Some(url))?;
    let Some(token) = token(config, &base) else {
        bail!("no token for {base}: set ADMIN_TOKEN, or run this on the gateway's machine with its DATA_DIR")
    };
    Tested::at(config, http()?, base, token).await
}

fn progress() -> Progress {
    if !std::io::stderr().is_terminal() {
        return Arc::new(|_: &str| {});
    }
    Arc::new(|what: &str| eprint!("\r\x1b[2K{what} …"))
}

/// How often a call may be held again, and where its pages go.
struct Attempts {
    retries: usize,
    folder: Option<PathBuf>,
}

/// Holds all calls, so many at a time. Each is told of as it ends; the run has them in the order of the files.
async fn all(studio: &Arc<Studio>, scenarios: Vec<Scenario>, args: &args::Test) -> Run {
    let (began, started_at) = (Instant::now(), Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true));
    let of = scenarios.len();
    let places = Arc::new(Semaphore::new(usize::from(args.jobs)));
    let ended = Arc::new(Mutex::new(0));
    // Numbers of callers differ from run to run: a gateway that goes on remembers who called.
    let first = usize::from(rand::random::<u16>());
    let mut calls = JoinSet::new();
    for (at, scenario) in scenarios.into_iter().enumerate() {
        let (studio, places, ended) = (studio.clone(), places.clone(), ended.clone());
        let attempts = Attempts { retries: usize::from(args.retries), folder: args.html.clone() };
        calls.spawn(async move {
            let _place = places.acquire_owned().await;
            // Each attempt has a caller of its own.
            let hold = |attempt| one(&studio, &scenario, first + at + of * attempt);
            let held = persistently(hold, &attempts).await;
            let mut ended = ended.lock();
            *ended += 1;
            for (row, line) in table::lines(&held).into_iter().enumerate() {
                if row == 0 { println!("[{ended}/{of}] {line}") } else { println!("{line}") }
            }
            (at, held)
        });
    }
    let mut held: Vec<(usize, Held)> = calls.join_all().await;
    held.sort_by_key(|(at, _)| *at);
    let scenarios: Vec<Held> = held.into_iter().map(|(_, held)| held).collect();
    Run {
        version: VERSION,
        started_at,
        gateway: if studio.tested.is_own() {
            "a gateway of its own".into()
        } else {
            studio.tested.base().into()
        },
        seconds: began.elapsed().as_secs_f64(),
        figures: Figures::of(&scenarios),
        scenarios,
    }
}

/// Who is turned away because the gateway is busy tries again: how much it can carry is what load tests tell.
async fn patiently(studio: &Studio, scenario: &Scenario, number: usize) -> anyhow::Result<Evidence> {
    for _ in 1..ATTEMPTS {
        match call::hold(studio, scenario, number).await {
            Err(error) if error.is::<Busy>() => tokio::time::sleep(PAUSE).await,
            outcome => return outcome,
        }
    }
    call::hold(studio, scenario, number).await
}

/// A call that does not come out as it should is held again, so often as is allowed. One that then does is told apart, with
/// what was wrong with it before.
async fn persistently<F>(hold: impl Fn(usize) -> F, attempts: &Attempts) -> Held
where
    F: Future<Output = (Held, Evidence)>,
{
    let (mut attempt, mut earlier) = (0_usize, Vec::new());
    loop {
        let (mut held, evidence) = hold(attempt).await;
        let again = held.outcome.is_bad() && attempt < attempts.retries;
        if held.outcome == Outcome::Passed && !earlier.is_empty() {
            held.outcome = Outcome::Flaky;
        }
        held.earlier.clone_from(&earlier);
        if let Some(folder) = &attempts.folder
            && let Err(error) = html::scenario(folder, &held, again.then_some(attempt), &evidence)
        {
            eprintln!("--html: {error:#}");
        }
        if !again {
            return held;
        }
        earlier.append(&mut held.findings);
        attempt += 1;
    }
}

/// One call, judged. A call that could not be held is a finding too.
async fn one(studio: &Studio, scenario: &Scenario, number: usize) -> (Held, Evidence) {
    let began = Instant::now();
    let outcome = patiently(studio, scenario, number).await;
    let is_held = outcome.is_ok();
    let (evidence, mut findings) = match outcome {
        Ok(evidence) => {
            let findings = verdict::judge(scenario, &evidence);
            (evidence, findings)
        }
        Err(error) => {
            let what = format!("the call could not be held: {error:#}");
            (Default::default(), vec![Finding { about: About::Course, line: None, what }])
        }
    };
    findings.dedup();
    let held = Held {
        id: scenario.id(),
        name: scenario.name.clone(),
        file: scenario.file.display().to_string(),
        tags: scenario.tags.clone(),
        known_failure: scenario.known_failure.clone(),
        // A call that never was is no failure that anybody knew of.
        outcome: Outcome::of(!findings.is_empty(), is_held && scenario.known_failure.is_some()),
        task: !findings.iter().any(|finding| finding.about.is_task()),
        findings,
        earlier: Vec::new(),
        manners: verdict::manners(&evidence),
        seconds: began.elapsed().as_secs_f64(),
        call_id: evidence.call_id.clone(),
        state: evidence.state.clone(),
        transcript: evidence.transcript.clone(),
        tools: evidence.tools.clone(),
        work: evidence.work.clone(),
        frames: evidence.heard.len(),
        late_frames: evidence.late,
    };
    (held, evidence)
}

fn kept(path: &Path) -> anyhow::Result<Run> {
    let text =
        fs::read_to_string(path).with_context(|| format!("--compare: {} cannot be read", path.display()))?;
    let run: Run = serde_json::from_str(&text)
        .with_context(|| format!("--compare: {} is no run that --json has kept", path.display()))?;
    if run.version != VERSION {
        bail!("--compare: {} was kept by another version of this program", path.display());
    }
    Ok(run)
}

fn keep(args: &args::Test, run: &Run) -> anyhow::Result<()> {
    let put = |path: &Path, text: String| {
        fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
    };
    if let Some(path) = &args.json {
        put(path, serde_json::to_string_pretty(run)?)?;
    }
    if let Some(path) = &args.junit {
        put(path, junit::xml(run)?)?;
    }
    if let Some(folder) = &args.html {
        html::index(folder, run)?;
        println!("\n{}", folder.join("index.html").display());
    }
    Ok(())
}

/// A scenario of a call that was.
async fn write(config: &Config, args: &args::Test, source: &str, output: &Path) -> anyhow::Result<()> {
    if output.exists() {
        bail!("{} is there already: name another file", output.display());
    }
    if source.ends_with(".jsonl") {
        from_call::journal(Path::new(source), output)?;
    } else {
        let base = base_url(config, args.target.url.as_deref())?;
        let Some(token) = token(config, &base) else {
            bail!(
                "no token for {base}: set ADMIN_TOKEN, or run this on the gateway's machine with its DATA_DIR"
            )
        };
        let tested = Tested::at(config, http()?, base, token).await?;
        from_call::recorded(&tested, args.tenant.as_deref(), source, output).await?;
    }
    println!("{}: read it before you rely on it", output.display());
    Ok(())
}

#[cfg(test)]
mod tests;
