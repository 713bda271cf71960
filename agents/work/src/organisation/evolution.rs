//! When a type that a team added has proved itself: figures, thresholds, and the shape that its nodes share.
//!
//! ```text
//! EXPERIMENTAL (added) -> STABLE (its nodes look alike) -> PROMOTED (fit for a full schema)
//! ```
//!
//! Nothing here changes a type. What is found out is told to somebody, and their decision is recorded.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};
use storage::organisation::TypeState;

/// What a type needs for promotion.
pub const NODES: u64 = 100;
pub const RETRIEVALS: u64 = 500;
pub const CONSISTENCY: f64 = 0.8;

/// Figures of a type.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Figures {
    pub nodes: u64,
    pub retrievals: u64,
    /// Share of the nodes that have every property of the common shape, from 0 to 1.
    pub property_consistency: f64,
}

/// Where a type stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Assessment {
    #[serde(flatten)]
    pub figures: Figures,
    /// The highest state that its figures allow.
    pub eligible_for: TypeState,
    /// Flagged: fit for promotion and not promoted.
    pub flagged_for_promotion: bool,
    /// What is missing to promotion, in words.
    pub missing: Vec<String>,
    /// JSON Schema of the shape that its nodes share: a proposal.
    pub proposed_schema: Value,
}

/// Kinds of JSON values, by the word that a schema has for them.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The properties that at least half of the nodes have, with their commonest kind.
fn shape<'a>(nodes: &[&'a Map<String, Value>]) -> BTreeMap<&'a str, &'static str> {
    let mut seen: BTreeMap<&str, BTreeMap<&'static str, usize>> = BTreeMap::new();
    for (name, value) in nodes.iter().copied().flat_map(Map::iter) {
        *seen.entry(name.as_str()).or_default().entry(kind(value)).or_default() += 1;
    }
    let common = |kinds: BTreeMap<&'static str, usize>| {
        let total: usize = kinds.values().sum();
        // Of kinds as common as one another the first by name, so that runs are equal.
        let best = kinds.into_iter().rev().max_by_key(|(_, n)| *n)?.0;
        (total * 2 >= nodes.len()).then_some(best)
    };
    seen.into_iter().filter_map(|(name, kinds)| Some((name, common(kinds)?))).collect()
}

/// Share of the nodes that keep the common shape, and its schema. Nodes without any common property keep none.
#[must_use]
pub fn consistency(nodes: &[&Map<String, Value>]) -> (f64, Value) {
    let shape = shape(nodes);
    let keeps = |node: &Map<String, Value>| {
        shape.iter().all(|(name, wanted)| node.get(*name).is_some_and(|value| kind(value) == *wanted))
    };
    let alike = nodes.iter().filter(|node| keeps(node)).count();
    let share = if shape.is_empty() { 0.0 } else { alike as f64 / nodes.len() as f64 };
    let properties: Map<String, Value> =
        shape.iter().map(|(name, kind)| ((*name).to_owned(), json!({ "type": kind }))).collect();
    let schema =
        json!({ "type": "object", "properties": properties, "required": shape.keys().collect::<Vec<_>>() });
    (share, schema)
}

/// What the figures of a type allow.
#[must_use]
pub fn assess(state: TypeState, figures: Figures, proposed_schema: Value) -> Assessment {
    let mut missing = Vec::new();
    if figures.nodes < NODES {
        missing.push(format!("{} of {NODES} nodes", figures.nodes));
    }
    let alike = figures.property_consistency;
    // A share that is not a number is no share.
    let is_alike = alike >= CONSISTENCY;
    if !is_alike {
        missing.push(format!("{:.0} % of {:.0} % property consistency", alike * 100.0, CONSISTENCY * 100.0));
    }
    let is_stable = missing.is_empty();
    if figures.retrievals < RETRIEVALS {
        missing.push(format!("{} of {RETRIEVALS} retrievals", figures.retrievals));
    }
    let eligible_for = match (is_stable, missing.is_empty()) {
        (_, true) => TypeState::Promoted,
        (true, false) => TypeState::Stable,
        (false, false) => TypeState::Experimental,
    };
    let flagged_for_promotion = missing.is_empty() && state != TypeState::Promoted;
    Assessment { figures, eligible_for, flagged_for_promotion, missing, proposed_schema }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn figures(nodes: u64, retrievals: u64, property_consistency: f64) -> Figures {
        Figures { nodes, retrievals, property_consistency }
    }

    fn state_of(figures: Figures) -> TypeState {
        assess(TypeState::Experimental, figures, Value::Null).eligible_for
    }

    #[test]
    fn the_thresholds_are_those_of_the_source() {
        assert_eq!(state_of(figures(100, 500, 0.8)), TypeState::Promoted);
        assert_eq!(state_of(figures(99, 500, 1.0)), TypeState::Experimental);
        assert_eq!(state_of(figures(100, 499, 1.0)), TypeState::Stable);
        assert_eq!(state_of(figures(1000, 5000, 0.79)), TypeState::Experimental);
        assert_eq!(state_of(figures(1000, 5000, f64::NAN)), TypeState::Experimental);
        let again = assess(TypeState::Promoted, figures(100, 500, 0.8), Value::Null);
        assert!(!again.flagged_for_promotion && again.missing.is_empty());
        let short = assess(TypeState::Stable, figures(120, 7, 0.9), Value::Null);
        assert_eq!(short.missing, ["7 of 500 retrievals"]);
    }

    #[test]
    fn nodes_are_held_against_what_most_of_them_have() {
        let values = [
            json!({"site": "a", "day": "monday", "note": "x"}),
            json!({"site": "b", "day": "friday"}),
            json!({"site": "c", "day": 3}),
            json!({"day": "sunday"}),
        ];
        let nodes: Vec<_> = values.iter().filter_map(Value::as_object).collect();
        let (share, schema) = consistency(&nodes);
        assert!((share - 0.5).abs() < 1e-9, "{share}");
        assert_eq!(schema["required"], json!(["day", "site"]));
        assert_eq!(schema["properties"]["day"]["type"], "string");
        assert!(schema["properties"].get("note").is_none());
        assert!(consistency(&[]).0.abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn equal_nodes_are_wholly_consistent(n in 1..40_usize, names in prop::collection::btree_set("[a-z]{1,4}", 1..5)) {
            let node: Map<String, Value> = names.into_iter().map(|name| (name, json!(1))).collect();
            let nodes = vec![&node; n];
            prop_assert!((consistency(&nodes).0 - 1.0).abs() < 1e-9);
        }
    }
}
