//! The gateway without inference: CPU and memory per call, lateness of frames, for 100, 500 and 1000 calls at once.
//!
//! `cargo run --release -p benches --bin load [calls…]`. The gateway runs in a child process pinned to one core,
//! with a recogniser, voice and responder of known timing; the callers run here, on the other core. Every caller
//! asks a question every six seconds or so and is answered with five seconds of sound.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use agents::retriever::Retriever;
use anyhow::{Context, Result};
use gateway::config::Config;
use gateway::providers::Providers;
use gateway::start::Gateway;
use pipeline::ports::{Screen, TurnInput};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

#[path = "../../../tests/src/caller.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod caller;
#[path = "../../../tests/src/doubles.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod doubles;
#[path = "../figures.rs"]
#[allow(dead_code, reason = "shared with the calls bench")]
mod figures;

use caller::Caller;
use doubles::{Answer, EnergyVad, HummingVoice, ScriptedRecogniser, ScriptedResponder};
use figures::Series;

const LINE: &str = "+12025550100";
/// How long calls are measured once all are up.
const MEASURED: Duration = Duration::from_secs(24);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if arguments.first().is_some_and(|a| a == "--gateway") {
        return runtime.block_on(gateway());
    }
    let sizes: Result<Vec<usize>, _> = arguments.iter().map(|a| a.parse()).collect();
    let sizes = sizes.context("the arguments are numbers of calls")?;
    let sizes = if sizes.is_empty() { vec![100, 500, 1_000] } else { sizes };
    pin(std::process::id(), 1);
    println!("gateway without inference, one core; callers on the other core");
    println!(
        "{:>6} {:>14} {:>12} {:>12} {:>12} {:>10} {:>8}",
        "calls", "CPU s/call-min", "MB/call", "late p99 ms", "turn p50 ms", "turn p99", "failed"
    );
    for calls in sizes {
        runtime.block_on(measure(calls))?;
    }
    Ok(())
}

/// The process under test: a gateway with doubles.
async fn gateway() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let mut config = Config::for_test(dir.path());
    config.limits.max_calls = Some(4_000);
    let engines = |_: storage::Platform| -> futures_util::future::BoxFuture<'static, Result<Providers>> {
        Box::pin(async { Ok(providers()) })
    };
    let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
    running.ready().await?;
    println!("listening http://{}", running.addr);
    std::future::pending::<()>().await;
    Ok(())
}

struct Plain;

impl Screen for Plain {
    fn screen(&mut self, text: &str) -> String {
        text.to_owned()
    }
}

fn providers() -> Providers {
    let responder = ScriptedResponder::new(|input| match input {
        TurnInput::Opened => Answer::say(&["Welcome to the county."]),
        _ => Answer::say(&[
            "The office is open from eight to five.",
            "It is closed on Sundays and on public holidays.",
        ]),
    });
    Providers {
        stt: Arc::new(ScriptedRecogniser::new(&[])),
        tts: Arc::new(HummingVoice::default()),
        responder: Arc::new(responder),
        vad: Arc::new(|| Box::new(EnergyVad::default())),
        screen: Arc::new(|_| Box::new(Plain)),
        adopt: Arc::new(|_, _| ()),
        retriever: Arc::new(Retriever::lexical()),
        load: Arc::new(|| 0.0),
    }
}

struct Gatewayed {
    child: Child,
    base: String,
}

