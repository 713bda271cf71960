//! `GET /v1/capabilities`: what each arm and each team can do. The schemas of arms are those of the API document, those of
//! teams are what their specialists are held to, so that there is one truth.

use axum::Json;
use serde_json::{Value, json};
use work::contracts::{ArmCapability, Contract};
use work::department;
use work::teams::{SpecialistFile, Team, Teams};

use super::openapi;
use crate::auth::{Scoped, SeeSelf};
use crate::error::ApiError;

/// An arm, and the route that it serves.
struct Arm {
    id: &'static str,
    name: &'static str,
    route: &'static str,
    does: &'static str,
    can: &'static [&'static str],
}

const ARMS: &[Arm] = &[
    Arm {
        id: "prompt_guard",
        name: "Prompt guard",
        route: "/v1/guard/sanitize",
        does: "Takes out of a text what tries to steer a model.",
        can: &["injection_detection", "sanitization"],
    },
    Arm {
        id: "safety_guardian",
        name: "Safety guardian",
        route: "/v1/safety/check",
        does: "Finds personal data, secrets, harmful content and breaches of policy, written and spoken.",
        can: &["pii_detection", "secret_detection", "content_filtering", "policy_check", "redaction"],
    },
    Arm {
        id: "judge",
        name: "Judge",
        route: "/v1/validate",
        does: "Judges an output: shape, rules, what was done, facts against sources, criteria, quality.",
        can: &[
            "schema_validation",
            "fact_checking",
            "criteria_checking",
            "hallucination_detection",
            "quality_assessment",
        ],
    },
    Arm {
        id: "retriever",
        name: "Retriever",
        route: "/v1/knowledge/search",
        does: "Finds passages of the tenant's documents that answer a question, with their source.",
        can: &["keyword_search", "vector_search", "hybrid_search", "citation"],
    },
];

/// The handler. The teams are those of the tenant.
pub async fn handle(scope: Scoped<SeeSelf>) -> Result<Json<Value>, ApiError> {
    let department = department::of(&scope.store).await.map_err(|error| ApiError::internal(&error))?;
    Ok(Json(json!({ "capabilities": declared(&department.teams) })))
}

/// Every declaration that keeps the contract.
fn declared(teams: &Teams) -> Vec<ArmCapability> {
    let document = openapi::document();
    let arms = ARMS.iter().map(|arm| declaration(arm, &document));
    let teams = teams.all().iter().map(team);
    arms.chain(teams).filter(|arm| arm.check().is_ok()).collect()
}

/// A team works Passports; nobody calls it but the head of the department.
fn team(team: &Team) -> ArmCapability {
    let (id, route) = (format!("team.{}", team.id), "/v1/passports");
    let mut declared = ArmCapability::new(&id, &team.name, env!("CARGO_PKG_VERSION"), route, &team.purpose);
    declared.capabilities = team.specialists.iter().map(|specialist| specialist.id.clone()).collect();
    declared.documentation_url = Some("/openapi.json".to_owned());
    declared.tags = vec!["team".to_owned()];
    let output = |specialist: &SpecialistFile| (specialist.id.clone(), specialist.output.clone());
    let outputs: serde_json::Map<String, Value> = team.specialists.iter().map(output).collect();
    declared.output_schema = json!({ "type": "object", "properties": outputs });
    declared
}

fn declaration(arm: &Arm, document: &Value) -> ArmCapability {
    let mut declared = ArmCapability::new(arm.id, arm.name, env!("CARGO_PKG_VERSION"), arm.route, arm.does);
    declared.capabilities = arm.can.iter().map(|&can| can.to_owned()).collect();
    declared.documentation_url = Some("/openapi.json".to_owned());
    let operation = &document["paths"][arm.route]["post"];
    declared.input_schema =
        resolved(&operation["requestBody"]["content"]["application/json"]["schema"], document);
    declared.output_schema =
        resolved(&operation["responses"]["200"]["content"]["application/json"]["schema"], document);
    declared
}

/// The schema itself where the document only points to one. The shapes of arms hold no further references.
fn resolved(schema: &Value, document: &Value) -> Value {
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    target.and_then(|path| document.pointer(path)).unwrap_or(schema).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arm_is_declared_with_both_schemas() {
        let shipped = Teams::shipped().unwrap();
        let (declared, teams) = (declared(shipped), shipped.all().len());
        assert_eq!(declared.len(), ARMS.len() + teams);
        for arm in declared {
            for schema in [&arm.input_schema, &arm.output_schema] {
                assert_eq!(schema["type"], "object", "{}", arm.arm_id);
                assert!(!schema.to_string().contains("$ref"), "{} points elsewhere", arm.arm_id);
            }
        }
    }
}
