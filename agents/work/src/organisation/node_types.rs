//! Which types of nodes there are: those of `data/organisation/node_types.toml`, and those that teams declared.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jsonschema::{PatternOptions, Validator};
use serde::Deserialize;
use serde_json::Value;
use storage::organisation::{ExtensionType, Layer, NewMemoryNode};

use super::resolution::{MICRO_TOKENS, SUMMARY_TOKENS, tokens};

const SHIPPED: &str = include_str!("../../data/organisation/node_types.toml");
/// Bytes of a team's schema, and of the automaton of one of its patterns.
const MAX_SCHEMA: usize = 16 * 1024;
const MAX_PATTERN: usize = 256 * 1024;
/// Faults that are told of one node.
const MOST_FAULTS: usize = 8;

/// The types that come with the program.
static TYPES: LazyLock<BTreeMap<String, NodeType>> = LazyLock::new(|| {
    // The file is a part of the program; a test reads it.
    load(SHIPPED).unwrap_or_default()
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    r#type: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    layer: Layer,
    team: Option<String>,
    description: String,
    properties: Value,
}

/// A type that comes with the program.
#[derive(Debug)]
pub struct NodeType {
    pub layer: Layer,
    /// Whose it is alone.
    pub team_id: Option<String>,
    pub description: String,
    /// JSON Schema of the properties.
    pub properties_schema: Value,
    validator: Validator,
}

fn load(text: &str) -> Result<BTreeMap<String, NodeType>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut types = BTreeMap::new();
    for Entry { name, layer, team, description, properties } in file.r#type {
        let validator = compile(&properties).map_err(|wrong| format!("type {name}: {wrong}"))?;
        let kept = NodeType { layer, team_id: team, description, properties_schema: properties, validator };
        if types.insert(name.clone(), kept).is_some() {
            return Err(format!("type {name} is there twice"));
        }
    }
    Ok(types)
}

/// The types that come with the program, by name.
#[must_use]
pub fn shipped() -> &'static BTreeMap<String, NodeType> {
    &TYPES
}

/// A schema of the properties of a type, ready to check. Patterns run in linear time, and nothing is fetched.
///
/// # Errors
/// In words, when it is no JSON Schema, too large, or points outside itself.
pub fn compile(schema: &Value) -> Result<Validator, String> {
    if !schema.is_object() || schema.to_string().len() > MAX_SCHEMA {
        return Err(format!("a schema is a JSON object of at most {} KiB", MAX_SCHEMA / 1024));
    }
    jsonschema::options()
        .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN))
        .build(schema)
        .map_err(|error| format!("no JSON Schema that can be used: {error}"))
}

