//! Where a result comes from.

use std::fmt::Write;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{Contract, ContractError, listed, named, named_if, share, text, wrong};

/// Origin and making of a piece of data.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ProvenanceMetadata {
    pub producing_component: String,
    pub component_version: String,
    pub created_at: DateTime<Utc>,
    pub processing_time_ms: u64,
    /// SHA-256 of the input, 64 hexadecimal digits.
    pub input_hash: String,
    #[serde(default)]
    pub input_summary: Option<String>,
    pub method: String,
    #[serde(default)]
    pub parameters: Map<String, Value>,
    #[serde(default)]
    pub model_used: Option<String>,
    /// 0–1.
    pub confidence: f64,
    #[serde(default = "unvalidated")]
    pub validation_status: String,
    #[serde(default)]
    pub validation_details: Option<Map<String, Value>>,
    #[serde(default)]
    pub parent_artifacts: Vec<String>,
    #[serde(default)]
    pub dependencies: Vec<String>,
    pub session_id: String,
    pub trace_id: String,
    #[serde(default)]
    pub user_id: Option<String>,
}

language::shown!(ProvenanceMetadata, "ProvenanceMetadata": producing_component, component_version, created_at, processing_time_ms, input_hash, method, model_used, confidence, validation_status, session_id, trace_id; input_summary, parent_artifacts);

fn unvalidated() -> String {
    "unvalidated".to_owned()
}

/// SHA-256 as 64 lower-case hexadecimal digits.
#[must_use]
pub fn sha256_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

impl Contract for ProvenanceMetadata {
    fn check(&self) -> Result<(), ContractError> {
        named("producing_component", &self.producing_component)?;
        named("component_version", &self.component_version)?;
        named("method", &self.method)?;
        named("session_id", &self.session_id)?;
        named("trace_id", &self.trace_id)?;
        named("validation_status", &self.validation_status)?;
        named_if("model_used", self.model_used.as_ref())?;
        named_if("user_id", self.user_id.as_ref())?;
        listed("parent_artifacts", &self.parent_artifacts)?;
        listed("dependencies", &self.dependencies)?;
        if let Some(summary) = &self.input_summary {
            text("input_summary", summary)?;
        }
        share("confidence", self.confidence)?;
        let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        if self.input_hash.len() != 64 || !self.input_hash.bytes().all(hex) {
            return Err(wrong("input_hash", "is not a SHA-256 of 64 lower-case hexadecimal digits"));
        }
        Ok(())
    }
}
