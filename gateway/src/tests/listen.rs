//! People of the office hear live calls: what reaches them, who may, and what is left of it on the audit.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use pipeline::ports::{
    AfterReply, CallBrief, PortError, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::{Auth, Directory, NewToken, Role, Settings};
use telephony::media::AudioFrame;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use super::whole_calls::{ADMIN, SPEECH, ended, get, noted, place};
use crate::calls::listening::SETTING;
use crate::simulated::{TestGateway, engines};
use caller::leg::{self, Outcome};
use caller::script::{Act, Opening, Patience, Script};

pub(super) type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;

/// What the simulated voice says.
const TONE: u8 = 0x20;

pub(super) async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

pub(super) async fn token(test: &TestGateway, role: Role, name: &str) -> String {
    let store = test.gateway.app.platform.store();
    let tenant = store.tenant_by_slug("riverbend").await.unwrap().unwrap().id;
    let new = NewToken { tenant_id: Some(tenant), name: name.to_owned(), role, expires_at: None };
    store.create_token(new).await.unwrap().secret.expose_secret().to_owned()
}

/// A caller who speaks for so many frames once the greeting is over, and stays for so long.
pub(super) async fn caller(test: &TestGateway, sid: &str, frames: usize, ms: u64) -> JoinHandle<Outcome> {
    let placed = place(test, sid).await;
    let patience =
        Patience { gap_ms: 60_000, quiet_ms: 60_000, answer_ms: 60_000, hangup_after_ms: Some(ms) };
    let script = Script::new(vec![Act::Say(vec![SPEECH; frames])], Opening::AfterMs(1_500), patience);
    let running =
        tokio::spawn(async move { leg::talk(&placed.url, None, placed.start, script).await.unwrap() });
    // It is heard of by its record, which is written a moment after it is live.
    for _ in 0..200 {
        if get(test, &format!("/v1/calls/{sid}")).await["state"] == "live"
            && !test.gateway.app.live.is_empty()
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running
}

/// Opens a socket of the API, or says with which status it was refused.
pub(super) async fn open(test: &TestGateway, path: &str, token: &str) -> Result<Socket, StatusCode> {
    let mut request = test.url(path).replacen("http", "ws", 1).into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    match connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(tungstenite::Error::Http(answer)) => Err(answer.status()),
        Err(error) => panic!("{error}"),
    }
}

/// A message of the socket, taken apart.
#[derive(Debug)]
pub(super) struct Heard {
    pub kind: u8,
    pub hidden: bool,
    pub lost: u32,
    pub at_ms: u64,
    pub audio: Vec<u8>,
}

pub(super) fn read(message: &[u8]) -> Heard {
    assert_eq!(message[0], 1, "version");
    Heard {
        kind: message[1],
        hidden: message[2] & 1 == 1,
        lost: u32::from_be_bytes(message[4..8].try_into().unwrap()),
        at_ms: u64::from_be_bytes(message[8..16].try_into().unwrap()) / 1_000,
        audio: message[16..].to_vec(),
    }
}

