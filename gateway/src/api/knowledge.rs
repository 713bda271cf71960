//! `POST /v1/knowledge/documents` and `/search`. Documents one by one are in `documents`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, NaiveDate, Utc};
use governance::guard::{Channel, Context, Guard, GuardError};
use knowledge::read::{ReadError, Reading, receive};
use knowledge::{
    Document, Filters, Found, Method, Part, Query, Retriever, RetrieverError, Vector, synthesis,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use storage::document_records::{Chunk, NewDocument};
use storage::{DocumentId, Knowledge, Settings, StorageError, TenantStore};

use crate::app::App;
use crate::audit::acts;
use crate::auth::{ReadKnowledge, Scoped, WriteKnowledge};
use crate::document_reader::reader;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Documents in one request.
const MAX_DOCUMENTS: usize = 500;
const MAX_RESULTS: usize = 100;
/// Characters of a title.
const MAX_TITLE: usize = 300;
/// Setting of a tenant: the model that made the kept vectors; empty while they are being made.
const EMBEDDED_BY: &str = "knowledge.embedded_by";

/// How long one request's documents may take to be read; what is left of the work then ends by its own limits.
const READING: Duration = Duration::from_secs(30);

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
    pub(super) source: String,
    #[serde(default)]
    pub(super) title: String,
    /// Text; a file that is no text in base64.
    pub(super) content: String,
    pub(super) media_type: Option<String>,
}

/// What is worth knowing of a document that was kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Note {
    source: String,
    /// Stretches that a reader would not see, left out.
    hidden: usize,
    /// Places that speak to a model; taken out whenever one is shown the passage.
    threats: usize,
}

/// The answer to a post.
#[derive(Debug, Serialize)]
pub struct PutResponse {
    ids: Vec<DocumentId>,
    /// Documents with something in them that was not meant for their readers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<Note>,
}

/// `POST /v1/knowledge/documents`. Everything is searchable and durable when this answers. When one document is refused,
/// none is kept; when storage fails between two, those before it are, and are on the audit.
pub async fn put(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteKnowledge>,
    JsonBody(posted): JsonBody<Posted>,
) -> Result<Json<PutResponse>, ApiError> {
    let documents = match posted {
        Posted::One(document) => vec![document],
        Posted::Many(documents) => documents,
    };
    if documents.is_empty() || documents.len() > MAX_DOCUMENTS {
        return Err(ApiError::invalid("body", format_args!("must hold from 1 to {MAX_DOCUMENTS} documents")));
    }
    let (ids, notes) = keep_posted(&app, &scope, documents).await?;
    Ok(Json(PutResponse { ids, notes }))
}

/// Reads, embeds and keeps documents. Gives their ids, and what in them was not meant for their readers.
pub(super) async fn keep_posted(
    app: &App,
    scope: &Scoped<WriteKnowledge>,
    documents: Vec<PostedDocument>,
) -> Result<(Vec<DocumentId>, Vec<Note>), ApiError> {
    let reading = async {
        let mut read = Vec::with_capacity(documents.len());
        for posted in documents {
            read.push(read_posted(posted).await?);
        }
        Ok::<_, ApiError>(read)
    };
    let read = tokio::time::timeout(READING, reading).await.map_err(|_| {
        ApiError::invalid("content", "takes too long to read: split the document or the request")
    })?;
    let (documents, notes): (Vec<Document>, Vec<Note>) = read?.into_iter().unzip();
    let retriever = &app.engines()?.providers.retriever;
    let (ids, fault) = keep(retriever, &scope.store, documents).await?;
    if !ids.is_empty() {
        app.audit.record(Some(scope.tenant.id), acts::documents_posted(&scope.principal, &ids)).await?;
    }
    if let Some(fault) = fault {
        return Err(fault);
    }
    let notes: Vec<Note> = notes.into_iter().filter(|note| note.hidden + note.threats > 0).collect();
    let (hidden, threats) = notes.iter().fold((0, 0), |(h, t), note| (h + note.hidden, t + note.threats));
    tracing::info!(audit = "knowledge.put", documents = ids.len(), hidden, threats, by = %scope.principal.subject, "documents kept");
    Ok((ids, notes))
}

