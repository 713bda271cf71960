//! A tenant's memory as it is searched: every node that is not forgotten, by name, word, vector and relation.
//!
//! Sealed text cannot be searched where it is kept, so it is searched here. The index holds what nodes say in one line
//! and in summary, not their full texts, and grows by [`storage::organisation::Changes`].
#![deny(clippy::disallowed_methods)]

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use chrono::{DateTime, Utc};
use serde_json::Value;
use storage::MemoryNodeId;
use storage::organisation::{Changes, IndexedNode, Layer, MemoryEdge, MemoryNode, RelationType};

use super::decay::strength_now;
use super::pagerank::Relations;
use language::english::terms::terms;

use knowledge::cosine;

/// Nodes of a tenant that are searched. When there are more, the events and entities that are remembered worst are not.
pub const MAX_NODES: usize = 50_000;
/// Words of a question that count.
const MAX_TERMS: usize = 64;
/// BM25: how soon a repeated word stops counting, and how much long texts are held back.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// What a word that no node has counts for, against its weight.
const UNKNOWN: f32 = 0.3;

/// Memory in a form that can be searched.
#[derive(Default)]
pub struct Index {
    entries: Vec<Option<Entry>>,
    free: Vec<u32>,
    by_id: HashMap<MemoryNodeId, u32>,
    by_symbol: HashMap<String, u32>,
    postings: HashMap<String, Vec<(u32, f32)>>,
    links: Vec<Vec<Link>>,
    /// Words of all entries together.
    words: f32,
    reached: i64,
}

/// A node in the index.
struct Entry {
    node: MemoryNode,
    words: f32,
    vector: Option<(String, Vec<f32>)>,
}

/// A relation as seen from one of its ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Link {
    pub to: u32,
    pub relation: RelationType,
    pub weight: f32,
    /// It leads away from here.
    pub outward: bool,
}

/// A question's words and, with a model, its vector.
#[derive(Clone, Default)]
pub struct Wanted {
    terms: BTreeSet<String>,
    /// Which model made the vector, and the vector, of unit length.
    vector: Option<(String, Vec<f32>)>,
}

language::shown!(Wanted, "Wanted": ; terms);

impl Wanted {
    #[must_use]
    pub fn new(text: &str, vector: Option<(String, Vec<f32>)>) -> Self {
        Self { terms: terms(text).into_iter().take(MAX_TERMS).collect(), vector }
    }
}

/// Its size alone: what nodes say is nobody's but the tenant's.
impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} nodes, change {})", self.len(), self.reached)
    }
}

impl Index {
    /// The last change that is in here.
    #[must_use]
    pub const fn reached(&self) -> i64 {
        self.reached
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Slots, those of nodes that are gone among them: every slot is below.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.entries.len()
    }

    /// Takes in what was written. Whoever is left out for want of room is gone until the index is made anew.
    pub fn apply(&mut self, changes: Changes, now: DateTime<Utc>) {
        for indexed in changes.nodes {
            self.take(indexed, now);
        }
        for edge in changes.edges {
            self.connect(&edge);
        }
        self.reached = changes.reached;
    }

    fn take(&mut self, indexed: IndexedNode, now: DateTime<Utc>) {
        let IndexedNode { node, embedding, is_forgotten } = indexed;
        let vector = embedding.map(|embedding| (embedding.model, embedding.vector));
        let known = self.by_id.get(&node.id).copied();
        match known {
            Some(slot) if is_forgotten => self.remove(slot),
            Some(slot) => {
                // What a node says never changes.
                if let Some(entry) = &mut self.entries[slot as usize] {
                    entry.node = node;
                    entry.vector = vector;
                }
            }
            None if is_forgotten => {}
            None => {
                if self.by_id.len() >= MAX_NODES {
                    self.make_room(now);
                }
                self.add(node, vector);
            }
        }
    }

