#![allow(clippy::unwrap_used)]

use chrono::{DateTime, TimeZone, Utc};
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;

fn at(second: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, second % 60).unwrap()
}

fn passport() -> Passport {
    Passport::for_call(Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3), at(0))
}

fn entry(id: u128) -> LedgerEntry {
    LedgerEntry {
        id: Uuid::from_u128(id),
        timestamp: at(1),
        agent_id: "front_desk".into(),
        action: "turn".into(),
        inputs_summary: "question".into(),
        outputs_summary: "answered".into(),
        duration_ms: 3,
        tokens_used: 0,
        cost_usd: 0.0,
        confidence: ConfidenceVector::of(0.9, 1),
        tool_calls: vec![],
        notes: String::new(),
    }
}

#[test]
fn json_has_exactly_the_fields_of_the_platform_document() {
    let value = serde_json::to_value(passport()).unwrap();
    let mut keys: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "artifacts",
            "checkpoint_id",
            "context",
            "created_at",
            "current_agent",
            "emitted_symbols",
            "id",
            "ledger",
            "memory_context",
            "mission",
            "overall_confidence",
            "precedent_context",
            "revision_count",
            "routing",
            "status",
            "team_id",
            "tenant_id",
            "updated_at",
        ]
    );
    assert_eq!(value["status"], "pending");
    assert_eq!(value["routing"]["priority"], "normal");
    assert_eq!(value["overall_confidence"]["historical_accuracy"], 0.5);
    assert!(value["ledger"].is_array());
}

#[test]
fn a_minimal_document_gets_the_defaults() {
    let read: Passport = serde_json::from_value(json!({
        "id": Uuid::from_u128(1), "tenant_id": "t", "team_id": "legal",
        "created_at": at(0), "updated_at": at(0),
        "mission": {"objective": "o", "requester_id": "r", "requester_department": "d", "matter_type": "m"},
        "overall_confidence": {"value": 0.4},
    }))
    .unwrap();
    assert_eq!(read.status, Status::Pending);
    assert!((read.overall_confidence.historical_accuracy - 0.5).abs() < f64::EPSILON);
}

#[test]
fn unknown_status_is_refused() {
    assert!(serde_json::from_value::<Status>(json!("done")).is_err());
}

#[test]
fn a_stale_update_changes_nothing() {
    let mut held = Versioned { version: 4, passport: passport() };
    let before = held.clone();
    let refused = held.update(3, vec![Patch::Status(Status::Completed)], at(5));
    assert_eq!(refused, Err(PassportError::Stale { expected: 3, current: 4 }));
    assert_eq!(held, before);
}

#[test]
fn a_patch_with_bad_confidence_applies_nothing() {
    let mut held = Versioned { version: 0, passport: passport() };
    let bad = ConfidenceVector { value: 1.5, ..ConfidenceVector::default() };
    let patches = vec![Patch::Status(Status::Failed), Patch::Confidence(bad)];
    assert_eq!(held.update(0, patches, at(1)), Err(PassportError::ConfidenceRange));
    assert_eq!(held.passport.status, Status::Pending);
}

#[test]
fn legal_extension_is_flat_and_round_trips() {
    let mut legal = LegalResearchPassport::extend(passport());
    legal.key_authorities.push(Citation {
        citation_text: "Cal. Gov. Code § 12345".into(),
        source_type: SourceType::AgOpinion,
        jurisdiction: "CA".into(),
        date: None,
        url: None,
        relevance_score: 0.8,
        excerpt: None,
    });
    let value = serde_json::to_value(&legal).unwrap();
    assert_eq!(value["key_authorities"][0]["source_type"], "ag_opinion");
    assert_eq!(value["mission"]["matter_type"], "phone_call");
    assert_eq!(serde_json::from_value::<LegalResearchPassport>(value).unwrap(), legal);
}

fn any_patch() -> impl Strategy<Value = Patch> {
    prop_oneof![
        Just(Patch::Status(Status::InProgress)),
        Just(Patch::RaisePriority(Priority::High)),
        Just(Patch::RaisePriority(Priority::Low)),
        "[a-z]{1,8}".prop_map(|reason| Patch::Escalate { reason }),
        ("[a-z]{1,4}", any::<i32>()).prop_map(|(key, n)| Patch::Context { key, value: json!(n) }),
        ("[a-z]{1,4}", ".{0,8}").prop_map(|(name, storage_ref)| Patch::Artifact { name, storage_ref }),
        (0u128..20).prop_map(|id| Patch::Append(Box::new(entry(id)))),
        Just(Patch::Revised),
        ".{0,12}".prop_map(Patch::AddSubTask),
        (0.0..=1.0f64).prop_map(|v| Patch::Confidence(ConfidenceVector::of(v, 2))),
        ".{0,9}".prop_map(Patch::EmitSymbol),
    ]
}

proptest! {
    #[test]
    fn any_history_round_trips_and_the_ledger_only_grows(
        steps in prop::collection::vec(prop::collection::vec(any_patch(), 0..5), 0..8)
    ) {
        let mut held = Versioned { version: 0, passport: passport() };
        for (n, patches) in steps.into_iter().enumerate() {
            let before = held.passport.clone();
            held.update(n as u64, patches, at(2)).unwrap();
            let kept = &held.passport.ledger.entries()[..before.ledger.len()];
            prop_assert_eq!(kept, before.ledger.entries());
            prop_assert!(held.passport.routing.priority >= before.routing.priority);
            prop_assert!(held.passport.updated_at >= before.updated_at);
        }
        let text = serde_json::to_string(&held).unwrap();
        prop_assert_eq!(serde_json::from_str::<Versioned>(&text).unwrap(), held);
    }

    #[test]
    fn confidence_is_always_in_range(value in any::<f64>(), count in any::<u32>()) {
        prop_assert!(ConfidenceVector::of(value, count).in_range());
    }
}
