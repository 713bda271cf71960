//! Rows of after-action reviews, calibration and autonomy.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::ids::PassportId;
use crate::records::PassportChange;

/// A review and everything that follows from it, kept together or not at all.
#[derive(Clone, Debug)]
pub struct NewReview {
    pub passport: PassportId,
    pub success: bool,
    /// 0–1.
    pub effectiveness: f64,
    pub reviewed_at: DateTime<Utc>,
    /// The whole review. Sealed.
    pub document: Value,
    /// The passport with the review in its ledger.
    pub change: Option<PassportChange>,
    /// Records of the agents, as they are from now on.
    pub calibration: Vec<Calibration>,
    pub autonomy: Vec<AutonomyChange>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Review {
    pub passport: PassportId,
    pub success: bool,
    pub effectiveness: f64,
    pub reviewed_at: DateTime<Utc>,
    pub document: Value,
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
