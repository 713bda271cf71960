//! What a team's file must keep beyond its shape.

use std::collections::BTreeSet;
use std::fmt;

use super::{Handles, SpecialistFile, Team};

/// Tools of the back office, beside those of the front desk.
const OFFICE_TOOLS: [&str; 2] = ["find_work_items", "refer_to_team"];
/// Artifacts that the hub makes of a call, and of what memory knows of such cases.
pub(crate) const CASE: [&str; 5] = ["report", "conversation", "related", "call", "precedents"];
/// What a team can be given.
const MATTERS: [&str; 7] =
    ["incident", "inspection", "message", "escalation", "callback", "urgent", "interrupted"];
/// Smallest budget of a context: below, no task and schema fit.
const LEAST_TOKENS: u32 = 500;
const MOST_TOKENS: u32 = 32_000;
/// Names that are nobody's; the last two are addresses of the API.
const RESERVED: [&str; 4] = ["librarian", "department_head", "check", "try"];

/// A mistake in a file: where, what, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TeamError {
    pub file: String,
    /// Path of the key in the file: `specialist.triage.tools`.
    pub key: String,
    pub problem: String,
    pub fix: String,
}

impl fmt::Display for TeamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}; {}", self.file, self.key, self.problem, self.fix)
    }
}

impl std::error::Error for TeamError {}

impl TeamError {
    pub(super) fn new(file: &str, key: &str, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { file: file.to_owned(), key: key.to_owned(), problem: problem.into(), fix: fix.into() }
    }

    /// Not even TOML of this shape.
    pub(super) fn unreadable(file: &str, error: &toml::de::Error) -> Self {
        let problem = format!("cannot be read: {}", error.message().trim());
        let place = error.span().map_or_else(|| "the file".to_owned(), |span| format!("byte {}", span.start));
        Self::new(file, &place, problem, "compare it with a shipped file and with docs/guides/teams.md")
    }
}

/// What is wrong with one file.
struct Faults<'f> {
    file: &'f str,
    found: Vec<TeamError>,
}

impl Faults<'_> {
    fn add(&mut self, key: &str, problem: impl Into<String>, fix: impl Into<String>) {
        self.found.push(TeamError::new(self.file, key, problem, fix));
    }

    fn name(&mut self, key: &str, value: &str) {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if value.is_empty() || value.len() > 64 || !value.bytes().all(plain) || RESERVED.contains(&value) {
            let fix = "use lower-case letters, digits and _, and none of the hub's own names";
            self.add(key, format!("`{value}` is no name"), fix);
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        if value.trim().is_empty() {
            self.add(key, "is empty", "say it in a sentence");
        }
    }

    fn level(&mut self, key: &str, value: u8, most: u8) {
        if !(1..=most).contains(&value) {
            self.add(key, format!("is {value}"), format!("give 1 to {most}"));
        }
    }
}

/// Everything that is wrong with one team.
pub(super) fn team(file: &str, team: &Team) -> Vec<TeamError> {
    let mut faults = Faults { file, found: Vec::new() };
    faults.name("id", &team.id);
    faults.name("orchestrator.id", &team.orchestrator.id);
    faults.text("name", &team.name);
    faults.text("purpose", &team.purpose);
    faults.text("orchestrator.prompt", &team.orchestrator.prompt);
    faults.level("autonomy", team.autonomy, 5);
    if team.specialists.is_empty() {
        faults.add("specialist", "is missing", "give the team at least one");
    }
    for (n, example) in team.examples.iter().enumerate() {
        faults.text(&format!("examples[{}]", n + 1), example);
    }
    for handles in &team.handles {
        matter(handles, &mut faults);
    }
    let mut names = BTreeSet::from([team.orchestrator.id.as_str()]);
    for specialist in &team.specialists {
        if names.insert(&specialist.id) {
            one(team, specialist, &mut faults);
        } else {
            let key = format!("specialist.{}.id", specialist.id);
            faults.add(&key, "is there twice", "give each agent an id of its own");
        }
    }
    no_circle(team, &mut faults);
    faults.found
}

