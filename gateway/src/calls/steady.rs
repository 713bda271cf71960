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
