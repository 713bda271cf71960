//! A team found something missing in a request: whoever left it is called once, where the tenant wants that.

use chrono::{TimeDelta, Utc};
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::dials::{DialBegun, NewDial};
use storage::records::{Direction, NewCall, NewWorkItem, Priority, WorkKind, WorkStatus};
use storage::work_acts::{NewWorkAct, WorkMove};
use storage::{CallId, Calls, DialId, Dials, Settings, WorkItems};

use super::outreach::{Desk, YES, desk};
use super::simulated_carrier::Behaviour;
use crate::dialing::{due_calls, follow_up, retries};

const NUMBER: &str = "+12125550143";

impl Desk {
    async fn follows_up(&self) {
        let mut facts = self.store.setting(crate::demo::FACTS).await.unwrap().unwrap();
        facts["follow_up_calls"] = json!(true);
        self.store.put_setting(crate::demo::FACTS, &facts).await.unwrap();
    }

    /// Somebody who agreed to hear of their requests, and answers.
    async fn wants_news(&self, number: &str) {
        let consent = json!({ "number": number, "purpose": "request", "source": "written" });
        assert_eq!(self.post("/v1/consents", consent).await.0, StatusCode::OK);
        self.carrier.number(number, YES);
    }

    async fn spoke(&self, number: &str, direction: Direction, language: &str) -> CallId {
        let call = NewCall {
            id: CallId::new(),
            carrier_sid: None,
            line: "+12025550100".into(),
            caller: Some(number.into()),
            direction,
            language: language.into(),
            passport_id: None,
            started_at: Utc::now(),
        };
        let id = self.store.begin_call(call).await.unwrap().id;
        self.store.end_call(id, "caller_hung_up", Utc::now()).await.unwrap();
        id
    }

    async fn filed(&self, call: CallId, kind: WorkKind, key: &str, fields: Value) -> String {
        let new = NewWorkItem {
            kind,
            idempotency_key: key.to_owned(),
            reference: None,
            call_id: Some(call),
            passport_id: None,
            priority: Priority::Normal,
            caller: None,
            fields,
        };
        self.store.file_work_item(new).await.unwrap().reference
    }

    /// A report on which a team wants to know more, and the request for that.
    async fn lacks(&self, number: &str, missing: &str) -> String {
        let call = self.spoke(number, Direction::Inbound, "en").await;
        self.lacks_in(call, number, missing).await
    }

    async fn lacks_in(&self, call: CallId, number: &str, missing: &str) -> String {
        let report = json!({ "what": "A pothole", "where": "14 Oak Street" });
        self.filed(call, WorkKind::Incident, &format!("{call}/1/0"), report).await;
        let key = format!("office/{call}/incident_investigation/intake_review/call_back");
        let fields = json!({ "reason": "what is missing in it", "missing": missing, "phone": number });
        self.filed(call, WorkKind::Callback, &key, fields).await
    }
}

