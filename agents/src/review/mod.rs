//! After-action review (A16): what a finished Passport was to bring about, what happened, why, and what follows from it.
//!
//! [`review`] is pure: it reads the ledger and the facts of the call's turns. [`run`] reads storage, leaves the episode in
//! organisational memory, and writes the review, its ledger entry, the agents' records and their levels of autonomy in one
//! transaction, once a passport.

mod episode;
mod learn;
mod run;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::calibration::Outcome;
use crate::passport::{LedgerEntry, Passport, Status};

pub use run::{Reviewed, run};

/// The ledger's word for a review.
pub const ACTION: &str = "after_action_review";
/// The agent that reviews.
pub const AGENT: &str = "aar";
/// Share of the whole time from which an act counts as a bottleneck, and milliseconds below which none does.
const BOTTLENECK: f64 = 0.4;
const BOTTLENECK_MS: u64 = 2_000;

/// What is known of the call beside its Passport. No words of anybody.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct CallFacts {
    pub caller_turns: u32,
    pub agent_turns: u32,
    /// Replies of ours that the caller cut off.
    pub interrupted: u32,
    /// The call did not end as calls do.
    pub broken_off: bool,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    pub work_items: u32,
    /// Work that was cancelled instead of done.
    pub work_cancelled: u32,
}

