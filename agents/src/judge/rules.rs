//! Symbolic rules over an output. The judge asks; whoever has rules answers.

use serde_json::{Map, Value};

use super::request::{Severity, ValidationIssue};

/// What is about to be done or said.
#[derive(Clone, Copy, Debug)]
pub struct ProposedAction<'a> {
    pub output: &'a Value,
    /// Its words.
    pub text: &'a str,
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

/// The rules' findings as issues.
#[must_use]
pub fn check(rules: &dyn RuleCheck, action: ProposedAction<'_>) -> Vec<ValidationIssue> {
    let issue = |v: RuleViolation| ValidationIssue {
        severity: if v.blocks { Severity::Error } else { Severity::Warning },
        kind: "rule_violation".to_owned(),
        message: v.message,
        location: Some(format!("rule:{}", v.rule)),
        suggestion: v.suggestion,
    };
    rules.check(action).into_iter().map(issue).collect()
}
