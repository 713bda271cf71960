//! One step of a run: everything that is written with it, and what the ledger says of it.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use storage::organisation::NewTask;
use storage::records::NewWorkItem;
use storage::{NewJob, PassportId};
use uuid::Uuid;

use super::gather;
use crate::hub::conclude::Done;
use crate::hub::{Case, SandboxedContext};
use crate::passport::{ConfidenceVector, LedgerEntry, Patch};

/// Characters of what a case is about in the goal of a task.
const MOST_ABOUT: usize = 200;

/// One step to be written: its name in the ledger, and everything that goes with it.
pub(super) struct Step {
    /// Tells it from every other step of this Passport.
    pub(super) name: String,
    pub(super) agent: String,
    pub(super) action: &'static str,
    pub(super) inputs: String,
    pub(super) outputs: String,
    pub(super) took_ms: u64,
    pub(super) tokens: u64,
    pub(super) cost_usd: f64,
    pub(super) confidence: ConfidenceVector,
    pub(super) tools: Vec<String>,
    pub(super) notes: String,
    pub(super) patches: Vec<Patch>,
    pub(super) items: Vec<NewWorkItem>,
    pub(super) jobs: Vec<NewJob>,
    /// What somebody was asked to do: with it, the step goes into the task history.
    pub(super) asked: Option<Asked>,
}

impl Step {
    pub(super) fn new(name: String, agent: String, action: &'static str) -> Self {
        Self {
            name,
            agent,
            action,
            inputs: String::new(),
            outputs: String::new(),
            took_ms: 0,
            tokens: 0,
            cost_usd: 0.0,
            confidence: ConfidenceVector::default(),
            tools: Vec::new(),
            notes: String::new(),
            patches: Vec::new(),
            items: Vec::new(),
            jobs: Vec::new(),
            asked: None,
        }
    }

    /// What the task history says of it, under the key that the step has for good.
    pub(super) fn task(&self, key: String, passport: Uuid, ended: DateTime<Utc>) -> Option<NewTask> {
        let asked = self.asked.as_ref()?;
        let took = i64::try_from(self.took_ms).ok().and_then(TimeDelta::try_milliseconds).unwrap_or_default();
        let results = json!({
            "outcome": self.outputs, "summary": asked.summary, "confidence": self.confidence.value,
            "tools": self.tools, "notes": self.notes,
        });
        Some(NewTask {
            task_id: key,
            passport_id: Some(PassportId(passport)),
            team_id: asked.team.clone(),
            goal: asked.goal.clone(),
            plan: asked.plan.clone(),
            results,
            success: asked.done,
            duration_ms: self.took_ms,
            cost_tokens: Some(self.tokens),
            cost_micros: Some((self.cost_usd * 1e6).round().max(0.0) as u64),
            created_at: ended.checked_sub_signed(took).unwrap_or(ended),
            completed_at: Some(ended),
        })
    }

    /// What the ledger says of it.
    pub(super) fn entry(&self, id: Uuid, timestamp: DateTime<Utc>) -> LedgerEntry {
        LedgerEntry {
            id,
            timestamp,
            agent_id: self.agent.clone(),
            action: self.action.to_owned(),
            inputs_summary: self.inputs.clone(),
            outputs_summary: self.outputs.clone(),
            duration_ms: self.took_ms,
            tokens_used: self.tokens,
            cost_usd: self.cost_usd,
            confidence: self.confidence.clone(),
            tool_calls: self.tools.clone(),
            notes: self.notes.clone(),
        }
    }
}

/// A task as it was given, and whether it was done. Its texts have passed the screen.
pub(super) struct Asked {
    pub(super) team: String,
    pub(super) goal: String,
    pub(super) plan: Value,
    pub(super) summary: String,
    pub(super) done: bool,
}

impl Asked {
    /// What a specialist was given, and gave. The goal names the case: questions to the history are of its words.
    pub(super) fn of(team: &str, context: &SandboxedContext, case: &Case, part: &Done) -> Self {
        let about: String = gather::about(case).join(". ").chars().take(MOST_ABOUT).collect();
        let plan = json!({
            "criteria": context.success_criteria, "constraints": context.constraints,
            "artifacts": context.input_artifacts.keys().collect::<Vec<_>>(),
            "excerpts": context.prior_knowledge.len(), "tools": context.tools_available,
        });
        Self {
            team: team.to_owned(),
            goal: if about.is_empty() {
                context.task.clone()
            } else {
                format!("{} About: {about}", context.task)
            },
            plan,
            summary: part.output["summary"].as_str().unwrap_or_default().to_owned(),
            done: true,
        }
    }

    /// A Passport that a team could not work.
    pub(super) fn in_vain(team: &str) -> Self {
        let goal = "Work the Passport of a call.".to_owned();
        Self { team: team.to_owned(), goal, plan: json!({}), summary: String::new(), done: false }
    }
}

/// What an output says in words and figures that are never a caller's.
pub(super) fn digest(output: &Value) -> String {
    let mut told = Vec::new();
    for name in ["urgency", "complete", "severity", "osha_recordable", "osha_report_hours"] {
        if let Some(value) = output.get(name).filter(|value| !value.is_null()) {
            told.push(format!("{name} {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        }
    }
    for name in ["missing", "duplicates", "citations", "next_steps", "open_points"] {
        if let Some(list) = output[name].as_array() {
            told.push(format!("{} {name}", list.len()));
        }
    }
    told.extend(output.get("escalate").map(|_| "escalates".to_owned()));
    told.join("; ")
}

/// An output, and how it was made.
pub(super) struct Made {
    pub(super) output: Value,
    /// `builtin`, or the name of the model.
    pub(super) by: &'static str,
    pub(super) tokens: u64,
    pub(super) cost_usd: f64,
    pub(super) notes: &'static str,
}
