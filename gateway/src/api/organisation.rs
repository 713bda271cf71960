//! `/v1/memory/organisation`: nodes of organisational memory, their relations, search, precedents, associations.
//!
//! Texts are screened on their way out; symbols, types and ids are names and go as they are.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use storage::organisation::{
    Author, Layer, MemoryNode, NewMemoryNode, NewRelation, NodeFilter, RelationType,
};
use storage::{MemoryNodeId, TenantId};
use work::organisation::precedent::{Case, Precedents};
use work::organisation::resolution::Resolution;
use work::organisation::search::Question;
use work::organisation::{Answer, Association, Organisation, Refusal, Related};

use super::page::{Page, PageQuery};
use super::screened;
use crate::app::App;
use crate::audit::acts;
use crate::auth::Scoped;
use crate::auth::permission::{ReadOrganisation, WriteOrganisation};
use crate::error::{ApiError, ErrorCode, JsonBody, QueryOf};

/// Characters of a question.
const MAX_QUERY: usize = 4_000;
/// Symbols, factors and the like in one request.
const MAX_NAMES: usize = 50;
const MAX_RESULTS: usize = 200;
const MAX_BUDGET: usize = 200_000;
/// How well a node is remembered that a person wrote down.
const WRITTEN: f64 = 1.0;

/// A node as it is posted.
#[derive(Debug, Deserialize)]
pub struct PostedNode {
    symbol: String,
    layer: Layer,
    #[serde(rename = "type")]
    node_type: String,
    team_id: Option<String>,
    micro: String,
    summary: Option<String>,
    full: Option<String>,
    #[serde(default)]
    properties: Map<String, Value>,
    valid_from: Option<DateTime<Utc>>,
    valid_until: Option<DateTime<Utc>>,
    #[serde(default)]
    pinned: bool,
    /// Relations that lead from it.
    #[serde(default)]
    relations: Vec<PostedOutward>,
}

/// A relation from a node that is posted with it.
#[derive(Debug, Deserialize)]
pub struct PostedOutward {
    relation: RelationType,
    to: String,
    weight: Option<f64>,
}

/// A relation as it is posted.
#[derive(Debug, Deserialize)]
pub struct PostedRelation {
    from: String,
    relation: RelationType,
    to: String,
    weight: Option<f64>,
}

/// `POST /v1/memory/organisation/nodes`. Found from the next question on, and durable when this answers.
pub async fn create(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    JsonBody(posted): JsonBody<PostedNode>,
) -> Result<Json<Value>, ApiError> {
    let outward = |it: PostedOutward| NewRelation {
        from: posted.symbol.clone(),
        relation: it.relation,
        to: it.to,
        weight: it.weight.unwrap_or(1.0),
    };
    let relations: Vec<NewRelation> = posted.relations.into_iter().map(outward).collect();
    let node = NewMemoryNode {
        symbol: posted.symbol,
        layer: posted.layer,
        node_type: posted.node_type,
        team_id: posted.team_id,
        micro: posted.micro,
        summary: posted.summary,
        full: posted.full,
        properties: Value::Object(posted.properties),
        valid_from: posted.valid_from.unwrap_or_else(Utc::now),
        valid_until: posted.valid_until,
        strength: WRITTEN,
        pinned: posted.pinned,
        embedding: None,
    };
    let memory = memory(&app)?;
    let kept = memory.remember(&scope.store, Author::Administrator, vec![node], &relations).await;
    let kept = kept.map_err(refused)?.pop().ok_or_else(|| ApiError::not_found("memory node"))?;
    app.audit.record(Some(scope.tenant.id), acts::memory_node(&scope.principal, "written", kept.id)).await?;
    Ok(Json(shown(screen(&app, scope.tenant.id)?.as_mut(), &kept)))
}

