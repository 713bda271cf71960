//! A tenant's words and budget over the API, and what the process tells of itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use pipeline::lexicon::Lexicon;
use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::records::{CallEntry, Direction, LogRow, NewCall};
use storage::{Auth, CallId, Calls, Directory, NewTenant, NewToken, Role, TenantId, TenantStore};

use crate::config::Config;
use crate::providers::Loaded;
use crate::providers::lineup::{Lineup, Renew};
use crate::simulated::{TestGateway, engines};

const ADMIN: &str = "an-admin-token-of-the-test";

async fn gateway() -> TestGateway {
    TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn get(test: &TestGateway, path: &str, token: &str) -> (StatusCode, Value) {
    let answer = Client::new().get(test.url(path)).bearer_auth(token).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn put(test: &TestGateway, path: &str, token: &str, body: Value) -> (StatusCode, Value) {
    let asked = Client::new().put(test.url(path)).bearer_auth(token).json(&body);
    let answer = asked.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn token(test: &TestGateway, slug: &str, role: Role) -> String {
    use secrecy::ExposeSecret;
    let store = test.gateway.app.platform.store();
    let tenant = store.tenant_by_slug(slug).await.unwrap().unwrap().id;
    let new = NewToken { tenant_id: Some(tenant), name: "t".to_owned(), role, expires_at: None };
    store.create_token(new).await.unwrap().secret.expose_secret().to_owned()
}

async fn riverbend(test: &TestGateway) -> TenantStore {
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    platform.tenant(tenant.id).await.unwrap()
}

#[tokio::test]
async fn changed_pronunciations_and_new_tenants_have_their_sentences_rendered_anew() {
    let renewed: Arc<Mutex<Vec<(TenantId, String)>>> = Arc::default();
    let noted = renewed.clone();
    let loaded = move |platform| -> BoxFuture<'static, anyhow::Result<Loaded>> {
        Box::pin(async move {
            let renew: Renew = Arc::new(move |tenant, lexicon| {
                noted.lock().push((tenant, lexicon.version().to_owned()));
            });
            let lineup = Lineup { renew, ..Lineup::default() };
            Ok(Loaded { lineup, ..engines(platform).await?.into() })
        })
    };
    let admin = |config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN));
    let test = TestGateway::with(admin, loaded).await;
    let (path, id) = ("/v1/tenants/riverbend/pronunciations", riverbend(&test).await.id());
    let version =
        |sound: &str| Lexicon::new([("Puyallup".to_owned(), sound.to_owned())]).version().to_owned();
    for sound in ["poo-yallup", "pew-AL-up"] {
        let sounds = json!({"pronunciations": {"Puyallup": sound}});
        assert_eq!(put(&test, path, ADMIN, sounds).await.0, StatusCode::OK);
        assert_eq!(renewed.lock().last(), Some(&(id, version(sound))));
    }
    let terms = json!({"vocabulary": ["Puyallup"]});
    put(&test, "/v1/tenants/riverbend/vocabulary", ADMIN, terms).await;
    assert_eq!(renewed.lock().len(), 2, "easily misheard words are not spoken");
    let new = json!({"slug": "oakdale", "name": "Oakdale", "timezone": "UTC"});
    let asked = Client::new().post(test.url("/v1/tenants")).bearer_auth(ADMIN).json(&new);
    assert_eq!(asked.send().await.unwrap().status(), StatusCode::CREATED);
    let versions: Vec<String> = renewed.lock().iter().map(|(_, version)| version.clone()).collect();
    assert_eq!(versions, [version("poo-yallup"), version("pew-AL-up"), String::new()]);
}

#[tokio::test]
async fn a_tenant_admin_keeps_the_words_of_the_tenant_and_of_no_other() {
    let test = gateway().await;
    let new = NewTenant { slug: "oakdale".into(), name: "Oakdale".into(), timezone: "UTC".into() };
    test.gateway.app.platform.create_tenant(new).await.unwrap();
    let own = token(&test, "riverbend", Role::TenantAdmin).await;
    let words = json!({"vocabulary": [" Puyallup ", "Ada  Quist", "Puyallup"]});
    let (status, kept) = put(&test, "/v1/tenants/riverbend/vocabulary", &own, words).await;
    assert_eq!((status, &kept), (StatusCode::OK, &json!({"vocabulary": ["Puyallup", "Ada Quist"]})));
    assert_eq!(get(&test, "/v1/tenants/riverbend/vocabulary", &own).await.1, kept);
    let sounds = json!({"pronunciations": {"Puyallup": "pew-AL-up"}});
    let path = "/v1/tenants/riverbend/pronunciations";
    assert_eq!(put(&test, path, &own, sounds.clone()).await, (StatusCode::OK, sounds.clone()));
    assert_eq!(get(&test, path, ADMIN).await.1, sounds);
    for path in ["vocabulary", "pronunciations", "budget"] {
        let other = format!("/v1/tenants/oakdale/{path}");
        assert_eq!(get(&test, &other, &own).await.0, StatusCode::NOT_FOUND, "{path}");
        let supervisor = token(&test, "riverbend", Role::Supervisor).await;
        let denied = get(&test, &format!("/v1/tenants/riverbend/{path}"), &supervisor).await;
        assert_eq!(denied.0, StatusCode::FORBIDDEN, "{path}");
    }
}

