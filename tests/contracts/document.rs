//! The document as such.

use std::collections::BTreeSet;

use gateway::api::openapi::document;
use gateway::router::routes;
use serde_json::Value;

/// Every operation of the document: method, path, itself.
pub fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    document["paths"].as_object().unwrap().iter().flat_map(|(path, methods)| {
        methods
            .as_object()
            .unwrap()
            .iter()
            .map(move |(method, operation)| (method.as_str(), path.as_str(), operation))
    })
}

#[test]
fn the_document_and_the_router_have_the_same_routes() {
    let routes = routes();
    let served: BTreeSet<_> = routes.listed().iter().map(|r| (r.method, r.path)).collect();
    let document = document();
    let written: BTreeSet<_> = operations(&document).map(|(method, path, _)| (method, path)).collect();
    let missing: Vec<_> = served.difference(&written).collect();
    let gone: Vec<_> = written.difference(&served).collect();
    assert!(missing.is_empty(), "not in data/openapi: {missing:?}");
    assert!(gone.is_empty(), "in data/openapi, but not served: {gone:?}");
}

#[test]
fn every_reference_leads_somewhere() {
    fn walk(at: &Value, document: &Value) {
        match at {
            Value::Object(fields) => {
                if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                    let found = target.strip_prefix('#').and_then(|path| document.pointer(path));
                    assert!(found.is_some(), "{target} leads nowhere");
                }
                fields.values().for_each(|value| walk(value, document));
            }
            Value::Array(items) => items.iter().for_each(|value| walk(value, document)),
            _ => {}
        }
    }
    let document = document();
    walk(&document, &document);
}

#[test]
fn every_schema_is_one_and_every_parameter_in_a_path_is_described() {
    let document = document();
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(jsonschema::meta::is_valid(schema), "{name} is no JSON Schema");
    }
    for (method, path, operation) in operations(&document) {
        let described: BTreeSet<&str> = operation["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|p| p["in"] == "path" && p["required"] == true)
            .filter_map(|p| p["name"].as_str())
            .collect();
        let named: BTreeSet<&str> =
            path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')).collect();
        assert_eq!(described, named, "{method} {path}");
    }
}

#[test]
fn an_example_of_a_body_keeps_its_schema() {
    let document = document();
    let mut examples = 0;
    for (method, path, operation) in operations(&document) {
        for content in operation["requestBody"]["content"].as_object().into_iter().flat_map(|c| c.values()) {
            if let Some(example) = content.get("example") {
                super::answers::conforms(&content["schema"], example, &document)
                    .unwrap_or_else(|wrong| panic!("{method} {path}: {wrong}"));
                examples += 1;
            }
        }
    }
    assert!(examples > 8);
}
