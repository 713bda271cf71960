//! What holds for any text.

use proptest::prelude::*;

use super::*;
use crate::rules::parse::expression;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_of_rules_makes_the_loader_fall_over(text in "\\PC{0,200}") {
        if let Err(error) = RuleSet::load(&text, &county::numbers()) {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(error.to_string().contains('^'));
        }
    }

    #[test]
    fn no_pieces_of_the_language_make_it_fall_over(
        pieces in proptest::collection::vec(prop::sample::select(vec![
            "rule", "x", "{", "}", "name", ":", "'t'", "condition", "=", "(", ")", "[", "]", "and", "not", "or", "in",
            "action.text", "$5", "2", "requirement", "matches", "words_any", ",", "\n", "constants", "money", "==",
        ]), 0..60)
    ) {
        let text = pieces.join(" ");
        if let Err(error) = RuleSet::load(&text, &county::numbers()) {
            prop_assert!(!error.fix.is_empty());
        }
    }

    #[test]
    fn an_expression_that_is_read_shows_as_one_that_reads_the_same(
        pieces in proptest::collection::vec(prop::sample::select(vec![
            "(", ")", "and", "or", "not", "a", "b.c", "'t'", "$5", "==", "in", "['x']", "count(d)", "true", "matches",
        ]), 1..14)
    ) {
        if let Ok(read) = expression(&pieces.join(" ")) {
            let once = read.to_string();
            prop_assert_eq!(expression(&once).unwrap().to_string(), once);
        }
    }

    #[test]
    fn no_sentence_makes_a_check_fall_over_and_the_same_sentence_is_judged_the_same(text in "\\PC{0,300}") {
        let set = shipped();
        let mut known = Known::default();
        known.learn(&text);
        let spoken = Spoken { shown: Some(&known), is_first: true, caller_words: &text, ..Spoken::new(&text, Language::Es) };
        let (once, again) = (set.check_words(&spoken), set.check_words(&spoken));
        prop_assert_eq!(ids(&once), ids(&again));
        let _ = set.check_reply(&spoken);
    }

    /// What a tenant writes changes nothing about what the platform forbids.
    #[test]
    fn platform_rules_hold_under_any_tenant_text_that_loads(
        requirement in prop::sample::select(vec!["true", "action.is_first", "words_any(['sue'])", "not words_any(['sue'])"]),
        action in prop::sample::select(vec!["WARN", "BLOCK", "REQUIRE_HUMAN"]),
        unless in prop::sample::select(vec!["", "unless_rule: no-legal-advice", "unless_rule: locked-amounts"]),
    ) {
        let tenant = format!(
            "rule mine {{ name: 'n' category: legal description: 'd' applies_to: words requirement: {requirement}
             action: {action} {unless} explanation_en: 'e' explanation_es: 'e' replacement_en: 'Yes.' replacement_es: 'Sí.' }}"
        );
        if let Ok(set) = RuleSet::load(&tenant, &county::numbers()) {
            for said in ["You should sue the county.", "I make it 7 dollars for you.", "No need to call 911."] {
                prop_assert!(!permitted(&set.check_words(&Spoken::new(said, Language::En))), "{}", said);
            }
        }
    }
}
