//! What the gateway adds to a turn beyond what its providers were told to take, and where.

use std::collections::BTreeMap;

use anyhow::Result;
use reqwest::Client;
use serde_json::Value;

use crate::providers::{ADMIN, Told};

/// Values of one kind, milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<f64>);

impl Values {
    pub fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle of all, or what lies between the two in the middle; 0 when there are none.
    #[must_use]
    pub fn middle(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        f64::midpoint(at(sorted.len().saturating_sub(1) / 2), at(sorted.len() / 2))
    }

    /// The value below which this share (0–1) of all lies; 0 when there are none.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let rank = (sorted.len() as f64 * share).ceil() as usize;
        sorted.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

/// Turns taken apart. For each turn: added = turn - told = wait + clause + own + retrieval - overlap.
#[derive(Clone, Debug, Default)]
pub struct Added {
    /// Last speech frame in to first reply frame out.
    pub turn: Values,
    /// The same less the sum of what the three providers were told to take.
    pub added: Values,
    /// Until the turn's end was decided and its text was there, less the recogniser's time.
    pub wait: Values,
    /// From the model's first token to a clause that can be spoken.
    pub clause: Values,
    /// Guard, rules, orchestration, pacing, what no stage explains, and what model and voice took beyond the told.
    pub own: Values,
    pub retrieval: Values,
    /// Told time that passed beside a wait, because work had begun early.
    pub overlap: Values,
    /// Each stage by its name.
    pub stages: BTreeMap<String, Values>,
    pub fillers: usize,
    pub speculative: usize,
}

impl Added {
    /// Adds one turn as the API gives it.
    pub fn take(&mut self, turn: &Value, told: &Told) {
        let stage = |name: &str| {
            let stages = turn["stages"].as_array().map(Vec::as_slice).unwrap_or_default();
            let of = stages.iter().filter(|s| s["stage"] == name);
            of.map(|s| s["ms"].as_f64().unwrap_or_default()).sum::<f64>()
        };
        let ms = |time: std::time::Duration| time.as_secs_f64() * 1_000.0;
        let total = turn["total_ms"].as_f64().unwrap_or_default();
        let heard = stage("endpointing") + stage("stt_final") - ms(told.stt);
        let thought = stage("llm_first_token") - ms(told.llm);
        let voiced = stage("tts_first_byte") - ms(told.tts);
        let beyond = heard.min(0.0).abs() + thought.min(0.0).abs() + voiced.min(0.0).abs();
        let own = ["guard", "orchestrator", "rules", "pacing"].map(stage).iter().sum::<f64>()
            + turn["unattributed_ms"].as_f64().unwrap_or_default()
            + thought.max(0.0)
            + voiced.max(0.0);
        self.turn.push(total);
        self.added.push(total - ms(told.sum()));
        self.wait.push(heard.max(0.0));
        self.clause.push(stage("first_clause"));
        self.own.push(own);
        self.retrieval.push(stage("retrieval"));
        self.overlap.push(beyond);
        for stage in turn["stages"].as_array().into_iter().flatten() {
            let name = stage["stage"].as_str().unwrap_or("?").to_owned();
            self.stages.entry(name).or_default().push(stage["ms"].as_f64().unwrap_or_default());
        }
        self.fillers += usize::from(turn["filler"] == true);
        self.speculative += usize::from(turn["speculative"] == true);
    }

    /// Rows of a table: median, 95th and 99th percentile, worst.
    pub fn print(&self) {
        println!("{:<52}{:>8}{:>9}{:>9}{:>9}{:>9}", "  ms", "n", "p50", "p95", "p99", "worst");
        for (name, values) in [
            ("turn: last speech frame in -> first reply frame out", &self.turn),
            ("added: turn less what providers were told", &self.added),
            ("  wait for the turn's end", &self.wait),
            ("  wait for a first clause", &self.clause),
            ("  own work", &self.own),
            ("  retrieval", &self.retrieval),
            ("  (told time that passed beside a wait)", &self.overlap),
        ] {
            let at = |share| values.quantile(share);
            println!(
                "  {name:<50}{:>8}{:>9.1}{:>9.1}{:>9.1}{:>9.1}",
                values.len(),
                at(0.5),
                at(0.95),
                at(0.99),
                at(1.0)
            );
        }
        println!("  begun early {} of {}, fillers {}", self.speculative, self.turn.len(), self.fillers);
    }
}

impl Added {
    /// Median and 95th percentile of each stage, in one line.
    pub fn print_stages(&self) {
        let stage = |(name, values): (&String, &Values)| {
            format!("{name} {:.0}/{:.0}", values.quantile(0.5), values.quantile(0.95))
        };
        println!("  stages, ms p50/p95: {}", self.stages.iter().map(stage).collect::<Vec<_>>().join("  "));
    }
}

/// The turns of these calls, taken apart.
pub async fn added(base: &str, calls: &[String], told: &Told) -> Result<Added> {
    let (http, mut added) = (Client::new(), Added::default());
    for call in calls {
        let request = http.get(format!("{base}/v1/calls/{call}/latency")).bearer_auth(ADMIN);
        let latency: Value = request.send().await?.error_for_status()?.json().await?;
        for turn in latency["turns"].as_array().into_iter().flatten() {
            added.take(turn, told);
        }
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_parts_of_a_turn_sum_to_what_was_added() {
        let told = Told {
            stt: Duration::from_millis(60),
            llm: Duration::from_millis(180),
            tts: Duration::from_millis(80),
        };
        let stages = [
            ("endpointing", 300.0),
            ("guard", 0.5),
            ("retrieval", 2.0),
            ("orchestrator", 1.0),
            ("llm_first_token", 50.0),
            ("first_clause", 40.0),
            ("rules", 0.2),
            ("tts_first_byte", 83.0),
            ("pacing", 1.3),
        ]
        .map(|(stage, ms)| json!({ "stage": stage, "ms": ms }));
        let turn =
            json!({ "total_ms": 479.0, "unattributed_ms": 1.0, "stages": stages, "speculative": true });
        let mut added = Added::default();
        added.take(&turn, &told);
        let one = |values: &Values| values.quantile(0.5);
        assert_eq!(one(&added.added), 159.0);
        assert_eq!((one(&added.wait), one(&added.clause), one(&added.retrieval)), (240.0, 40.0, 2.0));
        assert!((one(&added.own) - 7.0).abs() < 1e-9, "{}", one(&added.own));
        assert_eq!(one(&added.overlap), 130.0);
        let sum = one(&added.wait) + one(&added.clause) + one(&added.own) + one(&added.retrieval);
        assert!((sum - one(&added.overlap) - one(&added.added)).abs() < 1e-9);
    }
}
