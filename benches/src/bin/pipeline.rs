//! Whole calls with providers in the cloud, simulated: what the gateway adds to a turn, what a call costs, and how
//! many it holds.
//!
//! `cargo run --release -p benches --bin pipeline [--admit-all] [calls…] [published]`. Without arguments 1, 100 and
//! 400 calls, then more until the knee, then a run with providers at their published medians, which `published`
//! alone asks for too. The gateway is `quandura serve` in a process pinned to one core; callers and simulated
//! providers are in this one, on the other core. It refuses calls when it is strained, as in service;
//! `--admit-all` has it take all, to see what becomes of them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use benches::added::{Added, added};
use benches::callers::{Callers, callers};
use benches::child::{AS_GATEWAY, CALLERS_CORE, Gateway, pin};
use benches::providers::{EAGER_MS, LLM_MS, STT_MS, Simulated, TTS_MS, Timing, Told};
use benches::step::{self, Stepped};
use caller::replay::course::Manner;
use caller::replay::load::Plan;
use caller::replay::scrape::resident_bytes;
use caller::replay::times::Spread;
use caller::replay::trouble::Shares;
use clap::Parser;
use gateway::cli::{self, Cli};
use tempfile::TempDir;
use tokio::time::sleep;

const LINE: &str = "+12025550100";
/// How long calls are measured once all are up.
const SPAN: Duration = Duration::from_secs(60);
/// The same for a few calls, which have few turns.
const LONG_SPAN: Duration = Duration::from_secs(150);
/// Callers who begin in a second.
const RAMP: f64 = 40.0;
/// Different callers, and questions of each: more than anyone has time for.
const CALLERS: usize = 40;
const QUESTIONS: usize = 40;
/// Between the steps beyond those that were asked for, and where they end.
const FURTHER: usize = 100;
const MOST: usize = 1_200;
/// Frames later than this at the 99th percentile are heard.
const LATE_MS: f64 = 5.0;
/// Calls of the run with published medians.
const PUBLISHED_CALLS: usize = 100;
/// How long the last records of calls may take.
const RECORDS: Duration = Duration::from_secs(3);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if arguments.first().is_some_and(|a| a == AS_GATEWAY) {
        return runtime.enable_all().build()?.block_on(serve());
    }
    let asked = Asked::read(&arguments)?;
    pin(std::process::id(), CALLERS_CORE);
    runtime.worker_threads(1).enable_all().build()?.block_on(run(&asked))
}

/// What the command line wants.
struct Asked {
    sizes: Vec<usize>,
    /// More calls than these, until the knee.
    further: bool,
    published: bool,
    admit_all: bool,
}

impl Asked {
    fn read(arguments: &[String]) -> Result<Self> {
        let words = ["published", "--admit-all"];
        let has = |word: &str| arguments.iter().any(|a| a == word);
        let sizes = arguments.iter().filter(|a| !words.contains(&a.as_str())).map(|a| a.parse());
        let sizes: Vec<usize> =
            sizes.collect::<Result<_, _>>().context("give numbers of calls, published, or --admit-all")?;
        let everything = sizes.is_empty() && !has("published");
        Ok(Self {
            sizes: if everything { vec![1, 100, 400] } else { sizes },
            further: everything,
            published: everything || has("published"),
            admit_all: has("--admit-all"),
        })
    }
}

/// The process under test: the product's own command, which says where it listens once it is ready.
async fn serve() -> Result<()> {
    let base = format!("http://{}", std::env::var("BIND")?);
    tokio::spawn(async move {
        loop {
            let ready = reqwest::get(format!("{base}/ready")).await;
            if ready.is_ok_and(|answer| answer.status().is_success()) {
                println!("listening {base}");
                return;
            }
            sleep(Duration::from_millis(100)).await;
        }
    });
    cli::run(Cli::parse_from(["quandura", "serve", "--quiet"])).await
}

