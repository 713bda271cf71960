//! One conversation, the same for every model: it passes unchanged from one provider to the next.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use language::shown::Shape;

/// What a model is shown. All text has passed the call's screen: personal data stands in it as tokens.
#[derive(Clone, Default, PartialEq)]
pub struct Conversation {
    /// Instructions that are the same for every call of a tenant: worth caching at the provider.
    pub system: String,
    /// Facts of this call: date, line, language. After the cached part.
    pub briefing: String,
    pub messages: Vec<Message>,
}

language::shown!(Conversation, "Conversation": messages; system, briefing);

/// One step of a conversation.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// The caller's words, as data in a delimited block, or a note of what happened (silence, keys).
    Caller { text: String },
    /// Our words as far as they were heard, and the tools that were asked for.
    Agent {
        text: String,
        #[serde(default)]
        calls: Vec<ToolCall>,
        /// Blocks that only the provider which made them understands (signed thoughts). Others leave them out.
        #[serde(default)]
        opaque: Option<Opaque>,
    },
    /// An answer to every tool call of the message before, in the same order.
    Results { results: Vec<ToolResult> },
}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Caller { text } => write!(f, "Caller({:?})", text.shape()),
            Self::Agent { text, calls, opaque } => f
                .debug_struct("Agent")
                .field("text", &text.shape())
                .field("calls", calls)
                .field("opaque", opaque)
                .finish(),
            Self::Results { results } => f.debug_tuple("Results").field(results).finish(),
        }
    }
}

/// Provider-specific blocks, sent back to that provider as they came.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    pub provider: String,
    pub blocks: Vec<Value>,
}

language::shown!(Opaque, "Opaque": provider; blocks);

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// As the provider named it; adapters map it where another provider wants another form.
    pub id: String,
    pub name: String,
    /// A JSON object. What was no valid JSON is kept as a string, and refused by the tool.
    pub input: Value,
}

language::shown!(ToolCall, "ToolCall": ; id, name, input);

#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub id: String,
    pub content: String,
    pub is_error: bool,
}

language::shown!(ToolResult, "ToolResult": is_error; id, content);

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: Arc<str>,
    pub description: Arc<str>,
    /// JSON Schema of the input, an object.
    pub input: Value,
}
