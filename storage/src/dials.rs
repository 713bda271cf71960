//! Calls that people have placed to whoever left a request, and who does not want to be called.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::ids::{DialId, WorkItemId};
use crate::records::word_enum;
use crate::work_acts::{WorkActKind, WorkRefusal};

word_enum! {
    /// How far a call has got.
    DialStage {
        /// The carrier was asked, or is about to be.
        Placing = "placing",
        /// The person's own telephone rings, or they have answered it.
        Ringing = "ringing",
        /// The request's number is dialled, or both talk.
        Dialling = "dialling",
        Ended = "ended",
    }
}

word_enum! {
    /// What came of a call.
    DialResult {
        Reached = "reached",
        NoAnswer = "no_answer",
        Busy = "busy",
        /// An answering machine took it.
        Machine = "machine",
        Failed = "failed",
        /// The person's own telephone was not answered, or they hung up first: nobody else was called.
        NotBegun = "not_begun",
    }
}

impl DialResult {
    /// How it stands in the request's history.
    #[must_use]
    pub const fn act(self) -> WorkActKind {
        match self {
            Self::Reached => WorkActKind::Reached,
            Self::NoAnswer => WorkActKind::NoAnswer,
            Self::Busy => WorkActKind::Busy,
            Self::Machine => WorkActKind::Machine,
            Self::Failed => WorkActKind::CallFailed,
            Self::NotBegun => WorkActKind::CallNotBegun,
        }
    }
}

/// A call to be placed.
#[derive(Clone, Debug)]
pub struct NewDial {
    pub id: DialId,
    pub item: WorkItemId,
    /// Login, or the name of a program's token.
    pub actor: String,
    /// Our number that is shown.
    pub line: String,
}

/// What became of a wish to call.
#[derive(Clone, PartialEq, Debug)]
pub enum DialBegun {
    Begun(Dial),
    /// The request is called already.
    UnderWay(Dial),
    Refused(WorkRefusal),
}

/// A call as it stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Dial {
    pub id: DialId,
    pub item: WorkItemId,
    pub actor: String,
    pub line: String,
    pub stage: DialStage,
    pub result: Option<DialResult>,
    /// The carrier's name of the call to the person's own telephone.
    pub carrier_sid: Option<String>,
    /// The same of the call to the request's number.
    pub dialled_sid: Option<String>,
    /// A machine answered there.
    pub machine: bool,
    pub created_at: DateTime<Utc>,
    /// Last news of it.
    pub heard_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
}

/// News of a call. What is absent stays as it was; a call never goes back to an earlier stage.
#[derive(Clone, Debug, Default)]
pub struct DialNews {
    pub stage: Option<DialStage>,
    pub carrier_sid: Option<String>,
    pub dialled_sid: Option<String>,
    pub machine: bool,
}

/// Somebody who does not want to be called.
#[derive(Clone, Debug)]
pub struct NewDoNotCall {
    /// In any spelling.
    pub number: String,
    /// How it was said: `staff`, `voice`, `key`.
    pub source: String,
    pub by: String,
}
