//! Many calls summed up in one table, which can be held against an older one. Pure.

#![deny(clippy::disallowed_methods)]

use serde::{Deserialize, Serialize};

use super::evidence::{Tool, Turn};
use super::verdict::{Finding, Manners};
use super::work::Filed;

/// Version of the file that a run is kept in.
pub const VERSION: u32 = 1;

/// How a scenario came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// It failed, and passed when its call was held again.
    Flaky,
    Failed,
    /// It failed, as it is marked to.
    KnownFailure,
    /// It passed, and is marked as failing: the mark has to go.
    Mended,
}

impl Outcome {
    #[must_use]
    pub const fn of(failed: bool, is_known: bool) -> Self {
        match (failed, is_known) {
            (false, false) => Self::Passed,
            (true, false) => Self::Failed,
            (true, true) => Self::KnownFailure,
            (false, true) => Self::Mended,
        }
    }

    /// The run is no success with it.
    #[must_use]
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Mended)
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Flaky => "flaky",
            Self::Failed => "failed",
            Self::KnownFailure => "known failure",
            Self::Mended => "passes, though marked as a known failure",
        }
    }
}

/// One scenario's call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Held {
    pub id: String,
    pub name: String,
    pub file: String,
    pub tags: Vec<String>,
    pub known_failure: Option<String>,
    pub outcome: Outcome,
    /// The caller got what the call was for.
    pub task: bool,
    pub findings: Vec<Finding>,
    /// What was wrong with calls that were held again.
    #[serde(default)]
    pub earlier: Vec<Finding>,
    pub manners: Manners,
    pub seconds: f64,
    pub call_id: String,
    pub state: String,
    pub transcript: Vec<Turn>,
    pub tools: Vec<Tool>,
    pub work: Vec<Filed>,
    pub frames: usize,
    pub late_frames: usize,
}

/// A whole run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub version: u32,
    /// RFC 3339, UTC.
    pub started_at: String,
    pub gateway: String,
    pub seconds: f64,
    pub figures: Figures,
    pub scenarios: Vec<Held>,
}

/// A count out of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    pub hits: usize,
    pub of: usize,
}

impl Rate {
    /// In percent.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // counts of scenarios
    pub fn percent(self) -> Option<f64> {
        (self.of > 0).then(|| 100.0 * self.hits as f64 / self.of as f64)
    }
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    pub passed: Rate,
    /// Passed only when their calls were held again.
    #[serde(default)]
    pub flaky: Rate,
    pub task_completion: Rate,
    /// Turns that were answered.
    pub answered: Rate,
    pub response_p50_ms: Option<u64>,
    pub response_p95_ms: Option<u64>,
    /// Interruptions that were heeded, and how soon.
    pub yielded: Rate,
    pub yield_p50_ms: Option<u64>,
    pub yield_p95_ms: Option<u64>,
    /// Back-channels that the reply went on after.
    pub back_channels_let_by: Rate,
    /// Turns of the caller that no reply began in.
    pub caller_not_interrupted: Rate,
    /// Frames of callers that were sent in time.
    pub frames_in_time: Rate,
}

impl Figures {
    #[must_use]
    pub fn of(all: &[Held]) -> Self {
        let sum = |what: fn(&Manners) -> usize| all.iter().map(|held| what(&held.manners)).sum::<usize>();
        let responses: Vec<u64> = all.iter().flat_map(|held| held.manners.responses_ms.clone()).collect();
        let yields: Vec<Option<u64>> = all.iter().flat_map(|held| held.manners.yields_ms.clone()).collect();
        let stops: Vec<u64> = yields.iter().filter_map(|ms| *ms).collect();
        let (turns, cut) = (sum(|m| m.turns), sum(|m| m.cut_off));
        let (nods, stopped) = (sum(|m| m.back_channels), sum(|m| m.stopped));
        let frames: usize = all.iter().map(|held| held.frames).sum();
        let late: usize = all.iter().map(|held| held.late_frames).sum();
        let known = all.iter().filter(|held| !held.outcome.is_bad()).count();
        let flaky = all.iter().filter(|held| held.outcome == Outcome::Flaky).count();
        Self {
            passed: Rate { hits: known, of: all.len() },
            flaky: Rate { hits: flaky, of: all.len() },
            task_completion: Rate { hits: all.iter().filter(|held| held.task).count(), of: all.len() },
            answered: Rate { hits: turns - sum(|m| m.unanswered).min(turns), of: turns },
            response_p50_ms: quantile(&responses, 0.5),
            response_p95_ms: quantile(&responses, 0.95),
            yielded: Rate { hits: stops.len(), of: yields.len() },
            yield_p50_ms: quantile(&stops, 0.5),
            yield_p95_ms: quantile(&stops, 0.95),
            back_channels_let_by: Rate { hits: nods - stopped, of: nods },
            caller_not_interrupted: Rate { hits: turns - cut.min(turns), of: turns },
            frames_in_time: Rate { hits: frames - late.min(frames), of: frames },
        }
    }
}

/// A value that occurred, below or at which this share of all lie.
#[must_use]
pub fn quantile(all: &[u64], share: f64) -> Option<u64> {
    let mut sorted = all.to_vec();
    sorted.sort_unstable();
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let rank = ((sorted.len() as f64 * share).ceil() as usize).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_occurred() {
        assert_eq!(quantile(&[100, 300, 200, 400], 0.5), Some(200));
        assert_eq!(quantile(&[100, 300, 200, 400], 0.95), Some(400));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_known_failure_is_no_fault_of_a_run_and_one_that_passes_is() {
        assert!(!Outcome::of(true, true).is_bad());
        assert!(Outcome::of(false, true).is_bad());
        assert!(Outcome::of(true, false).is_bad() && !Outcome::of(false, false).is_bad());
    }
}
