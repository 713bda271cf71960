//! The registry of tools, after the Model Context Protocol: what each takes and gives as JSON Schema, and under which
//! conditions it may be used. Schemas are compiled once; every call is held against them on its way in and out.
#![deny(clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::schema::{INPUT, OUTPUT, Schema};

/// Longest name in characters; what every provider of a model takes.
const MAX_NAME: usize = 64;
/// Longest description in characters.
pub const MAX_DESCRIPTION: usize = 2_000;
/// Longest time limit, milliseconds.
const MAX_TIME_MS: u32 = 30_000;

/// Whether a tool changes anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It changes nothing: a reply that is begun on a guess may use it.
    Read,
    Write,
}

/// How much of a call the audit trail keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditLevel {
    None,
    #[default]
    Summary,
    Full,
}

/// One tool. Names and defaults are those of the architecture's `MCPToolSchema`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    pub description: String,
    /// JSON Schema of an object.
    pub input_schema: Value,
    /// JSON Schema of an object. `None`: the answer is text alone.
    #[serde(default)]
    pub output_schema: Option<Value>,
    pub effect: Effect,
    /// It runs code that is not ours. There is no sandbox here yet, so such a tool is never run.
    #[serde(default)]
    pub requires_sandbox: bool,
    /// After which a look-up is given up. An effect of ours that was begun is never cut off.
    #[serde(default = "half_a_minute")]
    pub max_execution_time_ms: u32,
    /// Levels (1 to 5) of an agent that may use it by itself. On another level a person decides.
    #[serde(default = "every_level")]
    pub allowed_autonomy_levels: Vec<u8>,
    #[serde(default)]
    pub audit_level: AuditLevel,
    /// The same call under the same key is done once.
    #[serde(default)]
    pub idempotent: bool,
    /// It means nothing without a caller on the line, and is offered to nobody else.
    #[serde(default)]
    pub needs_call: bool,
}

const fn half_a_minute() -> u32 {
    MAX_TIME_MS
}

fn every_level() -> Vec<u8> {
    (1..=5).collect()
}

impl Tool {
    #[must_use]
    pub fn reads_only(&self) -> bool {
        self.effect == Effect::Read
    }

    #[must_use]
    pub fn time_limit(&self) -> Duration {
        Duration::from_millis(self.max_execution_time_ms.into())
    }
}

/// Why a call is not done.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// Names the tools that there are.
    #[error("There is no such tool. The tools are: {0}.")]
    Unknown(String),
    /// What is wrong with the input, for whoever asks to correct.
    #[error("{0}")]
    Input(String),
    /// The answer is not what the tool's schema promises. Nothing of it is used.
    #[error("The tool {0} gave an answer that is not what it promises. The answer was thrown away.")]
    Output(String),
    #[error("The tool {0} runs code in a sandbox, and this gateway has none.")]
    NoSandbox(String),
    /// The agent's level is not among those of the tool.
    #[error("The tool {0} needs a person's approval at this level of autonomy.")]
    Autonomy(String),
    /// A rule of the platform or of the tenant stops it.
    #[error("Not done; it has no effect. {why}")]
    Rule {
        /// The rules, by their ids.
        rules: Vec<String>,
        /// Their explanations, for whoever asked: it may hold words of the call.
        why: String,
    },
}

impl Refusal {
    /// For metrics and events.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Unknown(_) => "unknown_tool",
            Self::Input(_) => "bad_input",
            Self::Output(_) => "bad_output",
            Self::NoSandbox(_) => "no_sandbox",
            Self::Autonomy(_) => "autonomy",
            Self::Rule { .. } => "rule",
        }
    }
}

/// A tool that cannot be in a registry.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("tool {name:?}: {problem}")]
pub struct Unusable {
    pub name: String,
    pub problem: String,
}

/// A tool with its schemas compiled.
#[derive(Debug)]
pub struct Registered {
    pub tool: Tool,
    input: Schema,
    output: Option<Schema>,
}

