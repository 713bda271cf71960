//! Nodes and relations.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use crate::error::StorageError;
use crate::ids::MemoryNodeId;
use crate::records::word_enum;

/// Characters of a symbol and of a type, at most.
const MAX_SYMBOL: usize = 255;
const MAX_TYPE: usize = 50;
/// Bytes of what a node says.
const MAX_MICRO: usize = 400;
const MAX_SUMMARY: usize = 4 * 1024;
const MAX_FULL: usize = 64 * 1024;
const MAX_PROPERTIES: usize = 16 * 1024;

word_enum! {
    /// What kind of knowledge a node is.
    Layer {
        /// Why: goals, values, what to optimise.
        Strategic = "strategic",
        /// How: rules, limits, procedures.
        Operational = "operational",
        /// What: things that last.
        Entity = "entity",
        /// When: what happened, with its outcome.
        Event = "event",
    }
}

word_enum! {
    /// How one node relates to another.
    RelationType {
        /// An event to an entity.
        Involves = "involves",
        /// An event to the operational node (the policy) that was used.
        Applies = "applies",
        /// Anything to a strategic node.
        AlignedWith = "aligned_with",
        /// The newer to the older, within a layer.
        Supersedes = "supersedes",
        /// Within a layer.
        SimilarTo = "similar_to",
        /// An event to the event that it led to: the "why".
        Caused = "caused",
    }
}

impl RelationType {
    /// Whether it may lead from one layer to another.
    #[must_use]
    pub fn allows(self, from: Layer, to: Layer) -> bool {
        match self {
            Self::Involves => (from, to) == (Layer::Event, Layer::Entity),
            Self::Applies => (from, to) == (Layer::Event, Layer::Operational),
            Self::AlignedWith => to == Layer::Strategic,
            Self::Supersedes | Self::SimilarTo => from == to,
            Self::Caused => (from, to) == (Layer::Event, Layer::Event),
        }
    }
}

word_enum! {
    /// Who wrote a node.
    Author {
        Administrator = "administrator",
        Review = "after_action_review",
        Consolidation = "consolidation",
        System = "system",
    }
}

/// A node to be kept.
#[derive(Clone, PartialEq, Debug)]
pub struct NewMemoryNode {
    /// Its name, unique in the tenant and in the clear, so never a person's: `decision.refund.2024-12-28`. Lower-case
    /// letters, digits, `.`, `_`, `-`; 255 characters at most.
    pub symbol: String,
    pub layer: Layer,
    /// What it is within its layer: `policy`, `decision`. Lower-case letters, digits, `_`; 50 characters at most.
    pub node_type: String,
    pub team_id: Option<String>,
    /// One line.
    pub micro: String,
    /// A paragraph.
    pub summary: Option<String>,
    pub full: Option<String>,
    /// A JSON object.
    pub properties: Value,
    pub valid_from: DateTime<Utc>,
    pub valid_until: Option<DateTime<Utc>>,
    /// From 0 to 1: how well it is remembered at first.
    pub strength: f64,
    pub pinned: bool,
    pub embedding: Option<Embedding>,
}

/// The vector of a node's text and the model that made it.
#[derive(Clone, PartialEq, Debug)]
pub struct Embedding {
    pub model: String,
    pub vector: Vec<f32>,
}

impl NewMemoryNode {
    pub(super) fn check(&self) -> Result<(), StorageError> {
        let wrong = |what| Err(StorageError::Invalid { what });
        if !is_symbol(&self.symbol) {
            return wrong(
                "a symbol is made of lower-case letters, digits, dots, dashes and underscores, 255 at most",
            );
        }
        if !is_type(&self.node_type) {
            return wrong("a type is a lower-case letter, then letters, digits and underscores, 50 at most");
        }
        if self.micro.trim().is_empty() || self.micro.len() > MAX_MICRO {
            return wrong("a node needs a micro text of at most 400 bytes");
        }
        if self.team_id.as_ref().is_some_and(|team| team.contains('\0')) {
            return wrong("a team's name must not hold a NUL character");
        }
        let too_long = |text: &Option<String>, most| text.as_ref().is_some_and(|text| text.len() > most);
        if too_long(&self.summary, MAX_SUMMARY) || too_long(&self.full, MAX_FULL) {
            return wrong("a summary has at most 4 KiB and a full text at most 64 KiB");
        }
        if !self.properties.is_object() || self.properties.to_string().len() > MAX_PROPERTIES {
            return wrong("a node's properties are a JSON object of at most 16 KiB");
        }
        if !(0.0..=1.0).contains(&self.strength) {
            return wrong("a strength is from 0 to 1");
        }
        if self.valid_until.is_some_and(|until| until < self.valid_from) {
            return wrong("a node cannot end before it begins to hold");
        }
        Ok(())
    }
}

