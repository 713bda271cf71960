//! Teams as data: who works on what, with which words, tools and bounds. One file of `data/teams` a team.
//!
//! A team is an orchestrator and its specialists. A file is read and checked as a whole before any of it is used: a
//! mistake is told with the file, the key and what to do about it. How teams work is in [`crate::hub`].
#![deny(clippy::disallowed_methods)]

mod check;
mod draft;

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use check::CASE;
pub use check::TeamError;
pub use draft::{Draft, MOST_TEXT, read_own};

/// The team whose specialists answer live calls.
pub const FRONT_DESK: &str = "front_desk";

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$((concat!($name, ".toml"), include_str!(concat!("../../data/teams/", $name, ".toml")))),+]
    };
}

/// The shipped teams, by file.
const FILES: &[(&str, &str)] = files![
    "front_desk",
    "safety",
    "incident_investigation",
    "claims",
    "legal_research",
    "compliance_monitoring",
    "analytics_reporting",
];

static SHIPPED: LazyLock<Result<Teams, TeamError>> = LazyLock::new(|| Teams::read(FILES));

/// What a specialist works by where no language model is asked. Each is in `hub/methods`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// What it is about and how soon somebody must look.
    Triage,
    /// What is missing in what was told; asks for a call-back.
    Completeness,
    /// How bad an injury is, and whether it must be recorded and reported.
    Injury,
    /// Earlier items that may be about the same.
    Duplicates,
    /// What the knowledge base says about it, word for word.
    Citations,
    /// Who has to do what by when.
    NextSteps,
    /// A summary of what is known and of what the others found.
    Summary,
    /// What comes up again and again.
    Patterns,
}

/// Work that a team takes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handles {
    /// `incident`, `inspection`, `message`, `escalation`, `callback` (kinds of work items), `urgent` (somebody was in
    /// danger), or `interrupted` (the call was cut off).
    #[serde(default)]
    pub matter: String,
    /// One of these has to occur in what was said, as the beginning of a word. Lower case. Empty: whatever was said.
    #[serde(default)]
    pub words: Vec<String>,
    /// How sure it is that the work is this team's, 0–1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
}

/// The hub of a team. It sees the whole Passport; its specialists do not.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrchestratorFile {
    #[serde(default)]
    pub id: String,
    /// What the team is to reach, for a language model.
    #[serde(default)]
    pub prompt: String,
    /// Success criteria of the whole work.
    #[serde(default)]
    pub criteria: Vec<String>,
}

/// One specialist.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpecialistFile {
    #[serde(default)]
    pub id: String,
    /// One line for people.
    #[serde(default)]
    pub does: String,
    /// Instructions for a language model.
    #[serde(default)]
    pub prompt: String,
    /// What it works by without one.
    pub method: Method,
    /// Work is always the method's, also where there is a language model: the answer must not depend on one.
    #[serde(default)]
    pub never_model: bool,
    /// Names of tools. The hub does what an output asks for only where the tool for it is listed.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Specialists that must be done before.
    #[serde(default)]
    pub after: Vec<String>,
    /// Artifacts that it is given: `report`, `conversation`, `related`, `call`, or the id of a specialist it works after.
    #[serde(default)]
    pub reads: Vec<String>,
    /// Success criteria of its part.
    #[serde(default)]
    pub criteria: Vec<String>,
    /// When to stop and bring a person in.
    #[serde(default)]
    pub escalate_when: Vec<String>,
    /// 1 to 5, at most its team's.
    #[serde(default)]
    pub autonomy: u8,
    /// Budget of its context.
    #[serde(default = "four_thousand")]
    pub max_tokens: u32,
    /// JSON Schema of what it gives.
    #[serde(default)]
    pub output: Value,
}

/// What is not said is checked after the reading, with everything else that is wrong.
const fn unsaid() -> f64 {
    f64::NAN
}

const fn four_thousand() -> u32 {
    4_000
}

/// A team as its file has it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Team {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub purpose: String,
    /// 1 (a person approves everything) to 5.
    #[serde(default)]
    pub autonomy: u8,
    /// What callers say whose work is this team's, in their own words: a route that nobody trained. Some ten.
    #[serde(default)]
    pub examples: Vec<String>,
    /// None: work comes from other teams alone.
    #[serde(default)]
    pub handles: Vec<Handles>,
    #[serde(default)]
    pub orchestrator: OrchestratorFile,
    #[serde(default, rename = "specialist")]
    pub specialists: Vec<SpecialistFile>,
}

impl Team {
    #[must_use]
    pub fn specialist(&self, id: &str) -> Option<&SpecialistFile> {
        self.specialists.iter().find(|specialist| specialist.id == id)
    }

    /// The specialist whose tool this is. Where several have it, the first.
    #[must_use]
    pub fn owner_of(&self, tool: &str) -> Option<&SpecialistFile> {
        self.specialists.iter().find(|specialist| specialist.tools.iter().any(|own| own == tool))
    }

    /// Specialists in an order in which each comes after those it waits for; else as in the file.
    #[must_use]
    pub fn in_order(&self) -> Vec<&SpecialistFile> {
        let mut waiting: Vec<&SpecialistFile> = self.specialists.iter().collect();
        let mut order: Vec<&SpecialistFile> = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            let free = |s: &&SpecialistFile| s.after.iter().all(|id| order.iter().any(|done| done.id == *id));
            // The check has refused circles, so there is always one.
            let next = waiting.iter().position(free).unwrap_or(0);
            order.push(waiting.remove(next));
        }
        order
    }
}

/// All teams of a department.
#[derive(Clone, PartialEq, Debug)]
pub struct Teams(Vec<Team>);

impl Teams {
    /// Those of this program.
    ///
    /// # Errors
    /// Only when a shipped file is broken; tests read them all.
    pub fn shipped() -> Result<&'static Self, TeamError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads files: name and text each.
    ///
    /// # Errors
    /// The first mistake.
    pub fn read(files: &[(&str, &str)]) -> Result<Self, TeamError> {
        let mut teams: Vec<Team> = Vec::with_capacity(files.len());
        for (file, text) in files {
            let team: Team = toml::from_str(text).map_err(|error| TeamError::unreadable(file, &error))?;
            if let Some(first) = check::team(file, &team).into_iter().next() {
                return Err(first);
            }
            if teams.iter().any(|known| known.id == team.id) {
                return Err(TeamError::new(
                    file,
                    "id",
                    "is another team's",
                    "give the team an id of its own",
                ));
            }
            teams.push(team);
        }
        Ok(Self(teams))
    }

    /// These, with others added, or put in the place of those of the same id.
    #[must_use]
    pub fn with(&self, own: Vec<Team>) -> Self {
        let mut teams = self.0.clone();
        for team in own {
            match teams.iter_mut().find(|known| known.id == team.id) {
                Some(known) => *known = team,
                None => teams.push(team),
            }
        }
        Self(teams)
    }

    /// The text of a shipped file.
    #[must_use]
    pub fn shipped_text(id: &str) -> Option<&'static str> {
        FILES.iter().find(|(file, _)| file.strip_suffix(".toml") == Some(id)).map(|(_, text)| *text)
    }

    #[must_use]
    pub fn all(&self) -> &[Team] {
        &self.0
    }

    #[must_use]
    pub fn team(&self, id: &str) -> Option<&Team> {
        self.0.iter().find(|team| team.id == id)
    }
}

#[cfg(test)]
mod tests;
