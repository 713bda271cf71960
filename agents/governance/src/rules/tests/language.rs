//! The language itself: what expressions mean.

use super::*;
use crate::rules::parse::expression;

/// Whether a requirement holds for a sentence.
fn holds(requirement: &str, text: &str) -> bool {
    let rules = one_rule(requirement);
    let set = RuleSet::over("", &rules).unwrap_or_else(|e| panic!("{e}"));
    let mut shown = Known::default();
    shown.learn("The fee is $10, and 2 percent when late.");
    let spoken =
        Spoken { shown: Some(&shown), caller_words: "Are you a ROBOT?", ..Spoken::new(text, Language::En) };
    set.check_words(&spoken).is_empty()
}

fn one_rule(requirement: &str) -> String {
    format!(
        "rule test {{ name: 'n' category: legal description: 'd' applies_to: words requirement: {requirement} action: WARN
         explanation_en: 'e' explanation_es: 'e' }}"
    )
}

#[test]
fn expressions_mean_what_they_say() {
    for (expression, text, expected) in [
        ("true", "x", true),
        ("not True", "x", false),
        ("not not true", "x", true),
        ("false or true and false", "x", false),
        ("(false or true) and true", "x", true),
        ("action.language == 'en'", "x", true),
        ("action.language != 'en'", "x", false),
        ("action.language in ['es', \"en\"]", "x", true),
        ("action.words == 'do not shout'", "DON'T shout!", true),
        ("lower(action.text) contains 'shout'", "Don't SHOUT", true),
        ("action.text matches '^D.n'", "Don't", true),
        ("action.text matches ['^x', '^D']", "Don't", true),
        ("words_any(['shout .. me'])", "Don't shout so at me", true),
        ("words_any(['hout'])", "Don't shout", false),
        ("words_any(caller.words, ['robot'])", "x", true),
        ("words_any(action.text, ['do not shout$'])", "DON'T shout!", true),
        ("words_any(action.kind, ['words'])", "x", true),
        ("count(action.amounts) == 2", "$5 or 7 dollars", true),
        ("count(action.amounts) > 1.5", "$5", false),
        ("action.amounts in known.amounts", "It is ten dollars", true),
        ("action.amounts in known.amounts", "It is ten dollars or $11", false),
        ("action.amounts in []", "no amount", true),
        ("action.amounts contains $7.50", "It is $7.50", true),
        ("amounts('two dollars') == [$2]", "x", true),
        ("action.percents in known.percents", "2% is due", true),
        ("action.percents in [2.4]", "2.4 percent", true),
        ("count(action.phones) >= 1", "call 202-555-0110", true),
        ("action.is_published", "The fee is $10, and 2 percent when late.", true),
        ("action.is_published", "According to the fee page, the fee is $10.", true),
        ("action.is_published", "The fee is $11.", false),
        ("argument('x') == ''", "x", true),
    ] {
        assert_eq!(holds(expression, text), expected, "{expression} on {text:?}");
    }
}

#[test]
fn a_tool_call_is_looked_at_with_its_arguments() {
    let rules = one_rule("argument('phone') != '' and argument('count') == '2'").replace("words", "tool");
    let set = RuleSet::over("", &rules).unwrap();
    let arguments = serde_json::json!({ "phone": "202", "count": 2 });
    let tool = ProposedTool { arguments: Some(&arguments), ..ProposedTool::reading("x") };
    assert!(set.check_tool(&tool).is_empty());
    assert_eq!(ids(&set.check_tool(&ProposedTool::reading("x"))), ["test"]);
}

#[test]
fn what_is_shown_reads_back_as_itself() {
    for text in [
        "not (a.b == 'x') and (c or d) or count(x) > 2.4",
        "x in ['a', \"it's\", 'c'] and y in [$1, $2.50]",
        "(a == 'b') == (c == 'd')",
        "not (a and b)",
    ] {
        let once = expression(text).unwrap().to_string();
        assert_eq!(expression(&once).unwrap().to_string(), once, "{text}");
    }
}
