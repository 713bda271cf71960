//! `POST /v1/knowledge/documents` and `/search`.

use std::sync::Arc;

use agents::retriever::{Document, Found, Method, Query, Retriever, RetrieverError};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::records::NewDocument;
use storage::{DocumentId, Knowledge, TenantStore};

use crate::app::App;
use crate::auth::{ReadKnowledge, Scoped, WriteKnowledge};
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Documents in one request.
const MAX_DOCUMENTS: usize = 500;
const MAX_RESULTS: usize = 100;

/// One document or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Posted {
    Many(Vec<PostedDocument>),
    One(PostedDocument),
}

/// A document as it is posted.
#[derive(Debug, Deserialize)]
pub struct PostedDocument {
    source: String,
    #[serde(default)]
    title: String,
    content: String,
    media_type: Option<String>,
}

/// `POST /v1/knowledge/documents`. Everything is searchable and durable when this answers.
pub async fn put(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteKnowledge>,
    JsonBody(posted): JsonBody<Posted>,
) -> Result<Json<Value>, ApiError> {
    let documents = match posted {
        Posted::One(document) => vec![document],
        Posted::Many(documents) => documents,
    };
    if documents.is_empty() || documents.len() > MAX_DOCUMENTS {
        return Err(ApiError::invalid("body", format_args!("must hold from 1 to {MAX_DOCUMENTS} documents")));
    }
    let retriever = &app.engines()?.providers.retriever;
    let mut ids = Vec::with_capacity(documents.len());
    for document in documents {
        ids.push(keep(retriever, &scope.store, document).await?);
    }
    tracing::info!(audit = "knowledge.put", documents = ids.len(), by = %scope.principal.subject, "documents kept");
    Ok(Json(json!({ "ids": ids })))
}

async fn keep(
    retriever: &Retriever,
    store: &TenantStore,
    posted: PostedDocument,
) -> Result<DocumentId, ApiError> {
    if posted.source.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, "a document has no `source`"));
    }
    let media_type = posted.media_type.unwrap_or_else(|| "text/plain".to_owned());
    let title = if posted.title.is_empty() { posted.source.clone() } else { posted.title.clone() };
    let document = Document {
        source: posted.source.clone(),
        title: posted.title,
        content: posted.content.clone(),
        media_type: Some(media_type.clone()),
    };
    // Storage first: what cannot be kept must not be answered from.
    let new =
        NewDocument { source: posted.source, title, media_type, content: posted.content, chunks: Vec::new() };
    if agents::retriever::parse(&document).sections.is_empty() {
        return Err(ApiError::invalid("content", "has no text"));
    }
    let id = store.replace_document(new).await?;
    retriever.put(store.id().0, document).await.map_err(|e| match e {
        RetrieverError::Empty(_) => ApiError::invalid("content", "has no text"),
        e @ RetrieverError::Model(_) => ApiError::internal(&e),
    })?;
    Ok(id)
}

/// Puts a tenant's kept documents into the index, at start.
pub async fn index(retriever: &Retriever, store: &TenantStore) -> Result<usize, storage::StorageError> {
    let mut documents = Vec::new();
    for head in store.list_documents().await? {
        if let Some(kept) = store.document(head.id).await? {
            documents.push(Document {
                source: kept.source,
                title: kept.title,
                content: kept.content,
                media_type: Some(kept.media_type),
            });
        }
    }
    let count = documents.len();
    retriever.put_all(store.id().0, documents).await;
    Ok(count)
}

/// `POST /v1/knowledge/search`.
#[derive(Debug, Deserialize)]
pub struct Search {
    query: String,
    #[serde(default)]
    method: Method,
    #[serde(default = "ten")]
    limit: usize,
    #[serde(default)]
    filters: serde_json::Map<String, Value>,
    #[serde(default)]
    min_relevance_score: f32,
    #[serde(default = "yes")]
    include_citations: bool,
}

const fn ten() -> usize {
    10
}

const fn yes() -> bool {
    true
}

/// The answer to a search.
#[derive(Debug, Serialize)]
pub struct SearchResponse {
    results: Vec<SearchResult>,
    query: String,
    method_used: Method,
    total_results: usize,
    synthesis: Option<String>,
    citations: Vec<String>,
}

#[derive(Debug, Serialize)]
struct SearchResult {
    content: String,
    source: String,
    relevance_score: f32,
    rank: usize,
    metadata: Value,
}

/// The handler of a search.
pub async fn search(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadKnowledge>,
    JsonBody(asked): JsonBody<Search>,
) -> Result<Json<SearchResponse>, ApiError> {
    if asked.query.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, "`query` is empty"));
    }
    if !(1..=MAX_RESULTS).contains(&asked.limit) {
        return Err(ApiError::invalid("limit", format_args!("must be from 1 to {MAX_RESULTS}")));
    }
    if !(0.0..=1.0).contains(&asked.min_relevance_score) {
        return Err(ApiError::invalid("min_relevance_score", "must be from 0 to 1"));
    }
    let source = source_filter(&asked.filters)?;
    // A filter is applied after ranking, so more is fetched than asked for.
    let limit = if source.is_some() { usize::MAX } else { asked.limit };
    let query = Query {
        text: asked.query.clone(),
        method: asked.method,
        limit,
        min_relevance_score: asked.min_relevance_score,
    };
    let found = app.engines()?.providers.retriever.search(scope.tenant.id.0, &query).await;
    let found =
        found.into_iter().filter(|found| source.as_ref().is_none_or(|source| &found.source == source));
    let results: Vec<_> = found.take(asked.limit).zip(1..).map(|(found, rank)| result(found, rank)).collect();
    let citations = if asked.include_citations {
        results.iter().map(|result| result.source.clone()).collect()
    } else {
        Vec::new()
    };
    Ok(Json(SearchResponse {
        total_results: results.len(),
        results,
        query: asked.query,
        method_used: asked.method,
        synthesis: None,
        citations,
    }))
}

/// The one filter that documents of today can be told apart by.
fn source_filter(filters: &serde_json::Map<String, Value>) -> Result<Option<String>, ApiError> {
    let mut source = None;
    for (name, value) in filters {
        match (name.as_str(), value.as_str()) {
            ("source", Some(text)) => source = Some(text.to_owned()),
            ("source", None) => return Err(ApiError::invalid("filters.source", "must be text")),
            _ => {
                return Err(ApiError::invalid(
                    &format!("filters.{name}"),
                    "is not known: filter by `source`",
                ));
            }
        }
    }
    Ok(source)
}

fn result(found: Found, rank: usize) -> SearchResult {
    let metadata =
        json!({ "document_id": found.document_id, "title": found.title, "heading": found.heading });
    SearchResult {
        content: found.text,
        source: found.source,
        relevance_score: found.relevance_score,
        rank,
        metadata,
    }
}
