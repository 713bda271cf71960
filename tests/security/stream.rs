//! What a media socket may not do.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::caller::{
    Caller, Socket, StreamOrder, connected_message, media_message, order, start_message, text,
};
use tests::gateway::{Doubles, LINE, TestGateway};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

const SID: &str = "MZ00000000000000000000000000000001";

/// Sends messages on a fresh socket; the gateway's close code (`None`: it went away without one).
async fn close_code(order: &StreamOrder, messages: Vec<Message>) -> Option<u16> {
    let (mut socket, _) = connect_async(&order.url).await.unwrap();
    for message in messages {
        if socket.send(message).await.is_err() {
            break;
        }
    }
    read_close(&mut socket).await
}

async fn read_close(socket: &mut Socket) -> Option<u16> {
    timeout(Duration::from_secs(20), async {
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Close(frame) = message {
                return frame.map(|f| f.code.into());
            }
        }
        None
    })
    .await
    .expect("the gateway closes the socket")
}

fn greeting(order: &StreamOrder) -> Vec<Message> {
    vec![text(&connected_message()), text(&start_message(order, SID))]
}

/// A call that runs all the while, to see that it is not touched.
async fn bystander(gateway: &TestGateway) -> Caller {
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller
}

async fn still_served(mut caller: Caller) {
    caller.silent_until_quiet(Duration::from_millis(100), Duration::from_secs(10)).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.speak_ms(800).await.unwrap();
    caller.silent_until(Duration::from_secs(4), |h| h.bytes() > before).await.unwrap();
    caller.hang_up().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_without_a_good_token_is_closed() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let other = bystander(&gateway).await;
    let good = order(&gateway.base, LINE).await.unwrap();
    let name = good.parameters.keys().next().unwrap().clone();

    let mut without = good.clone();
    without.parameters.clear();
    assert_eq!(close_code(&without, greeting(&without)).await, Some(1008), "no token");

    let mut forged = good.clone();
    let token = forged.parameters.get_mut(&name).unwrap();
    let flipped = if token.ends_with('A') { "B" } else { "A" };
    token.replace_range(token.len() - 1.., flipped);
    assert_eq!(close_code(&forged, greeting(&forged)).await, Some(1008), "forged token");

    let stolen = StreamOrder { call_sid: tests::caller::call_sid(), ..good.clone() };
    assert_eq!(close_code(&stolen, greeting(&stolen)).await, Some(1008), "token of another call");
    still_served(other).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replayed_token_is_refused_and_the_running_stream_untouched() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let good = order(&gateway.base, LINE).await.unwrap();
    let mut running = Caller::open(good.clone()).await.unwrap();
    running.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    assert_eq!(close_code(&good, greeting(&good)).await, Some(1008));
    still_served(running).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn breaking_the_protocol_ends_that_stream_alone() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let other = bystander(&gateway).await;
    let frame = media_message(SID, 1, &[0xFF; 160]);
    let huge = json!({"event": "media", "streamSid": SID, "media": {"payload": "A".repeat(100_000)}});
    let base64 = json!({"event": "media", "streamSid": SID, "media": {"payload": "%%%%"}});
    let cases: Vec<(&str, bool, Message)> = vec![
        ("media before start", false, text(&frame)),
        ("binary", false, Message::binary(vec![1, 2, 3])),
        ("not JSON", false, Message::text("hello")),
        ("binary in mid-call", true, Message::binary(vec![0; 160])),
        ("bad base64", true, text(&base64)),
        ("a message too large", true, text(&huge)),
        ("not JSON in mid-call", true, Message::text("{\"event\":")),
    ];
    for (what, started, message) in cases {
        let fresh = order(&gateway.base, LINE).await.unwrap();
        let mut messages = if started { greeting(&fresh) } else { Vec::new() };
        messages.push(message);
        let code = close_code(&fresh, messages).await;
        assert!(matches!(code, Some(1003 | 1007 | 1008 | 1009) | None), "{what}: {code:?}");
    }
    let fresh = order(&gateway.base, LINE).await.unwrap();
    let mut twice = greeting(&fresh);
    twice.push(text(&start_message(&fresh, SID)));
    assert!(matches!(close_code(&fresh, twice).await, Some(1008)), "start twice");
    gateway.until("/v1/calls?state=live", |c| c["items"].as_array().unwrap().len() == 1).await.unwrap();
    still_served(other).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_but_harmless_messages_are_tolerated() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let mut caller = bystander(&gateway).await;
    let sid = caller.stream_sid.clone();
    let odd = [
        json!({"event": "surprise", "streamSid": sid, "anything": [1, 2, 3]}),
        json!({"event": "mark", "streamSid": sid, "mark": {"name": "never sent"}}),
        json!({"event": "media", "streamSid": sid, "sequenceNumber": 900, "media": {
            "track": "inbound", "chunk": 700, "timestamp": 20, "payload": "/////w==", "extra": true}}),
        json!({"event": "media", "streamSid": sid, "media": {"track": "outbound", "payload": "/////w=="}}),
    ];
    for message in &odd {
        caller.send(message).await.unwrap();
    }
    still_served(caller).await;
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_who_does_not_read_holds_nobody_up_and_leaves_nothing_behind() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let other = bystander(&gateway).await;
    let fresh = order(&gateway.base, LINE).await.unwrap();
    let (mut deaf, _) = connect_async(&fresh.url).await.unwrap();
    for message in greeting(&fresh) {
        deaf.send(message).await.unwrap();
    }
    // Never reads; speaks a little and goes silent for ever.
    for n in 0..30 {
        deaf.send(text(&media_message(SID, n, &[0x10; 160]))).await.unwrap();
    }
    still_served(other).await;
    drop(deaf);
    gateway.until("/v1/calls?state=live", |c| c["items"].as_array().unwrap().is_empty()).await.unwrap();
    gateway.running.shutdown().await;
}