async fn run(asked: &Asked) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let callers = callers(&root, CALLERS, QUESTIONS)?;
    println!("gateway on core 0; callers ({}) and simulated providers on core 1", callers.made_of);
    let told = Told::FIXED;
    println!(
        "providers were told to take: final text {} ms, first token {} ms, first sound {} ms",
        told.stt.as_millis(),
        told.llm.as_millis(),
        told.tts.as_millis()
    );
    let bench = Bench { root, callers, admit_all: asked.admit_all };
    let mut knee = None;
    for calls in &asked.sizes {
        let found = bench.measure(*calls, told).await?;
        knee = knee.or(found.map(|why| (*calls, why)));
    }
    let last = asked.sizes.last().copied().unwrap_or_default();
    let mut further = (1..).map(|n| last + n * FURTHER).take_while(|calls| asked.further && *calls <= MOST);
    while knee.is_none() {
        let Some(calls) = further.next() else { break };
        knee = bench.measure(calls, told).await?.map(|why| (calls, why));
    }
    match knee {
        Some((calls, why)) => println!("\nknee: {calls} calls ({why})"),
        None if asked.sizes.is_empty() => {}
        None => println!("\nknee: not reached"),
    }
    if asked.published {
        bench.published(Timing::Published).await?;
        bench.published(Timing::PublishedEager).await?;
    }
    Ok(())
}

/// What all steps share.
struct Bench {
    root: PathBuf,
    callers: Callers,
    admit_all: bool,
}

/// A gateway with its providers and its folder.
struct Running {
    gateway: Gateway,
    simulated: Simulated,
    _dir: TempDir,
}

impl Bench {
    async fn start(&self, timing: Timing) -> Result<Running> {
        let (simulated, dir) = (Simulated::start(timing).await, tempfile::tempdir()?);
        let models = std::env::var_os("MODELS_DIR").map_or_else(|| self.root.join("models"), PathBuf::from);
        let bind = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let environment = simulated.environment(dir.path(), &models.canonicalize().unwrap_or(models), &bind);
        // No fixed number of calls: strain is what ends the climb.
        let strained = !self.admit_all;
        let limits = format!("[limits]\nmax_calls = 100000\nrefuse_when_strained = {strained}\n");
        std::fs::write(dir.path().join("quandura.toml"), limits)?;
        // The child asks its providers, which are in this process, before it is ready.
        let folder = dir.path().to_owned();
        let gateway =
            tokio::task::spawn_blocking(move || Gateway::start(&environment, Some(&folder))).await??;
        step::at_rest(&gateway).await?;
        Ok(Running { gateway, simulated, _dir: dir })
    }

    fn plan(&self, calls: usize) -> Plan {
        Plan {
            recordings: self.callers.recordings.clone(),
            callers: calls,
            ramp: RAMP,
            repeat: 1,
            manner: Manner::default(),
            shares: Shares::default(),
            to: LINE.to_owned(),
            seed: 1,
            keep_ids: true,
        }
    }

    /// One step; why it is beyond the knee, if it is.
    async fn measure(&self, calls: usize, told: Told) -> Result<Option<String>> {
        let running = self.start(Timing::Fixed(told)).await?;
        let idle = resident_bytes(running.gateway.pid()).unwrap_or_default();
        let span = if calls < 10 { LONG_SPAN } else { SPAN };
        let stepped = step::run(&running.gateway, idle, self.plan(calls), span).await?;
        sleep(RECORDS).await;
        let parts = added(running.gateway.base(), &stepped.totals.ids, &told).await?;
        print(&stepped, &parts, idle, &told);
        print_violations(&running.simulated);
        Ok(beyond(&stepped))
    }

