//! A live call is put through to a person by its supervisor, and comes to a promise where nobody answers.

use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::records::{WorkFilter, WorkKind};
use storage::{Directory, Settings, TenantStore, WorkItems};
use telephony::media::{AudioFrame, StreamStart};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use super::simulated_carrier::{ACCOUNT, Behaviour, CarrierServer, TOKEN, Talk};
use crate::auth::secrets;
use crate::caller::leg;
use crate::caller::script::{Act, Opening, Patience, Script};
use crate::dialing::transfer::TARGETS;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const LINE: &str = "+12025550100";
const CALLER: &str = "+12125550143";
const CLERK: &str = "+12025550180";

struct Line {
    test: TestGateway,
    carrier: CarrierServer,
    store: TenantStore,
}

/// A caller who listens and stays.
fn patient() -> Talk {
    Arc::new(|url, parameters, call_sid| {
        Box::pin(async move {
            let signature = sign(&SecretString::from(TOKEN), &url, &[]);
            let stream_sid = format!("MZ{}", secrets::random_hex(16));
            let start = StreamStart { stream_sid, call_sid, account_sid: ACCOUNT.to_owned(), parameters };
            let patience = Patience { gap_ms: 300, quiet_ms: 500, answer_ms: 30_000, hangup_after_ms: None };
            let silence = vec![AudioFrame::SILENCE; 1_500];
            let script = Script::new(vec![Act::Say(silence)], Opening::AfterGreeting, patience);
            let _ = leg::talk(&url, Some((SIGNATURE_HEADER, signature)), start, script).await;
        })
    })
}

async fn line() -> Line {
    let carrier = CarrierServer::start().await;
    let address = carrier.address.clone();
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        config.carrier.account_sid = Some(ACCOUNT.into());
        config.carrier.auth_token = Some(TOKEN.into());
        config.carrier.address = address;
    })
    .await;
    // A Wednesday at noon in the county.
    test.gateway.app.clock.stand_at("2026-11-25T17:00:00Z".parse().unwrap());
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let targets = json!([
        { "name": "the clerk's office", "number": CLERK, "hours": { "weekdays": "8:00-17:00" } },
        { "name": "the night desk", "number": "+12025550181", "hours": { "weekdays": "20:00-24:00" } },
    ]);
    store.put_setting(TARGETS, &targets).await.unwrap();
    carrier.talk(patient());
    Line { test, carrier, store }
}

impl Line {
    /// Somebody calls, and talks with the agent.
    async fn called(&self, from: &str) -> String {
        let sid = self.carrier.call_in(&self.test.url("/twilio/voice"), from, LINE);
        self.until(&sid, "live").await;
        sid
    }

