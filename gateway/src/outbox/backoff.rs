//! When an effect that could not be sent is tried again.

use std::time::Duration;

/// Times that an effect is sent; then a person is told.
pub const ATTEMPTS: u32 = 8;
/// After the first failure; doubled after each further one.
const FIRST: Duration = Duration::from_secs(2);
const LONGEST: Duration = Duration::from_secs(600);

/// The wait after so many attempts, a quarter more or less by the seed: many rows that failed together come back apart.
#[must_use]
pub fn wait(attempts: u32, seed: u64) -> Duration {
    let doubled = FIRST.saturating_mul(1 << attempts.saturating_sub(1).min(16)).min(LONGEST);
    // One step of an LCG spreads neighbouring seeds; the top bits are the good ones.
    let spread =
        seed.wrapping_add(attempts.into()).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1) >> 32;
    let share = 0.75 + 0.5 * (spread as f64 / f64::from(u32::MAX));
    doubled.mul_f64(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_ten_minutes_and_spread_by_a_quarter() {
        for (attempts, seconds) in [(1, 2.0), (2, 4.0), (5, 32.0), (8, 256.0), (20, 600.0), (u32::MAX, 600.0)]
        {
            for seed in 0..200 {
                let waited = wait(attempts, seed).as_secs_f64() / seconds;
                assert!((0.74..=1.26).contains(&waited), "{attempts} {seed}: {waited}");
            }
        }
        let all: std::collections::BTreeSet<_> = (0..200).map(|seed| wait(3, seed)).collect();
        assert!(all.len() > 150, "they come back apart: {}", all.len());
        assert_eq!(wait(3, 7), wait(3, 7));
    }
}
