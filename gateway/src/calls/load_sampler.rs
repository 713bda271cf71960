//! Measures how late timers fire and how much CPU time the process uses, and keeps the figure of [`Strain`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::load_score::{Measured, Strain};
use crate::telemetry::process;

/// How often the figure is renewed.
const EVERY: Duration = Duration::from_millis(250);
/// How often a timer is watched for being late: often enough that the worst of a quarter of a second is the 96th
/// percentile of that time.
const TICK: Duration = Duration::from_millis(10);

/// The figure, for everyone who asks. Zero while nobody measures.
#[derive(Clone, Default)]
pub struct Gauge(Arc<AtomicU32>);

impl Gauge {
    /// 0 to 1.
    #[must_use]
    pub fn read(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, figure: f32) {
        self.0.store(figure.to_bits(), Ordering::Relaxed);
    }
}

impl fmt::Debug for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gauge({})", self.read())
    }
}

/// Measures until `closing`.
pub async fn run(gauge: Gauge, mut strain: Strain, closing: CancellationToken) {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut since = Instant::now();
    let mut cpu = process::cpu_time();
    let mut worst = Duration::ZERO;
    loop {
        let due = tokio::select! {
            due = ticks.tick() => due,
            () = closing.cancelled() => return,
        };
        let now = Instant::now();
        worst = worst.max(now - due);
        let wall = now - since;
        if wall < EVERY {
            continue;
        }
        let used = process::cpu_time();
        let measured = Measured {
            wall,
            lateness: worst,
            cpu: used.zip(cpu).map(|(used, before)| used.saturating_sub(before)),
        };
        gauge.set(strain.take(measured));
        (since, cpu, worst) = (now, used, Duration::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::admission::{Admission, Capacity};
    use crate::config::Limits;

    #[tokio::test]
    async fn a_blocked_runtime_shows_in_the_figure() {
        let (gauge, closing) = (Gauge::default(), CancellationToken::new());
        let sampling = tokio::spawn(run(gauge.clone(), Strain::new(None), closing.clone()));
        let end = Instant::now() + Duration::from_secs(10);
        while gauge.read() < 0.8 && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(30));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(gauge.read() >= 0.8, "{}", gauge.read());
        closing.cancel();
        sampling.await.unwrap();
    }

    /// Lets virtual time pass in jumps, so that each timer fires up to one jump late.
    async fn pass(time: Duration, jump: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            tokio::time::advance(jump).await;
            tokio::task::yield_now().await;
        }
    }

    fn serves(capacity: &Capacity, gauge: &Gauge) -> bool {
        matches!(capacity.admit(0.0, gauge.read()), Admission::Serve(_))
    }

    #[tokio::test(start_paused = true)]
    async fn lasting_lateness_refuses_calls_and_its_end_lets_them_in_again_on_any_number_of_cores() {
        let (late, well) = (Duration::from_millis(25), Duration::from_millis(1));
        for cores in [1, 2, 16, 96] {
            let (gauge, closing) = (Gauge::default(), CancellationToken::new());
            let sampling = tokio::spawn(run(gauge.clone(), Strain::new(None), closing.clone()));
            let capacity = Capacity::on(cores, &Limits::default(), false);
            let _few: Vec<_> = (0..cores * 4).map(|_| capacity.admit(0.0, 0.0)).collect();
            pass(Duration::from_secs(5), well).await;
            assert!(serves(&capacity, &gauge), "{cores} cores, nothing is late: {}", gauge.read());
            pass(EVERY, late).await;
            assert!(serves(&capacity, &gauge), "{cores} cores, one hiccup: {}", gauge.read());
            pass(Duration::from_secs(5), late).await;
            assert!(!serves(&capacity, &gauge), "{cores} cores, late all the time: {}", gauge.read());
            let mut steps = 0;
            while !serves(&capacity, &gauge) {
                steps += 1;
                assert!(steps < 40, "{cores} cores, not let in again after ten seconds: {}", gauge.read());
                pass(EVERY, well).await;
            }
            assert!(gauge.read() < 0.7 && steps > 0, "{cores} cores: {}", gauge.read());
            closing.cancel();
            sampling.await.unwrap();
        }
    }
}
