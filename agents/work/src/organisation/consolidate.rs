//! Merging what was remembered many times over: nodes that say the same go under the one that is remembered best.
//!
//! Only events and entities that the system wrote are merged, never what a person wrote, a pinned node, or decisions
//! that ended differently. Nothing is lost: the others stay, superseded, with a `similar_to` relation that says how
//! alike they were.
#![deny(clippy::disallowed_methods)]

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use storage::organisation::{Author, Layer, MemoryNode, NewRelation, RelationType};

use super::decay::strength_now;
use super::index::Index;
use super::search::{Standing, standing};
use language::english::terms::terms;

/// Nodes that share so much of their words are one.
const SAME: f64 = 0.8;
/// Younger nodes are left alone.
const MIN_AGE_DAYS: i64 = 7;
/// Nodes that one run looks at: the weakest.
const CANDIDATES: usize = 400;
/// Relations that one run makes, two a merged node: as many as fit in one write.
const MOST_MERGED: usize = storage::organisation::MAX_RELATIONS / 2;

/// Relations that merge what says the same: for each merged node a `supersedes` and a `similar_to` from the one that
/// stays. At most [`storage::organisation::MAX_RELATIONS`].
#[must_use]
pub fn consolidate(index: &Index, now: DateTime<Utc>) -> Vec<NewRelation> {
    let mut candidates: Vec<(f64, &MemoryNode)> = index
        .entries()
        .filter(|(_, node)| may_merge(index, node, now))
        .map(|(_, node)| (strength_now(node, now), node))
        .collect();
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.id.cmp(&b.1.id)));
    candidates.truncate(CANDIDATES);
    // The best remembered first: what is like it goes under it.
    candidates.reverse();

    let mut groups: BTreeMap<Key<'_>, Vec<(&MemoryNode, BTreeSet<String>)>> = BTreeMap::new();
    let mut relations = Vec::new();
    for (_, node) in candidates {
        let words: BTreeSet<String> = terms(&node.micro).into_iter().collect();
        let kept = groups.entry(key(node)).or_default();
        let alike = kept.iter().map(|(other, theirs)| (*other, overlap(&words, theirs)));
        let best = alike.filter(|(_, alike)| *alike >= SAME).max_by(|a, b| a.1.total_cmp(&b.1));
        match best {
            Some((other, alike)) if relations.len() < MOST_MERGED * 2 => {
                relations.extend(merged(other, node, alike));
            }
            Some(_) => break,
            None => kept.push((node, words)),
        }
    }
    relations
}

/// What must be equal for two nodes to be one.
type Key<'n> = (Layer, &'n str, Option<&'n str>, &'n str);

fn key(node: &MemoryNode) -> Key<'_> {
    let outcome = node.properties.get("outcome").and_then(Value::as_str).unwrap_or_default();
    (node.layer, &node.node_type, node.team_id.as_deref(), outcome)
}

fn may_merge(index: &Index, node: &MemoryNode, now: DateTime<Utc>) -> bool {
    !node.pinned
        && node.author != Author::Administrator
        && matches!(node.layer, Layer::Entity | Layer::Event)
        && now - node.created_at >= TimeDelta::days(MIN_AGE_DAYS)
        && standing(index, node, now) == Standing::Stands
}

/// Shared words of all words.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

fn merged(stays: &MemoryNode, goes: &MemoryNode, alike: f64) -> [NewRelation; 2] {
    let relation = |relation, weight| NewRelation {
        from: stays.symbol.clone(),
        relation,
        to: goes.symbol.clone(),
        weight,
    };
    [relation(RelationType::Supersedes, 1.0), relation(RelationType::SimilarTo, alike)]
}
