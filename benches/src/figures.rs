//! Distributions, printed the same way everywhere.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

/// Times of one kind.
#[derive(Debug, Default)]
pub struct Series(Vec<Duration>);

impl Series {
    pub fn push(&mut self, value: Duration) {
        self.0.push(value);
    }

    /// The value below which this share (0–1) of all lies.
    #[must_use]
    pub fn quantile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let index = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
        sorted.get(index).copied().unwrap_or_default()
    }

    /// One line: count, p50, p95, worst, in milliseconds, and what was promised.
    pub fn print(&self, what: &str, target: &str) {
        let ms = |share| self.quantile(share).as_secs_f64() * 1_000.0;
        println!(
            "{what}\n    n {}  p50 {:.0}  p95 {:.0}  worst {:.0} ms   (target: {target} ms)",
            self.0.len(),
            ms(0.5),
            ms(0.95),
            ms(1.0)
        );
    }
}

/// Where the milliseconds of turns went.
#[derive(Debug, Default)]
pub struct Stages {
    turns: usize,
    sums: BTreeMap<String, f64>,
}

impl Stages {
    /// Adds one turn's waterfall as the API gives it.
    pub fn add(&mut self, turn: &Value) {
        self.turns += 1;
        for stage in turn["stages"].as_array().into_iter().flatten() {
            let name = stage["stage"].as_str().unwrap_or("?").to_owned();
            *self.sums.entry(name).or_default() += stage["ms"].as_f64().unwrap_or(0.0);
        }
        *self.sums.entry("unattributed".into()).or_default() +=
            turn["unattributed_ms"].as_f64().unwrap_or(0.0);
    }

    pub fn print(&self) {
        println!("mean share of each stage, ms");
        for (name, sum) in &self.sums {
            println!("    {name:<18} {:.1}", sum / self.turns.max(1) as f64);
        }
    }
}
