//! After-action review (A16): what a finished Passport was to bring about, what happened, why, and what follows from it.
//!
//! [`review`] is pure: it reads the ledger, the facts of the call's turns, and what [`people`] decided of the work. [`run`] reads
//! storage, leaves the episode and the people's ruling in organisational memory, and writes the review, its ledger entry, the
//! agents' records and their levels of autonomy in one transaction: once a passport, and again when people decide otherwise.

mod episode;
mod learn;
pub mod people;
mod run;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use storage::review_records::Verdict;
use uuid::Uuid;

use crate::calibration::Outcome;
use crate::passport::entry_id;
use crate::passport::{LedgerEntry, Passport, Status};
use people::People;

pub use run::{Reviewed, run};

/// The ledger's word for a review.
pub const ACTION: &str = "after_action_review";
/// The ledger's word for what people decided after it.
pub const SETTLED: &str = "people_decided";
/// The agent that reviews.
pub const AGENT: &str = "aar";
/// Share of the whole time from which an act counts as a bottleneck, and milliseconds below which none does.
const BOTTLENECK: f64 = 0.4;
const BOTTLENECK_MS: u64 = 2_000;

/// What is known of the call beside its Passport.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CallFacts {
    pub caller_turns: u32,
    pub agent_turns: u32,
    /// Replies of ours that the caller cut off.
    pub interrupted: u32,
    /// The call did not end as calls do.
    pub broken_off: bool,
    /// Millionths of a US dollar.
    pub cost_micros: u64,
    /// What people decided of the requests that it left.
    pub people: People,
}

/// How one agent did.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AgentPerformance {
    pub entries: u32,
    pub total_duration_ms: u64,
    pub total_tokens: u64,
    pub failures: u32,
    /// Replies of its that were found wrong.
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
    /// 1 − mean squared difference between confidence and outcome, 0–1; 0.75, a coin's, while there is no outcome.
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
    /// People held it right, and the call did not break off.
    pub success: bool,
    /// What people decided; `None` while nobody has.
    #[serde(default)]
    pub verdict: Option<Verdict>,
    /// 0–1: the outcome, less what it took.
    pub effectiveness: f64,
    pub analysis: ExecutionAnalysis,
    pub learnings: Learnings,
    pub observations: Vec<Observation>,
    pub calibration_updates: BTreeMap<String, f64>,
    /// What it adds to each agent's record.
    #[serde(default)]
    pub outcomes: BTreeMap<String, AgentOutcome>,
}

/// How one agent did, as far as it is known.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct AgentOutcome {
    /// The confidence it worked with, 0–1.
    pub predicted: f64,
    /// `None`: nobody has decided, and it counts as nothing.
    pub correct: Option<bool>,
    pub escalated: bool,
}

impl AgentOutcome {
    /// As a record counts it.
    #[must_use]
    pub fn decided(&self) -> Option<Outcome> {
        let Self { predicted, correct, escalated } = *self;
        Some(Outcome { predicted, correct: correct?, escalated })
    }
}

/// Reviews a finished Passport. The same arguments give the same review.
#[must_use]
pub fn review(passport: &Passport, facts: &CallFacts, now: DateTime<Utc>) -> Review {
    let verdict = facts.people.verdict();
    let success = verdict == Some(Verdict::Right) && !facts.broken_off;
    let analysis = analyse(passport, facts);
    let calibration_updates = analysis.calibration_updates.clone();
    Review {
        passport_id: passport.id,
        team_id: passport.team_id.clone(),
        task_type: passport.mission.matter_type.clone(),
        reviewed_at: now,
        what_was_intended: intended(passport),
        what_happened: happened(passport, facts),
        why: learn::why(passport, facts, &analysis),
        success,
        verdict,
        effectiveness: effectiveness(passport, facts, &analysis, verdict),
        learnings: learn::learnings(passport, facts, &analysis, success),
        observations: learn::observations(passport, facts, &analysis),
        outcomes: outcomes(passport, &analysis, &facts.people),
        analysis,
        calibration_updates,
    }
}

/// What each agent's record gains by this Passport.
fn outcomes(
    passport: &Passport,
    analysis: &ExecutionAnalysis,
    people: &People,
) -> BTreeMap<String, AgentOutcome> {
    let escalated = passport.routing.escalation_required || passport.status == Status::Escalated;
    let outcome = |p: &AgentPerformance| AgentOutcome {
        predicted: p.mean_confidence,
        correct: correct(p, people),
        escalated,
    };
    analysis.agent_performance.iter().map(|(agent, p)| (agent.clone(), outcome(p))).collect()
}

