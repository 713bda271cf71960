//! Symbolic rules over an output. The judge asks; whoever has rules answers.

use language::Language;
use serde_json::{Map, Value};

use super::reading;
use super::request::{Severity, ValidationIssue};
use crate::rules::{Known, RuleSet, Spoken, Violation};

/// Sentences that are checked, and rules that are told as broken.
const MAX_SENTENCES: usize = 500;
const MAX_VIOLATIONS: usize = 50;

/// What is about to be done or said.
#[derive(Clone, Copy, Debug)]
pub struct ProposedAction<'a> {
    pub output: &'a Value,
    /// Its words.
    pub text: &'a str,
    /// Passages that may be said as they stand.
    pub sources: &'a [String],
    pub context: &'a Map<String, Value>,
}

/// A rule that the output breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleViolation {
    pub rule: String,
    pub message: String,
    /// The output may not leave.
    pub blocks: bool,
    pub suggestion: Option<String>,
}

/// Whoever knows the rules.
pub trait RuleCheck: Send + Sync {
    /// Every rule that the output breaks; none for a good one.
    fn check(&self, action: ProposedAction<'_>) -> Vec<RuleViolation>;
}

/// No rules: everything may pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRules;

impl RuleCheck for NoRules {
    fn check(&self, _: ProposedAction<'_>) -> Vec<RuleViolation> {
        Vec::new()
    }
}

/// Each sentence as it would be checked before it is spoken, and the whole as a reply is at its end.
impl RuleCheck for RuleSet {
    fn check(&self, action: ProposedAction<'_>) -> Vec<RuleViolation> {
        let language = if reading::is_spanish(action.text) { Language::Es } else { Language::En };
        let (mut shown, mut said, mut words) = (Known::default(), Known::default(), String::new());
        action.sources.iter().for_each(|source| shown.learn(source));
        action.context.values().for_each(|value| super::leaves(value, &mut words));
        said.learn_values(&words);
        let spoken =
            |text| Spoken { shown: Some(&shown), caller: Some(&said), ..Spoken::new(text, language) };
        let sentences = language::sentences(action.text);
        let mut found: Vec<Violation> =
            sentences.iter().take(MAX_SENTENCES).flat_map(|text| self.check_words(&spoken(text))).collect();
        // What is no text is no reply.
        if action.output.is_string() {
            found.extend(self.check_reply(&spoken(action.text)));
        }
        let mut broken: Vec<RuleViolation> = Vec::new();
        for violation in found {
            let rule = &violation.rule;
            if broken.len() < MAX_VIOLATIONS && broken.iter().all(|known| known.rule != rule.id) {
                broken.push(RuleViolation {
                    rule: rule.id.clone(),
                    message: violation.reason.clone(),
                    blocks: !violation.permits(),
                    suggestion: Some(violation.said(language, None)).filter(|said| !said.is_empty()),
                });
            }
        }
        broken
    }
}

/// The rules' findings as issues.
#[must_use]
pub fn check(rules: &dyn RuleCheck, action: ProposedAction<'_>) -> Vec<ValidationIssue> {
    let issue = |v: RuleViolation| ValidationIssue {
        severity: if v.blocks { Severity::Error } else { Severity::Warning },
        kind: "rule_violation".to_owned(),
        message: v.message,
        location: Some(format!("rule:{}", v.rule)),
        suggestion: v.suggestion,
        source: None,
    };
    rules.check(action).into_iter().map(issue).collect()
}
