//! The task contract: what one part asks another to do, and within which bounds.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Contract, ContractError, MessagePriority, listed, named, named_if, text, wrong};

/// Where a task stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Failed,
    Cancelled,
}

/// What a task may use up.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Budget {
    pub max_tokens: u64,
    pub max_time_seconds: u32,
    pub max_cost_usd: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { max_tokens: 4_000, max_time_seconds: 30, max_cost_usd: 1.0 }
    }
}

/// A formal specification of a task.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskContract {
    pub task_id: String,
    #[serde(default)]
    pub parent_task_id: Option<String>,
    pub goal: String,
    #[serde(default)]
    pub constraints: Vec<String>,
    #[serde(default)]
    pub context: Map<String, Value>,
    #[serde(default)]
    pub assigned_arm: Option<String>,
    #[serde(default)]
    pub assigned_at: Option<DateTime<Utc>>,
    #[serde(default)]
    pub acceptance_criteria: Vec<String>,
    #[serde(default)]
    pub priority: MessagePriority,
    #[serde(default)]
    pub budget: Budget,
    pub created_at: DateTime<Utc>,
    #[serde(default)]
    pub deadline: Option<DateTime<Utc>>,
    #[serde(default)]
    pub status: TaskStatus,
    /// Tasks that must be done before.
    #[serde(default)]
    pub depends_on: Vec<String>,
    /// Tasks that wait for this one.
    #[serde(default)]
    pub blocks: Vec<String>,
}

language::shown!(TaskContract, "TaskContract": task_id, parent_task_id, assigned_arm, priority, budget, status; goal, constraints, acceptance_criteria);

impl Contract for TaskContract {
    fn check(&self) -> Result<(), ContractError> {
        named("task_id", &self.task_id)?;
        named_if("parent_task_id", self.parent_task_id.as_ref())?;
        named_if("assigned_arm", self.assigned_arm.as_ref())?;
        if self.goal.trim().is_empty() {
            return Err(wrong("goal", "is empty"));
        }
        text("goal", &self.goal)?;
        listed("constraints", &self.constraints)?;
        listed("acceptance_criteria", &self.acceptance_criteria)?;
        listed("depends_on", &self.depends_on)?;
        listed("blocks", &self.blocks)?;
        if self.budget.max_time_seconds == 0 {
            return Err(wrong("budget.max_time_seconds", "is 0: nothing can be done in no time"));
        }
        if !self.budget.max_cost_usd.is_finite() || self.budget.max_cost_usd < 0.0 {
            return Err(wrong("budget.max_cost_usd", "is not an amount"));
        }
        if self.parent_task_id.as_ref() == Some(&self.task_id) {
            return Err(wrong("parent_task_id", "is the task itself"));
        }
        if self.depends_on.contains(&self.task_id) || self.blocks.contains(&self.task_id) {
            return Err(wrong("depends_on", "holds the task itself"));
        }
        if self.depends_on.iter().any(|other| self.blocks.contains(other)) {
            return Err(wrong("depends_on", "shares a task with blocks"));
        }
        match self.deadline {
            Some(deadline) if deadline < self.created_at => Err(wrong("deadline", "is before created_at")),
            _ => Ok(()),
        }
    }
}