/// Something that a broken or hostile peer might send.
fn any_message() -> impl Strategy<Value = Message> {
    let field = prop_oneof![
        Just(json!(null)),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,40}".prop_map(Value::from),
        Just(json!({"payload": "AAAA"})),
        Just(json!({"payload": 7})),
        Just(json!([])),
    ];
    let event =
        prop::sample::select(vec!["connected", "start", "media", "dtmf", "mark", "stop", "clear", ""]);
    prop_oneof![
        4 => (event, field.clone(), field.clone(), field).prop_map(|(event, a, b, c)| {
            text(&json!({"event": event, "streamSid": SID, "media": a, "mark": b, "start": c, "dtmf": a}))
        }),
        2 => "[ -~]{0,200}".prop_map(Message::text),
        1 => prop::collection::vec(any::<u8>(), 0..300).prop_map(Message::binary),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_messages_on_the_wire_hurt_nobody() {
    let mut doubles = Doubles::default();
    doubles.limits.max_calls = Some(64);
    let gateway = TestGateway::start(doubles).await.unwrap();
    let other = bystander(&gateway).await;
    let mut runner = TestRunner::deterministic();
    let strategy = any_message();
    let mut sent = 0;
    while sent < 10_000 {
        let fresh = order(&gateway.base, LINE).await.unwrap();
        let (mut socket, _) = connect_async(&fresh.url).await.unwrap();
        let started = sent % 3 != 0;
        for message in if started { greeting(&fresh) } else { Vec::new() } {
            let _ = socket.send(message).await;
        }
        // A stream lives until its first breach, so most of these find a closing socket; the ten thousand that all
        // reach the parser are a property test beside it, in telephony.
        for _ in 0..100 {
            sent += 1;
            let message = strategy.new_tree(&mut runner).unwrap().current();
            if socket.send(message).await.is_err() {
                break;
            }
        }
    }
    gateway.until("/v1/calls?state=live", |c| c["items"].as_array().unwrap().len() == 1).await.unwrap();
    still_served(other).await;
    gateway.running.shutdown().await;
}