/// How one agent did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentPerformance {
    pub entries: u32,
    pub total_duration_ms: u64,
    pub total_tokens: u64,
    pub failures: u32,
    /// Replies that the judge found wrong.
    pub corrections: u32,
    /// 0–1, mean of what its entries say.
    pub mean_confidence: f64,
    pub tool_calls: BTreeMap<String, u32>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ExecutionAnalysis {
    pub total_duration_ms: u64,
    pub total_tokens: u64,
    pub total_cost: f64,
    pub agent_performance: BTreeMap<String, AgentPerformance>,
    /// 1 − mean squared difference between confidence and outcome, 0–1.
    pub confidence_accuracy: f64,
    pub bottlenecks: Vec<String>,
    pub failure_points: Vec<String>,
    /// By agent: how far its confidence was off, −1 (too sure) to 1 (not sure enough).
    pub calibration_updates: BTreeMap<String, f64>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Learnings {
    pub key_decisions: Vec<String>,
    pub mistakes: Vec<String>,
    pub successful_patterns: Vec<String>,
    pub recommendations: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservationType {
    RepeatedFailure,
    ConfidenceDrift,
    NewPattern,
    ToolInefficiency,
    EscalationPattern,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObservationPriority {
    Low,
    Medium,
    High,
}

/// Something to be looked at by those who watch the platform.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Observation {
    pub observation_type: ObservationType,
    pub description: String,
    /// Ids of ledger entries.
    pub evidence: Vec<String>,
    pub suggested_action: Option<String>,
    pub priority: ObservationPriority,
}

/// The whole review.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Review {
    pub passport_id: Uuid,
    pub team_id: String,
    pub task_type: String,
    pub reviewed_at: DateTime<Utc>,
    pub what_was_intended: String,
    pub what_happened: String,
    pub why: Vec<String>,
    pub success: bool,
    /// 0–1: the outcome, less what it took.
    pub effectiveness: f64,
    pub analysis: ExecutionAnalysis,
    pub learnings: Learnings,
    pub observations: Vec<Observation>,
    pub calibration_updates: BTreeMap<String, f64>,
}

/// Reviews a finished Passport. The same arguments give the same review.
#[must_use]
pub fn review(passport: &Passport, facts: &CallFacts, now: DateTime<Utc>) -> Review {
    let success = succeeded(passport, facts);
    let analysis = analyse(passport, facts, success);
    let calibration_updates = analysis.calibration_updates.clone();
    Review {
        passport_id: passport.id,
        team_id: passport.team_id.clone(),
        task_type: passport.mission.matter_type.clone(),
        reviewed_at: now,
        what_was_intended: intended(passport),
        what_happened: happened(passport, facts),
        why: learn::why(passport, facts, &analysis, success),
        success,
        effectiveness: effectiveness(passport, facts, &analysis, success),
        learnings: learn::learnings(passport, facts, &analysis, success),
        observations: learn::observations(passport, facts, &analysis),
        analysis,
        calibration_updates,
    }
}

/// What each agent's record gains by this Passport.
#[must_use]
pub fn outcomes(review: &Review, passport: &Passport) -> BTreeMap<String, Outcome> {
    let escalated = passport.routing.escalation_required || passport.status == Status::Escalated;
    let performance = review.analysis.agent_performance.iter();
    performance
        .map(|(agent, p)| {
            // An agent is right when the work came off and nobody had to correct it.
            let correct = review.success && p.failures == 0 && p.corrections == 0;
            (agent.clone(), Outcome { predicted: p.mean_confidence, correct, escalated })
        })
        .collect()
}

fn intended(passport: &Passport) -> String {
    let criteria = passport.mission.success_criteria.join("; ");
    if criteria.is_empty() {
        passport.mission.objective.clone()
    } else {
        format!("{}. {criteria}", passport.mission.objective)
    }
}

fn happened(passport: &Passport, facts: &CallFacts) -> String {
    let mut parts = vec![
        format!("status {}", passport.status.as_str()),
        format!("{} turns of the caller and {} of ours", facts.caller_turns, facts.agent_turns),
        format!("{} acts on the ledger", work(passport).count()),
    ];
    if facts.work_items > 0 {
        parts.push(format!("{} work items, {} of them cancelled", facts.work_items, facts.work_cancelled));
    }
    if facts.interrupted > 0 {
        parts.push(format!("{} replies cut off by the caller", facts.interrupted));
    }
    if facts.broken_off {
        parts.push("the call broke off".to_owned());
    }
    if passport.routing.escalation_required {
        parts.push("it was escalated".to_owned());
    }
    parts.join("; ")
}

/// The entries of those who worked, without those who judge and review.
fn work(passport: &Passport) -> impl Iterator<Item = &LedgerEntry> {
    passport.ledger.entries().iter().filter(|e| e.agent_id != AGENT && e.action != ACTION)
}

/// Words by which an entry says that something went wrong.
fn failed(entry: &LedgerEntry) -> bool {
    let said = entry.outputs_summary.to_lowercase();
    ["failed", "not saved", "could not", "error"].iter().any(|word| said.contains(word))
        || entry.action == "interrupted"
}

/// Entries by which the judge says that a reply was wrong.
fn corrected(entry: &LedgerEntry) -> bool {
    entry.outputs_summary.starts_with("second look: turn")
}

fn succeeded(passport: &Passport, facts: &CallFacts) -> bool {
    let done = match passport.status {
        Status::Completed => true,
        Status::Failed | Status::Pending => false,
        // Handed over: the work that was filed is somebody's, or done.
        Status::InProgress | Status::Escalated | Status::Blocked => facts.work_items > facts.work_cancelled,
    };
    done && !facts.broken_off
}

fn analyse(passport: &Passport, facts: &CallFacts, success: bool) -> ExecutionAnalysis {
    let mut analysis =
        ExecutionAnalysis { total_cost: facts.cost_micros as f64 / 1e6, ..ExecutionAnalysis::default() };
    for entry in work(passport) {
        analysis.total_duration_ms = analysis.total_duration_ms.saturating_add(entry.duration_ms);
        analysis.total_tokens = analysis.total_tokens.saturating_add(entry.tokens_used);
        let agent = analysis.agent_performance.entry(entry.agent_id.clone()).or_default();
        let before = f64::from(agent.entries);
        agent.entries += 1;
        agent.mean_confidence = (agent.mean_confidence * before + entry.confidence.value) / (before + 1.0);
        agent.total_duration_ms = agent.total_duration_ms.saturating_add(entry.duration_ms);
        agent.total_tokens = agent.total_tokens.saturating_add(entry.tokens_used);
        agent.failures += u32::from(failed(entry));
        agent.corrections += u32::from(corrected(entry));
        for tool in &entry.tool_calls {
            *agent.tool_calls.entry(tool.clone()).or_default() += 1;
        }
        if failed(entry) {
            analysis.failure_points.push(format!("{}: {}", entry.agent_id, entry.action));
        }
    }
    let total = analysis.total_duration_ms.max(1) as f64;
    analysis.bottlenecks = work(passport)
        .filter(|e| e.duration_ms >= BOTTLENECK_MS && e.duration_ms as f64 / total >= BOTTLENECK)
        .map(|e| format!("{}: {} took {} ms", e.agent_id, e.action, e.duration_ms))
        .collect();
    let happened = if success { 1.0 } else { 0.0 };
    let off = |p: &AgentPerformance| happened - p.mean_confidence;
    analysis.calibration_updates =
        analysis.agent_performance.iter().map(|(agent, p)| (agent.clone(), off(p))).collect();
    let agents = analysis.agent_performance.len().max(1) as f64;
    let brier: f64 = analysis.agent_performance.values().map(|p| off(p).powi(2)).sum::<f64>() / agents;
    analysis.confidence_accuracy = (1.0 - brier).clamp(0.0, 1.0);
    analysis
}

fn effectiveness(passport: &Passport, facts: &CallFacts, analysis: &ExecutionAnalysis, success: bool) -> f64 {
    let mut score: f64 = if success { 1.0 } else { 0.3 };
    score -= 0.1 * analysis.failure_points.len().min(3) as f64;
    score -= 0.1 * f64::from(analysis.agent_performance.values().map(|p| p.corrections).sum::<u32>().min(2));
    score -= 0.05 * f64::from(facts.interrupted.min(4));
    // A call of many turns for one request is a long way round.
    score -= 0.02 * f64::from(facts.caller_turns.saturating_sub(8).min(10));
    if passport.routing.escalation_required {
        score -= 0.1;
    }
    score.clamp(0.0, 1.0)
}
