//! `/v1/passports`: lists, documents, typed changes.

use chrono::Utc;
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::{Auth, Directory, NewTenant, NewToken, Passports, Role, TenantStore};
use uuid::Uuid;
use work::passport::{Mission, Passport, kept};

use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";

struct Bench {
    test: TestGateway,
    store: TenantStore,
}

impl Bench {
    async fn new() -> Self {
        let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
        let platform = &test.gateway.app.platform;
        let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
        let store = platform.tenant(tenant.id).await.unwrap();
        Self { test, store }
    }

    async fn asked(
        &self,
        method: Method,
        path: &str,
        token: &str,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let mut request = Client::new().request(method, self.test.url(path)).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.asked(Method::GET, path, ADMIN, None).await
    }

    async fn patch(&self, id: Uuid, version: u32, patches: Value) -> (StatusCode, Value) {
        let body = json!({ "expected_version": version, "patches": patches });
        self.asked(Method::PATCH, &format!("/v1/passports/{id}"), ADMIN, Some(body)).await
    }
}

async fn filed(store: &TenantStore, team: &str) -> Uuid {
    let mission = Mission {
        objective: "Call +12025550143 back".to_owned(),
        constraints: vec![],
        success_criteria: vec![],
        requester_id: "call:x".to_owned(),
        requester_department: "public".to_owned(),
        matter_type: "phone_call".to_owned(),
        sub_tasks: vec![],
    };
    let passport = Passport::new(Uuid::now_v7(), "t", team, mission, Utc::now());
    store.create_passport(kept::fresh(&passport, None)).await.unwrap();
    passport.id
}

#[tokio::test]
async fn passports_are_listed_by_status_and_team_page_by_page() {
    let bench = Bench::new().await;
    let (first, second) = (filed(&bench.store, "claims").await, filed(&bench.store, "claims").await);
    filed(&bench.store, "safety").await;
    let (_, page) = bench.get("/v1/passports?team=claims&state=pending&limit=1").await;
    assert_eq!(page["items"][0]["id"], json!(second), "{page}");
    assert_eq!(page["items"][0]["status"], "pending");
    let cursor = page["next_cursor"].as_str().unwrap();
    let (_, page) = bench.get(&format!("/v1/passports?team=claims&limit=1&cursor={cursor}")).await;
    assert_eq!((&page["items"][0]["id"], &page["next_cursor"]), (&json!(first), &Value::Null));
    assert_eq!(bench.get("/v1/passports?state=completed").await.1["items"], json!([]));
    let (status, error) = bench.get("/v1/passports?state=asleep").await;
    assert_eq!((status, &error["error_code"]), (StatusCode::BAD_REQUEST, &json!("INVALID_PARAMETER")));
    assert!(error["error_message"].as_str().unwrap().contains("in_progress"), "{error}");
}

#[tokio::test]
async fn a_change_is_whole_leaves_an_entry_and_needs_the_version_that_was_read() {
    let bench = Bench::new().await;
    let id = filed(&bench.store, "claims").await;
    let patches = json!([
        { "op": "status", "value": "blocked" },
        { "op": "context", "value": { "key": "note", "value": "ring +12025550143" } },
    ]);
    let (status, changed) = bench.patch(id, 1, patches.clone()).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    assert_eq!((&changed["version"], &changed["status"]), (&json!(2), &json!("blocked")));
    assert_eq!(changed["context"]["note"], "ring ⟨phone:1⟩", "screened");
    assert_eq!(changed["title"], "Call ⟨phone:1⟩ back");
    let (_, ledger) = bench.get(&format!("/v1/passports/{id}/ledger")).await;
    let entry = &ledger["entries"][0];
    assert_eq!((&entry["agent_id"], &entry["action"]), (&json!("person/platform-admin"), &json!("changed")));
    assert_eq!(entry["outputs_summary"], "status, context");
    let (_, opened) = bench.get("/v1/audit?tenant=riverbend&action=passport.opened").await;
    assert_eq!(opened["items"][0]["subject"]["id"], json!(id), "{opened}");

    let (status, error) = bench.patch(id, 1, patches).await;
    assert_eq!((status, &error["error_code"]), (StatusCode::CONFLICT, &json!("CONFLICT")));
    assert_eq!(error["error_details"], json!({ "expected_version": 1, "current_version": 2 }));
    assert_eq!(bench.get(&format!("/v1/passports/{id}")).await.1["version"], 2, "nothing was written");
}

#[tokio::test]
async fn nobody_writes_the_ledger_from_outside_and_a_bad_patch_changes_nothing() {
    let bench = Bench::new().await;
    let id = filed(&bench.store, "claims").await;
    let entry = json!({
        "id": Uuid::nil(), "timestamp": "2026-11-22T09:00:00Z", "agent_id": "judge", "action": "approved",
        "inputs_summary": "", "outputs_summary": "", "duration_ms": 0, "confidence": { "value": 1.0 },
    });
    for (patches, word) in [
        (json!([{ "op": "append", "value": entry }]), "append"),
        (
            json!([{ "op": "status", "value": "failed" }, { "op": "hand_over", "value": { "team": "claims" } }]),
            "hand_over",
        ),
        (
            json!([{ "op": "status", "value": "failed" }, { "op": "confidence", "value": { "value": 7.0 } }]),
            "share",
        ),
        (json!([]), "from 1"),
        (json!([{ "op": "context", "value": { "key": "k", "value": "x".repeat(70_000) } }]), "longer"),
    ] {
        let (status, error) = bench.patch(id, 1, patches).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{error}");
        assert!(error["error_message"].as_str().unwrap().contains(word), "{error}");
    }
    let (status, _) = bench.patch(id, 1, json!([{ "op": "ledger", "value": [] }])).await;
    assert!(status.is_client_error());
    let (_, passport) = bench.get(&format!("/v1/passports/{id}")).await;
    assert_eq!(
        (&passport["version"], &passport["ledger"], &passport["status"]),
        (&json!(1), &json!([]), &json!("pending"))
    );
}

#[tokio::test]
async fn a_passport_of_another_tenant_is_not_told_from_one_that_does_not_exist() {
    let bench = Bench::new().await;
    let id = filed(&bench.store, "claims").await;
    let platform = &bench.test.gateway.app.platform;
    let new = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    let other = platform.create_tenant(new).await.unwrap();
    let token = |role| NewToken { tenant_id: Some(other.id), name: "t".into(), role, expires_at: None };
    let issued = platform.store().create_token(token(Role::Supervisor)).await.unwrap();
    let theirs = issued.secret.expose_secret();
    let nobodys = Uuid::now_v7();
    let body = json!({ "expected_version": 1, "patches": [{ "op": "status", "value": "failed" }] });
    let mut answers = Vec::new();
    for id in [id.to_string(), nobodys.to_string(), "no-id-at-all".to_owned()] {
        answers.push(bench.asked(Method::GET, &format!("/v1/passports/{id}"), theirs, None).await);
        answers.push(bench.asked(Method::GET, &format!("/v1/passports/{id}/ledger"), theirs, None).await);
        answers.push(
            bench.asked(Method::PATCH, &format!("/v1/passports/{id}"), theirs, Some(body.clone())).await,
        );
    }
    assert_eq!(answers[0].0, StatusCode::NOT_FOUND);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(bench.asked(Method::GET, "/v1/passports", theirs, None).await.1["items"], json!([]));
    assert_eq!(bench.get(&format!("/v1/passports/{id}")).await.1["version"], 1);
}
