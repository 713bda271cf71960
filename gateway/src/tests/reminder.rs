//! A call that reminds of an appointment: of one that is to come, and to the number that is on file for it.

use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::WorkItems;
use storage::records::{NewWorkItem, Priority, WorkKind, WorkStatus};

use super::outreach::{Desk, YES, desk};

const NUMBER: &str = "+12125550143";

impl Desk {
    async fn booked(&self, key: &str, opening: &str) -> String {
        let new = NewWorkItem {
            kind: WorkKind::Inspection,
            idempotency_key: key.to_owned(),
            reference: None,
            call_id: None,
            passport_id: None,
            priority: Priority::Normal,
            caller: None,
            fields: json!({ "opening": opening, "address": "14 Oak Street", "phone": NUMBER }),
        };
        self.store.file_work_item(new).await.unwrap().reference
    }

    async fn reminds(&self, to: &str, appointment: &str) -> (StatusCode, Value) {
        let consent = json!({ "number": to, "purpose": "appointment", "source": "written" });
        assert_eq!(self.post("/v1/consents", consent).await.0, StatusCode::OK);
        self.post("/v1/calls", json!({ "to": to, "purpose": "appointment", "appointment": appointment }))
            .await
    }
}

#[tokio::test]
async fn only_whose_appointment_it_is_hears_of_it_and_only_while_it_is_to_come() {
    // At the desk it is the 25th of November, noon.
    let desk = desk().await;
    let (next, past) =
        (desk.booked("next", "2026-11-27T09:00").await, desk.booked("past", "2026-11-20T09:00").await);
    let taken_back = desk.booked("taken back", "2026-11-27T10:00").await;
    desk.store.set_work_status(&taken_back, WorkStatus::Cancelled).await.unwrap();
    for (to, appointment, rule) in [
        (NUMBER, past.as_str(), "no_appointment"),
        (NUMBER, taken_back.as_str(), "no_appointment"),
        (NUMBER, "INS-0000", "no_appointment"),
        ("+12125550144", next.as_str(), "other_number"),
    ] {
        let (status, answer) = desk.reminds(to, appointment).await;
        assert_eq!(
            (status, &answer["error_details"]["rule"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!(rule)),
            "{answer}"
        );
    }
    assert!(desk.carrier.called().is_empty());
    let other = json!({ "to": NUMBER, "purpose": "request", "appointment": next });
    assert_eq!(desk.post("/v1/calls", other).await.0, StatusCode::BAD_REQUEST);

    desk.carrier.number(NUMBER, YES);
    let (status, placed) = desk.reminds(NUMBER, &next).await;
    assert_eq!(status, StatusCode::CREATED, "{placed}");
    let call = desk.ended(placed["id"].as_str().unwrap()).await;
    assert_eq!(call["outreach"]["appointment"], json!(next), "{call}");
    let said = desk.carrier.followed().join("\n");
    assert!(said.contains("We are calling about an appointment.") && !said.contains("Oak"), "{said}");
    desk.test.gateway.shutdown().await;
}