/// Which nodes to list.
#[derive(Debug, Deserialize)]
pub struct ListQuery {
    layer: Option<Layer>,
    #[serde(rename = "type")]
    node_type: Option<String>,
    team_id: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// `GET /v1/memory/organisation/nodes`: one line each, newest first.
pub async fn list(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    QueryOf(asked): QueryOf<ListQuery>,
) -> Result<Json<Page<Value>>, ApiError> {
    let page = PageQuery { limit: asked.limit, cursor: asked.cursor };
    let filter = NodeFilter {
        layer: asked.layer,
        node_type: asked.node_type,
        team_id: asked.team_id,
        after: page.after()?,
        limit: page.fetch()?,
    };
    let rows = scope.store.organisation().list_nodes(&filter).await?;
    let mut screen = screen(&app, scope.tenant.id)?;
    Ok(Json(page.page(rows, |node| node.id.to_string(), |node| shown(screen.as_mut(), &node))))
}

/// How much of a node is wanted.
#[derive(Debug, Deserialize)]
pub struct ReadQuery {
    #[serde(default)]
    resolution: Resolution,
}

/// `GET /v1/memory/organisation/nodes/{id}`.
pub async fn one(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    Path(id): Path<String>,
    QueryOf(asked): QueryOf<ReadQuery>,
) -> Result<Json<Value>, ApiError> {
    let read = memory(&app)?.read(&scope.store, parsed(&id)?, asked.resolution, Utc::now()).await?;
    let (node, told) = read.ok_or_else(|| ApiError::not_found("memory node"))?;
    let mut screen = screen(&app, scope.tenant.id)?;
    let mut answer = shown(screen.as_mut(), &node);
    answer["resolution"] = json!(told.resolution);
    answer["tokens"] = json!(told.tokens);
    answer["text"] = json!(screen.screen(&told.text));
    answer["standing"] = json!(told.standing);
    Ok(Json(answer))
}

/// `DELETE /v1/memory/organisation/nodes/{id}`: what it says is wiped, and its relations go.
pub async fn forget(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let id = parsed(&id)?;
    let writer = scope.store.organisation_writer(Author::Administrator);
    if !writer.forget(id, Utc::now()).await? {
        return Err(ApiError::not_found("memory node"));
    }
    app.audit.record(Some(scope.tenant.id), acts::memory_node(&scope.principal, "forgotten", id)).await?;
    Ok(Json(json!({ "forgotten": true })))
}

/// Whether a node is pinned.
#[derive(Debug, Deserialize)]
pub struct Pin {
    pinned: bool,
}

/// `PUT /v1/memory/organisation/nodes/{id}/pin`: a pinned node never fades and is never merged.
pub async fn pin(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Pin>,
) -> Result<Json<Value>, ApiError> {
    let id = parsed(&id)?;
    scope.store.organisation_writer(Author::Administrator).pin(id, asked.pinned).await?;
    let act = if asked.pinned { "pinned" } else { "unpinned" };
    app.audit.record(Some(scope.tenant.id), acts::memory_node(&scope.principal, act, id)).await?;
    Ok(Json(json!({ "pinned": asked.pinned })))
}

/// `GET /v1/memory/organisation/nodes/{id}/relations`.
pub async fn relations(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let found = memory(&app)?.relations(&scope.store, parsed(&id)?, Utc::now()).await?;
    let mut items: Vec<Related> = found.ok_or_else(|| ApiError::not_found("memory node"))?;
    let mut screen = screen(&app, scope.tenant.id)?;
    items.iter_mut().for_each(|item| item.micro = screen.screen(&item.micro));
    Ok(Json(json!({ "items": items })))
}

/// `POST /v1/memory/organisation/relations`, between nodes by their symbols.
pub async fn relate(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteOrganisation>,
    JsonBody(posted): JsonBody<PostedRelation>,
) -> Result<Json<Value>, ApiError> {
    let PostedRelation { from, relation, to, weight } = posted;
    let new = NewRelation { from, relation, to, weight: weight.unwrap_or(1.0) };
    let kept = memory(&app)?.remember(&scope.store, Author::Administrator, Vec::new(), &[new]).await;
    kept.map_err(refused)?;
    app.audit.record(Some(scope.tenant.id), acts::memory_relation(&scope.principal, relation)).await?;
    Ok(Json(json!({ "kept": true })))
}

/// What is looked for.
#[derive(Debug, Deserialize)]
pub struct Search {
    #[serde(default)]
    query: String,
    layer: Option<Layer>,
    #[serde(rename = "type")]
    node_type: Option<String>,
    team_id: Option<String>,
    #[serde(default)]
    symbols: Vec<String>,
    #[serde(default)]
    properties: Map<String, Value>,
    #[serde(default)]
    include_superseded: bool,
    #[serde(default = "ten")]
    limit: usize,
    #[serde(default = "two_thousand")]
    budget_tokens: usize,
}

const fn ten() -> usize {
    10
}

const fn two_thousand() -> usize {
    2_000
}

/// `POST /v1/memory/organisation/search`: by name, likeness and relation at once, within a budget of tokens.
pub async fn search(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    JsonBody(asked): JsonBody<Search>,
) -> Result<Json<Answer>, ApiError> {
    within("query", &asked.query, &[("symbols", &asked.symbols)], asked.limit)?;
    if asked.query.trim().is_empty() && asked.symbols.is_empty() && asked.properties.is_empty() {
        let message = "the search has no `query`, no `symbols` and no `properties`";
        return Err(ApiError::new(ErrorCode::MissingParameter, message));
    }
    if asked.budget_tokens > MAX_BUDGET {
        return Err(ApiError::invalid("budget_tokens", format_args!("must be at most {MAX_BUDGET}")));
    }
    let question = Question {
        text: asked.query,
        layer: asked.layer,
        node_type: asked.node_type,
        team_id: asked.team_id,
        symbols: asked.symbols,
        properties: asked.properties,
        include_superseded: asked.include_superseded,
        limit: asked.limit,
    };
    let mut answer = memory(&app)?.search(&scope.store, &question, asked.budget_tokens, Utc::now()).await?;
    let mut screen = screen(&app, scope.tenant.id)?;
    answer.results.iter_mut().for_each(|told| told.text = screen.screen(&told.text));
    Ok(Json(answer))
}

/// The case at hand.
#[derive(Debug, Deserialize)]
pub struct PostedCase {
    case: String,
    #[serde(rename = "type")]
    node_type: Option<String>,
    team_id: Option<String>,
    #[serde(default)]
    entities: Vec<String>,
    #[serde(default)]
    policies: Vec<String>,
    #[serde(default)]
    factors: Vec<String>,
    #[serde(default)]
    include_superseded: bool,
    #[serde(default = "ten")]
    limit: usize,
}

/// `POST /v1/memory/organisation/precedents/search`: decisions that are like a case, each with its why.
pub async fn precedents(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    JsonBody(asked): JsonBody<PostedCase>,
) -> Result<Json<Precedents>, ApiError> {
    let names = [("entities", &asked.entities), ("policies", &asked.policies), ("factors", &asked.factors)];
    within("case", &asked.case, &names, asked.limit)?;
    if asked.case.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, "`case` is empty"));
    }
    let case = Case {
        text: asked.case,
        node_type: asked.node_type,
        team_id: asked.team_id,
        entities: asked.entities,
        policies: asked.policies,
        factors: asked.factors,
        include_superseded: asked.include_superseded,
        limit: asked.limit,
    };
    let mut found = memory(&app)?.precedents(&scope.store, &case, Utc::now()).await?;
    let mut screen = screen(&app, scope.tenant.id)?;
    for told in &mut found.precedents {
        let mentioned = [&mut told.policies, &mut told.involved, &mut told.caused_by, &mut told.aligned_with];
        let micros = mentioned.into_iter().flatten().map(|mention| &mut mention.micro);
        let own = [&mut told.micro, &mut told.outcome, &mut told.reason];
        let likenesses = told.alike_in.iter_mut().flat_map(|it| it.shared.iter_mut().chain(&mut it.lacks));
        for text in own.into_iter().chain(&mut told.factors).chain(micros).chain(likenesses) {
            *text = screen.screen(text);
        }
    }
    Ok(Json(found))
}

