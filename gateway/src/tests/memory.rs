//! Memory of callers over the API, and looking through calls.

use chrono::Utc;
use pipeline::ports::Language;
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::memory::{NewSuggestion, ReviewOutcome, SuggestionFilter};
use storage::records::{CallEntry, Direction, LogRow, NewCall};
use storage::zones::CallerNumber;
use storage::{Auth, CallId, Calls, Directory, NewTenant, NewToken, Role, TenantId, TenantStore};

use crate::memory::recall::recall;
use crate::memory::review::review;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const CALLER: &str = "+12025550143";

async fn gateway() -> (TestGateway, TenantStore) {
    let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (test, store)
}

async fn ask(test: &TestGateway, method: Method, path: &str, token: &str) -> (StatusCode, Value) {
    let answer = Client::new().request(method, test.url(path)).bearer_auth(token).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn token(test: &TestGateway, tenant: TenantId, role: Role) -> String {
    let new = NewToken { tenant_id: Some(tenant), name: "t".into(), role, expires_at: None };
    test.gateway.app.platform.store().create_token(new).await.unwrap().secret.expose_secret().to_owned()
}

/// A finished call in which the caller said this.
async fn finished(store: &TenantStore, caller: Option<&str>, said: &[&str]) -> CallId {
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: caller.map(str::to_owned),
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: None,
        started_at: Utc::now(),
    };
    let id = store.begin_call(call).await.unwrap().id;
    let entry = |turn: u32, text: &str| CallEntry::CallerTurn {
        turn,
        text: text.into(),
        started_ms: 0,
        ended_ms: 9,
        confidence: 0.9,
    };
    let rows: Vec<LogRow> = (1..)
        .zip(said)
        .map(|(turn, text)| LogRow { seq: turn.into(), at_ms: 1, entry: entry(turn, text) })
        .collect();
    store.append(id, &rows).await.unwrap();
    store.end_call(id, "failed", Utc::now()).await.unwrap();
    id
}

#[tokio::test]
async fn a_call_is_looked_through_as_often_as_a_kill_wants_and_gives_its_facts_once() {
    let (test, store) = gateway().await;
    let memory = test.gateway.app.memory.of(&store).await.unwrap();
    let said =
        ["Call me Pat. I live at 12 Oak Street.", "I'm calling about my fence permit since my surgery."];
    let call = finished(&store, Some(CALLER), &said).await;
    for _ in 0..3 {
        assert_eq!(review(&memory, call, Language::En).await.unwrap(), ReviewOutcome::Reviewed);
    }
    let known = memory.reader.get_memory(CALLER).await.unwrap().unwrap();
    let facts: Vec<_> = known.memories.iter().map(|m| (m.key.as_str(), m.value.as_str())).collect();
    assert_eq!(facts, [("name_to_use", "Pat"), ("property", "12 Oak Street")]);
    let suggestions = memory.reader.suggestions(SuggestionFilter::default()).await.unwrap();
    assert_eq!(suggestions.len(), 3);
    let refused = suggestions.iter().find(|s| s.key == "open_matter").unwrap();
    assert_eq!(refused.decision.as_ref().unwrap().reason, "health");
    assert!(refused.value.is_empty(), "what is refused is not kept: {refused:?}");
    let playbook = memory.reader.playbook_updates().await.unwrap();
    assert_eq!(playbook.len(), 1);
    assert_eq!((playbook[0].topic.as_str(), playbook[0].agent_id.as_str()), ("call_failed", "optimizer"));
    let since = Utc::now() - chrono::TimeDelta::hours(1);
    assert!(!memory.extractor.calls_to_review(since, 50).await.unwrap().contains(&call));
}

#[tokio::test]
async fn a_call_without_a_number_leaves_nothing_and_is_not_looked_at_again() {
    let (test, store) = gateway().await;
    let memory = test.gateway.app.memory.of(&store).await.unwrap();
    let call = finished(&store, None, &["Call me Pat."]).await;
    assert_eq!(review(&memory, call, Language::En).await.unwrap(), ReviewOutcome::Nothing);
    assert!(memory.reader.suggestions(SuggestionFilter::default()).await.unwrap().is_empty());
}

#[tokio::test]
async fn who_withholds_the_number_is_nobody_to_memory() {
    let (test, store) = gateway().await;
    let memory = test.gateway.app.memory.of(&store).await.unwrap();
    for from in ["+266696687", "Anonymous", "Restricted", "+7378742833", "+86282452253"] {
        let call = finished(&store, Some(from), &["Call me Pat. I live at 12 Oak Street."]).await;
        assert_eq!(review(&memory, call, Language::En).await.unwrap(), ReviewOutcome::Nothing, "{from}");
        assert!(memory.reader.get_memory(from).await.unwrap().is_none(), "{from}");
    }
    assert!(memory.reader.suggestions(SuggestionFilter::default()).await.unwrap().is_empty());
    let (_, listed) = ask(&test, Method::GET, "/v1/memory/contacts", ADMIN).await;
    assert_eq!(listed["items"], json!([]));
}

