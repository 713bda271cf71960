//! The judge: external validation of what agents put out (A8). Every check is deterministic and pure; the order is that of
//! certainty: shape, rules, execution, meaning, facts, criteria, support, quality.
//!
//! [`validate`] answers a whole request. [`Evidence`] and [`facts::check`] serve a live call, where the same passages are
//! used for every sentence of a reply. What was measured, and what the checks can not see, is in `docs/guides/judge.md`.
#![deny(clippy::disallowed_methods)]

pub mod aligned;
mod criteria;
mod evidence;
mod execution;
mod facts;
mod hallucination;
mod lexicon;
mod numerals;
mod quality;
mod reading;
mod request;
mod rules;
mod schema;
mod semantic;
mod values;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

pub use aligned::{Sight, Sights};
pub use evidence::Evidence;
pub use request::{
    Level, MAX_BESIDE, MAX_OUTPUT, RequestError, Severity, ValidationIssue, ValidationRequest,
    ValidationResult, ValidationType,
};
pub use rules::{NoRules, ProposedAction, RuleCheck, RuleViolation};

use crate::meaning::Meant;
use execution::Recorded;
use reading::Sentence;

/// What a request is judged with, beside itself.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    pub rules: &'a dyn RuleCheck,
    /// Cosine of the vectors of question and answer, where somebody measured it.
    pub likeness: Option<f32>,
    /// What sentences of the output mean, where somebody has the encoder: promises are known in other words.
    pub meanings: Option<&'a Meanings>,
    /// What the encoder saw of the sentences of output and sources: they are compared by meaning, too.
    pub sights: Option<&'a Sights>,
}

/// What sentences mean, by their text as [`sentences`] cuts it.
pub type Meanings = HashMap<String, Meant>;

impl std::fmt::Debug for Means<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Means").field("likeness", &self.likeness).finish_non_exhaustive()
    }
}

/// Judges an output.
///
/// # Errors
/// When the request can not be judged as it is; the message names the parameter and what to do.
pub fn validate(request: &ValidationRequest, means: Means<'_>) -> Result<ValidationResult, RequestError> {
    Reading::of(request).judge(means)
}

/// A sentence of a live reply against what the model was shown: what is wrong with it. Values, names, places, "not" and
/// opposites; nothing else.
#[must_use]
pub fn facts_of(text: &str, evidence: &Evidence, question: &[String]) -> Vec<ValidationIssue> {
    facts::check(&reading::read(text), evidence, question).issues
}

/// The sentences of an output, as [`Meanings`] name them.
#[must_use]
pub fn sentences(text: &str) -> Vec<String> {
    language::sentences(text)
}

/// The sentences of a request's output and of all that it is held against, as [`Sights`] name them.
#[must_use]
pub fn sentences_to_see(request: &ValidationRequest) -> Vec<String> {
    Reading::of(request).sentences_to_see()
}

/// What is wrong with a sentence as [`facts_of`] says, where the encoder saw it and all that it is held against.
#[must_use]
pub fn compared(
    text: &str,
    evidence: &Evidence,
    question: &[String],
    sights: &Sights,
) -> Vec<ValidationIssue> {
    let sentences = reading::read(text);
    let mut found = facts::check(&sentences, evidence, question);
    aligned::settle(&mut found, &sentences, evidence, question, sights);
    found.issues
}

/// The terms of a question, for [`facts_of`].
#[must_use]
pub fn terms_of(question: &str) -> Vec<String> {
    semantic::terms(&reading::read(question))
}

/// Whether a text is Spanish rather than English.
#[must_use]
pub fn says_in_spanish(text: &str) -> bool {
    reading::is_spanish(text)
}

/// The text of an output and its place, for every leaf of a JSON value that is one.
fn leaves_at<'v>(value: &'v Value, at: &str, out: &mut Vec<(String, &'v str)>) {
    match value {
        Value::String(text) => out.push((at.to_owned(), text)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, v)| leaves_at(v, &format!("{at}/{n}"), out))
        }
        Value::Object(fields) => fields.iter().for_each(|(k, v)| leaves_at(v, &format!("{at}/{k}"), out)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// All texts and numbers of a value, a line each.
fn leaves(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            out.push_str(text);
            out.push('\n');
        }
        Value::Number(number) => {
            out.push_str(&number.to_string());
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|v| leaves(v, out)),
        Value::Object(fields) => fields.values().for_each(|v| leaves(v, out)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// An output and what it is held against, read once for all checks: some milliseconds, where the sources are long.
pub struct Reading<'a> {
    request: Cow<'a, ValidationRequest>,
    text: String,
    sentences: Vec<Sentence>,
    question: String,
    recorded: Recorded,
    /// What the caller and the context said.
    known: String,
    evidence: Option<Evidence>,
}

impl std::fmt::Debug for Reading<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").field("sentences", &self.sentences.len()).finish_non_exhaustive()
    }
}

