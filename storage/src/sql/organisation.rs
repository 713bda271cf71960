//! Organisational memory: nodes and their relations. What a node says is sealed, and no statement here changes it but
//! [`forget`].

use chrono::{DateTime, SubsecRound, Utc};
use serde_json::{Value, json};

use super::settings::count_up;
use super::tenant::{Scope, TenantStore};
use super::{Conn, extension_types, page_size, taken};
use crate::clock::now;
use crate::error::{Step, StorageError};
use crate::ids::MemoryNodeId;
use crate::organisation::{
    Author, Changes, Embedding, IndexedNode, Layer, MemoryEdge, MemoryNode, NewMemoryNode, NewRelation,
    NodeFilter, RelationType, Use, from_millionths, to_millionths,
};
use crate::zones::{MEMORY_EMBEDDING, MEMORY_FULL, MEMORY_MICRO, MEMORY_PROPERTIES, MEMORY_SUMMARY};

/// Counter of the transactions that wrote here. Its row is locked until they commit, so numbers grow as they commit.
const CHANGE: &str = "memory.change";
/// Rows after which [`changes`] ends with the change that it is in.
const NODES_AT_ONCE: i64 = 1000;
const EDGES_AT_ONCE: i64 = 8000;

const NO_NODE: StorageError = StorageError::NotFound { what: "memory node" };

#[derive(sqlx::FromRow)]
struct NodeRow {
    id: MemoryNodeId,
    symbol: String,
    layer: Layer,
    #[sqlx(rename = "type")]
    node_type: String,
    team_id: Option<String>,
    micro_sealed: Vec<u8>,
    summary_sealed: Option<Vec<u8>>,
    properties_sealed: Vec<u8>,
    author: Author,
    created_at: DateTime<Utc>,
    valid_from_at: DateTime<Utc>,
    valid_until_at: Option<DateTime<Utc>>,
    strength: i64,
    last_used_at: DateTime<Utc>,
    #[sqlx(try_from = "i64")]
    use_count: u64,
    pinned: i64,
    superseded_by: Option<MemoryNodeId>,
}

#[derive(sqlx::FromRow)]
struct EdgeRow {
    from_id: MemoryNodeId,
    relation: RelationType,
    to_id: MemoryNodeId,
    weight: i64,
}

/// The vector of a node and whether the node was forgotten.
#[derive(sqlx::FromRow)]
struct IndexedRow {
    #[sqlx(flatten)]
    node: NodeRow,
    embedding_sealed: Option<Vec<u8>>,
    embedded_by: Option<String>,
    forgotten_at: Option<DateTime<Utc>>,
}

macro_rules! select_nodes {
    ($more:literal, $rest:literal) => {
        concat!(
            "select id, symbol, layer, type, team_id, micro_sealed, summary_sealed, properties_sealed, author,
                created_at, valid_from_at, valid_until_at, strength, last_used_at, use_count, pinned, superseded_by",
            $more,
            " from memory_nodes where tenant_id = $1 ",
            $rest
        )
    };
}

