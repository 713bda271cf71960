//! JSON Schemas of tools: bounded before they are compiled, and what is wrong with a value said in words that a model
//! can correct itself by. The words name fields and limits, never a value: that may be a caller's.
#![deny(clippy::disallowed_methods)]

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// Longest schema in bytes of JSON.
const MAX_SCHEMA_BYTES: usize = 32 * 1024;
/// Deepest schema, references followed.
const MAX_SCHEMA_DEPTH: usize = 24;
/// Parts of a schema with each reference written out. A few lines of references to references stand for millions.
const MAX_SCHEMA_PARTS: usize = 1_000;
/// Problems that are told at once.
const MAX_PROBLEMS: usize = 12;

/// How large a value may be before it is held against a schema.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Of its JSON.
    pub bytes: usize,
    /// Arrays and objects inside each other.
    pub depth: usize,
    /// Texts, numbers, arrays, objects: all of them.
    pub values: usize,
}

/// Of what a tool is asked.
pub const INPUT: Bounds = Bounds { bytes: 16 * 1024, depth: 8, values: 500 };
/// Of what a tool answers.
pub const OUTPUT: Bounds = Bounds { bytes: 64 * 1024, depth: 16, values: 5_000 };

/// A schema that values are held against.
#[derive(Debug)]
pub struct Schema(Validator);

impl Schema {
    /// Compiles a schema of an object.
    ///
    /// # Errors
    /// What makes it unusable: too large, too deep, a reference out of it, no schema at all.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("its type is not \"object\"".to_owned());
        }
        if json_bytes(schema) > MAX_SCHEMA_BYTES {
            return Err(format!("it is longer than {MAX_SCHEMA_BYTES} bytes"));
        }
        let mut parts = 0;
        written_out(schema, schema, 0, &mut parts)?;
        // Linear-time patterns: one from outside must not be able to hold a thread.
        let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
        match options.build(schema) {
            Ok(validator) => Ok(Self(validator)),
            Err(_) => Err("it is no valid JSON Schema".to_owned()),
        }
    }

    /// Holds a value against the schema.
    ///
    /// # Errors
    /// Everything that is wrong, in one text.
    pub fn check(&self, value: &Value, bounds: Bounds) -> Result<(), String> {
        within(value, bounds)?;
        let mut problems: Vec<String> = Vec::new();
        for error in self.0.iter_errors(value).take(MAX_PROBLEMS) {
            problems.extend(in_words(&error));
        }
        problems.truncate(MAX_PROBLEMS);
        if problems.is_empty() { Ok(()) } else { Err(problems.join(" ")) }
    }
}

/// Counts a schema's parts with its references written out; a reference to itself runs into the bounds.
fn written_out(at: &Value, root: &Value, depth: usize, parts: &mut usize) -> Result<(), String> {
    *parts += 1;
    if *parts > MAX_SCHEMA_PARTS || depth > MAX_SCHEMA_DEPTH {
        return Err("it is too deep or has too many parts".to_owned());
    }
    match at {
        Value::Object(fields) => {
            for keyword in ["$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"] {
                if fields.get(keyword).is_some_and(Value::is_string) {
                    return Err(format!("it uses {keyword}"));
                }
            }
            if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                let inside = target.strip_prefix('#').and_then(|path| root.pointer(path));
                let target = inside.ok_or_else(|| "it refers to something outside itself".to_owned())?;
                written_out(target, root, depth + 1, parts)?;
            }
            fields.values().try_for_each(|value| written_out(value, root, depth + 1, parts))
        }
        Value::Array(all) => all.iter().try_for_each(|value| written_out(value, root, depth + 1, parts)),
        _ => Ok(()),
    }
}

/// Whether a value is small enough to be looked at.
///
/// # Errors
/// Which bound it breaks.
pub fn within(value: &Value, bounds: Bounds) -> Result<(), String> {
    let mut left = bounds.values;
    if !shallow(value, bounds.depth, &mut left) {
        return Err(format!(
            "The data is nested deeper than {} levels or has more than {} parts.",
            bounds.depth, bounds.values
        ));
    }
    if json_bytes(value) > bounds.bytes {
        return Err(format!("The data is longer than {} bytes.", bounds.bytes));
    }
    Ok(())
}

