//! The figures of a load test, for people and programs. Times are milliseconds.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use caller::replay::load::{Board, Plan, Totals};
use caller::replay::scrape::{Buckets, Look};
use caller::replay::tally::{SpokenOver, Turns};
use caller::replay::times::Spread;

/// Own lateness, p99, above which figures are those of the generator.
pub const SATURATED_MS: f64 = 10.0;
const STAGES: &str = "quandura_turn_stage_seconds";

/// What was measured beside the calls.
#[derive(Debug)]
pub struct Measured {
    pub before: Look,
    /// Live calls, and the gateway then.
    pub peak: (usize, Look),
    pub last: Look,
    pub duration: Duration,
    pub own_cpu: Option<f64>,
}

/// The whole report.
#[derive(Debug, Serialize)]
pub struct Report {
    pub version: u32,
    pub plan: Planned,
    pub duration_s: f64,
    pub calls: CallCounts,
    pub turns: Turns,
    /// Last speech frame sent to first reply frame received.
    pub answer_ms: Spread,
    /// Stream opened to first sound.
    pub greeting_ms: Spread,
    pub barge_in: BargeIn,
    pub play_out: PlayOut,
    pub generator: Generator,
    pub gateway: Gateway,
}

#[derive(Debug, Serialize)]
pub struct Planned {
    pub recordings: usize,
    pub callers: usize,
    pub calls_each: usize,
    pub ramp_per_s: f64,
    pub strict_time: bool,
    pub seed: u64,
    pub stall_percent: f64,
    pub jitter_percent: f64,
    pub hang_up_percent: f64,
}

#[derive(Debug, Serialize)]
pub struct CallCounts {
    pub started: u64,
    pub completed: u64,
    pub agent_hung_up: u64,
    pub failed: u64,
    pub stopped: u64,
    /// Over a leg with delay or a stall; left out of the times.
    pub troubled: u64,
    pub live_at_peak: usize,
    pub minutes: f64,
    pub failures: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
pub struct BargeIn {
    #[serde(flatten)]
    pub counts: SpokenOver,
    /// Onset of speech over the agent to its `clear`.
    pub clear_ms: Spread,
    /// Onset to the end of the agent's sound, where it was cleared.
    pub silent_ms: Spread,
}

#[derive(Debug, Serialize)]
pub struct PlayOut {
    pub under_runs: u64,
    pub under_run_ms: f64,
    /// On legs with delay or a stall, which cause them.
    pub troubled_under_runs: u64,
    /// How far frames came behind the gateway's own pace.
    pub late_ms: Spread,
}

#[derive(Debug, Serialize)]
pub struct Generator {
    pub frames: u64,
    /// Sent over 20 ms after they were due.
    pub late_frames: u64,
    pub late_ms: Spread,
    /// Cores in use by this process, on average.
    pub cores: Option<f64>,
    /// The times above are in part this process's own.
    pub saturated: bool,
}

/// The gateway by its own account; `null` where it gives none.
#[derive(Debug, Serialize)]
pub struct Gateway {
    pub cpu_seconds_per_call_minute: Option<f64>,
    pub resident_mb_idle: Option<f64>,
    pub resident_mb_peak: Option<f64>,
    pub resident_mb_per_call: Option<f64>,
    pub turn_ms: Option<Quantiles>,
    /// Median of each stage of the turns.
    pub stages_ms: BTreeMap<String, f64>,
    pub frame_late_p99_ms: Option<f64>,
}

/// Out of a histogram's buckets, so only as fine as these are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
}

impl Report {
    #[must_use]
    pub fn new(plan: &Plan, board: &Board, measured: &Measured) -> Self {
        let totals = board.totals.lock();
        Self {
            version: 1,
            plan: Planned::new(plan),
            duration_s: measured.duration.as_secs_f64(),
            calls: CallCounts::new(&totals, measured.peak.0),
            turns: totals.turns,
            answer_ms: totals.answers.spread(),
            greeting_ms: totals.greetings.spread(),
            barge_in: BargeIn {
                counts: totals.over,
                clear_ms: totals.clears.spread(),
                silent_ms: totals.stops.spread(),
            },
            play_out: PlayOut {
                under_runs: totals.under_runs,
                under_run_ms: totals.dry.as_secs_f64() * 1_000.0,
                troubled_under_runs: totals.troubled_under_runs,
                late_ms: board.meters.arrival_lateness().spread(),
            },
            generator: Generator::new(board, measured),
            gateway: Gateway::new(&totals, measured),
        }
    }
}

impl Planned {
    fn new(plan: &Plan) -> Self {
        Self {
            recordings: plan.recordings.len(),
            callers: plan.callers,
            calls_each: plan.repeat,
            ramp_per_s: plan.ramp,
            strict_time: plan.manner.strict,
            seed: plan.seed,
            stall_percent: plan.shares.stall,
            jitter_percent: plan.shares.jitter,
            hang_up_percent: plan.shares.hang_up,
        }
    }
}

impl CallCounts {
    fn new(totals: &Totals, live_at_peak: usize) -> Self {
        Self {
            started: totals.started,
            completed: totals.completed,
            agent_hung_up: totals.agent_hung_up,
            failed: totals.failed(),
            stopped: totals.stopped,
            troubled: totals.troubled,
            live_at_peak,
            minutes: totals.talked.as_secs_f64() / 60.0,
            failures: totals.failures.clone(),
        }
    }
}

impl Generator {
    fn new(board: &Board, measured: &Measured) -> Self {
        let (frames, late_frames) = board.meters.frames();
        let late_ms = board.meters.send_lateness().spread();
        Self {
            frames,
            late_frames,
            saturated: late_ms.p99 > SATURATED_MS,
            late_ms,
            cores: measured.own_cpu.map(|s| s / measured.duration.as_secs_f64().max(0.001)),
        }
    }
}

impl Gateway {
    fn new(totals: &Totals, measured: &Measured) -> Self {
        let (before, last) = (&measured.before, &measured.last);
        let (live, peak) = &measured.peak;
        let minutes = totals.talked.as_secs_f64() / 60.0;
        let cpu = last.cpu_seconds.zip(before.cpu_seconds).map(|(after, before)| after - before);
        let mb = |look: &Look| look.resident_bytes.map(|bytes| bytes / 1_048_576.0);
        let growth = mb(peak).zip(mb(before)).map(|(peak, idle)| peak - idle);
        let since = |name: &str, label: Option<(&str, &str)>| {
            last.metrics.buckets(name, label).since(&before.metrics.buckets(name, label))
        };
        let stages = last.metrics.values(STAGES, "stage").into_iter();
        let median = |stage: String| {
            since(STAGES, Some(("stage", &stage))).quantile(0.5).map(|s| (stage, s * 1_000.0))
        };
        Self {
            cpu_seconds_per_call_minute: cpu.filter(|_| minutes > 0.0).map(|s| s / minutes),
            resident_mb_idle: mb(before),
            resident_mb_peak: mb(peak),
            resident_mb_per_call: growth.filter(|_| *live > 0).map(|mb| mb / *live as f64),
            turn_ms: quantiles(&since("quandura_turn_seconds", None)),
            stages_ms: stages.filter_map(median).collect(),
            frame_late_p99_ms: since("quandura_frame_lateness_seconds", None)
                .quantile(0.99)
                .map(|s| s * 1_000.0),
        }
    }
}

fn quantiles(buckets: &Buckets) -> Option<Quantiles> {
    let ms = |share| buckets.quantile(share).map(|s| s * 1_000.0);
    Some(Quantiles { p50: ms(0.5)?, p95: ms(0.95)?, p99: ms(0.99)? })
}