    async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(self.test.url(path)).bearer_auth(ADMIN);
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn until(&self, sid: &str, state: &str) -> Value {
        for _ in 0..400 {
            let call = self.get(&format!("/v1/calls/{sid}")).await;
            if call["state"] == state {
                return call;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the call did not get {state}: {}", self.get(&format!("/v1/calls/{sid}")).await);
    }

    async fn transfer(&self, sid: &str, target: &str) -> (StatusCode, Value) {
        let url = self.test.url(&format!("/v1/calls/{sid}/transfer"));
        let request = Client::new().post(url).bearer_auth(ADMIN).json(&json!({ "target": target }));
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// Documents that calls followed, once there are so many.
    async fn followed(&self, documents: usize) -> Vec<String> {
        for _ in 0..400 {
            let followed = self.carrier.followed();
            if followed.len() >= documents {
                return followed;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?}", self.carrier.followed());
    }

    async fn call_backs(&self) -> Vec<Value> {
        let filter = WorkFilter { kind: Some(WorkKind::Callback), ..WorkFilter::default() };
        self.store.list_work_items(filter).await.unwrap().into_iter().map(|item| item.fields).collect()
    }
}

#[tokio::test]
async fn a_caller_is_told_where_they_go_and_talks_with_the_target() {
    let line = line().await;
    line.carrier.number(CLERK, Behaviour::Answers { key: None, lasts: Duration::from_millis(50) });
    let sid = line.called(CALLER).await;
    let (status, answer) = line.transfer(&sid, "The Clerk's  Office").await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    assert_eq!((&answer["state"], &answer["target"]), (&json!("transferring"), &json!("the clerk's office")));
    let call = line.until(&sid, "ended").await;
    assert_eq!(call["end_reason"], "transferred");
    let followed = line.followed(3).await;
    let dial = &followed[1];
    assert!(
        dial.contains(
            "<Say language=\"en-US\">I&apos;ll put you through to the clerk&apos;s office now.</Say>"
        ),
        "{dial}"
    );
    assert!(dial.contains(&format!("callerId=\"{LINE}\"")) && dial.contains(CLERK), "{dial}");
    assert!(followed[2].contains("<Response><Hangup/>"), "{followed:?}");
    assert!(line.call_backs().await.is_empty());
    assert!(line.carrier.called().contains(&(CLERK.to_owned(), "completed")));
    let audit = line.get(&format!("/v1/audit?subject={}", call["id"].as_str().unwrap())).await;
    let entry = |action: &str| {
        let items = audit["items"].as_array().unwrap();
        items
            .iter()
            .find(|entry| entry["action"] == action)
            .unwrap_or_else(|| panic!("{action}: {audit}"))
            .clone()
    };
    assert_eq!(entry("call.transferred")["details"]["target"], "the clerk's office");
    assert_eq!(entry("call.transfer_ended")["details"]["result"], "answered");
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn where_nobody_answers_a_call_back_is_filed_and_then_promised() {
    let line = line().await;
    for behaviour in [Behaviour::NoAnswer, Behaviour::Busy, Behaviour::Failed] {
        line.carrier.number(CLERK, behaviour);
        let (filed, seen) = (line.call_backs().await.len(), line.carrier.followed().len());
        let sid = line.called(CALLER).await;
        assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::ACCEPTED);
        let followed = line.followed(seen + 3).await;
        assert!(followed[seen + 2].contains("A person will call you back"), "{followed:?}");
        let call_backs = line.call_backs().await;
        assert_eq!((call_backs.len(), &call_backs[0]["phone"]), (filed + 1, &json!(CALLER)));
    }
    // Who withholds their number is promised nothing.
    let (filed, seen) = (line.call_backs().await.len(), line.carrier.followed().len());
    let sid = line.called("anonymous").await;
    assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::ACCEPTED);
    let followed = line.followed(seen + 3).await;
    assert!(followed[seen + 2].contains("Please call again later"), "{followed:?}");
    assert_eq!(line.call_backs().await.len(), filed);
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn each_refusal_says_why_and_the_call_goes_on() {
    let line = line().await;
    let sid = line.called(CALLER).await;
    let (status, answer) = line.transfer(&sid, "the mayor").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(
        answer["error_details"]["targets"],
        json!(["the clerk's office", "the night desk"]),
        "{answer}"
    );
    let (status, answer) = line.transfer(&sid, "the night desk").await;
    assert_eq!(
        (status, &answer["error_details"]["rule"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("target_closed"))
    );
    assert_eq!(line.get(&format!("/v1/calls/{sid}")).await["state"], "live");
    assert_eq!(line.transfer("CA404", "the clerk's office").await.0, StatusCode::NOT_FOUND);
    let url = line.test.url(&format!("/v1/calls/{sid}/hangup"));
    assert!(Client::new().post(url).bearer_auth(ADMIN).send().await.unwrap().status().is_success());
    line.until(&sid, "ended").await;
    assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::CONFLICT);
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn targets_of_the_document_are_checked_kept_and_given_back() {
    let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
    let url = test.url("/v1/tenants/riverbend/config");
    let mut document: Value =
        Client::new().get(&url).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap();
    let put = async |document: &Value| {
        let answer = Client::new().put(&url).bearer_auth(ADMIN).json(document).send().await.unwrap();
        (answer.status(), answer.json::<Value>().await.unwrap_or_default())
    };
    let document_of = |value: &mut Value| -> Value {
        let held = value.get("config").cloned();
        held.unwrap_or_else(|| value.clone())
    };
    let mut config = document_of(&mut document);
    config["target"] = json!([
        { "name": "", "number": "five" },
        { "name": "a", "number": "+442071234567", "hours": { "monday": "9-5" }, "languages": ["fr"] },
    ]);
    let (status, answer) = put(&config).await;
    assert!(status.is_client_error(), "{answer}");
    let told = answer.to_string();
    for key in [
        "target[1].name",
        "target[1].number",
        "target[2].number",
        "target[2].hours.monday",
        "target[2].languages[1]",
    ] {
        assert!(told.contains(key), "{key}: {told}");
    }
    config["target"] =
        json!([{ "name": "the clerk", "number": "202-555-0180", "hours": { "weekdays": "8:00-16:30" } }]);
    let (status, answer) = put(&config).await;
    assert!(status.is_success(), "{answer}");
    let mut now: Value =
        Client::new().get(&url).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap();
    let kept = document_of(&mut now)["target"].clone();
    assert_eq!(
        kept,
        json!([{ "name": "the clerk", "number": CLERK, "hours": { "weekdays": "8:00-16:30" } }])
    );
    test.gateway.shutdown().await;
}
