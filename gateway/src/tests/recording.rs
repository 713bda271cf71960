//! Recordings of calls: what is in them, who may have them, and that they are gone when they are.

use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{
    AfterReply, CallBrief, Consented, PortError, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput,
};
use pipeline::recording::two_sides::Segment;
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind};
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::{Value, json};
use storage::records::{CallEntry, Direction, LogRow, NewCall};
use storage::{CallId, Calls, Directory, Recordings as _, Role, TenantStore};
use tokio::sync::mpsc;

use super::listen::{caller, gateway, token};
use super::whole_calls::{ADMIN, ended, get, noted};
use crate::recording::{delete, encode};
use crate::simulated::{TestGateway, engines};

async fn ask(test: &TestGateway, method: Method, path: &str, token: &str) -> Response {
    Client::new().request(method, test.url(path)).bearer_auth(token).send().await.unwrap()
}

async fn status(test: &TestGateway, method: Method, path: &str, token: &str) -> StatusCode {
    ask(test, method, path, token).await.status()
}

/// What is known of a recording, once it is that far.
async fn when(test: &TestGateway, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..200 {
        last = get(test, &format!("{path}?format=json")).await;
        if is_so(&last) {
            return last;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{last}");
}

fn is_kept(answer: &Value) -> bool {
    answer["recording"]["state"] == "kept"
}

/// Tenths of a second that are loud, first and last and how many.
fn loud(peaks: &Value) -> (usize, usize, usize) {
    let loud = |(at, level): (usize, &Value)| (level.as_u64().unwrap() > 10).then_some(at);
    let at: Vec<usize> = peaks.as_array().unwrap().iter().enumerate().filter_map(loud).collect();
    (at.first().copied().unwrap_or(0), at.last().copied().unwrap_or(0), at.len())
}

async fn riverbend(test: &TestGateway) -> TenantStore {
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap().id;
    platform.tenant(tenant).await.unwrap()
}

#[tokio::test]
async fn both_sides_are_kept_from_the_notice_on_played_by_who_may_and_deleted_for_good() {
    let test = gateway().await;
    let sid = "CA00000000000000000000000000000050";
    let path = format!("/v1/calls/{sid}/recording");
    let running = caller(&test, sid, 40, 4_000).await;
    assert_eq!(status(&test, Method::GET, &path, ADMIN).await, StatusCode::NOT_FOUND, "nobody was told yet");
    running.await.unwrap();
    let id = ended(&test, sid).await["id"].as_str().unwrap().to_owned();
    let kept = when(&test, &path, is_kept).await;
    let (peaks, recording) = (&kept["peaks"], &kept["recording"]);
    let (began, _, spoke) = loud(&peaks["caller"]);
    let (answered, _, answer) = loud(&peaks["agent"]);
    assert!((8..=9).contains(&spoke), "the caller spoke for 0.8 s: {kept}");
    // The greeting, half a second too, is not there: it was what told the caller.
    assert!((5..=6).contains(&answer) && answered > began, "the agent answered for half a second: {kept}");
    assert!(recording["duration_ms"].as_u64().unwrap() > 2_500, "{recording}");
    assert_eq!(recording["lost_frames"], 0);

    let whole = ask(&test, Method::GET, &path, ADMIN).await;
    assert_eq!(whole.headers()["content-type"], "audio/ogg; codecs=opus");
    let whole = whole.bytes().await.unwrap();
    assert!(whole.starts_with(b"OggS"));
    let part = Client::new()
        .get(test.url(&path))
        .bearer_auth(ADMIN)
        .header("range", "bytes=4-9")
        .send()
        .await
        .unwrap();
    assert_eq!(part.status(), StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.headers()["content-range"], format!("bytes 4-9/{}", whole.len()));
    assert_eq!(part.bytes().await.unwrap(), whole[4..10]);
    let wav = ask(&test, Method::GET, &format!("{path}?format=wav"), ADMIN).await.bytes().await.unwrap();
    let samples = (wav.len() - 44) as u64 / 4;
    assert_eq!(samples * 1_000 / 8_000, recording["duration_ms"].as_u64().unwrap());
    // On the disk there is nothing that plays.
    let folder = test.gateway.app.config.data_dir.join("recordings");
    let files: Vec<_> = walk(&folder);
    assert_eq!(files.len(), 2, "{files:?}");
    assert!(files.iter().all(|file| !std::fs::read(file).unwrap().windows(4).any(|four| four == b"OggS")));

    for role in [Role::Clerk, Role::AgentAdmin] {
        let who = token(&test, role, "who").await;
        assert_eq!(status(&test, Method::GET, &path, &who).await, StatusCode::FORBIDDEN, "{role}");
    }
    let supervisor = token(&test, Role::Supervisor, "sam").await;
    assert_eq!(status(&test, Method::GET, &path, &supervisor).await, StatusCode::OK);
    assert_eq!(status(&test, Method::DELETE, &path, &supervisor).await, StatusCode::FORBIDDEN);
    let played = noted(&test, &id, "recording.played").await;
    assert!(
        played["items"].as_array().unwrap().iter().any(|entry| entry["actor"]["id"] == "sam"),
        "{played}"
    );

    let hold = json!({ "kind": "call", "subject": id, "reason": "a suit" });
    let held = Client::new().post(test.url("/v1/holds")).bearer_auth(ADMIN).json(&hold).send().await.unwrap();
    let hold = held.json::<Value>().await.unwrap()["id"].as_str().unwrap().to_owned();
    assert_eq!(status(&test, Method::DELETE, &path, ADMIN).await, StatusCode::CONFLICT, "a legal hold wins");
    assert_eq!(status(&test, Method::GET, &path, ADMIN).await, StatusCode::FORBIDDEN, "and nobody plays it");
    assert_eq!(
        status(&test, Method::DELETE, &format!("/v1/holds/{hold}"), ADMIN).await,
        StatusCode::NO_CONTENT
    );
    let store = riverbend(&test).await;
    assert_eq!(delete::old(&test.gateway.app, &store, 90, chrono::Utc::now()).await.unwrap(), 1);
    assert_eq!(status(&test, Method::GET, &path, ADMIN).await, StatusCode::NOT_FOUND);
    assert!(walk(&folder).is_empty());
    let gone = noted(&test, &id, "recording.deleted").await;
    let entry =
        &gone["items"].as_array().unwrap().iter().find(|e| e["action"] == "recording.deleted").unwrap();
    assert_eq!(
        (&entry["details"]["key"], &entry["details"]["reason"]),
        (&json!("deleted"), &json!("person"))
    );
}

/// Every file below.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn another_tenant_has_no_part_in_it() {
    let test = gateway().await;
    let (store, call) = killed(&test).await;
    encode::once(&test.gateway.app, later()).await.unwrap();
    assert!(store.recording_key(call).await.unwrap().is_some());
    let other = json!({ "slug": "lakeside", "name": "Lakeside County" });
    let made =
        Client::new().post(test.url("/v1/tenants")).bearer_auth(ADMIN).json(&other).send().await.unwrap();
    assert!(made.status().is_success(), "{}", made.text().await.unwrap());
    let path = format!("/v1/calls/{call}/recording");
    for method in [Method::GET, Method::DELETE] {
        let request = Client::new().request(method, test.url(&path)).bearer_auth(ADMIN);
        let answer = request.header("x-tenant", "lakeside").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(status(&test, Method::GET, &path, ADMIN).await, StatusCode::OK);
}

/// When nobody comes back any more.
fn later() -> chrono::DateTime<chrono::Utc> {
    chrono::Utc::now() + chrono::TimeDelta::minutes(5)
}

/// A call as a kill leaves it: on record as recorded live, with three segments of which the last was cut off.
async fn killed(test: &TestGateway) -> (TenantStore, CallId) {
    let store = riverbend(test).await;
    let call = CallId::new();
    let new = NewCall {
        id: call,
        carrier_sid: None,
        line: "+12025550100".to_owned(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".to_owned(),
        passport_id: None,
        started_at: chrono::Utc::now(),
    };
    store.begin_call(new).await.unwrap();
    let key = Arc::new(store.begin_recording(call).await.unwrap().unwrap());
    let files = &test.gateway.app.recordings.files;
    let mut live = files.begin(store.id(), call, 1_000, key).unwrap();
    for from in [50, 100, 150] {
        let segment = Segment { from, caller: vec![0x20; 8_000], agent: vec![0xff; 8_000] };
        live.append(&segment.to_bytes()).unwrap();
    }
    let path = walk(&test.gateway.app.config.data_dir.join("recordings")).pop().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1_000]).unwrap();
    (store, call)
}

#[tokio::test]
async fn a_kill_keeps_all_but_the_last_second_and_the_next_look_finds_it() {
    let test = gateway().await;
    let (_, call) = killed(&test).await;
    encode::once(&test.gateway.app, later()).await.unwrap();
    let kept = get(&test, &format!("/v1/calls/{call}/recording?format=json")).await;
    assert_eq!(
        (&kept["recording"]["state"], &kept["recording"]["duration_ms"]),
        (&json!("kept"), &json!(2_000))
    );
    assert_eq!((&kept["peaks"]["starts_ms"], loud(&kept["peaks"]["caller"]).2), (&json!(1_000), 20));
}

#[tokio::test]
async fn whoever_may_come_back_is_recorded_on() {
    let test = gateway().await;
    let (store, call) = killed(&test).await;
    store.end_call(call, "stream_lost", chrono::Utc::now()).await.unwrap();
    encode::once(&test.gateway.app, chrono::Utc::now()).await.unwrap();
    assert_eq!(store.unencoded_recordings(10).await.unwrap().len(), 1);
    encode::once(&test.gateway.app, later()).await.unwrap();
    assert!(store.unencoded_recordings(10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_word_against_it_that_a_kill_overtook_is_found_on_the_record() {
    let test = gateway().await;
    let (store, call) = killed(&test).await;
    let entry = |consented: &str| CallEntry::Consent { turn: 0, consented: consented.to_owned() };
    let row = |seq, consented| LogRow { seq, at_ms: seq, entry: entry(consented) };
    store.append(call, &[row(1, "told"), row(2, "withdrawn")]).await.unwrap();
    encode::once(&test.gateway.app, later()).await.unwrap();
    assert!(store.recording_key(call).await.unwrap().is_none());
    assert!(walk(&test.gateway.app.config.data_dir.join("recordings")).is_empty());
}

/// Tells the caller, and asks for a PIN, or at their first words does something about the recording.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    AsksPin,
    Withdraws,
    Pauses,
}

impl Responder for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn open(&self, _: CallBrief) -> Result<ReplyStream, PortError> {
        let (commands, mut asked) = mpsc::channel(32);
        let (told, events) = mpsc::channel(64);
        let says = *self;
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                if let ReplyCommand::Start { turn, input, .. } = command {
                    let opened = input == TurnInput::Opened;
                    match says {
                        Self::Withdraws if !opened => {
                            let _ = told.send(ReplyEvent::Consent(Consented::Withdrawn)).await;
                        }
                        Self::Pauses if !opened => {
                            let _ = told.send(ReplyEvent::Recording { turn, paused: true }).await;
                        }
                        _ => {}
                    }
                    let kind = if opened { SegmentKind::Consent } else { SegmentKind::Reply };
                    let id = SegmentId { turn, index: 0 };
                    let text = "This call may be recorded.".to_owned();
                    let _ =
                        told.send(ReplyEvent::Segment(ReplySegment { id, text, kind, fixed: false })).await;
                    let expects = if says == Self::AsksPin { Expectation::Secret } else { Expectation::Open };
                    let _ = told.send(ReplyEvent::Done { turn, expects, then: AfterReply::Listen }).await;
                }
            }
        });
        Ok(ReplyStream { commands, events })
    }
}

