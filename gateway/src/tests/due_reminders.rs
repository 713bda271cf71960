//! Reminders that nobody asks for: to whoever agreed, once, and only where the tenant wants them.

use chrono::{TimeDelta, Utc};
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::outreach::Purpose;
use storage::records::{Direction, NewCall, NewWorkItem, Priority, WorkKind, WorkStatus};
use storage::{CallId, Calls, Outreach, Settings, WorkItems};

use super::outreach::{Desk, YES, desk, desk_with};
use super::simulated_carrier::Behaviour;
use crate::dialing::due_calls;

const NUMBER: &str = "+12125550143";
/// At the desk it is the 25th of November, noon.
const TOMORROW: &str = "2026-11-26T09:00";

impl Desk {
    /// Reminders go out so many hours before; 0: none do.
    async fn reminds_within(&self, hours: u32) {
        let mut facts = self.store.setting(crate::demo::FACTS).await.unwrap().unwrap();
        facts["remind_hours"] = json!(hours);
        self.store.put_setting(crate::demo::FACTS, &facts).await.unwrap();
    }

    async fn inspection(&self, number: &str, opening: &str, call: Option<CallId>) -> String {
        let new = NewWorkItem {
            kind: WorkKind::Inspection,
            idempotency_key: format!("{number} {opening}"),
            reference: None,
            call_id: call,
            passport_id: None,
            priority: Priority::Normal,
            caller: None,
            fields: json!({ "opening": opening, "address": "14 Oak Street", "phone": number }),
        };
        self.store.file_work_item(new).await.unwrap().reference
    }

    /// Somebody who agreed to be reminded, and answers.
    async fn wants_reminders(&self, number: &str) {
        let consent = json!({ "number": number, "purpose": "appointment", "source": "written" });
        assert_eq!(self.post("/v1/consents", consent).await.0, StatusCode::OK);
        self.carrier.number(number, YES);
    }

    pub(super) async fn look_for_due(&self) {
        due_calls::once(&self.test.gateway.app, Utc::now()).await.unwrap();
    }

    pub(super) fn rang(&self) -> usize {
        self.carrier.called().len()
    }

    pub(super) fn clock(&self, time: &str) {
        self.test.gateway.app.clock.stand_at(time.parse().unwrap());
    }

    pub(super) async fn on_the_audit(&self, action: &str) -> Vec<Value> {
        let audit = self.get("/v1/audit?limit=200").await;
        assert!(!audit.to_string().contains("5550143"), "{audit}");
        let items = audit["items"].as_array().unwrap().clone();
        items.into_iter().filter(|entry| entry["action"] == action).collect()
    }
}