impl TenantStore {
    pub(crate) async fn memory_node(&self, id: MemoryNodeId) -> Result<Option<MemoryNode>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_id(&mut conn, &core.scope, id).await)
    }

    pub(crate) async fn memory_node_by_symbol(
        &self,
        symbol: &str,
    ) -> Result<Option<MemoryNode>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(by_symbol(&mut conn, &core.scope, symbol).await)
    }

    pub(crate) async fn memory_full_text(&self, id: MemoryNodeId) -> Result<Option<String>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(full_text(&mut conn, &core.scope, id).await)
    }

    pub(crate) async fn list_memory_nodes(
        &self,
        filter: &NodeFilter,
    ) -> Result<Vec<MemoryNode>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(list(&mut conn, &core.scope, filter).await)
    }

    pub(crate) async fn memory_relations_of(
        &self,
        id: MemoryNodeId,
    ) -> Result<Vec<MemoryEdge>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(relations_of(&mut conn, &core.scope, id).await)
    }

    pub(crate) async fn memory_changes_after(&self, change: i64) -> Result<Changes, StorageError> {
        let core = &*self.core;
        // Nodes and relations of one state: no relation leads to a node that is not there yet.
        let mut snapshot = core.db.snapshot().await?;
        core.db.named(changes(&mut snapshot, &core.scope, change).await)
    }

    pub(crate) async fn remember_nodes(
        &self,
        nodes: &[NewMemoryNode],
        relations: &[NewRelation],
        author: Author,
    ) -> Result<Vec<MemoryNode>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = remember(write.conn(), &core.scope, nodes, relations, author).await;
        write.finish(step).await
    }

    pub(crate) async fn record_memory_uses(
        &self,
        uses: &[Use],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        if uses.is_empty() {
            return Ok(());
        }
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = record_uses(write.conn(), &core.scope, uses, at).await;
        write.finish(step).await
    }

    pub(crate) async fn pin_memory_node(&self, id: MemoryNodeId, pinned: bool) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = pin(write.conn(), &core.scope, id, pinned).await;
        write.finish(step).await
    }

    pub(crate) async fn put_memory_embedding(
        &self,
        id: MemoryNodeId,
        embedding: &Embedding,
    ) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = put_embedding(write.conn(), &core.scope, id, embedding).await;
        write.finish(step).await
    }

    pub(crate) async fn forget_memory_node(
        &self,
        id: MemoryNodeId,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = forget(write.conn(), &core.scope, id, at).await;
        write.finish(step).await
    }
}

// ---------------------------------------------------------------- reads

async fn by_id(conn: &mut Conn, scope: &Scope, id: MemoryNodeId) -> Step<Option<MemoryNode>> {
    let query = sqlx::query_as(select_nodes!("", "and id = $2 and forgotten_at is null"));
    let kept = query.bind(scope.tenant).bind(id).fetch_optional(conn).await?;
    kept.map(|kept| open(scope, kept)).transpose()
}

async fn by_symbol(conn: &mut Conn, scope: &Scope, symbol: &str) -> Step<Option<MemoryNode>> {
    let query = sqlx::query_as(select_nodes!("", "and symbol = $2 and forgotten_at is null"));
    let kept = query.bind(scope.tenant).bind(symbol).fetch_optional(conn).await?;
    kept.map(|kept| open(scope, kept)).transpose()
}

