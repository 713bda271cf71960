//! `/v1/work-items`: requests are found, taken on, written about and closed by people, each as their role allows.

use std::sync::Arc;

use futures_util::FutureExt;
use governance::pii::Redactor;
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::{Auth, Directory, NewTenant, NewToken, NewUser, Role, TenantId, TenantStore, WorkItems};

use crate::simulated::{TestGateway, engines};

const ADMIN: &str = "an-admin-token-of-the-test";

struct Desk {
    test: TestGateway,
    store: TenantStore,
    clerk: String,
}

async fn token(test: &TestGateway, tenant: TenantId, name: &str, role: Role) -> String {
    let new = NewToken { tenant_id: Some(tenant), name: name.into(), role, expires_at: None };
    let issued = test.gateway.app.platform.store().create_token(new).await.unwrap();
    issued.secret.expose_secret().to_owned()
}

async fn desk() -> Desk {
    let real_screen = |platform| {
        engines(platform)
            .map(|made| {
                let mut providers = made?;
                providers.screen = Arc::new(|_| Box::new(Redactor::default()));
                Ok(providers)
            })
            .boxed()
    };
    let change = |config: &mut crate::config::Config| config.admin_token = Some(SecretString::from(ADMIN));
    let test = TestGateway::with(change, real_screen).await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let clerk = token(&test, tenant.id, "ana", Role::Clerk).await;
    Desk { test, store, clerk }
}