impl Registered {
    /// Checks and compiles one.
    ///
    /// # Errors
    /// What makes it unusable.
    pub fn new(tool: Tool) -> Result<Self, Unusable> {
        let wrong = |problem: String| Unusable { name: tool.name.chars().take(MAX_NAME).collect(), problem };
        let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if tool.name.is_empty() || tool.name.len() > MAX_NAME || !tool.name.chars().all(fits) {
            return Err(wrong(
                "its name is not 1 to 64 letters, digits, dots, dashes or underscores".to_owned(),
            ));
        }
        if tool.description.chars().count() > MAX_DESCRIPTION {
            return Err(wrong(format!("its description is longer than {MAX_DESCRIPTION} characters")));
        }
        let levels = &tool.allowed_autonomy_levels;
        if levels.is_empty() || !levels.iter().all(|level| (1..=5).contains(level)) {
            return Err(wrong("its allowed_autonomy_levels are not of 1 to 5".to_owned()));
        }
        if !(1..=MAX_TIME_MS).contains(&tool.max_execution_time_ms) {
            return Err(wrong(format!("its max_execution_time_ms is not of 1 to {MAX_TIME_MS}")));
        }
        let input = Schema::compile(&tool.input_schema).map_err(|e| wrong(format!("input_schema: {e}")))?;
        let output = tool.output_schema.as_ref().map(Schema::compile).transpose();
        let output = output.map_err(|e| wrong(format!("output_schema: {e}")))?;
        Ok(Self { tool, input, output })
    }

    /// # Errors
    /// [`Refusal::Input`].
    pub fn check_input(&self, input: &Value) -> Result<(), Refusal> {
        self.input.check(input, INPUT).map_err(Refusal::Input)
    }

    /// Whether an agent of this level may use it by itself, here.
    ///
    /// # Errors
    /// [`Refusal::NoSandbox`], [`Refusal::Autonomy`].
    pub fn permit(&self, autonomy_level: u8) -> Result<(), Refusal> {
        let tool = &self.tool;
        if tool.requires_sandbox {
            return Err(Refusal::NoSandbox(tool.name.clone()));
        }
        if !tool.allowed_autonomy_levels.contains(&autonomy_level) {
            return Err(Refusal::Autonomy(tool.name.clone()));
        }
        Ok(())
    }

    /// # Errors
    /// [`Refusal::Output`]: the tool's schema lies.
    pub fn check_output(&self, output: &Value) -> Result<(), Refusal> {
        let Some(schema) = &self.output else { return Ok(()) };
        schema.check(output, OUTPUT).map_err(|problem| {
            tracing::warn!(tool = self.tool.name, problem, "a tool's answer is not what its schema promises");
            Refusal::Output(self.tool.name.clone())
        })
    }
}

/// What an agent or a program may do by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// 1 to 5. Nobody acts above it.
    autonomy_level: u8,
    /// What was measured of the agents, where that counts.
    measured: Option<Measured>,
    /// Tools that wait for a person on every level.
    held: BTreeSet<String>,
    /// A person has decided already.
    decided: bool,
}

/// Levels that agents are on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Measured {
    /// Of the agent that has the tool, by the tool's name.
    of_tools: BTreeMap<String, u8>,
    /// Of whoever has any other tool.
    otherwise: u8,
}

impl Policy {
    #[must_use]
    pub fn new(autonomy_level: u8, held: impl IntoIterator<Item = String>) -> Self {
        Self { autonomy_level, measured: None, held: held.into_iter().collect(), decided: false }
    }

    /// With each tool at the level of the agent that has it: lower than before, or as it was.
    #[must_use]
    pub fn measured(self, of_tools: BTreeMap<String, u8>, otherwise: u8) -> Self {
        Self { measured: Some(Measured { of_tools, otherwise }), ..self }
    }

    /// The level that this tool is used on.
    fn level(&self, tool: &str) -> u8 {
        let Some(measured) = &self.measured else { return self.autonomy_level };
        let level = measured.of_tools.get(tool).unwrap_or(&measured.otherwise);
        self.autonomy_level.min(*level)
    }

    /// For what a person has let pass.
    #[must_use]
    pub const fn person() -> Self {
        Self { autonomy_level: 5, measured: None, held: BTreeSet::new(), decided: true }
    }

    /// Whether a person has let pass what is asked for.
    #[must_use]
    pub const fn is_decided(&self) -> bool {
        self.decided
    }

    /// # Errors
    /// [`Refusal::NoSandbox`], [`Refusal::Autonomy`].
    pub fn permit(&self, known: &Registered) -> Result<(), Refusal> {
        match known.permit(self.level(&known.tool.name)) {
            Err(Refusal::Autonomy(_)) if self.decided => Ok(()),
            Ok(()) if self.held.contains(&known.tool.name) => Err(Refusal::Autonomy(known.tool.name.clone())),
            permitted => permitted,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(1, [])
    }
}

/// A list of tools.
#[derive(Debug, Default)]
pub struct Registry(Vec<Registered>);

impl Registry {
    /// Checks and compiles a list.
    ///
    /// # Errors
    /// The first tool that cannot be used, or whose name is there twice.
    pub fn new(tools: Vec<Tool>) -> Result<Self, Unusable> {
        let mut names = BTreeSet::new();
        let mut all = Vec::with_capacity(tools.len());
        for tool in tools {
            if !names.insert(tool.name.clone()) {
                return Err(Unusable { name: tool.name, problem: "it is there twice".to_owned() });
            }
            all.push(Registered::new(tool)?);
        }
        Ok(Self(all))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.0.iter()
    }

