//! Small liberties of models with an input's form, put right before the schema is asked: `null` and empty texts for what
//! is left out, numbers for texts of digits, `Yes` for `yes`.
#![deny(clippy::disallowed_methods)]

use serde_json::{Map, Value};

/// The input, tidied at its first level.
pub(super) fn tidied(input: Value, schema: &Value) -> Value {
    match input {
        Value::Null => Value::Object(Map::new()),
        Value::Object(fields) => {
            let tidy = |(name, value): (String, Value)| {
                let value = field(value, &schema["properties"][&name])?;
                Some((name, value))
            };
            Value::Object(fields.into_iter().filter_map(tidy).collect())
        }
        other => other,
    }
}

/// `None`: as good as left out.
fn field(value: Value, schema: &Value) -> Option<Value> {
    if value.is_null() {
        return None;
    }
    if schema["type"] != "string" {
        return Some(value);
    }
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text,
        other => return Some(other),
    };
    if text.trim().is_empty() {
        return None;
    }
    let listed = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let meant = listed.into_iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
    Some(Value::String(meant.map_or(text, str::to_owned)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn liberties_of_form_are_put_right_and_nothing_else_is() {
        let schema = json!({ "properties": { "name": { "type": "string" }, "hurt": { "type": "string", "enum": ["yes"] },
            "n": { "type": "integer" } } });
        let given = json!({ "name": 4711, "hurt": " Yes", "n": null, "unknown": "" });
        assert_eq!(tidied(given, &schema), json!({ "name": "4711", "hurt": "yes", "unknown": "" }));
        assert_eq!(tidied(json!({ "name": "  ", "n": "5" }), &schema), json!({ "n": "5" }));
        assert_eq!(tidied(json!({ "hurt": "maybe" }), &schema), json!({ "hurt": "maybe" }));
        assert_eq!(tidied(Value::Null, &schema), json!({}));
        assert_eq!(tidied(json!([1]), &schema), json!([1]));
    }
}