async fn full_text(conn: &mut Conn, scope: &Scope, id: MemoryNodeId) -> Step<Option<String>> {
    let sealed: Option<Option<Vec<u8>>> = sqlx::query_scalar(
        "select full_sealed from memory_nodes where tenant_id = $1 and id = $2 and forgotten_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .fetch_optional(conn)
    .await?;
    let open = |sealed: Vec<u8>| scope.sealer.open_text(MEMORY_FULL, id.0.as_bytes(), &sealed);
    Ok(sealed.flatten().map(open).transpose()?)
}

async fn list(conn: &mut Conn, scope: &Scope, filter: &NodeFilter) -> Step<Vec<MemoryNode>> {
    let kept: Vec<NodeRow> = sqlx::query_as(select_nodes!(
        "",
        "and forgotten_at is null and ($2 is null or layer = $2) and ($3 is null or type = $3)
         and ($4 is null or team_id = $4) and ($5 is null or id < $5)
         order by id desc limit $6"
    ))
    .bind(scope.tenant)
    .bind(filter.layer)
    .bind(&filter.node_type)
    .bind(&filter.team_id)
    .bind(filter.after)
    .bind(page_size(filter.limit))
    .fetch_all(conn)
    .await?;
    kept.into_iter().map(|kept| open(scope, kept)).collect()
}

async fn relations_of(conn: &mut Conn, scope: &Scope, id: MemoryNodeId) -> Step<Vec<MemoryEdge>> {
    let kept: Vec<EdgeRow> = sqlx::query_as(
        "select from_id, relation, to_id, weight from memory_edges
         where tenant_id = $1 and (from_id = $2 or to_id = $2)
         order by weight desc, from_id, to_id, relation limit 500",
    )
    .bind(scope.tenant)
    .bind(id)
    .fetch_all(conn)
    .await?;
    Ok(kept.into_iter().map(edge).collect())
}

/// Whole changes: it ends with the one in which a bound of rows is passed, or with the last there is.
async fn changes(conn: &mut Conn, scope: &Scope, after: i64) -> Step<Changes> {
    let last: Option<i64> =
        sqlx::query_scalar("select value from counters where tenant_id = $1 and name = $2")
            .bind(scope.tenant)
            .bind(CHANGE)
            .fetch_optional(&mut *conn)
            .await?;
    let last = last.unwrap_or_default();
    if last <= after {
        return Ok(Changes { reached: last, ..Changes::default() });
    }
    let nodes_end = "select change from memory_nodes where tenant_id = $1 and change > $2
        order by change limit 1 offset $3";
    let edges_end = "select change from memory_edges where tenant_id = $1 and change > $2
        order by change limit 1 offset $3";
    let mut reached = last;
    for (sql, rows) in [(nodes_end, NODES_AT_ONCE), (edges_end, EDGES_AT_ONCE)] {
        let query = sqlx::query_scalar(sql).bind(scope.tenant).bind(after).bind(rows - 1);
        let end: Option<i64> = query.fetch_optional(&mut *conn).await?;
        reached = end.map_or(reached, |end| reached.min(end));
    }
    let nodes: Vec<IndexedRow> = sqlx::query_as(select_nodes!(
        ", embedding_sealed, embedded_by, forgotten_at",
        "and change > $2 and change <= $3 order by id"
    ))
    .bind(scope.tenant)
    .bind(after)
    .bind(reached)
    .fetch_all(&mut *conn)
    .await?;
    let edges: Vec<EdgeRow> = sqlx::query_as(
        "select from_id, relation, to_id, weight from memory_edges
         where tenant_id = $1 and change > $2 and change <= $3 order by from_id, to_id, relation",
    )
    .bind(scope.tenant)
    .bind(after)
    .bind(reached)
    .fetch_all(conn)
    .await?;
    Ok(Changes {
        nodes: nodes.into_iter().map(|kept| open_indexed(scope, kept)).collect::<Step<_>>()?,
        edges: edges.into_iter().map(edge).collect(),
        reached,
        more: reached < last,
    })
}

// ---------------------------------------------------------------- writes

async fn remember(
    conn: &mut Conn,
    scope: &Scope,
    nodes: &[NewMemoryNode],
    relations: &[NewRelation],
    author: Author,
) -> Step<Vec<MemoryNode>> {
    let change = count_up(conn, scope, CHANGE).await?;
    let mut ids = Vec::with_capacity(nodes.len());
    for new in nodes {
        ids.push(insert(conn, scope, new, author, change).await?);
        extension_types::count_node(conn, scope, &new.node_type).await?;
    }
    for new in relations {
        relate(conn, scope, new, change).await?;
    }
    let mut kept = Vec::with_capacity(ids.len());
    for id in ids {
        kept.push(by_id(conn, scope, id).await?.ok_or(NO_NODE)?);
    }
    Ok(kept)
}

async fn insert(
    conn: &mut Conn,
    scope: &Scope,
    new: &NewMemoryNode,
    author: Author,
    change: i64,
) -> Step<MemoryNodeId> {
    let id = MemoryNodeId::new();
    let row = id.0.as_bytes();
    let text = |place, text: &str| scope.sealer.seal(place, row, text.as_bytes());
    let vector = |e: &Embedding| scope.sealer.seal(MEMORY_EMBEDDING, row, &to_bytes(&e.vector));
    sqlx::query(
        "insert into memory_nodes (tenant_id, id, symbol, layer, type, team_id, micro_sealed, summary_sealed,
            full_sealed, properties_sealed, embedding_sealed, embedded_by, author, created_at, valid_from_at,
            valid_until_at, strength, last_used_at, pinned, change)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $14, $18, $19)",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(&new.symbol)
    .bind(new.layer)
    .bind(&new.node_type)
    .bind(&new.team_id)
    .bind(text(MEMORY_MICRO, &new.micro)?)
    .bind(new.summary.as_deref().map(|it| text(MEMORY_SUMMARY, it)).transpose()?)
    .bind(new.full.as_deref().map(|it| text(MEMORY_FULL, it)).transpose()?)
    .bind(scope.sealer.seal_json(MEMORY_PROPERTIES, row, &new.properties)?)
    .bind(new.embedding.as_ref().map(vector).transpose()?)
    .bind(new.embedding.as_ref().map(|embedding| embedding.model.as_str()))
    .bind(author)
    .bind(now())
    .bind(new.valid_from.trunc_subsecs(6))
    .bind(new.valid_until.map(|until| until.trunc_subsecs(6)))
    .bind(to_millionths(new.strength))
    .bind(i64::from(new.pinned))
    .bind(change)
    .execute(conn)
    .await
    .map_err(|error| taken(error, "symbol"))?;
    Ok(id)
}

