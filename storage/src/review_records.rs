//! Rows of after-action reviews, calibration and autonomy.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ids::{CallId, PassportId};
use crate::records::{PassportChange, word_enum};

word_enum! {
    /// What people held of the work on a Passport.
    Verdict {
        Right = "right",
        Wrong = "wrong",
    }
}

/// A review and everything that follows from it, kept together or not at all.
#[derive(Clone, Debug)]
pub struct NewReview {
    pub passport: PassportId,
    pub success: bool,
    /// What people decided; `None` while they have not.
    pub verdict: Option<Verdict>,
    /// 0–1.
    pub effectiveness: f64,
    pub reviewed_at: DateTime<Utc>,
    /// The whole review. Sealed.
    pub document: Value,
    /// The passport with the review in its ledger.
    pub change: Option<PassportChange>,
    /// What this Passport adds to the agents' records, in the place of what it added before.
    pub outcomes: Vec<AgentOutcome>,
    pub autonomy: Vec<AutonomyChange>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    pub passport: PassportId,
    pub success: bool,
    pub verdict: Option<Verdict>,
    pub effectiveness: f64,
    pub reviewed_at: DateTime<Utc>,
    /// People decided something then, and the records of the agents do not know yet.
    pub unsettled_at: Option<DateTime<Utc>>,
    pub document: Value,
}

/// How one agent did on one Passport.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentOutcome {
    pub agent_id: String,
    pub task_type: String,
    /// The confidence it worked with, 0–1.
    pub predicted: f64,
    /// `None`: nobody has decided, and it counts as nothing.
    pub correct: Option<bool>,
    pub escalated: bool,
}

/// How right an agent was at one kind of task.
#[derive(Clone, PartialEq, Debug, Serialize, sqlx::FromRow)]
pub struct Calibration {
    pub agent_id: String,
    pub task_type: String,
    #[sqlx(try_from = "i64")]
    pub completed: u32,
    #[sqlx(try_from = "i64")]
    pub correct: u32,
    #[sqlx(try_from = "i64")]
    pub escalated: u32,
    pub brier_sum: f64,
    pub updated_at: DateTime<Utc>,
}

/// The level that an agent is on.
#[derive(Clone, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct AgentLevel {
    pub agent_id: String,
    #[sqlx(try_from = "i64")]
    pub level: u8,
}

/// An agent's level moved. Append-only.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct AutonomyChange {
    pub id: Uuid,
    pub agent_id: String,
    #[sqlx(try_from = "i64")]
    pub from_level: u8,
    #[sqlx(try_from = "i64")]
    pub to_level: u8,
    pub reason: String,
    pub changed_at: DateTime<Utc>,
}

/// Somebody's word on a whole call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJudgement {
    pub call: CallId,
    /// Login, or the name of a program's token.
    pub actor: String,
    /// What the line said and did was right.
    pub line_right: bool,
}

/// What somebody held of a call. Append-only: the last word counts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Judgement {
    #[serde(rename = "at")]
    pub judged_at: DateTime<Utc>,
    pub actor: String,
    #[serde(rename = "line_was_right")]
    pub line_right: bool,
}
