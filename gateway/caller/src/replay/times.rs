//! Distributions of times.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

/// Longest time that is told apart from longer ones.
const LONGEST: Duration = Duration::from_secs(600);

/// Times of one kind, to a thousandth of their size.
#[derive(Clone, Debug)]
pub struct Times(Histogram<u64>);

impl Default for Times {
    fn default() -> Self {
        // The bounds are constants that the histogram takes.
        Self(Histogram::new_with_max(micros(LONGEST), 3).unwrap_or_else(|_| unreachable!("bounds are valid")))
    }
}

/// A distribution, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    pub n: u64,
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub worst: f64,
}

impl Times {
    pub fn record(&mut self, time: Duration) {
        self.0.saturating_record(micros(time));
    }

    pub fn extend(&mut self, times: impl IntoIterator<Item = Duration>) {
        times.into_iter().for_each(|time| self.record(time));
    }

    /// Time below which this share (0–1) of all lies, milliseconds; 0 when there are none.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        self.0.value_at_quantile(share) as f64 / 1_000.0
    }

    #[must_use]
    pub fn spread(&self) -> Spread {
        Spread {
            n: self.0.len(),
            p50: self.quantile(0.5),
            p95: self.quantile(0.95),
            p99: self.quantile(0.99),
            worst: self.0.max() as f64 / 1_000.0,
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_in_milliseconds_and_that_of_nothing_is_zero() {
        let mut times = Times::default();
        assert_eq!(times.spread(), Spread::default());
        times.extend((1..=100).map(Duration::from_millis));
        let spread = times.spread();
        assert_eq!(spread.n, 100);
        for (found, expected) in
            [(spread.p50, 50.0), (spread.p95, 95.0), (spread.p99, 99.0), (spread.worst, 100.0)]
        {
            assert!((found - expected).abs() < 0.2, "{spread:?}");
        }
        times.record(Duration::from_secs(100_000));
        assert!((times.spread().worst - 600_000.0).abs() < 1_000.0);
    }
}