impl Desk {
    async fn asked(&self, method: Method, path: &str, who: &str, body: Option<Value>) -> (StatusCode, Value) {
        let mut request = Client::new().request(method, self.test.url(path)).bearer_auth(who);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str) -> Value {
        let (status, answer) = self.asked(Method::GET, path, &self.clerk, None).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    async fn act(&self, who: &str, reference: &str, act: &str, body: Value) -> (StatusCode, Value) {
        let path = format!("/v1/work-items/{reference}/{act}");
        self.asked(Method::POST, &path, who, Some(body)).await
    }

    async fn file(&self, key: &str, fields: Value, priority: Priority) -> String {
        let new = NewWorkItem {
            kind: WorkKind::Incident,
            idempotency_key: key.into(),
            reference: None,
            call_id: None,
            passport_id: None,
            priority,
            caller: Some("+12025550143".into()),
            fields,
        };
        self.store.file_work_item(new).await.unwrap().reference
    }

    async fn references(&self, query: &str) -> Vec<String> {
        let page = self.get(&format!("/v1/work-items?{query}")).await;
        let items = page["items"].as_array().unwrap();
        items.iter().map(|item| item["reference"].as_str().unwrap().to_owned()).collect()
    }
}

fn pothole() -> Value {
    json!({ "what": "A pothole broke my axle", "where": "Elm Street", "name": "Ottoline Przybylski", "phone": "+12025550143" })
}

#[tokio::test]
async fn a_request_is_claimed_written_about_and_closed() {
    let desk = desk().await;
    let reference = desk.file("k", pothole(), Priority::Normal).await;
    let tenant = desk.store.id();
    let supervisor = token(&desk.test, tenant, "bo", Role::Supervisor).await;

    let (status, claimed) = desk.act(&desk.clerk, &reference, "claim", json!({})).await;
    assert_eq!(
        (status, &claimed["status"], &claimed["assignee"]),
        (StatusCode::OK, &json!("in_progress"), &json!("ana"))
    );
    let (status, refused) = desk.act(&supervisor, &reference, "claim", json!({})).await;
    assert_eq!((status, &refused["error_details"]["assignee"]), (StatusCode::CONFLICT, &json!("ana")));
    let note = json!({ "text": "Told 202-555-0143 that the crew comes on Thursday." });
    let (status, noted) = desk.act(&supervisor, &reference, "note", note).await;
    assert_eq!(status, StatusCode::OK);
    assert!(!noted.to_string().contains("5550143"), "{noted}");
    assert_eq!(noted["history"][1]["note"], "Told ⟨phone:1⟩ that the crew comes on Thursday.");

    for (body, parameter) in [
        (json!({ "result": "done", "outcome": " " }), "outcome"),
        (json!({ "result": "declined", "outcome": "State road" }), "reason"),
    ] {
        let (status, refused) = desk.act(&desk.clerk, &reference, "close", body).await;
        assert_eq!(
            (status, &refused["error_details"]["parameter"]),
            (StatusCode::BAD_REQUEST, &json!(parameter))
        );
    }
    let done = json!({ "result": "done", "outcome": "Filled." });
    assert_eq!(desk.act(&supervisor, &reference, "close", done.clone()).await.0, StatusCode::CONFLICT);
    let (status, closed) = desk.act(&desk.clerk, &reference, "close", done.clone()).await;
    assert_eq!(
        (status, &closed["status"], &closed["overdue"]),
        (StatusCode::OK, &json!("done"), &json!(false))
    );
    assert_eq!(desk.act(&desk.clerk, &reference, "close", done).await.0, StatusCode::CONFLICT);
    let (status, open) =
        desk.act(&desk.clerk, &reference, "reopen", json!({ "reason": "It sank in." })).await;
    assert_eq!((status, &open["status"], &open["assignee"]), (StatusCode::OK, &json!("open"), &Value::Null));

    let told = desk.get(&format!("/v1/work-items/{}", reference.to_lowercase())).await;
    let acts: Vec<&str> =
        told["history"].as_array().unwrap().iter().map(|a| a["act"].as_str().unwrap()).collect();
    assert_eq!(acts, ["claimed", "noted", "done", "reopened"]);
    let (_, audit) =
        desk.asked(Method::GET, "/v1/audit?tenant=riverbend&action=work_item.changed", ADMIN, None).await;
    assert_eq!(audit["items"].as_array().unwrap().len(), 4, "{audit}");
}

#[tokio::test]
async fn a_token_is_revealed_to_who_may_and_the_look_is_on_the_audit() {
    let desk = desk().await;
    let fields = json!({ "what": "Call 202-555-0177 or me", "name": "Ottoline Przybylski", "phone": "+12025550143", "card": "4111 1111 1111 1111" });
    let reference = desk.file("k", fields, Priority::Normal).await;
    let item = desk.get(&format!("/v1/work-items/{reference}")).await;
    // A time may hold any digits.
    let mut timeless = item.clone();
    (timeless["created_at"], timeless["due_at"]) = (json!(null), json!(null));
    let shown = timeless.to_string();
    for said in ["0143", "0177", "Ottoline", "1111"] {
        assert!(!shown.contains(said), "{said}: {shown}");
    }
    let field = |name: &str| {
        let all = item["fields"].as_array().unwrap();
        all.iter().find(|field| field["name"] == name).unwrap()["value"].as_str().unwrap().to_owned()
    };
    let reveal = async |token: &str| {
        desk.act(&desk.clerk, &reference, "reveal", json!({ "token": token, "reason": "Calling back" })).await
    };
    assert_eq!(reveal(&field("phone")).await.1["value"], "2025550143");
    assert_eq!(reveal(&field("name")).await.1["value"], "Ottoline Przybylski");
    let what = field("what");
    let token = what.split_whitespace().find(|word| word.contains("phone")).unwrap();
    assert!(
        reveal(token).await.1["value"].as_str().unwrap().ends_with("2025550177"),
        "{:?}",
        reveal(token).await
    );
    for nothing in ["⟨phone:9⟩", "phone", "", &field("card")] {
        assert_eq!(reveal(nothing).await.0, StatusCode::NOT_FOUND, "{nothing}");
    }
    let tenant = desk.store.id();
    for role in [Role::Auditor, Role::AgentAdmin] {
        let who = token_of(&desk, tenant, role).await;
        let (status, _) = desk.act(&who, &reference, "reveal", json!({ "token": "⟨phone:1⟩" })).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{role}");
    }
    let (_, audit) =
        desk.asked(Method::GET, "/v1/audit?tenant=riverbend&action=personal.revealed", ADMIN, None).await;
    let entries = audit["items"].as_array().unwrap();
    assert_eq!(entries.len(), 3, "{audit}");
    assert!(!audit.to_string().contains("5550143") && !audit.to_string().contains("Ottoline"), "{audit}");
}

async fn token_of(desk: &Desk, tenant: TenantId, role: Role) -> String {
    token(&desk.test, tenant, role.as_str(), role).await
}

#[tokio::test]
async fn a_request_is_given_to_a_user_of_the_tenant_and_back() {
    let desk = desk().await;
    let reference = desk.file("k", pothole(), Priority::Normal).await;
    let new = NewUser {
        tenant_id: Some(desk.store.id()),
        login: "bo".into(),
        display_name: "Bo".into(),
        role: Role::Clerk,
    };
    desk.test.gateway.app.platform.store().create_user(new).await.unwrap();
    let (status, given) = desk.act(&desk.clerk, &reference, "assign", json!({ "user": "bo" })).await;
    assert_eq!(
        (status, &given["assignee"], &given["status"]),
        (StatusCode::OK, &json!("bo"), &json!("in_progress"))
    );
    let (status, open) = desk.act(&desk.clerk, &reference, "reopen", json!({ "reason": "x" })).await;
    assert_eq!((status, &open["error_details"]["status"]), (StatusCode::CONFLICT, &json!("in_progress")));
    let (_, back) = desk.act(&desk.clerk, &reference, "assign", json!({ "user": null })).await;
    assert_eq!((&back["assignee"], &back["status"]), (&Value::Null, &json!("open")));
}

#[tokio::test]
async fn requests_are_found_by_state_holder_and_words() {
    let desk = desk().await;
    let pothole = desk.file("k1", pothole(), Priority::Normal).await;
    let lamp = desk.file("k2", json!({ "what": "The street light is out" }), Priority::Urgent).await;
    desk.act(&desk.clerk, &lamp, "claim", json!({})).await;
    assert_eq!(desk.references("state=open").await, [pothole.as_str()]);
    assert_eq!(desk.references("assignee=me").await, [lamp.as_str()]);
    assert_eq!(desk.references("assignee=bo").await, Vec::<String>::new());
    assert_eq!(desk.references("q=AXLE").await, [pothole.as_str()]);
    assert_eq!(desk.references(&format!("q={}", lamp.to_lowercase())).await, [lamp.as_str()]);
    assert_eq!(desk.references("kind=message").await, Vec::<String>::new());
    for wrong in ["state=lost", "kind=fire"] {
        let (status, _) =
            desk.asked(Method::GET, &format!("/v1/work-items?{wrong}"), &desk.clerk, None).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let urgent = desk.get(&format!("/v1/work-items/{lamp}")).await;
    assert!(urgent["due_at"].as_str().unwrap() > urgent["created_at"].as_str().unwrap());
}

#[tokio::test]
async fn a_search_goes_on_where_it_stopped() {
    let desk = desk().await;
    for n in 0..5 {
        desk.file(&format!("k{n}"), json!({ "what": format!("pothole number {n}") }), Priority::Normal).await;
    }
    let first = desk.get("/v1/work-items?q=pothole&limit=2").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = desk.get(&format!("/v1/work-items?q=pothole&limit=3&cursor={cursor}")).await;
    let seen: std::collections::BTreeSet<String> = [&first, &second]
        .iter()
        .flat_map(|page| page["items"].as_array().unwrap())
        .map(|item| item["reference"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(seen.len(), 5);
}

#[tokio::test]
async fn nobody_acts_on_another_tenants_request_nor_without_the_right() {
    let desk = desk().await;
    let reference = desk.file("k", pothole(), Priority::Normal).await;
    let new = NewTenant { slug: "lake".into(), name: "Lake".into(), timezone: "UTC".into() };
    let lake = desk.test.gateway.app.platform.create_tenant(new).await.unwrap();
    let stranger = token(&desk.test, lake.id, "eve", Role::Clerk).await;
    let auditor = token(&desk.test, desk.store.id(), "aud", Role::Auditor).await;
    for (act, body) in [
        ("claim", json!({})),
        ("assign", json!({ "user": null })),
        ("note", json!({ "text": "x" })),
        ("close", json!({ "result": "done", "outcome": "x" })),
        ("reopen", json!({ "reason": "x" })),
        ("reveal", json!({ "token": "⟨phone:1⟩" })),
    ] {
        assert_eq!(
            desk.act(&stranger, &reference, act, body.clone()).await.0,
            StatusCode::NOT_FOUND,
            "{act}"
        );
        assert_eq!(desk.act(&auditor, &reference, act, body).await.0, StatusCode::FORBIDDEN, "{act}");
    }
    let (status, refused) = desk.act(&desk.clerk, &reference, "assign", json!({ "user": "eve" })).await;
    assert_eq!((status, &refused["error_details"]["parameter"]), (StatusCode::BAD_REQUEST, &json!("user")));
    assert_eq!(desk.get(&format!("/v1/work-items/{reference}")).await["history"], json!([]));
}
