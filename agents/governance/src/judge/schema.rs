//! The shape of an output, by JSON Schema. References to elsewhere are refused: nothing is fetched.

use jsonschema::PatternOptions;
use serde_json::Value;

use super::request::{RequestError, Severity, ValidationIssue};

/// Problems that are listed of one output.
const MAX_ISSUES: usize = 50;
/// Bytes that a pattern may take when it is compiled.
const PATTERN_SIZE: usize = 256 * 1024;

/// What does not fit the schema.
///
/// # Errors
/// When the schema is none, points elsewhere, or to itself without end.
pub fn check(output: &Value, schema: &Value) -> Result<Vec<ValidationIssue>, RequestError> {
    let wrong = |why: String| {
        RequestError::new("expected_schema", format!("is no JSON Schema that can be used: {why}"))
    };
    if let Some(reference) = unusable_reference(schema) {
        return Err(wrong(format!(
            "$ref \"{reference}\" points outside of $defs, definitions and properties"
        )));
    }
    // Patterns of a stranger run on an engine whose time is linear.
    let patterns = PatternOptions::regex().size_limit(PATTERN_SIZE).dfa_size_limit(PATTERN_SIZE);
    let validator = jsonschema::options()
        .with_pattern_options(patterns)
        .build(schema)
        .map_err(|error| wrong(error.to_string().chars().take(200).collect()))?;
    let issue = |error: jsonschema::ValidationError<'_>| {
        let message = error.masked().to_string();
        let at = error.instance_path().to_string();
        ValidationIssue::new(Severity::Error, "schema_violation", message)
            .at(if at.is_empty() { "/".to_owned() } else { at })
            .suggest("Give the output the shape that expected_schema asks for")
    };
    Ok(validator.iter_errors(output).take(MAX_ISSUES).map(issue).collect())
}

/// A reference that is not to a named part of this schema: another document, or the whole, which may have no end.
fn unusable_reference(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match (name.as_str(), value) {
            ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => {
                let inside = ["#/$defs/", "#/definitions/", "#/properties/"];
                (!inside.iter().any(|start| to.starts_with(start))).then_some(to.as_str())
            }
            _ => unusable_reference(value),
        }),
        Value::Array(items) => items.iter().find_map(unusable_reference),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema =
            json!({ "type": "object", "required": ["code"], "properties": { "code": { "type": "string" } } });
        assert_eq!(check(&json!({ "code": "x" }), &schema).unwrap(), []);
        let found = check(&json!({ "code": 5 }), &schema).unwrap();
        assert_eq!((found.len(), found[0].location.as_deref()), (1, Some("/code")));
        assert!(!found[0].message.contains('5'), "values are not repeated: {}", found[0].message);
        assert_eq!(check(&json!("x"), &schema).unwrap()[0].location.as_deref(), Some("/"));
    }

    #[test]
    fn hostile_schemas_are_refused_or_done_with_in_no_time() {
        for schema in [
            json!({ "type": "nothing" }),
            json!({ "$ref": "https://example.com/schema.json" }),
            json!({ "$ref": "file:///etc/passwd" }),
            json!({ "$ref": "#" }),
            json!({ "properties": { "a": { "$ref": "#/$defs/none" } } }),
            json!({ "pattern": "(?=a)b" }),
            json!({ "pattern": "((a{500}){500}){500}" }),
        ] {
            assert_eq!(check(&json!("aaa"), &schema).unwrap_err().parameter, "expected_schema", "{schema}");
        }
        let slow = json!({ "pattern": "^(a+)+$" });
        assert_eq!(check(&json!("a".repeat(5_000) + "b"), &slow).unwrap().len(), 1);
    }

    #[test]
    fn a_schema_that_points_at_itself_does_not_take_the_process_down() {
        let schema = json!({ "$defs": { "a": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" });
        let _ = check(&json!({ "x": 1 }), &schema);
    }
}
