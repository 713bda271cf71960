//! Effects that wait for a person.

use storage::Outbox as _;
use storage::outbox_records::{OutboxFilter, OutboxState};

use super::*;

async fn held(tool: &str) -> Driven {
    driven_under(with_number, true, Policy::new(5, [tool.to_owned()])).await
}

#[tokio::test]
async fn a_held_tool_does_nothing_and_leaves_one_row_with_what_it_needs_after_the_call() {
    let mut call = held("take_message").await;
    let message = json!({ "message": "Call me about the bench at ⟨phone:1⟩", "phone": "caller" });
    call.model.answers(&[
        &[tool("t1", "take_message", message.clone())],
        &[text("Somebody looks at it first.")],
        &[tool("t2", "take_message", message)],
        &[text("It is noted already.")],
    ]);
    let heard = call.talk("Tell parks to call me at 202-555-0143 about the bench.").await;
    assert_eq!(heard.tools(), [("take_message", true)]);
    let told = call.model.results();
    assert!(told[0].content.contains("approval of a person") && !told[0].is_error, "{}", told[0].content);
    call.talk("Did you pass it on?").await;
    assert!(call.office.work().await.is_empty());
    let rows = call.office.store.list_outbox(OutboxFilter::default()).await.unwrap();
    assert_eq!(rows.len(), 1, "asked for twice, held once");
    let row = &rows[0];
    assert_eq!(
        (row.state, row.tool.as_str(), row.destination.as_str()),
        (OutboxState::Held, "take_message", "desk")
    );
    assert_eq!(row.payload["phone"], "+12025550177");
    assert!(row.payload["message"].as_str().unwrap().contains("2025550143"), "{}", row.payload);
    assert_eq!(row.call_id.map(|id| id.0), Some(call.brief.call.0));
    let (_, passport) = call.office.passport(call.brief.passport).await.unwrap();
    let ledger = passport["ledger"].to_string();
    assert!(ledger.contains("held for a person") && !ledger.contains("0143"), "{ledger}");
}

#[tokio::test]
async fn a_guess_holds_nothing() {
    let mut call = held("take_message").await;
    call.model.answers(&[&[tool("t1", "take_message", json!({ "message": "m" }))], &[text("Noted.")]]);
    call.start(Line::said("Tell parks the bench is broken"), true).await;
    call.so_far().await;
    let rows =
        async |call: &Driven| call.office.store.list_outbox(OutboxFilter::default()).await.unwrap().len();
    assert_eq!(rows(&call).await, 0);
    call.commit().await;
    call.reply().await;
    assert_eq!(rows(&call).await, 1);
}

#[tokio::test]
async fn a_tool_that_is_not_held_is_done_as_ever() {
    let mut call = held("take_message").await;
    let reason = json!({ "reason": "a permit", "phone": "caller" });
    call.model.answers(&[&[tool("t1", "request_person", reason)], &[text("Somebody will call.")]]);
    call.talk("I want a person.").await;
    assert_eq!(call.office.work().await.len(), 1);
}
