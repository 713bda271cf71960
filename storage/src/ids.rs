//! Ids: newtypes over time-ordered UUIDs (v7), so that rows of one table sort by age and no id fits another's place.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(
            Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize, sqlx::Type,
        )]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A fresh id. Later ids sort after earlier ones (to the millisecond).
            #[must_use]
            #[allow(clippy::new_without_default)] // two defaults would not be equal
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }
    )+};
}

impl TenantId {
    /// The platform itself, for what belongs to no tenant.
    pub const PLATFORM: Self = Self(Uuid::nil());
}

id! {
    /// A customer: a county department.
    TenantId,
    /// A passkey of a user.
    PasskeyId,
    /// One phone call. The carrier's CallSid is another thing.
    CallId,
    /// One work item's travelling state.
    PassportId,
    /// Something to be done that a call left behind.
    WorkItemId,
    /// One entry in the history of a piece of work.
    WorkActId,
    /// A call that somebody had placed about a piece of work.
    DialId,
    /// Calls to a list of numbers.
    CampaignId,
    /// One of those numbers.
    CampaignEntryId,
    /// A call that is put through to a person.
    TransferId,
    /// A caller's wait for a person.
    WaitId,
    /// Work that outlives a call, in the queue.
    JobId,
    /// An effect outside, on its way.
    OutboxId,
    /// A bookable inspection appointment.
    SlotId,
    /// A knowledge document.
    DocumentId,
    /// Something that the organisation knows.
    MemoryNodeId,
    /// A task in the history of tasks.
    TaskRecordId,
    /// A legal hold.
    HoldId,
    /// A person who may sign in.
    UserId,
    /// A signed-in console session.
    SessionId,
    /// An API token.
    TokenId,
    /// A caller that is remembered.
    ContactId,
    /// One remembered fact.
    MemoryId,
    /// A fact that an agent proposes to remember.
    SuggestionId,
    /// What the memory manager decided on one suggestion.
    DecisionId,
    /// An agent's note that is gone after a day.
    NoteId,
    /// A row of one of memory's logs.
    RecordId,
    /// A data folder, and the process that uses it. Drawn when the folder is made; kept in `<data>/node.id`.
    NodeId,
}
