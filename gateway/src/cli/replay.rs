//! `quandura replay`.

mod progress;
mod report;
mod table;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::args;
use super::client::{base_url, http, token};
use crate::config::Config;
use caller::dial::Exchange;
use caller::replay::course::Manner;
use caller::replay::load::{self, Board, Plan};
use caller::replay::recording;
use caller::replay::scrape::{Observer, cpu_seconds};
use caller::replay::trouble::Shares;
use progress::{Watched, watch};
use report::{Measured, Report};

/// Plays the calls; an error when one failed.
pub async fn run(config: &Config, args: args::Replay) -> anyhow::Result<()> {
    let stop = CancellationToken::new();
    let on_interrupt = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            on_interrupt.cancel();
        }
    });
    let report = play(config, &args, stop).await?;
    print!("{}", table::text(&report));
    if let Some(path) = &args.report {
        let file =
            std::fs::File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
        serde_json::to_writer_pretty(file, &report)?;
    }
    match report.calls.failed {
        0 if report.calls.completed == 0 => bail!("no call was completed"),
        0 => Ok(()),
        failed => bail!("{failed} of {} calls failed", report.calls.started),
    }
}

/// Runs the plan and measures beside it.
async fn play(config: &Config, args: &args::Replay, stop: CancellationToken) -> anyhow::Result<Report> {
    let plan = plan(args)?;
    let base = base_url(config, args.target.url.as_deref())?;
    let http = http()?;
    let observer =
        Observer { http: http.clone(), token: token(config, &base), base: base.clone(), pid: args.pid };
    let exchange = Arc::new(Exchange::new(config.carrier_account(), http, base));
    let board = Arc::new(Board::default());
    eprintln!(
        "{} recordings, {} callers, {} calls each, at {}",
        plan.recordings.len(),
        plan.callers,
        plan.repeat,
        exchange.base()
    );
    let before = observer.look().await;
    let (began, own_cpu) = (Instant::now(), cpu_seconds(std::process::id()));
    let over = CancellationToken::new();
    let watching = tokio::spawn(watch(observer, board.clone(), over.clone()));
    load::run(plan.clone(), exchange, board.clone(), stop).await;
    let duration = began.elapsed();
    over.cancel();
    let Watched { peak, last } = watching.await.context("the observer crashed")?;
    let own_cpu = cpu_seconds(std::process::id()).zip(own_cpu).map(|(after, before)| after - before);
    Ok(Report::new(&plan, &board, &Measured { before, peak, last, duration, own_cpu }))
}

fn plan(args: &args::Replay) -> anyhow::Result<Plan> {
    if args.calls == 0 || args.repeat == 0 || !(args.ramp.is_finite() && args.ramp > 0.0) {
        bail!("--calls, --repeat and --ramp must be above 0");
    }
    let frames = |what: &str, seconds: f64| {
        let time = Duration::try_from_secs_f64(seconds)
            .with_context(|| format!("{what}: give seconds, such as 15"))?;
        Ok::<_, anyhow::Error>(usize::try_from(time.as_millis() / 20)?)
    };
    Ok(Plan {
        recordings: recording::read_all(&args.path)?,
        callers: args.calls,
        ramp: args.ramp,
        repeat: args.repeat,
        manner: Manner {
            strict: args.strict_time,
            patience: frames("--patience", args.patience)?,
            ..Manner::default()
        },
        shares: Shares {
            stall: args.stall,
            stall_for: Duration::from_millis(args.stall_ms),
            jitter: args.jitter,
            delay: Duration::from_millis(args.delay_ms),
            hang_up: args.hang_up,
        },
        to: args.to.clone(),
        seed: args.seed,
        keep_ids: false,
    })
}