#[tokio::test]
async fn an_appointment_rings_once_where_it_is_wanted() {
    let desk = desk().await;
    desk.wants_reminders(NUMBER).await;
    let booked = desk.inspection(NUMBER, TOMORROW, None).await;
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 0, "no tenant has it unless it says so");

    desk.reminds_within(24).await;
    let app = &desk.test.gateway.app;
    let (one, other) = tokio::join!(due_calls::once(app, Utc::now()), due_calls::once(app, Utc::now()));
    one.unwrap();
    other.unwrap();
    let placed = desk.on_the_audit("call.placed").await;
    assert_eq!(placed.len(), 1, "two looks at once: {placed:?}");
    assert_eq!(
        (&placed[0]["actor"]["kind"], &placed[0]["actor"]["id"], &placed[0]["details"]["appointment"]),
        (&json!("system"), &json!("reminders"), &json!(booked)),
        "{placed:?}"
    );
    let id = placed[0]["subject"]["id"].as_str().unwrap().to_owned();
    let call = desk.ended(&id).await;
    assert_eq!(
        (&call["outreach"]["purpose"], &call["outreach"]["appointment"]),
        (&json!("appointment"), &json!(booked))
    );
    assert_eq!(desk.result(&id).await, "reached");
    desk.look_for_due().await;
    due_calls::once(app, Utc::now() + TimeDelta::days(2)).await.unwrap();
    assert_eq!(desk.rang(), 1);
    let form = &desk.carrier.asked("Calls")[0];
    assert!(form.contains(&("From".into(), "+12025550100".into())), "{form:?}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_did_not_agree_is_passed_over_silently() {
    let desk = desk().await;
    desk.reminds_within(24).await;
    desk.inspection(NUMBER, TOMORROW, None).await;
    let listed = "+12125550144";
    desk.wants_reminders(listed).await;
    desk.post("/v1/do-not-call", json!({ "number": listed })).await;
    desk.inspection(listed, TOMORROW, None).await;
    let agreed = "+12125550145";
    desk.wants_reminders(agreed).await;
    let before = desk.get("/v1/audit?limit=200").await["items"].as_array().unwrap().len();
    for _ in 0..2 {
        desk.look_for_due().await;
    }
    assert_eq!(
        (desk.rang(), desk.get("/v1/audit?limit=200").await["items"].as_array().unwrap().len()),
        (0, before)
    );
    // Nobody there keeps the others from theirs.
    desk.inspection(agreed, "2026-11-26T10:00", None).await;
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 1);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_reminder_waits_for_hours_and_room() {
    let desk = desk_with(|config| config.limits.max_calls = Some(2)).await;
    desk.reminds_within(24).await;
    desk.wants_reminders(NUMBER).await;
    desk.inspection(NUMBER, TOMORROW, None).await;
    // Ten in the evening there.
    desk.clock("2026-11-26T03:00:00Z");
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 0);
    desk.clock("2026-11-26T13:30:00Z");
    let live = desk.test.gateway.app.capacity.admit(0.0, 0.0);
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 0, "who calls us goes first");
    drop(live);
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 1);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_number_called_today_is_reminded_tomorrow() {
    let desk = desk().await;
    desk.over(NUMBER, Behaviour::Busy).await;
    desk.reminds_within(24).await;
    desk.wants_reminders(NUMBER).await;
    desk.inspection(NUMBER, TOMORROW, None).await;
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 1);
    due_calls::once(&desk.test.gateway.app, Utc::now() + TimeDelta::hours(25)).await.unwrap();
    assert_eq!(desk.rang(), 2);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_is_far_over_closed_or_reminded_rests() {
    let desk = desk().await;
    desk.reminds_within(24).await;
    let number = |n: usize| format!("+121255501{n:02}");
    for n in 0..5 {
        desk.wants_reminders(&number(n)).await;
    }
    desk.inspection(&number(0), "2026-11-26T12:01", None).await;
    desk.inspection(&number(1), "2026-11-25T11:59", None).await;
    for (n, status) in [(2, WorkStatus::Cancelled), (3, WorkStatus::Done)] {
        let closed = desk.inspection(&number(n), TOMORROW, None).await;
        desk.store.set_work_status(&closed, status).await.unwrap();
    }
    // A person had this one reminded of, by another spelling of its reference.
    let reminded = desk.inspection(&number(4), TOMORROW, None).await.to_lowercase();
    let order = json!({ "to": number(4), "purpose": "appointment", "appointment": reminded });
    let (status, placed) = desk.post("/v1/calls", order).await;
    assert_eq!(status, StatusCode::CREATED, "{placed}");
    desk.ended(placed["id"].as_str().unwrap()).await;
    desk.look_for_due().await;
    due_calls::once(&desk.test.gateway.app, Utc::now() + TimeDelta::hours(25)).await.unwrap();
    assert_eq!(desk.rang(), 1, "the one that a person asked for");
    // A minute later the first is near enough.
    desk.clock("2026-11-25T17:01:00Z");
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 2);
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_booked_in_spanish_hears_spanish() {
    let desk = desk().await;
    desk.reminds_within(24).await;
    desk.wants_reminders(NUMBER).await;
    assert!(desk.store.has_consent(NUMBER, Purpose::Appointment).await.unwrap());
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: Some(NUMBER.into()),
        direction: Direction::Inbound,
        language: "es".into(),
        passport_id: None,
        started_at: Utc::now(),
    };
    let id = desk.store.begin_call(call).await.unwrap().id;
    desk.inspection(NUMBER, TOMORROW, Some(id)).await;
    desk.look_for_due().await;
    let placed = desk.on_the_audit("call.placed").await;
    desk.ended(placed[0]["subject"]["id"].as_str().unwrap()).await;
    let said = desk.carrier.followed().join("\n");
    assert!(said.contains("Llamamos por una cita."), "{said}");
    desk.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_is_missed_may_be_tried_once_more() {
    let desk = desk().await;
    desk.reminds_within(72).await;
    desk.wants_reminders(NUMBER).await;
    desk.carrier.number(NUMBER, Behaviour::NoAnswer);
    desk.inspection(NUMBER, "2026-11-28T09:00", None).await;
    desk.look_for_due().await;
    let placed = desk.on_the_audit("call.placed").await;
    let id = placed[0]["subject"]["id"].as_str().unwrap().to_owned();
    desk.ended(&id).await;
    desk.result(&id).await;
    let retries = &desk.get(&format!("/v1/calls/{id}")).await["outreach"]["retries"];
    assert_eq!((&retries["state"], &retries["remaining"]), (&json!("waiting"), &json!(1)), "{retries}");
    desk.look_for_due().await;
    assert_eq!(desk.rang(), 1);
    desk.test.gateway.shutdown().await;
}
