//! The time of day, which decides whether somebody may be called.

use chrono::{DateTime, Utc};
use parking_lot::Mutex;

/// The machine's clock, or for tests one that stands.
#[derive(Debug, Default)]
pub struct WallClock(Mutex<Option<DateTime<Utc>>>);

impl WallClock {
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.0.lock().unwrap_or_else(Utc::now)
    }

    /// Lets it stand at a time.
    pub fn stand_at(&self, time: DateTime<Utc>) {
        *self.0.lock() = Some(time);
    }
}
