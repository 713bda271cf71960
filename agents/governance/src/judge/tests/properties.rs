//! What holds for any text.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;

fn request(output: &str, source: &str) -> ValidationRequest {
    serde_json::from_value(json!({ "output": output, "level": "thorough", "trusted_sources": [source],
        "context": { "question": source, "tool_results": [{ "content": source }] } }))
    .unwrap()
}

const MEANS: Means<'static> = Means { rules: &NoRules, likeness: Some(0.4), meanings: None, sights: None };

proptest! {
    /// Nothing panics, and the answer is within its bounds.
    #[test]
    fn any_text_is_judged(output in ".{0,200}", source in ".{0,200}") {
        let result = validate(&request(&output, &source), MEANS).unwrap();
        prop_assert!((0.0..=1.0).contains(&result.confidence) && (0.0..=1.0).contains(&result.quality_score));
        prop_assert_eq!(result.valid, result.errors().count() == 0 && result.failed_criteria.is_empty());
    }

    /// The same, with what numbers and dates are made of.
    #[test]
    fn texts_full_of_numbers_are_judged(
        output in r"([$0-9.,:/-]{1,6}|a\.m\.|p\. ?m\.|March|half|past|to|and|y|media|las|percent|free| ){0,40}",
        source in r"([$0-9.,:/-]{1,6}|am|Monday|through|de|mayo|no|not|open|closed|thousand| ){0,40}",
    ) {
        let _ = validate(&request(&output, &source), MEANS).unwrap();
    }

    /// A source bears out what is said in its own words.
    #[test]
    fn a_value_in_its_own_sentence_is_borne_out(dollars in 1u32..5_000, hour in 1u32..12, day in 1u32..28) {
        let source = format!("The gate fee is ${dollars}. The gate opens at {hour} a.m. Passes are due by March {day}.");
        let evidence = Evidence::of([source.as_str()], []);
        prop_assert_eq!(facts_of(&source, &evidence, &[]), vec![]);
    }

    /// Any other amount is found.
    #[test]
    fn another_amount_is_found(right in 1u32..5_000, wrong in 1u32..5_000) {
        prop_assume!(right != wrong);
        let source = format!("The gate fee is ${right}.");
        let evidence = Evidence::of([source.as_str()], []);
        let said = format!("The gate fee is {wrong} dollars.");
        prop_assert_eq!(facts_of(&said, &evidence, &[]).len(), 1);
    }
}

#[test]
fn the_largest_requests_are_done_in_bounded_steps() {
    let numbers: String = (0..6_000).map(|n| format!("The fee {n} is ${n}. ")).collect();
    let output: String = numbers.chars().take(MAX_OUTPUT - 100).collect();
    let source: String = numbers.chars().take(100_000).collect();
    let request: ValidationRequest =
        serde_json::from_value(json!({ "output": output, "level": "thorough", "trusted_sources": [source] }))
            .unwrap();
    let result = validate(&request, MEANS).unwrap();
    assert!(matches!(&result.metadata["claims"], Value::Number(n) if n.as_u64().unwrap() <= 1_000));
}
