//! What an arm declares that it can do.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Contract, ContractError, listed, named, share, text, wrong};

/// The declaration of one arm.
///
/// The document asks for a mean latency and a success rate; a declaration made before anything was measured has none,
/// and says so by leaving them out rather than by a number that nobody measured.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArmCapability {
    pub arm_id: String,
    pub name: String,
    pub version: String,
    pub capabilities: Vec<String>,
    /// JSON Schema.
    pub input_schema: Value,
    /// JSON Schema.
    pub output_schema: Value,
    /// 1 is cheap, 5 is dear.
    pub cost_tier: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_latency_ms: Option<f64>,
    /// 0–1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_rate: Option<f64>,
    #[serde(default = "five")]
    pub max_concurrent: u32,
    pub endpoint: String,
    #[serde(default = "health")]
    pub health_check_endpoint: String,
    #[serde(default = "metrics")]
    pub metrics_endpoint: String,
    #[serde(default = "megabyte")]
    pub max_input_size_bytes: u64,
    #[serde(default = "ten_megabytes")]
    pub max_output_size_bytes: u64,
    #[serde(default = "half_a_minute")]
    pub timeout_seconds: u32,
    pub description: String,
    #[serde(default)]
    pub documentation_url: Option<String>,
    #[serde(default)]
    pub tags: Vec<String>,
}

const fn five() -> u32 {
    5
}

fn health() -> String {
    "/health".to_owned()
}

fn metrics() -> String {
    "/metrics".to_owned()
}

const fn megabyte() -> u64 {
    1_000_000
}

const fn ten_megabytes() -> u64 {
    10_000_000
}

const fn half_a_minute() -> u32 {
    30
}

impl ArmCapability {
    /// A declaration with the document's defaults; the schemas accept any object.
    #[must_use]
    pub fn new(arm_id: &str, name: &str, version: &str, endpoint: &str, description: &str) -> Self {
        let object = serde_json::json!({ "type": "object" });
        Self {
            arm_id: arm_id.to_owned(),
            name: name.to_owned(),
            version: version.to_owned(),
            capabilities: Vec::new(),
            input_schema: object.clone(),
            output_schema: object,
            cost_tier: 1,
            average_latency_ms: None,
            success_rate: None,
            max_concurrent: five(),
            endpoint: endpoint.to_owned(),
            health_check_endpoint: health(),
            metrics_endpoint: metrics(),
            max_input_size_bytes: megabyte(),
            max_output_size_bytes: ten_megabytes(),
            timeout_seconds: half_a_minute(),
            description: description.to_owned(),
            documentation_url: None,
            tags: Vec::new(),
        }
    }
}

impl Contract for ArmCapability {
    fn check(&self) -> Result<(), ContractError> {
        named("arm_id", &self.arm_id)?;
        named("name", &self.name)?;
        named("version", &self.version)?;
        listed("capabilities", &self.capabilities)?;
        listed("tags", &self.tags)?;
        text("description", &self.description)?;
        if self.capabilities.is_empty() {
            return Err(wrong("capabilities", "is empty: an arm that can do nothing is not declared"));
        }
        for (field, schema) in [("input_schema", &self.input_schema), ("output_schema", &self.output_schema)]
        {
            if !schema.is_object() && !schema.is_boolean() {
                return Err(wrong(field, "is not a JSON Schema"));
            }
        }
        if !(1..=5).contains(&self.cost_tier) {
            return Err(wrong("cost_tier", "is not between 1 and 5"));
        }
        if let Some(rate) = self.success_rate {
            share("success_rate", rate)?;
        }
        if self.average_latency_ms.is_some_and(|ms| !ms.is_finite() || ms < 0.0) {
            return Err(wrong("average_latency_ms", "is not a time"));
        }
        if !self.endpoint.starts_with('/') {
            return Err(wrong("endpoint", "does not begin with /"));
        }
        Ok(())
    }
}
