//! `GET /v1/autonomy`: how much each agent may do alone, why, and how it came to that.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use storage::Reviews;
use storage::review_records::{AgentLevel, AutonomyChange, Calibration};
use work::authority::most_of;
use work::calibration::{AutonomyLevel, Metrics, Record, level};
use work::department;

use crate::app::App;
use crate::auth::{ReadAutonomy, Scoped};
use crate::error::ApiError;

/// Every agent that was ever reviewed.
#[derive(Debug, Serialize)]
pub struct Autonomy {
    items: Vec<Agent>,
}

#[derive(Debug, Serialize)]
struct Agent {
    agent_id: String,
    /// What its record has earned.
    level: u8,
    /// What it acts on: never more than the file of its team and the operator allow.
    acts_on: u8,
    /// What `acts_on` allows.
    allows: &'static AutonomyLevel,
    metrics: Metrics,
    task_types: Vec<TaskType>,
    /// Newest first; of all agents the newest 500.
    history: Vec<Move>,
}

#[derive(Debug, Serialize)]
struct TaskType {
    task_type: String,
    calibration_samples: u32,
    historical_accuracy: f64,
    brier_score: f64,
}

#[derive(Debug, Serialize)]
struct Move {
    from_level: u8,
    to_level: u8,
    reason: String,
    changed_at: String,
}

/// The handler.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadAutonomy>,
) -> Result<Json<Autonomy>, ApiError> {
    let ceiling = app.config.tools.autonomy;
    let (records, changes) = (scope.store.calibrations().await?, scope.store.autonomy_changes().await?);
    let levels = scope.store.autonomy_levels().await?;
    let mut agents: BTreeMap<String, Vec<Calibration>> = BTreeMap::new();
    for record in records {
        agents.entry(record.agent_id.clone()).or_default().push(record);
    }
    let department = department::of(&scope.store).await.map_err(|error| ApiError::internal(&error))?;
    let most = |id: &str, now: u8| now.min(ceiling).min(most_of(&department.teams, id).unwrap_or(now));
    let items =
        agents.into_iter().map(|(id, records)| agent(id, most, &records, &levels, &changes)).collect();
    Ok(Json(Autonomy { items }))
}

fn agent(
    agent_id: String,
    most: impl Fn(&str, u8) -> u8,
    records: &[Calibration],
    levels: &[AgentLevel],
    changes: &[AutonomyChange],
) -> Agent {
    let record = |c: &Calibration| Record {
        completed: c.completed,
        correct: c.correct,
        escalated: c.escalated,
        brier_sum: c.brier_sum,
    };
    let task_type = |c: &Calibration| {
        let of = record(c);
        TaskType {
            task_type: c.task_type.clone(),
            calibration_samples: c.completed,
            historical_accuracy: of.historical_accuracy(),
            brier_score: of.brier(),
        }
    };
    let moved = |m: &AutonomyChange| Move {
        from_level: m.from_level,
        to_level: m.to_level,
        reason: m.reason.clone(),
        changed_at: m.changed_at.to_rfc3339_opts(chrono::SecondsFormat::Millis, true),
    };
    let history: Vec<Move> = changes.iter().filter(|m| m.agent_id == agent_id).map(moved).collect();
    let now = levels.iter().find(|of| of.agent_id == agent_id).map_or(1, |of| of.level);
    let acts_on = most(&agent_id, now);
    Agent {
        level: now,
        acts_on,
        allows: level(acts_on),
        metrics: records.iter().map(record).fold(Record::default(), Record::and).metrics(),
        task_types: records.iter().map(task_type).collect(),
        history,
        agent_id,
    }
}
