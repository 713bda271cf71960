//! Which team works a call's Passport, and how sure that is. Below [`SURE`] a person decides.
#![deny(clippy::disallowed_methods)]

use super::case::Case;
use crate::teams::{Handles, Team, Teams};

/// Confidence from which work goes to a team without a person's word.
pub const SURE: f64 = 0.8;
/// Two teams that are so close to each other are told apart by a person.
const CLOSE: f64 = 0.03;
/// What closeness takes away.
const DOUBT: f64 = 0.25;

/// Where work goes.
#[derive(Clone, PartialEq, Debug)]
pub enum Destination {
    Team {
        team: String,
        confidence: f64,
    },
    /// Nobody is sure enough. `nearest`: the team it would most likely be for.
    Person {
        nearest: Option<String>,
        confidence: f64,
        reason: String,
    },
    /// Nothing is left to be done.
    Nobody,
}

/// Routes a case by what was filed and said. `near`: the team whose examples the words are like; it counts as if one of its
/// words had been said.
#[must_use]
pub fn route(teams: &Teams, case: &Case, near: Option<&str>) -> Destination {
    let matters = case.matters();
    if matters.is_empty() {
        return Destination::Nobody;
    }
    let words = case.words();
    let mut sure: Vec<(&Team, f64)> = teams
        .all()
        .iter()
        .filter_map(|team| Some((team, confidence(team, &matters, &words, near)?)))
        .collect();
    sure.sort_by(|a, b| b.1.total_cmp(&a.1));
    let Some(&(team, confidence)) = sure.first() else {
        let reason = format!("no team takes {}", matters.join(", "));
        return Destination::Person { nearest: None, confidence: 0.0, reason };
    };
    let rival = sure.get(1).filter(|(_, other)| confidence - other < CLOSE);
    let (confidence, reason) = match rival {
        Some((other, _)) => {
            (confidence - DOUBT, format!("it may be for {} or for {}", team.name, other.name))
        }
        None => (confidence, format!("it is not clear that it is for {}", team.name)),
    };
    if confidence < SURE {
        return Destination::Person { nearest: Some(team.id.clone()), confidence, reason };
    }
    Destination::Team { team: team.id.clone(), confidence }
}

/// The highest of what the team's file gives for these matters and words; `None`: it takes none of them.
fn confidence(team: &Team, matters: &[&str], words: &str, near: Option<&str>) -> Option<f64> {
    let is_near = near == Some(team.id.as_str());
    let takes = |handles: &&Handles| {
        matters.contains(&handles.matter.as_str())
            && (is_near
                || handles.words.is_empty()
                || handles.words.iter().any(|word| begins_a_word(words, word)))
    };
    team.handles.iter().filter(takes).map(|handles| handles.confidence).reduce(f64::max)
}

/// Whether a word of the text begins so: `claim` is in "two claims" and not in "reclaim".
pub(crate) fn begins_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}
