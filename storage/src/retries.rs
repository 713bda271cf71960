//! Attempts that follow a call of ours which reached nobody.

use chrono::{DateTime, TimeDelta, Utc};

use crate::ids::CallId;
use crate::outreach::OutreachResult;
use crate::records::word_enum;

word_enum! {
    /// How the attempts stand.
    RetryState {
        /// One is being made.
        Calling = "calling",
        /// The next is due at a time.
        Waiting = "waiting",
        Ended = "ended",
    }
}

/// How often, and when, a call is tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewRetries {
    /// After the first attempt.
    pub most: u32,
    /// From the end of an attempt to the next.
    pub every: TimeDelta,
    /// Also where a machine answered.
    pub machines: bool,
}

/// The attempts of one call, as they stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retries {
    /// The first call.
    pub id: CallId,
    /// Attempts that may still follow.
    pub remaining: u32,
    pub every: TimeDelta,
    pub machines: bool,
    pub state: RetryState,
    /// When the next is made, where one waits.
    pub due_at: Option<DateTime<Utc>>,
    /// The latest attempt.
    pub last: CallId,
    /// What the last one came to, why the next was put off, or why there is none any more.
    pub reason: Option<String>,
}

impl Retries {
    /// Whether another attempt follows one that came to this.
    #[must_use]
    pub fn follow(&self, result: OutreachResult) -> bool {
        self.state == RetryState::Calling && self.remaining > 0 && result.is_miss(self.machines)
    }
}
