//! What nobody takes on in time reaches people: on the feed, in the list, on the audit, and at a webhook.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use chrono::{TimeDelta, Utc};
use parking_lot::Mutex;
use reqwest::{Client, Response};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::outbox_records::{OutboxFilter, OutboxState};
use storage::records::{NewWorkItem, Priority, WorkFilter, WorkKind};
use storage::{Directory, Outbox, TenantStore, WorkItems};
use tokio::net::TcpListener;

use crate::alarms;
use crate::config::alarms::{Hook, Mail};
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";

/// Alarms that a duty desk was sent: the key of each, who sent it, and what it says.
type Received = Arc<Mutex<Vec<(String, String, Value)>>>;

/// A duty desk that fails at first.
async fn duty_desk() -> (String, Received) {
    async fn take(State(received): State<Received>, headers: HeaderMap, body: Bytes) -> StatusCode {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        let told =
            (header("idempotency-key"), header("authorization"), serde_json::from_slice(&body).unwrap());
        received.lock().push(told);
        if received.lock().len() == 1 { StatusCode::BAD_GATEWAY } else { StatusCode::NO_CONTENT }
    }
    let received = Received::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/alarms", listener.local_addr().unwrap());
    let desk = Router::new().route("/alarms", post(take)).with_state(received.clone());
    tokio::spawn(async move { axum::serve(listener, desk).await });
    (url, received)
}

async fn gateway(url: Option<String>) -> (TestGateway, TenantStore) {
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        let headers = vec![("Authorization".to_owned(), SecretString::from("Bearer duty"))];
        let hook = url.map(|url| Hook { name: "duty".into(), url, headers, tenants: None });
        config.alarms.hooks = hook.into_iter().collect();
    })
    .await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (test, store)
}

async fn emergency(store: &TenantStore) -> String {
    let new = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "e".into(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Urgent,
        caller: Some("+12025550143".into()),
        fields: json!({ "what": "a gas leak", "where": "12 Oak Street" }),
    };
    store.file_work_item(new).await.unwrap().reference
}

async fn get(test: &TestGateway, path: &str) -> Value {
    Client::new().get(test.url(path)).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap()
}

async fn act(test: &TestGateway, reference: &str, act: &str, body: Value) {
    let url = test.url(&format!("/v1/work-items/{reference}/{act}"));
    let answer = Client::new().post(url).bearer_auth(ADMIN).json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{act}: {}", answer.text().await.unwrap());
}

async fn feed(test: &TestGateway) -> Response {
    Client::new().get(test.url("/v1/events")).bearer_auth(ADMIN).send().await.unwrap()
}

