//! The tenant's documents and their passages. Not sensitive.

use super::Conn;
use super::tenant::{Scope, TenantStore};
use crate::clock::now;
use crate::document_records::{Chunk, Document, DocumentHead, NewDocument, StoredChunk};
use crate::error::{Step, StorageError};
use crate::ids::DocumentId;
use crate::store::Knowledge;

#[derive(sqlx::FromRow)]
struct ChunkRow {
    document_id: DocumentId,
    source: String,
    title: String,
    #[sqlx(try_from = "i64")]
    ordinal: u32,
    heading: String,
    body: String,
    embedding: Option<Vec<u8>>,
}

impl Knowledge for TenantStore {
    async fn replace_document(&self, document: NewDocument) -> Result<DocumentId, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = replace(write.conn(), &core.scope, &document).await;
        write.finish(step).await
    }

    async fn document(&self, id: DocumentId) -> Result<Option<Document>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    async fn list_documents(&self) -> Result<Vec<DocumentHead>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope).await)
    }

    async fn delete_document(&self, id: DocumentId) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = delete(write.conn(), &core.scope, id).await;
        write.finish(step).await
    }

    async fn all_chunks(&self) -> Result<Vec<StoredChunk>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(all_chunks(&mut conn, &core.scope).await)
    }
}

/// PostgreSQL cannot keep a NUL character in a text, and a document that one back end takes the other must take too.
fn refuse_nul(new: &NewDocument) -> Step<()> {
    let head = [&new.source, &new.title, &new.media_type, &new.content].into_iter();
    let mut texts = head.chain(new.chunks.iter().flat_map(|chunk| [&chunk.heading, &chunk.text]));
    if texts.any(|text| text.contains('\0')) {
        return Err(StorageError::Invalid { what: "a document's text must not hold a NUL character" }.into());
    }
    Ok(())
}

async fn replace(conn: &mut Conn, scope: &Scope, new: &NewDocument) -> Step<DocumentId> {
    refuse_nul(new)?;
    let id: DocumentId = sqlx::query_scalar(
        "insert into documents (tenant_id, id, source, title, media_type, content, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7)
         on conflict (tenant_id, source) do update set title = excluded.title,
            media_type = excluded.media_type, content = excluded.content, updated_at = excluded.updated_at
         returning id",
    )
    .bind(scope.tenant)
    .bind(DocumentId::new())
    .bind(&new.source)
    .bind(&new.title)
    .bind(&new.media_type)
    .bind(&new.content)
    .bind(now())
    .fetch_one(&mut *conn)
    .await?;
    delete_chunks(conn, scope, id).await?;
    for chunk in &new.chunks {
        insert_chunk(conn, scope, id, chunk).await?;
    }
    Ok(id)
}

async fn insert_chunk(conn: &mut Conn, scope: &Scope, document: DocumentId, chunk: &Chunk) -> Step<()> {
    sqlx::query(
        "insert into document_chunks (tenant_id, document_id, ordinal, heading, body, embedding)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(scope.tenant)
    .bind(document)
    .bind(i64::from(chunk.ordinal))
    .bind(&chunk.heading)
    .bind(&chunk.text)
    .bind(chunk.embedding.as_deref().map(to_bytes))
    .execute(conn)
    .await?;
    Ok(())
}

async fn delete_chunks(conn: &mut Conn, scope: &Scope, document: DocumentId) -> Step<()> {
    sqlx::query("delete from document_chunks where tenant_id = $1 and document_id = $2")
        .bind(scope.tenant)
        .bind(document)
        .execute(conn)
        .await?;
    Ok(())
}

async fn delete(conn: &mut Conn, scope: &Scope, id: DocumentId) -> Step<bool> {
    delete_chunks(conn, scope, id).await?;
    let done = sqlx::query("delete from documents where tenant_id = $1 and id = $2")
        .bind(scope.tenant)
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() > 0)
}

async fn by_id(conn: &mut Conn, scope: &Scope, id: DocumentId) -> Step<Option<Document>> {
    let query = sqlx::query_as(
        "select id, source, title, media_type, content, created_at, updated_at from documents
         where tenant_id = $1 and id = $2",
    )
    .bind(scope.tenant)
    .bind(id);
    Ok(query.fetch_optional(conn).await?)
}

async fn list(conn: &mut Conn, scope: &Scope) -> Step<Vec<DocumentHead>> {
    let query = sqlx::query_as(
        "select id, source, title, media_type, created_at, updated_at,
            (select count(*) from document_chunks c where c.tenant_id = d.tenant_id and c.document_id = d.id)
            as chunks
         from documents d where tenant_id = $1 order by source",
    )
    .bind(scope.tenant);
    Ok(query.fetch_all(conn).await?)
}

async fn all_chunks(conn: &mut Conn, scope: &Scope) -> Step<Vec<StoredChunk>> {
    let kept: Vec<ChunkRow> = sqlx::query_as(
        "select c.document_id, d.source, d.title, c.ordinal, c.heading, c.body, c.embedding
         from document_chunks c join documents d on d.tenant_id = c.tenant_id and d.id = c.document_id
         where c.tenant_id = $1 order by c.document_id, c.ordinal",
    )
    .bind(scope.tenant)
    .fetch_all(conn)
    .await?;
    Ok(kept.into_iter().map(stored).collect())
}

fn stored(kept: ChunkRow) -> StoredChunk {
    let embedding = kept.embedding.as_deref().map(to_floats);
    StoredChunk {
        document_id: kept.document_id,
        source: kept.source,
        title: kept.title,
        chunk: Chunk { ordinal: kept.ordinal, heading: kept.heading, text: kept.body, embedding },
    }
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn to_floats(bytes: &[u8]) -> Vec<f32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole.iter().map(|four| f32::from_le_bytes(*four)).collect()
}
