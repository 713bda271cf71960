//! Calls from webhook to record, with the carrier's side played by `caller`.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use reqwest::Client;
use secrecy::SecretString;
use serde_json::{Value, json};
use telephony::media::{AudioFrame, FRAME_BYTES, StreamStart};
use telephony::twilio::client::StreamWriter;
use telephony::twilio::form;
use tokio_tungstenite::tungstenite::Message;

use crate::auth::secrets;
use crate::simulated::TestGateway;
use caller::follow::follow;
use caller::leg::{self, Outcome};
use caller::order::{self, Order};
use caller::script::{Act, Opening, Patience, Script};
use telephony::call_status::VoiceRequest;

pub(super) const ADMIN: &str = "an-admin-token-of-the-test";
pub(super) const SPEECH: AudioFrame = AudioFrame([0x18; FRAME_BYTES]);

pub(super) struct Placed {
    pub url: String,
    pub start: StreamStart,
}

pub(super) async fn place(test: &TestGateway, call_sid: &str) -> Placed {
    let request = VoiceRequest {
        call_sid: call_sid.to_owned(),
        account_sid: "AC1".to_owned(),
        from: Some("+12025550143".to_owned()),
        to: "+12025550100".to_owned(),
    };
    let answer =
        Client::new().post(test.url("/twilio/voice")).form(&form::ringing(&request)).send().await.unwrap();
    let order = order::read(&answer.text().await.unwrap()).unwrap();
    let Order::Stream { url, parameters } = order else { panic!("{order:?}") };
    let stream_sid = format!("MZ{}", secrets::random_hex(16));
    Placed {
        url,
        start: StreamStart {
            stream_sid,
            call_sid: call_sid.to_owned(),
            account_sid: "AC1".to_owned(),
            parameters,
        },
    }
}

fn script() -> Script {
    let patience = Patience { gap_ms: 300, quiet_ms: 500, answer_ms: 4_000, hangup_after_ms: None };
    Script::new(vec![Act::Say(vec![SPEECH; 40])], Opening::AfterGreeting, patience)
}

async fn call(test: &TestGateway, call_sid: &str) -> Outcome {
    let placed = place(test, call_sid).await;
    leg::talk(&placed.url, None, placed.start, script()).await.unwrap()
}

pub(super) async fn get(test: &TestGateway, path: &str) -> Value {
    Client::new().get(test.url(path)).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap()
}

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

