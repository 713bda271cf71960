//! `GET /v1/knowledge/documents`, and `GET`, `PUT` and `DELETE /v1/knowledge/documents/{id}`: what the line answers from,
//! one by one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use storage::document_records::{Document, DocumentHead};
use storage::{DocumentId, Knowledge, TenantStore};

use super::knowledge::{self, Note, PostedDocument};
use super::page::{Page, PageQuery};
use crate::app::App;
use crate::audit::acts;
use crate::auth::{ReadKnowledge, Scoped, WriteKnowledge};
use crate::error::{ApiError, JsonBody, QueryOf};

/// Longest words that are looked for, in characters.
const LONGEST_SEARCH: usize = 200;

/// A document, as lists show it.
#[derive(Debug, Serialize)]
pub struct Head {
    id: DocumentId,
    source: String,
    title: String,
    media_type: String,
    /// Passages that a search may find.
    passages: u32,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl From<DocumentHead> for Head {
    fn from(head: DocumentHead) -> Self {
        Self {
            id: head.id,
            source: head.source,
            title: head.title,
            media_type: head.media_type,
            passages: head.chunks,
            created_at: head.created_at,
            updated_at: head.updated_at,
        }
    }
}

/// A document with its text.
#[derive(Debug, Serialize)]
pub struct Whole {
    id: DocumentId,
    source: String,
    title: String,
    media_type: String,
    /// As it was read: a PDF's or a page's text.
    content: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl From<Document> for Whole {
    fn from(document: Document) -> Self {
        Self {
            id: document.id,
            source: document.source,
            title: document.title,
            media_type: document.media_type,
            content: document.content,
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

/// `?q=`, beside a page's own.
#[derive(Debug, Default, Deserialize)]
pub struct Wanted {
    q: Option<String>,
    limit: Option<u32>,
    cursor: Option<String>,
}

/// New text of a document that is kept.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// The document's own, if given.
    source: Option<String>,
    /// Absent: as it was.
    title: Option<String>,
    /// Text; a PDF in base64.
    content: String,
    media_type: Option<String>,
}

/// The answer to a replacement.
#[derive(Debug, Serialize)]
pub struct Replaced {
    #[serde(flatten)]
    document: Whole,
    /// What in it was not meant for its readers, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<Note>,
}

/// The list, by source. `q` looks in sources and titles.
///
/// # Errors
/// A parameter that is none.
pub async fn list(
    scope: Scoped<ReadKnowledge>,
    QueryOf(wanted): QueryOf<Wanted>,
) -> Result<Json<Page<Head>>, ApiError> {
    let page = PageQuery { limit: wanted.limit, cursor: wanted.cursor.clone() };
    let words = wanted.q.as_deref().unwrap_or_default().trim().to_lowercase();
    if words.chars().count() > LONGEST_SEARCH {
        return Err(ApiError::invalid("q", format_args!("is longer than {LONGEST_SEARCH} characters")));
    }
    let (after, most) = (page.after::<DocumentId>()?, page.fetch()? as usize);
    let mut heads = scope.store.list_documents().await?;
    if let Some(after) = after {
        let at = heads.iter().position(|head| head.id == after);
        let gone =
            || ApiError::invalid("cursor", "names a document that is gone").advise("begin again without it");
        heads.drain(..=at.ok_or_else(gone)?);
    }
    heads.retain(|head| {
        head.source.to_lowercase().contains(&words) || head.title.to_lowercase().contains(&words)
    });
    heads.truncate(most);
    Ok(Json(page.page(heads, |head| head.id.to_string(), Head::from)))
}

/// One document with its text.
///
/// # Errors
/// 404.
pub async fn one(scope: Scoped<ReadKnowledge>, Path(id): Path<String>) -> Result<Json<Whole>, ApiError> {
    Ok(Json(find(&scope.store, &id).await?.into()))
}

/// Replaces a document's text. The line answers from the new one when this answers.
///
/// # Errors
/// 404; 400 for a text that cannot be read, or another source: that is another document.
pub async fn replace(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteKnowledge>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Replacement>,
) -> Result<Json<Replaced>, ApiError> {
    let before = find(&scope.store, &id).await?;
    if asked.source.as_ref().is_some_and(|source| *source != before.source) {
        return Err(ApiError::invalid("source", "is another than the document's own")
            .advise("post it as a new document, then delete this one"));
    }
    let posted = PostedDocument {
        source: before.source,
        title: asked.title.unwrap_or(before.title),
        content: asked.content,
        media_type: asked.media_type,
    };
    let (_, notes) = knowledge::keep_posted(&app, &scope, vec![posted]).await?;
    let document = find(&scope.store, &id).await?.into();
    Ok(Json(Replaced { document, note: notes.into_iter().next() }))
}

/// Deletes a document. Nobody is answered from it any more when this answers.
///
/// # Errors
/// 404.
pub async fn delete(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteKnowledge>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let retriever = &app.engines()?.providers.retriever;
    let document = find(&scope.store, &id).await?;
    if !scope.store.delete_document(document.id).await? {
        return Err(ApiError::not_found("document"));
    }
    retriever.remove(scope.tenant.id.0, &document.source);
    app.audit.record(Some(scope.tenant.id), acts::document_deleted(&scope.principal, document.id)).await?;
    tracing::info!(audit = "knowledge.deleted", document = %document.id, by = %scope.principal.subject, "document deleted");
    Ok(StatusCode::NO_CONTENT)
}

async fn find(store: &TenantStore, id: &str) -> Result<Document, ApiError> {
    let id: DocumentId = id.parse().map_err(|_| ApiError::not_found("document"))?;
    store.document(id).await?.ok_or_else(|| ApiError::not_found("document"))
}