    fn add(&mut self, node: MemoryNode, vector: Option<(String, Vec<f32>)>) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.links.push(Vec::new());
            u32::try_from(self.entries.len() - 1).unwrap_or(u32::MAX)
        });
        let counts = counts(&node);
        let words: f32 = counts.values().sum();
        for (term, count) in counts {
            self.postings.entry(term).or_default().push((slot, count));
        }
        self.words += words;
        self.by_id.insert(node.id, slot);
        self.by_symbol.insert(node.symbol.clone(), slot);
        self.entries[slot as usize] = Some(Entry { node, words, vector });
    }

    fn remove(&mut self, slot: u32) {
        let Some(entry) = self.entries[slot as usize].take() else { return };
        for term in counts(&entry.node).into_keys() {
            if let Some(posting) = self.postings.get_mut(&term) {
                posting.retain(|(other, _)| *other != slot);
                if posting.is_empty() {
                    self.postings.remove(&term);
                }
            }
        }
        self.words -= entry.words;
        self.by_id.remove(&entry.node.id);
        self.by_symbol.remove(&entry.node.symbol);
        for link in std::mem::take(&mut self.links[slot as usize]) {
            self.links[link.to as usize].retain(|back| back.to != slot);
        }
        self.free.push(slot);
    }

    /// Lets the twentieth part go that is remembered worst. Goals, rules and pinned nodes stay.
    fn make_room(&mut self, now: DateTime<Utc>) {
        let may_go = |node: &MemoryNode| !node.pinned && matches!(node.layer, Layer::Entity | Layer::Event);
        let mut weakest: Vec<(f64, u32)> = self
            .entries()
            .filter(|(_, node)| may_go(node))
            .map(|(slot, node)| (strength_now(node, now), slot))
            .collect();
        weakest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (_, slot) in weakest.into_iter().take(MAX_NODES / 20) {
            self.remove(slot);
        }
    }

    /// Relations of nodes that are not in here are left out.
    fn connect(&mut self, edge: &MemoryEdge) {
        let (Some(from), Some(to)) = (self.by_id.get(&edge.from), self.by_id.get(&edge.to)) else { return };
        for (at, to, outward) in [(*from, *to, true), (*to, *from, false)] {
            let link = Link { to, relation: edge.relation, weight: edge.weight as f32, outward };
            let links = &mut self.links[at as usize];
            let same = |it: &&mut Link| (it.to, it.relation, it.outward) == (to, link.relation, outward);
            match links.iter_mut().find(same) {
                Some(known) => known.weight = link.weight,
                None => links.push(link),
            }
        }
    }

    // ------------------------------------------------------------ looking up

    #[must_use]
    pub fn node(&self, slot: u32) -> Option<&MemoryNode> {
        self.entries.get(slot as usize)?.as_ref().map(|entry| &entry.node)
    }

    #[must_use]
    pub fn slot(&self, id: MemoryNodeId) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    #[must_use]
    pub fn slot_of(&self, symbol: &str) -> Option<u32> {
        self.by_symbol.get(symbol).copied()
    }

    /// Every node with its slot.
    pub fn entries(&self) -> impl Iterator<Item = (u32, &MemoryNode)> {
        (0..).zip(&self.entries).filter_map(|(slot, entry)| Some((slot, &entry.as_ref()?.node)))
    }

    /// Relations of a node, in both directions.
    #[must_use]
    pub fn links(&self, slot: u32) -> &[Link] {
        self.links.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    /// Nodes at the other end of relations of one type.
    pub fn related(
        &self,
        slot: u32,
        relation: RelationType,
        outward: bool,
    ) -> impl Iterator<Item = &MemoryNode> {
        let wanted = move |link: &&Link| link.relation == relation && link.outward == outward;
        self.links(slot).iter().filter(wanted).filter_map(|link| self.node(link.to))
    }

    /// Nodes whose vector of this model is missing, at most so many.
    #[must_use]
    pub fn without_vector(&self, model: &str, limit: usize) -> Vec<MemoryNode> {
        let lacks = |entry: &&Entry| entry.vector.as_ref().is_none_or(|(made_by, _)| made_by != model);
        self.entries.iter().flatten().filter(lacks).take(limit).map(|entry| entry.node.clone()).collect()
    }

    // ------------------------------------------------------------ likeness

    /// How rare a word is.
    #[must_use]
    pub fn weight(&self, term: &str) -> f32 {
        let with = self.postings.get(term).map_or(0, Vec::len) as f32;
        (1.0 + (self.len() as f32 - with + 0.5) / (with + 0.5)).ln()
    }

    /// How well nodes fit a question, by slot, from 0 to 1: the words that they share, weighted by how rare they are,
    /// and what their vectors have in common. Nodes that share nothing are left out; the rest in no order.
    #[must_use]
    pub fn similar(&self, wanted: &Wanted) -> Vec<(u32, f32)> {
        let mean = self.words / (self.len().max(1) as f32);
        // A word that no node has says little: callers use many that nobody wrote down.
        let asked = |term: &String| {
            let known = self.postings.contains_key(term);
            self.weight(term) * if known { 1.0 } else { UNKNOWN }
        };
        let total: f32 = wanted.terms.iter().map(asked).sum();
        let mut lexical: HashMap<u32, f32> = HashMap::new();
        for term in &wanted.terms {
            let weight = self.weight(term);
            for (slot, count) in self.postings.get(term).into_iter().flatten() {
                let Some(entry) = &self.entries[*slot as usize] else { continue };
                let norm = K1 * (1.0 - B + B * entry.words / mean.max(1.0));
                let full = count * (K1 + 1.0) / (count + norm);
                // A word counts for at most its weight, so that one said often does not stand in for the others.
                *lexical.entry(*slot).or_default() += weight * full.min(1.0);
            }
        }
        let share = |held: f32| if total > 0.0 { (held / total).clamp(0.0, 1.0) } else { 0.0 };
        let Some((model, vector)) = &wanted.vector else {
            return lexical.into_iter().map(|(slot, held)| (slot, share(held))).collect();
        };
        let mut found = Vec::with_capacity(lexical.len());
        for (slot, entry) in (0..).zip(&self.entries) {
            let Some(entry) = entry else { continue };
            let words = share(lexical.get(&slot).copied().unwrap_or_default());
            let meaning = entry.vector.as_ref().filter(|(made_by, _)| made_by == model);
            let likeness = match meaning.map(|(_, own)| cosine(own, vector)) {
                // Sentences that have nothing to do with one another are at some 0.2 in this model.
                Some(cosine) => 0.6 * ((cosine - 0.2) / 0.6).clamp(0.0, 1.0) + 0.4 * words,
                None => words,
            };
            if likeness > 0.0 {
                found.push((slot, likeness));
            }
        }
        found
    }

    /// Words that a question and a node share, the rarest first: as the question spells them.
    #[must_use]
    pub fn shared_words(&self, text: &str, slot: u32, most: usize) -> Vec<String> {
        let Some(node) = self.node(slot) else { return Vec::new() };
        let own = counts(node);
        let mut shared: Vec<(f32, String)> = Vec::new();
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let stem = terms(word).into_iter().next().filter(|stem| own.contains_key(stem));
            let word = word.to_lowercase();
            if let Some(stem) = stem.filter(|_| shared.iter().all(|(_, known)| *known != word)) {
                shared.push((self.weight(&stem), word));
            }
        }
        shared.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        shared.into_iter().take(most).map(|(_, word)| word).collect()
    }
}

