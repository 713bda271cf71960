//! The agent calls somebody: as far as they agreed, at their hours, and no further than they want.

use std::sync::Arc;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::outreach::Purpose;
use storage::{Dials, Directory, Outreach, TenantStore};
use telephony::media::{AudioFrame, StreamStart};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use super::simulated_carrier::{ACCOUNT, Behaviour, Callbacks, CarrierServer, TOKEN, Talk, Trouble};
use crate::auth::secrets;
use crate::config::Config;
use crate::dialing::reconcile;
use crate::simulated::TestGateway;
use caller::leg;
use caller::script::{Act, Opening, Patience, Script};

const ADMIN: &str = "an-admin-token-of-the-test";
pub(super) const YES: Behaviour = Behaviour::Answers { key: Some('1'), lasts: Duration::ZERO };

pub(super) struct Desk {
    pub(super) test: TestGateway,
    pub(super) carrier: CarrierServer,
    pub(super) store: TenantStore,
}

/// Somebody who says a word and hangs up.
fn brief_talk() -> Talk {
    talk_of(Opening::AfterGreeting, vec![AudioFrame([0x18; 160]); 30])
}

/// Somebody, or something, that says this and hangs up.
pub(super) fn talk_of(opening: Opening, sound: Vec<AudioFrame>) -> Talk {
    Arc::new(move |url, parameters, call_sid| {
        let sound = sound.clone();
        Box::pin(async move {
            let signature = sign(&SecretString::from(TOKEN), &url, &[]);
            let stream_sid = format!("MZ{}", secrets::random_hex(16));
            let start = StreamStart { stream_sid, call_sid, account_sid: ACCOUNT.to_owned(), parameters };
            let patience = Patience { gap_ms: 200, quiet_ms: 300, answer_ms: 2_000, hangup_after_ms: None };
            let script = Script::new(vec![Act::Say(sound)], opening, patience);
            let _ = leg::talk(&url, Some((SIGNATURE_HEADER, signature)), start, script).await;
        })
    })
}

pub(super) async fn desk() -> Desk {
    desk_with(|_| ()).await
}

pub(super) async fn desk_with(change: impl FnOnce(&mut Config)) -> Desk {
    let carrier = CarrierServer::start().await;
    let address = carrier.address.clone();
    desk_at(carrier, |config| {
        config.carrier.twilio.account_sid = Some(ACCOUNT.into());
        config.carrier.twilio.auth_token = Some(TOKEN.into());
        config.carrier.twilio.address = address;
        change(config);
    })
    .await
}

/// A desk whose calls go by this carrier, with an account that is set up so.
pub(super) async fn desk_at(carrier: CarrierServer, account: impl FnOnce(&mut Config)) -> Desk {
    let test = TestGateway::start(|config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        account(config);
    })
    .await;
    test.gateway.app.clock.stand_at("2026-11-25T17:00:00Z".parse().unwrap());
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    carrier.talk(brief_talk());
    Desk { test, carrier, store }
}

