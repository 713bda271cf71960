//! Whether a text is clear, complete, polite, and fit to be heard on a telephone. JSON and code are asked less.

use super::lexicon;
use super::reading::Sentence;
use super::request::{Severity, ValidationIssue};

/// Words that a caller listens to before getting a say, and words that nobody remembers.
const LONG: usize = 70;
const TOO_LONG: usize = 160;
/// Words of one sentence.
const LONG_SENTENCE: usize = 38;

const PLACEHOLDERS: [&str; 9] =
    ["todo:", "lorem ipsum", "[insert", "{{", "<insert", "tbd", "xxx", "[your ", "[name]"];

/// The score (0–1) of a text and what lowers it.
#[must_use]
pub fn of_speech(text: &str, sentences: &[Sentence]) -> (f64, Vec<ValidationIssue>) {
    let mut found = Found::default();
    if !text.chars().any(char::is_alphanumeric) {
        found.add(Severity::Error, "empty_output", "There is nothing in it", "Give an answer");
        return found.scored();
    }
    found.placeholders(text);
    let words = |s: &Sentence| s.words.iter().filter(|w| w.is_word()).count();
    let total: usize = sentences.iter().map(words).sum();
    if total > TOO_LONG {
        found.add(
            Severity::Error,
            "too_long",
            "Too long to be heard at once",
            "Say the most important in three sentences",
        );
    } else if total > LONG {
        found.add(
            Severity::Warning,
            "too_long",
            "Long for a telephone",
            "Say the most important first, then ask",
        );
    }
    for (n, sentence) in sentences.iter().enumerate() {
        if words(sentence) > LONG_SENTENCE {
            found
                .add(Severity::Warning, "long_sentence", "A sentence too long to follow", "Make two of it")
                .at(n);
        }
        if sentence.words.iter().any(|w| lexicon::is_rude(&w.text)) {
            found
                .add(Severity::Error, "impolite", "A word that nobody is to hear from us", "Say it politely")
                .at(n);
        }
        let shouts = sentence.words.iter().filter(|w| w.upper && w.text.len() > 3).count();
        if shouts >= 3 {
            found.add(Severity::Warning, "shouting", "Words in capitals", "Write them small").at(n);
        }
        if sentences[..n].iter().any(|s| s.text == sentence.text) {
            found.add(Severity::Warning, "repetition", "A sentence is said twice", "Say it once").at(n);
        }
    }
    if !is_speakable(text) {
        found.add(
            Severity::Warning,
            "not_speakable",
            "Marks or links that can not be heard",
            "Write plain sentences",
        );
    }
    if !text.trim_end().ends_with(['.', '?', '!', '"', '”', '…', ')']) {
        found.add(
            Severity::Warning,
            "unfinished",
            "It does not end with a whole sentence",
            "Finish the sentence",
        );
    }
    found.scored()
}

/// The score of anything else: text of the leaves of a JSON value, with their places.
#[must_use]
pub fn of_document(leaves: &[(String, &str)]) -> (f64, Vec<ValidationIssue>) {
    let mut found = Found::default();
    if leaves.iter().all(|(_, text)| text.trim().is_empty()) {
        found.add(Severity::Error, "empty_output", "There is nothing in it", "Give an answer");
    }
    for (at, text) in leaves {
        if text.trim().is_empty() {
            found
                .add(Severity::Warning, "empty_field", "A field is empty", "Fill it, or leave it out")
                .place(at);
        }
        let before = found.issues.len();
        found.placeholders(text);
        for issue in &mut found.issues[before..] {
            issue.location = Some(at.clone());
        }
        for name in undocumented(text) {
            let message = "Consider adding docstring to function";
            let advice = "Add docstring explaining parameters and return value";
            found.add(Severity::Info, "style_suggestion", message, advice).place(&format!("function:{name}"));
        }
    }
    found.scored()
}

/// Python functions without a docstring.
fn undocumented(code: &str) -> Vec<&str> {
    let parts: Vec<&str> = code.split("def ").skip(1).take(20).collect();
    parts
        .into_iter()
        .filter_map(|part| {
            let name = part.split('(').next().filter(|n| !n.is_empty() && n.chars().all(is_name))?;
            let body = part.split_once(':')?.1.trim_start();
            (!body.starts_with("\"\"\"") && !body.starts_with("'''") && part.contains('(')).then_some(name)
        })
        .collect()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_speakable(text: &str) -> bool {
    let marks = ["**", "](", "http://", "https://", "```", "##", "|--", "\n- ", "\n* ", "\n1. "];
    let pictured = |c: char| matches!(c, '\u{1f300}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}');
    !marks.iter().any(|m| text.contains(m)) && !text.starts_with("- ") && !text.contains(pictured)
}

#[derive(Default)]
struct Found {
    issues: Vec<ValidationIssue>,
}

impl Found {
    fn add(&mut self, severity: Severity, kind: &str, message: &str, advice: &str) -> Here<'_> {
        self.issues.push(ValidationIssue::new(severity, kind, message).suggest(advice));
        Here(self.issues.last_mut())
    }

    fn placeholders(&mut self, text: &str) {
        let lower = text.to_lowercase();
        if PLACEHOLDERS.iter().any(|p| lower.contains(p)) {
            self.add(
                Severity::Error,
                "placeholder",
                "A placeholder was not filled in",
                "Fill it in, or leave it out",
            );
        }
    }

    fn scored(self) -> (f64, Vec<ValidationIssue>) {
        let lost: f64 = self
            .issues
            .iter()
            .map(|i| match i.severity {
                Severity::Error => 0.5,
                Severity::Warning => 0.15,
                Severity::Info => 0.05,
            })
            .sum();
        ((1.0 - lost).clamp(0.0, 1.0), self.issues)
    }
}

/// The issue that was just added, to say where it is.
struct Here<'a>(Option<&'a mut ValidationIssue>);

impl Here<'_> {
    fn at(self, sentence: usize) {
        self.place(&format!("sentence:{}", sentence + 1));
    }

    fn place(self, location: &str) {
        if let Some(issue) = self.0 {
            issue.location = Some(location.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<String> {
        of_speech(text, &super::super::reading::read(text)).1.into_iter().map(|i| i.kind).collect()
    }

    #[test]
    fn what_can_not_be_heard_or_must_not_be() {
        assert_eq!(kinds("The library is open until eight."), [""; 0]);
        for (text, kind) in [
            ("", "empty_output"),
            ("See **this** page.", "not_speakable"),
            ("The fee is [insert fee].", "placeholder"),
            ("That is stupid.", "impolite"),
            ("It costs ten dollars and", "unfinished"),
            ("We are open. We are open.", "repetition"),
            ("CALL US RIGHT AWAY.", "shouting"),
        ] {
            assert_eq!(kinds(text), [kind], "{text}");
        }
        assert!(kinds(&"The park is open and the pool is not. ".repeat(30)).contains(&"too_long".to_owned()));
    }

    #[test]
    fn code_without_a_docstring_gets_a_suggestion() {
        let (score, issues) = of_document(&[("/code".into(), "def sort_list(lst): return sorted(lst)")]);
        assert_eq!(issues[0].location.as_deref(), Some("function:sort_list"));
        assert!(score > 0.9, "{score}");
        assert_eq!(
            of_document(&[("/code".into(), "def f(x):\n    \"\"\"Doubles.\"\"\"\n    return 2 * x")]).1,
            []
        );
    }
}
