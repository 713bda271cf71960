//! Who failed to sign in lately, and how long they wait: the counting, by itself. It is the same in the database, where all
//! gateways count, and in a process that cannot reach it.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// The first wait; each further failure doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// The longest one.
pub const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// After this long without an attempt everything is forgotten.
pub const FORGOTTEN: Duration = Duration::from_secs(60 * 60);

/// A login or an address, as a hash: nothing that somebody typed is kept, for some type their password there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AttemptKey {
    pub hash: [u8; 32],
    /// Failures in a row that cost nothing.
    pub free: u32,
}

/// What is counted of one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct Tally {
    #[sqlx(try_from = "i64")]
    pub failed: u32,
    pub last_at: DateTime<Utc>,
    /// When the next attempt may begin.
    pub free_at: DateTime<Utc>,
}

/// What came of an attempt's beginning, of each of its keys in their order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttemptBegun {
    /// It counts as failed, until it succeeds.
    Counted(Vec<Tally>),
    /// One of them has to wait: nothing was counted.
    Waits(Vec<Tally>),
}

impl Tally {
    /// Of whom nothing is known.
    #[must_use]
    pub const fn new(now: DateTime<Utc>) -> Self {
        Self { failed: 0, last_at: now, free_at: now }
    }

    /// How long the next attempt has to wait. Clocks of several machines differ, and may jump: never longer than the longest.
    #[must_use]
    pub fn wait(&self, now: DateTime<Utc>) -> Option<Duration> {
        let wait = (self.free_at - now).to_std().ok()?.min(LONGEST_WAIT);
        (!wait.is_zero()).then_some(wait)
    }

    /// The same after one more failure, of which `free` cost nothing.
    #[must_use]
    pub fn failed(self, free: u32, now: DateTime<Utc>) -> Self {
        let before = if is_forgotten(self.last_at, now) { 0 } else { self.failed };
        let failed = before.saturating_add(1);
        Self { failed, last_at: now, free_at: now + wait_after(failed, free) }
    }

    /// Takes one failure back, and the wait for it.
    #[must_use]
    pub fn forgiven(self, now: DateTime<Utc>) -> Self {
        Self { failed: self.failed.saturating_sub(1), free_at: now, ..self }
    }
}

/// Whether an attempt of then is forgotten now.
#[must_use]
pub fn is_forgotten(last_at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    (now - last_at).to_std().is_ok_and(|since| since > FORGOTTEN)
}

fn wait_after(failed: u32, free: u32) -> TimeDelta {
    let wait = match failed.checked_sub(free) {
        None | Some(0) => Duration::ZERO,
        Some(beyond) => FIRST_WAIT.saturating_mul(1 << (beyond - 1).min(16)).min(LONGEST_WAIT),
    };
    TimeDelta::from_std(wait).unwrap_or_default()
}
