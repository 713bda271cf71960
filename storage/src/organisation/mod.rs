//! What the organisation knows: nodes in four layers with typed relations, types that teams declare, and what became
//! of earlier tasks.
//!
//! Everybody may read ([`OrganisationReader`]). Nodes and relations are written through an [`OrganisationWriter`] alone,
//! which is made for one [`Author`] and leaves that name on each node. What a node says is sealed and never changed: new
//! knowledge is a new node that supersedes the old one. Because sealed text cannot be searched by the database, whoever
//! searches keeps an index in memory and asks for [`OrganisationReader::changes_after`] what it has seen last.

mod node;
mod record;
mod task;

pub use node::{
    Author, Changes, Embedding, IndexedNode, Layer, MemoryEdge, MemoryNode, NewMemoryNode, NewRelation,
    NodeFilter, RelationType, Use,
};
pub(crate) use node::{from_millionths, to_millionths};
pub use record::{Decision, ExtensionType, NewExtensionType, TypeState};
pub use task::{NewTask, Task, TaskFilter};

use chrono::{DateTime, Utc};

use crate::backend::{TenantStore, on_backend};
use crate::error::StorageError;
use crate::ids::MemoryNodeId;

type Result<T> = std::result::Result<T, StorageError>;

/// Most nodes that one call of [`OrganisationWriter::remember`] takes.
pub const MAX_NODES: usize = 64;
/// Most relations that one call takes.
pub const MAX_RELATIONS: usize = 256;

/// Reads one tenant's organisational memory. What comes back is raw text: screen it before it leaves the sensitive zone.
#[derive(Clone, Debug)]
pub struct OrganisationReader(TenantStore);

/// The only way to write organisational memory.
///
/// ```compile_fail
/// # async fn forge(store: storage::TenantStore) {
/// // The rows are not within reach of a store: this does not compile.
/// store.remember_nodes(&[], &[], storage::organisation::Author::Review).await.unwrap();
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct OrganisationWriter {
    store: TenantStore,
    author: Author,
}

impl TenantStore {
    /// Reads of organisational memory.
    #[must_use]
    pub fn organisation(&self) -> OrganisationReader {
        OrganisationReader(self.clone())
    }

    /// A writer of organisational memory that signs as `author`.
    #[must_use]
    pub fn organisation_writer(&self, author: Author) -> OrganisationWriter {
        OrganisationWriter { store: self.clone(), author }
    }
}

impl OrganisationReader {
    /// A node that was not forgotten, without its full text.
    pub async fn node(&self, id: MemoryNodeId) -> Result<Option<MemoryNode>> {
        on_backend!(self.0, store => store.memory_node(id).await)
    }

    /// By its symbol, as it was given.
    pub async fn node_by_symbol(&self, symbol: &str) -> Result<Option<MemoryNode>> {
        if !node::is_symbol(symbol) {
            return Ok(None);
        }
        on_backend!(self.0, store => store.memory_node_by_symbol(symbol).await)
    }

    /// The full text; `None` when the node has none or there is no such node.
    pub async fn full_text(&self, id: MemoryNodeId) -> Result<Option<String>> {
        on_backend!(self.0, store => store.memory_full_text(id).await)
    }

    /// Newest first, without what was forgotten.
    pub async fn list_nodes(&self, filter: &NodeFilter) -> Result<Vec<MemoryNode>> {
        let names = [&filter.node_type, &filter.team_id];
        // No name holds a NUL, and PostgreSQL would not even take the question.
        if names.into_iter().flatten().any(|name| name.contains('\0')) {
            return Ok(Vec::new());
        }
        on_backend!(self.0, store => store.list_memory_nodes(filter).await)
    }

    /// Relations from and to a node, the heaviest first. At most 500.
    pub async fn relations_of(&self, id: MemoryNodeId) -> Result<Vec<MemoryEdge>> {
        on_backend!(self.0, store => store.memory_relations_of(id).await)
    }

