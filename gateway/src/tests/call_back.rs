//! A person calls back whoever left a request, without seeing their number; what came of it stands in the request.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::{Auth, Directory, NewToken, Role, Settings, TenantStore, WorkItems};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use super::simulated_carrier::{ACCOUNT, Behaviour, Callbacks, CarrierServer, TOKEN, Trouble};
use crate::dialing::reconcile;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const LINE: &str = "+12025550100";
const OWN: &str = "+12025550190";
const RESIDENT: &str = "+12125550143";

struct Desk {
    test: TestGateway,
    carrier: CarrierServer,
    store: TenantStore,
    clerk: String,
}

fn noon() -> DateTime<Utc> {
    "2026-11-25T17:00:00Z".parse().unwrap()
}

async fn desk() -> Desk {
    let carrier = CarrierServer::start().await;
    let address = carrier.address.clone();
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        config.carrier.twilio.account_sid = Some(ACCOUNT.into());
        config.carrier.twilio.auth_token = Some(TOKEN.into());
        config.carrier.twilio.address = address;
    })
    .await;
    test.gateway.app.clock.stand_at(noon());
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let new =
        NewToken { tenant_id: Some(tenant.id), name: "ana".into(), role: Role::Clerk, expires_at: None };
    let clerk = platform.store().create_token(new).await.unwrap().secret.expose_secret().to_owned();
    carrier.number(OWN, Behaviour::Answers { key: Some('1'), lasts: Duration::ZERO });
    Desk { test, carrier, store, clerk }
}

impl Desk {
    async fn file(&self, key: &str, phone: Option<&str>, priority: Priority) -> String {
        let new = NewWorkItem {
            kind: WorkKind::Callback,
            idempotency_key: key.into(),
            reference: None,
            call_id: None,
            passport_id: None,
            priority,
            caller: phone.map(str::to_owned),
            fields: json!({ "reason": "Asked about a permit", "phone": phone }),
        };
        self.store.file_work_item(new).await.unwrap().reference
    }

    /// Whether the tenant lets urgent requests be called at any hour.
    async fn exempts(&self, any_hour: bool) {
        let mut facts = self.store.setting(crate::demo::FACTS).await.unwrap().unwrap();
        facts["urgent_any_hour"] = json!(any_hour);
        self.store.put_setting(crate::demo::FACTS, &facts).await.unwrap();
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Client::new().request(Method::POST, self.test.url(path)).bearer_auth(&self.clerk);
        let answer = request.json(&body).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn call(&self, reference: &str) -> (StatusCode, Value) {
        self.post(&format!("/v1/work-items/{reference}/call"), json!({ "from_phone": "202-555-0190" })).await
    }

    async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(self.test.url(path)).bearer_auth(ADMIN);
        request.send().await.unwrap().json().await.unwrap()
    }

    async fn acts(&self, reference: &str) -> Vec<String> {
        let item = self.get(&format!("/v1/work-items/{reference}")).await;
        let history = item["history"].as_array().unwrap();
        history.iter().map(|act| act["act"].as_str().unwrap().to_owned()).collect()
    }

