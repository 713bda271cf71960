//! What the vendor refuses.

use std::collections::HashSet;

use axum::http::HeaderMap;
use serde_json::Value;

use super::{Habits, KEY};
use crate::vendors::model::Refusal;

const FIELDS: [&str; 12] = [
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "stop",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning_effort",
];
/// Mistral's own API knows none of them.
const NOT_AT_MISTRAL: [&str; 3] = ["stream_options", "max_completion_tokens", "reasoning_effort"];

/// Checks a request as the vendor would.
///
/// # Errors
/// The vendor's error.
pub fn request(habits: &Habits, headers: &HeaderMap, request: &Value) -> Result<(), Refusal> {
    let key = headers.get("authorization").and_then(|v| v.to_str().ok());
    if !habits.no_key && key.and_then(|k| k.strip_prefix("Bearer ")) != Some(KEY) {
        return Err(Refusal::new(401, "invalid_api_key", "incorrect key"));
    }
    let fields = request.as_object().ok_or_else(|| wrong("body"))?;
    for field in fields.keys() {
        let field = field.as_str();
        let here = FIELDS.contains(&field) && !(habits.mistral && NOT_AT_MISTRAL.contains(&field));
        if !here {
            return Err(Refusal::new(422, "invalid_request_error", field));
        }
    }
    // Reasoning models refuse the old name of the limit; the vendor's other models take either. A server of another vendor
    // goes by no name.
    let is_reasoning = request["model"].as_str().is_some_and(|m| m.starts_with("gpt-5")) && !habits.mistral;
    let new_name = habits.completion_tokens || is_reasoning;
    if new_name && !request["max_tokens"].is_null() {
        let told = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                    'max_completion_tokens' instead.";
        return Err(wrong(told));
    }
    let given = ["max_tokens", "max_completion_tokens"].map(|name| request[name].is_u64());
    known(given[0] != given[1], "one of max_tokens and max_completion_tokens is needed")?;
    known(request["model"].as_str().is_some_and(|m| !m.is_empty()), "model")?;
    for tool in list(&request["tools"]) {
        let name = tool["function"]["name"].as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        known((1..=64).contains(&name.len()) && name.chars().all(plain), "tools.function.name")?;
        known(tool["type"] == "function", "tools.type")?;
        known(tool["function"]["parameters"]["type"] == "object", "tools.function.parameters")?;
    }
    messages(habits, list(&request["messages"]))
}

fn messages(habits: &Habits, messages: &[Value]) -> Result<(), Refusal> {
    known(!messages.is_empty(), "messages")?;
    let (mut waiting, mut used): (HashSet<&str>, HashSet<&str>) = (HashSet::new(), HashSet::new());
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        known(role == "tool" || waiting.is_empty(), "tool_calls must be followed by tool messages")?;
        match role {
            "system" => known(at == 0 && filled(message), "system")?,
            "user" => {
                // Many chat templates want user and assistant in turn.
                known(before != "user" && filled(message), "user")?;
                known(!(habits.mistral && before == "tool"), "Unexpected role 'user' after role 'tool'")?;
            }
            "assistant" => {
                known(before != "assistant" && before != "system" && at != 0, "assistant")?;
                let calls = list(&message["tool_calls"]);
                known(!calls.is_empty() || filled(message), "assistant: empty")?;
                for call in calls {
                    let id = call_id(habits, call)?;
                    known(used.insert(id), "tool_calls.id must be unique")?;
                    waiting.insert(id);
                }
            }
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                known(waiting.remove(id), "tool_call_id is unknown")?;
                known(message["content"].is_string(), "tool.content")?;
            }
            _ => return Err(wrong("messages.role")),
        }
        before = role;
    }
    known(waiting.is_empty(), "tool_calls must be followed by tool messages")?;
    known(before != "assistant", "last message must not be assistant")
}

fn call_id<'a>(habits: &Habits, call: &'a Value) -> Result<&'a str, Refusal> {
    let id = call["id"].as_str().unwrap_or_default();
    let nine = id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric());
    known((1..=40).contains(&id.len()) && (!habits.mistral || nine), "tool_calls.id")?;
    let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
    let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|v| v.is_object());
    known(call["type"] == "function" && is_object, "tool_calls.function")?;
    Ok(id)
}

fn filled(message: &Value) -> bool {
    message["content"].as_str().is_some_and(|t| !t.trim().is_empty())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn known(fine: bool, what: &str) -> Result<(), Refusal> {
    if fine { Ok(()) } else { Err(wrong(what)) }
}

fn wrong(what: &str) -> Refusal {
    Refusal::new(400, "invalid_request_error", what)
}
