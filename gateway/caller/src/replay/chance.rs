//! Chance with a seed, so that a load test can be run again as it was. Not for secrets.

#![deny(clippy::disallowed_methods)]

use std::time::Duration;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Another sequence for each `number`, from the same seed.
    #[must_use]
    pub const fn of(seed: u64, number: u64) -> Self {
        let mut chance = Self(seed ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03));
        chance.next();
        chance
    }

    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From zero to less than `end`; zero when `end` is.
    pub const fn below(&mut self, end: u64) -> u64 {
        match self.next().checked_rem(end) {
            Some(n) => n,
            None => 0,
        }
    }

    /// From zero to `most`, evenly.
    pub fn up_to(&mut self, most: Duration) -> Duration {
        let most_us = u64::try_from(most.as_micros()).unwrap_or(u64::MAX - 1);
        Duration::from_micros(self.below(most_us.saturating_add(1)))
    }

    /// True so many times in a hundred.
    pub fn happens(&mut self, percent: f64) -> bool {
        (self.below(1_000_000) as f64) < percent * 10_000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_and_each_number_of_it_its_own() {
        let draw = |mut chance: Chance| [chance.next(), chance.next()];
        assert_eq!(draw(Chance::of(7, 1)), draw(Chance::of(7, 1)));
        assert_ne!(draw(Chance::of(7, 1)), draw(Chance::of(7, 2)));
        assert_ne!(draw(Chance::of(7, 1)), draw(Chance::of(8, 1)));
    }

    #[test]
    fn shares_are_kept() {
        let mut chance = Chance::new(1);
        let hits = (0..10_000).filter(|_| chance.happens(5.0)).count();
        assert!((400..600).contains(&hits), "{hits}");
        assert!(!chance.happens(0.0) && chance.happens(100.0));
        assert_eq!(chance.below(0), 0);
    }
}
