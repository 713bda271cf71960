//! What somebody answers to what is missing is noted on the request before they hear that it is.

use pipeline::ports::FollowUp;
use storage::records::{NewWorkItem, Priority, WorkKind};

use super::*;

async fn asked_for(office: &Office) -> WorkItem {
    let new = NewWorkItem {
        kind: WorkKind::Callback,
        idempotency_key: "office/1/claims/intake_review/call_back".into(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Normal,
        caller: None,
        fields: serde_json::json!({ "missing": "when, injured" }),
    };
    office.store.file_work_item(new).await.unwrap()
}

fn asking(office: &Office, item: &str) -> Line {
    let follow_up = FollowUp {
        item: item.to_owned(),
        kind: "incident".into(),
        on: Utc::now().date_naive(),
        place: "14 Oak Street".into(),
        missing: vec!["when".into(), "injured".into()],
        sure: true,
    };
    let brief = CallBrief { outbound: true, follow_up: Some(follow_up), ..office.brief() };
    Line { stream: office.desk.open(brief.clone()).unwrap(), turn: 0, brief }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_they_tell_is_on_the_request_when_they_hear_so() {
    let office = office().await;
    let item = asked_for(&office).await;
    let mut line = asking(&office, &item.reference);
    let told = line.open().await;
    assert!(told.text.contains("14 Oak Street") && told.text.contains("When did it happen?"), "{told:?}");
    for (answer, noted) in [("yesterday", "when: "), ("no", "injured: no")] {
        let heard = line.say(answer).await;
        assert!(heard.text.contains("I've noted that."), "{heard:?}");
        let history = office.store.work_history(item.id).await.unwrap();
        let last = history.last().unwrap();
        assert_eq!(last.actor, "the agent");
        assert!(last.note.as_deref().is_some_and(|note| note.contains(noted)), "{last:?}");
    }
    let now = office.store.work_item(&item.reference).await.unwrap().unwrap();
    assert_eq!(now.status, item.status, "whoever works on it decides what follows");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_it_cannot_be_noted_nothing_is_promised() {
    let office = office().await;
    let mut line = asking(&office, "CBK-0000");
    line.open().await;
    let heard = line.say("yesterday").await;
    assert!(!heard.text.contains("I've noted") && heard.ended, "{heard:?}");
}