    /// What was written after a change, whole transactions at a time; ask again from `reached` while `more`.
    pub async fn changes_after(&self, change: i64) -> Result<Changes> {
        on_backend!(self.0, store => store.memory_changes_after(change).await)
    }

    /// Types that teams declared, by name. At most 500.
    pub async fn extension_types(&self) -> Result<Vec<ExtensionType>> {
        on_backend!(self.0, store => store.extension_types().await)
    }

    pub async fn extension_type(&self, name: &str) -> Result<Option<ExtensionType>> {
        on_backend!(self.0, store => store.extension_type(name).await)
    }

    /// What became of earlier tasks, newest first.
    pub async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<Task>> {
        on_backend!(self.0, store => store.task_history(filter).await)
    }
}

impl OrganisationWriter {
    /// Keeps nodes and relations, all or nothing. Relations name nodes by symbol, of this call or earlier ones.
    ///
    /// A `supersedes` relation closes the older node: it ends now, unless it ended before, and names its successor.
    ///
    /// # Errors
    /// `Taken` when a symbol is in use; `NotFound` when a relation names no node; `Invalid` for a symbol or type that is
    /// no name, a relation that its layers do not allow, a node superseded before, or more than [`MAX_NODES`] and
    /// [`MAX_RELATIONS`].
    pub async fn remember(
        &self,
        nodes: &[NewMemoryNode],
        relations: &[NewRelation],
    ) -> Result<Vec<MemoryNode>> {
        if nodes.len() > MAX_NODES || relations.len() > MAX_RELATIONS {
            return Err(StorageError::Invalid { what: "at most 64 nodes and 256 relations go in one call" });
        }
        nodes.iter().try_for_each(NewMemoryNode::check)?;
        relations.iter().try_for_each(NewRelation::check)?;
        on_backend!(self.store, store => store.remember_nodes(nodes, relations, self.author).await)
    }

    /// Counts that nodes were used at `at`, with the strength that they have from then on. Nodes that are gone are left
    /// out. At most [`MAX_NODES`] at a time; the rest is not counted.
    pub async fn record_uses(&self, uses: &[Use], at: DateTime<Utc>) -> Result<()> {
        let uses = &uses[..uses.len().min(MAX_NODES)];
        on_backend!(self.store, store => store.record_memory_uses(uses, at).await)
    }

    /// A pinned node never fades and is never merged into another. `NotFound` when there is no such node.
    pub async fn pin(&self, id: MemoryNodeId, pinned: bool) -> Result<()> {
        on_backend!(self.store, store => store.pin_memory_node(id, pinned).await)
    }

    /// Keeps the vector of a node, in place of that of another model.
    pub async fn put_embedding(&self, id: MemoryNodeId, embedding: &Embedding) -> Result<()> {
        on_backend!(self.store, store => store.put_memory_embedding(id, embedding).await)
    }

    /// Wipes what a node says and takes its relations away. `false` when there is no such node.
    pub async fn forget(&self, id: MemoryNodeId, at: DateTime<Utc>) -> Result<bool> {
        on_backend!(self.store, store => store.forget_memory_node(id, at).await)
    }

    /// Declares a type of a team, experimental. `Taken` when its name is in use.
    pub async fn declare_type(&self, new: &NewExtensionType) -> Result<ExtensionType> {
        new.check()?;
        on_backend!(self.store, store => store.declare_extension_type(new).await)
    }

    /// Records a change of state of a type, with who decided it and on which figures. `NotFound` when there is no such
    /// type, `Invalid` when it is not one step up from `decision.from`.
    pub async fn decide_type(&self, name: &str, decision: &Decision) -> Result<ExtensionType> {
        on_backend!(self.store, store => store.decide_extension_type(name, decision).await)
    }

    /// Keeps what became of a task, once per `task_id`: a later record of the same changes nothing and gives `false`.
    /// What is to stand with other writes or not at all goes with them, in [`crate::records::TurnCommit::tasks`].
    pub async fn record_task(&self, task: &NewTask) -> Result<bool> {
        on_backend!(self.store, store => store.record_task(task).await)
    }
}
