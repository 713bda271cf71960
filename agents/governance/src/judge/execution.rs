//! What an output says was done, against what was done: "filed under INC-4821" needs a tool's result with that reference.
//! Sums that an output does are done again.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::Meanings;
use super::numerals::number_at;
use super::reading::{Sentence, Word};
use super::request::{Severity, ValidationIssue};
use super::values::{Place, Value as Stated};

/// Names in the context under which results of tools are looked for.
pub const RESULTS: &str = "tool_results";

/// Words that say that something was done, or will be.
static DONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:(?:i|we)(?:'ve| have| just|'ll have)? ?(?:just |now |already )?",
        r"(?:filed|booked|scheduled|submitted|reported|registered|recorded|logged|created|cancelled|canceled|changed|updated|",
        r"transferred|notified|reserved|sent (?:it|this|that|your|a)|passed (?:it|this|that|your)|made a (?:report|note|request|booking))",
        r"|(?:has|have) been (?:filed|booked|scheduled|submitted|cancelled|canceled|recorded|logged|created|changed|updated|sent|reported)",
        r"|(?:is|are|you're|you are) (?:now )?(?:filed|booked|scheduled|confirmed|all set)\b",
        r"|(?:someone|somebody|a person|an inspector|a colleague|we|they) (?:will|'ll|is going to) (?:call|contact|visit|come)",
        r"|(?:reference|confirmation|report|case) number is",
        r"|he (?:registrado|reservado|programado|enviado|presentado|cancelado|cambiado|anotado|pasado)",
        r"|(?:ha sido|fue|qued[oó]|queda|est[aá]) (?:registrad|reservad|programad|enviad|presentad|cancelad|confirmad|anotad)[oa]",
        r"|n[uú]mero de (?:referencia|confirmaci[oó]n|reporte|caso) es",
        r"|(?:le|lo|la) (?:llamar[aá]n?|llamaremos|contactar[aá]n?|visitar[aá]n?))",
    ))
    .expect("clippy compiles every pattern")
});

/// What the record has of tools.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// Whether there is a record at all.
    known: bool,
    done: usize,
    failed: usize,
    /// Everything that results say, for references and times.
    pub text: String,
}

impl Recorded {
    /// Reads `tool_results` of a context: an array of objects, `is_error` or `ok` saying how it went. Reads do nothing;
    /// `reads_only` says so.
    #[must_use]
    pub fn of(context: &Map<String, Value>) -> Self {
        let Some(Value::Array(results)) = context.get(RESULTS) else { return Self::default() };
        let mut recorded = Self { known: true, ..Self::default() };
        for result in results {
            let flag = |name: &str| result.get(name).and_then(Value::as_bool);
            let failed =
                flag("is_error") == Some(true) || flag("ok") == Some(false) || flag("success") == Some(false);
            let reads = flag("reads_only") == Some(true);
            recorded.failed += usize::from(failed && !reads);
            recorded.done += usize::from(!failed && !reads);
            if !failed {
                super::leaves(result, &mut recorded.text);
            }
        }
        recorded
    }
}

/// Holds what sentences say was done against the record. `known` is what the caller and the context said; `meanings` finds
/// an act that is claimed in words of its own.
#[must_use]
pub fn check(
    sentences: &[Sentence],
    recorded: &Recorded,
    known: &str,
    meanings: Option<&Meanings>,
) -> Vec<ValidationIssue> {
    let mut issues = Vec::new();
    let results = super::reading::read(&recorded.text);
    let stated = |wanted: &Place| {
        let mut all = results.iter().flat_map(|s| s.clauses.iter().flat_map(|c| &c.values));
        all.any(|v| super::evidence::is_same(wanted, v))
    };
    for (n, sentence) in sentences.iter().enumerate() {
        let at = format!("sentence:{}", n + 1);
        let claims =
            meanings.and_then(|all| all.get(&sentence.text)).is_some_and(|meant| meant.claims().is_some());
        let literal = || DONE.is_match(&sentence.text);
        // What is not so was not said to be done.
        let says_done = (claims || !sentence.question && literal())
            && !sentence.clauses.iter().all(|clause| clause.negative);
        let values = || sentence.clauses.iter().flat_map(|c| &c.values);
        for place in values() {
            if let Stated::Reference(reference) = &place.value
                && !mentions(&recorded.text, reference)
                && !mentions(known, reference)
            {
                let issue = ValidationIssue::new(
                    Severity::Error,
                    "unknown_reference",
                    format!("No tool gave the reference {reference}"),
                );
                issues.push(issue.at(&at).suggest("Give the reference of the tool's result, or none"));
            }
        }
        if let Some(wrong) = wrong_sum(&sentence.words) {
            let issue = ValidationIssue::new(Severity::Error, "wrong_calculation", wrong);
            issues.push(issue.at(&at).suggest("Do the sum again"));
        }
        if !says_done {
            continue;
        }
        if !recorded.known {
            let issue = ValidationIssue::new(
                Severity::Warning,
                "effect_not_verified",
                "Something is said to be done, and no record of tools came with the request",
            );
            issues.push(issue.at(&at).suggest("Send context.tool_results"));
        } else if recorded.done == 0 {
            let why = if recorded.failed > 0 { "the tool failed" } else { "no tool did it" };
            let message = format!("Something is said to be done, and {why}");
            let issue = ValidationIssue::new(Severity::Error, "effect_not_recorded", message);
            issues.push(issue.at(&at).suggest("Say what really happened"));
        } else if values().any(|v| matches!(v.value, Stated::Time { .. } | Stated::Date { .. }) && !stated(v))
        {
            let message = "The time or date said is not the one that was recorded";
            let issue = ValidationIssue::new(Severity::Error, "effect_differs", message);
            issues.push(issue.at(&at).suggest("Give the time and date of the tool's result"));
        }
    }
    issues
}

