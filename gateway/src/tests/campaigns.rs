//! The agent calls a list of numbers: each under its own rules, few at first, and never at the cost of who calls us.

use chrono::{DateTime, TimeDelta, Utc};
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::{Outreach, WorkItems};

use super::outreach::{Desk, YES, desk, desk_with};
use super::simulated_carrier::{Behaviour, Callbacks, Trouble};
use crate::dialing::campaigns;

/// They begin then, so that the gateway's own looks leave them to the test.
const AHEAD: TimeDelta = TimeDelta::hours(1);

/// A moment at which whatever was made by now has begun.
fn begun() -> DateTime<Utc> {
    Utc::now() + AHEAD + TimeDelta::minutes(1)
}

fn number(n: usize) -> String {
    format!("+121255501{n:02}")
}

impl Desk {
    async fn lists(&self, change: Value) -> (StatusCode, Value) {
        let mut order = json!({
            "purpose": "callback",
            "from": Utc::now() + AHEAD,
            "until": Utc::now() + TimeDelta::days(5),
            "at_once": 3,
        });
        for (name, value) in change.as_object().unwrap() {
            order[name] = value.clone();
        }
        self.post("/v1/campaigns", order).await
    }

    async fn campaign(&self, change: Value) -> String {
        let (status, kept) = self.lists(change).await;
        assert_eq!((status, &kept["state"]), (StatusCode::CREATED, &json!("running")), "{kept}");
        kept["id"].as_str().unwrap().to_owned()
    }

    /// Somebody who agreed and behaves so.
    async fn knows(&self, n: usize, behaviour: Behaviour) -> String {
        self.agreed(&number(n)).await;
        self.carrier.number(&number(n), behaviour);
        number(n)
    }

    async fn stands(&self, id: &str) -> Value {
        self.get(&format!("/v1/campaigns/{id}")).await
    }

    /// Looks once, and waits until nobody is being called.
    async fn look_at(&self, id: &str, at: DateTime<Utc>) -> Value {
        campaigns::once(&self.test.gateway.app, at).await.unwrap();
        for _ in 0..400 {
            let stands = self.stands(id).await;
            if stands["calling"] == 0 {
                return stands;
            }
            tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        }
        panic!("{}", self.stands(id).await);
    }

    async fn turned(&self, id: &str, how: &str) -> (StatusCode, Value) {
        self.post(&format!("/v1/campaigns/{id}/{how}"), json!({})).await
    }

    async fn campaign_acts(&self, id: &str) -> Vec<Value> {
        self.get(&format!("/v1/audit?subject={id}")).await["items"].as_array().unwrap().clone()
    }
}

