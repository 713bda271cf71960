#![allow(clippy::unwrap_used)]

use std::time::Duration;

use serde_json::json;

use super::super::NAME;
use super::*;
use crate::conversation::ToolCall;
use crate::model::Tally;

fn stream() -> (Stream, Tally) {
    let tally = Tally::default();
    (Stream::new(Count::new(NAME, "m".into(), tally.clone())), tally)
}

fn feed(stream: &mut Stream, chunks: &[Value]) -> Result<Vec<ModelEvent>, Failure> {
    let mut out = Vec::new();
    for chunk in chunks {
        let data = chunk.as_str().map_or_else(|| chunk.to_string(), str::to_owned);
        stream.event(&Event { name: String::new(), data }, &mut out)?;
    }
    Ok(out)
}

fn delta(delta: &Value) -> Value {
    json!({ "id": "c1", "object": "chat.completion.chunk", "usage": null,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
}

fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

fn text(text: &str) -> ModelEvent {
    ModelEvent::Text(text.into())
}

fn done(stop: Stop) -> ModelEvent {
    ModelEvent::Done { stop, opaque: None }
}

fn amounts(tally: &Tally) -> Vec<(Meter, u64)> {
    let mut all: Vec<_> = tally.usage().into_iter().map(|u| (u.meter, u.amount)).collect();
    all.sort_unstable();
    all
}

#[test]
fn text_calls_and_usage_are_read_and_cached_tokens_counted_once() {
    let (mut stream, tally) = stream();
    let chunks = [
        delta(&json!({ "role": "assistant", "content": "" })),
        delta(&json!({ "content": "Sure", "obfuscation": "xx" })),
        delta(&json!({ "content": null, "tool_calls": [
            { "index": 0, "id": "call_1", "type": "function", "function": { "name": "find", "arguments": "" } }] })),
        delta(&json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "{\"n\":1}" } }] })),
        finish("tool_calls"),
        json!({ "choices": [], "usage": { "prompt_tokens": 812, "completion_tokens": 34,
            "prompt_tokens_details": { "cached_tokens": 800 } } }),
        json!("[DONE]"),
    ];
    let call = ToolCall { id: "call_1".into(), name: "find".into(), input: json!({ "n": 1 }) };
    assert_eq!(
        feed(&mut stream, &chunks).unwrap(),
        [text("Sure"), ModelEvent::Call(call), done(Stop::Tools)]
    );
    assert_eq!(
        amounts(&tally),
        [(Meter::InputTokens, 12), (Meter::CacheReadTokens, 800), (Meter::OutputTokens, 34)]
    );
}

#[test]
fn usage_without_details_and_without_choices_is_read() {
    let (mut stream, tally) = stream();
    feed(&mut stream, &[json!({ "usage": { "prompt_tokens": 10, "completion_tokens": 3 } })]).unwrap();
    assert_eq!(amounts(&tally), [(Meter::InputTokens, 10), (Meter::OutputTokens, 3)]);
}

#[test]
fn a_stop_beside_a_whole_call_waits_for_the_tools() {
    let whole = json!({ "choices": [{ "delta": { "tool_calls": [
        { "function": { "name": "find", "arguments": { "n": 1 } } }] }, "finish_reason": "stop" }] });
    let out = feed(&mut stream().0, &[whole, json!("[DONE]")]).unwrap();
    assert!(matches!(&out[0], ModelEvent::Call(call) if call.input == json!({ "n": 1 })), "{out:?}");
    assert_eq!(out[1], done(Stop::Tools));
}

#[test]
fn thoughts_are_never_spoken() {
    let chunks = [
        delta(&json!({ "reasoning_content": "They want" })),
        delta(&json!({ "reasoning": "the bins" })),
        delta(&json!({ "content": "<think>hm</think>\n\nMon" })),
        delta(
            &json!({ "content": [{ "type": "thinking", "thinking": [] }, { "type": "text", "text": "day." }] }),
        ),
        finish("stop"),
        json!("[DONE]"),
    ];
    assert_eq!(feed(&mut stream().0, &chunks).unwrap(), [text("Mon"), text("day."), done(Stop::End)]);
}

#[test]
fn finish_reasons_mean_what_to_do_next() {
    for (reason, stop) in
        [("stop", Stop::End), ("length", Stop::Length), ("content_filter", Stop::Refusal), ("eos", Stop::End)]
    {
        let out = feed(&mut stream().0, &[finish(reason), json!("[DONE]")]).unwrap();
        assert_eq!(out, [done(stop)], "{reason}");
    }
}

#[test]
fn a_close_without_the_last_line_is_an_end_only_after_a_finish_reason() {
    let (mut early, mut out) = (stream().0, Vec::new());
    feed(&mut early, &[delta(&json!({ "content": "Sure" }))]).unwrap();
    assert!(!early.ended(&mut out) && out.is_empty());
    let mut late = stream().0;
    feed(&mut late, &[finish("stop")]).unwrap();
    assert!(late.ended(&mut out));
    assert_eq!(out, [done(Stop::End)]);
}

#[test]
fn errors_in_the_stream_are_known_in_every_form() {
    for (error, kind, detail) in [
        (
            json!({ "error": { "message": "for Jane", "type": "server_error", "code": null } }),
            Kind::Server,
            "in the stream server_error",
        ),
        (json!({ "error": { "message": "for Jane", "code": 503 } }), Kind::Overloaded, "in the stream 503"),
        (
            json!({ "object": "error", "message": "for Jane", "type": "BadRequestError", "code": 400 }),
            Kind::Refused,
            "in the stream BadRequestError",
        ),
        (json!({ "error": "for Jane" }), Kind::Server, "in the stream"),
    ] {
        assert_eq!(
            feed(&mut stream().0, std::slice::from_ref(&error)).unwrap_err(),
            Failure::new(kind, detail),
            "{error}"
        );
    }
}

#[test]
fn refusals_are_sorted_by_status_and_an_empty_account_is_no_limit() {
    let refused = |status, body: Value| {
        let body = body.to_string().into_bytes();
        let retry_after = Some(Duration::from_secs(7));
        stream().0.refused(&Refused { status, retry_after, request_id: Some("req_1".into()), body })
    };
    let limited = refused(
        429,
        json!({ "error": { "message": "for Jane", "type": "tokens", "code": "rate_limit_exceeded" } }),
    );
    assert_eq!(limited.kind, Kind::RateLimited { retry_after: Some(Duration::from_secs(7)) });
    assert_eq!(limited.detail, "status 429 tokens (request req_1)");
    let broke =
        refused(429, json!({ "error": { "type": "insufficient_quota", "code": "insufficient_quota" } }));
    assert_eq!(broke.kind, Kind::Unauthorised);
    let loading =
        refused(503, json!({ "error": { "message": "Loading model", "type": "unavailable_error" } }));
    assert_eq!(loading.kind, Kind::Overloaded);
    assert_eq!(refused(400, json!({ "object": "error", "message": "x" })).kind, Kind::Refused);
    assert_eq!(
        refused(500, json!({ "error": "for Jane" })),
        Failure::new(Kind::Server, "status 500 (request req_1)")
    );
}

#[test]
fn what_is_none_of_their_chunks_is_garbage() {
    for data in ["", "{", "7", "null", "{\"choices\":7}", "DONE"] {
        let event = Event { name: String::new(), data: data.into() };
        let result = stream().0.event(&event, &mut Vec::new());
        assert_eq!(result.map_err(|f| f.kind), Err(Kind::Garbage), "{data}");
    }
}
