//! The front desk's tools, as a language model is told of them: name, schema, and what a valid call asks for.
//!
//! The list is data (`data/tools/front_desk.json`), checked and compiled by the [`registry`]. Reading a call ([`read`])
//! is pure and checks everything: the schema first, then dates, names of free times, tokens of personal data. What is
//! wrong is said in words that the model can correct itself by. Whatever writes is done by the responder, with the same
//! functions that serve the built-in agent. For somebody who is on no call, [`crate::clerk`] does both.

pub mod filing;
pub mod front_desk;
mod input;
pub mod registry;
pub mod remote;
pub mod ruling;
pub mod schema;
mod tidy;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use chrono::{NaiveDate, NaiveDateTime, Timelike};
use language::Language;
use serde_json::{Map, Value, json};

use dialogue::builtin::{Filing, Opening, TenantFacts};
use governance::pii::Redactor;
use input::Input;
use language::shown::Shape;
use models::conversation::{ToolCall, ToolSpec};
use registry::{Refusal, Registered, Registry};

/// Relevance under which a passage is not shown.
pub const RELEVANT: f32 = 0.3;

/// Half of the day that the caller prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DayPart {
    Any,
    Morning,
    Afternoon,
}

impl DayPart {
    #[must_use]
    pub fn holds(self, opening: &Opening) -> bool {
        match self {
            Self::Any => true,
            Self::Morning => opening.starts.hour() < 12,
            Self::Afternoon => opening.starts.hour() >= 12,
        }
    }
}

/// What a valid call asks for.
#[derive(Clone, PartialEq)]
pub enum Asked {
    Search {
        query: String,
    },
    FreeTimes {
        day: Option<NaiveDate>,
        part: DayPart,
    },
    /// `proofs`: a last name, a date of birth, a phone number. All of them must be right.
    Claim {
        number: String,
        proofs: Vec<String>,
    },
    File(Box<Filing>),
    MarkUrgent {
        kind: String,
    },
    /// To a person, by the name of the target.
    PutThrough {
        target: String,
    },
    /// People of the office are asked while the caller waits.
    AskStaff {
        question: String,
    },
    /// Silence is kept of the call from here on, or sound again.
    PauseRecording {
        paused: bool,
    },
    /// A tool of a server outside; its look-up is under way.
    Outside,
    Speak(Language),
    EndCall,
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Search { query } => write!(f, "Search({:?})", query.shape()),
            Self::FreeTimes { day, part } => {
                f.debug_struct("FreeTimes").field("day", day).field("part", part).finish()
            }
            Self::Claim { number, proofs } => {
                write!(f, "Claim({:?}, proofs: {:?})", number.shape(), proofs.shape())
            }
            Self::File(filing) => f.debug_tuple("File").field(filing).finish(),
            Self::PutThrough { target } => write!(f, "PutThrough({:?})", target.shape()),
            Self::AskStaff { question } => write!(f, "AskStaff({:?})", question.shape()),
            Self::MarkUrgent { kind } => write!(f, "MarkUrgent({:?})", kind.shape()),
            Self::PauseRecording { paused } => write!(f, "PauseRecording({paused})"),
            Self::Speak(language) => f.debug_tuple("Speak").field(language).finish(),
            Self::Outside => f.write_str("Outside"),
            Self::EndCall => f.write_str("EndCall"),
        }
    }
}

/// What calls are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub facts: &'a TenantFacts,
    /// Local time of the county.
    pub now: NaiveDateTime,
    pub redactor: &'a Redactor,
    /// Free times by the names the model was given.
    pub offered: &'a BTreeMap<String, Opening>,
    /// What the line can speak.
    pub spoken: &'a [Language],
    /// The carrier gave a number to call back.
    pub knows_caller: bool,
}

/// The answer to a tool call.
#[derive(Clone, PartialEq, Eq)]
pub struct Outcome {
    pub content: String,
    pub is_error: bool,
}

language::shown!(Outcome, "Outcome": is_error; content);

impl Outcome {
    pub fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    pub fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

impl Outcome {
    /// The answer as the tool's output schema has it.
    pub fn output(&self) -> Value {
        json!({ "text": self.content })
    }
}

/// The tool of this name.
pub fn tool(name: &str) -> Option<&'static Registered> {
    front_desk::listed().ok()?.tool(name).ok()
}

/// All tools, the same in every request: another list would break the provider's prompt cache.
pub fn specs() -> Arc<[ToolSpec]> {
    static SPECS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
        let spec = |known: &'static Registered| {
            let tool = &known.tool;
            ToolSpec {
                name: tool.name.as_str().into(),
                description: tool.description.as_str().into(),
                input: tool.input_schema.clone(),
            }
        };
        front_desk::listed().into_iter().flat_map(Registry::iter).map(spec).collect()
    });
    SPECS.clone()
}

/// What a call asks for.
///
/// # Errors
/// What is wrong with it, for the model to correct.
pub fn read(call: &ToolCall, seen: Seen<'_>) -> Result<Asked, Refusal> {
    let known = front_desk::listed().map_err(|_| Refusal::Unknown("none".to_owned()))?.tool(&call.name)?;
    let input = tidy::tidied(call.input.clone(), &known.tool.input_schema);
    known.check_input(&input)?;
    let fields = if let Value::Object(fields) = input { fields } else { Map::new() };
    let mut input = Input::of(fields, seen);
    let asked = front_desk::asked(&known.tool.name, &mut input);
    input.finish().map_err(Refusal::Input)?;
    asked.ok_or_else(|| Refusal::Input("The input is not complete.".to_owned()))
}

/// An outcome that keeps what its tool promises. One that does not is thrown away, and the model is told so.
pub fn held_to_schema(known: Option<&Registered>, outcome: Outcome) -> Outcome {
    match known.filter(|_| !outcome.is_error).map(|known| known.check_output(&outcome.output())) {
        Some(Err(refusal)) => Outcome::error(refusal.to_string()),
        _ => outcome,
    }
}

#[cfg(test)]
mod tests;