#[tokio::test]
async fn every_number_of_a_list_keeps_to_its_own_rules_and_what_became_of_it_is_told() {
    let desk = desk().await;
    // 8:30 in New York, 5:30 in Los Angeles.
    desk.test.gateway.app.clock.stand_at("2026-11-25T13:30:00Z".parse().unwrap());
    let (reached, missed) = (desk.knows(0, YES).await, desk.knows(1, Behaviour::NoAnswer).await);
    let forbidden = desk.knows(2, YES).await;
    let west = "+14155550143";
    desk.agreed(west).await;
    desk.carrier.number(west, YES);
    let numbers = json!([reached, missed, number(3), forbidden, "+442071234567", west, "(212) 555-0100"]);
    let id = desk.campaign(json!({ "numbers": numbers })).await;
    // After the list was made.
    desk.post("/v1/do-not-call", json!({ "number": forbidden })).await;
    let stands = desk.stands(&id).await;
    assert_eq!((&stands["numbers"], &stands["waiting"]), (&json!(6), &json!(5)), "{stands}");
    assert_eq!(stands["results"], json!({ "do_not_call": 1 }), "taken out at once");
    campaigns::once(&desk.test.gateway.app, Utc::now()).await.unwrap();
    assert!(desk.carrier.called().is_empty(), "not yet");

    let begin = begun();
    let stands = desk.look_at(&id, begin).await;
    let called = desk.carrier.called();
    assert!(called.len() == 1 && called[0].0 == reached, "one, to begin with: {called:?}");
    assert_eq!(stands["results"]["reached"], 1, "{stands}");
    let stands = desk.look_at(&id, begin).await;
    let results = json!({
        "reached": 1, "no_answer": 1, "no_consent": 1, "do_not_call": 1, "destination": 1,
    });
    assert_eq!(
        (&stands["results"], &stands["waiting_for"]),
        (&results, &json!({ "quiet_hours": 1 })),
        "{stands}"
    );
    let first = &stands["entries"][0];
    let call = desk.get(&format!("/v1/calls/{}", first["call"].as_str().unwrap())).await;
    assert_eq!((&call["outreach"]["campaign"], &first["attempts"]), (&json!(id), &json!(1)), "{call}");

    desk.test.gateway.app.clock.stand_at("2026-11-25T17:00:00Z".parse().unwrap());
    let stands = desk.look_at(&id, begin).await;
    assert_eq!(stands["waiting"], 1, "not before the hour that was told: {stands}");
    let later = begin + TimeDelta::hours(3);
    desk.look_at(&id, later).await;
    let stands = desk.look_at(&id, later).await;
    assert_eq!((&stands["state"], &stands["results"]["reached"]), (&json!("ended"), &json!(2)), "{stands}");
    desk.look_at(&id, later + TimeDelta::days(2)).await;
    assert_eq!(desk.carrier.called().len(), 3, "it is over");

    let acts = desk.campaign_acts(&id).await;
    let ended: Vec<&Value> = acts.iter().filter(|act| act["action"] == "campaign.ended").collect();
    assert!(ended.len() == 1 && ended[0]["details"]["no_consent"] == 1, "{acts:?}");
    let told = format!("{stands}{}", desk.get("/v1/audit?limit=200").await);
    assert!(!told.contains("2125550") && !told.contains("415555"), "{told}");
    assert_eq!(desk.get("/v1/campaigns").await["items"][0]["id"], json!(id));
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_is_not_reached_is_called_again_under_every_rule_and_within_its_time() {
    let desk = desk().await;
    let busy = desk.knows(0, Behaviour::Busy).await;
    let order = json!({ "numbers": [busy], "retries": 2, "retry_after_s": 60 });
    let id = desk.campaign(order.clone()).await;
    let begin = begun();
    let stands = desk.look_at(&id, begin).await;
    assert_eq!(stands["waiting_for"], json!({ "busy": 1 }), "{stands}");
    // It was called within the day, by ourselves.
    let stands = desk.look_at(&id, begin + TimeDelta::hours(2)).await;
    assert_eq!(stands["waiting_for"], json!({ "too_often": 1 }), "{stands}");
    desk.look_at(&id, begin + TimeDelta::hours(20)).await;
    assert_eq!(desk.carrier.called().len(), 1);
    let stands = desk.look_at(&id, begin + TimeDelta::hours(25)).await;
    let entry = &stands["entries"][0];
    assert_eq!((&entry["attempts"], &entry["reason"]), (&json!(2), &json!("busy")), "{stands}");
    let attempts = desk.get(&format!("/v1/calls/{}", entry["call"].as_str().unwrap())).await;
    assert_eq!(attempts["outreach"]["attempts"].as_array().unwrap().len(), 2, "{attempts}");
    desk.store.set_consent(withdrawn(&number(0))).await.unwrap();
    desk.look_at(&id, begin + TimeDelta::hours(60)).await;
    let stands = desk.look_at(&id, begin + TimeDelta::hours(60)).await;
    assert_eq!(
        (&stands["state"], &stands["results"]),
        (&json!("ended"), &json!({ "no_consent": 1 })),
        "{stands}"
    );

    // Called today already: for a list that begins with it that is final.
    let other = desk.knows(1, Behaviour::NoAnswer).await;
    desk.over(&other, Behaviour::NoAnswer).await;
    let id = desk.campaign(json!({ "numbers": [other] })).await;
    let stands = desk.look_at(&id, begun()).await;
    assert_eq!(stands["results"], json!({ "too_often": 1 }), "{stands}");
    // Past its time nobody is called.
    let late = desk.knows(2, YES).await;
    let id = desk.campaign(json!({ "numbers": [late] })).await;
    let stands = desk.look_at(&id, Utc::now() + TimeDelta::days(6)).await;
    assert_eq!(
        (&stands["state"], &stands["results"]),
        (&json!("ended"), &json!({ "too_late": 1 })),
        "{stands}"
    );
    assert_eq!(desk.carrier.called().len(), 3);
    desk.test.gateway.shutdown().await;
}

fn withdrawn(number: &str) -> storage::outreach::NewConsent {
    storage::outreach::NewConsent {
        number: number.to_owned(),
        purpose: storage::outreach::Purpose::Callback,
        given: false,
        source: "call".to_owned(),
        by: "callee".to_owned(),
    }
}

#[tokio::test]
async fn who_calls_us_goes_first_and_nobody_rings_without_a_place() {
    let desk = desk_with(|config| config.limits.max_calls = Some(4)).await;
    let mut numbers = Vec::new();
    for n in 0..6 {
        numbers.push(desk.knows(n, Behaviour::NoAnswer).await);
    }
    let id = desk.campaign(json!({ "numbers": numbers, "at_once": 50 })).await;
    let begin = begun();
    let app = desk.test.gateway.app.clone();
    let live = (app.capacity.admit(0.0, 0.0), app.capacity.admit(0.0, 0.0));
    let stands = desk.look_at(&id, begin).await;
    assert_eq!((&stands["waits"], &stands["waiting"]), (&json!("no_room"), &json!(6)), "{stands}");
    assert!(desk.carrier.called().is_empty());
    drop(live);
    for _ in 0..2 {
        let stands = desk.look_at(&id, begin).await;
        assert_eq!(stands["waits"], Value::Null, "{stands}");
    }
    assert_eq!(desk.carrier.called().len(), 3, "one, then two");
    // By now it would take four at a time; half of four places are ours. Nobody tells how these end.
    desk.carrier.callbacks(Callbacks::Lost);
    for _ in 0..3 {
        campaigns::once(&app, begin).await.unwrap();
    }
    let stands = desk.stands(&id).await;
    assert_eq!((&stands["calling"], &stands["waits"]), (&json!(2), &json!("no_room")), "{stands}");
    assert_eq!(desk.carrier.called().len(), 5);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn it_is_paused_goes_on_and_is_canceled_and_who_opts_out_is_out_of_all() {
    let desk = desk().await;
    let mut numbers = Vec::new();
    for n in 0..4 {
        numbers.push(desk.knows(n, Behaviour::NoAnswer).await);
    }
    desk.carrier.number(&numbers[0], Behaviour::Says("please stop calling me"));
    let (one, other) = (
        desk.campaign(json!({ "numbers": numbers })).await,
        desk.campaign(json!({ "numbers": numbers, "purpose": "request" })).await,
    );
    let begin = begun();
    for _ in 0..2 {
        let (status, stands) = desk.turned(&other, "pause").await;
        assert_eq!((status, &stands["state"]), (StatusCode::OK, &json!("paused")), "{stands}");
    }
    let stands = desk.look_at(&one, begin).await;
    assert_eq!(stands["results"], json!({ "opted_out": 1 }), "{stands}");
    let stands = desk.stands(&other).await;
    assert_eq!(
        (&stands["results"], &stands["waiting"]),
        (&json!({ "do_not_call": 1 }), &json!(3)),
        "out of the other one too: {stands}"
    );
    desk.turned(&one, "pause").await;
    desk.look_at(&one, begin).await;
    assert_eq!(desk.carrier.called().len(), 1, "both rest");
    desk.turned(&one, "resume").await;
    desk.look_at(&one, begin).await;
    let called = desk.carrier.called().len();
    assert!(called > 1);
    let (status, stands) = desk.turned(&one, "cancel").await;
    assert_eq!(
        (status, &stands["state"], &stands["waiting"]),
        (StatusCode::OK, &json!("canceled"), &json!(0))
    );
    let left = stands["results"]["canceled"].as_u64().unwrap();
    assert_eq!(left + called as u64, 4, "{stands}");
    desk.look_at(&one, begin + TimeDelta::days(2)).await;
    assert_eq!(desk.carrier.called().len(), called);
    for how in ["pause", "resume"] {
        assert_eq!(desk.turned(&one, how).await.0, StatusCode::CONFLICT, "{how}");
    }
    assert_eq!(desk.turned("00000000-0000-0000-0000-000000000000", "pause").await.0, StatusCode::NOT_FOUND);
    let mut acts: Vec<String> = Vec::new();
    for act in desk.campaign_acts(&one).await {
        acts.push(act["action"].as_str().unwrap().to_owned());
    }
    acts.sort();
    assert_eq!(acts, ["campaign.canceled", "campaign.created", "campaign.paused", "campaign.resumed"]);
    assert_eq!(desk.campaign_acts(&other).await.len(), 2, "paused once");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn two_looks_at_a_time_and_a_carrier_that_does_not_say_make_one_call_of_an_attempt() {
    let desk = desk().await;
    let only = desk.knows(0, Behaviour::NoAnswer).await;
    let id = desk.campaign(json!({ "numbers": [only] })).await;
    let begin = begun();
    desk.carrier.callbacks(Callbacks::Lost);
    desk.carrier.trouble([Trouble::DoneAnd(500)]);
    let app = &desk.test.gateway.app;
    let (one, other) = tokio::join!(campaigns::once(app, begin), campaigns::once(app, begin));
    one.and(other).unwrap();
    campaigns::once(app, begin).await.unwrap();
    let stands = desk.stands(&id).await;
    assert_eq!((&stands["calling"], desk.carrier.called().len()), (&json!(1), 1), "{stands}");
    let refused = desk.knows(1, Behaviour::Refused(21_211)).await;
    let id = desk.campaign(json!({ "numbers": [refused], "retries": 3, "retry_after_s": 60 })).await;
    let stands = desk.look_at(&id, begun()).await;
    let results = stands["results"].as_object().unwrap();
    assert!(results.len() == 1 && stands["waiting"] == 0, "no number of the carrier's: {stands}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_list_of_requests_calls_the_numbers_on_file_and_what_is_wrong_is_named_by_its_place() {
    let desk = desk().await;
    let file = async |key: &str, fields: Value| {
        let new = NewWorkItem {
            kind: WorkKind::Inspection,
            idempotency_key: key.to_owned(),
            reference: None,
            call_id: None,
            passport_id: None,
            priority: Priority::Normal,
            caller: None,
            fields,
        };
        desk.store.file_work_item(new).await.unwrap().reference
    };
    let theirs = number(0);
    let booked =
        file("a", json!({ "opening": "2026-11-27T09:00", "address": "14 Oak Street", "phone": theirs }))
            .await;
    let unknown = file("b", json!({ "opening": "2026-11-27T10:00" })).await;
    let consent = json!({ "number": theirs, "purpose": "appointment", "source": "written" });
    assert_eq!(desk.post("/v1/consents", consent).await.0, StatusCode::OK);
    desk.carrier.number(&theirs, YES);
    let id = desk.campaign(json!({ "purpose": "appointment", "items": [booked, unknown] })).await;
    let stands = desk.look_at(&id, begun()).await;
    assert_eq!(stands["results"], json!({ "no_number": 1, "reached": 1 }), "{stands}");
    let call = desk.get(&format!("/v1/calls/{}", stands["entries"][0]["call"].as_str().unwrap())).await;
    assert_eq!(call["outreach"]["appointment"], json!(booked), "{call}");

    let (status, answer) = desk.lists(json!({ "numbers": [number(1), "nobody", "12"] })).await;
    assert_eq!(
        (status, &answer["error_details"]["positions"]),
        (StatusCode::BAD_REQUEST, &json!([2, 3])),
        "{answer}"
    );
    let many: Vec<String> = (0..1_001).map(|n| format!("+1212555{n:04}")).collect();
    let soon = Utc::now() - TimeDelta::minutes(1);
    for (change, parameter) in [
        (json!({ "numbers": [] }), "numbers"),
        (json!({ "numbers": [number(1)], "items": [booked] }), "numbers"),
        (json!({ "numbers": many }), "numbers"),
        (json!({ "items": ["INS-0000"] }), "items"),
        (json!({ "numbers": [number(1)], "until": soon }), "until"),
        (json!({ "numbers": [number(1)], "until": Utc::now() + TimeDelta::days(40) }), "until"),
        (json!({ "numbers": [number(1)], "at_once": 0 }), "at_once"),
        (json!({ "numbers": [number(1)], "retries": 6 }), "retries"),
        (json!({ "numbers": [number(1)], "language": "fr" }), "language"),
    ] {
        let (status, answer) = desk.lists(change).await;
        assert_eq!(
            (status, &answer["error_details"]["parameter"]),
            (StatusCode::BAD_REQUEST, &json!(parameter)),
            "{answer}"
        );
    }
    assert_eq!(
        desk.get("/v1/campaigns").await["items"].as_array().unwrap().len(),
        1,
        "none of these is kept"
    );
    desk.test.gateway.shutdown().await;
}