fn shallow(value: &Value, depth: usize, left: &mut usize) -> bool {
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    match value {
        Value::Array(_) | Value::Object(_) if depth == 0 => false,
        Value::Array(all) => all.iter().all(|value| shallow(value, depth - 1, left)),
        Value::Object(fields) => fields.values().all(|value| shallow(value, depth - 1, left)),
        _ => true,
    }
}

fn json_bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

fn in_words(error: &ValidationError<'_>) -> Vec<String> {
    let path = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
    let whole = path.is_empty();
    let field: String = if whole { "The input".to_owned() } else { path.chars().take(80).collect() };
    vec![match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or("a field");
            if whole { format!("{name} is missing.") } else { format!("{field}.{name} is missing.") }
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            // The names are the asker's own; they go nowhere but back.
            let names = unexpected.iter().take(MAX_PROBLEMS).map(|name| {
                let shown: String = name.chars().take(40).collect();
                format!("There is no field {shown:?}.")
            });
            return names.collect();
        }
        ValidationErrorKind::Type { kind } if whole && wants_object(kind) => {
            "The input must be a JSON object.".to_owned()
        }
        ValidationErrorKind::Type { kind } => format!("{field} must be {}.", kind_in_words(kind)),
        ValidationErrorKind::Enum { options } => {
            let names: Vec<String> = options.as_array().into_iter().flatten().take(30).map(plain).collect();
            format!("{field} must be one of: {}.", names.join(", "))
        }
        ValidationErrorKind::MaxLength { limit } => format!("{field} is longer than {limit} characters."),
        ValidationErrorKind::MinLength { limit } => format!("{field} is shorter than {limit} characters."),
        ValidationErrorKind::MaxItems { limit } => format!("{field} has more than {limit} entries."),
        ValidationErrorKind::MinItems { limit } => format!("{field} has fewer than {limit} entries."),
        ValidationErrorKind::Maximum { limit } => format!("{field} is more than {limit}."),
        ValidationErrorKind::Minimum { limit } => format!("{field} is less than {limit}."),
        other => format!("{field} is not what the schema asks for ({}).", other.keyword()),
    }]
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn wants_object(kind: &TypeKind) -> bool {
    matches!(kind, TypeKind::Single(jsonschema::JsonType::Object))
}

