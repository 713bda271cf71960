//! How long a tenant's logs are kept, and what must be kept longer.

use chrono::{DateTime, Utc};

use crate::ids::{CallId, HoldId, PassportId};

/// What a legal hold is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Held {
    Call(CallId),
    Passport(PassportId),
    /// Everything of a caller, by number; kept as the number's keyed hash alone.
    Caller(String),
    /// Everything of the tenant.
    Tenant,
}

/// A hold to be set.
#[derive(Clone, Debug)]
pub struct NewHold {
    pub on: Held,
    /// Why; sealed.
    pub reason: String,
    /// Who sets it.
    pub by: String,
}

/// A legal hold. While it is not lifted, nothing of its subject is deleted for its age.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hold {
    pub id: HoldId,
    /// `call`, `passport`, `caller` or `tenant`.
    pub kind: String,
    /// Of a call or a Passport.
    pub subject: Option<uuid::Uuid>,
    pub reason: String,
    pub set_by: String,
    pub set_at: DateTime<Utc>,
    pub lifted_by: Option<String>,
    pub lifted_at: Option<DateTime<Utc>>,
}

/// What is old enough to go.
#[derive(Clone, Copy, Debug)]
pub struct SweepLimits {
    /// Logs of calls that ended before.
    pub events_before: DateTime<Utc>,
    /// What is in Passports that are closed and were last changed before, their ledgers and reviews; the task history;
    /// effects that are over; numbers of callers of calls that ended before.
    pub tasks_before: DateTime<Utc>,
    /// Calls and Passports each, at most.
    pub most: u32,
}

/// What a sweep deleted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Swept {
    /// Calls whose log is gone.
    pub calls: u64,
    /// Rows of logs and ledgers.
    pub rows: u64,
    /// Passports of which only team, state and times are left.
    pub passports: u64,
    /// Records of the task history.
    pub tasks: u64,
    /// Effects that were made, refused or given up.
    pub effects: u64,
    /// Calls that no longer hold their caller's number.
    pub callers: u64,
}

impl Swept {
    /// Nothing was old enough.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}
