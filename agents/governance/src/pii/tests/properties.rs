//! What holds for any text.

use proptest::prelude::*;

use crate::pii::{Category, Guardian, KindSet, Public, Redactor, Settings, redact_labels};
use language::Screen;

/// Texts made of what the detectors look at, so that they meet one another in odd places.
fn texts() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "my",
        "name",
        "is",
        "maria",
        "Gonzalez",
        "will",
        "may",
        "social",
        "ssn",
        "card",
        "number",
        "4111",
        "1111",
        "078",
        "05",
        "1120",
        "-",
        ".",
        ",",
        "@",
        ":",
        "'s",
        "one",
        "two",
        "oh",
        "double",
        "hundred",
        "march",
        "third",
        "seventy",
        "four",
        "born",
        "on",
        "at",
        "dot",
        "com",
        "gmail",
        "oak",
        "street",
        "apartment",
        "b",
        "live",
        "calle",
        "robles",
        "45",
        "202",
        "555",
        "0143",
        "x12",
        "license",
        "d1234567",
        "passport",
        "account",
        "routing",
        "⟨phone:1⟩",
        "[SSN-REDACTED]",
        "\n",
        "é",
        "⟨",
        "192",
        "168",
        "password",
        "i have",
        "diabetes",
        "kill",
        "myself",
        "(",
        ")",
        "+",
        "p",
        "o",
        "box",
        "springfield",
        "illinois",
        "62704",
        "the",
        "Mr",
        "de",
        "la",
        "and",
        "for",
        "to",
    ]);
    prop::collection::vec((part, prop::bool::weighted(0.8)), 0..24).prop_map(|parts| {
        parts.into_iter().map(|(word, blank)| format!("{word}{}", if blank { " " } else { "" })).collect()
    })
}

fn assert_sound(text: &str) -> Result<(), TestCaseError> {
    let guardian = Guardian::new();
    let settings = Settings::default();
    let findings = guardian.check(text, &settings);
    let mut end = 0;
    for f in &findings {
        prop_assert!(f.start >= end && f.start < f.end, "{text:?} {findings:?}");
        prop_assert!(text.get(f.start..f.end).is_some(), "{text:?} {f:?}");
        prop_assert!((0.0..=1.0).contains(&f.confidence));
        end = f.end;
    }
    // The words between the findings are those of the text, in their order.
    let redacted = redact_labels(text, &findings);
    let mut rest = redacted.as_str();
    let mut copied = 0;
    for f in findings.iter().filter(|f| f.kind.label().is_some()) {
        let kept = &text[copied..f.start];
        prop_assert!(rest.starts_with(kept), "{text:?} {redacted:?}");
        rest = rest[kept.len()..].strip_prefix(f.kind.label().unwrap()).unwrap();
        copied = f.end;
    }
    prop_assert_eq!(rest, &text[copied..]);
    let again = guardian.check(&redacted, &settings);
    let more = again.iter().any(|f| matches!(f.kind.category(), Category::Pii | Category::Secret));
    prop_assert!(!more, "{text:?} {redacted:?} {again:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)))]

    #[test]
    fn findings_of_likely_texts_lie_apart_on_characters_and_redacting_twice_changes_nothing(text in texts()) {
        assert_sound(&text)?;
    }

    #[test]
    fn findings_of_any_text_lie_apart_on_characters_and_redacting_twice_changes_nothing(text in "\\PC{0,60}") {
        assert_sound(&text)?;
    }

    #[test]
    fn screening_twice_changes_nothing(text in texts()) {
        let mut redactor = Redactor::with(Public::default(), KindSet::PERSONAL);
        let once = redactor.screen(&text);
        let mut other = Redactor::with(Public::default(), KindSet::PERSONAL);
        prop_assert_eq!(other.screen(&once), once);
    }

    #[test]
    fn screening_a_whole_call_never_panics(turns in prop::collection::vec(texts(), 1..6)) {
        let mut redactor = Redactor::with(Public::default(), KindSet::PERSONAL);
        for turn in &turns {
            let screened = redactor.screen(turn);
            let _ = (redactor.reveal(&screened), redactor.spoken(&screened, "that"));
        }
    }
}