/// Everything until the socket is closed, and the code of the close.
pub(super) async fn everything(socket: &mut Socket) -> (Value, Vec<Heard>, u16) {
    let (mut ready, mut heard) = (Value::Null, Vec::new());
    loop {
        match tokio::time::timeout(Duration::from_secs(20), socket.next()).await.unwrap() {
            Some(Ok(Message::Text(text))) => ready = serde_json::from_str(&text).unwrap(),
            Some(Ok(Message::Binary(message))) => heard.push(read(&message)),
            Some(Ok(Message::Close(Some(frame)))) => return (ready, heard, frame.code.into()),
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

pub(super) fn sounds(heard: &[Heard], kind: u8, code: u8) -> usize {
    heard.iter().filter(|h| h.kind == kind && h.audio.iter().all(|b| *b == code)).count()
}

#[tokio::test]
async fn both_sides_are_heard_in_order_and_who_listened_from_when_to_when_is_on_the_audit() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000040";
    let ear = token(&test, Role::Supervisor, "ear").await;
    let running = caller(&test, sid, 40, 4_000).await;
    let path = format!("/v1/calls/{sid}/listen");
    let mut both = open(&test, &path, &ear).await.unwrap();
    let mut agent = open(&test, &format!("{path}?channel=agent"), &ear).await.unwrap();
    let (ready, heard, code) = everything(&mut both).await;
    assert_eq!((ready["channel"].as_str(), ready["frame_ms"].as_u64(), code), (Some("both"), Some(20), 1000));
    assert!(heard.is_sorted_by_key(|h| h.at_ms), "out of order");
    assert!(sounds(&heard, 1, SPEECH.0[0]) >= 39, "of the caller: {}", sounds(&heard, 1, SPEECH.0[0]));
    // Half a second of answer. The greeting is not heard: until its end the caller was not told.
    assert!((20..=30).contains(&sounds(&heard, 2, TONE)), "of the agent: {}", sounds(&heard, 2, TONE));
    assert!(heard.iter().all(|h| h.lost == 0 && matches!(h.audio.len(), 0 | 160)));
    let told = heard.iter().position(|h| !h.hidden && h.kind != 0).unwrap();
    assert!(
        told > 0 && heard[told..].iter().all(|h| !h.hidden),
        "silent until the caller was told, and never again"
    );
    let (_, only, _) = everything(&mut agent).await;
    assert!(!only.is_empty() && only.iter().all(|h| h.kind != 1), "the caller on the agent's channel");

    let said = running.await.unwrap().said.iter().filter(|f| **f == SPEECH).count();
    assert_eq!(said, 40);
    let id = ended(&test, sid).await["id"].as_str().unwrap().to_owned();
    let audit = noted(&test, &id, "call.listen_ended").await;
    let of = |action: &str| -> Vec<Value> {
        let items = audit["items"].as_array().unwrap().iter();
        items.filter(|entry| entry["action"] == action).cloned().collect()
    };
    assert_eq!(of("call.listen_started").len(), 2);
    let last = &of("call.listen_ended")[0];
    assert_eq!(last["actor"], json!({ "kind": "token", "id": "ear" }));
    let time = |key: &str| last["details"][key].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>();
    assert!(time("to").unwrap() > time("from").unwrap() + Duration::from_secs(1), "{last}");
    assert_eq!(test.gateway.app.live.len(), 0);
}

#[tokio::test]
async fn a_packed_message_holds_the_same_in_fewer_messages() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000043";
    let ear = token(&test, Role::Supervisor, "ear").await;
    let running = caller(&test, sid, 40, 4_000).await;
    let path = format!("/v1/calls/{sid}/listen");
    let mut packed = open(&test, &format!("{path}?packed=true"), &ear).await.unwrap();
    let (mut heard, mut messages) = (Vec::new(), 0);
    while let Some(Ok(message)) = packed.next().await {
        let Message::Binary(message) = message else { continue };
        messages += 1;
        let mut rest: &[u8] = &message;
        while !rest.is_empty() {
            let (record, after) = rest.split_at(if rest[1] == 0 { 16 } else { 176 });
            heard.push(read(record));
            rest = after;
        }
    }
    assert!(heard.is_sorted_by_key(|h| h.at_ms), "out of order");
    assert!(sounds(&heard, 1, SPEECH.0[0]) >= 39, "of the caller: {}", sounds(&heard, 1, SPEECH.0[0]));
    assert!(messages * 5 < heard.len(), "{messages} messages for {} frames", heard.len());
    running.await.unwrap();
    ended(&test, sid).await;
}

#[tokio::test]
async fn those_who_may_not_hear_nothing_and_are_told_why() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000041";
    let running = caller(&test, sid, 1, 5_000).await;
    let path = format!("/v1/calls/{sid}/listen");
    for role in [Role::Clerk, Role::Auditor, Role::AgentAdmin] {
        let who = token(&test, role, "who").await;
        assert_eq!(open(&test, &path, &who).await.err(), Some(StatusCode::FORBIDDEN), "{role}");
    }
    assert_eq!(open(&test, &path, "nobody").await.err(), Some(StatusCode::UNAUTHORIZED));
    let ear = token(&test, Role::Supervisor, "ear").await;
    let refused = open(&test, &format!("{path}?channel=everything"), &ear).await.err();
    assert_eq!(refused, Some(StatusCode::BAD_REQUEST));

    // A token that is revoked hears no more.
    let store = test.gateway.app.platform.store();
    let mut socket = open(&test, &path, &ear).await.unwrap();
    let known = store.token(&ear).await.unwrap().unwrap();
    store.revoke_token(known.tenant_id, known.id).await.unwrap();
    assert_eq!(everything(&mut socket).await.2, 1008);

    let tenant = store.tenant_by_slug("riverbend").await.unwrap().unwrap().id;
    let settings = test.gateway.app.platform.tenant(tenant).await.unwrap();
    settings.put_setting(SETTING, &json!("refused")).await.unwrap();
    let other = token(&test, Role::TenantAdmin, "other").await;
    assert_eq!(open(&test, &path, &other).await.err(), Some(StatusCode::FORBIDDEN));
    let why: Value = reqwest::Client::new()
        .get(test.url(&path))
        .bearer_auth(&other)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert!(why["error_message"].as_str().unwrap().contains("does not allow"), "{why}");
    let denied = get(&test, "/v1/audit?action=call.listen_started").await;
    assert_eq!(denied["items"][0]["outcome"], "denied");
    settings.put_setting(SETTING, &Value::Null).await.unwrap();
    running.await.unwrap();
    ended(&test, sid).await;
    assert_eq!(open(&test, &path, &other).await.err(), Some(StatusCode::CONFLICT), "the call is over");
}