impl Desk {
    pub(super) async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Client::new().post(self.test.url(path)).bearer_auth(ADMIN).json(&body);
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(self.test.url(path)).bearer_auth(ADMIN);
        request.send().await.unwrap().json().await.unwrap()
    }

    pub(super) async fn delete(&self, path: &str) -> (StatusCode, Value) {
        let request = Client::new().delete(self.test.url(path)).bearer_auth(ADMIN);
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    pub(super) async fn agreed(&self, number: &str) {
        let consent = json!({ "number": number, "purpose": "callback", "source": "written" });
        assert_eq!(self.post("/v1/consents", consent).await.0, StatusCode::OK);
    }

    pub(super) async fn call(&self, number: &str) -> (StatusCode, Value) {
        self.post("/v1/calls", json!({ "to": number, "purpose": "callback" })).await
    }

    /// Calls somebody who agreed and behaves so; the record when it is over.
    pub(super) async fn over(&self, number: &str, behaviour: Behaviour) -> Value {
        self.agreed(number).await;
        self.carrier.number(number, behaviour);
        let (status, placed) = self.call(number).await;
        assert_eq!(status, StatusCode::CREATED, "{placed}");
        self.ended(placed["id"].as_str().unwrap()).await
    }

    pub(super) async fn ended(&self, id: &str) -> Value {
        for _ in 0..400 {
            let call = self.get(&format!("/v1/calls/{id}")).await;
            if call["state"] == "ended" {
                return call;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{}", self.get(&format!("/v1/calls/{id}")).await);
    }

    /// The result that the audit has of a call.
    pub(super) async fn result(&self, id: &str) -> String {
        for _ in 0..200 {
            let audit = self.get(&format!("/v1/audit?subject={id}")).await;
            let items = audit["items"].as_array().unwrap().clone();
            let ended: Vec<&Value> = items.iter().filter(|e| e["action"] == "call.placed_ended").collect();
            if let [one] = ended.as_slice() {
                return one["details"]["result"].as_str().unwrap().to_owned();
            }
            assert!(ended.is_empty(), "ended twice: {audit}");
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("no result");
    }
}

#[tokio::test]
async fn who_answers_is_told_who_calls_and_what_for_before_anything_and_then_talks_with_the_agent() {
    let desk = desk().await;
    let number = "+12125550143";
    let call = desk.over(number, YES).await;
    assert_eq!((&call["direction"], &call["from"]), (&json!("outbound"), &json!("⟨phone:1⟩")), "{call}");
    assert_eq!(call["end_reason"], "caller_hung_up", "{call}");
    assert_eq!(desk.result(call["id"].as_str().unwrap()).await, "reached");
    let followed = desk.carrier.followed();
    assert!(followed[0].contains("This is the automated assistant of Riverbend County."), "{followed:?}");
    assert!(
        followed[0].contains("press 9") && followed[0].contains("<Gather input=\"dtmf speech\""),
        "{followed:?}"
    );
    assert!(followed[1].contains("<Stream url="), "{followed:?}");
    let form = &desk.carrier.asked("Calls")[0];
    for field in
        [("To", number), ("From", "+12025550100"), ("MachineDetection", "Enable"), ("AsyncAmd", "true")]
    {
        assert!(form.contains(&(field.0.into(), field.1.into())), "{field:?}: {form:?}");
    }
    let transcript = desk.get(&format!("/v1/calls/{}/transcript", call["id"].as_str().unwrap())).await;
    assert!(transcript["turns"].as_array().unwrap().len() >= 2, "{transcript}");
    let audit = desk.get("/v1/audit?limit=200").await.to_string();
    assert!(audit.contains("call.placed") && !audit.contains("5550143"), "{audit}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn each_rule_is_named_and_nothing_rings() {
    let desk = desk().await;
    let number = "+12125550143";
    let refused = async |number: &str, rule: &str| {
        let (status, answer) = desk.call(number).await;
        assert_eq!(
            (status, &answer["error_details"]["rule"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(rule)),
            "{answer}"
        );
        assert!(answer["suggested_action"].is_string() && !answer.to_string().contains("5550143"));
    };
    refused(number, "no_consent").await;
    desk.agreed(number).await;
    let (status, answer) = desk.post("/v1/calls", json!({ "to": number, "purpose": "appointment" })).await;
    assert_eq!(
        (status, &answer["error_details"]["rule"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("no_consent")),
        "agreed to one thing"
    );
    refused("+442071234567", "destination").await;
    desk.post("/v1/do-not-call", json!({ "number": number })).await;
    refused(number, "do_not_call").await;
    desk.post("/v1/do-not-call", json!({ "number": number, "listed": false })).await;
    desk.test.gateway.app.clock.stand_at("2026-11-26T03:00:00Z".parse().unwrap());
    refused(number, "quiet_hours").await;
    desk.test.gateway.app.clock.stand_at("2026-11-25T17:00:00Z".parse().unwrap());
    assert!(desk.carrier.called().is_empty());
    for (body, what) in [
        (json!({ "to": "nobody", "purpose": "callback" }), "to"),
        (json!({ "to": number, "purpose": "callback", "language": "fr" }), "language"),
    ] {
        let (status, answer) = desk.post("/v1/calls", body).await;
        assert_eq!(
            (status, &answer["error_details"]["parameter"]),
            (StatusCode::BAD_REQUEST, &json!(what)),
            "{answer}"
        );
    }
    let call = desk.over(number, Behaviour::NoAnswer).await;
    assert_eq!(call["end_reason"], "no_answer");
    refused(number, "too_often").await;
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_calls_us_goes_first_and_without_room_nothing_is_written_or_dialled() {
    let desk = desk_with(|config| config.limits.max_calls = Some(2)).await;
    let number = "+12125550143";
    desk.agreed(number).await;
    let capacity = &desk.test.gateway.app.capacity;
    let live = capacity.admit(0.0, 0.0);
    let (status, answer) = desk.call(number).await;
    assert_eq!(
        (status, &answer["error_details"]["rule"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("no_room")),
        "{answer}"
    );
    assert!(answer["suggested_action"].as_str().unwrap().contains("try again"), "{answer}");
    assert!(desk.carrier.called().is_empty());
    assert_eq!(desk.get("/v1/calls").await["items"].as_array().unwrap().len(), 0, "nothing is on record");
    drop(live);
    let call = desk.over(number, Behaviour::NoAnswer).await;
    assert_eq!(call["end_reason"], "no_answer");
    let other = "+12125550144";
    let call = desk.over(other, Behaviour::NoAnswer).await;
    assert_eq!(call["end_reason"], "no_answer", "what rang before rings no more");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_key_or_a_word_ends_all_calls_at_once() {
    let desk = desk().await;
    for (n, behaviour) in [
        Behaviour::Answers { key: Some('9'), lasts: Duration::ZERO },
        Behaviour::Says("please stop calling me"),
        Behaviour::Says("No me llamen más."),
    ]
    .into_iter()
    .enumerate()
    {
        let number = format!("+1212555015{n}");
        let call = desk.over(&number, behaviour).await;
        assert_eq!(call["end_reason"], "opted_out");
        assert!(desk.store.is_do_not_call(&number).await.unwrap());
        let (_, answer) = desk.call(&number).await;
        assert_eq!(answer["error_details"]["rule"], "do_not_call");
    }
    let number = "+12125550159";
    let call = desk.over(number, Behaviour::Says("sorry, wrong number")).await;
    assert_eq!(call["end_reason"], "wrong_number");
    assert!(!desk.store.has_consent(number, Purpose::Callback).await.unwrap());
    assert!(
        !desk.store.is_do_not_call(number).await.unwrap(),
        "whoever it is may be called for their own reasons"
    );
    // The record is closed before the last words are given.
    for _ in 0..200 {
        if desk.carrier.followed().len() >= 8 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let said = desk.carrier.followed().join("\n");
    assert!(said.contains("We will not call you again.") && said.contains("about this again"), "{said}");
    assert!(!said.contains("<Stream"), "nobody talked with the agent");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_conversation_in_which_they_opted_out_ends_as_that() {
    let desk = desk().await;
    let number = "+12125550143";
    desk.agreed(number).await;
    desk.carrier.number(number, YES);
    let (_, placed) = desk.call(number).await;
    let id = placed["id"].as_str().unwrap();
    assert!(desk.store.opt_out(id.parse().unwrap(), "voice").await.unwrap());
    assert_eq!(desk.result(id).await, "opted_out");
    assert!(desk.carrier.followed().join("\n").contains("<Stream"), "they talked with the agent");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn every_end_is_on_record_in_whatever_order_the_carrier_tells() {
    let desk = desk().await;
    let mut last = 160;
    for callbacks in [Callbacks::InOrder, Callbacks::Doubled, Callbacks::Backwards] {
        desk.carrier.callbacks(callbacks);
        for (behaviour, reason) in [
            (Behaviour::NoAnswer, "no_answer"),
            (Behaviour::Busy, "busy"),
            (Behaviour::Failed, "failed"),
            (Behaviour::Machine, "machine"),
            (Behaviour::Answers { key: None, lasts: Duration::ZERO }, "no_response"),
        ] {
            last += 1;
            let number = format!("+12125550{last}");
            let call = desk.over(&number, behaviour).await;
            assert_eq!(call["end_reason"], reason, "{callbacks:?}");
            assert_eq!(desk.result(call["id"].as_str().unwrap()).await, reason, "{callbacks:?}");
        }
    }
    assert!(!desk.carrier.followed().join("\n").contains("<Stream"));
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_the_carrier_forgot_is_asked_for_and_no_call_is_placed_twice() {
    let desk = desk().await;
    desk.carrier.callbacks(Callbacks::Lost);
    let number = "+12125550143";
    desk.agreed(number).await;
    desk.carrier.number(number, Behaviour::Busy);
    desk.carrier.trouble([Trouble::DoneAnd(500)]);
    let (status, placed) = desk.call(number).await;
    assert_eq!(status, StatusCode::CREATED, "{placed}");
    assert_eq!(desk.call(number).await.0, StatusCode::UNPROCESSABLE_ENTITY, "once a day");
    assert_eq!(desk.carrier.called().len(), 1);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let app = &desk.test.gateway.app;
    reconcile::once(app, Utc::now()).await.unwrap();
    assert_eq!(desk.get(&format!("/v1/calls/{}", placed["id"].as_str().unwrap())).await["state"], "live");
    reconcile::once(app, Utc::now() + TimeDelta::minutes(5)).await.unwrap();
    assert_eq!(desk.ended(placed["id"].as_str().unwrap()).await["end_reason"], "busy");
    desk.test.gateway.shutdown().await;
}