impl Drop for Gatewayed {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn() -> Result<Gatewayed> {
    let mut child = Command::new(std::env::current_exe()?)
        .arg("--gateway")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    pin(child.id(), 0);
    let out = child.stdout.take().context("no output of the child")?;
    let mut lines = BufReader::new(out).lines();
    let base = lines
        .find_map(|l| l.ok()?.strip_prefix("listening ").map(str::to_owned))
        .context("the gateway did not come up")?;
    Ok(Gatewayed { child, base })
}

async fn measure(calls: usize) -> Result<()> {
    let gateway = spawn()?;
    let empty_kb = resident_kb(gateway.child.id());
    println!("(idle before any call or model: {:.0} MB)", empty_kb as f64 / 1_024.0);
    let begin = Instant::now() + Duration::from_millis(calls as u64 * 5 + 500);
    let end = begin + MEASURED;
    let mut all = JoinSet::new();
    for n in 0..calls {
        let base = gateway.base.clone();
        all.spawn(async move {
            sleep(Duration::from_millis(n as u64 * 5)).await;
            converse(&base, begin, end, n).await
        });
    }
    tokio::time::sleep_until(begin).await;
    let cpu = cpu_seconds(gateway.child.id());
    tokio::time::sleep_until(end).await;
    let used = cpu_seconds(gateway.child.id()) - cpu;
    let full_kb = resident_kb(gateway.child.id());
    let late = lateness_ms(&gateway.base).await?;
    let (mut turns, mut failed) = (Series::default(), 0);
    while let Some(done) = all.join_next().await {
        match done? {
            Ok(times) => times.into_iter().for_each(|t| turns.push(t)),
            Err(_) => failed += 1,
        }
    }
    let minutes = calls as f64 * MEASURED.as_secs_f64() / 60.0;
    println!(
        "{calls:>6} {:>14.3} {:>12.2} {:>12} {:>12.0} {:>10.0} {failed:>8}",
        used / minutes,
        full_kb.saturating_sub(empty_kb) as f64 / 1_024.0 / calls as f64,
        late,
        turns.quantile(0.5).as_secs_f64() * 1_000.0,
        turns.quantile(0.99).as_secs_f64() * 1_000.0,
    );
    Ok(())
}

/// One caller; the turn times that fall into the measured span.
async fn converse(base: &str, begin: Instant, end: Instant, n: usize) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    let mut call = Caller::dial(base, LINE).await?;
    call.silent_ms(2_000 + (n as u64 * 37) % 3_000).await?;
    while Instant::now() < end {
        call.speak_ms(1_200).await?;
        let (spoken, before) = (Instant::now(), call.heard.lock().media.len());
        call.silent_until(Duration::from_secs(5), |h| h.media.len() > before).await?;
        let took = call.heard.lock().media[before].0 - spoken;
        if spoken > begin {
            times.push(took);
        }
        call.silent_ms(4_800).await?;
    }
    call.hang_up().await?;
    Ok(times)
}

fn pin(pid: u32, core: u32) {
    let pinned = Command::new("taskset")
        .args(["-a", "-c", "-p", &core.to_string(), &pid.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !pinned.is_ok_and(|s| s.success()) {
        println!("(taskset is missing: gateway and callers share the cores)");
    }
}

fn cpu_seconds(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<f64> =
        stat.rsplit(')').next().unwrap_or("").split_whitespace().map(|f| f.parse().unwrap_or(0.0)).collect();
    // utime and stime, in ticks of 1/100 s, are the 14th and 15th field of the line.
    (fields.get(11).unwrap_or(&0.0) + fields.get(12).unwrap_or(&0.0)) / 100.0
}

fn resident_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// The p99 of the gateway's own histogram of how late it woke for a frame, as the bucket's upper bound.
async fn lateness_ms(base: &str) -> Result<String> {
    let text = reqwest::get(format!("{base}/metrics")).await?.text().await?;
    let bucket = |line: &str| -> Option<(f64, f64)> {
        let rest = line.strip_prefix("quandura_frame_lateness_seconds_bucket{")?;
        let bound = rest.split("le=\"").nth(1)?.split('"').next()?;
        Some((bound.parse().unwrap_or(f64::INFINITY), rest.rsplit(' ').next()?.parse().ok()?))
    };
    let buckets: Vec<_> = text.lines().filter_map(bucket).collect();
    let total = buckets.iter().map(|b| b.1).fold(0.0, f64::max);
    let p99 = buckets.iter().find(|b| b.1 >= total * 0.99);
    Ok(p99.map_or_else(|| "?".into(), |b| format!("< {}", b.0 * 1_000.0)))
}
