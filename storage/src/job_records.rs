//! Jobs: work that outlives a call.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::ids::{JobId, PassportId};
use crate::records::word_enum;

word_enum! {
    /// Where a job stands. `Failed`: given up, a person has it.
    JobState { Queued = "queued", Running = "running", Done = "done", Failed = "failed" }
}

/// A job to be filed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    /// Filing the same key again gives the earlier job and files nothing.
    pub idempotency_key: String,
    pub passport_id: PassportId,
    /// The team that is to do it; empty: not decided yet.
    pub team_id: String,
    /// What is to be done, as the caller of the queue names it.
    pub kind: String,
    /// Not before.
    pub run_after: DateTime<Utc>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Job {
    pub id: JobId,
    pub idempotency_key: String,
    pub passport_id: PassportId,
    pub team_id: String,
    pub kind: String,
    pub state: JobState,
    /// How often it was claimed.
    pub attempts: u32,
    pub run_after: DateTime<Utc>,
    /// While it runs: until then nobody else claims it.
    pub lease_until: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which jobs to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct JobFilter {
    pub state: Option<JobState>,
    pub passport_id: Option<PassportId>,
    pub after: Option<JobId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}