#[tokio::test]
async fn a_request_that_lacks_something_rings_once_where_it_is_wanted() {
    let desk = desk().await;
    desk.wants_news(NUMBER).await;
    let request = desk.lacks(NUMBER, "injured, when").await;
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 0, "no tenant has it unless it says so");

    desk.follows_up().await;
    let app = &desk.test.gateway.app;
    let (one, other) = tokio::join!(due_calls::once(app, Utc::now()), due_calls::once(app, Utc::now()));
    one.unwrap();
    other.unwrap();
    let placed = desk.on_the_audit("call.placed").await;
    assert_eq!(placed.len(), 1, "two looks at once: {placed:?}");
    assert_eq!(
        (&placed[0]["actor"]["kind"], &placed[0]["actor"]["id"], &placed[0]["details"]["request"]),
        (&json!("system"), &json!("follow_ups"), &json!(request)),
        "{placed:?}"
    );
    let id = placed[0]["subject"]["id"].as_str().unwrap().to_owned();
    let asked = follow_up::for_call(app, &desk.store, id.parse().unwrap(), true).await.unwrap().unwrap();
    assert_eq!(
        (asked.item.as_str(), asked.kind.as_str(), asked.place.as_str(), asked.missing.as_slice()),
        (request.as_str(), "incident", "14 Oak Street", &["injured".to_owned(), "when".to_owned()][..])
    );
    let call = desk.ended(&id).await;
    let outreach = &call["outreach"];
    assert_eq!((&outreach["purpose"], &outreach["request"]), (&json!("request"), &json!(request)), "{call}");
    assert!(outreach.get("appointment").is_none(), "{call}");
    assert_eq!(desk.result(&id).await, "reached");
    let said = desk.carrier.followed().join("\n");
    assert!(said.contains("about a request that was made with us") && !said.contains("Oak"), "{said}");
    desk.look_for_due().await;
    due_calls::once(app, Utc::now() + TimeDelta::days(2)).await.unwrap();
    assert_eq!(desk.rang(), 1);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_people_see_to_is_left_to_them() {
    let desk = desk().await;
    desk.follows_up().await;
    let number = |n: usize| format!("+121255501{n:02}");
    for n in 0..7 {
        desk.wants_news(&number(n)).await;
    }
    // The caller asked to be called, and waits for a person.
    let call = desk.spoke(&number(0), Direction::Inbound, "en").await;
    let fields = json!({ "reason": "taxes", "missing": "when", "phone": number(0) });
    desk.filed(call, WorkKind::Callback, &format!("{call}/2/0"), fields).await;
    for (n, status) in [(1, WorkStatus::InProgress), (2, WorkStatus::Done), (3, WorkStatus::Cancelled)] {
        let request = desk.lacks(&number(n), "when").await;
        desk.store.set_work_status(&request, status).await.unwrap();
    }
    // Whoever had called gave it back.
    let called = desk.lacks(&number(3), "where").await;
    let item = desk.store.work_item(&called).await.unwrap().unwrap().id;
    let dial = NewDial { id: DialId::new(), item, actor: "al".into(), line: "+12025550100".into() };
    assert!(matches!(desk.store.begin_dial(dial).await.unwrap(), DialBegun::Begun(_)));
    let act = NewWorkAct { item, actor: "al".into(), made: WorkMove::Assign(None) };
    desk.store.act_on_work_item(act).await.unwrap();
    // There is no question for a part of it.
    desk.lacks(&number(4), "when, the color of the truck").await;
    // It was left in a call of ours.
    let ours = desk.spoke(&number(5), Direction::Outbound, "en").await;
    desk.lacks_in(ours, &number(5), "when").await;
    // Nobody agreed, and somebody does not want to be called.
    desk.lacks(NUMBER, "when").await;
    desk.post("/v1/do-not-call", json!({ "number": number(6) })).await;
    desk.lacks(&number(6), "when").await;
    let before = desk.get("/v1/audit?limit=200").await["items"].as_array().unwrap().len();
    for _ in 0..2 {
        desk.look_for_due().await;
    }
    assert_eq!(
        (desk.rang(), desk.get("/v1/audit?limit=200").await["items"].as_array().unwrap().len()),
        (0, before)
    );
    // Whoever gives it back without having called leaves it to us.
    let free = desk.lacks(&number(1), "where").await;
    let item = desk.store.work_item(&free).await.unwrap().unwrap();
    for made in [WorkMove::Claim, WorkMove::Assign(None)] {
        let act = NewWorkAct { item: item.id, actor: "al".into(), made };
        desk.store.act_on_work_item(act).await.unwrap();
    }
    // Ten in the evening there.
    desk.clock("2026-11-26T03:00:00Z");
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 0);
    desk.clock("2026-11-26T14:30:00Z");
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 1);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_is_missed_is_tried_once_more_unless_somebody_took_it_on() {
    let desk = desk().await;
    desk.follows_up().await;
    let (left, taken) = (NUMBER, "+12125550144");
    let mut requests = Vec::new();
    for number in [left, taken] {
        desk.wants_news(number).await;
        desk.carrier.number(number, Behaviour::NoAnswer);
        requests.push(desk.lacks(number, "when").await);
    }
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 2);
    let placed = desk.on_the_audit("call.placed").await;
    for entry in &placed {
        let id = entry["subject"]["id"].as_str().unwrap();
        desk.ended(id).await;
        desk.result(id).await;
        let retries = &desk.get(&format!("/v1/calls/{id}")).await["outreach"]["retries"];
        assert_eq!((&retries["state"], &retries["remaining"]), (&json!("waiting"), &json!(1)), "{retries}");
    }
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 2);
    desk.store.set_work_status(&requests[1], WorkStatus::InProgress).await.unwrap();
    retries::once(&desk.test.gateway.app, Utc::now() + TimeDelta::hours(25)).await.unwrap();
    assert_eq!(desk.rang(), 3);
    let ended = desk.on_the_audit("call.retries_ended").await;
    let reasons: Vec<&Value> = ended.iter().map(|entry| &entry["details"]["reason"]).collect();
    assert_eq!(reasons, [&json!("no_follow_up")], "{ended:?}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_left_it_in_spanish_hears_spanish() {
    let desk = desk().await;
    desk.follows_up().await;
    desk.wants_news(NUMBER).await;
    let call = desk.spoke(NUMBER, Direction::Inbound, "es").await;
    desk.lacks_in(call, NUMBER, "when").await;
    desk.look_for_due().await;
    let placed = desk.on_the_audit("call.placed").await;
    desk.ended(placed[0]["subject"]["id"].as_str().unwrap()).await;
    let said = desk.carrier.followed().join("\n");
    assert!(said.contains("Llamamos por una solicitud que se nos hizo."), "{said}");
    desk.test.gateway.shutdown().await;
}
