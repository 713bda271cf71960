//! How busy the pool is, for admission control.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::pool::JobKind;

/// Length of a bucket of busy time; two are kept.
const BUCKET: Duration = Duration::from_secs(2);
/// A final later than this after its pause is heard as a slow answer.
const FINAL_DEADLINE: Duration = Duration::from_millis(500);
/// First audio later than this after its text is heard as a gap.
const CLAUSE_DEADLINE: Duration = Duration::from_millis(300);
/// Share of history in the moving lateness.
const HISTORY: f32 = 0.8;
/// Seconds in which an old lateness loses half its weight.
const HALF_LIFE_S: f32 = 3.0;

pub(super) struct LoadMeter {
    workers: usize,
    state: Mutex<State>,
}

struct State {
    bucket_start: Instant,
    busy: Duration,
    /// Busy share of the bucket before, 0–1.
    before: f32,
    lateness: f32,
    late_at: Instant,
}

impl LoadMeter {
    pub fn new(workers: usize, now: Instant) -> Self {
        let state =
            State { bucket_start: now, busy: Duration::ZERO, before: 0.0, lateness: 0.0, late_at: now };
        Self { workers: workers.max(1), state: Mutex::new(state) }
    }

    pub fn record(&self, kind: JobKind, wait: Duration, started: Instant, ended: Instant) {
        if kind.is_optional() {
            return;
        }
        let run = ended - started;
        let mut state = self.state.lock();
        self.roll(&mut state, ended);
        state.busy += run;
        let deadline = match kind {
            JobKind::Final => FINAL_DEADLINE,
            JobKind::FirstClause => CLAUSE_DEADLINE,
            _ => return,
        };
        let late = ((wait + run).as_secs_f32() / deadline.as_secs_f32()).min(1.5);
        state.lateness = HISTORY * state.faded(ended) + (1.0 - HISTORY) * late;
        state.late_at = ended;
    }

    pub fn load(&self, now: Instant) -> f32 {
        let mut state = self.state.lock();
        self.roll(&mut state, now);
        // The running bucket counts by how much of it has passed.
        let passed = (now - state.bucket_start).as_secs_f32() / BUCKET.as_secs_f32();
        let busy = self.share(&state) + state.before * (1.0 - passed).max(0.0);
        busy.max(state.faded(now)).clamp(0.0, 1.0)
    }

    fn share(&self, state: &State) -> f32 {
        state.busy.as_secs_f32() / (BUCKET.as_secs_f32() * self.workers as f32)
    }

    fn roll(&self, state: &mut State, now: Instant) {
        let passed = now.saturating_duration_since(state.bucket_start);
        if passed < BUCKET {
            return;
        }
        state.before = if passed < 2 * BUCKET { self.share(state) } else { 0.0 };
        state.busy = Duration::ZERO;
        state.bucket_start = if passed < 2 * BUCKET { state.bucket_start + BUCKET } else { now };
    }
}

impl State {
    fn faded(&self, now: Instant) -> f32 {
        let age = now.saturating_duration_since(self.late_at).as_secs_f32();
        self.lateness * 0.5f32.powf(age / HALF_LIFE_S)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn busy_share_counts_what_cannot_be_shed() {
        let t = Instant::now();
        let meter = LoadMeter::new(2, t);
        meter.record(JobKind::Interim, MS(0), t, t + MS(1000));
        assert_eq!(meter.load(t + MS(1000)), 0.0);
        meter.record(JobKind::Synthesis, MS(0), t + MS(1000), t + MS(1800));
        assert!((meter.load(t + MS(2000)) - 0.2).abs() < 0.01, "{}", meter.load(t + MS(2000)));
        assert!(meter.load(t + MS(10_000)) < 0.01);
    }

    #[test]
    fn lateness_rises_with_slow_finals_and_fades() {
        let t = Instant::now();
        let meter = LoadMeter::new(2, t);
        for i in 0..10 {
            meter.record(JobKind::Final, MS(600), t + MS(i * 10), t + MS(i * 10 + 5));
        }
        assert!(meter.load(t + MS(100)) > 0.9);
        assert!(meter.load(t + MS(12_000)) < 0.2);
    }
}
