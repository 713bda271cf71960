//! What became of earlier tasks.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::ids::{PassportId, TaskRecordId};

/// A task that ended. Texts are kept sealed.
#[derive(Clone, PartialEq, Debug)]
pub struct NewTask {
    /// Whoever ran the task named it so. Unique in the tenant.
    pub task_id: String,
    pub passport_id: Option<PassportId>,
    pub team_id: String,
    pub goal: String,
    pub plan: Value,
    pub results: Value,
    pub success: bool,
    pub duration_ms: u64,
    pub cost_tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
    pub created_at: DateTime<Utc>,
    pub completed_at: Option<DateTime<Utc>>,
}

/// A task on record.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Task {
    pub id: TaskRecordId,
    pub task_id: String,
    pub passport_id: Option<PassportId>,
    pub team_id: String,
    pub goal: String,
    pub plan: Value,
    pub results: Value,
    pub success: bool,
    pub duration_ms: u64,
    pub cost_tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub cost_micros: Option<u64>,
    pub created_at: DateTime<Utc>,
    pub completed_at: Option<DateTime<Utc>>,
}

/// Which tasks to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    pub task_id: Option<String>,
    pub success: Option<bool>,
    pub after: Option<TaskRecordId>,
    /// 0: 50. At most 500.
    pub limit: u32,
}
