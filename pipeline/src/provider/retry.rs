//! Waits before another try at the same provider. Pure: chance comes in as a seed.
#![deny(clippy::disallowed_methods)]

use std::time::Duration;

/// At once, then longer: four seconds is a lifetime on a call.
const WAITS_MS: [u64; 4] = [0, 100, 300, 900];

/// Wait before try number `attempt` (from 0) and a jitter of up to a quarter of it; `None` when it is enough.
#[must_use]
pub fn wait(attempt: usize, seed: u64) -> Option<Duration> {
    let ms = *WAITS_MS.get(attempt)?;
    let jitter = if ms == 0 { 0 } else { seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32 & 0xFF };
    Some(Duration::from_millis(ms + ms * jitter / 1_024))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn waits_grow_are_jittered_and_end() {
        for seed in 0..50 {
            assert_eq!(wait(0, seed), Some(Duration::ZERO));
            let third = wait(2, seed).unwrap().as_millis();
            assert!((300..=375).contains(&third), "{third}");
            assert_eq!(wait(4, seed), None);
        }
    }
}
