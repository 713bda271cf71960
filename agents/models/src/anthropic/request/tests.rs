#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use pipeline::provider::Endpoint;
use secrecy::SecretString;
use serde_json::Map;

use super::*;
use crate::conversation::{Conversation, Message, ToolCall, ToolResult};

fn settings() -> Settings {
    let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
    Settings::new(endpoint, SecretString::from("k"), "m".into())
}

fn caller(text: &str) -> Message {
    Message::Caller { text: text.into() }
}

fn request(messages: Vec<Message>, tools: &[&'static str]) -> Request {
    let spec = |name: &&'static str| ToolSpec {
        name: (*name).into(),
        description: "d".into(),
        input: json!({ "type": "object" }),
    };
    Request {
        conversation: Arc::new(Conversation { system: "s".into(), briefing: "b".into(), messages }),
        tools: tools.iter().map(spec).collect(),
        max_tokens: 300,
    }
}

fn written(request: &Request) -> Value {
    serde_json::from_slice(&body(&settings(), request)).unwrap()
}

#[test]
fn a_body_is_what_the_vendor_documents() {
    let got = written(&request(vec![caller("Hi"), caller("there")], &["find", "book"]));
    let mark = json!({ "type": "ephemeral" });
    let expected = json!({
        "model": "m", "max_tokens": 300, "stream": true,
        "system": [{ "type": "text", "text": "s", "cache_control": mark }, { "type": "text", "text": "b" }],
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "Hi" }, { "type": "text", "text": "there" }] }],
        "tools": [
            { "name": "find", "description": "d", "input_schema": { "type": "object" } },
            { "name": "book", "description": "d", "input_schema": { "type": "object" }, "cache_control": mark },
        ],
        "thinking": { "type": "disabled" },
    });
    assert_eq!(got, expected);
}

#[test]
fn effort_is_sent_and_thinking_left_out_when_so_configured() {
    let settings = Settings { effort: Some("low".into()), thinking: Thinking::Omit, ..settings() };
    let got: Value = serde_json::from_slice(&body(&settings, &request(vec![], &[]))).unwrap();
    assert_eq!(got["output_config"], json!({ "effort": "low" }));
    assert_eq!(got.get("thinking"), None);
}

#[test]
fn a_cache_write_is_the_same_prefix_with_no_tokens_and_no_stream() {
    let request = request(vec![caller("Hi")], &["find"]);
    let mut got: Map<String, Value> = serde_json::from_slice(&cache_write(&settings(), &request)).unwrap();
    assert_eq!((got.remove("max_tokens"), got.remove("stream")), (Some(json!(0)), None));
    let mut streamed = written(&request);
    let all = streamed.as_object_mut().unwrap();
    all.remove("max_tokens");
    all.remove("stream");
    assert_eq!(Value::Object(got), streamed);
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "find".into(), input: json!({ "a": 1 }) }
}

fn signed() -> Opaque {
    let blocks = vec![
        json!({ "type": "thinking", "thinking": "hm", "signature": "s" }),
        json!({ "type": "text", "text": "Let me see." }),
        json!({ "type": "redacted_thinking", "data": "x" }),
        json!({ "type": "tool_use", "id": "t1", "name": "find", "input": { "a": 1 } }),
    ];
    Opaque { provider: NAME.into(), blocks }
}

fn agent_content(text: &str, opaque: Opaque) -> Value {
    let agent = Message::Agent { text: text.into(), calls: vec![call("t1")], opaque: Some(opaque) };
    let results = Message::Results {
        results: vec![ToolResult { id: "t1".into(), content: "c".into(), is_error: true }],
    };
    let got = written(&request(vec![caller("Hi"), agent, results], &["find"]));
    assert_eq!(
        got["messages"][2]["content"][0],
        json!({ "type": "tool_result", "tool_use_id": "t1", "content": "c", "is_error": true })
    );
    got["messages"][1]["content"].clone()
}

#[test]
fn signed_thoughts_go_back_as_they_came_or_first_and_never_to_another_vendor() {
    assert_eq!(agent_content("Let me see.", signed()), Value::Array(signed().blocks));
    let kinds = |content: Value| -> Vec<String> {
        content.as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap().to_owned()).collect()
    };
    let cut = kinds(agent_content("Let me", signed()));
    assert_eq!(cut, ["thinking", "redacted_thinking", "text", "tool_use"]);
    let foreign = kinds(agent_content("Let me see.", Opaque { provider: "other".into(), ..signed() }));
    assert_eq!(foreign, ["text", "tool_use"]);
}

#[test]
fn tools_called_earlier_are_declared_and_none_may_be_called_when_none_is_offered() {
    let agent = Message::Agent { text: String::new(), calls: vec![call("t1"), call("t2")], opaque: None };
    let got = written(&request(vec![caller("Hi"), agent], &[]));
    assert_eq!(got["tools"].as_array().unwrap().len(), 1);
    assert_eq!(got["tool_choice"], json!({ "type": "none" }));
}

#[test]
fn a_long_history_is_marked_before_the_callers_newest_words_and_a_short_one_is_not() {
    let marks = |messages: Vec<Message>| -> Vec<(usize, usize)> {
        let got = written(&request(messages, &["find"]));
        let messages = got["messages"].as_array().unwrap().clone();
        let blocks = messages.iter().enumerate().flat_map(|(m, message)| {
            let content = message["content"].as_array().unwrap().clone();
            content.into_iter().enumerate().map(move |(b, block)| (m, b, block))
        });
        blocks.filter(|(_, _, block)| block.get("cache_control").is_some()).map(|(m, b, _)| (m, b)).collect()
    };
    let agent = |text: &str| Message::Agent { text: text.into(), calls: vec![], opaque: None };
    assert_eq!(marks(vec![caller("Hi"), agent("Yes"), caller("x")]), []);
    assert_eq!(marks(vec![caller("Hi"), agent(&"y".repeat(3_000)), caller("x")]), [(1, 0)]);
    let asked = Message::Agent { text: String::new(), calls: vec![call("t1"), call("t2")], opaque: None };
    assert_eq!(marks(vec![caller(&"y".repeat(3_000)), asked]), [(2, 1)]);
}

#[test]
fn two_turns_share_every_byte_up_to_the_newest_words() {
    let (first, agent) = (caller("Hi"), Message::Agent { text: "Yes?".into(), calls: vec![], opaque: None });
    let one = body(&settings(), &request(vec![first.clone()], &["find"]));
    let two = body(&settings(), &request(vec![first, agent, caller("Bins")], &["find"]));
    let (one, two) = (String::from_utf8(one).unwrap(), String::from_utf8(two).unwrap());
    let shared = one.find("]}],\"thinking\"").unwrap();
    assert_eq!(one[..shared], two[..shared], "tools, system and the first message");
}
