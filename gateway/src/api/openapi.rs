//! `GET /openapi.json`: the HTTP API as an OpenAPI 3.1 document.
//!
//! What is written down by hand is in `data/openapi`, a file an area: paths and schemas as the document has them. This
//! file adds what every route has: errors, tokens, tags. `tests/contracts` holds the document against the router and
//! against what a running gateway answers.

use std::sync::LazyLock;

use axum::Json;
use serde_json::{Map, Value, json};
use work::contracts::ErrorCode;

use crate::auth::scope::TENANT_HEADER;

/// The areas, in the order in which they are shown.
const AREAS: &[&str] = &[
    include_str!("../../data/openapi/process.json"),
    include_str!("../../data/openapi/sign_in.json"),
    include_str!("../../data/openapi/calls.json"),
    include_str!("../../data/openapi/campaigns.json"),
    include_str!("../../data/openapi/requests.json"),
    include_str!("../../data/openapi/passports.json"),
    include_str!("../../data/openapi/live.json"),
    include_str!("../../data/openapi/knowledge.json"),
    include_str!("../../data/openapi/organisation.json"),
    include_str!("../../data/openapi/memory.json"),
    include_str!("../../data/openapi/texts.json"),
    include_str!("../../data/openapi/tools.json"),
    include_str!("../../data/openapi/rules.json"),
    include_str!("../../data/openapi/teams.json"),
    include_str!("../../data/openapi/tenants.json"),
    include_str!("../../data/openapi/audit.json"),
    include_str!("../../data/openapi/carrier.json"),
    include_str!("../../data/openapi/carrier_telnyx.json"),
];

/// Made once.
static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

/// The handler. The document holds nothing of any tenant, so it needs no token.
pub async fn handle() -> Json<&'static Value> {
    Json(&DOCUMENT)
}

/// The whole document.
#[must_use]
pub fn document() -> Value {
    let (mut paths, mut schemas, mut tags) = (Map::new(), Map::new(), Vec::new());
    schemas.insert("Error".to_owned(), error_schema());
    for area in AREAS {
        // The files are a part of the program; a broken one fails the tests.
        let Ok(Value::Object(mut area)) = serde_json::from_str::<Value>(area) else { continue };
        tags.extend(area.remove("tag"));
        for (kind, into) in [("paths", &mut paths), ("schemas", &mut schemas)] {
            if let Some(Value::Object(found)) = area.remove(kind) {
                into.extend(found);
            }
        }
    }
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        complete(operation);
    }
    json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Quandura Voice",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Calls, the work that they leave, and everything about them. Errors have one shape. \
                Personal data comes as typed tokens.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "session": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": { "Tenant": {
                "name": TENANT_HEADER, "in": "header", "required": false, "schema": { "type": "string" },
                "description": "Slug or id of the tenant, named by a platform-admin. Other tokens have one tenant.",
            } },
            "responses": { "Error": {
                "description": "What went wrong, and what to do about it",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
            } },
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "quandura_session" },
            },
        },
    })
}

/// What every operation has.
fn complete(operation: &mut Value) {
    let error = json!({ "$ref": "#/components/responses/Error" });
    let is_open = operation.get("security").is_some();
    let Some(operation) = operation.as_object_mut() else { return };
    if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
        if !is_open {
            responses.insert("401".to_owned(), error.clone());
            responses.insert("403".to_owned(), error.clone());
        }
        responses.insert("default".to_owned(), error);
    }
    if !is_open && let Value::Array(parameters) = operation.entry("parameters").or_insert_with(|| json!([])) {
        parameters.push(json!({ "$ref": "#/components/parameters/Tenant" }));
    }
}

fn error_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "error_code": { "type": "string", "enum": ErrorCode::ALL },
            "error_message": { "type": "string" },
            "error_details": {},
            "recoverable": { "type": "boolean", "description": "The same request may succeed later" },
            "suggested_action": { "type": "string" },
        },
        "required": ["error_code", "error_message", "recoverable"],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_area_is_json_and_no_name_is_given_twice() {
        let mut names = std::collections::BTreeSet::new();
        for area in AREAS {
            let area: Value = serde_json::from_str(area).unwrap();
            for kind in ["paths", "schemas"] {
                for name in area[kind].as_object().unwrap().keys() {
                    assert!(names.insert(name.clone()), "{name} is there twice");
                }
            }
        }
        assert!(names.len() > 40);
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_and_says_how_it_fails() {
        let document = document();
        let mut ids = std::collections::BTreeSet::new();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(ids.insert(id.to_owned()), "{method} {path}: {id} is there twice");
                assert!(operation["responses"]["default"].is_object(), "{method} {path}");
            }
        }
    }
}