/// An end of a relation.
#[derive(sqlx::FromRow)]
struct End {
    id: MemoryNodeId,
    layer: Layer,
    superseded_by: Option<MemoryNodeId>,
}

async fn end(conn: &mut Conn, scope: &Scope, symbol: &str) -> Step<End> {
    let query = sqlx::query_as(
        "select id, layer, superseded_by from memory_nodes
         where tenant_id = $1 and symbol = $2 and forgotten_at is null",
    )
    .bind(scope.tenant)
    .bind(symbol);
    query.fetch_optional(conn).await?.ok_or(NO_NODE.into())
}

async fn relate(conn: &mut Conn, scope: &Scope, new: &NewRelation, change: i64) -> Step<()> {
    let from = end(conn, scope, &new.from).await?;
    let to = end(conn, scope, &new.to).await?;
    if !new.relation.allows(from.layer, to.layer) {
        return Err(StorageError::Invalid { what: "this relation does not lead between these layers" }.into());
    }
    sqlx::query(
        "insert into memory_edges (tenant_id, from_id, to_id, relation, weight, created_at, change)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (tenant_id, from_id, to_id, relation) do update set weight = excluded.weight,
            change = excluded.change",
    )
    .bind(scope.tenant)
    .bind(from.id)
    .bind(to.id)
    .bind(new.relation)
    .bind(to_millionths(new.weight))
    .bind(now())
    .bind(change)
    .execute(&mut *conn)
    .await?;
    if new.relation == RelationType::Supersedes {
        supersede(conn, scope, &from, &to, change).await
    } else {
        Ok(())
    }
}

/// Only what stands may supersede, and only what stands: so successors never run in a circle.
async fn supersede(conn: &mut Conn, scope: &Scope, newer: &End, older: &End, change: i64) -> Step<()> {
    let again = older.superseded_by == Some(newer.id);
    if newer.superseded_by.is_some() || (older.superseded_by.is_some() && !again) {
        let what = "one of the two is superseded already: relate the node that replaced it";
        return Err(StorageError::Invalid { what }.into());
    }
    sqlx::query(
        "update memory_nodes set superseded_by = $3, change = $5,
            valid_until_at = case when valid_until_at < $4 then valid_until_at else $4 end
         where tenant_id = $1 and id = $2 and superseded_by is null",
    )
    .bind(scope.tenant)
    .bind(older.id)
    .bind(newer.id)
    .bind(now())
    .bind(change)
    .execute(conn)
    .await?;
    Ok(())
}

async fn record_uses(conn: &mut Conn, scope: &Scope, uses: &[Use], at: DateTime<Utc>) -> Step<()> {
    let change = count_up(conn, scope, CHANGE).await?;
    for used in uses {
        let node_type: Option<String> = sqlx::query_scalar(
            "update memory_nodes set use_count = use_count + 1, strength = $3, last_used_at = $4, change = $5
             where tenant_id = $1 and id = $2 and forgotten_at is null returning type",
        )
        .bind(scope.tenant)
        .bind(used.id)
        .bind(to_millionths(used.strength))
        .bind(at.trunc_subsecs(6))
        .bind(change)
        .fetch_optional(&mut *conn)
        .await?;
        if let Some(node_type) = node_type {
            extension_types::count_retrieval(conn, scope, &node_type).await?;
        }
    }
    Ok(())
}