fn matter(handles: &Handles, faults: &mut Faults<'_>) {
    let key = format!("handles.{}", handles.matter);
    if !MATTERS.contains(&handles.matter.as_str()) {
        let fix = format!("use one of {}", MATTERS.join(", "));
        faults.add(&key, "is no matter that work can be of", fix);
    }
    if !(0.0..=1.0).contains(&handles.confidence) {
        faults.add(&key, "has a confidence outside 0 to 1", "give a share, such as 0.9");
    }
    if handles.words.iter().any(|word| word.trim().is_empty() || *word != word.to_lowercase()) {
        faults.add(&key, "has a word that never matches", "write words in lower case");
    }
}

fn one(team: &Team, specialist: &SpecialistFile, faults: &mut Faults<'_>) {
    let key = |field: &str| format!("specialist.{}.{field}", specialist.id);
    faults.name(&key("id"), &specialist.id);
    faults.text(&key("does"), &specialist.does);
    faults.text(&key("prompt"), &specialist.prompt);
    faults.level(&key("autonomy"), specialist.autonomy, team.autonomy.max(1));
    for tool in &specialist.tools {
        if crate::tools::tool(tool).is_none() && !OFFICE_TOOLS.contains(&tool.as_str()) {
            let fix = format!("use a tool of the front desk, or one of {}", OFFICE_TOOLS.join(", "));
            faults.add(&key("tools"), format!("names `{tool}`, which is no tool"), fix);
        }
    }
    for id in &specialist.after {
        if *id == specialist.id || team.specialist(id).is_none() {
            let problem = format!("names `{id}`, which is no other specialist of this team");
            faults.add(&key("after"), problem, "name one of this file");
        }
    }
    for artifact in &specialist.reads {
        if !CASE.contains(&artifact.as_str()) && !comes_before(team, specialist, artifact) {
            let problem = format!("names `{artifact}`, which nobody has made by then");
            let fix = format!("use {}, or a specialist that it comes after", CASE.join(", "));
            faults.add(&key("reads"), problem, fix);
        }
    }
    if specialist.escalate_when.is_empty() {
        let fix = "say in words when a person has to be brought in";
        faults.add(&key("escalate_when"), "is empty", fix);
    }
    if !(LEAST_TOKENS..=MOST_TOKENS).contains(&specialist.max_tokens) {
        let fix = format!("give {LEAST_TOKENS} to {MOST_TOKENS}");
        faults.add(&key("max_tokens"), "is no budget that a context fits", fix);
    }
    schema(&key("output"), specialist, faults);
}

/// Whether somebody that `specialist` waits for, directly or not, has this id.
fn comes_before(team: &Team, specialist: &SpecialistFile, id: &str) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let mut open: Vec<&str> = specialist.after.iter().map(String::as_str).collect();
    while let Some(next) = open.pop() {
        if !seen.contains(&next) {
            seen.push(next);
            open.extend(team.specialist(next).into_iter().flat_map(|s| s.after.iter().map(String::as_str)));
        }
    }
    seen.contains(&id)
}

fn schema(key: &str, specialist: &SpecialistFile, faults: &mut Faults<'_>) {
    if specialist.output["type"] != "object" {
        faults.add(key, "is no schema of an object", "begin it with type = \"object\"");
    } else if !jsonschema::meta::is_valid(&specialist.output)
        || jsonschema::validator_for(&specialist.output).is_err()
    {
        faults.add(key, "is no JSON Schema", "correct it; see json-schema.org");
    }
}

fn no_circle(team: &Team, faults: &mut Faults<'_>) {
    for specialist in &team.specialists {
        if comes_before(team, specialist, &specialist.id) {
            let key = format!("specialist.{}.after", specialist.id);
            return faults.add(&key, "leads back to itself", "take one step of the circle out");
        }
    }
}
