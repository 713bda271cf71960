//! Organisational memory over the API: who may what, what leaves, and what precedents say.

use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::{Auth, Directory, NewTenant, NewToken, Role};

use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const BASE: &str = "/v1/memory/organisation";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn token(test: &TestGateway, slug: &str, role: Role) -> String {
    let store = test.gateway.app.platform.store();
    let tenant = store.tenant_by_slug(slug).await.unwrap().unwrap().id;
    let new = NewToken { tenant_id: Some(tenant), name: "t".to_owned(), role, expires_at: None };
    store.create_token(new).await.unwrap().secret.expose_secret().to_owned()
}

async fn send(
    test: &TestGateway,
    method: Method,
    path: &str,
    token: &str,
    body: Value,
) -> (StatusCode, Value) {
    let asked = Client::new().request(method, test.url(path)).bearer_auth(token);
    let asked = if body.is_null() { asked } else { asked.json(&body) };
    let answer = asked.header("x-tenant", "riverbend").send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn post(test: &TestGateway, path: &str, body: Value) -> Value {
    let (status, answer) = send(test, Method::POST, &format!("{BASE}{path}"), ADMIN, body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

async fn get(test: &TestGateway, path: &str) -> Value {
    let (status, answer) = send(test, Method::GET, &format!("{BASE}{path}"), ADMIN, Value::Null).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

fn decision() -> Value {
    json!({
        "symbol": "decision.refund.1", "layer": "event", "type": "decision",
        "micro": "Refund of a pickup fee.", "summary": "Approved; told at +12025550143.", "full": "Call +12025550143.",
        "properties": {"outcome": "approved", "reason": "+12025550143 sent a photo", "factors": ["evidence"]},
        "relations": [{"relation": "applies", "to": "policy.refund.v1"}],
    })
}

async fn remember(test: &TestGateway) -> String {
    let policy = json!({"symbol": "policy.refund.v1", "layer": "operational", "type": "policy", "micro": "Refund in 30 days."});
    post(test, "/nodes", policy).await;
    post(test, "/nodes", decision()).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_was_decided_is_found_with_its_why_and_without_numbers() {
    let test = gateway().await;
    let id = remember(&test).await;
    let asked = json!({"case": "a refund of the pickup fee", "policies": ["policy.refund.v1"], "factors": ["evidence"]});
    let found = post(&test, "/precedents/search", asked.clone()).await;
    let first = &found["precedents"][0];
    assert_eq!(
        (&first["outcome"], &first["policies"][0]["symbol"]),
        (&json!("approved"), &json!("policy.refund.v1"))
    );
    assert_eq!(first["reason"], "⟨phone:1⟩ sent a photo");
    assert_eq!(first["standing"]["state"], "stands");

    let searched =
        post(&test, "/search", json!({"query": "refund of a pickup fee", "budget_tokens": 60})).await;
    assert_eq!(searched["results"][0]["symbol"], "decision.refund.1");
    assert!(searched["tokens"].as_u64().unwrap() <= 60);
    let read = get(&test, &format!("/nodes/{id}?resolution=full")).await;
    assert_eq!(
        (&read["text"], &read["summary"]),
        (&json!("Call ⟨phone:1⟩."), &json!("Approved; told at ⟨phone:1⟩."))
    );
    let related = get(&test, &format!("/nodes/{id}/relations")).await;
    assert_eq!(
        (&related["items"][0]["relation"], &related["items"][0]["direction"]),
        (&json!("applies"), &json!("from"))
    );
    let near = get(&test, "/associations?from=policy.refund.v1").await;
    assert_eq!(near["items"][0]["symbol"], "decision.refund.1");
    let listed = get(&test, "/nodes?layer=event").await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    for answer in [found, searched, read, related, near, listed] {
        assert!(!answer.to_string().contains("5550143"), "{answer}");
    }

    let newer = json!({
        "symbol": "decision.refund.2", "layer": "event", "type": "decision", "micro": "Refund of a pickup fee, on appeal.",
        "properties": {"outcome": "denied"}, "relations": [{"relation": "supersedes", "to": "decision.refund.1"}],
    });
    post(&test, "/nodes", newer).await;
    let found = post(&test, "/precedents/search", asked).await;
    let offered: Vec<&Value> = found["precedents"].as_array().unwrap().iter().map(|p| &p["symbol"]).collect();
    assert_eq!((offered, &found["left_out"]), (vec![&json!("decision.refund.2")], &json!(1)));
}

#[tokio::test]
async fn roles_and_tenants_are_kept_apart() {
    let test = gateway().await;
    let id = remember(&test).await;
    for role in [Role::Supervisor, Role::Auditor] {
        let token = token(&test, "riverbend", role).await;
        let node = format!("{BASE}/nodes/{id}");
        assert_eq!(send(&test, Method::GET, &node, &token, Value::Null).await.0, StatusCode::OK);
        for (method, path, body) in [
            (Method::POST, format!("{BASE}/nodes"), decision()),
            (Method::DELETE, node.clone(), Value::Null),
            (Method::PUT, format!("{node}/pin"), json!({"pinned": true})),
            (Method::POST, format!("{BASE}/types"), json!({"type": "a", "layer": "event"})),
        ] {
            assert_eq!(
                send(&test, method, &path, &token, body).await.0,
                StatusCode::FORBIDDEN,
                "{role} {path}"
            );
        }
    }
    let new = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    test.gateway.app.platform.create_tenant(new).await.unwrap();
    let theirs = token(&test, "oakdale", Role::TenantAdmin).await;
    let http = Client::new();
    for method in [Method::GET, Method::DELETE] {
        let asked = http.request(method, test.url(&format!("{BASE}/nodes/{id}"))).bearer_auth(&theirs);
        assert_eq!(asked.send().await.unwrap().status(), StatusCode::NOT_FOUND);
    }
    let asked = http.post(test.url(&format!("{BASE}/search"))).bearer_auth(&theirs);
    let found: Value = asked.json(&json!({"query": "refund"})).send().await.unwrap().json().await.unwrap();
    assert_eq!(found["results"], json!([]));
}

#[tokio::test]
async fn faults_are_named_and_values_are_not() {
    let test = gateway().await;
    let mut wrong = decision();
    wrong["properties"] = json!({"factors": "Ada Quist"});
    let (status, error) = send(&test, Method::POST, &format!("{BASE}/nodes"), ADMIN, wrong).await;
    assert_eq!((status, &error["error_code"]), (StatusCode::BAD_REQUEST, &json!("INVALID_PARAMETER")));
    assert!(!error.to_string().contains("Ada") && error.to_string().contains("factors"), "{error}");
    remember(&test).await;
    let (status, error) = send(&test, Method::POST, &format!("{BASE}/nodes"), ADMIN, decision()).await;
    assert_eq!((status, &error["error_code"]), (StatusCode::CONFLICT, &json!("CONFLICT")));
    let hostile = [
        ("/search", json!({"query": ""})),
        ("/search", json!({"query": "x".repeat(5_000)})),
        ("/search", json!({"query": "x", "limit": 0})),
        ("/search", json!({"query": "x", "budget_tokens": 9_000_000})),
        ("/precedents/search", json!({"case": "x", "factors": vec!["a"; 51]})),
        ("/relations", json!({"from": "a", "relation": "caused", "to": "decision.refund.1"})),
        (
            "/types",
            json!({"type": "x", "layer": "event", "properties_schema": {"$ref": "http://127.0.0.1:1/"}}),
        ),
    ];
    for (path, body) in hostile {
        let (status, error) = send(&test, Method::POST, &format!("{BASE}{path}"), ADMIN, body).await;
        assert!(status.is_client_error() && error["error_code"].is_string(), "{path}: {status} {error}");
    }
}

#[tokio::test]
async fn a_type_is_declared_and_not_promoted_before_its_time() {
    let test = gateway().await;
    let new = json!({"type": "site_habit", "layer": "entity", "properties_schema": {"type": "object", "required": ["site"]}});
    assert_eq!(post(&test, "/types", new).await["extension"]["state"], "experimental");
    let node = |properties: Value| json!({"symbol": "habit.1", "layer": "entity", "type": "site_habit", "micro": "Gate opens late.", "properties": properties});
    let (status, _) = send(&test, Method::POST, &format!("{BASE}/nodes"), ADMIN, node(json!({}))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    post(&test, "/nodes", node(json!({"site": "a"}))).await;
    let stands = get(&test, "/types/site_habit").await;
    assert_eq!(
        (&stands["assessment"]["nodes"], &stands["assessment"]["flagged_for_promotion"]),
        (&json!(1), &json!(false))
    );
    let path = format!("{BASE}/types/site_habit/promotion");
    let (status, error) = send(&test, Method::POST, &path, ADMIN, json!({"reason": "because"})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(error["error_message"].as_str().unwrap().contains("1 of 100 nodes"), "{error}");
    let types = get(&test, "/types").await;
    let names: Vec<&str> =
        types["items"].as_array().unwrap().iter().filter_map(|t| t["type"].as_str()).collect();
    assert!(names.contains(&"decision") && names.contains(&"site_habit"));
    let audit = "/v1/audit?action=organisation.type";
    let (_, entries) = send(&test, Method::GET, audit, ADMIN, Value::Null).await;
    let entry = &entries["items"][0];
    assert_eq!(
        (&entry["subject"]["id"], &entry["details"]["act"]),
        (&json!("site_habit"), &json!("declared")),
        "{entries}"
    );
}

#[tokio::test]
async fn a_question_to_all_of_memory_says_who_was_asked_and_why() {
    let test = gateway().await;
    remember(&test).await;
    let asked = json!({"query": "why was the refund of the pickup fee decided so"});
    let (status, routed) = send(&test, Method::POST, "/v1/memory/search", ADMIN, asked).await;
    assert_eq!(status, StatusCode::OK, "{routed}");
    let stores: Vec<&Value> = routed["routes"].as_array().unwrap().iter().map(|r| &r["store"]).collect();
    assert!(stores.contains(&&json!("organisational_memory")) && stores.contains(&&json!("task_history")));
    assert!(routed["routes"][0]["reasons"][0]["because"].is_string());
    let found = routed["items"].as_array().unwrap();
    assert!(found.iter().any(|item| item["id"] == "decision.refund.1"), "{routed}");
    assert!(!routed.to_string().contains("5550143"));
    crate::maintenance::once(&test.gateway.app).await.unwrap();
}
