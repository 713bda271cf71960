//! How close this process is to serving its calls badly. Pure: measurements come in, a figure from 0 to 1 goes out.
//!
//! Two signs are watched. Timers that fire late are what callers hear first: a frame that leaves late is a gap. The
//! share of the cores that is used says the same earlier, while there is still room. Frames may be late by 5 ms at
//! the 99th percentile; new calls are refused before that.
#![deny(clippy::disallowed_methods)]

use std::time::Duration;

/// Lateness that counts as 1: the bar for frames.
const LATE_MS: f32 = 5.0;
/// One measurement counts as no more than this, so that a single hiccup of the machine refuses nobody.
const MOST_LATE_MS: f32 = 10.0;
/// Weight of the newest measurement: at four a second, a change is believed after about a second.
const WEIGHT: f32 = 0.2;

/// What was seen since the last measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Time between the two measurements.
    pub wall: Duration,
    /// The latest that a timer fired in it.
    pub lateness: Duration,
    /// CPU time that the process used in it; `None` where the system does not say.
    pub cpu: Option<Duration>,
}

/// Measurements, smoothed.
#[derive(Clone, Debug)]
pub struct Strain {
    /// Cores that the process may use; `None`: their use says nothing, because work of low priority fills them.
    cores: Option<f32>,
    late_ms: f32,
    used: f32,
}

impl Strain {
    /// `cores` is the number of cores that the process may use, or `None` to judge by lateness alone.
    #[must_use]
    pub const fn new(cores: Option<f32>) -> Self {
        Self { cores, late_ms: 0.0, used: 0.0 }
    }

    /// Takes a measurement; the figure, 0 to 1.
    pub fn take(&mut self, measured: Measured) -> f32 {
        let late_ms = (measured.lateness.as_secs_f32() * 1_000.0).min(MOST_LATE_MS);
        self.late_ms += WEIGHT * (late_ms - self.late_ms);
        if let (Some(cores), Some(cpu)) = (self.cores, measured.cpu) {
            let used = cpu.as_secs_f32() / (measured.wall.as_secs_f32() * cores).max(f32::EPSILON);
            self.used += WEIGHT * (used.min(1.0) - self.used);
        }
        self.figure()
    }

    /// The figure as of the last measurement.
    #[must_use]
    pub fn figure(&self) -> f32 {
        (self.late_ms / LATE_MS).max(self.used).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: Duration = Duration::from_millis(250);

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn measured(late_ms: u64, cpu_ms: u64) -> Measured {
        Measured { wall: EVERY, lateness: ms(late_ms), cpu: Some(ms(cpu_ms)) }
    }

    /// Measurements until the figure is on the wanted side, at most a minute's worth.
    fn until(strain: &mut Strain, measured: Measured, reached: impl Fn(f32) -> bool) -> Duration {
        (1..240).find(|_| reached(strain.take(measured))).map_or(Duration::MAX, |n| EVERY * n)
    }

    #[test]
    fn full_cores_are_strain_within_some_seconds_and_idle_ones_none_again() {
        let mut strain = Strain::new(Some(2.0));
        for _ in 0..40 {
            assert!(strain.take(measured(1, 100)) < 0.3, "a fifth of two cores");
        }
        let tripped = until(&mut strain, measured(1, 480), |figure| figure >= 0.8);
        assert!(tripped <= ms(3_000), "{tripped:?}");
        let recovered = until(&mut strain, measured(1, 100), |figure| figure < 0.7);
        assert!(recovered <= ms(2_000), "{recovered:?}");
    }

    #[test]
    fn late_timers_are_strain_although_the_cores_are_idle() {
        let mut strain = Strain::new(Some(2.0));
        let tripped = until(&mut strain, measured(6, 20), |figure| figure >= 0.8);
        assert!(tripped <= ms(2_500), "{tripped:?}");
        assert!(until(&mut strain, measured(1, 20), |figure| figure < 0.7) <= ms(1_000));
        assert_eq!(
            until(&mut Strain::new(Some(2.0)), measured(3, 20), |figure| figure >= 0.8),
            Duration::MAX
        );
    }

    #[test]
    fn one_hiccup_is_no_strain() {
        let mut strain = Strain::new(Some(2.0));
        for _ in 0..40 {
            strain.take(measured(1, 100));
        }
        assert!(strain.take(measured(400, 400)) < 0.8);
    }

    #[test]
    fn where_work_of_low_priority_fills_the_cores_only_lateness_counts() {
        let mut strain = Strain::new(None);
        for _ in 0..40 {
            assert!(strain.take(measured(1, 500)) < 0.3);
        }
        assert!(until(&mut strain, measured(8, 500), |figure| figure >= 0.8) <= ms(2_500));
    }
}
