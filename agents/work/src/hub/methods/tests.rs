#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;
use crate::hub::case::{Case, CaseItem};
use crate::hub::sandbox::extract;
use crate::passport::Passport;
use crate::teams::Teams;

fn at() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 22, 9, 0, 0).unwrap()
}

fn item(reference: &str, kind: &str, fields: &[(&str, &str)]) -> CaseItem {
    CaseItem {
        reference: reference.to_owned(),
        kind: kind.to_owned(),
        status: "open".to_owned(),
        priority: "normal".to_owned(),
        incomplete: false,
        created_at: at(),
        fields: fields.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
    }
}

fn incident(what: &str, injured: &str) -> Case {
    let fields = [
        ("what", what),
        ("where", "12 Oak Street"),
        ("when", "2026-11-22"),
        ("injured", injured),
        ("phone", "⟨phone:1⟩"),
    ];
    Case { items: vec![item("INC-1", "incident", &fields)], can_call_back: true, at: at(), ..Case::default() }
}

/// A method's output through the sandbox and the schema of a specialist of a shipped team.
fn output(team: &str, agent: &str, case: &Case, found: &[(&str, Value)], knowledge: &[&str]) -> Value {
    let specialist = Teams::shipped().unwrap().team(team).unwrap().specialist(agent).unwrap();
    let passport = Passport::for_call(Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3), at());
    let mut artifacts = case.artifacts();
    artifacts.extend(found.iter().map(|(name, value)| ((*name).to_owned(), value.to_string())));
    let knowledge: Vec<String> = knowledge.iter().map(|text| (*text).to_owned()).collect();
    let context = extract(&passport, specialist, &specialist.does, &knowledge, &artifacts).unwrap();
    let output = work(specialist.method, &context);
    let schema = jsonschema::validator_for(&specialist.output).unwrap();
    let wrong: Vec<String> = schema.iter_errors(&output).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{team}/{agent}: {wrong:?} in {output}");
    output
}

#[test]
fn every_method_gives_what_the_schema_of_every_shipped_specialist_asks_for() {
    let cases = [
        Case::default(),
        Case { interrupted: true, said: vec!["I wanted to".to_owned()], ..Case::default() },
        Case {
            urgent: Some("fire".to_owned()),
            ..incident("a fire, my coworker was taken to the hospital", "yes")
        },
        Case { related: vec![item("INC-2", "incident", &[])], ..incident("a pothole", "no") },
    ];
    let mut given = 0;
    for team in Teams::shipped().unwrap().all() {
        for case in &cases {
            let mut found: Vec<(&str, Value)> = Vec::new();
            for specialist in team.in_order() {
                found.push((
                    &specialist.id,
                    output(&team.id, &specialist.id, case, &found, &["[fees] Fees: $5"]),
                ));
                given += 1;
            }
        }
    }
    assert!(given > 140, "{given}");
}

#[test]
fn what_is_missing_is_asked_for_by_a_call_back_once() {
    let review = |case: &Case| output("incident_investigation", "intake_review", case, &[], &[]);
    let whole = review(&incident("a pothole", "no"));
    assert_eq!((&whole["complete"], whole.get("call_back")), (&json!(true), None));

    let mut partial = incident("a pothole", "no");
    partial.items[0].fields.insert("where".to_owned(), String::new());
    partial.items[0].fields.remove("when");
    let asked = review(&partial);
    assert_eq!(asked["missing"], json!(["when", "where"]));
    assert_eq!(asked["call_back"]["missing"], json!(["when", "where"]));
    assert!(asked["call_back"]["about"].as_str().unwrap().contains("INC-1"));

    // Somebody calls anyway.
    partial.items.push(item("ESC-1", "escalation", &[("reason", "x")]));
    assert!(review(&partial).get("call_back").is_none());

    // Danger and nothing else: a person sees to it, who is not told besides that the line cut the call off.
    let danger = Case { urgent: Some("fire".to_owned()), can_call_back: true, at: at(), ..Case::default() };
    let of = |case: &Case, agent: &str| output("safety", agent, case, &[], &[]);
    assert!(of(&danger, "intake_review").get("call_back").is_none());
    assert!(of(&danger, "hazard")["escalate"].is_string());
    let cut_off = Case { interrupted: true, ..danger };
    assert_eq!(of(&cut_off, "intake_review")["call_back"]["about"], "a call that was cut off by us");

    // Nobody can be asked.
    let mut lost = incident("", "no");
    lost.items[0].fields.remove("phone");
    lost.can_call_back = false;
    let lost = review(&lost);
    assert!(lost["escalate"].is_string() && lost.get("call_back").is_none(), "{lost}");
    assert!(lost["missing"].as_array().unwrap().contains(&json!("phone")));
}

#[test]
fn an_injury_is_never_judged_milder_than_it_was_told() {
    for (what, injured, severity, recordable, hours) in [
        ("a pothole on Main Street", "no", "minor", "no", json!(null)),
        // What nobody asked is no word against what was told.
        ("a pothole on Main Street", "not asked", "minor", "no", json!(null)),
        ("a pothole, a man was killed there", "not asked", "severe", "unknown", json!(8)),
        ("a dead tree fell, nobody was hurt", "", "minor", "no", json!(null)),
        ("a sign fell down near the hospital", "", "minor", "no", json!(null)),
        ("somebody slipped", "yes", "moderate", "unknown", json!(null)),
        ("he sprained his ankle on the stairs", "", "moderate", "unknown", json!(null)),
        ("my coworker fractured her wrist at work", "yes", "serious", "yes", json!(null)),
        ("a man broke his leg on the sidewalk", "yes", "serious", "unknown", json!(null)),
        ("our crew had an accident, he was taken to the hospital", "yes", "severe", "yes", json!(24)),
        ("an employee was killed at the depot", "yes", "severe", "yes", json!(8)),
        ("no one was hurt at first, then she was bleeding", "", "moderate", "unknown", json!(null)),
    ] {
        let given = output("incident_investigation", "severity", &incident(what, injured), &[], &[]);
        let seen = (&given["severity"], &given["osha_recordable"], &given["osha_report_hours"]);
        assert_eq!(seen, (&json!(severity), &json!(recordable), &hours), "{what}: {given}");
        assert_eq!(given.get("escalate").is_some(), severity == "severe", "{what}");
    }
}