/// Both ways: what caused a decision is found from the decision, and the decisions that a policy led to from the policy.
impl Relations for Index {
    fn around(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        self.links(node).iter().map(|link| (link.to, f64::from(link.weight) * pull(link.relation)))
    }
}

/// How strongly a relation brings the other end to mind.
const fn pull(relation: RelationType) -> f64 {
    match relation {
        RelationType::Caused => 1.0,
        RelationType::Applies => 0.9,
        RelationType::Involves | RelationType::SimilarTo => 0.8,
        RelationType::Supersedes => 0.6,
        // Everything serves some goal, so this says little.
        RelationType::AlignedWith => 0.4,
    }
}

/// Words by how often a node has them: of its texts, its symbol, and the texts among its properties.
fn counts(node: &MemoryNode) -> HashMap<String, f32> {
    let mut text = node.symbol.replace(['.', '_', '-'], " ");
    for part in [Some(&node.micro), node.summary.as_ref()].into_iter().flatten() {
        text.push(' ');
        text.push_str(part);
    }
    gather(&node.properties, &mut text);
    let mut counts = HashMap::new();
    for term in terms(&text) {
        *counts.entry(term).or_default() += 1.0;
    }
    counts
}

fn gather(value: &Value, text: &mut String) {
    match value {
        Value::String(own) => {
            text.push(' ');
            text.push_str(own);
        }
        Value::Array(items) => items.iter().for_each(|item| gather(item, text)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use serde_json::json;
    use storage::organisation::Author;
    use uuid::Uuid;

    use super::*;

    const WORDS: [&str; 6] = ["heater", "fence", "refund", "noise", "permit", "culvert"];

    fn node(n: u8) -> MemoryNode {
        let word = |at: u8| WORDS[usize::from(at) % WORDS.len()];
        MemoryNode {
            id: MemoryNodeId(Uuid::from_u128(u128::from(n) + 1)),
            symbol: format!("n.{n}"),
            layer: Layer::Event,
            node_type: "call".into(),
            team_id: None,
            micro: format!("{} {}", word(n), word(n / 3)),
            summary: None,
            properties: json!({"about": word(n / 7)}),
            author: Author::System,
            created_at: DateTime::UNIX_EPOCH,
            valid_from: DateTime::UNIX_EPOCH,
            valid_until: None,
            strength: 1.0,
            last_used: DateTime::UNIX_EPOCH,
            use_count: 0,
            pinned: false,
            superseded_by: None,
        }
    }

    fn change(n: u8, is_forgotten: bool) -> Changes {
        let nodes = vec![IndexedNode { node: node(n), embedding: None, is_forgotten }];
        let from = node(n).id;
        let to = node(n.wrapping_add(1)).id;
        let edge = MemoryEdge { from, relation: RelationType::SimilarTo, to, weight: 0.5 };
        let edges = if is_forgotten { Vec::new() } else { vec![edge] };
        Changes { nodes, edges, reached: 0, more: false }
    }

    fn likeness(index: &Index, text: &str) -> Vec<(String, i64)> {
        let found = index.similar(&Wanted::new(text, None)).into_iter();
        let mut found: Vec<(String, i64)> = found
            .map(|(slot, alike)| (index.node(slot).unwrap().symbol.clone(), (alike * 1e4).round() as i64))
            .collect();
        found.sort();
        found
    }

    proptest! {
        #[test]
        fn what_is_forgotten_leaves_no_trace(steps in prop::collection::vec((0..24_u8, any::<bool>()), 1..60)) {
            let mut index = Index::default();
            for (n, is_forgotten) in &steps {
                index.apply(change(*n, *is_forgotten), DateTime::UNIX_EPOCH);
            }
            let mut left: Vec<u8> = index.entries().map(|(_, node)| node.symbol[2..].parse().unwrap()).collect();
            left.sort_unstable();
            let mut fresh = Index::default();
            for n in &left {
                fresh.apply(change(*n, false), DateTime::UNIX_EPOCH);
            }
            for text in ["heater refund", "culvert near the fence", "zebra"] {
                prop_assert_eq!(likeness(&index, text), likeness(&fresh, text));
            }
            prop_assert_eq!(index.postings.len(), fresh.postings.len());
            for slot in 0..index.slots() as u32 {
                for link in index.links(slot) {
                    prop_assert!(index.node(slot).is_some() && index.node(link.to).is_some());
                }
            }
        }
    }

    #[test]
    fn a_vector_of_another_model_counts_for_nothing() {
        let embedded =
            |model: &str| storage::organisation::Embedding { model: model.into(), vector: vec![1.0, 0.0] };
        let mut index = Index::default();
        for (n, model) in [(1, "a"), (2, "b")] {
            let nodes =
                vec![IndexedNode { node: node(n), embedding: Some(embedded(model)), is_forgotten: false }];
            index.apply(Changes { nodes, ..Changes::default() }, DateTime::UNIX_EPOCH);
        }
        let wanted = Wanted::new("zebra", Some(("a".into(), vec![1.0, 0.0])));
        let found: Vec<&str> = index
            .similar(&wanted)
            .into_iter()
            .map(|(slot, _)| index.node(slot).unwrap().symbol.as_str())
            .collect();
        assert_eq!(found, ["n.1"]);
        assert_eq!(index.without_vector("a", 9).len(), 1);
    }
}
