//! The Passport: the one JSON object that is a work item, from the first word of a call to the last act of
//! the back office.
//!
//! Fields and their names are those of the platform document. Everything here is pure: times and ids come in
//! as arguments. Three rules hold by construction: the ledger only grows ([`Ledger`] has no way to remove),
//! a change is a typed [`Patch`], and a patch made for another version of the passport is refused.
#![deny(clippy::disallowed_methods)]

pub mod kept;
mod ledger;
mod legal;
mod patch;
mod team_fields;

use dialogue::Priority;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

pub use ledger::{ConfidenceVector, Ledger, LedgerEntry, entry_id};
pub use legal::{Citation, LegalResearch, ReviewStatus, SourceType};
pub use patch::{PassportError, Patch, Versioned};
pub use team_fields::{ClaimQuestion, Incident, Severity, TeamFields};

/// Where a work item stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Pending,
    InProgress,
    Blocked,
    Completed,
    Failed,
    Escalated,
}

impl Status {
    /// Every status, in the order of the platform document.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Blocked, Self::Completed, Self::Failed, Self::Escalated];

    /// The word used in JSON and in the store.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Blocked => "blocked",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Escalated => "escalated",
        }
    }
}

/// Where the passport should go next.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoutingInfo {
    pub next_agent: Option<String>,
    pub fallback_agent: Option<String>,
    pub escalation_required: bool,
    pub escalation_reason: Option<String>,
    pub priority: Priority,
    pub deadline: Option<DateTime<Utc>>,
}

/// What is to be accomplished.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mission {
    pub objective: String,
    #[serde(default)]
    pub constraints: Vec<String>,
    #[serde(default)]
    pub success_criteria: Vec<String>,
    pub requester_id: String,
    pub requester_department: String,
    pub matter_type: String,
    #[serde(default)]
    pub sub_tasks: Vec<String>,
}

language::shown!(Mission, "Mission": requester_id, requester_department, matter_type; objective, constraints, success_criteria, sub_tasks);

/// Earlier decisions that bear on this one, and why they were taken (the `caused` relation of memory).
///
/// The platform document names the type without its fields; these follow its section on precedents.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PrecedentContext {
    pub query: String,
    pub precedents: Vec<Precedent>,
}

/// One earlier decision.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Precedent {
    pub symbol: String,
    pub outcome: String,
    pub reason: String,
    pub factors: Vec<String>,
    pub policy: Option<String>,
    pub similarity: f64,
    /// What to know before one follows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// The work item.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Passport {
    pub id: Uuid,
    pub tenant_id: String,
    pub team_id: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub mission: Mission,
    #[serde(default)]
    pub status: Status,
    #[serde(default)]
    pub current_agent: Option<String>,
    #[serde(default)]
    pub checkpoint_id: Option<String>,
    #[serde(default)]
    pub routing: RoutingInfo,
    /// Grows only.
    #[serde(default)]
    pub ledger: Ledger,
    /// Working memory, one key per agent concern.
    #[serde(default)]
    pub context: BTreeMap<String, Value>,
    /// Name → storage reference.
    #[serde(default)]
    pub artifacts: BTreeMap<String, String>,
    #[serde(default)]
    pub overall_confidence: ConfidenceVector,
    #[serde(default)]
    pub revision_count: u32,
    /// Symbols loaded from memory.
    #[serde(default)]
    pub memory_context: Vec<String>,
    #[serde(default)]
    pub precedent_context: Option<PrecedentContext>,
    /// Symbols made while this was worked on.
    #[serde(default)]
    pub emitted_symbols: Vec<String>,
    /// What the team that works it adds, flat beside the fields above.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub team_fields: Option<TeamFields>,
}

language::shown!(Passport, "Passport": id, tenant_id, team_id, created_at, updated_at, mission, status, current_agent, checkpoint_id, ledger, overall_confidence, revision_count; context, artifacts, memory_context, emitted_symbols);

impl Passport {
    /// A fresh, pending work item.
    #[must_use]
    pub fn new(id: Uuid, tenant_id: &str, team_id: &str, mission: Mission, now: DateTime<Utc>) -> Self {
        Self {
            id,
            tenant_id: tenant_id.to_owned(),
            team_id: team_id.to_owned(),
            created_at: now,
            updated_at: now,
            mission,
            status: Status::Pending,
            current_agent: None,
            checkpoint_id: None,
            routing: RoutingInfo::default(),
            ledger: Ledger::default(),
            context: BTreeMap::new(),
            artifacts: BTreeMap::new(),
            overall_confidence: ConfidenceVector::default(),
            revision_count: 0,
            memory_context: Vec::new(),
            precedent_context: None,
            emitted_symbols: Vec::new(),
            team_fields: None,
        }
    }

    /// The work item a phone call is, before anything was said.
    #[must_use]
    pub fn for_call(id: Uuid, tenant: Uuid, call: Uuid, now: DateTime<Utc>) -> Self {
        let mission = Mission {
            objective: "Help the caller with what they called about".to_owned(),
            constraints: vec!["Emergencies go to 911 at once".to_owned()],
            success_criteria: vec![
                "The caller's request is answered, filed or handed to a person".to_owned(),
            ],
            requester_id: format!("call:{call}"),
            requester_department: "public".to_owned(),
            matter_type: "phone_call".to_owned(),
            sub_tasks: Vec::new(),
        };
        Self::new(id, &tenant.to_string(), "front_desk", mission, now)
    }

    /// Appends one act to the ledger.
    pub fn add_ledger_entry(&mut self, entry: LedgerEntry) {
        self.updated_at = self.updated_at.max(entry.timestamp);
        self.ledger.append(entry);
    }
}

#[cfg(test)]
mod tests;
