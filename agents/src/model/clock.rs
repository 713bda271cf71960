//! Where the time before a reply's first words went.

use std::time::Duration;

use pipeline::latency::Stage;
use tokio::time::Instant;

/// One stage runs at a time, so no moment counts twice.
#[derive(Debug)]
pub(super) struct Clock {
    pub(super) began: Instant,
    stage: Stage,
    since: Instant,
    /// Stages that are over and not told, in their order: a few for each request of the turn.
    spans: Vec<(Stage, Duration)>,
    /// The model has said something in this turn.
    pub(super) spoke: bool,
}

impl Clock {
    pub(super) const fn new(began: Instant) -> Self {
        Self { began, stage: Stage::Orchestrator, since: began, spans: Vec::new(), spoke: false }
    }

    pub(super) fn enter(&mut self, stage: Stage) {
        let now = Instant::now();
        self.spans.push((self.stage, now.saturating_duration_since(self.since)));
        (self.stage, self.since) = (stage, now);
    }

    /// Words have come, or the end of the answer: the wait for the model is over.
    pub(super) fn hears(&mut self) {
        if self.stage == Stage::LlmFirstToken {
            self.enter(Stage::FirstClause);
        }
    }

    /// What is over by now is told by others.
    pub(super) fn forget(&mut self) {
        self.spans.clear();
    }

    /// What went by since it was last asked. The rules look at each piece as it is cut: their time comes out of that.
    pub(super) fn take(&mut self, rules: Duration) -> Vec<(Stage, Duration)> {
        self.enter(Stage::Orchestrator);
        let (mut spans, mut left) = (std::mem::take(&mut self.spans), rules);
        for (stage, took) in &mut spans {
            if *stage == Stage::FirstClause {
                let part = left.min(*took);
                left -= part;
                *took -= part;
            }
        }
        spans.push((Stage::Rules, rules - left));
        spans
    }
}