/// Asks for a PIN and nothing else.
struct AsksPin;

impl Responder for AsksPin {
    fn name(&self) -> &'static str {
        "asks for a PIN"
    }

    fn open(&self, _: CallBrief) -> Result<ReplyStream, PortError> {
        let (commands, mut asked) = mpsc::channel(32);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                if let ReplyCommand::Start { turn, input, .. } = command {
                    let opened = matches!(input, TurnInput::Opened);
                    let text = format!("{opened}, your PIN, please.");
                    let id = SegmentId { turn, index: 0 };
                    let kind = if opened { SegmentKind::Consent } else { SegmentKind::Reply };
                    let _ =
                        told.send(ReplyEvent::Segment(ReplySegment { id, text, kind, fixed: false })).await;
                    let (expects, then) = (Expectation::Secret, AfterReply::Listen);
                    let _ = told.send(ReplyEvent::Done { turn, expects, then }).await;
                }
            }
        });
        Ok(ReplyStream { commands, events })
    }
}

#[tokio::test]
async fn a_secret_that_was_asked_for_is_silent() {
    let change = |config: &mut crate::config::Config| config.admin_token = Some(SecretString::from(ADMIN));
    let test = TestGateway::with(change, |platform| {
        Box::pin(async move {
            Ok(crate::providers::Providers { responder: Arc::new(AsksPin), ..engines(platform).await? })
        }) as futures_util::future::BoxFuture<'static, _>
    })
    .await;
    let sid = "CA00000000000000000000000000000042";
    let running = caller(&test, sid, 40, 4_000).await;
    let mut socket = open(&test, &format!("/v1/calls/{sid}/listen"), ADMIN).await.unwrap();
    let (_, heard, _) = everything(&mut socket).await;
    running.await.unwrap();
    assert_eq!(sounds(&heard, 1, SPEECH.0[0]), 0, "the caller said the PIN");
    let hidden = heard.iter().filter(|h| h.kind == 1 && h.hidden).count();
    assert!(hidden > 60, "{hidden} frames were hidden");
    assert!(heard.iter().filter(|h| h.hidden).all(|h| h.audio == AudioFrame::SILENCE.0));
    assert!(sounds(&heard, 2, TONE) > 0, "the agent's question is no secret");
}
