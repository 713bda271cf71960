//! How long to wait before something that failed is tried again.

use std::time::Duration;

/// Waits that grow with each failure, up to a longest one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    times: u32,
}

impl Backoff {
    /// Doubles after each failure.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, times: 2 }
    }

    /// Grows by this factor instead.
    #[must_use]
    pub const fn times(self, times: u32) -> Self {
        Self { times, ..self }
    }

    /// The wait after so many failures in a row.
    #[must_use]
    pub fn after(self, failures: u32) -> Duration {
        let grown = self.times.saturating_pow(failures.saturating_sub(1));
        self.first.saturating_mul(grown).min(self.longest)
    }

    /// The same, a quarter more or less by the seed: many that failed together come back apart.
    #[must_use]
    pub fn spread(self, failures: u32, seed: u64) -> Duration {
        // One step of an LCG spreads neighboring seeds; the top bits are the good ones.
        let spread =
            seed.wrapping_add(failures.into()).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) >> 32;
        self.after(failures).mul_f64(0.75 + 0.5 * (spread as f64 / f64::from(u32::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(600));

    #[test]
    fn waits_grow_up_to_the_longest() {
        for (failures, seconds) in [(0, 2), (1, 2), (2, 4), (5, 32), (8, 256), (20, 600), (u32::MAX, 600)] {
            assert_eq!(BACKOFF.after(failures).as_secs(), seconds, "{failures}");
        }
        assert_eq!([1, 2, 3, 9].map(|n| BACKOFF.times(4).after(n).as_secs()), [2, 8, 32, 600]);
    }

    #[test]
    fn seeds_spread_waits_by_a_quarter() {
        for failures in [1, 2, 5, 20] {
            for seed in 0..200 {
                let waited =
                    BACKOFF.spread(failures, seed).as_secs_f64() / BACKOFF.after(failures).as_secs_f64();
                assert!((0.74..=1.26).contains(&waited), "{failures} {seed}: {waited}");
            }
        }
        let all: std::collections::BTreeSet<_> = (0..200).map(|seed| BACKOFF.spread(3, seed)).collect();
        assert!(all.len() > 150, "they come back apart: {}", all.len());
        assert_eq!(BACKOFF.spread(3, 7), BACKOFF.spread(3, 7));
    }
}