/// Whether a text can be a node's symbol.
pub(super) fn is_symbol(text: &str) -> bool {
    (1..=MAX_SYMBOL).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
}

/// Whether a text can be the name of a type.
pub(super) fn is_type(text: &str) -> bool {
    (1..=MAX_TYPE).contains(&text.len())
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// A node without its full text.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MemoryNode {
    pub id: MemoryNodeId,
    pub symbol: String,
    pub layer: Layer,
    #[serde(rename = "type")]
    pub node_type: String,
    pub team_id: Option<String>,
    pub micro: String,
    pub summary: Option<String>,
    pub properties: Value,
    pub author: Author,
    pub created_at: DateTime<Utc>,
    pub valid_from: DateTime<Utc>,
    pub valid_until: Option<DateTime<Utc>>,
    /// From 0 to 1, as of `last_used`.
    pub strength: f64,
    pub last_used: DateTime<Utc>,
    pub use_count: u64,
    pub pinned: bool,
    pub superseded_by: Option<MemoryNodeId>,
}

/// A relation to be kept, between nodes by their symbols. One that is there already gets the new weight.
#[derive(Clone, PartialEq, Debug)]
pub struct NewRelation {
    pub from: String,
    pub relation: RelationType,
    pub to: String,
    /// From 0 to 1.
    pub weight: f64,
}

impl NewRelation {
    pub(super) fn check(&self) -> Result<(), StorageError> {
        if !is_symbol(&self.from) || !is_symbol(&self.to) {
            return Err(StorageError::NotFound { what: "memory node" });
        }
        if self.from == self.to {
            return Err(StorageError::Invalid { what: "a node cannot relate to itself" });
        }
        if !(0.0..=1.0).contains(&self.weight) {
            return Err(StorageError::Invalid { what: "a relation's weight is from 0 to 1" });
        }
        Ok(())
    }
}

/// A relation.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MemoryEdge {
    pub from: MemoryNodeId,
    pub relation: RelationType,
    pub to: MemoryNodeId,
    /// From 0 to 1.
    pub weight: f64,
}

/// Which nodes to list. Newest first.
#[derive(Clone, Debug, Default)]
pub struct NodeFilter {
    pub layer: Option<Layer>,
    pub node_type: Option<String>,
    pub team_id: Option<String>,
    /// Nodes before this one.
    pub after: Option<MemoryNodeId>,
    /// 0: 50. At most 500.
    pub limit: u32,
}

/// One use of a node.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Use {
    pub id: MemoryNodeId,
    /// From 0 to 1: how well it is remembered from now on.
    pub strength: f64,
}

/// What was written since an index looked last.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changes {
    pub nodes: Vec<IndexedNode>,
    pub edges: Vec<MemoryEdge>,
    /// The last change that is in here. Before the one that was asked for: the store is another than it was.
    pub reached: i64,
    pub more: bool,
}

/// A node as an index wants it.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexedNode {
    pub node: MemoryNode,
    pub embedding: Option<Embedding>,
    /// It says nothing any more: take it out, with its relations.
    pub is_forgotten: bool,
}

/// From 0 to 1 as it is kept: millionths.
pub(crate) fn to_millionths(share: f64) -> i64 {
    (share.clamp(0.0, 1.0) * 1e6).round() as i64
}

pub(crate) fn from_millionths(kept: i64) -> f64 {
    kept as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_lead_where_the_layers_say() {
        use Layer::{Entity, Event, Operational, Strategic};
        assert!(
            RelationType::Involves.allows(Event, Entity) && !RelationType::Involves.allows(Entity, Event)
        );
        assert!(RelationType::Applies.allows(Event, Operational));
        assert!(RelationType::AlignedWith.allows(Operational, Strategic));
        assert!(!RelationType::AlignedWith.allows(Strategic, Operational));
        assert!(RelationType::Supersedes.allows(Operational, Operational));
        assert!(
            !RelationType::SimilarTo.allows(Event, Entity) && !RelationType::Caused.allows(Entity, Event)
        );
    }

    #[test]
    fn names_are_plain() {
        for good in ["operational.policy.refund.v3", "decision.refund.2024-12-28", "a"] {
            assert!(is_symbol(good), "{good}");
        }
        for bad in ["", "Jane Doe", "a\0", "ñ", "+12025550100"] {
            assert!(!is_symbol(bad), "{bad}");
        }
        assert!(is_symbol(&"a".repeat(255)) && !is_symbol(&"a".repeat(256)));
        assert!(is_type("policy_2") && !is_type("2policy") && !is_type("a.b") && !is_type(&"a".repeat(51)));
    }
}
