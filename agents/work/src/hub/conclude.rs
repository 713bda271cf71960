//! What a team's work comes to, once its specialists have given their parts.
#![deny(clippy::disallowed_methods)]

use serde_json::Value;

use crate::passport::{ConfidenceVector, Status};

/// Mean confidence below which a person has to look.
pub const UNSURE: f64 = 0.7;
/// Longest reason that a person is given, in characters.
const MOST_REASON: usize = 300;

/// A specialist's part, checked against its schema.
#[derive(Clone, PartialEq)]
pub struct Done {
    /// Its id within the team.
    pub agent: String,
    pub output: Value,
}

language::shown!(Done, "Done": agent; output);

impl Done {
    /// 0–1; 0 where the output has none.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.output["confidence"].as_f64().map_or(0.0, |value| value.clamp(0.0, 1.0))
    }

    /// Why it wants a person, if it does.
    #[must_use]
    pub fn escalates(&self) -> Option<&str> {
        self.output["escalate"].as_str().filter(|reason| !reason.trim().is_empty())
    }

    /// What it wants to be asked of the caller, if anything.
    #[must_use]
    pub fn call_back(&self) -> Option<&Value> {
        self.output.get("call_back").filter(|asked| asked.is_object())
    }

    /// The team that it wants to look at it, and why.
    #[must_use]
    pub fn refers(&self) -> Option<(&str, &str)> {
        let asked = self.output.get("refer")?;
        Some((asked["team"].as_str()?, asked["reason"].as_str().unwrap_or_default()))
    }
}

/// How it ends.
#[derive(Clone, PartialEq)]
pub struct Conclusion {
    /// `completed`, `blocked` (the caller has to be asked), or `escalated`.
    pub status: Status,
    pub confidence: ConfidenceVector,
    /// Why a person has to look.
    pub escalate: Option<String>,
}

language::shown!(Conclusion, "Conclusion": status, confidence; escalate);

/// Draws the conclusion of all parts. Who escalates is never outvoted.
#[must_use]
pub fn conclude(done: &[Done]) -> Conclusion {
    let count = u32::try_from(done.len()).unwrap_or(u32::MAX);
    let sum: f64 = done.iter().map(Done::confidence).sum();
    let mean = if done.is_empty() { 0.0 } else { sum / f64::from(count) };
    let reasons: Vec<&str> = done.iter().filter_map(Done::escalates).collect();
    let escalate = if !reasons.is_empty() {
        Some(reasons.join("; ").chars().take(MOST_REASON).collect())
    } else if mean < UNSURE {
        Some(format!("the findings are sure to {mean:.2} only"))
    } else {
        None
    };
    let asks = done.iter().any(|part| part.call_back().is_some());
    let status = match (&escalate, asks) {
        (Some(_), _) => Status::Escalated,
        (None, true) => Status::Blocked,
        (None, false) => Status::Completed,
    };
    Conclusion { status, confidence: ConfidenceVector::of(mean, count), escalate }
}
