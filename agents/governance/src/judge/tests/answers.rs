//! Requests as they come in, and what is answered.

use serde_json::{Value, json};

use super::super::*;

struct NoPrices;

impl RuleCheck for NoPrices {
    fn check(&self, action: ProposedAction<'_>) -> Vec<RuleViolation> {
        let found = action.text.contains('$').then(|| RuleViolation {
            rule: "no_prices".to_owned(),
            message: "Prices are not spoken".to_owned(),
            blocks: true,
            suggestion: None,
        });
        found.into_iter().collect()
    }
}

fn judged(request: Value) -> ValidationResult {
    judged_by(request, &NoRules)
}

fn judged_by(request: Value, rules: &dyn RuleCheck) -> ValidationResult {
    let request: ValidationRequest = serde_json::from_value(request).unwrap();
    validate(&request, Means { rules, likeness: None, meanings: None, sights: None }).unwrap()
}

fn refused(request: Value) -> RequestError {
    let request: ValidationRequest = serde_json::from_value(request).unwrap();
    validate(&request, Means { rules: &NoRules, likeness: None, meanings: None, sights: None }).unwrap_err()
}

fn kinds(result: &ValidationResult) -> Vec<&str> {
    result.issues.iter().map(|i| i.kind.as_str()).collect()
}

#[test]
fn the_example_of_the_specification_is_valid_with_a_suggestion() {
    let result = judged(json!({
        "output": { "code": "def sort_list(lst): return sorted(lst)", "tests": "assert sort_list([3,1,2]) == [1,2,3]" },
        "validation_types": ["schema", "criteria", "quality"],
        "acceptance_criteria": ["Code implements sorting functionality", "Tests are included", "Function has proper naming"],
        "expected_schema": { "type": "object", "required": ["code", "tests"],
            "properties": { "code": { "type": "string" }, "tests": { "type": "string" } } }
    }));
    assert!(result.valid && result.confidence > 0.9, "{result:?}");
    assert_eq!((result.passed_criteria.len(), result.failed_criteria.len()), (3, 0));
    assert_eq!(kinds(&result), ["style_suggestion"]);
    assert_eq!(result.issues[0].location.as_deref(), Some("function:sort_list"));
    assert_eq!(result.metadata["validation_types_run"], json!(["schema", "criteria", "quality"]));
    assert_eq!((&result.metadata["total_issues"], &result.metadata["error_count"]), (&json!(1), &json!(0)));
    let shape = serde_json::to_value(&result).unwrap();
    let mut fields: Vec<&String> = shape.as_object().unwrap().keys().collect();
    fields.sort();
    let expected =
        ["confidence", "failed_criteria", "issues", "metadata", "passed_criteria", "quality_score", "valid"];
    assert_eq!(fields, expected.iter().collect::<Vec<_>>());
}

#[test]
fn a_wrong_amount_makes_an_answer_invalid_and_says_what_the_source_says() {
    let result = judged(json!({
        "output": "A dog license costs $15.",
        "level": "basic",
        "trusted_sources": ["A dog license costs $10 for a spayed or neutered dog and $25 for others."],
        "context": { "question": "How much is a dog license?" }
    }));
    assert!(!result.valid);
    assert_eq!(kinds(&result), ["contradicted_fact"]);
    assert!(result.feedback().contains("$10"), "{}", result.feedback());
    assert_eq!(result.metadata["level"], "basic");
}

#[test]
fn each_level_holds_the_one_before() {
    let sets = [Level::Basic, Level::Standard, Level::Thorough].map(Level::checks);
    for pair in sets.windows(2) {
        assert!(pair[0].iter().all(|c| pair[1].contains(c)) && pair[0].len() < pair[1].len());
    }
}

#[test]
fn rules_are_asked_and_a_block_is_an_error() {
    let request = json!({ "output": "It costs $5.", "validation_types": ["rules"] });
    let result = judged_by(request.clone(), &NoPrices);
    assert!(!result.valid);
    assert_eq!(
        (kinds(&result), result.issues[0].location.as_deref()),
        (vec!["rule_violation"], Some("rule:no_prices"))
    );
    assert!(judged(request).valid);
}

