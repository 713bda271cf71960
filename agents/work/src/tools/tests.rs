//! What a call must be like to be done.
#![allow(clippy::unwrap_used)]

use chrono::NaiveDate;
use language::Screen;
use serde_json::json;
use uuid::Uuid;

use super::*;

struct Desk {
    facts: TenantFacts,
    redactor: Redactor,
    offered: BTreeMap<String, Opening>,
    knows_caller: bool,
}

fn desk() -> Desk {
    let mut redactor = Redactor::default();
    redactor.screen("202-555-0143 and 555-0199");
    let facts = dialogue::seed::riverbend(chrono::Utc::now()).unwrap().facts;
    let starts = NaiveDate::from_ymd_opt(2026, 11, 24).unwrap().and_hms_opt(9, 0, 0).unwrap();
    let opening = |id, starts| Opening { id: Uuid::from_u128(id), starts };
    let offered = [
        ("time_1".to_owned(), opening(7, starts)),
        ("time_2".to_owned(), opening(0, starts)),
        ("time_3".to_owned(), opening(8, starts - chrono::Duration::days(9))),
    ]
    .into();
    Desk { facts, redactor, offered, knows_caller: true }
}

impl Desk {
    fn read(&self, name: &str, input: Value) -> Result<Asked, String> {
        let seen = Seen {
            facts: &self.facts,
            now: NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 0, 0).unwrap(),
            redactor: &self.redactor,
            offered: &self.offered,
            spoken: &[Language::En],
            knows_caller: self.knows_caller,
        };
        let call = ToolCall { id: "1".into(), name: name.into(), input };
        read(&call, seen).map_err(|refusal| refusal.to_string())
    }

    fn filing(&self, name: &str, input: Value) -> Filing {
        match self.read(name, input) {
            Ok(Asked::File(filing)) => *filing,
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn schemas_name_their_fields_and_what_they_require() {
    for spec in specs().iter() {
        assert_eq!(spec.input["type"], "object", "{}", spec.name);
        assert_eq!(spec.input["additionalProperties"], false, "{}", spec.name);
        for required in spec.input["required"].as_array().unwrap() {
            assert!(spec.input["properties"].get(required.as_str().unwrap()).is_some(), "{}", spec.name);
        }
    }
}

#[test]
fn every_listed_tool_is_read_and_no_other_is() {
    let names: Vec<_> = specs().iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(names.len(), 14);
    let desk = desk();
    for name in names {
        // Whatever is wrong with an empty input, it is not that nobody knows how to read it.
        let problem = desk.read(&name, json!({})).err().unwrap_or_default();
        assert!(!problem.contains("not complete"), "{name}: {problem}");
    }
}

#[test]
fn what_is_told_is_held_to_the_schema_of_the_tool() {
    let search = tool("search_knowledge");
    let fits = held_to_schema(search, Outcome::ok("The library is open."));
    assert!(!fits.is_error);
    let lie = held_to_schema(search, Outcome::ok("x".repeat(12_001)));
    assert!(lie.is_error && lie.content.contains("search_knowledge"), "{}", lie.content);
    let error = held_to_schema(search, Outcome::error("x".repeat(12_001)));
    assert!(error.content.starts_with('x'), "an error is no answer");
}

#[test]
fn what_a_schema_requires_is_required_when_a_call_is_read() {
    let desk = desk();
    for spec in specs().iter() {
        let problem = desk.read(&spec.name, json!({})).err().unwrap_or_default();
        for required in spec.input["required"].as_array().unwrap() {
            let required = required.as_str().unwrap();
            assert!(problem.contains(&format!("{required} is missing")), "{}: {problem}", spec.name);
        }
    }
}

#[test]
fn numbers_come_from_tokens_the_line_or_the_callers_words() {
    let desk = desk();
    let phone = |given: &str| desk.filing("take_message", json!({ "message": "call me", "phone": given }));
    assert_eq!(phone("⟨phone:1⟩").fields["phone"], "+12025550143");
    assert_eq!(phone("<phone:2>").fields["phone"], "+12025550199", "a local number gets the area code");
    assert_eq!(phone("202-555-0177").fields["phone"], "+12025550177");
    assert!(phone("caller").use_caller_number && !phone("caller").fields.contains_key("phone"));
    for wrong in ["⟨phone:9⟩", "⟨ssn:1⟩", "soon", "12"] {
        let problem = desk.read("take_message", json!({ "message": "m", "phone": wrong })).unwrap_err();
        assert!(problem.starts_with("phone must be a token"), "{wrong}: {problem}");
    }
    let unknown = Desk { knows_caller: false, ..super::tests::desk() };
    assert!(unknown.read("take_message", json!({ "message": "m", "phone": "caller" })).is_err());
}

#[test]
fn a_report_is_read_whole() {
    let filing = desk().filing(
        "file_report",
        json!({ "what": "A van hit the\nfence, call ⟨phone:1⟩", "where": "Riverside Park", "when": "2026-11-21T15:00",
                "injured": "yes", "name": "Ana Lopez", "phone": "" }),
    );
    assert_eq!(filing.files, dialogue::builtin::Files::Incident);
    assert_eq!(filing.priority, dialogue::Priority::High);
    assert_eq!(filing.fields["what"], "A van hit the fence, call 2025550143");
    assert_eq!(filing.fields["when"], "2026-11-21T15:00");
    assert_eq!(filing.fields["injured"], "yes");
    assert!(!filing.fields.contains_key("phone") && !filing.use_caller_number);
}

#[test]
fn bad_input_is_refused_with_every_reason() {
    let desk = desk();
    for (name, input, reasons) in [
        (
            "file_report",
            json!({ "what": 5, "place": "x" }),
            vec!["There is no field \"place\".", "where is missing."],
        ),
        ("file_report", json!({ "what": ["a"], "where": "b" }), vec!["what must be a text."]),
        (
            "file_report",
            json!({ "what": "a", "where": "b", "when": "2026-11-23" }),
            vec!["when is in the future"],
        ),
        (
            "file_report",
            json!({ "what": "a", "where": "b", "when": "yesterday" }),
            vec!["when must be a date"],
        ),
        (
            "file_report",
            json!({ "what": "a", "where": "b", "injured": "maybe" }),
            vec!["injured must be one of: yes, no, unknown."],
        ),
        ("file_report", json!({ "what": "x".repeat(1_501), "where": "b" }), vec!["what is longer than 1500"]),
        ("file_report", json!({ "what": "a", "where": "b", "name": "4711" }), vec!["name must be the name"]),
        ("list_free_times", json!({ "day": "2026-11-21" }), vec!["day is in the past"]),
        ("list_free_times", json!({ "day": "2028-01-01" }), vec!["more than a year"]),
        ("list_free_times", json!({ "day": "Tuesday" }), vec!["day must be a date"]),
        (
            "book_inspection",
            json!({ "time": "time_9", "address": "1 Main", "name": "Ana", "phone": "⟨phone:1⟩" }),
            vec!["time must be the name of a time"],
        ),
        (
            "book_inspection",
            json!({ "time": "time_2", "address": "1 Main", "name": "Ana", "phone": "⟨phone:1⟩" }),
            vec!["time must be the name of a time"],
        ),
        (
            "book_inspection",
            json!({ "time": "time_3", "address": "1 Main", "name": "Ana", "phone": "⟨phone:1⟩" }),
            vec!["time is in the past"],
        ),
        ("look_up_claim", json!({ "claim_number": "INC-4821" }), vec!["claim_number must be like"]),
        (
            "look_up_claim",
            json!({ "claim_number": "20417", "last_name": "Lopez Smith Nguyen" }),
            vec!["one last name"],
        ),
        (
            "look_up_claim",
            json!({ "claim_number": "20417", "date_of_birth": "2030-01-01" }),
            vec!["date in the past"],
        ),
        ("set_language", json!({ "language": "es" }), vec!["This line cannot speak that language."]),
        ("set_language", json!({ "language": "fr" }), vec!["language must be one of"]),
        ("search_knowledge", json!("trash"), vec!["The input must be a JSON object."]),
        ("transfer_money", json!({}), vec!["There is no such tool. The tools are: search_knowledge"]),
    ] {
        let problem = desk.read(name, input.clone()).unwrap_err();
        for reason in reasons {
            assert!(problem.contains(reason), "{name} {input}: {problem}");
        }
    }
}

#[test]
fn a_booking_takes_a_time_that_was_offered() {
    let input = json!({ "time": "time_1", "address": "412 Birchwood Lane", "name": "Maria Lopez", "phone": "⟨phone:1⟩" });
    let filing = desk().filing("book_inspection", input);
    assert_eq!(filing.booking, Some(Uuid::from_u128(7)));
    assert_eq!(filing.fields["opening"], "2026-11-24T09:00");
}

#[test]
fn a_claim_number_is_read_in_any_spelling_and_the_line_s_own_number_proves_nothing() {
    let input = json!({ "claim_number": "clm 20417", "last_name": "Lopez", "date_of_birth": "1961-03-03", "phone": "caller" });
    let Ok(Asked::Claim { number, proofs }) = desk().read("look_up_claim", input) else { panic!() };
    assert_eq!((number.as_str(), proofs), ("CLM-20417", vec!["Lopez".to_owned(), "03/03/1961".to_owned()]));
}

#[test]
fn what_is_asked_and_answered_shows_no_words() {
    const WORDS: &str = "Ada Quist 2025550143";
    let said = || WORDS.to_owned();
    let filing = dialogue::builtin::Filing {
        task: "message".to_owned(),
        files: dialogue::builtin::Files::Message,
        priority: dialogue::Priority::Normal,
        incomplete: false,
        fields: std::collections::BTreeMap::from([("message".to_owned(), said())]),
        use_caller_number: false,
        booking: None,
    };
    let values: [&dyn std::fmt::Debug; 4] = [
        &Asked::Search { query: said() },
        &Asked::Claim { number: said(), proofs: vec![said()] },
        &Asked::File(Box::new(filing)),
        &Outcome::ok(WORDS),
    ];
    for value in values {
        let shown = format!("{value:?} {value:#?}");
        assert!(WORDS.split(' ').all(|part| !shown.contains(part)), "{shown}");
    }
}
