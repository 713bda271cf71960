//! What a caller wants and what they do, by a trained head over a sentence vector and hashed words.
//!
//! Pure: whoever has the sentence encoder hands vectors in; without them the words alone decide, less surely. The head knows
//! the routes that ship ([`Head::routes`]). A route that it was not trained on is recognised by its examples, looked at
//! through a projection learned on public talk ([`Nearest`]), so that a tenant's new route needs ten examples and no
//! training. Both end as probabilities. `agents/dialogue/examples/train_intents` makes the weights.

mod act;
mod clauses;
mod head;
pub mod marks;
mod nearest;

use std::ops::Range;
use std::sync::Arc;

pub use act::Act;
pub use clauses::clauses;
pub use head::{Head, Parts, WeightsError};
pub use nearest::{Example, Nearest, Projection};

use crate::Language;
use crate::states::States;

/// Numbers in a sentence vector.
pub const WIDTH: usize = 384;
/// The route of a question that the pages may answer.
pub const QUESTION: &str = "question";
/// The route of words that want nothing: a greeting, a bare yes, what no route and no page is for.
pub const NONE: &str = "none";
/// Less is not worth telling.
const LEAST: f32 = 0.01;
/// From so much on a clause wants something by itself.
const OWN: f32 = 0.6;

/// A sentence vector of unit length.
pub type Vector = Arc<[f32]>;

/// One thing that may be wanted.
#[derive(Clone, PartialEq, Debug)]
pub struct Want {
    pub route: String,
    /// Probability, 0 to 1.
    pub score: f32,
}

/// What a part of an utterance wants.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    pub want: Want,
    /// Bytes of the utterance.
    pub span: Range<usize>,
}

/// What an utterance was taken for. Holds no words of the caller.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Understood {
    /// What is wanted, likeliest first; their scores add up to one, or less by what was left out. Empty: nothing was looked at.
    pub wants: Vec<Want>,
    /// What is done, likeliest first.
    pub acts: Vec<(Act, f32)>,
    /// Several things wanted in one breath, in the order of the words; empty when it is one.
    pub parts: Vec<Part>,
    /// The vector of the whole, if there was time to make one, for whoever reads something else out of it.
    pub vector: Option<Vector>,
    /// What the encoder made of the words, if there was time for it.
    pub states: Option<Arc<States>>,
}

impl Understood {
    /// The likeliest want.
    #[must_use]
    pub fn want(&self) -> Option<&Want> {
        self.wants.first()
    }

    /// How likely a route is wanted.
    #[must_use]
    pub fn wants(&self, route: &str) -> f32 {
        self.wants.iter().find(|want| want.route == route).map_or(0.0, |want| want.score)
    }

    /// The likeliest act, and how likely.
    #[must_use]
    pub fn act(&self) -> Option<(Act, f32)> {
        self.acts.first().copied()
    }

    /// How likely an act is.
    #[must_use]
    pub fn does(&self, act: Act) -> f32 {
        self.acts.iter().find(|(own, _)| *own == act).map_or(0.0, |(_, score)| *score)
    }
}

/// A stretch of words with its vector, if there was time to make one.
#[derive(Clone, Debug)]
pub struct Stretch<'a> {
    pub text: &'a str,
    pub vector: Option<Vector>,
}

/// Understands an utterance. `asked`: it answers a question of ours. `parts`: its [`clauses`], each with its vector.
#[must_use]
pub fn understand(
    head: &Head,
    nearest: &Nearest,
    language: Language,
    asked: bool,
    whole: &Stretch<'_>,
    parts: &[(Range<usize>, Stretch<'_>)],
) -> Understood {
    let (mut wants, acts) = read(head, nearest, language, asked, whole);
    let parts = several(head, nearest, language, parts);
    if let Some(first) = parts.first() {
        // Words of a second want must not outvote the first.
        let first = first.want.route.clone();
        if let Some(at) = wants.iter().position(|want| want.route == first) {
            let want = wants.remove(at);
            let least = wants.first().map_or(want.score, |best| best.score.max(want.score));
            wants.insert(0, Want { score: least, ..want });
        }
    }
    Understood { wants, acts, parts, vector: whole.vector.clone(), states: None }
}

fn read(
    head: &Head,
    nearest: &Nearest,
    language: Language,
    asked: bool,
    stretch: &Stretch<'_>,
) -> (Vec<Want>, Vec<(Act, f32)>) {
    let vector = stretch.vector.as_deref();
    let (routes, acts) = head.read(stretch.text, language, asked, vector);
    let mut wants: Vec<Want> =
        head.routes().iter().zip(routes).map(|(route, score)| Want { route: route.clone(), score }).collect();
    if let Some((route, own)) = vector.and_then(|vector| nearest.untrained(head, vector)) {
        wants.iter_mut().for_each(|want| want.score *= 1.0 - own);
        wants.push(Want { route: route.to_owned(), score: own });
    }
    wants.retain(|want| want.score >= LEAST);
    wants.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut acts: Vec<(Act, f32)> = Act::ALL.into_iter().zip(acts).filter(|(_, s)| *s >= LEAST).collect();
    acts.sort_by(|a, b| b.1.total_cmp(&a.1));
    (wants, acts)
}

/// What the clauses want, where they want different things, and each something.
fn several(
    head: &Head,
    nearest: &Nearest,
    language: Language,
    clauses: &[(Range<usize>, Stretch<'_>)],
) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (span, stretch) in clauses {
        let (wants, _) = read(head, nearest, language, false, stretch);
        let Some(want) = wants.into_iter().next().filter(|w| w.score >= OWN && w.route != NONE) else {
            continue;
        };
        match parts.last_mut() {
            // Questions are told apart by the pages that answer them, anything else by its route.
            Some(last) if last.want.route == want.route && want.route != QUESTION => last.span.end = span.end,
            _ => parts.push(Part { want, span: span.clone() }),
        }
    }
    if parts.len() < 2 { Vec::new() } else { parts }
}

#[cfg(test)]
mod tests;
