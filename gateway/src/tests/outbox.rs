//! Effects that wait for a person, and what becomes of them.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use storage::outbox_records::{Lease, NewOutgoing};
use storage::records::WorkFilter;
use storage::{Auth, Directory, NewToken, Outbox, Role, TenantStore, WorkItems};
use uuid::Uuid;

use crate::simulated::TestGateway;

struct Office {
    test: TestGateway,
    store: TenantStore,
    supervisor: String,
    auditor: String,
}

async fn office() -> Office {
    let test = TestGateway::start(|config| config.tools.held = vec!["take_message".to_owned()]).await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let token = async |role| {
        let new = NewToken { tenant_id: Some(tenant.id), name: "program".into(), role, expires_at: None };
        platform.store().create_token(new).await.unwrap().secret.expose_secret().to_owned()
    };
    let (supervisor, auditor) = (token(Role::Supervisor).await, token(Role::Auditor).await);
    let store = platform.tenant(tenant.id).await.unwrap();
    Office { test, store, supervisor, auditor }
}

impl Office {
    async fn list(&self, state: &str) -> Vec<Value> {
        let request = Client::new().get(self.test.url(&format!("/v1/outbox?state={state}")));
        let list: Value = request.bearer_auth(&self.auditor).send().await.unwrap().json().await.unwrap();
        list["items"].as_array().unwrap().clone()
    }

    async fn decide(&self, id: &Value, word: &str, token: &str) -> (StatusCode, Value) {
        let path = format!("/v1/outbox/{}/{word}", id.as_str().unwrap());
        let answer = Client::new().post(self.test.url(&path)).bearer_auth(token).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// A message over MCP; what the model is told.
    async fn message(&self, id: u32) -> String {
        let post = |body: Value, session: &str| {
            let request = Client::new().post(self.test.url("/mcp")).bearer_auth(&self.supervisor);
            let request =
                if session.is_empty() { request } else { request.header("mcp-session-id", session) };
            request.json(&body).send()
        };
        let begin = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } } });
        let begun = post(begin, "").await.unwrap();
        let session = begun.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let arguments =
            json!({ "message": "The bench is broken.", "name": "Ana Lopez", "phone": "202-555-0143" });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "take_message", "arguments": arguments } });
        let _ = post(call.clone(), &session).await.unwrap();
        let told: Value = post(call, &session).await.unwrap().json().await.unwrap();
        told["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    async fn filed(&self) -> usize {
        self.store.list_work_items(WorkFilter::default()).await.unwrap().len()
    }

    async fn until_sent(&self, count: usize) {
        for _ in 0..200 {
            if self.list("sent").await.len() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("not sent: {:?}", self.list("pending").await);
    }
}

#[tokio::test]
async fn a_held_effect_is_made_once_a_person_says_so_and_never_otherwise() {
    let office = office().await;
    let told = office.message(1).await;
    assert!(told.contains("a person") && !told.contains("Reference"), "{told}");
    office.message(2).await;
    let held = office.list("held").await;
    assert_eq!(held.len(), 2, "each request once, though each was sent twice");
    assert_eq!(held[0]["tool"], "take_message");
    let shown = held[0]["payload"].to_string();
    assert!(!shown.contains("5550143") && shown.contains("bench"), "{shown}");
    assert_eq!(office.filed().await, 0);

    let (yes, no) = (&held[1]["id"], &held[0]["id"]);
    assert_eq!(office.decide(yes, "approve", &office.auditor).await.0, StatusCode::FORBIDDEN);
    let (status, approved) = office.decide(yes, "approve", &office.supervisor).await;
    assert_eq!((status, &approved["decided_by"]), (StatusCode::OK, &json!("program")));
    assert_eq!(office.decide(no, "reject", &office.supervisor).await.1["state"], "rejected");
    assert_eq!(office.decide(no, "approve", &office.supervisor).await.0, StatusCode::CONFLICT);
    assert_eq!(office.decide(&json!("nobody"), "approve", &office.supervisor).await.0, StatusCode::NOT_FOUND);
    office.until_sent(1).await;
    assert_eq!(office.filed().await, 1);
    let kept = &office.store.list_work_items(WorkFilter::default()).await.unwrap()[0];
    assert_eq!(kept.fields["phone"], "+12025550143");
}

#[tokio::test]
async fn what_was_sent_and_not_settled_is_sent_again_under_its_key_and_made_once() {
    let office = office().await;
    let new = NewOutgoing {
        idempotency_key: "call/1/t1".into(),
        destination: crate::outbox::deliver::DESK.into(),
        tool: "take_message".into(),
        held: false,
        call_id: None,
        passport_id: None,
        payload: json!({ "message": "The bench is broken." }),
    };
    // A process that takes it, makes the effect, and dies before it can say so. Its lease is over already.
    let dead = Uuid::from_u128(1);
    let row = office.store.put_outgoing(new).await.unwrap();
    let now = Utc::now() + TimeDelta::seconds(1);
    let taken = office.store.lease_outbox(Lease { owner: dead, now, until: now, limit: 4 }).await.unwrap();
    assert!(taken.len() <= 1, "the dispatcher may have been faster");
    let app = &office.test.gateway.app;
    let delivery = crate::outbox::deliver::deliver(app, &office.store, &row).await;
    assert!(matches!(delivery, crate::outbox::deliver::Delivery::Done(Some(_))), "{delivery:?}");
    assert_eq!(office.filed().await, 1);
    office.until_sent(1).await;
    assert_eq!(office.filed().await, 1);
    let kept = office.store.outgoing(row.id).await.unwrap().unwrap();
    assert!(kept.answer.unwrap()["reference"].as_str().unwrap().starts_with("MSG-"));
}

#[tokio::test]
async fn what_can_never_be_made_is_told_to_a_person() {
    let office = office().await;
    let new = NewOutgoing {
        idempotency_key: "k".into(),
        destination: "mcp:gone".into(),
        tool: "gone.book".into(),
        held: false,
        call_id: None,
        passport_id: None,
        payload: json!({}),
    };
    office.store.put_outgoing(new).await.unwrap();
    for _ in 0..200 {
        if office.filed().await == 1 {
            let failed = office.list("failed").await;
            assert_eq!(failed[0]["problem"], "no_destination");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("nobody was told");
}
