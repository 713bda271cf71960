//! The append-only record of what agents did, and the confidence they did it with.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Confidence resting on evidence and on how right this agent was before.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ConfidenceVector {
    /// 0–1.
    pub value: f64,
    pub evidence_count: u32,
    /// 0–1.
    pub evidence_quality: f64,
    /// 0–1.
    pub historical_accuracy: f64,
    pub failure_modes: Vec<String>,
    pub calibration_samples: u32,
}

impl Default for ConfidenceVector {
    fn default() -> Self {
        Self {
            value: 0.0,
            evidence_count: 0,
            evidence_quality: 0.0,
            historical_accuracy: 0.5,
            failure_modes: Vec::new(),
            calibration_samples: 0,
        }
    }
}

impl ConfidenceVector {
    /// Confidence `value` resting on `evidence_count` sources. Out of range is brought into it; NaN is 0.
    #[must_use]
    pub fn of(value: f64, evidence_count: u32) -> Self {
        let value = if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) };
        Self { value, evidence_count, evidence_quality: value, ..Self::default() }
    }

    /// Whether every share lies in 0–1.
    #[must_use]
    pub fn in_range(&self) -> bool {
        [self.value, self.evidence_quality, self.historical_accuracy].iter().all(|v| (0.0..=1.0).contains(v))
    }
}

/// The id of the entry that is written under a key. Two hashes of the key make the id: equal keys, equal ids, across runs of the process.
#[must_use]
pub fn entry_id(key: &str) -> Uuid {
    let hash = |seed: u64| key.bytes().fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    Uuid::from_u64_pair(hash(0xcbf2_9ce4_8422_2325), hash(0x8422_2325_cbf2_9ce4))
}

/// One act of one agent. Summaries hold no raw personal data.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub id: Uuid,
    pub timestamp: DateTime<Utc>,
    pub agent_id: String,
    pub action: String,
    pub inputs_summary: String,
    pub outputs_summary: String,
    pub duration_ms: u64,
    #[serde(default)]
    pub tokens_used: u64,
    #[serde(default)]
    pub cost_usd: f64,
    pub confidence: ConfidenceVector,
    #[serde(default)]
    pub tool_calls: Vec<String>,
    #[serde(default)]
    pub notes: String,
}

language::shown!(LedgerEntry, "LedgerEntry": id, timestamp, agent_id, action, duration_ms, tokens_used, cost_usd; inputs_summary, outputs_summary);

/// Entries in the order they happened. There is no way to change or remove one.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ledger {
    entries: Vec<LedgerEntry>,
}

impl Ledger {
    /// Adds an entry unless one of the same id is there: a repeated delivery changes nothing.
    pub fn append(&mut self, entry: LedgerEntry) {
        if self.entries.iter().all(|known| known.id != entry.id) {
            self.entries.push(entry);
        }
    }

    #[must_use]
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.entries
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}