async fn saying(says: Says) -> TestGateway {
    let change = |config: &mut crate::config::Config| {
        config.admin_token = Some(secrecy::SecretString::from(ADMIN));
    };
    TestGateway::with(change, move |platform| {
        Box::pin(async move {
            Ok(crate::providers::Providers { responder: Arc::new(says), ..engines(platform).await? })
        }) as futures_util::future::BoxFuture<'static, _>
    })
    .await
}

#[tokio::test]
async fn consent_that_is_taken_back_in_mid_call_deletes_what_there_is() {
    let test = saying(Says::Withdraws).await;
    let sid = "CA00000000000000000000000000000051";
    let running = caller(&test, sid, 40, 4_000).await;
    running.await.unwrap();
    let id = ended(&test, sid).await["id"].as_str().unwrap().to_owned();
    let gone = noted(&test, &id, "recording.deleted").await;
    let of = |action: &str| {
        gone["items"].as_array().unwrap().iter().find(|entry| entry["action"] == action).cloned()
    };
    let deleted = of("recording.deleted").unwrap();
    assert_eq!(
        (&deleted["details"]["reason"], &deleted["details"]["key"]),
        (&json!("withdrawn"), &json!("deleted"))
    );
    assert!(of("recording.started").is_some(), "there was one");
    assert!(walk(&test.gateway.app.config.data_dir.join("recordings")).is_empty());
    let answer = get(&test, &format!("/v1/calls/{sid}/recording")).await;
    assert!(answer["error_message"].as_str().unwrap().contains("withdrawn"), "{answer}");
}

