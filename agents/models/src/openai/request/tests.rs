#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use pipeline::provider::Endpoint;

use super::*;
use crate::conversation::{Conversation, Message, Opaque, ToolCall, ToolResult, ToolSpec};

fn settings() -> Settings {
    Settings::new(Endpoint::parse("http://127.0.0.1:9").unwrap(), None, "m".into())
}

fn conversation() -> Vec<Message> {
    let call = ToolCall { id: "toolu_01AbC".into(), name: "find".into(), input: json!({ "a": 1 }) };
    let opaque = Some(Opaque { provider: "other".into(), blocks: vec![json!({ "type": "thinking" })] });
    let result = ToolResult { id: "toolu_01AbC".into(), content: "none".into(), is_error: true };
    vec![
        Message::Caller { text: "Hi".into() },
        Message::Agent { text: String::new(), calls: vec![call], opaque },
        Message::Results { results: vec![result] },
        Message::Caller { text: "Well?".into() },
    ]
}

fn written(settings: &Settings) -> Value {
    let tool = ToolSpec { name: "find".into(), description: "d".into(), input: json!({ "type": "object" }) };
    let conversation = Conversation { system: "s".into(), briefing: "b".into(), messages: conversation() };
    let request = Request { conversation: Arc::new(conversation), tools: Arc::new([tool]), max_tokens: 300 };
    serde_json::from_slice(&body(settings, &Learned::default(), &request)).unwrap()
}

#[test]
fn a_body_is_what_the_vendor_documents() {
    let expected = json!({
        "model": "m", "stream": true, "stream_options": { "include_usage": true }, "max_tokens": 300,
        "tools": [{ "type": "function", "function": {
            "name": "find", "description": "d", "parameters": { "type": "object" } } }],
        "messages": [
            { "role": "system", "content": "s\n\nb" },
            { "role": "user", "content": "Hi" },
            { "role": "assistant", "content": null, "tool_calls": [{ "id": "toolu_01AbC", "type": "function",
                "function": { "name": "find", "arguments": "{\"a\":1}" } }] },
            { "role": "tool", "tool_call_id": "toolu_01AbC", "content": "Error: none" },
            { "role": "user", "content": "Well?" },
        ],
    });
    assert_eq!(written(&settings()), expected);
}

#[test]
fn settings_choose_the_token_limits_name_and_the_temperature() {
    let got = written(&Settings { max_completion_tokens: true, temperature: Some(0.5), ..settings() });
    assert_eq!((&got["max_completion_tokens"], got.get("max_tokens")), (&json!(300), None));
    assert_eq!(got["temperature"], json!(0.5));
}

#[test]
fn mistral_gets_ids_of_nine_characters_a_bridge_and_no_stream_options() {
    let got = written(&Settings { mistral: true, ..settings() });
    assert_eq!(got.get("stream_options"), None);
    let messages = got["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "user"]);
    let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()), "{id}");
    assert_eq!(messages[3]["tool_call_id"], id);
}
