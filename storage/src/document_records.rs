//! Documents that a tenant's line answers from, and their passages.

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::ids::DocumentId;

/// A passage of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Chunk {
    /// Position in the document, from 0.
    pub ordinal: u32,
    pub heading: String,
    pub text: String,
    pub embedding: Option<Vec<f32>>,
}

/// A document to be kept; replaces the one of the same source.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// Where it comes from, verbatim; the tenant's key for it.
    pub source: String,
    pub title: String,
    pub media_type: String,
    pub content: String,
    pub chunks: Vec<Chunk>,
}

/// A document without its passages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Document {
    /// Stays the same when the source is replaced.
    pub id: DocumentId,
    pub source: String,
    pub title: String,
    pub media_type: String,
    pub content: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A document without its text, for lists.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct DocumentHead {
    pub id: DocumentId,
    pub source: String,
    pub title: String,
    pub media_type: String,
    #[sqlx(try_from = "i64")]
    pub chunks: u32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// A passage with the document it is of.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredChunk {
    pub document_id: DocumentId,
    pub source: String,
    pub title: String,
    pub chunk: Chunk,
}