fn kind_in_words(kind: &TypeKind) -> String {
    use jsonschema::JsonType as T;
    let word = |kind: T| match kind {
        T::String => "a text",
        T::Number => "a number",
        T::Integer => "a whole number",
        T::Boolean => "true or false",
        T::Array => "a list",
        T::Object => "an object",
        T::Null => "null",
    };
    match kind {
        TypeKind::Single(kind) => word(*kind).to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(word).collect::<Vec<_>>().join(" or "),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn schema(properties: Value, required: &[&str]) -> Schema {
        Schema::compile(&json!({ "type": "object", "properties": properties, "required": required,
            "additionalProperties": false }))
        .unwrap()
    }

    #[test]
    fn what_is_wrong_is_said_by_field_and_never_by_value() {
        let schema = schema(
            json!({ "n": { "type": "integer", "maximum": 9 }, "kind": { "enum": ["a", "b"] },
                    "who": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 3 } },
                             "required": ["name"] }, "all": { "type": "array", "maxItems": 1 } }),
            &["n"],
        );
        let wrong = |value: Value| schema.check(&value, INPUT).unwrap_err();
        assert_eq!(wrong(json!({})), "n is missing.");
        assert_eq!(wrong(json!("secret-4711")), "The input must be a JSON object.");
        assert_eq!(wrong(json!({ "n": "secret-4711" })), "n must be a whole number.");
        assert_eq!(wrong(json!({ "n": 10 })), "n is more than 9.");
        assert_eq!(wrong(json!({ "n": 1, "kind": "secret-4711" })), "kind must be one of: a, b.");
        assert_eq!(wrong(json!({ "n": 1, "who": {} })), "who.name is missing.");
        assert_eq!(
            wrong(json!({ "n": 1, "who": { "name": "secret" } })),
            "who.name is longer than 3 characters."
        );
        assert_eq!(wrong(json!({ "n": 1, "all": [1, 2] })), "all has more than 1 entries.");
        assert_eq!(wrong(json!({ "n": 1, "x": "secret-4711" })), "There is no field \"x\".");
        assert!(schema.check(&json!({ "n": 1, "kind": "a" }), INPUT).is_ok());
    }

    #[test]
    fn large_and_deep_values_are_refused_before_they_are_looked_at() {
        let schema = schema(json!({ "x": {} }), &[]);
        let mut deep = json!(1);
        for _ in 0..60 {
            deep = json!([deep]);
        }
        assert!(schema.check(&json!({ "x": deep }), INPUT).unwrap_err().contains("nested deeper"));
        assert!(
            schema.check(&json!({ "x": "y".repeat(17_000) }), INPUT).unwrap_err().contains("longer than")
        );
        assert!(
            schema.check(&json!({ "x": vec![0; 501] }), INPUT).unwrap_err().contains("more than 500 parts")
        );
        assert!(schema.check(&json!({ "x": vec![0; 400] }), INPUT).is_ok());
    }

    #[test]
    fn schemas_that_reach_out_blow_up_or_are_none_are_refused() {
        let of = |properties: Value, defs: Value| {
            Schema::compile(&json!({ "type": "object", "properties": properties, "$defs": defs })).map(drop)
        };
        assert!(of(json!({ "a": { "$ref": "#/$defs/b" } }), json!({ "b": { "type": "string" } })).is_ok());
        for outside in ["https://evil.example/schema.json", "file:///etc/passwd", "other.json", "#/nothing"] {
            let refused = of(json!({ "a": { "$ref": outside } }), json!({})).unwrap_err();
            assert!(refused.contains("outside itself"), "{outside}: {refused}");
        }
        let mut bomb = serde_json::Map::new();
        for n in 0..40 {
            let next = json!({ "$ref": format!("#/$defs/d{}", n + 1) });
            bomb.insert(format!("d{n}"), json!({ "anyOf": [next, next] }));
        }
        bomb.insert("d40".to_owned(), json!({ "type": "string" }));
        let refused = of(json!({ "a": { "$ref": "#/$defs/d0" } }), Value::Object(bomb)).unwrap_err();
        assert!(refused.contains("too many parts"), "{refused}");
        let own =
            of(json!({ "a": { "$ref": "#/$defs/b" } }), json!({ "b": { "items": { "$ref": "#/$defs/b" } } }));
        assert!(own.unwrap_err().contains("too deep"));
        assert!(Schema::compile(&json!({ "type": "array" })).is_err());
        assert!(Schema::compile(&json!({ "type": "object", "properties": 5 })).is_err());
        assert!(Schema::compile(&json!({ "type": "object", "$id": "https://evil.example/a" })).is_err());
        let long = "d".repeat(40_000);
        assert!(Schema::compile(&json!({ "type": "object", "description": long })).is_err());
    }

    #[test]
    #[allow(clippy::disallowed_methods)] // the time it takes is what is tested
    fn a_pattern_from_outside_cannot_hold_a_thread() {
        let evil = json!({ "a": { "type": "string", "pattern": "^(a+)+$" } });
        let schema = schema(evil, &[]);
        let began = std::time::Instant::now();
        assert!(schema.check(&json!({ "a": format!("{}!", "a".repeat(10_000)) }), INPUT).is_err());
        assert!(began.elapsed() < std::time::Duration::from_secs(2), "{:?}", began.elapsed());
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "\\PC{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z$]{1,8}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn nothing_from_outside_panics(mut schema in any_value(), value in any_value()) {
            if let Some(fields) = schema.as_object_mut() {
                fields.insert("type".to_owned(), json!("object"));
            }
            if let Ok(schema) = Schema::compile(&schema) {
                let _ = schema.check(&value, INPUT);
            }
        }
    }
}
