//! Reviews in a running gateway, and what they say of autonomy.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::records::{NewPassport, NewWorkItem, Priority, WorkKind};
use storage::{Auth, Directory, NewToken, PassportId, Passports, Reviews, Role, TenantStore, WorkItems};
use work::review::ACTION;

use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn store(test: &TestGateway) -> TenantStore {
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    platform.tenant(tenant.id).await.unwrap()
}

async fn finished(store: &TenantStore) -> PassportId {
    let id = PassportId::new();
    let mut passport = work::passport::Passport::for_call(id.0, store.id().0, id.0, chrono::Utc::now());
    passport.status = work::passport::Status::Completed;
    passport.add_ledger_entry(work::passport::LedgerEntry {
        id: id.0,
        timestamp: chrono::Utc::now(),
        agent_id: "front_desk".into(),
        action: "turn".into(),
        inputs_summary: "speech".into(),
        outputs_summary: "answered".into(),
        duration_ms: 5,
        tokens_used: 0,
        cost_usd: 0.0,
        confidence: work::passport::ConfidenceVector::of(0.9, 1),
        tool_calls: Vec::new(),
        notes: String::new(),
    });
    let new = NewPassport {
        id,
        team_id: passport.team_id.clone(),
        status: "completed".into(),
        call_id: None,
        document: serde_json::to_value(&passport).unwrap(),
    };
    store.create_passport(new).await.unwrap().id
}

async fn reviewed(store: &TenantStore, id: PassportId) {
    for _ in 0..200 {
        if store.review(id).await.unwrap().is_some() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("never reviewed");
}

async fn autonomy(test: &TestGateway, token: &str) -> (StatusCode, Value) {
    let asked = Client::new().get(test.url("/v1/autonomy")).bearer_auth(token);
    let answer = asked.header("x-tenant", "riverbend").send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

#[tokio::test]
async fn a_finished_passport_is_reviewed_once_and_autonomy_tells_of_it() {
    let test = gateway().await;
    let store = store(&test).await;
    let id = finished(&store).await;
    test.gateway.app.reviewing.notify_one();
    reviewed(&store, id).await;
    let kept = store.passport(id).await.unwrap().unwrap();
    let entries =
        kept.document["ledger"].as_array().unwrap().iter().filter(|e| e["action"] == ACTION).count();
    assert_eq!((entries, kept.version), (1, 2));
    let episode = work::organisation::episode::symbol(id.0);
    assert_eq!(kept.document["emitted_symbols"], json!([episode]));
    let node = store.organisation().node_by_symbol(&episode).await.unwrap().unwrap();
    assert_eq!((node.author, node.node_type.as_str()), (storage::organisation::Author::Review, "episode"));
    let (status, answer) = autonomy(&test, ADMIN).await;
    assert_eq!(
        (status, &answer["items"]),
        (StatusCode::OK, &json!([])),
        "nobody has decided, and it is no record"
    );

    // Whoever closes the request that it left says that what was taken down was not so.
    let item = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "k".into(),
        reference: None,
        call_id: None,
        passport_id: Some(id),
        priority: Priority::Normal,
        caller: None,
        fields: json!({}),
    };
    let item = store.file_work_item(item).await.unwrap().id;
    let body = json!({ "result": "done", "outcome": "It was on Elm Street.", "line_was_right": false });
    let path = test.url(&format!("/v1/work-items/{item}/close"));
    let closed = Client::new().post(path).bearer_auth(ADMIN).header("x-tenant", "riverbend").json(&body);
    let closed: Value = closed.send().await.unwrap().json().await.unwrap();
    assert_eq!(closed["history"][0]["line_was_right"], json!(false), "{closed}");
    while store.review(id).await.unwrap().unwrap().verdict.is_none() {
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let (_, answer) = autonomy(&test, ADMIN).await;
    let agent = &answer["items"][0];
    assert_eq!((&agent["agent_id"], &agent["level"]), (&json!("front_desk"), &json!(1)), "{answer}");
    assert_eq!(
        (&agent["metrics"]["completed_tasks"], &agent["metrics"]["accuracy_rate"]),
        (&json!(1), &json!(0.0))
    );
    assert_eq!(agent["allows"]["can_skip_review"], false);
}

#[tokio::test]
async fn autonomy_tells_what_an_agent_acts_on_beside_what_it_has_earned() {
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        config.tools.autonomy = 2;
    })
    .await;
    let store = store(&test).await;
    let id = PassportId::new();
    // Not finished: nobody else reviews it.
    let new = NewPassport {
        id,
        team_id: "front_desk".into(),
        status: "pending".into(),
        call_id: None,
        document: json!({}),
    };
    let at = store.create_passport(new).await.unwrap().created_at;
    let outcome = |agent: &str| storage::review_records::AgentOutcome {
        agent_id: agent.into(),
        task_type: "phone_call".into(),
        predicted: 0.9,
        correct: Some(true),
        escalated: false,
    };
    let earned = |agent: &str| storage::review_records::AutonomyChange {
        id: uuid::Uuid::now_v7(),
        agent_id: agent.into(),
        from_level: 1,
        to_level: 3,
        reason: "measured".into(),
        changed_at: at,
    };
    let review = storage::review_records::NewReview {
        passport: id,
        success: true,
        verdict: None,
        effectiveness: 1.0,
        reviewed_at: at,
        document: json!({}),
        change: None,
        outcomes: vec![outcome("front_desk")],
        autonomy: vec![earned("front_desk")],
    };
    assert!(store.file_review(review).await.unwrap());
    let (_, answer) = autonomy(&test, ADMIN).await;
    let agent = &answer["items"][0];
    assert_eq!((&agent["level"], &agent["acts_on"]), (&json!(3), &json!(2)), "{answer}");
    assert_eq!(agent["allows"]["level"], 2);
}

#[tokio::test]
async fn autonomy_is_for_tenant_admins_and_auditors() {
    let test = gateway().await;
    let store = store(&test).await;
    let platform = test.gateway.app.platform.store();
    for (role, expected) in [
        (Role::TenantAdmin, StatusCode::OK),
        (Role::Auditor, StatusCode::OK),
        (Role::Supervisor, StatusCode::FORBIDDEN),
        (Role::AgentAdmin, StatusCode::FORBIDDEN),
    ] {
        let new = NewToken { tenant_id: Some(store.id()), name: "t".into(), role, expires_at: None };
        let issued = platform.create_token(new).await.unwrap();
        let token = issued.secret.expose_secret().to_owned();
        assert_eq!(autonomy(&test, &token).await.0, expected, "{role:?}");
    }
}
