//! What somebody answers to a reminder is noted on the request before they hear that it is.

use pipeline::ports::Reminder;
use storage::records::{NewWorkItem, Priority, WorkKind};

use super::*;

async fn booked(office: &Office) -> WorkItem {
    let new = NewWorkItem {
        kind: WorkKind::Inspection,
        idempotency_key: "booked".into(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Normal,
        caller: None,
        fields: serde_json::json!({ "address": "14 Oak Street" }),
    };
    office.store.file_work_item(new).await.unwrap()
}

fn reminding(office: &Office, item: &str) -> Line {
    let reminder = Reminder {
        item: item.to_owned(),
        starts: Utc::now().naive_utc() + chrono::Duration::days(3),
        place: "14 Oak Street".into(),
        sure: true,
    };
    let brief = CallBrief { outbound: true, reminder: Some(reminder), ..office.brief() };
    Line { stream: office.desk.open(brief.clone()).unwrap(), turn: 0, brief }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whether_they_come_is_on_the_request_when_they_hear_so() {
    for (answer, noted) in [("yes", "they will come"), ("no, I can't make it", "they cannot come")] {
        let office = office().await;
        let item = booked(&office).await;
        let mut line = reminding(&office, &item.reference);
        let told = line.open().await;
        assert!(told.text.contains("14 Oak Street") && told.text.contains("Will you be there?"), "{told:?}");
        let heard = line.say(answer).await;
        assert!(heard.text.contains("I've noted"), "{heard:?}");
        let history = office.store.work_history(item.id).await.unwrap();
        let last = history.last().unwrap();
        assert_eq!(last.actor, "the agent");
        assert!(last.note.as_deref().is_some_and(|note| note.contains(noted)), "{last:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_cannot_be_noted_nothing_is_promised() {
    let office = office().await;
    let mut line = reminding(&office, "INS-0000");
    line.open().await;
    let heard = line.say("yes").await;
    assert!(!heard.text.contains("I've noted") && heard.ended, "{heard:?}");
}
