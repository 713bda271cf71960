//! Who was not reached is called again: as often as was wanted, and as long as every rule allows it.

use chrono::{TimeDelta, Utc};
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::{Dials, Outreach};

use super::outreach::{Desk, YES, desk, desk_with};
use super::simulated_carrier::Behaviour;
use crate::dialing::retries;

const NUMBER: &str = "+12125550143";

impl Desk {
    /// Calls somebody who agreed; the first call's id when it is over.
    async fn tried(&self, behaviour: Behaviour, retries: Value) -> String {
        self.agreed(NUMBER).await;
        self.carrier.number(NUMBER, behaviour);
        let mut order = json!({ "to": NUMBER, "purpose": "callback" });
        for (name, value) in retries.as_object().unwrap() {
            order[name] = value.clone();
        }
        let (status, placed) = self.post("/v1/calls", order).await;
        assert_eq!(status, StatusCode::CREATED, "{placed}");
        let id = placed["id"].as_str().unwrap().to_owned();
        self.ended(&id).await;
        self.result(&id).await;
        id
    }

    async fn look(&self, after: TimeDelta) {
        retries::once(&self.test.gateway.app, Utc::now() + after).await.unwrap();
    }

    async fn outreach(&self, id: &str) -> Value {
        self.get(&format!("/v1/calls/{id}")).await["outreach"].clone()
    }

    /// The newest attempt, when it is over.
    async fn latest(&self, id: &str) -> Value {
        let attempts = self.outreach(id).await["attempts"].as_array().unwrap().clone();
        let newest = attempts.last().unwrap()["id"].as_str().unwrap().to_owned();
        self.ended(&newest).await;
        self.result(&newest).await;
        self.outreach(&newest).await
    }

    /// Entries of the audit about the attempts of a call.
    async fn noted(&self, id: &str, action: &str) -> Vec<Value> {
        let audit = self.get(&format!("/v1/audit?subject={id}")).await;
        let items = audit["items"].as_array().unwrap().clone();
        items.into_iter().filter(|entry| entry["action"] == action).map(|e| e["details"].clone()).collect()
    }
}

