//! `GET /v1/calls`: calls are found by what they were and by their words, each as a role allows, and exported.

use std::sync::Arc;

use chrono::{TimeDelta, Utc};
use futures_util::FutureExt;
use governance::pii::Redactor;
use reqwest::{Client, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use storage::records::{Attention, CallEntry, Direction, LogRow, NewCall};
use storage::{Auth, CallId, Calls, Directory, NewToken, Role, TenantId, TenantStore};

use crate::simulated::{TestGateway, engines};

const ADMIN: &str = "an-admin-token-of-the-test";

struct Desk {
    test: TestGateway,
    store: TenantStore,
    tenant: TenantId,
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
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap().id;
    let store = platform.tenant(tenant).await.unwrap();
    Desk { test, store, tenant }
}

impl Desk {
    /// A call some hours ago in which the caller said this.
    async fn call(&self, hours: i64, said: &str, caller: &str) -> CallId {
        let started_at = Utc::now() - TimeDelta::hours(hours);
        let new = NewCall {
            id: CallId::new(),
            carrier_sid: None,
            line: "+12025550100".into(),
            caller: Some(caller.into()),
            direction: Direction::Inbound,
            language: "en".into(),
            passport_id: None,
            started_at,
        };
        let id = self.store.begin_call(new).await.unwrap().id;
        let (started_ms, ended_ms) = (1_000, 2_000);
        let turn =
            CallEntry::CallerTurn { turn: 1, text: said.into(), started_ms, ended_ms, confidence: 0.9 };
        self.store.append(id, &[LogRow { seq: 1, at_ms: 2_000, entry: turn }]).await.unwrap();
        self.store.end_call(id, "caller_hung_up", started_at + TimeDelta::minutes(1)).await.unwrap();
        id
    }

    async fn get(&self, query: &str, token: &str) -> (StatusCode, Value) {
        let url = self.test.url(&format!("/v1/calls?{query}"));
        let answer = Client::new().get(url).bearer_auth(token).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn found(&self, query: &str) -> Vec<String> {
        let (status, page) = self.get(query, ADMIN).await;
        assert_eq!(status, StatusCode::OK, "{query}: {page}");
        let items = page["items"].as_array().unwrap();
        items.iter().map(|call| call["id"].as_str().unwrap().to_owned()).collect()
    }

    async fn token(&self, role: Role) -> String {
        let new = NewToken { tenant_id: Some(self.tenant), name: role.to_string(), role, expires_at: None };
        let issued = self.test.gateway.app.platform.store().create_token(new).await.unwrap();
        issued.secret.expose_secret().to_owned()
    }
}

#[tokio::test]
async fn calls_are_found_by_words_and_never_by_what_a_token_hides() {
    let desk = desk().await;
    let fence = desk.call(3, "The goat chewed through the neighbor's fence.", "+12025550143").await;
    let number = desk.call(2, "Call me on 202-555-0177 about the Goat.", "+12025550144").await;
    desk.call(1, "What does a dog license cost?", "+12025550145").await;
    assert_eq!(desk.found("q=goat").await, [number.to_string(), fence.to_string()]);
    assert_eq!(desk.found("q=FENCE&state=ended").await, [fence.to_string()]);
    assert_eq!(desk.found("q=202-555-0177").await, [""; 0], "a number is a token in transcripts");
    assert_eq!(desk.found("q=goat&limit=1").await, [number.to_string()]);
    let (_, first) = desk.get("q=goat&limit=1", ADMIN).await;
    let cursor = first["next_cursor"].as_str().unwrap();
    assert_eq!(desk.found(&format!("q=goat&limit=1&cursor={cursor}")).await, [fence.to_string()]);
    let long = "x".repeat(201);
    for bad in [&format!("q={long}"), "state=gone", "attention=loud", "from=yesterday", "format=xml"] {
        assert_eq!(desk.get(bad, ADMIN).await.0, StatusCode::BAD_REQUEST, "{bad}");
    }
}

#[tokio::test]
async fn calls_are_narrowed_by_time_and_attention_and_keep_it_after_their_end() {
    let desk = desk().await;
    let old = desk.call(50, "Hello there.", "+12025550143").await;
    let new = desk.call(1, "There is smoke.", "+12025550144").await;
    let raised = CallEntry::Attention { turn: 1, level: Attention::Urgent, reason: "emergency".into() };
    desk.store.append(new, &[LogRow { seq: 2, at_ms: 3_000, entry: raised }]).await.unwrap();
    assert_eq!(desk.found("attention=urgent").await, [new.to_string()]);
    let (_, page) = desk.get("attention=urgent", ADMIN).await;
    assert_eq!(page["items"][0]["attention_reason"], "emergency", "{page}");
    let day = (Utc::now() - TimeDelta::hours(24)).format("%Y-%m-%dT%H:%M:%SZ");
    assert_eq!(desk.found(&format!("from={day}")).await, [new.to_string()]);
    assert_eq!(desk.found(&format!("to={day}")).await, [old.to_string()]);
    assert_eq!(desk.found("line=%2B12025550100&outcome=caller_hung_up&language=en").await.len(), 2);
    assert_eq!(desk.found("outcome=no_input").await, [""; 0]);
}

#[tokio::test]
async fn calls_of_a_number_are_for_those_who_may_see_it_and_on_the_audit() {
    let desk = desk().await;
    let call = desk.call(1, "Hello there.", "+12025550143").await;
    let clerk = desk.token(Role::Clerk).await;
    let (status, page) = desk.get("caller=(202)%20555-0143", &clerk).await;
    assert_eq!((status, &page["items"][0]["id"]), (StatusCode::OK, &Value::from(call.to_string())));
    let auditor = desk.token(Role::Auditor).await;
    assert_eq!(desk.get("caller=2025550143", &auditor).await.0, StatusCode::FORBIDDEN);
    let audit = desk.test.url("/v1/audit?limit=20");
    let audit = Client::new().get(audit).bearer_auth(&auditor).send().await.unwrap().text().await.unwrap();
    assert!(audit.contains("caller.looked_up") && !audit.contains("5550143"), "{audit}");
}

#[tokio::test]
async fn the_overview_counts_the_calls_of_its_span() {
    let desk = desk().await;
    desk.call(400, "Long ago.", "+12025550143").await;
    desk.call(3, "What does a dog license cost?", "+12025550143").await;
    let urgent = desk.call(2, "There is smoke.", "+12025550143").await;
    let raised = CallEntry::Attention { turn: 1, level: Attention::Urgent, reason: "emergency".into() };
    let latency = CallEntry::Latency { turn: 1, latency: serde_json::json!({ "turn": 1, "total_ms": 640 }) };
    let rows = [(2, raised), (3, latency)].map(|(seq, entry)| LogRow { seq, at_ms: 3_000, entry });
    desk.store.append(urgent, &rows).await.unwrap();
    let get = async |query: &str| -> (StatusCode, Value) {
        let url = desk.test.url(&format!("/v1/overview?{query}"));
        let answer = Client::new().get(url).bearer_auth(ADMIN).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap())
    };
    let (status, week) = get("").await;
    assert_eq!(status, StatusCode::OK, "{week}");
    let calls = &week["calls"];
    assert_eq!((&calls["total"], &calls["urgent"], &calls["contained"]), (&2.into(), &1.into(), &2.into()));
    assert_eq!(calls["by_attention"]["emergency"], 1, "{week}");
    assert_eq!((&week["response"]["turns"], &week["response"]["p50_ms"]), (&1.into(), &640.into()));
    assert_eq!((&week["bucket"], &week["timezone"]), (&"day".into(), &"America/New_York".into()));
    assert!((7..=9).contains(&week["series"].as_array().unwrap().len()), "{week}");
    let ago = |hours| (Utc::now() - TimeDelta::hours(hours)).format("%Y-%m-%dT%H:%M:%SZ");
    let (_, month) = get(&format!("from={}", ago(24 * 30))).await;
    assert_eq!(month["calls"]["total"], 3);
    let (_, hours) = get(&format!("from={}", ago(24))).await;
    let bars = hours["series"].as_array().unwrap();
    assert_eq!(
        (&hours["bucket"], bars.iter().map(|bar| bar["calls"].as_u64().unwrap()).sum()),
        (&"hour".into(), 2)
    );
    for bad in [format!("from={}&to={}", ago(1), ago(2)), format!("from={}", ago(24 * 500)), "from=x".into()]
    {
        assert_eq!(get(&bad).await.0, StatusCode::BAD_REQUEST, "{bad}");
    }
}

#[tokio::test]
async fn an_export_has_every_call_that_fits_and_no_personal_data() {
    let desk = desk().await;
    let mut ids = Vec::new();
    for n in 0..130 {
        ids.push(desk.call(200 - n, "My name is Ana.", "+12025550143").await.to_string());
    }
    let csv = async |query: &str| {
        let url = desk.test.url(&format!("/v1/calls?format=csv{query}"));
        let answer = Client::new().get(url).bearer_auth(ADMIN).send().await.unwrap();
        assert!(answer.headers()["content-type"].to_str().unwrap().starts_with("text/csv"));
        answer.text().await.unwrap()
    };
    let all = csv("").await;
    assert_eq!(all.lines().count(), 131);
    assert!(all.starts_with("id,started_at,"), "{}", &all[..100]);
    assert!(ids.iter().all(|id| all.contains(id.as_str())));
    // An id is random: it may have any four digits.
    let told = ids.iter().fold(all, |rest, id| rest.replace(id.as_str(), ""));
    assert!(!told.contains("0143") && !told.contains("Ana"), "{told}");
    assert_eq!(csv("&q=nobody+said+this").await.lines().count(), 1, "the heading alone");
    assert_eq!(csv("&q=my+name").await.lines().count(), 131);
}
