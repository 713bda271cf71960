//! The front desk's tools, as a language model is told of them: name, schema, and what a valid call asks for.
//!
//! Reading a call ([`read`]) is pure and checks everything: types, lengths, choices, dates, names of free times,
//! tokens of personal data. What is wrong is said in words that the model can correct itself by. Whatever writes is
//! done by the responder, with the same functions that serve the built-in agent; [`reads`] looks things up.

mod input;
pub(crate) mod reads;
mod specs;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use chrono::{NaiveDate, NaiveDateTime};
use pipeline::ports::Language;
use serde_json::Value;

use crate::llm::builtin::{Filing, Opening, TenantFacts};
use crate::llm::conversation::{ToolCall, ToolSpec};
use crate::safety::Redactor;
use crate::shown::Shape;
use input::Input;

/// Ends the description of a tool that takes a moment.
const SPOKEN_WAIT: &str = "Say a few words such as \"Let me check.\" before you call it.";

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    description: &'static str,
    /// It changes nothing: a run begun on a guess may use it.
    pub(crate) reads_only: bool,
    /// It takes a moment: the description asks the model for a few words before.
    spoken_wait: bool,
    schema: fn() -> Value,
    read: fn(&mut Input<'_>) -> Option<Asked>,
}

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
            Self::MarkUrgent { kind } => write!(f, "MarkUrgent({:?})", kind.shape()),
            Self::Speak(language) => f.debug_tuple("Speak").field(language).finish(),
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

shown!(Outcome, "Outcome": is_error; content);

impl Outcome {
    pub(crate) fn ok(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    pub(crate) fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true }
    }
}

/// The tool of this name.
pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    specs::TOOLS.iter().find(|tool| tool.name == name)
}

/// All tools, the same in every request: another list would break the provider's prompt cache.
pub(crate) fn specs() -> Arc<[ToolSpec]> {
    static SPECS: LazyLock<Arc<[ToolSpec]>> = LazyLock::new(|| {
        let spec = |t: &Tool| ToolSpec { name: t.name, description: described(t), input: (t.schema)() };
        specs::TOOLS.iter().map(spec).collect()
    });
    SPECS.clone()
}

/// Made once for each tool, for the life of the process.
fn described(tool: &Tool) -> &'static str {
    if tool.spoken_wait {
        Box::leak(format!("{} {SPOKEN_WAIT}", tool.description).into_boxed_str())
    } else {
        tool.description
    }
}

/// What a call asks for.
///
/// # Errors
/// What is wrong with it, for the model to correct.
pub(crate) fn read(call: &ToolCall, seen: Seen<'_>) -> Result<Asked, String> {
    let Some(tool) = tool(&call.name) else {
        let names: Vec<&str> = specs::TOOLS.iter().map(|t| t.name).collect();
        return Err(format!("There is no such tool. The tools are: {}.", names.join(", ")));
    };
    let mut input = Input::of(&call.input, &(tool.schema)(), seen)?;
    let asked = (tool.read)(&mut input);
    input.finish()?;
    asked.ok_or_else(|| "The input is not complete.".to_owned())
}

#[cfg(test)]
mod tests;