/// A posted document as text, and what in it is not meant for its readers.
async fn read_posted(posted: PostedDocument) -> Result<(Document, Note), ApiError> {
    if posted.source.trim().is_empty() {
        return Err(ApiError::new(ErrorCode::MissingParameter, "a document has no `source`"));
    }
    if posted.title.chars().count() > MAX_TITLE {
        let what =
            format_args!("of {:?} must have at most {MAX_TITLE} characters", posted.source).to_string();
        return Err(ApiError::invalid("title", what).advise("shorten it; long text belongs into `content`"));
    }
    let PostedDocument { source, title, content, media_type } = posted;
    let reading = match receive(&content, media_type.as_deref()) {
        Ok(received) => reader().read(received).await,
        Err(error) => Err(error),
    };
    let reading = reading.map_err(|error| refused(&source, &error))?;
    // Beside the calls' tasks: a long text takes a while.
    let judged = tokio::task::spawn_blocking(move || {
        let guard = Guard::shipped()?;
        let threats = guard.judge(&reading.text, Channel::Document, Context::default()).threats.len();
        Ok::<_, GuardError>((reading, threats))
    });
    let judged = judged.await.map_err(|error| ApiError::internal(&error))?;
    let (reading, threats): (Reading, usize) = judged.map_err(|error| ApiError::internal(&error))?;
    let note = Note { source: source.clone(), hidden: reading.hidden, threats };
    let title = Some(title).filter(|title| !title.trim().is_empty()).or(reading.title);
    let document = Document {
        source,
        title: title.unwrap_or_default(),
        content: reading.text,
        media_type: Some(reading.media_type.to_owned()),
        ..Document::default()
    };
    Ok((document, note))
}

fn refused(source: &str, error: &ReadError) -> ApiError {
    match error {
        ReadError::NoReader(_) => ApiError::internal(error),
        error => ApiError::invalid("content", format_args!("of {source:?}: {error}")),
    }
}

/// Embeds what is new in the documents, keeps them and puts them into the index. Gives those that are kept, and what went
/// wrong once some were.
async fn keep(
    retriever: &Arc<Retriever>,
    store: &TenantStore,
    documents: Vec<Document>,
) -> Result<(Vec<DocumentId>, Option<ApiError>), ApiError> {
    let tenant = store.id().0;
    let parts = retriever.embed(tenant, &documents).await.map_err(|error| match error {
        RetrieverError::Empty(source) => {
            ApiError::invalid("content", format_args!("of {source:?} has no text"))
        }
        error @ RetrieverError::Model(_) => ApiError::internal(&error),
    })?;
    let mut ids = Vec::with_capacity(documents.len());
    let mut kept = Vec::with_capacity(documents.len());
    let mut refused = None;
    for (mut document, parts) in documents.into_iter().zip(parts) {
        // Storage first: what cannot be kept must not be answered from.
        match store.replace_document(new_document(&document, &parts)).await {
            Ok(id) => {
                (document.id, document.updated_at) = (Some(id.0), Some(Utc::now()));
                ids.push(id);
                kept.push((document, parts));
            }
            Err(error) => {
                refused = Some(error);
                break;
            }
        }
    }
    let index = retriever.clone();
    let indexed = tokio::task::spawn_blocking(move || index.put_all_embedded(tenant, &kept)).await;
    let indexed = indexed.map_err(|error| ApiError::internal(&error)).err();
    let noted = note_model(retriever, store).await.err();
    let fault = refused.map(ApiError::from).or(indexed).or_else(|| noted.map(ApiError::from));
    Ok((ids, fault))
}

/// A tenant made while we run has no vectors of any model yet.
async fn note_model(retriever: &Retriever, store: &TenantStore) -> Result<(), StorageError> {
    if let (Some(model), None) = (retriever.model(), store.setting(EMBEDDED_BY).await?) {
        store.put_setting(EMBEDDED_BY, &json!(model)).await?;
    }
    Ok(())
}

