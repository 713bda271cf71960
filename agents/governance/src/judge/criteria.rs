//! Acceptance criteria, read as rules where they are written as such ("at most 40 words", "mentions the fee", "does not
//! mention prices") and by their words otherwise.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value as Json;

use super::lexicon;
use super::reading::{self, Sentence, fold};
use super::values::Value;

/// Share of a criterion's words that the output must have.
const MET: f32 = 0.5;

/// How a criterion was judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    pub met: bool,
    /// By a rule, and so for certain; otherwise by its words.
    pub certain: bool,
    /// Share of the words, where words decided.
    pub score: f32,
}

/// An output as criteria look at it.
#[derive(Debug)]
pub struct Subject<'a> {
    pub output: &'a Json,
    /// Its texts and the names of its fields.
    pub text: &'a str,
    pub sentences: &'a [Sentence],
    /// Stems of all words, names of fields and of functions taken apart.
    pub stems: &'a [String],
}

struct Rules {
    size: Regex,
    quoted: Regex,
    forbids: Regex,
    gives: Regex,
    naming: Regex,
    identifiers: Regex,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    Rules {
    size: Regex::new(r"(at most|no more than|under|less than|fewer than|maximum of|at least|no fewer than|more than|over|minimum of) (\d{1,6}) (words?|sentences?|characters?)").expect("clippy compiles every pattern"),
    quoted: Regex::new(r#"["“'‘]([^"”'’]{1,200})["”'’]"#).expect("clippy compiles every pattern"),
    forbids: Regex::new(r"\b(does not|do not|doesn't|don't|must not|should not|may not|never|no mention of|without|avoids?|contains no|gives no|has no)\b").expect("clippy compiles every pattern"),
    gives: Regex::new(r"\b(?:gives?|states?|includes?|mentions?|names?|contains?|has|tells?|provides?)\b.{0,20}\b(fee|price|cost|amount|date|deadline|phone|telephone|hours|time|address|reference|percentage)").expect("clippy compiles every pattern"),
    naming: Regex::new(r"(proper|good|clear|meaningful|descriptive) nam(e|es|ing)").expect("clippy compiles every pattern"),
    identifiers: Regex::new(r"\b(?:def|fn|function|func)\s+([A-Za-z_][A-Za-z0-9_]*)").expect("clippy compiles every pattern"),
}
});

/// Words of criteria that say nothing of what is asked for.
const SCAFFOLD: [&str; 52] = [
    "output",
    "response",
    "answer",
    "reply",
    "result",
    "include",
    "included",
    "includes",
    "implement",
    "implements",
    "implemented",
    "functionality",
    "function",
    "feature",
    "present",
    "provide",
    "provided",
    "provides",
    "contain",
    "contains",
    "mention",
    "mentions",
    "mentioned",
    "address",
    "addresses",
    "cover",
    "covers",
    "correct",
    "correctly",
    "proper",
    "properly",
    "clear",
    "clearly",
    "state",
    "states",
    "explain",
    "explains",
    "give",
    "gives",
    "given",
    "caller",
    "user",
    "must",
    "should",
    "work",
    "works",
    "valid",
    "complete",
    "appropriate",
    "requirement",
    "requirements",
    "least",
];

/// Judges one criterion.
#[must_use]
pub fn judge(criterion: &str, subject: &Subject<'_>) -> Judged {
    let plain = fold(criterion);
    let certain = |met: bool| Judged { met, certain: true, score: if met { 1.0 } else { 0.0 } };
    if let Some(met) = size(&plain, subject) {
        return certain(met);
    }
    let forbids = RULES.forbids.is_match(&plain);
    if let Some(quoted) = RULES.quoted.captures(criterion).and_then(|c| c.get(1)) {
        return certain(fold(subject.text).contains(&fold(quoted.as_str())) != forbids);
    }
    if let Some(met) = form(&plain, subject) {
        return certain(met);
    }
    if let Some(kind) = RULES.gives.captures(&plain).and_then(|c| c.get(1)) {
        return certain(gives(kind.as_str(), subject) != forbids);
    }
    by_words(&plain, forbids, subject)
}

fn size(plain: &str, subject: &Subject<'_>) -> Option<bool> {
    let found = RULES.size.captures(plain)?;
    let bound: usize = found.get(2)?.as_str().parse().ok()?;
    let count = match found.get(3)?.as_str().trim_end_matches('s') {
        "word" => subject.sentences.iter().map(|s| s.words.iter().filter(|w| w.is_word()).count()).sum(),
        "sentence" => subject.sentences.len(),
        _ => subject.text.chars().count(),
    };
    Some(match found.get(1)?.as_str() {
        "at most" | "no more than" | "maximum of" => count <= bound,
        "under" | "less than" | "fewer than" => count < bound,
        "at least" | "no fewer than" | "minimum of" => count >= bound,
        _ => count > bound,
    })
}

