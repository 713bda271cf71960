//! Calls that are put through to a person of the office.

use chrono::{DateTime, Utc};

use crate::ids::{CallId, TransferId};
use crate::records::word_enum;

word_enum! {
    /// How far a transfer has got.
    TransferStage {
        /// Somebody decided it; the carrier does not know of it yet.
        Asked = "asked",
        /// The target rings, or is being asked.
        Dialling = "dialling",
        /// The person at the target takes the call.
        Accepted = "accepted",
        Ended = "ended",
    }
}

word_enum! {
    /// What came of a transfer.
    TransferResult {
        Answered = "answered",
        Declined = "declined",
        Busy = "busy",
        NoAnswer = "no_answer",
        /// An answering machine took it.
        Machine = "machine",
        Failed = "failed",
        CallerHungUp = "caller_hung_up",
        /// It was taken back, or another one took its place, before the carrier heard of it.
        Dropped = "dropped",
    }
}

impl TransferResult {
    /// Whether the caller is still with us, without a person.
    #[must_use]
    pub const fn leaves_caller(self) -> bool {
        matches!(self, Self::Declined | Self::Busy | Self::NoAnswer | Self::Machine | Self::Failed)
    }
}

/// Who asked for a transfer that no person asked for. No login has a space.
pub const BY_AGENT: &str = "the agent";

/// A transfer to be begun.
#[derive(Clone, Debug)]
pub struct NewTransfer {
    pub call: CallId,
    /// Login or name of a program's token, or [`BY_AGENT`].
    pub actor: String,
    /// The target's name, as callers hear it.
    pub target: String,
    /// E.164, of the office.
    pub number: String,
    pub language: String,
    /// What the person at the target is told of it: words of the tenant's own, or nothing.
    pub about: String,
    /// The person at the target is asked first, while the caller waits with the agent.
    pub warm: bool,
    /// The agent stays as a silent note-taker once they have taken the call, if the caller does not mind. Only where it is warm.
    pub notes: bool,
}

/// A transfer as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transfer {
    pub id: TransferId,
    pub call: CallId,
    pub actor: String,
    pub target: String,
    pub number: String,
    pub language: String,
    pub about: String,
    pub warm: bool,
    /// Notes are to be taken, or are being taken: nobody said that there are to be none.
    pub notes: bool,
    pub stage: TransferStage,
    pub result: Option<TransferResult>,
    /// The carrier's name of the call to the target, where that is a call of its own.
    pub carrier_sid: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Last news of it.
    pub heard_at: DateTime<Utc>,
}

impl Transfer {
    /// Whether the caller and the person may be noting down what they say: the call is not over before it is.
    #[must_use]
    pub fn is_noted(&self) -> bool {
        self.notes && self.stage == TransferStage::Accepted
    }
}
