//! Rows of the outbox: effects outside this program, on their way.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ids::{CallId, OutboxId, PassportId};
use crate::records::{NewWorkItem, word_enum};

word_enum! {
    /// How far an effect has got.
    OutboxState {
        /// A person decides first.
        Held = "held",
        /// It is sent when its time comes.
        Pending = "pending",
        /// The other side has it.
        Sent = "sent",
        /// It could not be sent; a person was told.
        Failed = "failed",
        /// A person said no.
        Rejected = "rejected",
    }
}

/// An effect to be made outside.
#[derive(Clone, Debug)]
pub struct NewOutgoing {
    /// The same key again gives the earlier row. The other side is given it too.
    pub idempotency_key: String,
    /// Who is to make it.
    pub destination: String,
    pub tool: String,
    /// A person decides first.
    pub held: bool,
    pub call_id: Option<CallId>,
    pub passport_id: Option<PassportId>,
    /// What is sent; sealed.
    pub payload: Value,
}

/// An effect as it stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Outgoing {
    pub id: OutboxId,
    pub idempotency_key: String,
    pub destination: String,
    pub tool: String,
    pub state: OutboxState,
    /// Times that it was taken to be sent.
    pub attempts: u32,
    /// Not sent before.
    pub next_at: DateTime<Utc>,
    pub call_id: Option<CallId>,
    pub passport_id: Option<PassportId>,
    pub payload: Value,
    /// What the other side said.
    pub answer: Option<Value>,
    /// Why it was not sent the last time: a word of ours, never text of the other side.
    pub problem: Option<String>,
    pub decided_by: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Which effects to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct OutboxFilter {
    pub state: Option<OutboxState>,
    pub after: Option<OutboxId>,
    /// Rows at most; 0 counts as 50, and 500 is the most.
    pub limit: u32,
}

/// Takes effects that are due, so that nobody else sends them meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    /// Whoever takes them; only they can settle them.
    pub owner: Uuid,
    pub now: DateTime<Utc>,
    /// From then on somebody else may take what was not settled.
    pub until: DateTime<Utc>,
    /// Rows at most.
    pub limit: u32,
}

/// What came of sending.
#[derive(Clone, Debug)]
pub enum Settlement {
    Sent {
        answer: Option<Value>,
    },
    /// Not yet.
    Again {
        next_at: DateTime<Utc>,
        problem: String,
    },
    /// Never; the work item tells a person, in the same transaction.
    Failed {
        problem: String,
        tell: Box<NewWorkItem>,
    },
}

/// A person's word on an effect that is held.
#[derive(Clone, Debug)]
pub struct OutboxDecision {
    pub id: OutboxId,
    pub approve: bool,
    /// Login, or the name of the token.
    pub by: String,
    pub at: DateTime<Utc>,
}
