//! The gateway without inference: CPU and memory per call, lateness of frames, for 100, 500 and 1000 calls at once.
//!
//! `cargo run --release -p benches --bin load [calls…]`. The gateway runs in a child process pinned to one core,
//! with a recogniser, voice and responder of known timing; the callers run here, on the other core. Every caller
//! asks a question, hears some five seconds of answer, and asks again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use benches::child::{AS_GATEWAY, CALLERS_CORE, Gateway as Child, pin};
use benches::step::{self, Stepped};
use caller::replay::course::Manner;
use caller::replay::load::Plan;
use caller::replay::recording::Recording;
use caller::replay::scrape::resident_bytes;
use caller::replay::trouble::Shares;
use gateway::config::Config;
use gateway::providers::Providers;
use gateway::startup::Gateway;
use knowledge::Retriever;
use pipeline::ports::{Screen, TurnInput};
use telephony::media::{AudioFrame, FRAME_BYTES};

#[path = "../../../tests/src/doubles.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod doubles;

use doubles::{Answer, EnergyVad, HummingVoice, ScriptedRecogniser, ScriptedResponder};

const LINE: &str = "+12025550100";
/// How long calls are measured once all are up.
const MEASURED: Duration = Duration::from_secs(24);
/// Callers who begin in a second.
const RAMP: f64 = 200.0;
/// Sounds like speech to the energy detector.
const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if arguments.first().is_some_and(|a| a == AS_GATEWAY) {
        return runtime.block_on(gateway());
    }
    let sizes: Result<Vec<usize>, _> = arguments.iter().map(|a| a.parse()).collect();
    let sizes = sizes.context("the arguments are numbers of calls")?;
    let sizes = if sizes.is_empty() { vec![100, 500, 1_000] } else { sizes };
    pin(std::process::id(), CALLERS_CORE);
    println!("gateway without inference, one core; callers on the other core");
    println!(
        "{:>6} {:>14} {:>10} {:>13} {:>13} {:>11} {:>9} {:>11} {:>7} {:>10}",
        "calls",
        "CPU s/call-min",
        "MB/call",
        "woke p99 ms",
        "came p99 ms",
        "turn p50 ms",
        "turn p99",
        "under-runs",
        "failed",
        "own cores"
    );
    for calls in sizes {
        print(&runtime.block_on(measure(calls))?);
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
        rules: Arc::new(|_, _| ()),
        retriever: Arc::new(Retriever::lexical()),
        outside: Default::default(),
        load: Arc::new(|| 0.0),
    }
}

/// Questions of 1.2 s, each after an answer, for as long as anyone measures.
fn caller() -> Result<Arc<Recording>> {
    let silence = vec![AudioFrame::SILENCE; 60];
    let mut frames = silence.clone();
    for _ in 0..12 {
        frames.extend([LOUD; 60]);
        frames.extend(&silence);
    }
    Ok(Arc::new(Recording::new("questions", &frames, None, Vec::new())?))
}

async fn measure(calls: usize) -> Result<Stepped> {
    let gateway = Child::start(&[], None)?;
    let idle = resident_bytes(gateway.pid()).unwrap_or_default();
    println!("(idle before any call or model: {:.0} MB)", idle / 1_048_576.0);
    let plan = Plan {
        recordings: vec![caller()?],
        callers: calls,
        ramp: RAMP,
        repeat: 1,
        manner: Manner::default(),
        shares: Shares::default(),
        to: LINE.to_owned(),
        seed: 1,
        keep_ids: false,
    };
    step::run(&gateway, idle, plan, MEASURED).await
}

fn print(step: &Stepped) {
    println!(
        "{:>6} {:>14.3} {:>10.2} {:>13} {:>13.1} {:>11.0} {:>9.0} {:>11} {:>7} {:>10.2}{}",
        step.live,
        step.cpu_per_call_minute,
        step.mb_per_call,
        step.woke_late_p99.map_or_else(|| "?".into(), |ms| format!("{ms:.1}")),
        step.came_late.p99,
        step.totals.answers.quantile(0.5),
        step.totals.answers.quantile(0.99),
        step.totals.under_runs,
        step.totals.failed(),
        step.own_cores,
        if step.is_saturated() { "  GENERATOR SATURATED: times are in part its own" } else { "" }
    );
    for (reason, n) in &step.totals.failures {
        println!("       {n} × {reason}");
    }
}
