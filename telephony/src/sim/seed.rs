//! Reproducible pseudo-random numbers (SplitMix64). Not for secrets.

use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Seeded(u64);

impl Seeded {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From zero to `most`, evenly.
    pub(super) fn up_to(&mut self, most: Duration) -> Duration {
        let most_us = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(self.next() % (most_us + 1))
    }

    /// True `per_mille` times in a thousand.
    pub(super) const fn happens(&mut self, per_mille: u16) -> bool {
        self.next() % 1_000 < per_mille as u64
    }
}
