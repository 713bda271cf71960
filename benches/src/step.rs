//! One step of a load test: so many calls at a time, measured while all of them are up.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use caller::dial::Exchange;
use caller::replay::load::{self, Board, Plan, Totals};
use caller::replay::scrape::{Buckets, Look, Observer, cpu_seconds};
use caller::replay::times::Spread;
use gateway::config::Config;
use reqwest::Client;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::child::Gateway;

/// Quiet before a step, in which the gateway lets go of what the last one left.
const SETTLE: Duration = Duration::from_secs(2);

/// A process that uses less of a core than this over [`SETTLE`] has nothing to do.
const AT_REST: f64 = 0.1;
/// How long a gateway may be busy with its own beginning.
const SETTLED_WITHIN: Duration = Duration::from_secs(120);

/// Waits until the gateway has nothing of its own to do: a new one embeds the county's documents, and is strained
/// for so long.
///
/// # Errors
/// When it does not come to rest.
pub async fn at_rest(gateway: &Gateway) -> Result<()> {
    let used = || cpu_seconds(gateway.pid()).context("no CPU time of the gateway");
    let began = Instant::now();
    while began.elapsed() < SETTLED_WITHIN {
        let before = used()?;
        sleep(SETTLE).await;
        if used()? - before < AT_REST * SETTLE.as_secs_f64() {
            return Ok(());
        }
    }
    bail!("the gateway is busy although nobody calls")
}

/// What one step gave. Times are milliseconds.
#[derive(Debug)]
pub struct Stepped {
    pub calls: usize,
    pub totals: Totals,
    /// Live calls in the middle of the measured span.
    pub live: usize,
    pub cpu_per_call_minute: f64,
    pub mb_per_call: f64,
    pub resident_mb: f64,
    /// How late the gateway woke for a frame, p99 by its own histogram.
    pub woke_late_p99: Option<f64>,
    /// How far frames came behind their pace, at the callers.
    pub came_late: Spread,
    /// How late the callers themselves were, and the cores that this process used.
    pub own_late: Spread,
    pub own_cores: f64,
    /// Calls refused within the step.
    pub refused: f64,
    pub before: Look,
    pub after: Look,
}

impl Stepped {
    /// The generator was late itself, so times are in part its own.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        self.own_late.p99 > 10.0
    }

    /// What the gateway's histogram took in during the step.
    #[must_use]
    pub fn histogram(&self, name: &str, label: Option<(&str, &str)>) -> Buckets {
        self.after.metrics.buckets(name, label).since(&self.before.metrics.buckets(name, label))
    }
}

/// Runs one step: the callers of `plan` begin, and once all are up they are measured for `span`; then they hang up.
pub async fn run(gateway: &Gateway, idle_bytes: f64, plan: Plan, span: Duration) -> Result<Stepped> {
    let http = Client::new();
    let base = gateway.base().to_owned();
    let observer = Observer { http: http.clone(), base: base.clone(), token: None, pid: Some(gateway.pid()) };
    let exchange = Arc::new(Exchange::new(
        Config::for_test(std::path::Path::new("/nowhere")).carrier_account(),
        http,
        base,
    ));
    let (board, stop) = (Arc::new(Board::default()), CancellationToken::new());
    sleep(SETTLE).await;
    let up = Instant::now() + Duration::from_secs_f64(plan.callers as f64 / plan.ramp) + SETTLE;
    let calls = plan.callers;
    let first = observer.look().await;
    let running = tokio::spawn(load::run(plan, exchange, board.clone(), stop.clone()));
    sleep_until(up).await;
    board.meters.reset();
    let own_before = cpu_seconds(std::process::id()).unwrap_or_default();
    let (before, began) = (observer.look().await, Instant::now());
    sleep(span / 2).await;
    let live = board.meters.live();
    sleep(span / 2).await;
    let (after, length) = (observer.look().await, began.elapsed());
    let own_used = cpu_seconds(std::process::id()).unwrap_or_default() - own_before;
    stop.cancel();
    running.await?;
    let used = after.cpu_seconds.unwrap_or_default() - before.cpu_seconds.unwrap_or_default();
    let resident = after.resident_bytes.unwrap_or_default();
    let refused = |look: &Look| look.metrics.sum("quandura_calls_refused_total").unwrap_or_default();
    let mut stepped = Stepped {
        calls,
        totals: board.totals.lock().clone(),
        live,
        cpu_per_call_minute: used / (live.max(1) as f64 * length.as_secs_f64() / 60.0),
        mb_per_call: (resident - idle_bytes) / 1_048_576.0 / live.max(1) as f64,
        resident_mb: resident / 1_048_576.0,
        woke_late_p99: None,
        came_late: board.meters.arrival_lateness().spread(),
        own_late: board.meters.send_lateness().spread(),
        own_cores: own_used / length.as_secs_f64(),
        refused: refused(&after) - refused(&first),
        before,
        after,
    };
    stepped.woke_late_p99 =
        stepped.histogram("quandura_frame_lateness_seconds", None).quantile(0.99).map(|s| s * 1_000.0);
    Ok(stepped)
}
