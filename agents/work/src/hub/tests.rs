#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use chrono::{DateTime, TimeZone, Utc};
use proptest::prelude::*;
use serde_json::{Map, json};
use uuid::Uuid;

use super::head::{MOST_TEAMS, NotReferred, refer};
use super::routing::route;
use super::sandbox::{extract, tokens};
use super::*;
use crate::passport::{Passport, Patch, Status, Versioned};

fn teams() -> &'static Teams {
    Teams::shipped().unwrap()
}

fn at() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap()
}

fn passport() -> Passport {
    Passport::for_call(Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3), at())
}

fn event() -> Body {
    Body::Event { event: "done".to_owned(), data: Map::new() }
}

fn item(kind: &str, fields: &[(&str, &str)]) -> CaseItem {
    CaseItem {
        reference: "INC-4821".to_owned(),
        kind: kind.to_owned(),
        status: "open".to_owned(),
        priority: "normal".to_owned(),
        incomplete: false,
        created_at: at(),
        fields: fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn case(kind: &str, text: &str) -> Case {
    Case { items: vec![item(kind, &[("what", text)])], at: at(), ..Case::default() }
}

// ---------------------------------------------------------------- routes

#[test]
fn a_specialist_writes_to_its_hub_and_its_librarian() {
    let hub = Hub::of(teams());
    let lead = hub.orchestrator("claims").unwrap();
    let policy = lead.specialist("policy").unwrap();
    for message in [
        policy.write(&policy.hub(), Uuid::nil(), at(), event()).unwrap(),
        policy.write(&policy.librarian(), Uuid::nil(), at(), event()).unwrap(),
    ] {
        hub.permit(&policy, &message).unwrap();
        assert_eq!(message.source_component, "claims/policy");
    }
    let down = lead.write(&policy.address(), Uuid::nil(), at(), event()).unwrap();
    hub.permit(&lead, &down).unwrap();
    let answer = lead.librarian().write(&policy.address(), Uuid::nil(), at(), event()).unwrap();
    hub.permit(&lead.librarian(), &answer).unwrap();
}

#[test]
fn an_address_of_another_team_is_refused_although_the_roles_fit() {
    let hub = Hub::of(teams());
    let (claims, legal) = (hub.orchestrator("claims").unwrap(), hub.orchestrator("legal_research").unwrap());
    let policy = claims.specialist("policy").unwrap();
    for to in [legal.specialist("drafter").unwrap().hub(), legal.address()] {
        let refused = policy.write(&to, Uuid::nil(), at(), event()).unwrap_err();
        assert!(matches!(refused, Refused::NoRoute { .. }), "{refused}");
    }
    let drafter = legal.specialist("drafter").unwrap().address();
    assert!(matches!(claims.write(&drafter, Uuid::nil(), at(), event()), Err(Refused::NoRoute { .. })));
    let library = legal.librarian().address();
    assert!(matches!(policy.write(&library, Uuid::nil(), at(), event()), Err(Refused::NoRoute { .. })));
}

#[test]
fn a_forged_envelope_is_refused() {
    let hub = Hub::of(teams());
    let lead = hub.orchestrator("claims").unwrap();
    let policy = lead.specialist("policy").unwrap();
    let mut message = policy.write(&policy.hub(), Uuid::nil(), at(), event()).unwrap();
    message.source_component = "claims/duplicates".to_owned();
    let refused = hub.permit(&policy, &message).unwrap_err();
    assert!(matches!(refused, Refused::Forged { .. }), "{refused}");
    // As the orchestrator, to have a colleague do something.
    message.source_component = "claims/claims_lead".to_owned();
    message.target_component = Some("claims/duplicates".to_owned());
    assert!(matches!(hub.permit(&policy, &message), Err(Refused::Forged { .. })));
    hub.permit(&lead, &message).unwrap();
}

#[test]
fn what_comes_over_a_queue_is_held_against_the_routes_that_exist() {
    let hub = Hub::of(teams());
    let envelope = |from: &str, to: &str| {
        let mut message = Message::new(Uuid::nil(), from, at(), event());
        message.target_component = Some(to.to_owned());
        hub.permit_unseated(&message)
    };
    envelope(HEAD, "claims/claims_lead").unwrap();
    envelope("claims/claims_lead", HEAD).unwrap();
    envelope("claims/policy", "claims/librarian").unwrap();
    for (from, to) in [
        ("claims/policy", "claims/duplicates"),
        ("claims/policy", "claims/policy"),
        ("claims/policy", HEAD),
        (HEAD, "claims/policy"),
        ("claims/claims_lead", "legal_research/research_lead"),
        ("claims/claims_lead", "legal_research/drafter"),
        ("claims/librarian", "legal_research/drafter"),
    ] {
        assert!(matches!(envelope(from, to), Err(Refused::NoRoute { .. })), "{from} -> {to}");
    }
    for nobody in ["claims/ghost", "ghosts/claims_lead", "policy", "claims//policy", "", "claims/policy/x"] {
        assert!(matches!(envelope(nobody, "claims/claims_lead"), Err(Refused::Unknown(_))), "{nobody}");
    }
    let message = Message::new(Uuid::nil(), HEAD, at(), event());
    assert_eq!(hub.permit_unseated(&message), Err(Refused::NoTarget));
}

#[test]
fn teams_reach_each_other_through_the_head_and_not_in_circles() {
    let lead = Hub::of(teams()).orchestrator("incident_investigation").unwrap();
    let ids = [Uuid::from_u128(1), Uuid::from_u128(2)];
    let to = |team: &str, worked: &[String]| refer(teams(), &lead, team, worked, ids, at());
    let [asked, told] = to("analytics_reporting", &[]).unwrap();
    assert_eq!(asked.target_component.as_deref(), Some(HEAD));
    assert_eq!(
        (told.source_component.as_str(), told.target_component.as_deref()),
        (HEAD, Some("analytics_reporting/analytics_lead"))
    );
    assert_eq!(to("ghosts", &[]), Err(NotReferred::NoTeam("ghosts".to_owned())));
    assert!(matches!(to("incident_investigation", &[]), Err(NotReferred::Again(_))));
    assert!(matches!(to("claims", &["claims".to_owned()]), Err(NotReferred::Again(_))));
    let many: Vec<String> = (0..MOST_TEAMS).map(|n| format!("team_{n}")).collect();
    assert_eq!(to("claims", &many), Err(NotReferred::TooMany));
}

// ---------------------------------------------------------------- the sandbox

const SECRET: &str = "hunter22-the-secret";

#[test]
fn a_secret_in_the_passport_is_in_no_specialists_context() {
    let mut held = Versioned { version: 0, passport: passport() };
    let patches = vec![
        Patch::Context { key: "pin".to_owned(), value: json!({ "of": SECRET }) },
        Patch::Artifact { name: SECRET.to_owned(), storage_ref: SECRET.to_owned() },
        Patch::AddSubTask(SECRET.to_owned()),
        Patch::Objective(SECRET.to_owned()),
        Patch::Escalate { reason: SECRET.to_owned() },
        Patch::LoadMemory(vec![SECRET.to_owned()]),
        Patch::EmitSymbol(SECRET.to_owned()),
        Patch::CurrentAgent(Some(SECRET.to_owned())),
    ];
    held.update(0, patches, at()).unwrap();
    held.passport.mission.requester_id = SECRET.to_owned();
    held.passport.tenant_id = SECRET.to_owned();
    let artifacts = BTreeMap::from([
        ("report".to_owned(), "a pothole".to_owned()),
        (SECRET.to_owned(), SECRET.to_owned()),
    ]);
    let mut made = 0;
    for specialist in teams().all().iter().flat_map(|team| &team.specialists) {
        let context = extract(&held.passport, specialist, "Look into it.", &[], &artifacts).unwrap();
        let text = serde_json::to_string(&context).unwrap();
        assert!(!text.contains(SECRET), "{}: {text}", specialist.id);
        assert_eq!(
            context.input_artifacts.contains_key("report"),
            specialist.reads.iter().any(|r| r == "report")
        );
        assert_eq!(context.tools_available, specialist.tools);
        made += 1;
    }
    assert!(made > 35);
}

#[test]
fn at_most_half_of_the_budget_is_knowledge_and_best_comes_first() {
    let specialist = teams().team("claims").unwrap().specialist("policy").unwrap();
    let long = "The county pays within ten working days. ".repeat(120);
    let knowledge: Vec<String> = (0..9).map(|n| format!("{n} {long}")).collect();
    let context = extract(&passport(), specialist, "task", &knowledge, &BTreeMap::new()).unwrap();
    assert!(context.prior_knowledge[0].starts_with("0 "));
    assert!(context.prior_knowledge.iter().map(tokens).sum::<usize>() <= 2_000);
    assert!(context.prior_knowledge.last().unwrap().ends_with("[…]"));
}

#[test]
fn a_task_that_does_not_fit_is_told_and_not_cut() {
    let specialist = teams().team("claims").unwrap().specialist("policy").unwrap();
    let error = extract(&passport(), specialist, &"x".repeat(20_000), &[], &BTreeMap::new()).unwrap_err();
    assert!(error.to_string().contains("max_tokens"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_context_is_larger_than_its_budget(
        report in ".{0,30000}", said in "[\"\\\\\n a-zé💥]{0,9000}", knowledge in prop::collection::vec(".{0,4000}", 0..7), budget in 700u32..6_000
    ) {
        let mut specialist = teams().team("safety").unwrap().specialist("report_writer").unwrap().clone();
        specialist.max_tokens = budget;
        let artifacts = BTreeMap::from([("report".to_owned(), report), ("conversation".to_owned(), said)]);
        let context = extract(&passport(), &specialist, "Write it.", &knowledge, &artifacts).unwrap();
        prop_assert!(tokens(&context) <= budget as usize, "{} of {budget}", tokens(&context));
    }
}

// ---------------------------------------------------------------- routing

#[test]
fn work_goes_to_the_team_that_its_words_name() {
    for (kind, text, team) in [
        ("incident", "a pothole on Oak Street", "incident_investigation"),
        ("incident", "a chemical spill in the boiler room", "safety"),
        ("message", "my claim for the broken fence", "claims"),
        ("message", "please call the library", "front_desk"),
        ("message", "I want to complain about the inspector", "compliance_monitoring"),
        ("message", "a subpoena for the county", "legal_research"),
        ("escalation", "wants to talk to a person", "front_desk"),
        ("callback", "asks for a call in Vietnamese", "front_desk"),
    ] {
        match route(teams(), &case(kind, text), None) {
            Destination::Team { team: to, confidence } => {
                assert_eq!(to, team, "{kind}: {text}");
                assert!(confidence >= SURE);
            }
            other => panic!("{kind}: {text}: {other:?}"),
        }
    }
}

#[test]
fn danger_comes_first_and_a_cut_call_is_never_forgotten() {
    let urgent = Case { urgent: Some("fire".to_owned()), ..case("incident", "a pothole") };
    assert!(matches!(route(teams(), &urgent, None), Destination::Team { team, .. } if team == "safety"));
    let cut = Case { interrupted: true, ..Case::default() };
    assert!(matches!(route(teams(), &cut, None), Destination::Team { team, .. } if team == "front_desk"));
}

#[test]
fn what_two_teams_may_be_meant_for_goes_to_a_person() {
    let both = case("message", "I complain about my claim, and my lawyer will call");
    let Destination::Person { confidence, nearest, reason } = route(teams(), &both, None) else { panic!() };
    assert!(confidence < SURE && nearest.is_some() && reason.contains(" or "), "{reason}");
}

#[test]
fn a_booked_inspection_leaves_nothing_and_a_matter_that_nobody_takes_goes_to_a_person() {
    assert_eq!(route(teams(), &Case::default(), None), Destination::Nobody);
    assert_eq!(route(teams(), &case("inspection", "12 Oak Street"), None), Destination::Nobody);
    let unknown = case("weather", "it rains");
    assert!(matches!(route(teams(), &unknown, None), Destination::Person { nearest: None, .. }));
}

#[test]
fn a_word_is_met_at_its_beginning_alone() {
    assert!(routing::begins_a_word("two claims", "claim") && routing::begins_a_word("claim", "claim"));
    assert!(!routing::begins_a_word("to reclaim land", "claim"));
}

// ---------------------------------------------------------------- conclusions

fn done(agent: &str, output: serde_json::Value) -> Done {
    Done { agent: agent.to_owned(), output }
}

#[test]
fn one_who_escalates_is_not_outvoted() {
    let sure = |n: usize| done(&format!("a{n}"), json!({ "confidence": 1.0 }));
    let mut parts: Vec<Done> = (0..9).map(sure).collect();
    assert_eq!(conclude::conclude(&parts).status, Status::Completed);
    parts.push(done("b", json!({ "confidence": 0.9, "escalate": "somebody lost a finger" })));
    let conclusion = conclude::conclude(&parts);
    assert_eq!(
        (conclusion.status, conclusion.escalate.as_deref()),
        (Status::Escalated, Some("somebody lost a finger"))
    );
    assert_eq!(conclusion.confidence.evidence_count, 10);
}

#[test]
fn what_has_to_be_asked_blocks_and_what_is_not_sure_goes_to_a_person() {
    let asks = done("a", json!({ "confidence": 0.9, "call_back": { "about": "x", "missing": ["where"] } }));
    assert_eq!(conclude::conclude(&[asks]).status, Status::Blocked);
    let unsure = conclude::conclude(&[done("a", json!({ "confidence": 0.6 })), done("b", json!({}))]);
    assert_eq!(unsure.status, Status::Escalated);
    assert_eq!(conclude::conclude(&[]).status, Status::Escalated);
}
