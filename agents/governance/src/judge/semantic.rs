//! Whether an answer is about its question: shared words, likeness of meaning where somebody measured it, and whether a
//! "how much" gets an amount.

use super::reading::{self, Sentence};
use super::request::{Severity, ValidationIssue};
use super::values::Value;

/// Below this an answer counts as being about something else.
const ABOUT: f64 = 0.15;
/// Cosine below which two texts have nothing to do with each other; at the other end they are one subject.
const UNLIKE: f64 = 0.15;
const ALIKE: f64 = 0.65;

/// What a question asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wanted {
    Amount,
    Time,
    Place,
    Phone,
}

/// The score (0–1) and what is wrong. `likeness` is the cosine of the two texts' vectors.
#[must_use]
pub fn check(question: &str, answer: &[Sentence], likeness: Option<f32>) -> (f64, Vec<ValidationIssue>) {
    let asked: Vec<String> = terms(&reading::read(question));
    let given = terms(answer);
    let shared = asked.iter().filter(|t| given.contains(t)).count();
    let lexical = if asked.is_empty() { 1.0 } else { shared as f64 / asked.len() as f64 };
    let meant = likeness.map(|c| ((f64::from(c) - UNLIKE) / (ALIKE - UNLIKE)).clamp(0.0, 1.0));
    let about = meant.map_or(lexical, |m| m.max(lexical));
    let mut issues = Vec::new();
    let asks_back = answer.iter().any(|s| s.question);
    if about < ABOUT && !asks_back {
        // Words alone can not tell a paraphrase from another subject.
        let severity = if meant.is_some() { Severity::Error } else { Severity::Warning };
        let issue = ValidationIssue::new(severity, "off_topic", "The answer is not about what was asked");
        issues.push(issue.suggest("Answer the question, or say that it is not known"));
    }
    let missing = wanted(question).filter(|w| !asks_back && !owns_up(answer) && !gives(answer, *w));
    if let Some(wanted) = missing {
        let what = match wanted {
            Wanted::Amount => "an amount",
            Wanted::Time => "a time or date",
            Wanted::Place => "a place",
            Wanted::Phone => "a telephone number",
        };
        let message = format!("The question asks for {what} and the answer gives none");
        let issue = ValidationIssue::new(Severity::Warning, "incomplete_answer", message);
        issues.push(issue.suggest("Give it, or say that it is not known"));
    }
    (if missing.is_some() { about.min(0.6) } else { about }, issues)
}

/// Terms of sentences, each once.
#[must_use]
pub fn terms(sentences: &[Sentence]) -> Vec<String> {
    let mut all: Vec<String> =
        sentences.iter().flat_map(|s| s.clauses.iter().flat_map(|c| c.terms.iter().cloned())).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn wanted(question: &str) -> Option<Wanted> {
    let plain = reading::fold(question);
    let has = |all: &[&str]| all.iter().any(|p| plain.contains(p));
    if has(&["how much", "what does it cost", "cuanto cuesta", "cuanto es", "what is the fee"]) {
        Some(Wanted::Amount)
    } else if has(&["what number", "phone number", "numero de telefono"]) {
        Some(Wanted::Phone)
    } else if has(&["what time", "when ", "a que hora", "cuando", "what are your hours", "what hours"]) {
        Some(Wanted::Time)
    } else if has(&["where ", "donde"]) {
        Some(Wanted::Place)
    } else {
        None
    }
}

fn gives(answer: &[Sentence], wanted: Wanted) -> bool {
    let mut values = answer.iter().flat_map(|s| s.clauses.iter().flat_map(|c| &c.values));
    values.any(|place| {
        matches!(
            (wanted, &place.value),
            (Wanted::Amount, Value::Money(_) | Value::Percent(_))
                | (Wanted::Time, Value::Time { .. } | Value::Date { .. } | Value::Days(_) | Value::Every(_))
                | (Wanted::Time | Wanted::Place, Value::Count { .. })
                | (Wanted::Place, Value::Name(_) | Value::Web(_))
                | (Wanted::Phone, Value::Phone(_))
        )
    })
}

/// "I don't know" is an honest answer to anything.
fn owns_up(answer: &[Sentence]) -> bool {
    let honest = [
        "don't have",
        "do not have",
        "don't know",
        "not sure",
        "can't find",
        "no tengo",
        "no se ",
        "no encuentro",
    ];
    answer.iter().any(|s| {
        let plain = reading::fold(&s.text);
        honest.iter().any(|h| plain.contains(h))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(question: &str, answer: &str, likeness: Option<f32>) -> Vec<String> {
        check(question, &reading::read(answer), likeness).1.into_iter().map(|i| i.kind).collect()
    }

    #[test]
    fn an_answer_to_something_else_is_found() {
        let question = "How much is a dog license?";
        assert_eq!(kinds(question, "A dog license costs $10.", Some(0.7)), [""; 0]);
        assert_eq!(
            kinds(question, "Buses run until 10 p.m.", Some(0.05)),
            ["off_topic", "incomplete_answer"]
        );
        assert_eq!(kinds(question, "Which kind of license do you mean?", None), [""; 0]);
        assert_eq!(kinds(question, "I don't know what a dog license costs.", None), [""; 0]);
        assert_eq!(
            kinds("¿Cuándo vencen los impuestos?", "Los impuestos vencen pronto.", None),
            ["incomplete_answer"]
        );
    }

    #[test]
    fn likeness_helps_a_paraphrase_and_words_alone_only_warn() {
        let (question, answer) = ("Can I burn leaves?", "Open fires need a permit from the fire marshal.");
        assert_eq!(kinds(question, answer, Some(0.6)), [""; 0]);
        let (_, issues) = check(question, &reading::read(answer), None);
        assert!(issues.iter().all(|i| i.severity == Severity::Warning), "{issues:?}");
    }
}
