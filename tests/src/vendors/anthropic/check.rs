//! What the vendor refuses.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use axum::http::HeaderMap;
use serde_json::Value;

use super::KEY;
use crate::vendors::model::Refusal;

const NEWEST: &str = "2026-10-21";
const OLDEST: &str = "2023-06-01";
/// Most cache marks.
const MARKS: usize = 4;
const FIELDS: [&str; 12] = [
    "model",
    "max_tokens",
    "messages",
    "system",
    "tools",
    "tool_choice",
    "stream",
    "thinking",
    "output_config",
    "stop_sequences",
    "metadata",
    "service_tier",
];
const SAMPLING: [&str; 3] = ["temperature", "top_p", "top_k"];

/// Checks a request as the vendor would.
///
/// # Errors
/// The vendor's error.
pub fn request(headers: &HeaderMap, request: &Value) -> Result<(), Refusal> {
    let header = |name: &str| headers.get(name).and_then(|v| v.to_str().ok());
    let key = match (header("x-api-key"), header("authorization").and_then(|v| v.strip_prefix("Bearer "))) {
        (Some(key), None) | (None, Some(key)) => key,
        _ => return Err(Refusal::new(401, "authentication_error", "one key, please")),
    };
    if key != KEY {
        return Err(Refusal::new(401, "authentication_error", "invalid x-api-key"));
    }
    let version = header("anthropic-version").unwrap_or_default();
    known(version == NEWEST || version == OLDEST, "anthropic-version")?;
    let fields = request.as_object().ok_or_else(|| wrong("body"))?;
    for field in fields.keys() {
        let sampling = SAMPLING.contains(&field.as_str()) && version == OLDEST;
        known(sampling || FIELDS.contains(&field.as_str()), field)?;
    }
    known(request["model"].as_str().is_some_and(|m| !m.is_empty()), "model")?;
    known(request["max_tokens"].is_u64(), "max_tokens")?;
    known(marks(request) <= MARKS, "cache_control: more than four")?;
    for block in list(&request["system"]) {
        text(block, "system")?;
    }
    let declared = tools(&request["tools"])?;
    messages(list(&request["messages"]), declared)
}

/// A signature that only we can have made.
#[must_use]
pub fn signature(thinking: &str) -> String {
    let mut hash = DefaultHasher::new();
    (thinking, "secret").hash(&mut hash);
    format!("sig-{:x}", hash.finish())
}

fn tools(tools: &Value) -> Result<bool, Refusal> {
    let mut names = HashSet::new();
    for tool in list(tools) {
        let name = tool["name"].as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        known((1..=64).contains(&name.len()) && name.chars().all(plain), "tools.name")?;
        known(names.insert(name), "tools: names must be unique")?;
        known(tool["input_schema"]["type"] == "object", "tools.input_schema")?;
    }
    Ok(!names.is_empty())
}

fn messages(messages: &[Value], tools_declared: bool) -> Result<(), Refusal> {
    known(messages.first().is_some_and(|m| m["role"] == "user"), "messages: first must be user")?;
    known(messages.last().is_some_and(|m| m["role"] == "user"), "messages: prefill is not supported")?;
    let (mut waiting, mut used): (Vec<&str>, HashSet<&str>) = (Vec::new(), HashSet::new());
    for message in messages {
        let content = list(&message["content"]);
        known(!content.is_empty(), "messages.content")?;
        match message["role"].as_str() {
            Some("user") => {
                user(content, &waiting)?;
                waiting.clear();
            }
            Some("assistant") => {
                known(waiting.is_empty(), "messages: tool_use without tool_result")?;
                waiting = assistant(content)?;
                known(waiting.iter().all(|id| used.insert(id)), "tool_use.id must be unique")?;
                known(waiting.is_empty() || tools_declared, "tools must be declared")?;
            }
            _ => return Err(wrong("messages.role")),
        }
    }
    Ok(())
}

fn user(content: &[Value], waiting: &[&str]) -> Result<(), Refusal> {
    let is_result = |block: &&Value| block["type"] == "tool_result";
    let leading = content.iter().take_while(is_result).count();
    known(content.iter().filter(is_result).count() == leading, "tool_result must come first")?;
    let mut answered = Vec::new();
    for block in &content[..leading] {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        known(waiting.contains(&id), "tool_result: unexpected tool_use_id")?;
        known(block["content"].is_string(), "tool_result.content")?;
        answered.push(id);
    }
    known(waiting.iter().all(|id| answered.contains(id)), "tool_use without tool_result")?;
    content[leading..].iter().try_for_each(|block| text(block, "messages.content"))
}

fn assistant(content: &[Value]) -> Result<Vec<&str>, Refusal> {
    let mut calls = Vec::new();
    for block in content {
        match block["type"].as_str() {
            Some("text") => text(block, "messages.content")?,
            Some("thinking") => {
                let thinking = block["thinking"].as_str().unwrap_or_default();
                known(block["signature"] == signature(thinking), "thinking: invalid signature")?;
            }
            Some("tool_use") => {
                let id = block["id"].as_str().unwrap_or_default();
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
                known(!id.is_empty() && id.chars().all(plain), "tool_use.id")?;
                known(block["input"].is_object(), "tool_use.input")?;
                calls.push(id);
            }
            _ => return Err(wrong("messages.content.type")),
        }
    }
    Ok(calls)
}

fn text(block: &Value, place: &str) -> Result<(), Refusal> {
    let filled = block["text"].as_str().is_some_and(|t| !t.trim().is_empty());
    known(block["type"] == "text" && filled, &format!("{place}: text must be non-empty"))
}

fn marks(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            usize::from(fields.contains_key("cache_control")) + fields.values().map(marks).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(marks).sum(),
        _ => 0,
    }
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
