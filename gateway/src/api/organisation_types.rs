//! `/v1/memory/organisation/types`: types of nodes, those that teams declared, and how these grow up. And
//! `POST /v1/memory/search`, which asks every store that may know.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::organisation::{ExtensionType, Layer, NewExtensionType, TypeState};
use work::organisation::answer::Routed;
use work::organisation::evolution::Assessment;
use work::organisation::node_types;

use super::organisation::{memory, refused, within};
use super::screened;
use crate::app::App;
use crate::audit::acts;
use crate::auth::Scoped;
use crate::auth::permission::{ReadOrganisation, WriteOrganisation};
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Characters of a description and of a reason.
const LONGEST: usize = 2_000;

/// A type of nodes.
#[derive(Debug, Serialize)]
pub struct NodeType {
    #[serde(rename = "type")]
    name: String,
    layer: Layer,
    team_id: Option<String>,
    description: String,
    properties_schema: Option<Value>,
    /// What was counted and decided; `null` for a type that comes with the program.
    extension: Option<Extension>,
}

/// What a type that a team declared has beside.
#[derive(Debug, Serialize)]
pub struct Extension {
    state: TypeState,
    nodes: u64,
    retrievals: u64,
    reason: Option<String>,
    decided_by: Option<String>,
    decided_at: Option<DateTime<Utc>>,
    evidence: Option<Value>,
    created_at: DateTime<Utc>,
}

impl From<ExtensionType> for NodeType {
    fn from(declared: ExtensionType) -> Self {
        Self {
            extension: Some(Extension {
                state: declared.state,
                nodes: declared.nodes,
                retrievals: declared.retrievals,
                reason: declared.reason,
                decided_by: declared.decided_by,
                decided_at: declared.decided_at,
                evidence: declared.evidence,
                created_at: declared.created_at,
            }),
            name: declared.name,
            layer: declared.layer,
            team_id: declared.team_id,
            description: declared.description,
            properties_schema: declared.properties_schema,
        }
    }
}

/// All types.
#[derive(Debug, Serialize)]
pub struct Types {
    items: Vec<NodeType>,
}

/// `GET /v1/memory/organisation/types`: those of the program, then those of teams.
pub async fn list(scope: Scoped<ReadOrganisation>) -> Result<Json<Types>, ApiError> {
    let shipped = node_types::shipped().iter().map(|(name, known)| NodeType {
        name: name.clone(),
        layer: known.layer,
        team_id: known.team_id.clone(),
        description: known.description.clone(),
        properties_schema: Some(known.properties_schema.clone()),
        extension: None,
    });
    let declared = scope.store.organisation().extension_types().await?;
    Ok(Json(Types { items: shipped.chain(declared.into_iter().map(NodeType::from)).collect() }))
}

/// A type as it is posted.
#[derive(Debug, Deserialize)]
pub struct PostedType {
    #[serde(rename = "type")]
    name: String,
    layer: Layer,
    team_id: Option<String>,
    #[serde(default)]
    description: String,
    properties_schema: Option<Value>,
}

/// `POST /v1/memory/organisation/types`: declares a type, experimental.
pub async fn declare(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    JsonBody(posted): JsonBody<PostedType>,
) -> Result<Json<NodeType>, ApiError> {
    if posted.description.chars().count() > LONGEST {
        return Err(ApiError::invalid("description", format_args!("must have at most {LONGEST} characters")));
    }
    let new = NewExtensionType {
        name: posted.name,
        layer: posted.layer,
        team_id: posted.team_id,
        description: posted.description,
        properties_schema: posted.properties_schema,
    };
    let declared = memory(&app)?.declare_type(&scope.store, &new).await.map_err(refused)?;
    let entry = acts::memory_type(&scope.principal, "declared", &declared.name);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    tracing::info!(audit = "memory.type.declare", node_type = %declared.name, by = %scope.principal.subject, "type declared");
    Ok(Json(declared.into()))
}

/// A declared type and where it stands.
#[derive(Debug, Serialize)]
pub struct Assessed {
    #[serde(flatten)]
    node_type: NodeType,
    assessment: Assessment,
}

/// `GET /v1/memory/organisation/types/{type}`: of a team's type.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    Path(name): Path<String>,
) -> Result<Json<Assessed>, ApiError> {
    let found = memory(&app)?.assess_type(&scope.store, &name, Utc::now()).await?;
    let (declared, assessment) = found.ok_or_else(|| ApiError::not_found("extension type"))?;
    Ok(Json(Assessed { node_type: declared.into(), assessment }))
}

/// To which state, and why.
#[derive(Debug, Deserialize)]
pub struct Promotion {
    #[serde(default = "promoted")]
    to: TypeState,
    reason: String,
}

const fn promoted() -> TypeState {
    TypeState::Promoted
}

/// `POST /v1/memory/organisation/types/{type}/promotion`: puts a decision on record that the figures allow.
pub async fn promote(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    Path(name): Path<String>,
    JsonBody(asked): JsonBody<Promotion>,
) -> Result<Json<NodeType>, ApiError> {
    if asked.reason.trim().is_empty() || asked.reason.chars().count() > LONGEST || asked.reason.contains('\0')
    {
        return Err(ApiError::invalid("reason", format_args!("must have from 1 to {LONGEST} characters")));
    }
    let by = &scope.principal.subject;
    let raised = memory(&app)?.raise_type(&scope.store, &name, asked.to, by, &asked.reason, Utc::now()).await;
    let raised = raised.map_err(refused)?;
    let entry = acts::memory_type(&scope.principal, "raised", &raised.name);
    let entry = entry.with("state", raised.state.to_string());
    app.audit.record(Some(scope.tenant.id), entry).await?;
    tracing::info!(audit = "memory.type.raise", node_type = %raised.name, state = %raised.state, %by, "type raised");
    Ok(Json(raised.into()))
}

/// A question to all of memory.
#[derive(Debug, Deserialize)]
pub struct Ask {
    query: String,
    #[serde(default = "ten")]
    limit: usize,
}

const fn ten() -> usize {
    10
}

/// `POST /v1/memory/search`: asks the stores that the memory router names, and says why those.
pub async fn ask(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    JsonBody(asked): JsonBody<Ask>,
) -> Result<Json<Routed>, ApiError> {
    within("query", &asked.query, &[], asked.limit)?;
    if asked.query.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, "`query` is empty"));
    }
    let ready = app.engines()?;
    let retriever = &ready.providers.retriever;
    let asking = memory(&app)?.ask(retriever, &scope.store, &asked.query, asked.limit, Utc::now());
    let mut routed = asking.await?;
    let mut screen = screened::screen(&app, scope.tenant.id, None)?;
    routed.items.iter_mut().for_each(|item| item.text = screen.screen(&item.text));
    Ok(Json(routed))
}
