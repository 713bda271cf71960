//! One step of a run: everything that is written with it, and what the ledger says of it.

use chrono::{DateTime, Utc};
use serde_json::Value;
use storage::NewJob;
use storage::records::NewWorkItem;
use uuid::Uuid;

use crate::passport::{ConfidenceVector, LedgerEntry, Patch};

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
        }
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
