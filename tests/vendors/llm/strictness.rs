//! The simulated vendors refuse what the real ones refuse; else a test against them would show nothing.

use reqwest::Client;
use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::model::Script;
use tests::vendors::openai::{Habits, OpenAiServer};

use super::*;

fn good() -> Value {
    json!({ "model": "m", "max_tokens": 10, "messages": [{ "role": "user", "content": [text("Hi")] }] })
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn with(field: &str, value: Value) -> Value {
    let mut request = good();
    request[field] = value;
    request
}

fn messages(extra: Vec<Value>) -> Value {
    let first = json!({ "role": "user", "content": [text("Hi")] });
    let mut request = with("messages", Value::Array([vec![first], extra].concat()));
    request["tools"] = json!([{ "name": "find", "description": "", "input_schema": { "type": "object" } }]);
    request
}

fn said(role: &str, content: Value) -> Value {
    json!({ "role": role, "content": content })
}

#[tokio::test]
async fn the_simulated_anthropic_refuses_what_the_vendor_refuses() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let post = async |key: &str, version: &str, body: &Value| {
        let url = format!("{}/v1/messages", server.base());
        let request = Client::new().post(url).header("x-api-key", key).header("anthropic-version", version);
        let response = request.body(body.to_string()).send().await.unwrap();
        response.status().as_u16()
    };
    let (new, old) = ("2026-10-21", "2023-06-01");
    assert_eq!(post(claude::KEY, new, &good()).await, 200);
    assert_eq!(post("wrong", new, &good()).await, 401);
    assert_eq!(post(claude::KEY, "2022-01-01", &good()).await, 400);
    for field in ["temperature", "top_p", "top_k"] {
        assert_eq!(post(claude::KEY, new, &with(field, json!(1))).await, 400, "{field}");
        assert_eq!(post(claude::KEY, old, &with(field, json!(1))).await, 200, "{field}");
    }
    let call = |id: &str| json!([{ "type": "tool_use", "id": id, "name": "find", "input": {} }]);
    let result = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": "x" });
    let round = |content: Value| messages(vec![said("assistant", call("t1")), said("user", content)]);
    assert_eq!(post(claude::KEY, new, &round(json!([result("t1"), text("so")]))).await, 200);
    let forged = json!([{ "type": "thinking", "thinking": "x", "signature": "forged" }, text("so")]);
    let mark = json!({ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } });
    for (what, request) in [
        ("missing result", round(json!([text("so")]))),
        ("unknown id", round(json!([result("t1"), result("t2")]))),
        ("result after text", round(json!([text("so"), result("t1")]))),
        ("prefill", messages(vec![said("assistant", json!([text("so")]))])),
        ("odd id", messages(vec![said("assistant", call("a:b")), said("user", json!([result("a:b")]))])),
        (
            "first not user",
            with(
                "messages",
                json!([said("assistant", json!([text("x")])), said("user", json!([text("x")]))]),
            ),
        ),
        ("empty text", messages(vec![said("user", json!([text(" ")]))])),
        ("forged thought", messages(vec![said("assistant", forged), said("user", json!([text("x")]))])),
        ("five marks", with("system", json!([mark, mark, mark, mark, mark]))),
        ("unknown field", with("max_completion_tokens", json!(5))),
    ] {
        assert_eq!(post(claude::KEY, new, &request).await, 400, "{what}");
    }
}

#[tokio::test]
async fn the_simulated_chat_server_refuses_what_the_vendors_refuse() {
    let post = async |habits: &Habits, key: &str, body: &Value| {
        let server = OpenAiServer::like(habits.clone(), Pace::QUICK, |_| Script::say("Yes.")).await;
        let url = format!("{}/v1/chat/completions", server.base());
        let request = Client::new().post(url).header("authorization", format!("Bearer {key}"));
        request.body(body.to_string()).send().await.unwrap().status().as_u16()
    };
    let (open, mistral) = (Habits::default(), Habits { mistral: true, ..Habits::default() });
    let chat = |extra: Vec<Value>| {
        let first = json!({ "role": "user", "content": "Hi" });
        json!({ "model": "m", "max_tokens": 10, "messages": ([vec![first], extra].concat()) })
    };
    let call = |id: &str| {
        json!({ "role": "assistant", "content": null, "tool_calls": [
            { "id": id, "type": "function", "function": { "name": "find", "arguments": "{}" } }] })
    };
    let result = |id: &str| json!({ "role": "tool", "tool_call_id": id, "content": "x" });
    let user = || json!({ "role": "user", "content": "so" });
    assert_eq!(post(&open, chat::KEY, &chat(vec![])).await, 200);
    assert_eq!(post(&open, "wrong", &chat(vec![])).await, 401);
    assert_eq!(post(&open, chat::KEY, &chat(vec![call("c1"), result("c1"), user()])).await, 200);
    assert_eq!(post(&mistral, chat::KEY, &chat(vec![call("abcdefgh1"), result("abcdefgh1")])).await, 200);
    for (what, habits, request) in [
        ("missing result", &open, chat(vec![call("c1"), user()])),
        ("unknown id", &open, chat(vec![call("c1"), result("c2")])),
        ("mistral's ids", &mistral, chat(vec![call("c1"), result("c1")])),
        ("mistral's order", &mistral, chat(vec![call("abcdefgh1"), result("abcdefgh1"), user()])),
        ("user twice", &open, chat(vec![user()])),
    ] {
        assert_eq!(post(habits, chat::KEY, &request).await, 400, "{what}");
    }
    let mut counted = chat(vec![]);
    counted["stream_options"] = json!({ "include_usage": true });
    assert_eq!(post(&mistral, chat::KEY, &counted).await, 422);
}