async fn pin(conn: &mut Conn, scope: &Scope, id: MemoryNodeId, pinned: bool) -> Step<()> {
    let change = count_up(conn, scope, CHANGE).await?;
    let done = sqlx::query(
        "update memory_nodes set pinned = $3, change = $4
         where tenant_id = $1 and id = $2 and forgotten_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(i64::from(pinned))
    .bind(change)
    .execute(conn)
    .await?;
    if done.rows_affected() == 0 { Err(NO_NODE.into()) } else { Ok(()) }
}

async fn put_embedding(conn: &mut Conn, scope: &Scope, id: MemoryNodeId, new: &Embedding) -> Step<()> {
    let change = count_up(conn, scope, CHANGE).await?;
    sqlx::query(
        "update memory_nodes set embedding_sealed = $3, embedded_by = $4, change = $5
         where tenant_id = $1 and id = $2 and forgotten_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(scope.sealer.seal(MEMORY_EMBEDDING, id.0.as_bytes(), &to_bytes(&new.vector))?)
    .bind(&new.model)
    .bind(change)
    .execute(conn)
    .await?;
    Ok(())
}

/// The row stays, empty, so that the indexes of other processes learn of it.
async fn forget(conn: &mut Conn, scope: &Scope, id: MemoryNodeId, at: DateTime<Utc>) -> Step<bool> {
    let change = count_up(conn, scope, CHANGE).await?;
    let row = id.0.as_bytes();
    let done = sqlx::query(
        "update memory_nodes set micro_sealed = $3, properties_sealed = $4, summary_sealed = null,
            full_sealed = null, embedding_sealed = null, embedded_by = null, forgotten_at = $5, change = $6
         where tenant_id = $1 and id = $2 and forgotten_at is null",
    )
    .bind(scope.tenant)
    .bind(id)
    .bind(scope.sealer.seal(MEMORY_MICRO, row, b"")?)
    .bind(scope.sealer.seal_json(MEMORY_PROPERTIES, row, &json!({}))?)
    .bind(at.trunc_subsecs(6))
    .bind(change)
    .execute(&mut *conn)
    .await?;
    if done.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("delete from memory_edges where tenant_id = $1 and (from_id = $2 or to_id = $2)")
        .bind(scope.tenant)
        .bind(id)
        .execute(conn)
        .await?;
    Ok(true)
}

// ---------------------------------------------------------------- rows

fn open(scope: &Scope, kept: NodeRow) -> Step<MemoryNode> {
    let row = *kept.id.0.as_bytes();
    let text = |place, sealed: &[u8]| scope.sealer.open_text(place, &row, sealed);
    let properties: Value = scope.sealer.open_json(MEMORY_PROPERTIES, &row, &kept.properties_sealed)?;
    Ok(MemoryNode {
        micro: text(MEMORY_MICRO, &kept.micro_sealed)?,
        summary: kept.summary_sealed.as_deref().map(|sealed| text(MEMORY_SUMMARY, sealed)).transpose()?,
        properties,
        id: kept.id,
        symbol: kept.symbol,
        layer: kept.layer,
        node_type: kept.node_type,
        team_id: kept.team_id,
        author: kept.author,
        created_at: kept.created_at,
        valid_from: kept.valid_from_at,
        valid_until: kept.valid_until_at,
        strength: from_millionths(kept.strength),
        last_used: kept.last_used_at,
        use_count: kept.use_count,
        pinned: kept.pinned != 0,
        superseded_by: kept.superseded_by,
    })
}

fn open_indexed(scope: &Scope, kept: IndexedRow) -> Step<IndexedNode> {
    let id = kept.node.id;
    let embedding = match (kept.embedding_sealed, kept.embedded_by) {
        (Some(sealed), Some(model)) => {
            let bytes = scope.sealer.open(MEMORY_EMBEDDING, id.0.as_bytes(), &sealed)?;
            Some(Embedding { model, vector: to_floats(&bytes) })
        }
        _ => None,
    };
    let is_forgotten = kept.forgotten_at.is_some();
    Ok(IndexedNode { node: open(scope, kept.node)?, embedding, is_forgotten })
}

fn edge(kept: EdgeRow) -> MemoryEdge {
    MemoryEdge {
        from: kept.from_id,
        relation: kept.relation,
        to: kept.to_id,
        weight: from_millionths(kept.weight),
    }
}

fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn to_floats(bytes: &[u8]) -> Vec<f32> {
    let (whole, _) = bytes.as_chunks::<4>();
    whole.iter().map(|four| f32::from_le_bytes(*four)).collect()
}
