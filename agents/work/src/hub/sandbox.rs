//! The context sandbox: what a specialist is given, and nothing else.
//!
//! Only the hub sees a Passport. [`extract`] takes out of it what one specialist needs for one task, within a budget of
//! tokens. Nothing of the Passport's working memory, ledger, requester or tenant comes along.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::passport::Passport;
use crate::teams::SpecialistFile;

/// Excerpts of knowledge at most.
pub const EXCERPTS: usize = 5;
/// Below so many tokens, the beginning of a text is worth nothing.
const LEAST: usize = 24;
/// Stands where a text was cut.
const CUT: &str = " […]";

/// Minimal context provided to a specialist agent. The fields are those of the platform document.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SandboxedContext {
    pub task: String,
    pub constraints: Vec<String>,
    pub success_criteria: Vec<String>,
    /// Relevant excerpts, not full documents.
    pub prior_knowledge: Vec<String>,
    /// Only what is needed, by name.
    pub input_artifacts: BTreeMap<String, String>,
    /// JSON Schema.
    pub output_schema: Value,
    /// Only tools that this agent can use.
    pub tools_available: Vec<String>,
    /// When to stop and escalate.
    pub escalation_conditions: Vec<String>,
}

language::shown!(SandboxedContext, "SandboxedContext": tools_available; task, constraints, prior_knowledge, input_artifacts);

/// Why no context could be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SandboxError {
    #[error(
        "{agent}: its task and bounds alone need {needs} tokens of {has}; shorten them, or raise max_tokens in the team's file"
    )]
    TooSmall { agent: String, needs: usize, has: usize },
}

/// Tokens that a text has in JSON: a quarter of its characters, rounded up. Models differ; this is the one figure that
/// budgets are held to.
#[must_use]
pub fn tokens(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |json| json.chars().count().div_ceil(4))
}

/// The context of one specialist for one task.
///
/// `knowledge` is best first; as much of it as fits into half of the budget is taken. `artifacts` is all there is; those
/// that the specialist's file names are taken, cut where the budget ends.
///
/// # Errors
/// [`SandboxError::TooSmall`]: not even the task fits.
pub fn extract(
    passport: &Passport,
    agent: &SpecialistFile,
    task: &str,
    knowledge: &[String],
    artifacts: &BTreeMap<String, String>,
) -> Result<SandboxedContext, SandboxError> {
    let has = usize::try_from(agent.max_tokens).unwrap_or(usize::MAX);
    let mut context = SandboxedContext {
        task: task.to_owned(),
        constraints: passport.mission.constraints.clone(),
        success_criteria: agent.criteria.clone(),
        prior_knowledge: Vec::new(),
        input_artifacts: BTreeMap::new(),
        output_schema: agent.output.clone(),
        tools_available: agent.tools.clone(),
        escalation_conditions: agent.escalate_when.clone(),
    };
    let needs = tokens(&context);
    if needs > has {
        return Err(SandboxError::TooSmall { agent: agent.id.clone(), needs, has });
    }
    let mut room = has - needs;
    let mut for_knowledge = room.min(has / 2);
    for excerpt in knowledge.iter().take(EXCERPTS) {
        let Some(excerpt) = fitting(excerpt, for_knowledge) else { break };
        let used = tokens(&excerpt) + 1;
        for_knowledge = for_knowledge.saturating_sub(used);
        room = room.saturating_sub(used);
        context.prior_knowledge.push(excerpt);
    }
    for name in &agent.reads {
        let Some(text) = artifacts.get(name) else { continue };
        let Some(text) = fitting(text, room.saturating_sub(tokens(name) + 1)) else { continue };
        room = room.saturating_sub(tokens(&text) + tokens(name) + 2);
        context.input_artifacts.insert(name.clone(), text);
    }
    Ok(context)
}

/// The text, or as much of its beginning as fits, or nothing where that is not worth it. One token is kept back for
/// what stands between two texts.
fn fitting(text: &str, room: usize) -> Option<String> {
    let room = room.saturating_sub(1);
    if tokens(&text) <= room {
        return Some(text.to_owned());
    }
    if room < LEAST {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let (mut fits, mut too_many) = (0, chars.len());
    while fits + 1 < too_many {
        let middle = usize::midpoint(fits, too_many);
        if tokens(&cut(&chars, middle)) <= room { fits = middle } else { too_many = middle }
    }
    Some(cut(&chars, fits))
}

/// So many characters, and not half a word.
fn cut(chars: &[char], most: usize) -> String {
    let kept: String = chars.iter().take(most).collect();
    let whole = kept.rsplit_once(char::is_whitespace).map_or(kept.as_str(), |(head, _)| head);
    format!("{}{CUT}", if whole.len() * 2 < kept.len() { kept.as_str() } else { whole })
}