#[tokio::test]
async fn the_agent_pauses_and_it_is_known_that_it_was_the_agent() {
    let test = saying(Says::Pauses).await;
    let sid = "CA00000000000000000000000000000053";
    let path = format!("/v1/calls/{sid}/recording");
    let running = caller(&test, sid, 40, 6_000).await;
    let live = when(&test, &path, |answer| answer["paused"] == true).await;
    assert_eq!(live["paused_by"], "the agent", "{live}");
    running.await.unwrap();
    let id = ended(&test, sid).await["id"].as_str().unwrap().to_owned();
    let audit = noted(&test, &id, "recording.paused").await;
    let paused =
        audit["items"].as_array().unwrap().iter().find(|entry| entry["action"] == "recording.paused");
    assert_eq!(paused.unwrap()["details"]["by"], "the agent", "{audit}");
}

#[tokio::test]
async fn a_secret_is_silent_and_so_is_what_is_said_during_a_pause() {
    let test = saying(Says::AsksPin).await;
    let sid = "CA00000000000000000000000000000052";
    let path = format!("/v1/calls/{sid}/recording");
    let running = caller(&test, sid, 40, 4_000).await;
    let mut paused = StatusCode::CONFLICT;
    // 409 until the caller was told.
    for _ in 0..100 {
        paused = status(&test, Method::POST, &format!("{path}/pause"), ADMIN).await;
        if paused.is_success() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(paused, StatusCode::OK);
    let live = get(&test, &format!("{path}?format=json")).await;
    assert_eq!((&live["paused"], &live["paused_by"]), (&json!(true), &json!("admin-token")), "{live}");
    running.await.unwrap();
    let id = ended(&test, sid).await["id"].as_str().unwrap().to_owned();
    let kept = when(&test, &path, is_kept).await;
    assert_eq!(loud(&kept["peaks"]["caller"]).2, 0, "the PIN: {kept}");
    assert_eq!(loud(&kept["peaks"]["agent"]).2, 0, "paused: {kept}");
    noted(&test, &id, "recording.paused").await;
    assert_eq!(
        status(&test, Method::POST, &format!("{path}/resume"), ADMIN).await,
        StatusCode::CONFLICT,
        "it is over"
    );
}