/// Whether a text has a reference, however it is cut.
fn mentions(text: &str, reference: &str) -> bool {
    let plain: String =
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect();
    plain.contains(reference)
}

/// "3 times $2.50 is $7": what is wrong with it, if anything.
fn wrong_sum(words: &[Word]) -> Option<String> {
    let amount = |at: usize| -> Option<(i64, usize)> {
        let mark = usize::from(words.get(at).is_some_and(|w| w.text == "$"));
        let (n, used) = number_at(words, at + mark, false)?;
        Some((n, used + mark))
    };
    let text = |at: usize| words.get(at).map_or("", |w| w.text.as_str());
    for start in 0..words.len() {
        let Some((a, used)) = amount(start) else { continue };
        let operator = text(start + used);
        let Some((b, more)) = amount(start + used + 1) else { continue };
        let result: Option<i64> = match operator {
            "+" | "plus" | "mas" => a.checked_add(b),
            "minus" | "menos" => a.checked_sub(b),
            "*" | "×" | "x" | "times" | "por" => a.checked_mul(b).map(|n| n / 100),
            _ => None,
        };
        let mut at = start + used + 1 + more;
        let is = ["is", "=", "equals", "makes", "son", "es", "to"];
        let begin = at;
        while at < words.len() && at < begin + 3 && !is.contains(&text(at)) {
            at += 1;
        }
        let (Some(result), true) = (result, is.contains(&text(at))) else { continue };
        if let Some((said, _)) = amount(at + 1)
            && said != result
        {
            return Some(format!("The sum is {}, not {}", shown(result), shown(said)));
        }
    }
    None
}

fn shown(hundredths: i64) -> String {
    let (whole, part) = (hundredths / 100, (hundredths % 100).abs());
    if part == 0 { whole.to_string() } else { format!("{whole}.{part:02}") }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::meaning::{Act, Forbidden, Meant};

    fn kinds(text: &str, context: &Value) -> Vec<String> {
        let recorded = Recorded::of(context.as_object().unwrap());
        check(&super::super::reading::read(text), &recorded, "my claim is CLM-20417", None)
            .into_iter()
            .map(|i| i.kind)
            .collect()
    }

    #[test]
    fn what_is_said_to_be_done_needs_a_result() {
        let nothing = json!({ "tool_results": [] });
        let failed =
            json!({ "tool_results": [{ "name": "file_report", "is_error": true, "content": "not saved" }] });
        let looked = json!({ "tool_results": [{ "name": "search", "reads_only": true, "content": "x" }] });
        let filed =
            json!({ "tool_results": [{ "name": "file_report", "content": "Reference number: INC-4821." }] });
        for said in [
            "I've filed your report.",
            "Your report has been filed.",
            "He registrado su reporte.",
            "An inspector will call you.",
        ] {
            for context in [&nothing, &failed, &looked] {
                assert_eq!(kinds(said, context), ["effect_not_recorded"], "{said}");
            }
            assert_eq!(kinds(said, &filed), [""; 0], "{said}");
            assert_eq!(kinds(said, &json!({})), ["effect_not_verified"], "{said}");
        }
        for said in [
            "I can file that for you.",
            "Shall I book it?",
            "I have not filed anything.",
            "Permits are issued in five days.",
        ] {
            assert_eq!(kinds(said, &nothing), [""; 0], "{said}");
        }
    }

    #[test]
    fn a_promise_in_words_of_its_own_needs_a_result_too() {
        let text = "Your complaint sits with the code officer now. It is nothing.";
        let mut sentences = super::super::sentences(text).into_iter();
        let mut meant = |claims| {
            let read = Meant::new((Forbidden::Promise, 0), (Act::Report, claims));
            (sentences.next().unwrap(), read)
        };
        let meanings = Meanings::from([meant(990), meant(10)]);
        let kinds = |context: Value| -> Vec<(String, Option<String>)> {
            let recorded = Recorded::of(context.as_object().unwrap());
            let issues = check(&super::super::reading::read(text), &recorded, "", Some(&meanings));
            issues.into_iter().map(|i| (i.kind, i.location)).collect()
        };
        let found = ("effect_not_recorded".to_owned(), Some("sentence:1".to_owned()));
        assert_eq!(kinds(json!({ "tool_results": [] })), [found]);
        let filed = json!({ "tool_results": [{ "name": "file_report", "content": "INC-4821" }] });
        assert!(kinds(filed).is_empty());
    }

    #[test]
    fn references_and_times_are_those_of_the_results() {
        let filed = json!({ "tool_results": [
            { "content": "Booked for Tuesday, March 3 at 10 a.m. Reference number: INS-1000." }] });
        assert_eq!(kinds("You're booked for March 3 at 10 a.m., reference INS-1000.", &filed), [""; 0]);
        assert_eq!(
            kinds("You're booked for March 4 at 10 a.m., reference INS-1000.", &filed),
            ["effect_differs"]
        );
        assert_eq!(kinds("The reference is INS-1001.", &filed), ["unknown_reference"]);
        assert_eq!(kinds("Your claim CLM-20417 is open.", &filed), [""; 0], "the caller named it");
    }

    #[test]
    fn sums_are_done_again() {
        let none = json!({});
        assert_eq!(kinds("3 times $2.50 is $7.50.", &none), [""; 0]);
        assert_eq!(kinds("3 times $2.50 is $7.", &none), ["wrong_calculation"]);
        assert_eq!(kinds("45 plus 20 comes to 75.", &none), ["wrong_calculation"]);
        assert_eq!(kinds("999999999 times 999999999 times 9 is 1.", &none).len(), 1);
    }
}
