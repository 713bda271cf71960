//! The request's body. System text first and unchanged, so that servers which cache prefixes find it again.

use serde::Serialize;
use serde_json::{Value, json};

use super::Settings;
use super::learned::{Learned, MAX_TOKENS};
use crate::history::{Called, IdForm, Turn, turns};
use crate::model::Request;

/// Between a tool's result and the caller's next words, where a server wants a message of ours.
const BRIDGE: &str = "Noted.";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Value>,
    messages: Vec<Line>,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Line {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        /// Null beside tool calls without words.
        content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Value>,
    },
    Tool {
        tool_call_id: String,
        content: String,
    },
}

/// The body of a streamed answer.
pub(super) fn body(settings: &Settings, learned: &Learned, request: &Request) -> Vec<u8> {
    let tool = |spec: &crate::conversation::ToolSpec| {
        json!({ "type": "function", "function": {
            "name": &*spec.name, "description": &*spec.description, "parameters": spec.input,
        } })
    };
    let (max_tokens, max_completion_tokens) = if learned.limit(settings) == MAX_TOKENS {
        (Some(request.max_tokens), None)
    } else {
        (None, Some(request.max_tokens))
    };
    let body = Body {
        model: &settings.model,
        stream: true,
        stream_options: learned.stream_options(settings).then(|| json!({ "include_usage": true })),
        max_tokens,
        max_completion_tokens,
        reasoning_effort: learned.effort(settings),
        temperature: learned.temperature(settings),
        tools: request.tools.iter().map(tool).collect(),
        messages: lines(settings, request),
    };
    // Strings, numbers and maps with string keys: there is nothing in it that could fail.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn lines(settings: &Settings, request: &Request) -> Vec<Line> {
    let conversation = &request.conversation;
    let form = if settings.mistral { IdForm::Nine } else { IdForm::Plain };
    let mut lines = Vec::with_capacity(conversation.messages.len() + 1);
    let texts = [conversation.system.as_str(), conversation.briefing.as_str()];
    let system = joined(&texts.into_iter().filter(|t| !t.trim().is_empty()).collect::<Vec<_>>());
    if !system.is_empty() {
        lines.push(Line::System { content: system });
    }
    for turn in turns(&conversation.messages, form) {
        match turn {
            Turn::Agent { text, calls, .. } => {
                let content = (!text.trim().is_empty()).then(|| text.into_owned());
                lines.push(Line::Assistant { content, tool_calls: calls.iter().map(call).collect() });
            }
            Turn::Caller { results, texts } => {
                let after_tools = !results.is_empty();
                lines.extend(results.into_iter().map(|r| Line::Tool {
                    tool_call_id: r.id,
                    content: if r.is_error { format!("Error: {}", r.content) } else { r.content.to_owned() },
                }));
                if texts.is_empty() {
                    continue;
                }
                if after_tools && settings.mistral {
                    lines.push(Line::Assistant { content: Some(BRIDGE.into()), tool_calls: Vec::new() });
                }
                lines.push(Line::User { content: joined(&texts) });
            }
        }
    }
    lines
}

fn call(call: &Called<'_>) -> Value {
    json!({ "id": call.id, "type": "function", "function": {
        "name": call.name, "arguments": call.input.to_string(),
    } })
}

fn joined(texts: &[&str]) -> String {
    texts.join("\n\n")
}

#[cfg(test)]
mod tests;
