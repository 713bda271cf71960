//! Delay of mark echoes, and what it says about the leg.

use std::time::Duration;

/// Assumed while no mark has come back.
const UNKNOWN_DELAY: Duration = Duration::from_millis(100);
/// Deviation that any leg shows and the ordinary cushion absorbs.
const ORDINARY: Duration = Duration::from_millis(10);
/// Cushion added per deviation beyond the ordinary.
const CUSHION_PER_DEVIATION: u32 = 4;
/// The cushion changes in whole frames.
const STEP_US: u64 = 20_000;

/// Smoothed delay of mark echoes behind the earliest time possible, and its mean deviation (gains 1/8 and 1/4,
/// as TCP does for round trips).
#[derive(Debug, Default)]
pub(super) struct Echo {
    mean: Option<Duration>,
    deviation: Duration,
    least: Option<Duration>,
}

impl Echo {
    pub(super) fn sample(&mut self, delay: Duration) {
        self.least = Some(self.least.map_or(delay, |least| least.min(delay)));
        let Some(mean) = self.mean else {
            self.mean = Some(delay);
            return;
        };
        self.deviation = (self.deviation * 3 + delay.abs_diff(mean)) / 4;
        self.mean = Some((mean * 7 + delay) / 8);
    }

    /// Smallest delay seen: the way there and back without any waiting.
    pub(super) const fn least(&self) -> Option<Duration> {
        self.least
    }

    pub(super) fn usual(&self) -> Duration {
        self.mean.unwrap_or(UNKNOWN_DELAY)
    }

    /// A delay that few echoes exceed.
    pub(super) fn usual_most(&self) -> Duration {
        self.usual() + self.deviation * 4
    }

    /// Cushion for a leg like this, in whole frames, between `least` and `most`.
    pub(super) fn cushion(&self, least: Duration, most: Duration) -> Duration {
        let extra = self.deviation.saturating_sub(ORDINARY) * CUSHION_PER_DEVIATION;
        let extra_us = u64::try_from(extra.as_micros()).unwrap_or(u64::MAX);
        (least + Duration::from_micros(extra_us / STEP_US * STEP_US)).min(most.max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: Duration = Duration::from_millis(140);
    const MOST: Duration = Duration::from_millis(400);

    #[test]
    fn a_steady_leg_keeps_the_least_cushion() {
        let mut echo = Echo::default();
        for i in 0..50 {
            echo.sample(Duration::from_millis(60 + i % 8));
        }
        assert_eq!(echo.cushion(LEAST, MOST), LEAST);
        assert_eq!(echo.least(), Some(Duration::from_millis(60)));
    }

    #[test]
    fn a_jittery_leg_gets_more_up_to_the_most_and_calms_down_again() {
        let mut echo = Echo::default();
        for i in 0..40 {
            echo.sample(Duration::from_millis(if i % 2 == 0 { 40 } else { 300 }));
        }
        assert_eq!(echo.cushion(LEAST, MOST), MOST);
        for _ in 0..40 {
            echo.sample(Duration::from_millis(100));
        }
        assert_eq!(echo.cushion(LEAST, MOST), LEAST);
    }
}
