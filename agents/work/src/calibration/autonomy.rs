//! Five levels of autonomy, earned by several measures at once and lost by any of them.

use serde::Serialize;

/// What a level allows, and what it takes.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct AutonomyLevel {
    pub level: u8,
    pub can_skip_review: bool,
    pub can_auto_approve_low_risk: bool,
    /// After a person's review.
    pub can_modify_own_prompts: bool,
    /// After a person's review.
    pub can_create_sub_agents: bool,
    pub can_access_external_apis: bool,
    pub min_completed_tasks: u32,
    pub min_accuracy_rate: f64,
    pub max_escalation_rate: f64,
    pub min_confidence_calibration: f64,
}

const FIRST: AutonomyLevel = AutonomyLevel {
    level: 1,
    can_skip_review: false,
    can_auto_approve_low_risk: false,
    can_modify_own_prompts: false,
    can_create_sub_agents: false,
    can_access_external_apis: false,
    min_completed_tasks: 0,
    min_accuracy_rate: 0.0,
    max_escalation_rate: 1.0,
    min_confidence_calibration: 0.0,
};

const SECOND: AutonomyLevel = AutonomyLevel {
    level: 2,
    can_skip_review: true,
    min_completed_tasks: 50,
    min_accuracy_rate: 0.85,
    max_escalation_rate: 0.3,
    min_confidence_calibration: 0.7,
    ..FIRST
};

const THIRD: AutonomyLevel = AutonomyLevel {
    level: 3,
    can_auto_approve_low_risk: true,
    min_completed_tasks: 200,
    min_accuracy_rate: 0.92,
    max_escalation_rate: 0.15,
    min_confidence_calibration: 0.8,
    ..SECOND
};

const FOURTH: AutonomyLevel = AutonomyLevel {
    level: 4,
    can_modify_own_prompts: true,
    min_completed_tasks: 500,
    min_accuracy_rate: 0.95,
    max_escalation_rate: 0.1,
    min_confidence_calibration: 0.85,
    ..THIRD
};

const FIFTH: AutonomyLevel = AutonomyLevel {
    level: 5,
    can_create_sub_agents: true,
    can_access_external_apis: true,
    min_completed_tasks: 1_000,
    min_accuracy_rate: 0.98,
    max_escalation_rate: 0.05,
    min_confidence_calibration: 0.9,
    ..FOURTH
};

/// The levels, with the thresholds of the platform document.
pub const LEVELS: [AutonomyLevel; 5] = [FIRST, SECOND, THIRD, FOURTH, FIFTH];

/// How an agent did over everything.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Metrics {
    pub completed_tasks: u32,
    pub accuracy_rate: f64,
    pub escalation_rate: f64,
    pub confidence_calibration: f64,
}

/// An agent's level moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    pub from_level: u8,
    pub to_level: u8,
    /// The measures that decided.
    pub reason: String,
}

/// A level by its number; what is no level is the first.
#[must_use]
pub fn level(number: u8) -> &'static AutonomyLevel {
    LEVELS.iter().find(|l| l.level == number).unwrap_or(&LEVELS[0])
}

/// The highest level whose thresholds are all met.
#[must_use]
pub fn qualifies_for(metrics: &Metrics) -> u8 {
    LEVELS.iter().rev().find(|l| lacks(metrics, l).is_empty()).map_or(1, |l| l.level)
}

/// Whether an agent at `current` moves: up one level at a time, down at once to where it belongs.
#[must_use]
pub fn change(current: u8, metrics: &Metrics) -> Option<Change> {
    let current = level(current).level;
    let earned = qualifies_for(metrics);
    let to_level = if earned > current { current + 1 } else { earned };
    let reason = match to_level.cmp(&current) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => format!(
            "{} tasks, accuracy {:.3}, escalations {:.3}, calibration {:.3}: every threshold of level {to_level} is met",
            metrics.completed_tasks,
            metrics.accuracy_rate,
            metrics.escalation_rate,
            metrics.confidence_calibration
        ),
        std::cmp::Ordering::Less => lacks(metrics, level(current)).join("; "),
    };
    Some(Change { from_level: current, to_level, reason })
}

/// What is missing for a level, in words.
fn lacks(metrics: &Metrics, wanted: &AutonomyLevel) -> Vec<String> {
    let mut lacks = Vec::new();
    if metrics.completed_tasks < wanted.min_completed_tasks {
        lacks.push(format!(
            "{} tasks, level {} takes {}",
            metrics.completed_tasks, wanted.level, wanted.min_completed_tasks
        ));
    }
    // A measure that is no number is a measure that is missed.
    let mut at_least = |what: &str, has: f64, least: f64| {
        if has.is_nan() || has < least {
            lacks.push(format!("{what} {has:.3}, level {} takes {least}", wanted.level));
        }
    };
    at_least("accuracy", metrics.accuracy_rate, wanted.min_accuracy_rate);
    at_least("calibration", metrics.confidence_calibration, wanted.min_confidence_calibration);
    if metrics.escalation_rate.is_nan() || metrics.escalation_rate > wanted.max_escalation_rate {
        let (has, most) = (metrics.escalation_rate, wanted.max_escalation_rate);
        lacks.push(format!("escalations {has:.3}, level {} allows {most}", wanted.level));
    }
    lacks
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn metrics(tasks: u32, accuracy: f64, escalations: f64, calibration: f64) -> Metrics {
        Metrics {
            completed_tasks: tasks,
            accuracy_rate: accuracy,
            escalation_rate: escalations,
            confidence_calibration: calibration,
        }
    }

    #[test]
    fn each_threshold_alone_keeps_a_level_away() {
        for (n, wanted) in LEVELS.iter().enumerate().skip(1) {
            let (tasks, accuracy) = (wanted.min_completed_tasks, wanted.min_accuracy_rate);
            let (escalations, calibration) = (wanted.max_escalation_rate, wanted.min_confidence_calibration);
            assert_eq!(qualifies_for(&metrics(tasks, accuracy, escalations, calibration)), wanted.level);
            for short in [
                metrics(tasks - 1, accuracy, escalations, calibration),
                metrics(tasks, accuracy - 0.001, escalations, calibration),
                metrics(tasks, accuracy, escalations + 0.001, calibration),
                metrics(tasks, accuracy, escalations, calibration - 0.001),
            ] {
                assert_eq!(qualifies_for(&short), n as u8, "{short:?}");
            }
        }
    }

    #[test]
    fn a_measure_that_is_no_number_earns_nothing() {
        let best = metrics(2_000, 0.99, 0.01, 0.95);
        assert_eq!(qualifies_for(&Metrics { accuracy_rate: f64::NAN, ..best }), 1);
        assert_eq!(qualifies_for(&Metrics { escalation_rate: f64::NAN, ..best }), 1);
    }

    #[test]
    fn the_way_up_is_a_step_and_the_way_down_a_fall() {
        let best = metrics(2_000, 0.99, 0.01, 0.95);
        let up = change(1, &best).unwrap();
        assert_eq!((up.from_level, up.to_level), (1, 2));
        assert!(up.reason.contains("level 2"), "{}", up.reason);
        assert_eq!(change(5, &best), None);
        let down = change(5, &metrics(2_000, 0.80, 0.01, 0.95)).unwrap();
        assert_eq!((down.from_level, down.to_level), (5, 1));
        assert_eq!(down.reason, "accuracy 0.800, level 5 takes 0.98");
        assert_eq!(change(9, &metrics(0, 0.0, 0.0, 0.0)), None, "no such level counts as the first");
    }
}