    /// Providers as quick as they say they are.
    async fn published(&self, timing: Timing) -> Result<()> {
        let running = self.start(timing).await?;
        let idle = resident_bytes(running.gateway.pid()).unwrap_or_default();
        let stepped = step::run(&running.gateway, idle, self.plan(PUBLISHED_CALLS), SPAN).await?;
        sleep(RECORDS).await;
        let nothing = Told { stt: Duration::ZERO, llm: Duration::ZERO, tts: Duration::ZERO };
        let parts = added(running.gateway.base(), &stepped.totals.ids, &nothing).await?;
        let of = |(p50, p95): (f64, f64)| format!("{p50:.0}/{p95:.0} ms");
        println!(
            "\nproviders at published times, p50/p95: {}, first token {}, first sound {}",
            match timing {
                Timing::PublishedEager => format!(
                    "a recogniser that says after {} that a turn may be over, and after {} that it is",
                    of(EAGER_MS),
                    of(STT_MS)
                ),
                Timing::Published | Timing::Fixed(_) => format!("words {} after they were said", of(STT_MS)),
            },
            of(LLM_MS),
            of(TTS_MS)
        );
        println!(
            "  {PUBLISHED_CALLS} calls at a time, {} turns, fillers {}; refused {}",
            parts.turn.len(),
            parts.fillers,
            stepped.refused
        );
        println!(
            "  turn time by the gateway's clock: p50 {:.0} ms (target 650), p95 {:.0} ms (target 1000), p99 {:.0} ms",
            parts.turn.quantile(0.5),
            parts.turn.quantile(0.95),
            parts.turn.quantile(0.99)
        );
        parts.print_stages();
        spread("first sound, at the callers", &stepped.totals.answers.spread());
        print_violations(&running.simulated);
        Ok(())
    }
}

fn beyond(step: &Stepped) -> Option<String> {
    let late = step.woke_late_p99.unwrap_or_default();
    if step.totals.failed() > 0 {
        Some(format!("{} calls failed", step.totals.failed()))
    } else if step.refused > 0.0 {
        Some(format!("{} calls were refused", step.refused))
    } else if step.totals.turns.unanswered > 0 {
        Some(format!("{} turns were not answered", step.totals.turns.unanswered))
    } else if late > LATE_MS {
        Some(format!("frames late by {late:.1} ms at the 99th percentile"))
    } else {
        None
    }
}

fn print(step: &Stepped, added: &Added, idle: f64, told: &Told) {
    println!("\n{} calls at a time ({} live in the middle)", step.calls, step.live);
    added.print();
    added.print_stages();
    let turns = &step.totals.turns;
    println!(
        "  turns {} answered {} not answered {} cut into {}; calls failed {} refused {}; under-runs {}",
        turns.spoken,
        turns.answered,
        turns.unanswered,
        turns.cut_in,
        step.totals.failed(),
        step.refused,
        step.totals.under_runs
    );
    for (reason, n) in &step.totals.failures {
        println!("    {n} × {reason}");
    }
    println!(
        "  CPU {:.3} s a call-minute; memory {:.2} MB a call ({:.0} MB idle, {:.0} MB in all)",
        step.cpu_per_call_minute,
        step.mb_per_call,
        idle / 1_048_576.0,
        step.resident_mb
    );
    let woke = step.woke_late_p99.map_or_else(|| "?".to_owned(), |ms| format!("{ms:.1}"));
    println!(
        "  frame lateness p99: {woke} ms by the gateway's clock, {:.1} ms at the callers",
        step.came_late.p99
    );
    spread("greeting", &step.totals.greetings.spread());
    let answers = step.totals.answers.spread();
    spread("answer, at the callers", &answers);
    let told = told.sum().as_secs_f64() * 1_000.0;
    println!(
        "    of these added           p50 {:.0}  p95 {:.0}  p99 {:.0} ms",
        answers.p50 - told,
        answers.p95 - told,
        answers.p99 - told
    );
    spread("barge-in: onset to clear", &step.totals.clears.spread());
    let over = &step.totals.over;
    println!(
        "  spoken over {} times: cleared {} ended by itself {} talked through {}",
        over.onsets, over.cleared, over.ended, over.talked_through
    );
    println!(
        "  callers and providers: {:.2} of their core, frames sent late by {:.1} ms at the 99th percentile{}",
        step.own_cores,
        step.own_late.p99,
        if step.is_saturated() { " - SATURATED: times above are in part their own" } else { "" }
    );
}

fn spread(name: &str, s: &Spread) {
    println!(
        "  {name:<27} n {:<6} p50 {:.0}  p95 {:.0}  p99 {:.0}  worst {:.0} ms",
        s.n, s.p50, s.p95, s.p99, s.worst
    );
}

fn print_violations(simulated: &Simulated) {
    for what in simulated.violations().iter().take(5) {
        println!("  against a provider's documentation: {what}");
    }
}
