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