/// Whether a node fits its type. Types of the program come before those of teams.
///
/// # Errors
/// Everything that is wrong, in words that name places and never values.
pub fn check(node: &NewMemoryNode, extensions: &[ExtensionType]) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    let mut check_home = |layer: Layer, team: Option<&String>| {
        if layer != node.layer {
            faults.push(format!("type {} belongs to the layer {layer}", node.node_type));
        }
        if let Some(team) = team.filter(|team| node.team_id.as_ref() != Some(*team)) {
            faults.push(format!("type {} belongs to the team {team}: send it as team_id", node.node_type));
        }
    };
    if let Some(known) = TYPES.get(&node.node_type) {
        check_home(known.layer, known.team_id.as_ref());
        faults.extend(wrong_properties(&known.validator, &node.properties));
    } else if let Some(declared) = extensions.iter().find(|declared| declared.name == node.node_type) {
        check_home(declared.layer, declared.team_id.as_ref());
        if let Some(schema) = &declared.properties_schema {
            match compile(schema) {
                Ok(validator) => faults.extend(wrong_properties(&validator, &node.properties)),
                Err(wrong) => faults.push(format!("the schema of type {}: {wrong}", node.node_type)),
            }
        }
    } else {
        faults.push(format!("there is no type {}: declare it first", node.node_type));
    }
    for (name, text, most) in
        [("micro", Some(&node.micro), MICRO_TOKENS), ("summary", node.summary.as_ref(), SUMMARY_TOKENS)]
    {
        let size = text.map_or(0, |text| tokens(text));
        if size > most {
            faults.push(format!("{name} has about {size} tokens, and at most {most} are allowed"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Where the properties break the schema, and which keyword of it. The values stay out: they may be personal.
fn wrong_properties(validator: &Validator, properties: &Value) -> Vec<String> {
    let told = |error: jsonschema::ValidationError<'_>| {
        let at = error.instance_path().to_string();
        let rule = error.schema_path().to_string();
        format!("properties{at} break {rule} of the type's schema")
    };
    validator.iter_errors(properties).take(MOST_FAULTS).map(told).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use chrono::DateTime;
    use serde_json::json;
    use storage::organisation::TypeState;

    use super::*;

    fn node(layer: Layer, node_type: &str, properties: Value) -> NewMemoryNode {
        NewMemoryNode {
            symbol: "a".into(),
            layer,
            node_type: node_type.into(),
            team_id: None,
            micro: "A short line.".into(),
            summary: None,
            full: None,
            properties,
            valid_from: DateTime::UNIX_EPOCH,
            valid_until: None,
            strength: 1.0,
            pinned: false,
            embedding: None,
        }
    }

    fn declared(schema: Value) -> ExtensionType {
        ExtensionType {
            name: "habit".into(),
            layer: Layer::Entity,
            team_id: Some("safety".into()),
            description: String::new(),
            properties_schema: Some(schema),
            state: TypeState::Experimental,
            nodes: 0,
            retrievals: 0,
            reason: None,
            decided_by: None,
            decided_at: None,
            evidence: None,
            created_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_shipped_types_load_and_cover_every_layer() {
        let types = load(SHIPPED).unwrap();
        for layer in [Layer::Strategic, Layer::Operational, Layer::Entity, Layer::Event] {
            assert!(types.values().any(|known| known.layer == layer), "{layer}");
        }
        assert!(load("[[type]]\nname = 'a'\nlayer = 'event'\ndescription = ''\nproperties = 3").is_err());
        assert!(load(&format!("{SHIPPED}\n{SHIPPED}")).unwrap_err().contains("twice"));
    }

    #[test]
    fn a_decision_needs_an_outcome() {
        assert_eq!(check(&node(Layer::Event, "decision", json!({"outcome": "approved"})), &[]), Ok(()));
        let wrong = check(&node(Layer::Event, "decision", json!({"factors": "Ada Quist"})), &[]).unwrap_err();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(!wrong.join(" ").contains("Ada"), "values are not repeated: {wrong:?}");
        assert!(check(&node(Layer::Entity, "decision", json!({"outcome": "x"})), &[]).is_err());
    }

    #[test]
    fn a_teams_type_is_its_own() {
        let types = [declared(json!({"type": "object", "required": ["site"]}))];
        let mine = |team: Option<&str>, properties| NewMemoryNode {
            team_id: team.map(str::to_owned),
            ..node(Layer::Entity, "habit", properties)
        };
        assert_eq!(check(&mine(Some("safety"), json!({"site": "a"})), &types), Ok(()));
        assert_eq!(check(&mine(None, json!({"site": "a"})), &types).unwrap_err().len(), 1);
        assert_eq!(check(&mine(Some("safety"), json!({})), &types).unwrap_err().len(), 1);
        let unknown = check(&node(Layer::Entity, "habit", json!({})), &[]).unwrap_err();
        assert!(unknown[0].contains("declare it"), "{unknown:?}");
    }

    #[test]
    fn texts_that_are_too_long_for_their_resolution_are_refused() {
        let long = NewMemoryNode {
            micro: "word ".repeat(21),
            summary: Some("word ".repeat(151)),
            ..node(Layer::Event, "call", json!({}))
        };
        assert_eq!(check(&long, &[]).unwrap_err().len(), 2);
    }

    #[test]
    fn hostile_schemas_are_refused_or_harmless() {
        assert!(compile(&json!({"type": "nonsense"})).is_err());
        assert!(compile(&json!({"$ref": "http://127.0.0.1:9/a.json"})).is_err());
        assert!(compile(&json!({"$ref": "file:///etc/passwd"})).is_err());
        assert!(compile(&json!([])).is_err());
        assert!(compile(&json!({"description": "x".repeat(MAX_SCHEMA)})).is_err());
        let slow = compile(&json!({"properties": {"a": {"pattern": "^(a+)+$"}}})).unwrap();
        assert!(!slow.is_valid(&json!({"a": format!("{}b", "a".repeat(5_000))})));
    }
}