/// From where to recall: symbols with commas between them.
#[derive(Debug, Deserialize)]
pub struct RecallQuery {
    from: String,
    limit: Option<usize>,
}

/// What came to mind.
#[derive(Debug, Serialize)]
pub struct Recalled {
    items: Vec<Association>,
}

/// `GET /v1/memory/organisation/associations`: what nodes bring to mind, along relations.
pub async fn associations(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadOrganisation>,
    QueryOf(asked): QueryOf<RecallQuery>,
) -> Result<Json<Recalled>, ApiError> {
    let from: Vec<String> = asked.from.split(',').map(|symbol| symbol.trim().to_owned()).collect();
    let limit = asked.limit.unwrap_or_else(ten);
    within("from", "", &[("from", &from)], limit)?;
    let mut items = memory(&app)?.associations(&scope.store, &from, limit, Utc::now()).await?;
    let mut screen = screen(&app, scope.tenant.id)?;
    items.iter_mut().for_each(|item| item.micro = screen.screen(&item.micro));
    Ok(Json(Recalled { items }))
}

// ---------------------------------------------------------------- shared with the types and the router

/// Organisational memory, which waits for the embedding model.
pub fn memory(app: &App) -> Result<&Organisation, ApiError> {
    Ok(app.engines()?.organisation.as_ref())
}

/// Bounds of what is asked.
pub fn within(name: &str, text: &str, names: &[(&str, &Vec<String>)], limit: usize) -> Result<(), ApiError> {
    if text.chars().count() > MAX_QUERY {
        return Err(ApiError::invalid(name, format_args!("must have at most {MAX_QUERY} characters")));
    }
    if let Some((name, _)) = names.iter().find(|(_, names)| names.len() > MAX_NAMES) {
        return Err(ApiError::invalid(name, format_args!("must hold at most {MAX_NAMES} names")));
    }
    if !(1..=MAX_RESULTS).contains(&limit) {
        return Err(ApiError::invalid("limit", format_args!("must be from 1 to {MAX_RESULTS}")));
    }
    Ok(())
}

/// What is wrong with what was sent names no values, so it may be told.
pub fn refused(refusal: Refusal) -> ApiError {
    match refusal {
        Refusal::Faults(faults) => ApiError::new(ErrorCode::InvalidParameter, faults.join("; "))
            .with_details(json!({ "faults": faults })),
        Refusal::Storage(error) => error.into(),
    }
}

fn screen(app: &App, tenant: TenantId) -> Result<Box<dyn Screen>, ApiError> {
    screened::screen(app, tenant, None)
}

fn parsed(id: &str) -> Result<MemoryNodeId, ApiError> {
    id.parse().map_err(|_| ApiError::not_found("memory node"))
}

/// A node with its texts screened.
fn shown(screen: &mut dyn Screen, node: &MemoryNode) -> Value {
    let mut shown = json!(node);
    for name in ["micro", "summary"] {
        if let Some(Value::String(text)) = shown.get_mut(name) {
            *text = screen.screen(text);
        }
    }
    screened::document(screen, &mut shown["properties"]);
    shown
}