    /// Waits until the request's history holds this, and gives all of it.
    async fn until(&self, reference: &str, act: &str) -> Vec<String> {
        for _ in 0..1_000 {
            let acts = self.acts(reference).await;
            if acts.iter().any(|known| known == act) {
                return acts;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{act} did not come: {:?}", self.acts(reference).await);
    }

    /// Waits until the audit of this subject holds this, and gives all of it. It is written after the history.
    async fn audited(&self, subject: &str, action: &str) -> Value {
        let path = format!("/v1/audit?subject={subject}");
        for _ in 0..1_000 {
            let audit = self.get(&path).await;
            if audit["items"].as_array().unwrap().iter().any(|entry| entry["action"] == action) {
                return audit;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{action} did not come: {}", self.get(&path).await);
    }
}

#[tokio::test]
async fn the_own_telephone_rings_first_then_the_resident_sees_the_line_and_nobody_the_number() {
    let desk = desk().await;
    let reference = desk.file("k", Some(RESIDENT), Priority::Normal).await;
    desk.carrier.number(RESIDENT, Behaviour::Answers { key: None, lasts: Duration::from_millis(50) });
    let (status, placed) = desk.call(&reference).await;
    assert_eq!((status, &placed["line"]), (StatusCode::ACCEPTED, &json!(LINE)), "{placed}");
    let acts = desk.until(&reference, "call_reached").await;
    assert_eq!(acts, ["claimed", "called", "call_reached"]);
    let called: Vec<String> = desk.carrier.called().into_iter().map(|(number, _)| number).collect();
    assert_eq!(called, [OWN, RESIDENT]);
    let followed = desk.carrier.followed();
    assert!(followed[0].contains("<Gather") && !followed[0].contains("5550143"), "{followed:?}");
    assert!(followed[1].contains(&format!("callerId=\"{LINE}\"")), "{followed:?}");
    assert!(!placed.to_string().contains("5550143"));

    let item = desk.get(&format!("/v1/work-items/{reference}")).await;
    assert_eq!((&item["assignee"], &item["status"]), (&json!("ana"), &json!("in_progress")));
    let audit = desk.audited(item["id"].as_str().unwrap(), "work_item.call_ended").await;
    let entries: Vec<&str> =
        audit["items"].as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    assert_eq!(entries, ["work_item.call_ended", "work_item.called"], "{audit}");
    assert!(!audit.to_string().contains("5550143") && !audit.to_string().contains("5550190"), "{audit}");
    // Over: it may be called again.
    assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn every_end_is_in_the_history_in_whatever_order_the_carrier_tells() {
    let desk = desk().await;
    for callbacks in [Callbacks::InOrder, Callbacks::Doubled, Callbacks::Backwards] {
        desk.carrier.callbacks(callbacks);
        for (n, (behaviour, act)) in [
            (Behaviour::Answers { key: None, lasts: Duration::from_millis(20) }, "call_reached"),
            (Behaviour::NoAnswer, "call_no_answer"),
            (Behaviour::Busy, "call_busy"),
            (Behaviour::Failed, "call_failed"),
            (Behaviour::Machine, "call_machine"),
        ]
        .into_iter()
        .enumerate()
        {
            let reference = desk.file(&format!("{callbacks:?}{n}"), Some(RESIDENT), Priority::Normal).await;
            desk.carrier.number(RESIDENT, behaviour);
            assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
            desk.until(&reference, act).await;
            // What still comes changes nothing.
            tokio::time::sleep(Duration::from_millis(150)).await;
            assert_eq!(desk.acts(&reference).await, ["claimed", "called", act], "{callbacks:?}");
        }
    }
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_person_who_does_not_answer_or_press_the_key_has_nobody_called() {
    let desk = desk().await;
    for (n, own) in [
        Behaviour::NoAnswer,
        Behaviour::Busy,
        Behaviour::Machine,
        Behaviour::Answers { key: Some('5'), lasts: Duration::ZERO },
    ]
    .into_iter()
    .enumerate()
    {
        desk.carrier.number(OWN, own);
        let reference = desk.file(&n.to_string(), Some(RESIDENT), Priority::Normal).await;
        assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
        assert_eq!(desk.until(&reference, "call_not_begun").await, ["claimed", "called", "call_not_begun"]);
    }
    assert!(desk.carrier.called().iter().all(|(number, _)| number == OWN), "{:?}", desk.carrier.called());
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn each_refusal_names_its_rule_and_nothing_is_called() {
    let desk = desk().await;
    let refused = async |reference: &str, status: StatusCode, rule: &str| {
        let (got, answer) = desk.call(reference).await;
        assert_eq!((got, &answer["error_details"]["rule"]), (status, &json!(rule)), "{answer}");
        assert!(
            answer["suggested_action"].is_string() && !answer.to_string().contains("5550143"),
            "{answer}"
        );
    };
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let none = desk.file("none", None, Priority::Normal).await;
    refused(&none, unprocessable, "no_number").await;
    let abroad = desk.file("abroad", Some("+442071234567"), Priority::Normal).await;
    refused(&abroad, unprocessable, "destination").await;
    let own = desk.file("own", Some(OWN), Priority::Normal).await;
    refused(&own, unprocessable, "same_number").await;

    let reference = desk.file("k", Some(RESIDENT), Priority::Normal).await;
    let list = |listed: bool| json!({ "number": RESIDENT, "listed": listed });
    assert_eq!(desk.post("/v1/do-not-call", list(true)).await.0, StatusCode::OK);
    refused(&reference, unprocessable, "do_not_call").await;
    assert_eq!(desk.post("/v1/do-not-call", list(false)).await.0, StatusCode::OK);

    desk.test.gateway.app.clock.stand_at("2026-11-25T11:00:00Z".parse().unwrap());
    let (status, answer) = desk.call(&reference).await;
    assert_eq!((status, &answer["error_details"]["rule"]), (unprocessable, &json!("quiet_hours")));
    assert_eq!(answer["error_details"]["allowed_from"], "2026-11-25T13:00:00Z", "{answer}");
    let urgent = desk.file("urgent", Some(RESIDENT), Priority::Urgent).await;
    assert_eq!(
        desk.call(&urgent).await.0,
        StatusCode::ACCEPTED,
        "an emergency does not wait for the morning"
    );
    desk.until(&urgent, "call_no_answer").await;
    // A tenant may hold its people to the hours in an emergency too.
    desk.exempts(false).await;
    let other = desk.file("urgent-2", Some(RESIDENT), Priority::Urgent).await;
    refused(&other, unprocessable, "quiet_hours").await;
    desk.exempts(true).await;

    desk.test.gateway.app.clock.stand_at(noon());
    let path = format!("/v1/work-items/{reference}");
    let (status, answer) = desk.post(&format!("{path}/call"), json!({ "from_phone": "+18765550190" })).await;
    assert_eq!((status, &answer["error_details"]["rule"]), (unprocessable, &json!("own_destination")));
    let (status, _) = desk.post(&format!("{path}/call"), json!({ "from_phone": "me" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let done = json!({ "result": "done", "outcome": "Told them." });
    assert_eq!(desk.post(&format!("{path}/close"), done).await.0, StatusCode::OK);
    let (status, answer) = desk.call(&reference).await;
    assert_eq!((status, &answer["error_details"]["status"]), (StatusCode::CONFLICT, &json!("done")));
    assert_eq!(desk.carrier.called().len(), 2, "the emergency alone");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn without_an_account_the_cause_and_the_fix_are_told() {
    let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let new = NewWorkItem {
        kind: WorkKind::Callback,
        idempotency_key: "k".into(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Normal,
        caller: None,
        fields: json!({ "phone": RESIDENT }),
    };
    let reference = store.file_work_item(new).await.unwrap().reference;
    let url = test.url(&format!("/v1/work-items/{reference}/call"));
    let answer = Client::new().post(url).bearer_auth(ADMIN).json(&json!({ "from_phone": OWN })).send().await;
    let answer = answer.unwrap();
    assert_eq!(answer.status(), StatusCode::CONFLICT);
    let answer: Value = answer.json().await.unwrap();
    assert!(answer["suggested_action"].as_str().unwrap().contains("TWILIO_ACCOUNT_SID"), "{answer}");
    assert!(
        store.work_history(store.work_item(&reference).await.unwrap().unwrap().id).await.unwrap().is_empty()
    );
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_call_that_the_carrier_forgot_to_tell_of_is_closed_with_the_truth() {
    let desk = desk().await;
    desk.carrier.callbacks(Callbacks::Lost);
    let mut asked = Vec::new();
    for (n, (behaviour, act)) in [
        (Behaviour::Answers { key: None, lasts: Duration::from_millis(20) }, "call_reached"),
        (Behaviour::Machine, "call_machine"),
        (Behaviour::Busy, "call_busy"),
    ]
    .into_iter()
    .enumerate()
    {
        let reference = desk.file(&n.to_string(), Some(RESIDENT), Priority::Normal).await;
        desk.carrier.number(RESIDENT, behaviour);
        assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
        let (calls, mut waited) = (2 * (n + 1), 0);
        while desk.carrier.called().iter().filter(|(_, s)| ["completed", "busy"].contains(s)).count() < calls
        {
            tokio::time::sleep(Duration::from_millis(25)).await;
            waited += 1;
            assert!(waited < 200, "{:?}", desk.carrier.called());
        }
        asked.push((reference, act));
    }
    let app = &desk.test.gateway.app;
    reconcile::once(app, Utc::now()).await.unwrap();
    assert_eq!(desk.acts(&asked[0].0).await, ["claimed", "called"], "it may still come");
    reconcile::once(app, Utc::now() + TimeDelta::minutes(5)).await.unwrap();
    for (reference, act) in asked {
        assert_eq!(desk.acts(&reference).await, ["claimed", "called", act]);
    }
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_lost_answer_places_no_second_call_and_a_refusal_ends_the_attempt() {
    let desk = desk().await;
    let reference = desk.file("k", Some(RESIDENT), Priority::Normal).await;
    desk.carrier.trouble([Trouble::DoneAnd(500)]);
    assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
    desk.until(&reference, "call_no_answer").await;
    assert_eq!(desk.carrier.called().len(), 2, "one to each of them");

    // Nobody knows whether it was placed; it was not, and the carrier never names it.
    desk.carrier.trouble([Trouble::Status(500)]);
    assert_eq!(desk.call(&reference).await.0, StatusCode::ACCEPTED);
    assert_eq!(desk.call(&reference).await.0, StatusCode::CONFLICT, "one at a time");
    reconcile::once(&desk.test.gateway.app, Utc::now() + TimeDelta::minutes(5)).await.unwrap();
    assert_eq!(desk.acts(&reference).await.last().unwrap(), "call_failed");

    desk.carrier.number(OWN, Behaviour::Refused(21211));
    let (status, answer) = desk.call(&reference).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
    assert!(answer["error_message"].as_str().unwrap().contains("21211"), "{answer}");
    assert_eq!(desk.acts(&reference).await.last().unwrap(), "call_failed");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn webhooks_of_calls_are_the_carriers_alone() {
    let desk = desk().await;
    let reference = desk.file("k", Some(RESIDENT), Priority::Normal).await;
    desk.carrier.number(OWN, Behaviour::NoAnswer);
    let (_, placed) = desk.call(&reference).await;
    let id = placed["id"].as_str().unwrap();
    let fields = vec![("CallSid".to_owned(), "CA1".to_owned()), ("Digits".to_owned(), "1".to_owned())];
    let tenant = desk.store.id();
    let path = format!("/twilio/dial/{tenant}/{id}/key");
    let unsigned = Client::new().post(desk.test.url(&path)).form(&fields).send().await.unwrap();
    assert_eq!(unsigned.status(), StatusCode::FORBIDDEN);
    let signed = async |path: &str| {
        let url = desk.test.url(path);
        let signature = sign(&SecretString::from(TOKEN), &url, &fields);
        let request = Client::new().post(url).header(SIGNATURE_HEADER, signature).form(&fields);
        request.send().await.unwrap()
    };
    for unknown in [format!("/twilio/dial/{tenant}/{tenant}/key"), format!("/twilio/dial/{id}/{id}/key")] {
        assert_eq!(signed(&unknown).await.status(), StatusCode::NOT_FOUND, "{unknown}");
    }
    desk.until(&reference, "call_not_begun").await;
    let late = signed(&path).await;
    assert_eq!(late.status(), StatusCode::OK);
    let document = late.text().await.unwrap();
    assert!(document.contains("<Hangup/>") && !document.contains("5550143"), "over: {document}");
    desk.test.gateway.shutdown().await;
}
