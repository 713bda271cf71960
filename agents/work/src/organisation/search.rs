//! Finding nodes three ways at once: by name and property, by likeness, and by relation.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use storage::organisation::{Layer, MemoryNode, RelationType};

use super::decay::{FADED, strength_now};
use super::index::{Index, Wanted};
use super::pagerank::{Bounds, recall};

/// Reciprocal rank fusion: the higher, the less the first places stand out.
const K: f64 = 60.0;
/// What each way counts for.
const EXACT: f64 = 1.5;
const SIMILARITY: f64 = 1.0;
const TRAVERSAL: f64 = 0.7;
/// Likeness below this is chance.
const FLOOR: f32 = 0.12;
/// The best of the others from which relations are followed.
const SEEDS: usize = 8;
/// Candidates of each way.
const CANDIDATES: usize = 200;

/// What is looked for.
#[derive(Clone, PartialEq, Default)]
pub struct Question {
    pub text: String,
    pub layer: Option<Layer>,
    pub node_type: Option<String>,
    pub team_id: Option<String>,
    /// Symbols that are meant, or beginnings of them up to a dot.
    pub symbols: Vec<String>,
    /// Properties that must be equal for a node to count as named.
    pub properties: Map<String, Value>,
    /// Also what was superseded or has ended; it says so.
    pub include_superseded: bool,
    pub limit: usize,
}

language::shown!(Question, "Question": layer, node_type, team_id, symbols, include_superseded, limit; text);

/// How a node was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    Exact,
    Similarity,
    Traversal,
}

/// Whether a node still holds.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Standing {
    Stands,
    /// Something newer is in its place.
    Superseded {
        by: Option<String>,
    },
    /// Its time is over.
    Ended {
        at: DateTime<Utc>,
    },
    /// Its time has not come.
    Pending {
        from: DateTime<Utc>,
    },
}

/// A node that was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    pub slot: u32,
    /// From 0 to 1: 1 is first in every way and as strong as can be.
    pub score: f64,
    pub found_by: Vec<Way>,
    pub standing: Standing,
}

/// Whether a node holds at a time.
#[must_use]
pub fn standing(index: &Index, node: &MemoryNode, now: DateTime<Utc>) -> Standing {
    match (node.superseded_by, node.valid_until) {
        (Some(by), _) => {
            let by = index.slot(by).and_then(|slot| index.node(slot));
            Standing::Superseded { by: by.map(|newer| newer.symbol.clone()) }
        }
        (None, Some(at)) if at <= now => Standing::Ended { at },
        _ if node.valid_from > now => Standing::Pending { from: node.valid_from },
        _ => Standing::Stands,
    }
}

/// The best nodes for a question, best first.
#[must_use]
pub fn search(index: &Index, question: &Question, wanted: &Wanted, now: DateTime<Utc>) -> Vec<Hit> {
    let allowed = |slot: &u32| index.node(*slot).is_some_and(|node| fits(question, node));
    let exact: Vec<u32> = exact(index, question).into_iter().filter(&allowed).collect();
    let mut similar = index.similar(wanted);
    similar.retain(|(_, likeness)| *likeness >= FLOOR);
    similar.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    similar.truncate(CANDIDATES);
    let seeds: Vec<(u32, f64)> = exact
        .iter()
        .take(SEEDS)
        .map(|slot| (*slot, 1.0))
        .chain(similar.iter().take(SEEDS).map(|(slot, likeness)| (*slot, f64::from(*likeness))))
        .collect();
    let is_seed = |slot: u32| seeds.iter().any(|(seed, _)| *seed == slot);
    let walked = recall(index, &seeds, Bounds::default());
    // Where the walk began it says nothing new.
    let walked: Vec<u32> = walked.into_iter().map(|(slot, _)| slot).filter(|slot| !is_seed(*slot)).collect();
    let similar: Vec<u32> = similar.into_iter().map(|(slot, _)| slot).collect();

    let ways = [
        (Way::Exact, EXACT, exact),
        (Way::Similarity, SIMILARITY, similar),
        (Way::Traversal, TRAVERSAL, walked),
    ];
    let mut fused: BTreeMap<u32, (f64, Vec<Way>)> = BTreeMap::new();
    for (way, weight, slots) in ways {
        for (rank, slot) in slots.into_iter().filter(&allowed).take(CANDIDATES).enumerate() {
            let (score, found_by) = fused.entry(slot).or_default();
            *score += weight / (K + rank as f64 + 1.0);
            found_by.push(way);
        }
    }
    let mut hits: Vec<Hit> = fused
        .into_iter()
        .filter_map(|(slot, (score, found_by))| hit(index, question, slot, score, found_by, now))
        .collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.slot.cmp(&b.slot)));
    hits.truncate(question.limit);
    hits
}

