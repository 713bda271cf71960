//! The front desk's tools, as a language model is told of them: name, schema, and what a valid call asks for.
//!
//! The list is data (`data/tools/front_desk.json`), checked and compiled by the [`registry`]. Reading a call ([`read`])
//! is pure and checks everything: the schema first, then dates, names of free times, tokens of personal data. What is
//! wrong is said in words that the model can correct itself by. Whatever writes is done by the responder, with the same
//! functions that serve the built-in agent; [`reads`] looks things up. For somebody who is on no call, [`clerk`] does
//! both.

pub mod authority;
pub mod clerk;
pub(crate) mod front_desk;
mod input;
pub(crate) mod reads;
pub mod registry;
pub mod remote;
pub(crate) mod ruling;
pub mod schema;
mod tidy;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use chrono::{NaiveDate, NaiveDateTime};
use pipeline::ports::Language;
use serde_json::{Map, Value, json};

use dialogue::builtin::{Filing, Opening, TenantFacts};
use dialogue::conversation::{ToolCall, ToolSpec};
use governance::safety::Redactor;
use input::Input;
use language::shown::Shape;
use registry::{Refusal, Registered, Registry};

/// Half of the day that the caller prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DayPart {
    Any,
    Morning,
    Afternoon,
}

/// What a valid call asks for.
#[derive(Clone, PartialEq)]
pub(crate) enum Asked {
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
            Self::MarkUrgent { kind } => write!(f, "MarkUrgent({:?})", kind.shape()),
            Self::Speak(language) => f.debug_tuple("Speak").field(language).finish(),
            Self::Outside => f.write_str("Outside"),
            Self::EndCall => f.write_str("EndCall"),
        }
    }
}

/// What calls are checked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) facts: &'a TenantFacts,
    /// Local time of the county.
    pub(crate) now: NaiveDateTime,
    pub(crate) redactor: &'a Redactor,
    /// Free times by the names the model was given.
    pub(crate) offered: &'a BTreeMap<String, Opening>,
    /// What the line can speak.
    pub(crate) spoken: &'a [Language],
    /// The carrier gave a number to call back.
    pub(crate) knows_caller: bool,
}

/// The answer to a tool call.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) content: String,
    pub(crate) is_error: bool,
}

language::shown!(Outcome, "Outcome": is_error; content);

impl Outcome {
    pub(crate) fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    pub(crate) fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

impl Outcome {
    /// The answer as the tool's output schema has it.
    pub(crate) fn output(&self) -> Value {
        json!({ "text": self.content })
    }
}

/// The tool of this name.
pub(crate) fn tool(name: &str) -> Option<&'static Registered> {
    front_desk::listed().ok()?.tool(name).ok()
}

/// All tools, the same in every request: another list would break the provider's prompt cache.
pub(crate) fn specs() -> Arc<[ToolSpec]> {
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
pub(crate) fn read(call: &ToolCall, seen: Seen<'_>) -> Result<Asked, Refusal> {
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
pub(crate) fn held_to_schema(known: Option<&Registered>, outcome: Outcome) -> Outcome {
    match known.filter(|_| !outcome.is_error).map(|known| known.check_output(&outcome.output())) {
        Some(Err(refusal)) => Outcome::error(refusal.to_string()),
        _ => outcome,
    }
}

#[cfg(test)]
mod tests;
