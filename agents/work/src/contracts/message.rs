//! The universal message envelope.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{Contract, ContractError, ErrorCode, ProvenanceMetadata, named, named_if, text, wrong};

/// How soon a message wants to be read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessagePriority {
    Low,
    #[default]
    Medium,
    High,
    Critical,
}

/// How often a request may be tried again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RetryPolicy {
    pub max_attempts: u8,
    pub backoff_ms: u64,
}

/// One message from one part to another.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub message_id: Uuid,
    pub timestamp: DateTime<Utc>,
    pub source_component: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_component: Option<String>,
    /// Links the messages of one piece of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    #[serde(default)]
    pub priority: MessagePriority,
    #[serde(default)]
    pub metadata: Map<String, Value>,
    #[serde(flatten)]
    pub body: Body,
}

/// What a message says, told apart by `message_type`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "message_type", rename_all = "snake_case")]
pub enum Body {
    Request {
        action: String,
        #[serde(default)]
        parameters: Map<String, Value>,
        /// 1 to 300.
        #[serde(default = "half_a_minute")]
        timeout_seconds: u16,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_policy: Option<RetryPolicy>,
    },
    Response {
        success: bool,
        #[serde(default)]
        result: Option<Value>,
        #[serde(default)]
        error: Option<String>,
        execution_time_ms: u64,
        #[serde(default)]
        provenance: Option<Box<ProvenanceMetadata>>,
    },
    Error {
        error_code: ErrorCode,
        error_message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_details: Option<Map<String, Value>>,
        #[serde(default)]
        recoverable: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggested_action: Option<String>,
    },
    Event {
        event: String,
        #[serde(default)]
        data: Map<String, Value>,
    },
}

const fn half_a_minute() -> u16 {
    30
}

/// Payloads may hold what callers said: only the frame is shown.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("message_id", &self.message_id)
            .field("source_component", &self.source_component)
            .field("target_component", &self.target_component)
            .field("body", &self.body)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { action, .. } => write!(f, "Request({action})"),
            Self::Response { success, .. } => write!(f, "Response(success: {success})"),
            Self::Error { error_code, .. } => write!(f, "Error({error_code:?})"),
            Self::Event { event, .. } => write!(f, "Event({event})"),
        }
    }
}

impl Message {
    /// A message of `source`, for anybody, about nothing yet.
    #[must_use]
    pub fn new(id: Uuid, source: &str, now: DateTime<Utc>, body: Body) -> Self {
        Self {
            message_id: id,
            timestamp: now,
            source_component: source.to_owned(),
            target_component: None,
            correlation_id: None,
            priority: MessagePriority::default(),
            metadata: Map::new(),
            body,
        }
    }

    /// An answer to this message: to its sender, under its correlation.
    #[must_use]
    pub fn answer(&self, id: Uuid, source: &str, now: DateTime<Utc>, body: Body) -> Self {
        Self {
            target_component: Some(self.source_component.clone()),
            correlation_id: self.correlation_id.clone().or_else(|| Some(self.message_id.to_string())),
            priority: self.priority,
            ..Self::new(id, source, now, body)
        }
    }
}

impl Contract for Message {
    fn check(&self) -> Result<(), ContractError> {
        named("source_component", &self.source_component)?;
        named_if("target_component", self.target_component.as_ref())?;
        named_if("correlation_id", self.correlation_id.as_ref())?;
        match &self.body {
            Body::Request { action, timeout_seconds, retry_policy, .. } => {
                named("action", action)?;
                if !(1..=300).contains(timeout_seconds) {
                    return Err(wrong("timeout_seconds", "is not between 1 and 300"));
                }
                match retry_policy {
                    Some(policy) if policy.max_attempts == 0 => {
                        Err(wrong("retry_policy.max_attempts", "is 0: leave the policy out instead"))
                    }
                    _ => Ok(()),
                }
            }
            Body::Response { success, error, provenance, .. } => {
                if *success && error.is_some() {
                    return Err(wrong("error", "is set although success is true"));
                }
                if !*success && error.is_none() {
                    return Err(wrong("error", "is missing although success is false"));
                }
                provenance.as_ref().map_or(Ok(()), |provenance| provenance.check())
            }
            Body::Error { error_message, .. } => text("error_message", error_message),
            Body::Event { event, .. } => named("event", event),
        }
    }
}