#[tokio::test]
async fn who_is_not_reached_is_called_again_when_it_is_due_until_they_are() {
    let desk = desk().await;
    let first = desk.tried(Behaviour::NoAnswer, json!({ "retries": 3, "retry_after_s": 3_600 })).await;
    let now = desk.outreach(&first).await;
    assert_eq!(
        (&now["first"], &now["retries"]["state"], &now["retries"]["reason"], &now["retries"]["remaining"]),
        (&json!(first), &json!("waiting"), &json!("no_answer"), &json!(3)),
        "{now}"
    );
    desk.look(TimeDelta::minutes(50)).await;
    assert_eq!(desk.outreach(&first).await, now, "not due");
    // Due, and called within the day: it waits until that is over.
    desk.look(TimeDelta::hours(2)).await;
    let now = desk.outreach(&first).await;
    assert_eq!((&now["retries"]["reason"], desk.carrier.called().len()), (&json!("too_often"), 1), "{now}");
    desk.look(TimeDelta::hours(23)).await;
    assert_eq!(desk.carrier.called().len(), 1);

    desk.carrier.number(NUMBER, Behaviour::Busy);
    desk.look(TimeDelta::hours(25)).await;
    let second = desk.latest(&first).await;
    assert_eq!(
        (&second["first"], &second["result"], &second["retries"]["remaining"]),
        (&json!(first), &json!("busy"), &json!(2)),
        "{second}"
    );
    assert_eq!(second["attempts"].as_array().unwrap().len(), 2);
    desk.carrier.number(NUMBER, YES);
    desk.look(TimeDelta::hours(26)).await;
    let third = desk.latest(&first).await;
    assert_eq!(
        (&third["result"], &third["retries"]["state"], &third["retries"]["reason"]),
        (&json!("reached"), &json!("ended"), &json!("reached")),
        "{third}"
    );
    desk.look(TimeDelta::days(9)).await;
    assert_eq!(desk.carrier.called().len(), 3, "it is over");
    let ended = desk.noted(&first, "call.retries_ended").await;
    assert!(ended.len() == 1 && ended[0]["reason"] == "reached" && ended[0]["attempts"] == 3, "{ended:?}");
    let again = third["attempts"][1]["id"].as_str().unwrap();
    assert_eq!(desk.noted(again, "call.placed").await[0]["first"], json!(first));
    let audit = desk.get("/v1/audit?limit=200").await.to_string();
    assert!(!audit.contains("5550143"), "{audit}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn each_rule_is_asked_again_and_ends_the_attempts_or_puts_them_off() {
    let desk = desk_with(|config| config.limits.max_calls = Some(2)).await;
    let first = desk.tried(Behaviour::Busy, json!({ "retries": 2, "retry_after_s": 60 })).await;
    let clock = &desk.test.gateway.app.clock;
    clock.stand_at("2026-11-26T03:00:00Z".parse().unwrap());
    desk.look(TimeDelta::hours(25)).await;
    let now = desk.outreach(&first).await;
    assert_eq!(
        (&now["retries"]["state"], &now["retries"]["reason"]),
        (&json!("waiting"), &json!("quiet_hours"))
    );
    clock.stand_at("2026-11-26T17:00:00Z".parse().unwrap());
    desk.look(TimeDelta::hours(26)).await;
    assert_eq!(desk.carrier.called().len(), 1, "not before the hour that was told");
    let live = desk.test.gateway.app.capacity.admit(0.0, 0.0);
    desk.look(TimeDelta::hours(50)).await;
    let now = desk.outreach(&first).await;
    assert_eq!((&now["retries"]["state"], &now["retries"]["reason"]), (&json!("waiting"), &json!("no_room")));
    drop(live);
    desk.store.opt_out(first.parse().unwrap(), "voice").await.unwrap();
    assert!(desk.store.is_do_not_call(NUMBER).await.unwrap());
    desk.look(TimeDelta::hours(51)).await;
    let now = desk.outreach(&first).await;
    assert_eq!(
        (&now["retries"]["state"], &now["retries"]["reason"]),
        (&json!("ended"), &json!("do_not_call"))
    );
    assert_eq!(desk.carrier.called().len(), 1);
    assert_eq!(desk.noted(&first, "call.retries_ended").await[0]["reason"], "do_not_call");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_takes_it_back_is_heard_and_consent_too() {
    let desk = desk().await;
    let first = desk.tried(Behaviour::NoAnswer, json!({ "retries": 1 })).await;
    let path = format!("/v1/calls/{first}/retries");
    for _ in 0..2 {
        let (status, answer) = desk.delete(&path).await;
        assert_eq!((status, &answer["retries"]["reason"]), (StatusCode::OK, &json!("canceled")), "{answer}");
    }
    assert_eq!(desk.noted(&first, "call.retries_canceled").await.len(), 1);
    desk.look(TimeDelta::days(3)).await;
    assert_eq!(desk.carrier.called().len(), 1);
    assert_eq!(
        desk.delete("/v1/calls/00000000-0000-0000-0000-000000000000/retries").await.0,
        StatusCode::NOT_FOUND
    );

    let other = "+12125550144";
    let once = desk.over(other, Behaviour::Busy).await;
    let path = format!("/v1/calls/{}/retries", once["id"].as_str().unwrap());
    assert_eq!(desk.delete(&path).await.0, StatusCode::NOT_FOUND, "nobody asked for any");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_whoever_asked_was_told_is_not_tried_again_nor_what_was_no_miss() {
    let desk = desk().await;
    for (behaviour, result) in [
        (Behaviour::Says("wrong number"), "wrong_number"),
        (Behaviour::Machine, "machine"),
        (Behaviour::Says("stop calling me"), "opted_out"),
    ] {
        let desk = self::desk().await;
        let first = desk.tried(behaviour, json!({ "retries": 2, "retry_after_s": 60 })).await;
        let now = desk.outreach(&first).await;
        assert_eq!((&now["retries"]["state"], &now["retries"]["reason"]), (&json!("ended"), &json!(result)));
        desk.test.gateway.shutdown().await;
    }
    let first = desk.tried(Behaviour::Machine, json!({ "retries": 2, "retry_machines": true })).await;
    assert_eq!(desk.outreach(&first).await["retries"]["state"], "waiting");
    desk.delete(&format!("/v1/calls/{first}/retries")).await;

    let refused = "+12125550145";
    desk.agreed(refused).await;
    desk.carrier.number(refused, Behaviour::Refused(21_211));
    let order = json!({ "to": refused, "purpose": "callback", "retries": 2, "retry_after_s": 60 });
    assert_eq!(desk.post("/v1/calls", order).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let asked = desk.carrier.asked("Calls").len();
    desk.look(TimeDelta::days(3)).await;
    assert_eq!(desk.carrier.asked("Calls").len(), asked, "whoever asked knows that it failed");

    for (order, what) in [
        (json!({ "to": refused, "purpose": "callback", "retries": 6 }), "retries"),
        (json!({ "to": refused, "purpose": "callback", "retries": 1, "retry_after_s": 5 }), "retry_after_s"),
    ] {
        let (status, answer) = desk.post("/v1/calls", order).await;
        assert_eq!((status, &answer["error_details"]["parameter"]), (StatusCode::BAD_REQUEST, &json!(what)));
    }
    desk.test.gateway.shutdown().await;
}