#[tokio::test]
async fn the_next_call_hears_a_changed_vocabulary() {
    let test = gateway().await;
    let store = riverbend(&test).await;
    let words = &test.gateway.app.vocabularies;
    assert!(words.of(&store).await.key_terms.is_empty());
    put(&test, "/v1/tenants/riverbend/vocabulary", ADMIN, json!({"vocabulary": ["Puyallup"]})).await;
    assert_eq!(&*words.of(&store).await.key_terms, ["Puyallup"]);
}

#[tokio::test]
async fn words_that_no_recogniser_takes_are_refused() {
    let test = gateway().await;
    let path = "/v1/tenants/riverbend/vocabulary";
    let many: Vec<String> = (0..101).map(|n| format!("word{n}")).collect();
    for bad in [json!([""]), json!(["x".repeat(81)]), json!(["a\u{7}b"]), json!(many)] {
        let (status, error) = put(&test, path, ADMIN, json!({ "vocabulary": bad })).await;
        assert_eq!((status, &error["error_code"]), (StatusCode::BAD_REQUEST, &json!("INVALID_PARAMETER")));
    }
    assert_eq!(get(&test, path, ADMIN).await.1, json!({"vocabulary": []}));
}

#[tokio::test]
async fn a_tenants_budget_is_the_platforms_to_set_and_the_tenants_to_see() {
    let test = gateway().await;
    let own = token(&test, "riverbend", Role::TenantAdmin).await;
    let path = "/v1/tenants/riverbend/budget";
    assert_eq!(put(&test, path, &own, json!({"call_usd": 9.0})).await.0, StatusCode::FORBIDDEN);
    assert_eq!(put(&test, path, ADMIN, json!({"call_usd": -1.0})).await.0, StatusCode::BAD_REQUEST);
    let (status, _) = put(&test, path, ADMIN, json!({"call_usd": 0.5, "tenant_day_usd": 20.0})).await;
    assert_eq!(status, StatusCode::OK);
    spend(&riverbend(&test).await, 1_250_000).await;
    let seen = get(&test, path, &own).await.1;
    assert_eq!((&seen["call_usd"], &seen["tenant_day_usd"]), (&json!(0.5), &json!(20.0)));
    assert_eq!(seen["spent_today_usd"], json!(1.25));
}

/// A call in which the caller said so.
pub async fn said(store: &TenantStore, text: &str) -> CallId {
    let id = spend(store, 0).await;
    let entry =
        CallEntry::CallerTurn { turn: 1, text: text.to_owned(), started_ms: 0, ended_ms: 9, confidence: 1.0 };
    store.append(id, &[LogRow { seq: 9, at_ms: 9, entry }]).await.unwrap();
    id
}

/// A call of today that cost so much, in two turns.
async fn spend(store: &TenantStore, micros: u64) -> CallId {
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".to_owned(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".to_owned(),
        passport_id: None,
        started_at: chrono::Utc::now(),
    };
    let id = store.begin_call(call).await.unwrap().id;
    let cost = |seq: u64, turn, turn_micros, call_micros| LogRow {
        seq,
        at_ms: seq,
        entry: CallEntry::Cost { turn, turn_micros, call_micros, wasted_micros: 0 },
    };
    let latency = |seq, turn: u32| LogRow {
        seq,
        at_ms: 9,
        entry: CallEntry::Latency { turn, latency: json!({"turn": turn, "total_ms": 1.0, "stages": []}) },
    };
    let half = micros / 2;
    let rows = [cost(1, 1, half, half), cost(2, 2, half, half * 2), latency(3, 1), latency(4, 3)];
    store.append(id, &rows).await.unwrap();
    id
}

#[tokio::test]
async fn a_calls_cost_is_shown_and_each_turns_beside_its_waterfall() {
    let test = gateway().await;
    let id = spend(&riverbend(&test).await, 9_000).await;
    let call = get(&test, &format!("/v1/calls/{id}"), ADMIN).await.1;
    assert_eq!(call["cost_usd"], json!(0.009));
    assert_eq!(get(&test, "/v1/calls", ADMIN).await.1["items"][0]["cost_usd"], json!(0.009));
    let turns = get(&test, &format!("/v1/calls/{id}/latency"), ADMIN).await.1["turns"].clone();
    assert_eq!((&turns[0]["turn"], &turns[0]["cost_usd"]), (&json!(1), &json!(0.0045)));
    assert_eq!((&turns[1]["turn"], &turns[1]["cost_usd"]), (&json!(3), &json!(0.0)));
}

#[tokio::test]
async fn the_process_and_every_stage_are_in_the_metrics() {
    let test = gateway().await;
    let text = reqwest::get(test.url("/metrics")).await.unwrap().text().await.unwrap();
    for name in [
        "process_cpu_seconds_total",
        "process_resident_memory_bytes",
        "process_start_time_seconds",
        "quandura_strain",
        "quandura_calls_max",
    ] {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {text}");
    }
    metrics::histogram!("quandura_turn_stage_seconds", "stage" => "pacing").record(0.0151);
    let text = reqwest::get(test.url("/metrics")).await.unwrap().text().await.unwrap();
    let bucket = |le: &str| {
        let start = format!("quandura_turn_stage_seconds_bucket{{stage=\"pacing\",le=\"{le}\"}} ");
        text.lines().find_map(|line| line.strip_prefix(&start)?.parse::<u64>().ok())
    };
    assert_eq!((bucket("0.005"), bucket("0.015"), bucket("0.025")), (Some(0), Some(0), Some(1)), "{text}");
}