    /// The tool of this name.
    ///
    /// # Errors
    /// [`Refusal::Unknown`], with the names that there are.
    pub fn tool(&self, name: &str) -> Result<&Registered, Refusal> {
        self.0.iter().find(|known| known.tool.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.0.iter().map(|known| known.tool.name.as_str()).collect();
            Refusal::Unknown(names.join(", "))
        })
    }
}

/// Notes what became of a call. `tool` is a name from a list, never one that a model or a client made up.
pub fn count(tool: &str, outcome: &'static str) {
    metrics::counter!("quandura_tool_calls_total", "tool" => tool.to_owned(), "outcome" => outcome)
        .increment(1);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    fn tool(name: &str) -> Tool {
        let object = json!({ "type": "object", "properties": { "n": { "type": "integer" } },
            "required": ["n"], "additionalProperties": false });
        Tool {
            name: name.to_owned(),
            description: "Counts.".to_owned(),
            input_schema: object.clone(),
            output_schema: Some(object),
            effect: Effect::Read,
            requires_sandbox: false,
            max_execution_time_ms: 1_000,
            allowed_autonomy_levels: vec![2, 3],
            audit_level: AuditLevel::default(),
            idempotent: true,
            needs_call: false,
        }
    }

    #[test]
    fn a_call_is_checked_on_its_way_in_and_out() {
        let registry = Registry::new(vec![tool("count")]).unwrap();
        let count = registry.tool("count").unwrap();
        assert!(count.check_input(&json!({ "n": 1 })).is_ok());
        assert_eq!(count.check_input(&json!({})).unwrap_err().to_string(), "n is missing.");
        assert!(count.check_output(&json!({ "n": 1 })).is_ok());
        let lie = count.check_output(&json!({ "n": "the caller's words" })).unwrap_err();
        assert_eq!(lie, Refusal::Output("count".to_owned()));
        assert!(!lie.to_string().contains("caller"));
        let unknown = registry.tool("transfer_money").unwrap_err();
        assert_eq!(unknown.to_string(), "There is no such tool. The tools are: count.");
    }

    #[test]
    fn a_level_that_is_not_listed_needs_a_person() {
        let count = Registered::new(tool("count")).unwrap();
        assert!(count.permit(2).is_ok() && count.permit(3).is_ok());
        for level in [0, 1, 4, 5, 255] {
            assert_eq!(count.permit(level), Err(Refusal::Autonomy("count".to_owned())), "{level}");
        }
        let boxed = Registered::new(Tool { requires_sandbox: true, ..tool("run") }).unwrap();
        assert_eq!(boxed.permit(2), Err(Refusal::NoSandbox("run".to_owned())));
    }

    #[test]
    fn a_held_tool_waits_on_every_level_and_a_persons_word_lets_it_pass() {
        let count = Registered::new(tool("count")).unwrap();
        assert!(Policy::new(2, []).permit(&count).is_ok());
        assert!(Policy::new(1, []).permit(&count).is_err());
        assert!(Policy::new(2, ["count".to_owned()]).permit(&count).is_err());
        assert!(Policy::person().permit(&count).is_ok(), "level 5 is not among the tool's");
        let boxed = Registered::new(Tool { requires_sandbox: true, ..tool("run") }).unwrap();
        assert!(Policy::person().permit(&boxed).is_err(), "nobody's word makes a sandbox");
    }

    #[test]
    fn a_tool_that_cannot_be_used_is_named_with_the_reason() {
        let bad = [
            (Tool { name: "two words".to_owned(), ..tool("x") }, "its name"),
            (Tool { name: "n".repeat(65), ..tool("x") }, "its name"),
            (Tool { description: "d".repeat(2_001), ..tool("x") }, "description"),
            (Tool { allowed_autonomy_levels: vec![0], ..tool("x") }, "allowed_autonomy_levels"),
            (Tool { allowed_autonomy_levels: vec![], ..tool("x") }, "allowed_autonomy_levels"),
            (Tool { max_execution_time_ms: 0, ..tool("x") }, "max_execution_time_ms"),
            (Tool { input_schema: json!({}), ..tool("x") }, "input_schema"),
            (
                Tool { output_schema: Some(json!({ "type": "object", "$ref": "http://x/" })), ..tool("x") },
                "output_schema",
            ),
        ];
        for (tool, problem) in bad {
            let error = Registry::new(vec![tool]).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        assert!(Registry::new(vec![tool("x"), tool("x")]).unwrap_err().to_string().contains("twice"));
    }
}