/// Waits until the call's record is closed.
pub(super) async fn ended(test: &TestGateway, call_sid: &str) -> Value {
    for _ in 0..100 {
        let item = get(test, &format!("/v1/calls/{call_sid}")).await;
        if item["state"] == "ended" {
            return item;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the call did not end");
}

/// What is on the audit about a call, newest first, once the action is: calls do not wait for their notes.
pub(super) async fn noted(test: &TestGateway, id: &str, action: &str) -> Value {
    for _ in 0..100 {
        let audit = get(test, &format!("/v1/audit?subject={id}")).await;
        if audit["items"].as_array().unwrap().iter().any(|entry| entry["action"] == action) {
            return audit;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{action} did not come onto the audit");
}

#[tokio::test]
async fn a_call_is_answered_heard_recorded_and_followed_without_personal_data() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000010";
    let token = SecretString::from(ADMIN);
    let mut events = follow(&Client::new(), &test.url(""), &token, None, sid.to_owned()).await.unwrap();
    let outcome = call(&test, sid).await;
    assert!(outcome.greeting_ms >= 300, "{}", outcome.greeting_ms);
    assert!(outcome.answers[0].heard_ms >= 300, "{:?}", outcome.answers);

    let item = ended(&test, sid).await;
    assert_eq!(item["from"], "⟨phone:1⟩");
    assert_eq!(item["end_reason"], "caller_hung_up");
    let transcript = get(&test, &format!("/v1/calls/{sid}/transcript")).await;
    let texts: Vec<_> =
        transcript["turns"].as_array().unwrap().iter().map(|t| t["text"].as_str().unwrap()).collect();
    assert!(texts.contains(&"call me at ⟨phone:1⟩"), "{texts:?}");
    let latency = get(&test, &format!("/v1/calls/{sid}/latency")).await;
    assert!(latency["turns"][0]["total_ms"].is_number(), "{latency}");

    let mut names = Vec::new();
    while let Some(event) = events.recv().await {
        assert!(!event.data.to_string().contains("5550143"), "{}", event.data);
        names.push(event.name.clone());
        if event.name == "call.ended" {
            break;
        }
    }
    for name in ["call.started", "call.turn.final", "call.reply.segment", "call.reply.heard", "call.latency"]
    {
        assert!(names.iter().any(|n| n == name), "{name}: {names:?}");
    }
    assert!(test.gateway.app.live.is_empty());
    let audit = noted(&test, item["id"].as_str().unwrap(), "call.ended").await;
    let entries: Vec<_> =
        audit["items"].as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    assert!(entries.contains(&"call.guard"), "{entries:?}");
    assert_eq!((entries.last(), entries.first()), (Some(&"call.started"), Some(&"call.ended")));
    assert_eq!(audit["items"][0]["trace_id"], item["id"].as_str().unwrap().replace('-', ""));
    assert_eq!(get(&test, "/v1/audit/verify").await["whole"], true);
}

#[tokio::test]
async fn a_replayed_token_is_refused_and_the_running_call_goes_on() {
    let test = gateway().await;
    let placed = place(&test, "CA00000000000000000000000000000011").await;
    let (url, start) = (placed.url.clone(), placed.start.clone());
    let running = tokio::spawn(async move { leg::talk(&url, None, start, script()).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let thief = leg::talk(&placed.url, None, placed.start, script()).await.unwrap();
    let closed = thief.closed.unwrap();
    assert_eq!(closed.code, 1008, "{closed:?}");
    assert_eq!(thief.greeting_ms, 0);
    let outcome = running.await.unwrap();
    assert!(outcome.answers[0].heard_ms > 0);
}

#[tokio::test]
async fn a_fresh_token_for_the_same_call_replaces_the_older_stream() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000012";
    let first = place(&test, sid).await;
    let older =
        tokio::spawn(async move { leg::talk(&first.url, None, first.start, script()).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let newer = call(&test, sid).await;
    assert!(newer.answers[0].heard_ms > 0);
    let older = older.await.unwrap();
    assert_eq!(older.closed.unwrap().code, 1000);
    assert_eq!(ended(&test, sid).await["end_reason"], "caller_hung_up");
    let calls = get(&test, "/v1/calls").await;
    assert_eq!(calls["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_supervisor_hangs_up_and_the_carrier_is_told_to_as_well() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000013";
    let placed = place(&test, sid).await;
    let running =
        tokio::spawn(async move { leg::talk(&placed.url, None, placed.start, script()).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let asked = Client::new()
        .post(test.url(&format!("/v1/calls/{sid}/hangup")))
        .bearer_auth(ADMIN)
        .send()
        .await
        .unwrap();
    assert_eq!(asked.status(), 202);
    assert_eq!(running.await.unwrap().closed.unwrap().code, 1000);
    let form = [("CallSid", sid), ("AccountSid", "AC1"), ("To", "+12025550100")];
    let after = Client::new().post(test.url("/twilio/resume")).form(&form).send().await.unwrap();
    assert_eq!(order::read(&after.text().await.unwrap()), Ok(Order::HangUp));
    assert_eq!(ended(&test, sid).await["end_reason"], "supervisor_hung_up");
    let audit = get(&test, "/v1/audit?action=call.hangup").await;
    let entry = &audit["items"][0];
    assert_eq!((&entry["actor"]["kind"], &entry["outcome"]), (&json!("operator"), &json!("done")), "{audit}");
    let call = entry["subject"]["id"].as_str().unwrap().replace('-', "");
    assert_eq!((&entry["subject"]["kind"], &entry["trace_id"]), (&json!("call"), &json!(call)));
    let again = Client::new()
        .post(test.url(&format!("/v1/calls/{sid}/hangup")))
        .bearer_auth(ADMIN)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status(), 409);
}

#[tokio::test]
async fn a_full_machine_says_so_in_words() {
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        config.limits.max_calls = Some(1);
        config.limits.max_busy_streams = 1;
    })
    .await;
    let placed = place(&test, "CA00000000000000000000000000000014").await;
    let running =
        tokio::spawn(async move { leg::talk(&placed.url, None, placed.start, script()).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(200)).await;
    let sid = "CA00000000000000000000000000000015";
    let second = call(&test, sid).await;
    assert!(second.greeting_ms >= 400, "the busy message was not heard: {}", second.greeting_ms);
    assert_eq!(second.closed.unwrap().code, 1000);
    assert_eq!(ended(&test, sid).await["end_reason"], "busy");
    assert!(running.await.unwrap().answers[0].heard_ms > 0);
}

#[tokio::test]
async fn a_stop_cuts_calls_off_after_the_limit_and_leaves_nothing_behind() {
    let test = gateway().await;
    let placed = place(&test, "CA00000000000000000000000000000016").await;
    let patience = Patience { gap_ms: 60_000, quiet_ms: 60_000, answer_ms: 60_000, hangup_after_ms: None };
    let listening = Script::new(Vec::new(), Opening::AfterGreeting, patience);
    let running =
        tokio::spawn(async move { leg::talk(&placed.url, None, placed.start, listening).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let data_dir = test.gateway.app.config.data_dir.clone();
    test.gateway.shutdown().await;
    assert_eq!(running.await.unwrap().closed.unwrap().code, 1001);
    assert!(!data_dir.join("admin.token").exists());
}

type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// The close code that a socket gets.
async fn close_code(socket: &mut Socket) -> u16 {
    loop {
        match tokio::time::timeout(Duration::from_secs(5), socket.next()).await.unwrap() {
            Some(Ok(Message::Close(Some(frame)))) => return frame.code.into(),
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_breaks_the_protocol_is_closed_with_its_reason_and_touches_no_other_call() {
    let test = TestGateway::start(|config| config.limits.handshake = Duration::from_millis(300)).await;
    let media = test.url("/twilio/media").replacen("http", "ws", 1);
    let started = json!({ "event": "start", "sequenceNumber": "1", "streamSid": "MZ1", "start": {
        "accountSid": "AC1", "streamSid": "MZ1", "callSid": "CA1", "tracks": ["inbound"], "customParameters": {} } });
    let connected = r#"{"event":"connected","protocol":"Call","version":"1.0.0"}"#;
    let cases: [(Vec<Message>, u16); 6] = [
        (vec![], 1008),
        (vec![Message::Binary(vec![1, 2, 3].into())], 1003),
        (vec!["garbage".into()], 1008),
        (vec![r#"{"event":"media","streamSid":"MZ1","media":{"payload":"AAAA"}}"#.into()], 1008),
        (vec![connected.into(), started.to_string().into()], 1008),
        (vec!["x".repeat(100_000).into()], 1009),
    ];
    for (messages, code) in cases {
        let (mut socket, _) = tokio_tungstenite::connect_async(media.as_str()).await.unwrap();
        for message in messages {
            socket.send(message).await.unwrap();
        }
        assert_eq!(close_code(&mut socket).await, code);
    }
    let ok = call(&test, "CA00000000000000000000000000000017").await;
    assert!(ok.answers[0].heard_ms > 0);
}

#[tokio::test]
async fn garbage_in_the_middle_of_a_call_ends_that_call_as_a_protocol_error() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000018";
    let placed = place(&test, sid).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(placed.url.as_str()).await.unwrap();
    let mut writer = StreamWriter::new(placed.start);
    let mut text = String::new();
    writer.connected(&mut text);
    socket.send(std::mem::take(&mut text).into()).await.unwrap();
    writer.start(&mut text);
    socket.send(std::mem::take(&mut text).into()).await.unwrap();
    for _ in 0..10 {
        writer.media(SPEECH.bytes(), &mut text);
        socket.send(std::mem::take(&mut text).into()).await.unwrap();
    }
    socket.send(Message::Binary(vec![0; 10].into())).await.unwrap();
    assert_eq!(close_code(&mut socket).await, 1003);
    assert_eq!(ended(&test, sid).await["end_reason"], "protocol_error");
}

#[tokio::test]
async fn the_browser_phone_reaches_its_tenants_line() {
    let test = gateway().await;
    let dial =
        |to: &str| Client::new().post(test.url("/v1/phone")).bearer_auth(ADMIN).json(&json!({ "to": to }));
    assert_eq!(dial("+12025559999").send().await.unwrap().status(), 404);
    let invited: Value = dial("+12025550100").send().await.unwrap().json().await.unwrap();
    let text = |name: &str| invited[name].as_str().unwrap().to_owned();
    let token = invited["parameters"]["token"].as_str().unwrap().to_owned();
    let start = StreamStart {
        stream_sid: text("stream_sid"),
        call_sid: text("call_sid"),
        account_sid: text("account_sid"),
        parameters: vec![("token".to_owned(), token)],
    };
    let outcome = leg::talk(&text("stream_url"), None, start, script()).await.unwrap();
    assert!(outcome.answers[0].heard_ms > 0);
    let item = get(&test, &format!("/v1/calls/{}", text("call_id"))).await;
    assert_eq!(item["from"], Value::Null);
}

#[tokio::test]
async fn a_phone_that_knows_only_address_and_parameters_names_its_stream_as_it_likes() {
    let test = gateway().await;
    let dial = Client::new().post(test.url("/v1/phone")).bearer_auth(ADMIN);
    let dial = dial.json(&json!({ "to": "+12025550100" })).send().await.unwrap();
    let invited: Value = dial.json().await.unwrap();
    let parameters = invited["parameters"].as_object().unwrap().iter();
    let start = StreamStart {
        stream_sid: "MZ-of-its-own".to_owned(),
        call_sid: "CA-of-its-own".to_owned(),
        account_sid: "AC-of-its-own".to_owned(),
        parameters: parameters.map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect(),
    };
    let url = invited["stream_url"].as_str().unwrap();
    let outcome = leg::talk(url, None, start.clone(), script()).await.unwrap();
    assert!(outcome.answers[0].heard_ms > 0);
    let item = ended(&test, invited["call_sid"].as_str().unwrap()).await;
    assert_eq!((&item["id"], &item["end_reason"]), (&invited["call_id"], &json!("caller_hung_up")));
    // Whatever it is called, a token opens one stream.
    let again = leg::talk(url, None, start, script()).await.unwrap();
    assert_eq!(again.closed.unwrap().code, 1008);
}

#[tokio::test]
async fn a_carriers_token_opens_no_stream_of_another_call_or_account() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000019";
    let placed = place(&test, sid).await;
    for (call_sid, account_sid) in [("CA00000000000000000000000000000020", "AC1"), (sid, "AC2")] {
        let start = StreamStart {
            call_sid: call_sid.to_owned(),
            account_sid: account_sid.to_owned(),
            ..placed.start.clone()
        };
        let thief = leg::talk(&placed.url, None, start, script()).await.unwrap();
        assert_eq!(thief.closed.unwrap().code, 1008);
    }
    let owner = leg::talk(&placed.url, None, placed.start, script()).await.unwrap();
    assert!(owner.answers[0].heard_ms > 0, "the attempts used the token up");
}