#[tokio::test]
async fn a_call_begins_with_what_is_known_and_a_stranger_with_nothing() {
    let (test, store) = gateway().await;
    let office = &test.gateway.app.memory;
    let memory = office.of(&store).await.unwrap();
    let call = finished(&store, Some(CALLER), &["Prefiero hablar en español."]).await;
    review(&memory, call, Language::En).await.unwrap();
    let known = recall(office, &store, CallerNumber::of("(202) 555-0143").as_ref()).await;
    assert_eq!(known.language, Some(Language::Es));
    assert_eq!((known.facts.len(), known.facts[0].value.as_str()), (1, "es"));
    assert!(!format!("{known:?}").contains("\"es\""), "values are not shown: {known:?}");
    for stranger in ["", "+12025550199", "anonymous"] {
        let nothing = recall(office, &store, CallerNumber::of(stranger).as_ref()).await;
        assert!(nothing.facts.is_empty() && nothing.language.is_none());
    }
}

#[tokio::test]
async fn contacts_suggestions_and_decisions_are_shown_with_tokens_and_forgotten_by_who_may() {
    let (test, store) = gateway().await;
    let memory = test.gateway.app.memory.of(&store).await.unwrap();
    for (key, value) in [("name_to_use", "Wilhelmina"), ("preferred_language", "es"), ("shoe_size", "nine")] {
        let new = NewSuggestion {
            caller: CALLER.into(),
            call_id: None,
            idempotency_key: key.into(),
            key: key.into(),
            value: value.into(),
            confidence: 0.9,
        };
        memory.extractor.suggest(new).await.unwrap();
    }
    memory.manager.review(None).await.unwrap();
    let (_, listed) = ask(&test, Method::GET, "/v1/memory/contacts", ADMIN).await;
    let path = format!("/v1/memory/contacts/{}", listed["items"][0]["id"].as_str().unwrap());
    let (status, contact) = ask(&test, Method::GET, &path, ADMIN).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(contact["memories"][0]["value"], "⟨name:1⟩", "{contact}");
    assert_eq!(contact["memories"][1]["value"], "es");
    let (_, suggestions) = ask(&test, Method::GET, "/v1/memory/suggestions?limit=2", ADMIN).await;
    assert_eq!(suggestions["items"][0]["decision"]["reason"], "not_business_relevant");
    assert_eq!(suggestions["items"].as_array().unwrap().len(), 2);
    assert!(suggestions["next_cursor"].is_string());
    for shown in [&contact, &suggestions, &listed] {
        let text = shown.to_string();
        assert!(!text.contains("Wilhelmina") && !text.contains("5550143"), "{text}");
    }

    let other = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    let other = test.gateway.app.platform.create_tenant(other).await.unwrap();
    let stranger = token(&test, other.id, Role::TenantAdmin).await;
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(ask(&test, method, &path, &stranger).await.0, StatusCode::NOT_FOUND);
    }
    let auditor = token(&test, store.id(), Role::Auditor).await;
    assert_eq!(ask(&test, Method::GET, &path, &auditor).await.0, StatusCode::OK);
    assert_eq!(ask(&test, Method::DELETE, &path, &auditor).await.0, StatusCode::FORBIDDEN);
    assert_eq!(ask(&test, Method::GET, "/v1/memory/contacts/no-id", ADMIN).await.0, StatusCode::NOT_FOUND);

    let supervisor = token(&test, store.id(), Role::Supervisor).await;
    for deleted in [true, false] {
        let (status, answer) = ask(&test, Method::DELETE, &path, &supervisor).await;
        assert_eq!(
            (status, &answer["deleted"], &answer["opt_out"]),
            (StatusCode::OK, &json!(deleted), &json!(true))
        );
    }
    let (_, contact) = ask(&test, Method::GET, &path, ADMIN).await;
    assert_eq!((&contact["opt_out"], &contact["memories"]), (&json!(true), &json!([])));
    assert_eq!(contact["decisions"][0]["reason"], "asked_of_office");
    let audit = "/v1/audit?tenant=riverbend&action=memory.contact_forgotten";
    let (_, entries) = ask(&test, Method::GET, audit, ADMIN).await;
    let told = entries["items"].as_array().unwrap().iter().rev().map(|entry| &entry["details"]["deleted"]);
    assert_eq!(told.collect::<Vec<_>>(), [&json!(true), &json!(false)], "{entries}");
    assert_eq!(entries["items"][0]["actor"], json!({ "kind": "token", "id": "t" }));
}

#[tokio::test]
async fn the_roles_are_those_of_the_three_layers() {
    let (test, _) = gateway().await;
    let (_, roles) = ask(&test, Method::GET, "/v1/memory/roles", ADMIN).await;
    let of =
        |name: &str| roles["items"].as_array().unwrap().iter().find(|r| r["role"] == name).unwrap().clone();
    assert_eq!(of("memory_manager")["writes"], json!(["contacts", "memories"]));
    for role in ["orchestrator", "specialist", "without_memory"] {
        assert_eq!(of(role)["writes"], json!([]), "{role}");
    }
    assert_eq!(of("without_memory")["reads"], json!([]));
    assert!(of("without_memory")["agents"].as_array().unwrap().contains(&json!("coder")));
}
