//! Request and answer of `POST /v1/validate`, as the judge's specification has them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Bytes of the output, and of sources, criteria and context together.
pub const MAX_OUTPUT: usize = 64 * 1024;
pub const MAX_BESIDE: usize = 256 * 1024;
/// Sources, and acceptance criteria.
pub const MAX_ITEMS: usize = 64;

/// A kind of check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValidationType {
    Schema,
    Rules,
    Execution,
    Semantic,
    Facts,
    Criteria,
    Hallucination,
    Quality,
}

impl ValidationType {
    /// In the order in which they run: what is certain first.
    pub const ALL: [Self; 8] = [
        Self::Schema,
        Self::Rules,
        Self::Execution,
        Self::Semantic,
        Self::Facts,
        Self::Criteria,
        Self::Hallucination,
        Self::Quality,
    ];
}

/// How thorough to be: a set of checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Basic,
    Standard,
    Thorough,
}

impl Level {
    /// The checks of a level. Each level holds the one before.
    #[must_use]
    pub const fn checks(self) -> &'static [ValidationType] {
        use ValidationType as T;
        match self {
            Self::Basic => &[T::Schema, T::Rules, T::Facts],
            Self::Standard => &[T::Schema, T::Rules, T::Execution, T::Facts, T::Criteria, T::Quality],
            Self::Thorough => &ValidationType::ALL,
        }
    }
}

/// What is to be judged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationRequest {
    /// A text, or any JSON.
    pub output: Value,
    #[serde(default, deserialize_with = "or_nothing")]
    pub validation_types: Vec<ValidationType>,
    /// In place of `validation_types`.
    #[serde(default)]
    pub level: Option<Level>,
    #[serde(default, deserialize_with = "or_nothing")]
    pub acceptance_criteria: Vec<String>,
    #[serde(default)]
    pub expected_schema: Option<Value>,
    /// Passages that facts are held against.
    #[serde(default, deserialize_with = "or_nothing")]
    pub trusted_sources: Vec<String>,
    /// `question`: what the output answers. `tool_results`: what tools did, an array. Everything else: what is known.
    #[serde(default, deserialize_with = "or_nothing")]
    pub context: Map<String, Value>,
}

/// Clients that send every field send `null` for what they leave out.
fn or_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(reader: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(reader)?.unwrap_or_default())
}

impl ValidationRequest {
    /// A request for one text at a level.
    #[must_use]
    pub fn of_text(text: &str, level: Level) -> Self {
        Self {
            output: Value::String(text.to_owned()),
            validation_types: Vec::new(),
            level: Some(level),
            acceptance_criteria: Vec::new(),
            expected_schema: None,
            trusted_sources: Vec::new(),
            context: Map::new(),
        }
    }

    /// The checks to run, in their order.
    ///
    /// # Errors
    /// When neither or both of `validation_types` and `level` are there, or something is over its bound.
    pub fn checks(&self) -> Result<Vec<ValidationType>, RequestError> {
        self.within_bounds()?;
        match (self.level, self.validation_types.is_empty()) {
            (Some(level), true) => Ok(level.checks().to_vec()),
            (None, false) => {
                Ok(ValidationType::ALL.into_iter().filter(|t| self.validation_types.contains(t)).collect())
            }
            (Some(_), false) => {
                Err(RequestError::new("level", "goes in the place of validation_types: send one of them"))
            }
            (None, true) => {
                Err(RequestError::new("validation_types", "names no check: send at least one, or a level"))
            }
        }
    }

    fn within_bounds(&self) -> Result<(), RequestError> {
        let output = weight(&self.output);
        if output > MAX_OUTPUT {
            let what = format!("has {output} bytes; {MAX_OUTPUT} are judged at most: send it in parts");
            return Err(RequestError::new("output", what));
        }
        for (name, items) in
            [("acceptance_criteria", &self.acceptance_criteria), ("trusted_sources", &self.trusted_sources)]
        {
            if items.len() > MAX_ITEMS {
                return Err(RequestError::new(
                    name,
                    format!("has {} items; {MAX_ITEMS} are the most", items.len()),
                ));
            }
        }
        let texts =
            self.acceptance_criteria.iter().chain(&self.trusted_sources).map(String::len).sum::<usize>();
        let beside = texts
            + self.context.iter().map(|(k, v)| k.len() + weight(v)).sum::<usize>()
            + self.expected_schema.as_ref().map_or(0, weight);
        if beside > MAX_BESIDE {
            let what =
                format!("and sources, criteria and schema have {beside} bytes; {MAX_BESIDE} are the most");
            return Err(RequestError::new("context", what));
        }
        Ok(())
    }
}

/// Bytes of a value, about.
fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(items) => 8 + items.iter().map(weight).sum::<usize>(),
        Value::Object(fields) => 8 + fields.iter().map(|(k, v)| k.len() + weight(v)).sum::<usize>(),
    }
}

/// A request that cannot be judged: which parameter, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestError {
    pub parameter: &'static str,
    pub what: String,
}

impl RequestError {
    pub(super) fn new(parameter: &'static str, what: impl Into<String>) -> Self {
        Self { parameter, what: what.into() }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.parameter, self.what)
    }
}

impl std::error::Error for RequestError {}

/// How grave an issue is. An error makes the output invalid.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    Info,
    Warning,
    Error,
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ValidationIssue {
    pub severity: Severity,
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    /// `sentence:2`, a JSON pointer, or `function:name`.
    pub location: Option<String>,
    pub suggestion: Option<String>,
    /// The sentence of a source that says otherwise.
    #[serde(skip)]
    pub source: Option<String>,
}

impl ValidationIssue {
    pub(super) fn new(severity: Severity, kind: &str, message: impl Into<String>) -> Self {
        Self {
            severity,
            kind: kind.to_owned(),
            message: message.into(),
            location: None,
            suggestion: None,
            source: None,
        }
    }

    #[must_use]
    pub(super) fn at(mut self, location: impl Into<String>) -> Self {
        self.location = Some(location.into());
        self
    }

    #[must_use]
    pub(super) fn suggest(mut self, what: impl Into<String>) -> Self {
        self.suggestion = Some(what.into());
        self
    }
}

/// The answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ValidationResult {
    pub valid: bool,
    /// Mean of the checks' confidences; 0.5 where none could run.
    pub confidence: f64,
    pub issues: Vec<ValidationIssue>,
    pub passed_criteria: Vec<String>,
    pub failed_criteria: Vec<String>,
    /// 0.5 where quality was not asked for.
    pub quality_score: f64,
    pub metadata: Value,
}

impl ValidationResult {
    /// The issues that make the output invalid.
    pub fn errors(&self) -> impl Iterator<Item = &ValidationIssue> {
        self.issues.iter().filter(|i| i.severity == Severity::Error)
    }

    /// What its author needs to know to do better, for another try.
    #[must_use]
    pub fn feedback(&self) -> String {
        let line = |i: &ValidationIssue| match &i.suggestion {
            Some(suggestion) => format!("- {}. {suggestion}", i.message),
            None => format!("- {}", i.message),
        };
        self.errors().map(line).collect::<Vec<_>>().join("\n")
    }
}
