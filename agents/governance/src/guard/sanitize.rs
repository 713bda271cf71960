//! Bodies of `POST /v1/guard/sanitize`, as the source document has them.

use serde::{Deserialize, Serialize};

use super::Guard;
use super::context::Context;
use super::verdict::{Channel, Layer, Severity, Threat};

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct SanitizeRequest {
    /// The text from outside.
    pub text: String,
    /// Where it came in.
    pub channel: Channel,
    /// What was asked before, if anything was.
    #[serde(default)]
    pub context: Option<Context>,
}

/// Result of input sanitization.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SanitizedInput {
    /// The text as it came.
    pub original: String,
    /// The text that may go on.
    pub sanitized: String,
    /// What was acted on, and nothing else.
    pub threats: Vec<ThreatDetection>,
    /// Whether the two texts differ.
    pub was_modified: bool,
}

/// Detected security threat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThreatDetection {
    /// `pattern_match`, `instruction_injection`, `delimiter_manipulation`, `encoded_instruction` or `hidden_text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of what matched, where something has a name.
    pub pattern: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

impl From<&Threat> for ThreatDetection {
    fn from(threat: &Threat) -> Self {
        let kind = match threat.layer {
            Layer::Signature => "pattern_match",
            Layer::Classifier => "instruction_injection",
            Layer::Delimiter => "delimiter_manipulation",
            Layer::Encoding => "encoded_instruction",
            Layer::Hidden => "hidden_text",
        };
        Self { kind: kind.to_owned(), pattern: threat.pattern.map(str::to_owned), severity: threat.severity }
    }
}

impl Guard {
    /// The answer to a request.
    #[must_use]
    pub fn sanitize(&self, request: SanitizeRequest) -> SanitizedInput {
        let verdict = self.judge(&request.text, request.channel, request.context.unwrap_or_default());
        SanitizedInput {
            was_modified: !verdict.is_clean(),
            threats: verdict.threats.iter().map(ThreatDetection::from).collect(),
            sanitized: verdict.text,
            original: request.text,
        }
    }
}