fn new_document(document: &Document, parts: &[Part]) -> NewDocument {
    let title = if document.title.is_empty() { document.source.clone() } else { document.title.clone() };
    NewDocument {
        source: document.source.clone(),
        title,
        media_type: document.media_type.clone().unwrap_or_else(|| "text/plain".to_owned()),
        content: document.content.clone(),
        chunks: chunks(parts),
    }
}

/// Puts a tenant's kept documents into the index, at start. What was embedded before by the same model is not
/// embedded again.
pub async fn index(retriever: &Retriever, store: &TenantStore) -> Result<usize, StorageError> {
    let model = retriever.model().map(|model| json!(model));
    let same = model.is_none() || store.setting(EMBEDDED_BY).await? == model;
    if !same {
        // From here on there may be vectors of two models: neither counts until all are made anew.
        store.put_setting(EMBEDDED_BY, &json!("")).await?;
    }
    let mut kept = if same { kept_parts(store).await? } else { HashMap::new() };
    let mut documents = Vec::new();
    for head in store.list_documents().await? {
        if let Some(document) = store.document(head.id).await? {
            let parts = kept.remove(&head.id).unwrap_or_default();
            documents.push(embedded(retriever, store, document, parts).await?);
        }
    }
    if let (false, Some(model)) = (same, &model) {
        store.put_setting(EMBEDDED_BY, model).await?;
    }
    retriever.put_all_embedded(store.id().0, &documents);
    Ok(documents.len())
}

/// A kept document with its vectors; where they are missing or of another text, they are made and kept.
async fn embedded(
    retriever: &Retriever,
    store: &TenantStore,
    kept: storage::document_records::Document,
    parts: Vec<Part>,
) -> Result<(Document, Vec<Part>), StorageError> {
    let document = Document {
        source: kept.source,
        title: kept.title,
        content: kept.content,
        media_type: Some(kept.media_type),
        id: Some(kept.id.0),
        updated_at: Some(kept.updated_at),
    };
    if retriever.covers(&document, &parts) {
        return Ok((document, parts));
    }
    let one = std::slice::from_ref(&document);
    let Some(parts) = retriever.embed(store.id().0, one).await.ok().and_then(|mut all| all.pop()) else {
        return Ok((document, Vec::new()));
    };
    store.replace_document(new_document(&document, &parts)).await?;
    Ok((document, parts))
}

/// Parts as they are kept.
fn chunks(parts: &[Part]) -> Vec<Chunk> {
    let chunk = |(part, ordinal): (&Part, u32)| Chunk {
        ordinal,
        heading: part.heading.clone().unwrap_or_default(),
        text: part.text.clone(),
        embedding: part.vector.as_ref().map(|vector| vector.to_vec()),
    };
    parts.iter().zip(0..).map(chunk).collect()
}

/// Parts of all documents of a tenant, in their order.
async fn kept_parts(store: &TenantStore) -> Result<HashMap<DocumentId, Vec<Part>>, StorageError> {
    let mut parts: HashMap<DocumentId, Vec<Part>> = HashMap::new();
    for stored in store.all_chunks().await? {
        let Chunk { heading, text, embedding, .. } = stored.chunk;
        let heading = Some(heading).filter(|heading| !heading.is_empty());
        let part = Part { heading, text, vector: embedding.map(Vector::from) };
        parts.entry(stored.document_id).or_default().push(part);
    }
    Ok(parts)
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
    let query = Query {
        text: asked.query.clone(),
        method: asked.method,
        limit: asked.limit,
        min_relevance_score: asked.min_relevance_score,
        filters: filters(&asked.filters)?,
        live: false,
    };
    let found = app.engines()?.providers.retriever.search(scope.tenant.id.0, &query).await;
    let synthesis = synthesis(&asked.query, &found);
    let results: Vec<_> = found.into_iter().zip(1..).map(|(found, rank)| result(found, rank)).collect();
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
        synthesis,
        citations,
    }))
}

