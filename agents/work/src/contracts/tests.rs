#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

fn request() -> Value {
    json!({
        "message_id": Uuid::from_u128(7), "message_type": "request", "timestamp": "2026-11-20T10:00:00Z",
        "source_component": "front_desk", "action": "triage",
    })
}

fn provenance() -> Value {
    json!({
        "producing_component": "safety_team/triage", "component_version": "0.1.0",
        "created_at": "2026-11-20T10:00:00Z", "processing_time_ms": 3, "input_hash": sha256_of(b"x"),
        "method": "checklist", "confidence": 0.9, "session_id": "s", "trace_id": "t",
    })
}

fn message(value: &Value) -> Result<Message, ContractError> {
    read(&serde_json::to_vec(value).unwrap())
}

fn with(mut value: Value, field: &str, to: Value) -> Value {
    value[field] = to;
    value
}

fn field(error: ContractError) -> &'static str {
    let ContractError::Field { field, .. } = error else { return "no field" };
    field
}

#[test]
fn a_request_has_the_documents_defaults() {
    let read = message(&request()).unwrap();
    assert_eq!(read.priority, MessagePriority::Medium);
    let Body::Request { timeout_seconds, retry_policy, parameters, .. } = &read.body else { panic!() };
    assert_eq!((*timeout_seconds, *retry_policy, parameters.len()), (30, None, 0));
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written["message_type"], "request");
    assert_eq!(message(&written).unwrap(), read);
}

#[test]
fn an_answer_goes_back_to_its_sender_under_the_same_correlation() {
    let asked = message(&request()).unwrap();
    let body = Body::Event { event: "done".to_owned(), data: Default::default() };
    let answer = asked.answer(Uuid::from_u128(8), "triage", asked.timestamp, body);
    assert_eq!(answer.target_component.as_deref(), Some("front_desk"));
    assert_eq!(answer.correlation_id, Some(Uuid::from_u128(7).to_string()));
}

#[test]
fn what_breaks_a_rule_is_refused_by_the_name_of_its_field() {
    for (name, to) in [
        ("source_component", json!("")),
        ("source_component", json!("a\u{0}b")),
        ("action", json!("x".repeat(201))),
        ("timeout_seconds", json!(0)),
        ("timeout_seconds", json!(301)),
        ("correlation_id", json!(" ")),
    ] {
        assert_eq!(field(message(&with(request(), name, to)).unwrap_err()), name);
    }
    let response = json!({
        "message_id": Uuid::nil(), "message_type": "response", "timestamp": "2026-11-20T10:00:00Z",
        "source_component": "a", "success": false, "execution_time_ms": 1,
    });
    assert_eq!(field(message(&response).unwrap_err()), "error");
    let said = with(with(response, "error", json!("late")), "provenance", provenance());
    assert!(message(&said).is_ok());
    let forged = with(provenance(), "input_hash", json!("DEADBEEF"));
    assert_eq!(field(message(&with(said, "provenance", forged)).unwrap_err()), "input_hash");
}

#[test]
fn a_task_that_waits_for_itself_is_refused() {
    let task =
        json!({ "task_id": "t1", "goal": "Call the reporter back", "created_at": "2026-11-20T10:00:00Z" });
    let check = |value: Value| read::<TaskContract>(&serde_json::to_vec(&value).unwrap());
    let read = check(task.clone()).unwrap();
    assert_eq!((read.budget.max_tokens, read.budget.max_time_seconds), (4_000, 30));
    assert_eq!(read.status, TaskStatus::Pending);
    for (name, to, refused) in [
        ("depends_on", json!(["t1"]), "depends_on"),
        ("parent_task_id", json!("t1"), "parent_task_id"),
        ("goal", json!("  "), "goal"),
        ("deadline", json!("2026-11-19T10:00:00Z"), "deadline"),
        ("budget", json!({ "max_cost_usd": -1.0 }), "budget.max_cost_usd"),
    ] {
        assert_eq!(field(check(with(task.clone(), name, to)).unwrap_err()), refused);
    }
    let both = with(with(task, "depends_on", json!(["t2"])), "blocks", json!(["t2"]));
    assert_eq!(field(check(both).unwrap_err()), "depends_on");
}

#[test]
fn a_declaration_says_what_it_can_do_and_claims_no_figure_of_its_own() {
    let mut arm = ArmCapability::new("guard", "Prompt guard", "0.1.0", "/v1/guard/sanitize", "Cleans text.");
    assert_eq!(field(arm.check().unwrap_err()), "capabilities");
    arm.capabilities.push("sanitize".to_owned());
    arm.check().unwrap();
    let written = serde_json::to_value(&arm).unwrap();
    assert!(written.get("success_rate").is_none() && written.get("average_latency_ms").is_none());
    arm.success_rate = Some(f64::NAN);
    assert_eq!(field(arm.check().unwrap_err()), "success_rate");
}

#[test]
fn every_code_is_written_as_the_document_spells_it_and_has_a_status() {
    for code in ErrorCode::ALL {
        let written = serde_json::to_value(code).unwrap();
        let written = written.as_str().unwrap();
        assert!(written.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{written}");
        assert!((400..600).contains(&code.http_status()));
        assert!(!code.recoverable() || code.http_status() >= 429, "{written}");
    }
    assert_eq!(serde_json::to_value(ErrorCode::HallucinationDetected).unwrap(), "HALLUCINATION_DETECTED");
}

#[test]
fn a_message_that_is_too_long_is_not_even_parsed() {
    let long = vec![b' '; MAX_MESSAGE + 1];
    assert_eq!(read::<Message>(&long).unwrap_err(), ContractError::TooLong { bytes: MAX_MESSAGE + 1 });
}

#[test]
fn debug_shows_the_frame_and_not_the_payload() {
    let secret = with(request(), "parameters", json!({ "name": "Dolores Quintana" }));
    assert!(!format!("{:?}", message(&secret).unwrap()).contains("Dolores"));
}

proptest! {
    #[test]
    fn reading_never_panics_and_never_repeats_what_came(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Err(error) = read::<Message>(&bytes) {
            prop_assert!(error.to_string().len() < 120);
        }
    }

    #[test]
    fn what_was_read_is_written_the_same(action in "[a-z_]{1,40}", key in "[a-z]{1,8}", value in ".{0,60}") {
        let value = with(with(request(), "action", json!(action)), "parameters", json!({ key: value }));
        let read = message(&value).unwrap();
        prop_assert_eq!(message(&serde_json::to_value(&read).unwrap()).unwrap(), read);
    }
}