/// What went wrong on an agent's own part counts against it whatever became of the request; only people count for it. A person
/// who held the whole call right has read what a second look found wrong.
fn correct(agent: &AgentPerformance, people: &People) -> Option<bool> {
    let wrong = agent.corrections > 0 && people.of_the_call != Some(Verdict::Right);
    if agent.failures > 0 || wrong {
        return Some(false);
    }
    Some(people.verdict()? == Verdict::Right)
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
    if facts.people.total() > 0 {
        let told = facts.people.items.iter().map(|(status, n)| format!("{n} {}", status.replace('_', " ")));
        parts.push(format!("requests: {}", told.collect::<Vec<_>>().join(", ")));
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
    passport
        .ledger
        .entries()
        .iter()
        .filter(|e| e.agent_id != AGENT && e.action != ACTION && e.action != SETTLED)
}

/// Words by which an entry says that something went wrong.
fn failed(entry: &LedgerEntry) -> bool {
    let said = entry.outputs_summary.to_lowercase();
    ["failed", "not saved", "could not", "error"].iter().any(|word| said.contains(word))
        || entry.action == "interrupted"
}

/// Entries by which a second look says that a reply was wrong. One that may have been is no finding.
fn corrected(entry: &LedgerEntry) -> bool {
    wrong_turn(entry).is_some()
}

/// The turn of the reply that was wrong.
fn wrong_turn(entry: &LedgerEntry) -> Option<&str> {
    let (turn, rest) = entry.outputs_summary.strip_prefix("second look: turn ")?.split_once(' ')?;
    rest.starts_with("was wrong").then_some(turn)
}

/// Whose reply was wrong: whoever the turn is on record under. The note of it is on record under somebody else.
fn to_blame<'p>(passport: &'p Passport, entry: &'p LedgerEntry) -> Option<&'p str> {
    let call = passport.mission.requester_id.strip_prefix("call:").unwrap_or_default();
    let id = entry_id(&format!("{call}/{}", wrong_turn(entry)?));
    let spoke = work(passport).find(|e| e.id == id);
    Some(spoke.map_or(entry.agent_id.as_str(), |e| e.agent_id.as_str()))
}

fn analyse(passport: &Passport, facts: &CallFacts) -> ExecutionAnalysis {
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
        for tool in &entry.tool_calls {
            *agent.tool_calls.entry(tool.clone()).or_default() += 1;
        }
        if failed(entry) {
            analysis.failure_points.push(format!("{}: {}", entry.agent_id, entry.action));
        }
    }
    for agent in work(passport).filter_map(|entry| to_blame(passport, entry)) {
        analysis.agent_performance.entry(agent.to_owned()).or_default().corrections += 1;
    }
    let total = analysis.total_duration_ms.max(1) as f64;
    analysis.bottlenecks = work(passport)
        .filter(|e| e.duration_ms >= BOTTLENECK_MS && e.duration_ms as f64 / total >= BOTTLENECK)
        .map(|e| format!("{}: {} took {} ms", e.agent_id, e.action, e.duration_ms))
        .collect();
    let off = |p: &AgentPerformance| {
        let happened = if correct(p, &facts.people)? { 1.0 } else { 0.0 };
        Some(happened - p.mean_confidence)
    };
    let performance = analysis.agent_performance.iter();
    analysis.calibration_updates =
        performance.filter_map(|(agent, p)| Some((agent.clone(), off(p)?))).collect();
    let known = analysis.calibration_updates.len();
    let squares: f64 = analysis.calibration_updates.values().map(|off| off.powi(2)).sum();
    let brier = if known == 0 { 0.25 } else { squares / known as f64 };
    analysis.confidence_accuracy = (1.0 - brier).clamp(0.0, 1.0);
    analysis
}

fn effectiveness(
    passport: &Passport,
    facts: &CallFacts,
    analysis: &ExecutionAnalysis,
    verdict: Option<Verdict>,
) -> f64 {
    let mut score: f64 = match verdict {
        Some(Verdict::Right) if !facts.broken_off => 1.0,
        Some(Verdict::Right) | None => 0.5,
        Some(Verdict::Wrong) => 0.3,
    };
    score -= 0.1 * analysis.failure_points.len().min(3) as f64;
    score -= 0.1 * f64::from(analysis.agent_performance.values().map(|p| p.corrections).sum::<u32>().min(2));
    score -= 0.05 * f64::from(facts.interrupted.min(4));
    // A call of many turns for one request is a long way round.
    score -= 0.02 * f64::from(facts.caller_turns.saturating_sub(8).min(10));
    if passport.routing.escalation_required && facts.people.rightly_escalated == 0 {
        score -= 0.1;
    }
    score.clamp(0.0, 1.0)
}