impl Reading<'static> {
    /// Reads a request that is judged later, or elsewhere.
    #[must_use]
    pub fn of_own(request: ValidationRequest) -> Self {
        Self::read(Cow::Owned(request))
    }
}

impl<'a> Reading<'a> {
    fn of(request: &'a ValidationRequest) -> Self {
        Self::read(Cow::Borrowed(request))
    }

    fn read(request: Cow<'a, ValidationRequest>) -> Self {
        let mut text = String::new();
        leaves(&request.output, &mut text);
        let context = &request.context;
        let question = ["question", "task"].iter().find_map(|k| context.get(*k).and_then(Value::as_str));
        let question = question.unwrap_or_default().to_owned();
        let mut known = String::new();
        for (_, value) in context.iter().filter(|(name, _)| *name != execution::RESULTS) {
            leaves(value, &mut known);
        }
        Self {
            sentences: reading::read(&text),
            text: text.trim_end().to_owned(),
            question,
            recorded: Recorded::of(context),
            known,
            evidence: None,
            request,
        }
    }

    /// As [`sentences_to_see`].
    #[must_use]
    pub fn sentences_to_see(&mut self) -> Vec<String> {
        let mut all: Vec<String> = self.sentences.iter().map(|sentence| sentence.text.clone()).collect();
        all.extend(self.evidence().sentences().map(|(text, _)| text.to_owned()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// As [`validate`].
    ///
    /// # Errors
    /// As [`validate`].
    pub fn judge(mut self, means: Means<'_>) -> Result<ValidationResult, RequestError> {
        let mut tally = Tally::default();
        for check in self.request.checks()? {
            self.run(check, means, &mut tally)?;
        }
        Ok(tally.result(self.request.level))
    }

    /// Results of tools are sources too: what was read from a record may be said.
    fn evidence(&mut self) -> &Evidence {
        let (request, recorded, known) = (&self.request, &self.recorded, &self.known);
        self.evidence.get_or_insert_with(|| {
            let sources = request.trusted_sources.iter().map(String::as_str).chain([recorded.text.as_str()]);
            Evidence::of(sources, [known.as_str()])
        })
    }

    fn run(
        &mut self,
        check: ValidationType,
        means: Means<'_>,
        tally: &mut Tally,
    ) -> Result<(), RequestError> {
        use ValidationType as T;
        let request = &self.request;
        match check {
            T::Schema => {
                let Some(schema) = &request.expected_schema else {
                    return tally.skip(check, "no expected_schema");
                };
                let issues = schema::check(&request.output, schema)?;
                let confidence = if issues.is_empty() { 1.0 } else { 0.0 };
                tally.ran(check, confidence, issues);
            }
            T::Rules => {
                let action = ProposedAction {
                    output: &request.output,
                    text: &self.text,
                    sources: &request.trusted_sources,
                    context: &request.context,
                };
                let issues = rules::check(means.rules, action);
                let blocked = issues.iter().any(|i| i.severity == Severity::Error);
                tally.ran(check, if blocked { 0.0 } else { 1.0 }, issues);
            }
            T::Execution => {
                let issues = execution::check(&self.sentences, &self.recorded, &self.known, means.meanings);
                let confidence = share(issues.len(), self.sentences.len());
                tally.ran(check, confidence, issues);
            }
            T::Semantic => {
                if self.question.is_empty() {
                    return tally.skip(check, "no context.question");
                }
                let (score, issues) = semantic::check(&self.question, &self.sentences, means.likeness);
                tally.ran(check, score, issues);
            }
            T::Facts => return self.facts(means, tally),
            T::Criteria => self.criteria(tally),
            T::Hallucination => {
                self.evidence();
                let Some(evidence) = &self.evidence else { return Ok(()) };
                let (issues, claims) = hallucination::check(&self.sentences, evidence);
                let confidence = share(issues.len(), claims);
                tally.ran(check, confidence, issues);
            }
            T::Quality => {
                let (score, issues) = if request.output.is_string() {
                    quality::of_speech(&self.text, &self.sentences)
                } else {
                    let mut all = Vec::new();
                    leaves_at(&request.output, "", &mut all);
                    quality::of_document(&all)
                };
                tally.quality = Some(score);
                tally.ran(check, score, issues);
            }
        }
        Ok(())
    }

    fn facts(&mut self, means: Means<'_>, tally: &mut Tally) -> Result<(), RequestError> {
        let question = terms_of(&self.question);
        if !self.evidence().has_sources() {
            return tally.skip(ValidationType::Facts, "no trusted_sources");
        }
        let Some(evidence) = &self.evidence else { return Ok(()) };
        let mut found = facts::check(&self.sentences, evidence, &question);
        if let Some(sights) = means.sights {
            aligned::settle(&mut found, &self.sentences, evidence, &question, sights);
        }
        let confidence = found.confidence();
        tally.metadata.insert("claims".to_owned(), json!(found.claims));
        tally.ran(ValidationType::Facts, confidence, found.issues);
        Ok(())
    }

    fn criteria(&self, tally: &mut Tally) {
        let request = &self.request;
        let mut named = String::new();
        name_fields(&request.output, &mut named);
        let all = format!("{named}\n{}", self.text);
        let stems = criteria::stems(&all);
        let subject = criteria::Subject {
            output: &request.output,
            text: &all,
            sentences: &self.sentences,
            stems: &stems,
        };
        let (mut issues, mut by_words) = (Vec::new(), Vec::new());
        for criterion in &request.acceptance_criteria {
            let judged = criteria::judge(criterion, &subject);
            if !judged.certain {
                by_words.push(json!({ "criterion": criterion, "score": judged.score }));
            }
            if judged.met {
                tally.passed.push(criterion.clone());
                continue;
            }
            tally.failed.push(criterion.clone());
            let message = format!("Acceptance criterion not met: {criterion}");
            let issue = ValidationIssue::new(Severity::Error, "criteria_not_met", message);
            issues.push(issue.suggest("Review output and ensure it addresses this requirement"));
        }
        if !by_words.is_empty() {
            tally.metadata.insert("criteria_judged_by_words".to_owned(), Value::Array(by_words));
        }
        let confidence = share(tally.failed.len(), request.acceptance_criteria.len());
        tally.ran(ValidationType::Criteria, confidence, issues);
    }
}

/// Names of the fields of a JSON value: "tests are included" looks for one.
fn name_fields(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(_, v)| !is_empty(v)) {
                out.push_str(name);
                out.push('\n');
                name_fields(value, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|v| name_fields(v, out)),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Share that is good, of so many.
fn share(bad: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { 1.0 - bad.min(of) as f64 / of as f64 }
}

/// What the checks said so far.
#[derive(Default)]
struct Tally {
    issues: Vec<ValidationIssue>,
    checks: Vec<Value>,
    confidences: Vec<f64>,
    ran: Vec<ValidationType>,
    passed: Vec<String>,
    failed: Vec<String>,
    quality: Option<f64>,
    metadata: Map<String, Value>,
}

impl Tally {
    fn ran(&mut self, check: ValidationType, confidence: f64, issues: Vec<ValidationIssue>) {
        let passed = issues.iter().all(|i| i.severity != Severity::Error);
        self.checks.push(json!({ "check_type": check, "passed": passed, "confidence": confidence }));
        self.confidences.push(confidence);
        self.ran.push(check);
        self.issues.extend(issues);
    }

    /// A check that had nothing to work with says nothing, and so is no reason for confidence.
    #[allow(clippy::unnecessary_wraps, reason = "the last word of a check that may fail")]
    fn skip(&mut self, check: ValidationType, why: &str) -> Result<(), RequestError> {
        self.ran.push(check);
        self.checks.push(json!({ "check_type": check, "passed": true, "skipped": why }));
        Ok(())
    }

    fn result(mut self, level: Option<Level>) -> ValidationResult {
        let count = |severity| self.issues.iter().filter(|i| i.severity == severity).count();
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let confidence = if self.confidences.is_empty() {
            0.5
        } else {
            self.confidences.iter().sum::<f64>() / self.confidences.len() as f64
        };
        self.metadata.insert("validation_types_run".to_owned(), json!(self.ran));
        self.metadata.insert("total_issues".to_owned(), json!(self.issues.len()));
        self.metadata.insert("error_count".to_owned(), json!(errors));
        self.metadata.insert("warning_count".to_owned(), json!(warnings));
        self.metadata.insert("checks".to_owned(), Value::Array(self.checks));
        if let Some(level) = level {
            self.metadata.insert("level".to_owned(), json!(level));
        }
        ValidationResult {
            valid: errors == 0 && self.failed.is_empty(),
            confidence,
            issues: self.issues,
            passed_criteria: self.passed,
            failed_criteria: self.failed,
            quality_score: self.quality.unwrap_or(0.5),
            metadata: Value::Object(self.metadata),
        }
    }
}
