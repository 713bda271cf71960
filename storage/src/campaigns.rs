//! Calls to a list of numbers: whom they are to reach, from when to when, how many at a time, and how each number stands.

use std::fmt;

use chrono::{DateTime, Utc};

use crate::ids::{CallId, CampaignEntryId, CampaignId};
use crate::outreach::Purpose;
use crate::records::word_enum;
use crate::retries::NewRetries;

word_enum! {
    /// How a campaign stands.
    CampaignState {
        Running = "running",
        /// Nobody is called until it is resumed; calls that ring or are talking go on.
        Paused = "paused",
        Canceled = "canceled",
        /// Every number is done with.
        Ended = "ended",
    }
}

impl CampaignState {
    /// Nothing follows it.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Canceled | Self::Ended)
    }
}

word_enum! {
    /// How one of its numbers stands.
    EntryState {
        /// To be called at a time.
        Waiting = "waiting",
        /// Being called.
        Calling = "calling",
        /// Done with.
        Ended = "ended",
    }
}

/// A campaign to be. It begins paused.
#[derive(Clone, Debug)]
pub struct NewCampaign {
    pub id: CampaignId,
    pub purpose: Purpose,
    /// Login, or the name of a program's token.
    pub actor: String,
    pub line: String,
    pub language: String,
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// Calls at a time.
    pub at_once: u32,
    pub retries: NewRetries,
    pub entries: Vec<NewEntry>,
}

/// Whom it is to reach.
#[derive(Clone)]
pub struct NewEntry {
    /// Its place in the list as it was given, from one.
    pub position: u32,
    /// None is on file: it is kept as done with.
    pub number: Option<String>,
    /// The appointment that the call reminds of: the reference of its request.
    pub item: Option<String>,
}

// A number is somebody's.
impl fmt::Debug for NewEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewEntry").field("position", &self.position).finish_non_exhaustive()
    }
}

/// A campaign as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Campaign {
    pub id: CampaignId,
    pub purpose: Purpose,
    pub actor: String,
    pub line: String,
    pub language: String,
    pub from: DateTime<Utc>,
    pub until: DateTime<Utc>,
    pub at_once: u32,
    pub retries: NewRetries,
    pub state: CampaignState,
    /// Why none of its calls begins now, where that is known.
    pub waits: Option<String>,
    pub created_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// One of its numbers as it stands; the number itself is asked for by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub id: CampaignEntryId,
    pub campaign: CampaignId,
    pub position: u32,
    pub item: Option<String>,
    pub state: EntryState,
    pub due_at: Option<DateTime<Utc>>,
    pub attempts: u32,
    pub first: Option<CallId>,
    /// The latest attempt.
    pub last: Option<CallId>,
    /// What the last attempt came to, the rule that puts the next off, or why there is none any more.
    pub reason: Option<String>,
}

/// How many numbers of a campaign stand so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryCount {
    pub state: EntryState,
    pub reason: Option<String>,
    pub count: u32,
}
