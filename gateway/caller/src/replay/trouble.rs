//! What is wrong with one simulated leg.

#![deny(clippy::disallowed_methods)]

use std::time::Duration;

use telephony::media::CallTime;

use super::chance::Chance;

/// Shares of calls that suffer, in percent, and how much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Calls whose leg stops reading once, and for how long.
    pub stall: f64,
    pub stall_for: Duration,
    /// Calls over a leg with delay, which varies evenly from half of this to all of it, each way.
    pub jitter: f64,
    pub delay: Duration,
    /// Callers who hang up in the middle.
    pub hang_up: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Self {
            stall: 0.0,
            stall_for: Duration::from_secs(2),
            jitter: 0.0,
            delay: Duration::from_millis(80),
            hang_up: 0.0,
        }
    }
}

/// The trouble of one call.
#[derive(Clone, Debug)]
pub struct Trouble {
    chance: Chance,
    stall: Option<(CallTime, CallTime)>,
    /// Least delay of each way, and what may come on top.
    delay: Duration,
    jitter: Duration,
    hang_up_at: Option<CallTime>,
}

impl Trouble {
    /// None at all.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            chance: Chance::new(0),
            stall: None,
            delay: Duration::ZERO,
            jitter: Duration::ZERO,
            hang_up_at: None,
        }
    }

    /// What this call draws. `length` is how long it may last.
    #[must_use]
    pub fn draw_for(shares: &Shares, mut chance: Chance, length: Duration) -> Self {
        let moment = |chance: &mut Chance| CallTime::ZERO + length / 10 + chance.up_to(length * 8 / 10);
        let stall = chance.happens(shares.stall).then(|| {
            let from = moment(&mut chance);
            (from, from + shares.stall_for)
        });
        let delay = if chance.happens(shares.jitter) { shares.delay / 2 } else { Duration::ZERO };
        let hang_up_at = chance.happens(shares.hang_up).then(|| moment(&mut chance));
        Self { chance, stall, delay, jitter: delay, hang_up_at }
    }

    /// The leg does not behave: its times say nothing about the gateway.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.stall.is_some() || !self.delay.is_zero()
    }

    /// The leg reads nothing now.
    #[must_use]
    pub fn is_stalled(&self, now: CallTime) -> bool {
        self.stall.is_some_and(|(from, to)| (from..to).contains(&now))
    }

    /// Least delay of one way.
    #[must_use]
    pub const fn way(&self) -> Duration {
        self.delay
    }

    /// Delay of what goes one way now.
    pub fn draw(&mut self) -> Duration {
        if self.delay.is_zero() { Duration::ZERO } else { self.delay + self.chance.up_to(self.jitter) }
    }

    /// The caller hangs up now.
    #[must_use]
    pub fn hangs_up(&self, now: CallTime) -> bool {
        self.hang_up_at.is_some_and(|at| now >= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(100);

    #[test]
    fn a_call_without_shares_has_no_trouble() {
        let mut trouble = Trouble::draw_for(&Shares::default(), Chance::new(1), LENGTH);
        assert!(!trouble.is_any());
        assert_eq!(trouble.draw(), Duration::ZERO);
        assert!(!trouble.hangs_up(CallTime::from_ms(1_000_000)));
    }

    #[test]
    fn troubles_fall_into_the_call_and_delays_within_their_bounds() {
        let shares = Shares { stall: 100.0, jitter: 100.0, hang_up: 100.0, ..Shares::default() };
        for seed in 0..200 {
            let mut trouble = Trouble::draw_for(&shares, Chance::new(seed), LENGTH);
            let (from, to) = trouble.stall.unwrap();
            assert!((10_000..=90_000).contains(&from.as_ms()));
            assert_eq!(to.since(from), shares.stall_for);
            assert!(trouble.is_stalled(from) && !trouble.is_stalled(to));
            let at = trouble.hang_up_at.unwrap();
            assert!((10_000..=90_000).contains(&at.as_ms()));
            assert!((Duration::from_millis(40)..=Duration::from_millis(80)).contains(&trouble.draw()));
        }
    }
}
