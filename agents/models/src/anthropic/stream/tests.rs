#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::*;
use crate::model::Tally;

fn stream() -> (Stream, Tally) {
    let tally = Tally::default();
    (Stream::new(Count::new(NAME, "m".into(), tally.clone())), tally)
}

fn feed(stream: &mut Stream, events: &[Value]) -> Result<Vec<ModelEvent>, Failure> {
    let mut out = Vec::new();
    for event in events {
        stream.event(&Event { name: String::new(), data: event.to_string() }, &mut out)?;
    }
    Ok(out)
}

fn start() -> Value {
    json!({ "type": "message_start", "message": { "id": "msg_1", "usage": {
        "input_tokens": 42, "cache_creation_input_tokens": null, "cache_read_input_tokens": 2_310, "output_tokens": 1
    } } })
}

fn begins(index: u32, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u32, delta: &Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn stops(reason: &str) -> Vec<Value> {
    vec![
        json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": 57 } }),
        json!({ "type": "message_stop" }),
    ]
}

fn amounts(tally: &Tally) -> Vec<(Meter, u64)> {
    let mut all: Vec<_> = tally.usage().into_iter().map(|u| (u.meter, u.amount)).collect();
    all.sort_unstable();
    all
}

#[test]
fn text_and_a_call_come_out_in_order_and_unknown_events_are_passed_over() {
    let (mut stream, tally) = stream();
    let mut events = vec![
        start(),
        begins(0, &json!({ "type": "text", "text": "" })),
        json!({ "type": "ping" }),
        json!({ "type": "brand_new", "index": "odd" }),
        delta(0, &json!({ "type": "text_delta", "text": "Sure, " })),
        delta(0, &json!({ "type": "brand_new_delta" })),
        json!({ "type": "content_block_stop", "index": 0 }),
        begins(1, &json!({ "type": "tool_use", "id": "toolu_1", "name": "find", "input": {} })),
        delta(1, &json!({ "type": "input_json_delta", "partial_json": "{\"phone\":" })),
        delta(1, &json!({ "type": "input_json_delta", "partial_json": "\"5\"}" })),
        json!({ "type": "content_block_stop", "index": 1 }),
        begins(2, &json!({ "type": "tool_use", "id": "toolu_2", "name": "list", "input": {} })),
        json!({ "type": "content_block_stop", "index": 2 }),
    ];
    events.extend(stops("tool_use"));
    let call =
        |id: &str, name: &str, input| ModelEvent::Call(ToolCall { id: id.into(), name: name.into(), input });
    assert_eq!(
        feed(&mut stream, &events).unwrap(),
        [
            ModelEvent::Text("Sure, ".into()),
            call("toolu_1", "find", json!({ "phone": "5" })),
            call("toolu_2", "list", json!({})),
            ModelEvent::Done { stop: Stop::Tools, opaque: None },
        ]
    );
    let (read, input) = ((Meter::CacheReadTokens, 2_310), (Meter::InputTokens, 42));
    assert_eq!(amounts(&tally), [input, read, (Meter::OutputTokens, 57)]);
}

#[test]
fn output_is_estimated_until_the_provider_counts() {
    let (mut stream, tally) = stream();
    let text = json!({ "type": "text_delta", "text": "x".repeat(400) });
    feed(&mut stream, &[start(), begins(0, &json!({ "type": "text", "text": "" })), delta(0, &text)])
        .unwrap();
    assert_eq!(amounts(&tally).last(), Some(&(Meter::OutputTokens, 100)));
    feed(&mut stream, &stops("end_turn")).unwrap();
    assert_eq!(amounts(&tally).last(), Some(&(Meter::OutputTokens, 57)));
}

#[test]
fn stop_reasons_mean_what_to_do_next() {
    let cases = [
        ("end_turn", Stop::End),
        ("stop_sequence", Stop::End),
        ("pause_turn", Stop::End),
        ("max_tokens", Stop::Length),
        ("model_context_window_exceeded", Stop::Length),
        ("refusal", Stop::Refusal),
        ("something_new", Stop::End),
    ];
    for (reason, stop) in cases {
        let out = feed(&mut stream().0, &stops(reason)).unwrap();
        assert_eq!(out, [ModelEvent::Done { stop, opaque: None }], "{reason}");
    }
}

#[test]
fn thoughts_are_not_spoken_and_are_kept_as_they_came() {
    let (mut stream, _) = stream();
    let mut events = vec![
        begins(0, &json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, &json!({ "type": "thinking_delta", "thinking": "hm" })),
        delta(0, &json!({ "type": "signature_delta", "signature": "sig" })),
        begins(1, &json!({ "type": "redacted_thinking", "data": "x" })),
        begins(2, &json!({ "type": "text", "text": "" })),
        delta(2, &json!({ "type": "text_delta", "text": "Yes." })),
    ];
    events.extend(stops("end_turn"));
    let blocks = vec![
        json!({ "type": "thinking", "thinking": "hm", "signature": "sig" }),
        json!({ "type": "redacted_thinking", "data": "x" }),
        json!({ "type": "text", "text": "Yes." }),
    ];
    let opaque = Some(Opaque { provider: NAME.into(), blocks });
    assert_eq!(
        feed(&mut stream, &events).unwrap(),
        [ModelEvent::Text("Yes.".into()), ModelEvent::Done { stop: Stop::End, opaque }]
    );
}

#[test]
fn broken_input_of_a_tool_is_kept_for_the_tool_to_refuse() {
    assert_eq!(input("{\"a\":"), json!("{\"a\":"));
    assert_eq!(input(" "), json!({}));
}

#[test]
fn errors_are_sorted_by_name_then_status_and_show_no_prose() {
    let (mut stream, _) = stream();
    let error =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "for Jane Doe" } });
    let failure = feed(&mut stream, &[error]).unwrap_err();
    assert_eq!(failure, Failure::new(Kind::Overloaded, "in the stream overloaded_error"));
    let refused = |status, body: Value| {
        let retry_after = Some(Duration::from_secs(7));
        let request_id = Some("req_1".into());
        stream.refused(&Refused { status, retry_after, request_id, body: body.to_string().into_bytes() })
    };
    let named = |name: &str| json!({ "type": "error", "error": { "type": name, "message": "for Jane Doe" } });
    let limited = refused(429, named("rate_limit_error"));
    assert_eq!(limited.kind, Kind::RateLimited { retry_after: Some(Duration::from_secs(7)) });
    assert_eq!(limited.detail, "status 429 rate_limit_error (request req_1)");
    for (status, name, kind) in [
        (500, "overloaded_error", Kind::Overloaded),
        (500, "api_error", Kind::Server),
        (504, "timeout_error", Kind::Server),
        (401, "authentication_error", Kind::Unauthorised),
        (402, "billing_error", Kind::Unauthorised),
        (403, "permission_error", Kind::Unauthorised),
        (404, "not_found_error", Kind::Refused),
        (413, "request_too_large", Kind::Refused),
        (529, "", Kind::Overloaded),
        (502, "", Kind::Server),
    ] {
        assert_eq!(refused(status, named(name)).kind, kind, "{status} {name}");
    }
    assert_eq!(refused(502, json!("<html>")).detail, "status 502 (request req_1)");
}

#[test]
fn what_is_none_of_their_events_is_garbage() {
    for data in ["", "{", "[]", "{\"type\":\"content_block_delta\"}", "hello"] {
        let event = Event { name: "content_block_delta".into(), data: data.into() };
        let result = stream().0.event(&event, &mut Vec::new());
        assert_eq!(result.map_err(|f| f.kind), Err(Kind::Garbage), "{data}");
    }
}

#[test]
fn a_close_after_the_stop_reason_is_an_end_and_before_it_is_none() {
    let (mut early, mut out) = (stream().0, Vec::new());
    feed(&mut early, &[start()]).unwrap();
    assert!(!early.ended(&mut out) && out.is_empty());
    let mut late = stream().0;
    feed(&mut late, &stops("end_turn")[..1]).unwrap();
    assert!(late.ended(&mut out));
    assert_eq!(out, [ModelEvent::Done { stop: Stop::End, opaque: None }]);
}