#[test]
fn what_was_reported_before_is_named_by_its_reference() {
    let mut case = incident("a deep pothole on the right lane", "no");
    let other = |reference: &str, what: &str, place: &str, days: i64| CaseItem {
        created_at: at() - TimeDelta::days(days),
        ..item(reference, "incident", &[("what", what), ("where", place)])
    };
    case.related = vec![
        other("INC-2", "there's a pothole", "12 Oak Street", 3),
        other("INC-3", "a pothole", "90 Elm Street", 3),
        other("INC-4", "the street light is out", "12 Oak Street", 3),
        other("INC-5", "a pothole", "12 Oak street", 90),
        item("INC-1", "incident", &[("what", "a pothole"), ("where", "12 Oak Street")]),
    ];
    let found = output("incident_investigation", "duplicates", &case, &[], &[]);
    assert_eq!((&found["duplicates"], found.get("refer")), (&json!(["INC-2"]), None));
    for n in 6..9 {
        case.related.push(other(&format!("INC-{n}"), "pothole", "12 oak st", 1));
    }
    let found = output("incident_investigation", "duplicates", &case, &[], &[]);
    assert_eq!(found["refer"]["team"], "analytics_reporting", "{found}");
    let without_the_tool = output("analytics_reporting", "duplicates", &case, &[], &[]);
    assert!(without_the_tool.get("refer").is_none());
}

#[test]
fn citations_are_word_for_word_and_none_is_made_up() {
    let case = incident("a pothole", "no");
    let passage = "[potholes] Potholes: Crews fill potholes within five working days.";
    let cited = output("incident_investigation", "standards", &case, &[], &[passage, "no source at all"]);
    assert_eq!(cited["citations"][0]["excerpt"], "Crews fill potholes within five working days.");
    assert_eq!(cited["citations"].as_array().unwrap().len(), 1);
    assert_eq!(output("incident_investigation", "standards", &case, &[], &[])["citations"], json!([]));
}

#[test]
fn deadlines_of_law_come_first() {
    let case = incident("an employee was killed at the depot", "yes");
    let severity = output("incident_investigation", "severity", &case, &[], &[]);
    let found = [("severity", severity), ("intake_review", json!({ "missing": ["when"] }))];
    let steps = output("incident_investigation", "corrective_actions", &case, &found, &[]);
    let first = &steps["next_steps"][0];
    assert!(first["due_hours"].as_u64().unwrap() <= 8, "{steps}");
    let all = steps["next_steps"].to_string();
    for word in ["OSHA", "300 log", "what is missing", "INC-1"] {
        assert!(all.contains(word), "{word}: {all}");
    }
    let hours: Vec<u64> =
        steps["next_steps"].as_array().unwrap().iter().map(|s| s["due_hours"].as_u64().unwrap()).collect();
    assert!(hours.is_sorted());
}

#[test]
fn the_summary_says_what_was_filed_found_and_left_open() {
    let case = incident("a pothole", "no");
    let found = [("intake_review", json!({ "summary": "Missing: when.", "missing": ["when"] }))];
    let told = output("incident_investigation", "report", &case, &found, &[]);
    let text = told["summary"].as_str().unwrap();
    assert!(
        text.contains("INC-1") && text.contains("12 Oak Street") && text.contains("Missing: when."),
        "{text}"
    );
    assert_eq!(told["open_points"], json!(["missing: when"]));
}

#[test]
fn what_is_related_is_the_same_place_or_the_same_matter() {
    let this = item("INC-1", "incident", &[("what", "pothole"), ("where", "12 Oak Street")]);
    assert!(is_related(&this, &item("INC-2", "incident", &[("what", "graffiti"), ("where", "12 Oak St")])));
    assert!(!is_related(&this, &item("INC-3", "incident", &[("what", "pothole"), ("where", "90 Elm")])));
    assert!(!is_related(&this, &this));
}

proptest! {
    #[test]
    fn whatever_was_said_every_method_keeps_its_schema(
        what in ".{0,300}", place in ".{0,60}", said in ".{0,300}", injured in "(yes|no||maybe)", urgent in any::<bool>()
    ) {
        let fields = [("what", what.as_str()), ("where", place.as_str()), ("injured", injured.as_str())];
        let case = Case {
            items: vec![item("INC-1", "incident", &fields)],
            said: vec![said],
            related: vec![item("INC-2", "incident", &fields)],
            urgent: urgent.then(|| "fire".to_owned()),
            ..Case::default()
        };
        let team = Teams::shipped().unwrap().team("incident_investigation").unwrap();
        let mut found: BTreeMap<&str, Value> = BTreeMap::new();
        for specialist in team.in_order() {
            let before: Vec<(&str, Value)> = found.iter().map(|(k, v)| (*k, v.clone())).collect();
            found.insert(&specialist.id, output(&team.id, &specialist.id, &case, &before, &[]));
        }
    }
}
