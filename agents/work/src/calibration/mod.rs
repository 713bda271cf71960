//! How right an agent was, how sure it may be, and how much it may do alone (A17).
//!
//! A record is kept for each agent and kind of task. Confidence rests on evidence and on that record; autonomy is one of
//! five levels with the thresholds of the platform document. Everything is pure.
#![deny(clippy::disallowed_methods)]

mod autonomy;

use serde::{Deserialize, Serialize};

pub use autonomy::{AutonomyLevel, Change, LEVELS, Metrics, change, level, qualifies_for};

use crate::passport::ConfidenceVector;

/// Below this (0–1) work is not routed on by an agent alone: a person looks.
pub const ROUTING_CONFIDENCE: f64 = 0.8;
/// Tasks from which a record says something; before, an agent is new at the task.
pub const COLD_START: u32 = 20;

/// How one finished task went.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outcome {
    /// The confidence it was done with, 0–1.
    pub predicted: f64,
    pub correct: bool,
    pub escalated: bool,
}

/// How an agent did at one kind of task.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub completed: u32,
    pub correct: u32,
    pub escalated: u32,
    /// Sum of squared differences between confidence and outcome.
    pub brier_sum: f64,
}

impl Record {
    /// With one more task.
    #[must_use]
    pub fn with(mut self, outcome: Outcome) -> Self {
        let predicted = if outcome.predicted.is_nan() { 0.5 } else { outcome.predicted.clamp(0.0, 1.0) };
        let happened = if outcome.correct { 1.0 } else { 0.0 };
        self.completed = self.completed.saturating_add(1);
        self.correct = self.correct.saturating_add(u32::from(outcome.correct));
        self.escalated = self.escalated.saturating_add(u32::from(outcome.escalated));
        self.brier_sum += (predicted - happened).powi(2);
        self
    }

    /// Two records of different tasks as one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            completed: self.completed.saturating_add(other.completed),
            correct: self.correct.saturating_add(other.correct),
            escalated: self.escalated.saturating_add(other.escalated),
            brier_sum: self.brier_sum + other.brier_sum,
        }
    }

    /// Without a task that it was counted with: people decided otherwise.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            completed: self.completed.saturating_sub(other.completed),
            correct: self.correct.saturating_sub(other.correct),
            escalated: self.escalated.saturating_sub(other.escalated),
            brier_sum: (self.brier_sum - other.brier_sum).max(0.0),
        }
    }

    /// How often the agent will be right, as far as the record tells: the mean of a beta distribution that begins at
    /// one right and one wrong. 0.5 for an agent without a record.
    #[must_use]
    pub fn historical_accuracy(&self) -> f64 {
        (f64::from(self.correct) + 1.0) / (f64::from(self.completed) + 2.0)
    }

    /// Mean squared difference between confidence and outcome: 0 is a prophet, 0.25 a coin that knows it. 0.25 without
    /// a record.
    #[must_use]
    pub fn brier(&self) -> f64 {
        if self.completed == 0 { 0.25 } else { (self.brier_sum / f64::from(self.completed)).clamp(0.0, 1.0) }
    }

    /// What the levels of autonomy look at.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let share = |n: u32| if self.completed == 0 { 0.0 } else { f64::from(n) / f64::from(self.completed) };
        Metrics {
            completed_tasks: self.completed,
            accuracy_rate: share(self.correct),
            escalation_rate: share(self.escalated),
            confidence_calibration: 1.0 - self.brier(),
        }
    }
}

/// Confidence from evidence and history: no surer than the evidence is good, and no surer than the agent was right.
#[must_use]
pub fn confidence(
    evidence_count: u32,
    evidence_quality: f64,
    record: &Record,
    failure_modes: Vec<String>,
) -> ConfidenceVector {
    let quality = if evidence_quality.is_nan() { 0.0 } else { evidence_quality.clamp(0.0, 1.0) };
    let historical_accuracy = record.historical_accuracy();
    ConfidenceVector {
        value: quality.min(historical_accuracy),
        evidence_count,
        evidence_quality: quality,
        historical_accuracy,
        failure_modes,
        calibration_samples: record.completed,
    }
}

/// Whether work with this confidence goes to a person.
#[must_use]
pub fn escalates(confidence: &ConfidenceVector) -> bool {
    confidence.value.is_nan() || confidence.value < ROUTING_CONFIDENCE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tasks(right: u32, wrong: u32, predicted: f64) -> Record {
        let one = |correct| Outcome { predicted, correct, escalated: !correct };
        (0..right)
            .map(|_| one(true))
            .chain((0..wrong).map(|_| one(false)))
            .fold(Record::default(), Record::with)
    }

    #[test]
    fn an_agent_without_a_record_is_as_sure_as_a_coin_and_escalates() {
        let sure = confidence(3, 0.95, &Record::default(), Vec::new());
        assert_eq!((sure.value, sure.historical_accuracy, sure.calibration_samples), (0.5, 0.5, 0));
        assert!(escalates(&sure));
        let proven = confidence(3, 0.95, &tasks(60, 2, 0.9), Vec::new());
        assert!(proven.value > 0.9 && !escalates(&proven));
        assert!(escalates(&confidence(0, 0.3, &tasks(60, 2, 0.9), Vec::new())), "evidence bounds it too");
        assert!(escalates(&ConfidenceVector { value: 0.7999, ..ConfidenceVector::default() }));
        assert!(!escalates(&ConfidenceVector { value: 0.8, ..ConfidenceVector::default() }));
    }

    #[test]
    fn who_is_sure_and_wrong_is_badly_calibrated() {
        assert!(tasks(9, 1, 0.9).brier() < 0.1);
        assert!(tasks(5, 5, 0.95).brier() > 0.4);
        assert!((tasks(5, 5, 0.5).brier() - 0.25).abs() < 1e-9);
        assert!(tasks(5, 5, 0.95).metrics().confidence_calibration < 0.6);
    }

    proptest! {
        #[test]
        fn everything_stays_between_0_and_1(
            outcomes in prop::collection::vec((prop::num::f64::ANY, any::<bool>(), any::<bool>()), 0..60),
            quality in prop::num::f64::ANY,
        ) {
            let of = |&(predicted, correct, escalated): &(f64, bool, bool)| Outcome { predicted, correct, escalated };
            let record = outcomes.iter().map(of).fold(Record::default(), Record::with);
            prop_assert!(confidence(1, quality, &record, Vec::new()).in_range());
            let m = record.metrics();
            for share in [m.accuracy_rate, m.escalation_rate, m.confidence_calibration] {
                prop_assert!((0.0..=1.0).contains(&share));
            }
        }

        #[test]
        fn one_more_right_answer_never_makes_less_sure(right in 0u32..50, wrong in 0u32..50) {
            let before = tasks(right, wrong, 0.8);
            let after = before.with(Outcome { predicted: 0.8, correct: true, escalated: false });
            prop_assert!(after.historical_accuracy() > before.historical_accuracy());
        }
    }
}