/// Reads the feed until an event of this name comes.
async fn seen(feed: &mut Response, name: &str) -> Value {
    let reading = async {
        let mut text = String::new();
        loop {
            text.push_str(&String::from_utf8_lossy(&feed.chunk().await.unwrap().unwrap()));
            let block = text.split("\n\n").find(|block| block.contains(&format!("event: {name}\n")));
            if let Some(data) = block.and_then(|b| b.lines().find_map(|line| line.strip_prefix("data: "))) {
                return serde_json::from_str(data).unwrap();
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(10), reading).await.expect(name)
}

#[tokio::test]
async fn an_emergency_that_nobody_takes_on_is_told_everywhere_and_not_once_somebody_has_it() {
    let (url, received) = duty_desk().await;
    let (test, store) = gateway(Some(url)).await;
    let mut feed = feed(&test).await;
    let reference = emergency(&store).await;
    let app = &test.gateway.app;
    alarms::once(app, Utc::now() + TimeDelta::minutes(4)).await.unwrap();
    assert_eq!(get(&test, &format!("/v1/work-items/{reference}")).await["alarms"], 0);
    alarms::once(app, Utc::now() + TimeDelta::minutes(6)).await.unwrap();
    alarms::once(app, Utc::now() + TimeDelta::minutes(7)).await.unwrap();

    let told = seen(&mut feed, "work_item.alarm").await;
    assert_eq!((&told["reference"], &told["alarms"]), (&json!(reference), &json!(1)));
    assert!(told["version"] == 1 && !told.to_string().contains("Oak"), "{told}");
    let item = get(&test, &format!("/v1/work-items/{reference}")).await;
    assert_eq!((&item["alarms"], &item["history"][0]["act"]), (&json!(1), &json!("alarmed")));
    let audit = get(&test, &format!("/v1/audit?subject={}", item["id"].as_str().unwrap())).await;
    assert_eq!(audit["items"][0]["action"], "work_item.alarmed", "{audit}");

    // The desk failed once; the outbox tried again, with the same key.
    let came = async {
        while received.lock().len() < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), came).await.unwrap();
    let rows = received.lock().clone();
    assert_eq!((&rows[0].0, &rows[0].1), (&rows[1].0, &"Bearer duty".to_owned()));
    assert_eq!(rows[1].2["reference"], reference.as_str());
    assert!(!rows[1].2.to_string().contains("gas"), "{:?}", rows[1].2);

    act(&test, &reference, "claim", json!({})).await;
    alarms::once(app, Utc::now() + TimeDelta::minutes(60)).await.unwrap();
    assert_eq!(get(&test, &format!("/v1/work-items/{reference}")).await["alarms"], 1);
    let rows = store.list_outbox(OutboxFilter::default()).await.unwrap();
    assert_eq!(rows.len(), 1, "nothing more is on its way: {rows:?}");
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_one_person_does_about_a_request_reaches_the_others() {
    let (test, store) = gateway(None).await;
    let reference = emergency(&store).await;
    for (made, body, status) in [
        ("claim", json!({}), "in_progress"),
        ("note", json!({ "text": "crew is out to Pat Lee" }), "in_progress"),
        ("close", json!({ "result": "done", "outcome": "shut off" }), "done"),
        ("reopen", json!({ "reason": "it smells again" }), "open"),
    ] {
        let mut feed = feed(&test).await;
        seen(&mut feed, "ready").await;
        act(&test, &reference, made, body).await;
        let told = seen(&mut feed, "work_item.updated").await;
        assert_eq!((&told["reference"], &told["status"]), (&json!(reference), &json!(status)), "{made}");
        let text = told.to_string();
        assert!(!text.contains("Pat Lee") && !text.contains("Oak"), "no words of anybody: {text}");
    }
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn alarms_are_not_raised_where_they_are_switched_off() {
    let off = TestGateway::start(|config| config.alarms.times.times = 0).await;
    let platform = &off.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    emergency(&store).await;
    alarms::once(&off.gateway.app, Utc::now() + TimeDelta::minutes(60)).await.unwrap();
    let items = store.list_work_items(WorkFilter::default()).await.unwrap();
    assert!(items.iter().all(|item| item.alarms == 0));
    off.gateway.shutdown().await;
}

#[tokio::test]
async fn a_mail_relay_that_is_not_there_is_tried_again() {
    let test = TestGateway::start(|config| {
        let (from, to) = ("gateway@example.gov".to_owned(), vec!["duty@example.gov".to_owned()]);
        let relay = ([127, 0, 0, 1], 1).into();
        config.alarms.mail = vec![Mail { name: "duty".into(), relay, from, to, tenants: None }];
    })
    .await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    emergency(&store).await;
    alarms::once(&test.gateway.app, Utc::now() + TimeDelta::minutes(6)).await.unwrap();
    let tried = async {
        loop {
            let rows = store.list_outbox(OutboxFilter::default()).await.unwrap();
            if let [row] = rows.as_slice()
                && row.problem.is_some()
            {
                return row.clone();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let row = tokio::time::timeout(Duration::from_secs(10), tried).await.unwrap();
    assert_eq!((row.destination.as_str(), row.problem.as_deref()), ("alarm:mail:duty", Some("unreachable")));
    assert_eq!(row.state, OutboxState::Pending);
    test.gateway.shutdown().await;
}