fn hit(
    index: &Index,
    question: &Question,
    slot: u32,
    fused: f64,
    found_by: Vec<Way>,
    now: DateTime<Utc>,
) -> Option<Hit> {
    let node = index.node(slot)?;
    let strength = strength_now(node, now);
    let standing = standing(index, node, now);
    let is_named = found_by.contains(&Way::Exact);
    let is_left_out =
        (strength < FADED && !is_named) || (standing != Standing::Stands && !question.include_superseded);
    if is_left_out {
        return None;
    }
    let best = (EXACT + SIMILARITY + TRAVERSAL) / (K + 1.0);
    let holds = if standing == Standing::Stands { 1.0 } else { 0.6 };
    Some(Hit { slot, score: fused / best * (0.7 + 0.3 * strength) * holds, found_by, standing })
}

fn fits(question: &Question, node: &MemoryNode) -> bool {
    question.layer.is_none_or(|layer| node.layer == layer)
        && question.node_type.as_ref().is_none_or(|wanted| node.node_type == *wanted)
        && question.team_id.as_ref().is_none_or(|wanted| node.team_id.as_ref() == Some(wanted))
}

/// Nodes that the question names: by symbol, by the beginning of one, or by equal properties.
fn exact(index: &Index, question: &Question) -> Vec<u32> {
    let mut found = Vec::new();
    let words = question.text.split(|c: char| c.is_whitespace() || ",;:?!()\"'".contains(c));
    let said = words.map(|word| word.trim_end_matches('.')).filter(|word| word.contains('.'));
    for symbol in question.symbols.iter().map(String::as_str).chain(said) {
        found.extend(index.slot_of(symbol));
    }
    if question.symbols.is_empty() && question.properties.is_empty() {
        found.truncate(CANDIDATES);
        return found;
    }
    let begins = |node: &MemoryNode| {
        let under =
            |name: &String| node.symbol.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'));
        question.symbols.iter().any(under)
    };
    let has = |node: &MemoryNode| {
        !question.properties.is_empty()
            && question.properties.iter().all(|(name, value)| node.properties.get(name) == Some(value))
    };
    for (slot, node) in index.entries() {
        if !found.contains(&slot) && (begins(node) || has(node)) {
            found.push(slot);
            if found.len() >= CANDIDATES {
                break;
            }
        }
    }
    found
}

/// What a set of nodes brings to mind, the nodes themselves left out: best first, with their share of the walk.
#[must_use]
pub fn associated(
    index: &Index,
    from: &[u32],
    now: DateTime<Utc>,
    limit: usize,
    bounds: Bounds,
) -> Vec<(u32, f64)> {
    let seeds: Vec<(u32, f64)> = from.iter().map(|slot| (*slot, 1.0)).collect();
    let stands = |slot: u32| {
        let holds = |node| standing(index, node, now) == Standing::Stands && strength_now(node, now) >= FADED;
        index.node(slot).is_some_and(holds)
    };
    let walked = recall(index, &seeds, bounds).into_iter();
    walked.filter(|(slot, _)| !from.contains(slot) && stands(*slot)).take(limit).collect()
}

/// The node that stands in place of a superseded one, at the end of the chain.
#[must_use]
pub fn successor<'i>(index: &'i Index, node: &'i MemoryNode) -> &'i MemoryNode {
    let mut at = node;
    // Successors never run in a circle; the bound is for a store that somebody changed by hand.
    for _ in 0..100 {
        let Some(newer) = at.superseded_by.and_then(|id| index.slot(id)).and_then(|slot| index.node(slot))
        else {
            break;
        };
        at = newer;
    }
    at
}

/// How many like cases a node stands for that were merged into it.
#[must_use]
pub fn stands_for(index: &Index, slot: u32) -> usize {
    let alike: Vec<_> = index.related(slot, RelationType::SimilarTo, true).map(|node| node.id).collect();
    index.related(slot, RelationType::Supersedes, true).filter(|older| alike.contains(&older.id)).count()
}