/// Criteria of form: language, JSON, questions, names of functions.
fn form(plain: &str, subject: &Subject<'_>) -> Option<bool> {
    let asks_for = |words: &[&str]| words.iter().any(|w| plain.contains(w));
    if asks_for(&["in spanish", "en espanol"]) {
        return Some(reading::is_spanish(subject.text));
    }
    if asks_for(&["in english", "en ingles"]) {
        return Some(!reading::is_spanish(subject.text));
    }
    if asks_for(&["valid json", "is json"]) {
        let parses = |text: &str| serde_json::from_str::<Json>(text).is_ok();
        return Some(subject.output.as_str().is_none_or(parses));
    }
    if asks_for(&["ends with a question", "asks a question"]) {
        return Some(subject.sentences.last().is_some_and(|s| s.question));
    }
    if asks_for(&["not empty", "non-empty", "nonempty"]) {
        return Some(subject.text.chars().any(char::is_alphanumeric));
    }
    if RULES.naming.is_match(plain) {
        let mut names = RULES.identifiers.captures_iter(subject.text).filter_map(|c| c.get(1)).peekable();
        names.peek()?;
        let good =
            |name: &str| name.len() >= 3 && !matches!(name, "foo" | "bar" | "baz" | "test" | "func" | "tmp");
        return Some(names.all(|n| good(n.as_str())));
    }
    None
}

fn gives(kind: &str, subject: &Subject<'_>) -> bool {
    let mut values = subject.sentences.iter().flat_map(|s| s.clauses.iter().flat_map(|c| &c.values));
    values.any(|place| {
        matches!(
            (kind, &place.value),
            ("fee" | "price" | "cost" | "amount", Value::Money(_))
                | ("fee" | "percentage" | "cost", Value::Percent(_))
                | ("date" | "deadline", Value::Date { .. })
                | ("phone" | "telephone", Value::Phone(_))
                | ("hours" | "time", Value::Time { .. })
                | ("reference", Value::Reference(_))
                | ("address", Value::Count { unit: Some(_), .. })
        )
    })
}

fn by_words(plain: &str, forbids: bool, subject: &Subject<'_>) -> Judged {
    let words = reading::words(plain);
    let wanted: Vec<String> = words
        .iter()
        .filter(|w| w.is_word() && lexicon::is_content(&w.text) && !SCAFFOLD.contains(&w.text.as_str()))
        .map(|w| lexicon::concept(&w.stem).to_owned())
        .collect();
    if wanted.is_empty() {
        // Nothing that could be looked for: an output that is there may pass, and nobody is told that it is certain.
        return Judged { met: !subject.stems.is_empty(), certain: false, score: MET };
    }
    let has = |stem: &String| subject.stems.binary_search(stem).is_ok();
    let score = wanted.iter().filter(|t| has(t)).count() as f32 / wanted.len() as f32;
    Judged { met: if forbids { score < 1.0 } else { score >= MET }, certain: false, score }
}

/// Stems of a text for criteria: names such as `sort_list` and `sortList` are words too.
#[must_use]
pub fn stems(text: &str) -> Vec<String> {
    let mut parted = String::with_capacity(text.len());
    let mut small = false;
    for c in text.chars() {
        if c == '_' || (c.is_uppercase() && small) {
            parted.push(' ');
        }
        if c != '_' {
            parted.push(c);
        }
        small = c.is_lowercase();
    }
    let words = parted.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    let mut stems: Vec<String> =
        words.map(|w| lexicon::concept(&reading::stem(&fold(w))).to_owned()).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn met(criterion: &str, text: &str) -> Judged {
        let (output, sentences, stems) = (json!(text), reading::read(text), stems(text));
        judge(criterion, &Subject { output: &output, text, sentences: &sentences, stems: &stems })
    }

    #[test]
    fn criteria_that_are_rules_are_certain() {
        let text = "A dog license costs $10. Call 202-555-0120.";
        for (criterion, expected) in [
            ("At most 12 words", true),
            ("Under 5 words", false),
            ("At least 2 sentences", true),
            ("Mentions \"dog license\"", true),
            ("Must not mention \"cats\"", true),
            ("Does not contain \"$10\"", false),
            ("Is in Spanish", false),
            ("States the fee", true),
            ("Gives the phone number", true),
            ("Includes the deadline", false),
            ("Ends with a question", false),
        ] {
            let judged = met(criterion, text);
            assert_eq!((judged.met, judged.certain), (expected, true), "{criterion}");
        }
    }

    #[test]
    fn other_criteria_go_by_their_words() {
        let code = "code: def sort_list(lst): return sorted(lst) tests: assert sort_list([3,1,2]) == [1,2,3]";
        for (criterion, expected) in [
            ("Code implements sorting functionality", true),
            ("Tests are included", true),
            ("Function has proper naming", true),
            ("Handles network timeouts", false),
        ] {
            assert_eq!(met(criterion, code).met, expected, "{criterion}");
        }
        assert!(!met("Function has proper naming", "def f(x): return x").met);
    }
}