/// The filters of a request; one that is not known is refused, since leaving it out would widen the search.
fn filters(asked: &serde_json::Map<String, Value>) -> Result<Filters, ApiError> {
    let mut filters = Filters::default();
    for (name, value) in asked {
        let field = format!("filters.{name}");
        let text = |value: &Value| match value {
            Value::String(text) => Ok(text.clone()),
            _ => Err(ApiError::invalid(&field, "must be text")),
        };
        match (name.as_str(), value) {
            ("source", Value::Array(some)) if (1..=MAX_RESULTS).contains(&some.len()) => {
                filters.sources = some.iter().map(text).collect::<Result<_, _>>()?;
            }
            ("source", Value::Array(_)) => {
                return Err(ApiError::invalid(&field, format_args!("must name from 1 to {MAX_RESULTS}")));
            }
            ("source", value) => filters.sources = vec![text(value)?],
            ("title", value) => filters.title = Some(text(value)?),
            ("media_type", value) => filters.media_type = Some(text(value)?),
            ("updated_from", value) => filters.updated_from = Some(instant(&field, &text(value)?)?),
            ("updated_before", value) => filters.updated_before = Some(instant(&field, &text(value)?)?),
            _ => {
                let known = "is not known: filter by `source`, `title`, `media_type`, `updated_from` or `updated_before`";
                return Err(ApiError::invalid(&field, known));
            }
        }
    }
    Ok(filters)
}

/// An instant, or the beginning of a day.
fn instant(field: &str, text: &str) -> Result<DateTime<Utc>, ApiError> {
    let day = || Some(text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0)?.and_utc());
    let at = DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc()).or_else(day);
    at.ok_or_else(|| {
        ApiError::invalid(field, "must be a date (2026-01-31) or an instant (2026-01-31T09:00:00Z)")
    })
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use speech::runtime;
    use storage::{NewTenant, Platform, PlatformOptions};

    use super::*;

    async fn tenant(folder: &Path) -> TenantStore {
        let platform = Platform::open(PlatformOptions::new(folder)).await.unwrap();
        let new = NewTenant { slug: "a".into(), name: "A".into(), timezone: "America/New_York".into() };
        let tenant = platform.create_tenant(new).await.unwrap();
        platform.tenant(tenant.id).await.unwrap()
    }

    fn document(content: &str) -> NewDocument {
        NewDocument {
            source: "hours.md".into(),
            title: "Hours".into(),
            media_type: "text/markdown".into(),
            content: content.into(),
            chunks: Vec::new(),
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn documents_are_embedded_once_for_a_model() {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
        let environment = runtime::environment(&models).unwrap();
        let retriever = Retriever::load(&environment, &models).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = tenant(folder.path()).await;
        let id = store.replace_document(document("The library opens at nine.")).await.unwrap();
        assert_eq!(index(&retriever, &store).await.unwrap(), 1);
        let chunks = store.all_chunks().await.unwrap();
        assert!(!chunks.is_empty() && chunks.iter().all(|stored| stored.chunk.embedding.is_some()));
        assert_eq!(store.setting(EMBEDDED_BY).await.unwrap(), retriever.model().map(|m| json!(m)));

        let written = store.document(id).await.unwrap().unwrap().updated_at;
        index(&retriever, &store).await.unwrap();
        assert_eq!(store.document(id).await.unwrap().unwrap().updated_at, written, "nothing is made again");
        let query = Query { method: Method::Vector, ..Query::new("when can I get books") };
        assert_eq!(retriever.search(store.id().0, &query).await.len(), 1);

        store.put_setting(EMBEDDED_BY, &json!("another model")).await.unwrap();
        index(&retriever, &store).await.unwrap();
        assert_ne!(store.document(id).await.unwrap().unwrap().updated_at, written, "made by another model");
        assert_eq!(store.setting(EMBEDDED_BY).await.unwrap(), retriever.model().map(|m| json!(m)));
    }
}