#[test]
fn the_rules_that_ship_are_the_judges_too() {
    let rules = crate::rules::RuleSet::load("", &crate::county::numbers()).unwrap();
    let request = json!({ "output": "The permit costs $99.", "validation_types": ["rules"] });
    let result = judged_by(request.clone(), &rules);
    assert_eq!((result.valid, kinds(&result)), (false, vec!["rule_violation"]));
    assert_eq!(result.issues[0].location.as_deref(), Some("rule:locked-amounts"));
    let mut published = request;
    published["trusted_sources"] = json!(["The permit costs $99."]);
    assert!(judged_by(published, &rules).valid, "a page says so");
}

#[test]
fn a_reply_that_says_it_filed_something_needs_the_result() {
    let with = |results: Value| {
        json!({ "output": "I've filed your report. Your reference is INC-4821.", "validation_types": ["execution"],
            "context": { "tool_results": results } })
    };
    assert!(judged(with(json!([{ "name": "file_report", "content": "Reference number: INC-4821" }]))).valid);
    let result = judged(with(json!([])));
    assert_eq!(kinds(&result), ["effect_not_recorded", "unknown_reference"]);
}

#[test]
fn what_the_caller_said_may_be_repeated_and_proves_nothing() {
    let with = |output: &str| {
        json!({ "output": output, "validation_types": ["facts"], "trusted_sources": ["The late fee is $25."],
            "context": { "caller": "I paid $40 last year" } })
    };
    assert!(judged(with("You said you paid $40.")).valid);
    assert!(!judged(with("The late fee is $20.")).valid);
}

#[test]
fn statements_that_nothing_bears_out_are_warnings() {
    let result = judged(json!({
        "output": "The mayor juggles flaming torches beside elephants.",
        "validation_types": ["hallucination"],
        "context": { "page": "The library lends books to residents." }
    }));
    assert_eq!((kinds(&result), result.valid), (vec!["unsupported_claim"], true));
    assert!(result.confidence < 0.1);
}

#[test]
fn checks_without_their_means_say_so_and_give_no_confidence() {
    let result = judged(json!({ "output": "x.", "validation_types": ["schema", "facts", "semantic"] }));
    assert!(result.valid);
    assert_eq!((result.confidence, result.quality_score), (0.5, 0.5));
    let skipped = result.metadata["checks"].as_array().unwrap().iter().filter(|c| c["skipped"].is_string());
    assert_eq!(skipped.count(), 3);
}

#[test]
fn requests_that_can_not_be_judged_are_told_why() {
    assert_eq!(refused(json!({ "output": "x" })).parameter, "validation_types");
    assert_eq!(
        refused(json!({ "output": "x", "level": "basic", "validation_types": ["facts"] })).parameter,
        "level"
    );
    assert_eq!(
        refused(json!({ "output": "x".repeat(MAX_OUTPUT + 1), "level": "basic" })).parameter,
        "output"
    );
    let many = vec!["a"; 65];
    assert_eq!(
        refused(json!({ "output": "x", "level": "basic", "trusted_sources": many })).parameter,
        "trusted_sources"
    );
    let heavy = vec!["a".repeat(30_000); 10];
    assert_eq!(
        refused(json!({ "output": "x", "level": "basic", "trusted_sources": heavy })).parameter,
        "context"
    );
    assert_eq!(
        refused(json!({ "output": "x", "level": "basic", "expected_schema": { "type": "nonsense" } }))
            .parameter,
        "expected_schema"
    );
    for wrong in [
        json!({ "validation_types": ["facts"] }),
        json!({ "output": "x", "validation_types": ["everything"] }),
        json!({ "output": "x", "level": "extreme" }),
        json!({ "output": "x", "levle": "basic" }),
    ] {
        assert!(serde_json::from_value::<ValidationRequest>(wrong.clone()).is_err(), "{wrong}");
    }
}
