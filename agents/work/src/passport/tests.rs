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

fn legal() -> LegalResearch {
    let mut legal = LegalResearch::of(&passport().mission);
    legal.key_authorities.push(Citation {
        citation_text: "Cal. Gov. Code § 12345".into(),
        source_type: SourceType::AgOpinion,
        jurisdiction: "CA".into(),
        date: None,
        url: None,
        relevance_score: 0.8,
        excerpt: None,
    });
    legal
}

fn incident() -> Incident {
    Incident {
        incident_reference: "INC-4821".into(),
        severity: Severity::Serious,
        osha_recordable: Some(true),
        osha_report_hours: None,
        missing_fields: vec!["when".into()],
        possible_duplicates: vec![],
        sla_deadline: Some(at(9)),
    }
}

fn claim() -> ClaimQuestion {
    ClaimQuestion {
        claim_reference: "MSG-1".into(),
        missing_fields: vec![],
        possible_duplicates: vec![],
        sla_deadline: None,
    }
}

#[test]
fn what_a_team_adds_is_flat_and_is_not_lost_when_somebody_else_writes_the_passport() {
    for fields in [
        TeamFields::Legal(Box::new(legal())),
        TeamFields::Incident(Box::new(incident())),
        TeamFields::Claim(Box::new(claim())),
    ] {
        let mut held = Versioned { version: 0, passport: passport() };
        held.update(0, vec![Patch::TeamFields(Some(fields.clone()))], at(1)).unwrap();
        let value = serde_json::to_value(&held.passport).unwrap();
        assert!(value.get("team_fields").is_none(), "flat: {value}");
        assert_eq!(value["mission"]["matter_type"], "phone_call");
        let read: Passport = serde_json::from_value(value).unwrap();
        assert_eq!(read.team_fields, Some(fields));
        assert_eq!(read, held.passport);
    }
    let value = serde_json::to_value(passport()).unwrap();
    assert_eq!(serde_json::from_value::<Passport>(value).unwrap().team_fields, None);
}

#[test]
fn the_legal_teams_fields_are_those_of_the_platform_document() {
    let fields = Some(TeamFields::Legal(Box::new(legal())));
    let value = serde_json::to_value(Passport { team_fields: fields, ..passport() }).unwrap();
    assert_eq!(value["key_authorities"][0]["source_type"], "ag_opinion");
    for name in [
        "matter_type",
        "requesting_department",
        "sources_searched",
        "key_authorities",
        "conflicts_found",
        "draft_version",
        "review_status",
        "citation_accuracy",
        "reasoning_confidence",
        "consistency_with_prior",
        "sla_deadline",
        "days_in_progress",
    ] {
        assert!(value.get(name).is_some(), "{name}: {value}");
    }
}

#[test]
fn a_share_of_a_team_outside_its_range_is_refused() {
    let mut held = Versioned { version: 0, passport: passport() };
    let fields = LegalResearch { citation_accuracy: Some(1.2), ..legal() };
    let patch = Patch::TeamFields(Some(TeamFields::Legal(Box::new(fields))));
    assert_eq!(held.update(0, vec![patch], at(1)), Err(PassportError::ConfidenceRange));
    assert_eq!(held.passport, passport());
}

#[test]
fn the_name_of_a_patch_is_the_word_in_its_json_and_people_may_not_write_the_ledger() {
    let patches = [
        Patch::Status(Status::Blocked),
        Patch::Escalate { reason: "r".into() },
        Patch::Append(Box::new(entry(1))),
        Patch::Revised,
        Patch::HandOver { team: "claims".into() },
        Patch::TeamFields(None),
        Patch::LoadMemory(vec![]),
    ];
    for patch in &patches {
        assert_eq!(serde_json::to_value(patch).unwrap()["op"], patch.op());
    }
    let refused: Vec<_> = patches.iter().filter(|p| !p.is_for_people()).map(Patch::op).collect();
    assert_eq!(refused, ["append", "revised", "hand_over"]);
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
        "[a-z]{1,9}".prop_map(|team| Patch::HandOver { team }),
        prop_oneof![
            Just(None),
            Just(Some(TeamFields::Legal(Box::new(legal())))),
            Just(Some(TeamFields::Incident(Box::new(incident())))),
            Just(Some(TeamFields::Claim(Box::new(claim())))),
        ]
        .prop_map(Patch::TeamFields),
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
