//! Time of day that no step of the machine's clock can move.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Reads the machine's clock once and counts on from there by the monotonic one. For what is issued and checked in this
/// process alone.
#[derive(Clone, Copy, Debug)]
pub struct SteadyClock {
    began: Instant,
    /// Since 1970, at `began`.
    unix: Duration,
}

impl SteadyClock {
    #[must_use]
    pub fn start() -> Self {
        Self::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    fn from(unix: Duration) -> Self {
        Self { began: Instant::now(), unix }
    }

    /// Seconds since 1970, as of the start plus what has passed.
    #[must_use]
    pub fn unix_s(&self) -> u64 {
        (self.unix + self.began.elapsed()).as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine's clock is looked at in `start` alone: whatever it is set to later, this one goes on by what passes.
    #[test]
    fn only_what_passes_moves_it() {
        for wall in [Duration::ZERO, Duration::from_secs(1_800_000_000), Duration::from_secs(1_800_003_600)] {
            let clock = SteadyClock::from(wall);
            assert_eq!(clock.unix_s(), wall.as_secs());
            let later =
                SteadyClock { began: clock.began.checked_sub(Duration::from_secs(61)).unwrap(), ..clock };
            assert_eq!(later.unix_s(), wall.as_secs() + 61);
        }
    }
}
