//! Typed changes, and the optimistic lock.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ConfidenceVector, LedgerEntry, Passport, PrecedentContext, RoutingInfo, Status, TeamFields};
use dialogue::Priority;

/// One change to a passport. There is none that removes a ledger entry or touches identity.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "op", content = "value", rename_all = "snake_case")]
pub enum Patch {
    Status(Status),
    CurrentAgent(Option<String>),
    Checkpoint(Option<String>),
    Routing(RoutingInfo),
    /// Never lowers the priority.
    RaisePriority(Priority),
    Escalate {
        reason: String,
    },
    Objective(String),
    AddSubTask(String),
    Context {
        key: String,
        value: Value,
    },
    Artifact {
        name: String,
        storage_ref: String,
    },
    Confidence(ConfidenceVector),
    Revised,
    Append(Box<LedgerEntry>),
    LoadMemory(Vec<String>),
    Precedents(Option<PrecedentContext>),
    EmitSymbol(String),
    /// Another team works it from now on.
    HandOver {
        team: String,
    },
    TeamFields(Option<TeamFields>),
}

/// Why a change was refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PassportError {
    /// Somebody else was faster: load again, decide again.
    #[error("passport is at version {current}, the change was made for {expected}")]
    Stale { expected: u64, current: u64 },
    /// A confidence outside 0–1.
    #[error("confidence is outside 0 to 1")]
    ConfidenceRange,
}

/// A passport with the version that the store keeps for it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Versioned {
    pub version: u64,
    pub passport: Passport,
}

impl Versioned {
    /// Applies all patches or none, and counts the version up by one.
    ///
    /// # Errors
    /// [`PassportError::Stale`] when `expected` is not the current version; [`PassportError::ConfidenceRange`].
    pub fn update(
        &mut self,
        expected: u64,
        patches: Vec<Patch>,
        now: DateTime<Utc>,
    ) -> Result<u64, PassportError> {
        if expected != self.version {
            return Err(PassportError::Stale { expected, current: self.version });
        }
        if !patches.iter().all(Patch::in_range) {
            return Err(PassportError::ConfidenceRange);
        }
        for patch in patches {
            patch.apply(&mut self.passport);
        }
        self.passport.updated_at = self.passport.updated_at.max(now);
        self.version += 1;
        Ok(self.version)
    }
}

impl Patch {
    /// The word that says in JSON what it does.
    #[must_use]
    pub const fn op(&self) -> &'static str {
        match self {
            Self::Status(_) => "status",
            Self::CurrentAgent(_) => "current_agent",
            Self::Checkpoint(_) => "checkpoint",
            Self::Routing(_) => "routing",
            Self::RaisePriority(_) => "raise_priority",
            Self::Escalate { .. } => "escalate",
            Self::Objective(_) => "objective",
            Self::AddSubTask(_) => "add_sub_task",
            Self::Context { .. } => "context",
            Self::Artifact { .. } => "artifact",
            Self::Confidence(_) => "confidence",
            Self::Revised => "revised",
            Self::Append(_) => "append",
            Self::LoadMemory(_) => "load_memory",
            Self::Precedents(_) => "precedents",
            Self::EmitSymbol(_) => "emit_symbol",
            Self::HandOver { .. } => "hand_over",
            Self::TeamFields(_) => "team_fields",
        }
    }

    /// Whether a person may make this change from outside. What says who worked, and how often, is for the agents.
    #[must_use]
    pub const fn is_for_people(&self) -> bool {
        !matches!(
            self,
            Self::Append(_)
                | Self::Revised
                | Self::Checkpoint(_)
                | Self::HandOver { .. }
                | Self::EmitSymbol(_)
        )
    }

    fn in_range(&self) -> bool {
        match self {
            Self::Confidence(confidence) => confidence.in_range(),
            Self::Append(entry) => entry.confidence.in_range(),
            Self::TeamFields(Some(fields)) => fields.in_range(),
            _ => true,
        }
    }

    fn apply(self, passport: &mut Passport) {
        match self {
            Self::Status(status) => passport.status = status,
            Self::CurrentAgent(agent) => passport.current_agent = agent,
            Self::Checkpoint(id) => passport.checkpoint_id = id,
            Self::Routing(routing) => passport.routing = routing,
            Self::RaisePriority(to) => passport.routing.priority = passport.routing.priority.max(to),
            Self::Escalate { reason } => {
                passport.routing.escalation_required = true;
                passport.routing.escalation_reason = Some(reason);
            }
            Self::Objective(objective) => passport.mission.objective = objective,
            Self::AddSubTask(task) => passport.mission.sub_tasks.push(task),
            Self::Context { key, value } => drop(passport.context.insert(key, value)),
            Self::Artifact { name, storage_ref } => drop(passport.artifacts.insert(name, storage_ref)),
            Self::Confidence(confidence) => passport.overall_confidence = confidence,
            Self::Revised => passport.revision_count += 1,
            Self::Append(entry) => passport.add_ledger_entry(*entry),
            Self::LoadMemory(symbols) => passport.memory_context.extend(symbols),
            Self::Precedents(context) => passport.precedent_context = context,
            Self::EmitSymbol(symbol) => passport.emitted_symbols.push(symbol),
            Self::HandOver { team } => passport.team_id = team,
            Self::TeamFields(fields) => passport.team_fields = fields,
        }
    }
}
