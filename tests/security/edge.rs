//! Strangers at the door: sockets that say nothing, requests that never end, webhooks that come again, tokens that were
//! taken back.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tests::caller::{Caller, call_sid, connected_message, webhook};
use tests::gateway::{ADMIN, Doubles, LINE, TestGateway};
use tests::home::Home;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::connect_async;

/// Bytes of headers until the gateway lets go, and how long that took.
async fn until_closed(mut socket: TcpStream, limit: Duration) -> Option<Duration> {
    let began = Instant::now();
    let mut buffer = [0; 1_024];
    let read = async { while socket.read(&mut buffer).await.is_ok_and(|n| n > 0) {} };
    tokio::time::timeout(limit, read).await.ok().map(|()| began.elapsed())
}

async fn dialed(gateway: &TestGateway) -> Value {
    let answer = reqwest::Client::new()
        .post(format!("{}/v1/phone", gateway.base))
        .bearer_auth(ADMIN)
        .json(&json!({ "to": LINE }))
        .send()
        .await
        .unwrap();
    answer.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_sockets_on_the_phones_route_take_no_places_of_calls() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let route = format!("{}/v1/phone/media", gateway.base.replace("http", "ws"));
    // Without a call that is awaited nobody gets in at all.
    let mut held = Vec::new();
    for number in 0..512 {
        let named =
            if number % 2 == 0 { route.clone() } else { format!("{route}?call={}", uuid::Uuid::now_v7()) };
        if let Ok((socket, _)) = connect_async(named).await {
            held.push(socket);
        }
    }
    assert!(held.is_empty(), "{} sockets were let in", held.len());
    // With one, two sockets at a time.
    let invitation = dialed(&gateway).await;
    let address = invitation["stream_url"].as_str().unwrap();
    for _ in 0..16 {
        if let Ok((socket, _)) = connect_async(address).await {
            held.push(socket);
        }
    }
    assert_eq!(held.len(), 2);
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.hang_up().await.unwrap();
    // Who has not said who they are is let go of within five seconds, and some for the close.
    let began = Instant::now();
    for mut socket in held {
        let closed = async { while let Some(Ok(_)) = socket.next().await {} };
        tokio::time::timeout(Duration::from_secs(8), closed).await.expect("the socket is closed");
    }
    assert!(began.elapsed() < Duration::from_secs(8));
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phones_call_goes_through_the_address_it_was_given() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let invitation = dialed(&gateway).await;
    let (mut socket, _) = connect_async(invitation["stream_url"].as_str().unwrap()).await.unwrap();
    let start = json!({"event": "start", "sequenceNumber": "1", "streamSid": invitation["stream_sid"], "start": {
        "accountSid": invitation["account_sid"], "streamSid": invitation["stream_sid"],
        "callSid": invitation["call_sid"], "tracks": ["inbound"],
        "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
        "customParameters": invitation["parameters"]}});
    use futures_util::SinkExt;
    socket.send(tests::caller::text(&connected_message())).await.unwrap();
    socket.send(tests::caller::text(&start)).await.unwrap();
    let first = tokio::time::timeout(Duration::from_secs(5), socket.next()).await.unwrap().unwrap().unwrap();
    assert!(first.to_string().contains("media"), "{first}");
    drop(socket);
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_never_ends_is_let_go_of() {
    let mut doubles = Doubles::default();
    doubles.limits.head = Duration::from_secs(1);
    doubles.limits.body = Duration::from_secs(1);
    let gateway = TestGateway::start(doubles).await.unwrap();
    let address = gateway.base.trim_start_matches("http://").to_owned();
    let limit = Duration::from_secs(6);

    let silent = TcpStream::connect(&address).await.unwrap();
    let mut slow_head = TcpStream::connect(&address).await.unwrap();
    slow_head.write_all(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ").await.unwrap();
    let mut slow_body = TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /v1/guard/sanitize HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {ADMIN}\r\n\
         content-type: application/json\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n{{"
    );
    slow_body.write_all(head.as_bytes()).await.unwrap();
    let mut kept_open = TcpStream::connect(&address).await.unwrap();
    kept_open.write_all(b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").await.unwrap();
    for (what, socket) in
        [("silent", silent), ("slow head", slow_head), ("slow body", slow_body), ("kept open", kept_open)]
    {
        assert!(until_closed(socket, limit).await.is_some(), "{what}: still open after {limit:?}");
    }
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_much_and_reads_nothing_is_let_go_of() {
    let mut doubles = Doubles::default();
    doubles.limits.answer = Duration::from_secs(1);
    let gateway = TestGateway::start(doubles).await.unwrap();
    let address = gateway.base.trim_start_matches("http://").to_owned();
    let one = reqwest::get(format!("{}/openapi.json", gateway.base)).await.unwrap().bytes().await.unwrap();
    // More than the system's buffers of a connection take.
    let asked = 64 * 1024 * 1024 / one.len();
    let mut socket = TcpStream::connect(&address).await.unwrap();
    let request = format!("GET /openapi.json HTTP/1.1\r\nhost: {address}\r\n\r\n").repeat(asked);
    // It may be let go of before all is asked.
    let _ = tokio::time::timeout(Duration::from_secs(3), socket.write_all(request.as_bytes())).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let (mut read, mut buffer) = (0, vec![0; 64 * 1024]);
    let reading = async {
        while let Ok(count @ 1..) = socket.read(&mut buffer).await {
            read += count;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the connection is closed");
    assert!(read < asked * one.len() / 2, "{read} bytes of {}", asked * one.len());
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn event_streams_outlive_the_limits_of_requests() {
    let mut doubles = Doubles::default();
    doubles.limits.head = Duration::from_secs(1);
    doubles.limits.body = Duration::from_secs(1);
    let gateway = TestGateway::start(doubles).await.unwrap();
    let stream = reqwest::Client::new().get(format!("{}/v1/events", gateway.base)).bearer_auth(ADMIN);
    let mut events = stream.send().await.unwrap().bytes_stream();
    let mut seen = String::from_utf8(events.next().await.unwrap().unwrap().to_vec()).unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    let caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    while !seen.contains("call.started") {
        let more = tokio::time::timeout(Duration::from_secs(5), events.next()).await.unwrap();
        seen.push_str(&String::from_utf8_lossy(&more.expect("the stream goes on").unwrap()));
    }
    caller.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_webhook_of_a_call_that_is_over_opens_nothing() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    // While it lasts, the carrier may ask again.
    let (_, twiml) = webhook(&gateway.base, LINE, &sid).await.unwrap();
    assert!(twiml.contains("<Stream"), "{twiml}");
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.hang_up().await.unwrap();
    let path = format!("/v1/calls/{sid}");
    let before = gateway.until(&path, |call| call["state"] == "ended").await.unwrap();
    for _ in 0..3 {
        let (status, twiml) = webhook(&gateway.base, LINE, &sid).await.unwrap();
        assert_eq!(status, 200);
        assert!(twiml.contains("<Hangup") && !twiml.contains("<Stream"), "{twiml}");
    }
    assert_eq!(gateway.get(&path).await.unwrap(), before, "the record is as it was");
    gateway.running.shutdown().await;
}

tests::on_both_back_ends!(what_was_opened_with_a_token_ends_with_it);

async fn what_was_opened_with_a_token_ends_with_it(home: Home) {
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = |path: &str| format!("{}{path}", gateway.base);
    let new = json!({ "name": "wall", "role": "supervisor", "tenant": "riverbend" });
    let made: Value = client
        .post(url("/v1/tokens"))
        .bearer_auth(ADMIN)
        .json(&new)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let secret = made["secret"].as_str().unwrap().to_owned();

    let signed_in = client
        .post(url("/sign-in"))
        .header("origin", &gateway.base)
        .form(&[("token", secret.as_str())])
        .send()
        .await
        .unwrap();
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let me = || client.get(url("/v1/me")).header("cookie", &cookie).send();
    assert_eq!(me().await.unwrap().status(), StatusCode::OK);
    let by_cookie = client.get(url("/v1/events")).header("cookie", &cookie).send().await.unwrap();
    let by_token = client.get(url("/v1/events")).bearer_auth(&secret).send().await.unwrap();
    assert_eq!((by_cookie.status(), by_token.status()), (StatusCode::OK, StatusCode::OK));

    let id = made["id"].as_str().unwrap();
    let revoked = client.delete(url(&format!("/v1/tokens/{id}?tenant=riverbend"))).bearer_auth(ADMIN);
    assert_eq!(revoked.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    let began = Instant::now();
    for stream in [by_cookie, by_token] {
        let mut text = String::new();
        let mut bytes = stream.bytes_stream();
        while let Ok(Some(Ok(more))) = tokio::time::timeout(Duration::from_secs(4), bytes.next()).await {
            text.push_str(&String::from_utf8_lossy(&more));
        }
        assert!(text.contains("event: signed_out"), "{text}");
    }
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    assert_eq!(me().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    gateway.running.shutdown().await;
}

tests::on_both_back_ends!(a_removed_user_is_out_at_once);

async fn a_removed_user_is_out_at_once(home: Home) {
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let url = |path: &str| format!("{}{path}", gateway.base);
    let post = |path: &str, body: Value| {
        let request = client.post(url(path)).bearer_auth(ADMIN).json(&body);
        async move { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let user = post(
        "/v1/users",
        json!({ "login": "ann", "name": "Ann", "role": "supervisor", "tenant": "riverbend" }),
    )
    .await;
    let link = post("/v1/users/links", json!({ "login": "ann" })).await;
    let token = link["url"].as_str().unwrap().split("token=").nth(1).unwrap().to_owned();
    let enter = |token: String| {
        let request = client.post(url("/sign-in")).header("origin", &gateway.base).form(&[("token", token)]);
        async move { request.send().await.unwrap() }
    };
    let signed_in = enter(token).await;
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let second = post("/v1/users/links", json!({ "login": "ann" })).await;
    let events = client.get(url("/v1/events")).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(events.status(), StatusCode::OK);
    let path = format!("/v1/users/{}?tenant=riverbend", user["id"].as_str().unwrap());
    let removed = client.delete(url(&path)).bearer_auth(ADMIN).send().await.unwrap();
    assert_eq!(removed.status(), StatusCode::NO_CONTENT);
    let mut bytes = events.bytes_stream();
    let ends = async { while bytes.next().await.is_some_and(|more| more.is_ok()) {} };
    tokio::time::timeout(Duration::from_secs(3), ends).await.expect("the stream ends");
    let me = client.get(url("/v1/me")).header("cookie", &cookie).send().await.unwrap();
    assert_eq!(me.status(), StatusCode::UNAUTHORIZED);
    let token = second["url"].as_str().unwrap().split("token=").nth(1).unwrap().to_owned();
    assert!(
        enter(token).await.headers()["location"].to_str().unwrap().contains("expired"),
        "a link left over is void"
    );
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn every_error_has_the_standard_body() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let client = reqwest::Client::new();
    let url = |path: &str| format!("{}{path}", gateway.base);
    let requests = [
        client.delete(url("/health")),
        client.post(url("/nowhere")),
        client.put(url("/v1/nowhere")).bearer_auth(ADMIN),
        client.get(url("/v1/nowhere")),
        client.get(url("/twilio/media")),
        client.get(url("/v1/phone/media")),
        client.get(url("/v1/calls")),
        client.post(url("/v1/tokens")).bearer_auth(ADMIN).body("{"),
        client.post(url("/v1/tokens")).bearer_auth(ADMIN).json(&json!({
            "name": "x", "role": "auditor", "tenant": "riverbend", "days": u32::MAX })),
        client.get(url("/v1/calls?limit=x")).bearer_auth(ADMIN),
    ];
    for request in requests {
        let request = request.build().unwrap();
        let what = format!("{} {}", request.method(), request.url().path());
        let answer = client.execute(request).await.unwrap();
        let status = answer.status();
        assert!(status.is_client_error(), "{what}: {status}");
        let body: Value = answer.json().await.unwrap_or_else(|e| panic!("{what}: {status}: {e}"));
        assert!(body["error_code"].is_string() && body["error_message"].is_string(), "{what}: {body}");
    }
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_at_its_bound_hears_that_the_line_is_busy() {
    let mut doubles = Doubles::default();
    doubles.limits.tenant_calls = Some(1);
    doubles.limits.tenant_calls_per_minute = std::num::NonZeroU32::new(3).unwrap();
    let gateway = TestGateway::start(doubles).await.unwrap();
    let mut first = Caller::dial(&gateway.base, LINE).await.unwrap();
    first.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    let mut second = Caller::dial(&gateway.base, LINE).await.unwrap();
    let heard = second.heard.clone();
    let _ = second.silent_until(Duration::from_secs(20), |h| h.closed.is_some()).await;
    assert!(heard.lock().bytes() > 0 && heard.lock().closed.is_some(), "the busy message, and an end");
    first.silent_ms(100).await.unwrap();
    let third = webhook(&gateway.base, LINE, &call_sid()).await.unwrap().1;
    let fourth = webhook(&gateway.base, LINE, &call_sid()).await.unwrap().1;
    assert!(third.contains("<Stream") && !fourth.contains("<Stream"), "{third} {fourth}");
    assert!(fourth.contains("<Say"), "{fourth}");
    first.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}
