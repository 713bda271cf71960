//! What is counted of a span of time: rows with nothing personal in them, as many as are asked for at most.

use chrono::{DateTime, Utc};

use crate::ids::CallId;
use crate::records::{Attention, CallState, Priority, WorkKind, WorkStatus};

/// A span of time: from an instant, up to and without another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
}

/// A call, as it counts.
#[derive(Clone, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct CallFigure {
    pub id: CallId,
    pub line: String,
    pub language: String,
    pub state: CallState,
    pub end_reason: Option<String>,
    pub started_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    /// Millionths of a US dollar.
    #[sqlx(try_from = "i64")]
    pub cost_micros: u64,
    pub attention: Attention,
    pub attention_reason: Option<String>,
    /// The caller said or pressed something.
    pub spoke: bool,
}

/// A piece of work, as it counts.
#[derive(Clone, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct WorkFigure {
    pub kind: WorkKind,
    pub status: WorkStatus,
    pub priority: Priority,
    pub call_id: Option<CallId>,
    pub created_at: DateTime<Utc>,
}

/// How long a reply took: from the caller's last word to its first sound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResponseTime {
    /// When its call began.
    pub started_at: DateTime<Utc>,
    pub ms: u32,
}

/// A question of a caller's, to be counted. Its words are in the call's log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewQuestion {
    pub call_id: CallId,
    pub turn: u32,
    pub asked_at: DateTime<Utc>,
    /// The page that answered it; `None`: no page did.
    pub source: Option<String>,
}

/// How many questions pages answered, and how many none did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct QuestionCount {
    #[sqlx(try_from = "i64")]
    pub answered: u32,
    #[sqlx(try_from = "i64")]
    pub unanswered: u32,
}

/// A page, and how often it answered.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, sqlx::FromRow)]
pub struct Topic {
    pub source: String,
    #[sqlx(try_from = "i64")]
    pub times: u32,
}

/// A question that no page answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct Unanswered {
    pub call_id: CallId,
    #[sqlx(try_from = "i64")]
    pub turn: u32,
    pub asked_at: DateTime<Utc>,
}
