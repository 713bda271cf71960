//! What the organisation knows and why it decided as it did: the four layers of memory, searched, recalled and kept in
//! order.
//!
//! [`Organisation`] is the one door: it writes through [`storage::organisation`], keeps an [`index::Index`] of each
//! tenant in memory (sealed text cannot be searched where it is kept), and asks the pure parts beside it: [`search`],
//! [`precedent`], [`pagerank`], [`resolution`], [`decay`], [`consolidate`], [`evolution`], [`node_types`], [`episode`],
//! [`router`]. Nothing here is in a live turn's way.

pub mod answer;
pub mod consolidate;
pub mod decay;
pub mod episode;
pub mod evolution;
pub mod index;
pub mod node_types;
pub mod pagerank;
pub mod precedent;
pub mod resolution;
pub mod router;
pub mod ruling;
pub mod search;
mod tending;

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use parking_lot::{Mutex, RwLock};
use serde::Serialize;
use storage::organisation::{
    Author, Embedding, Layer, MemoryNode, NewMemoryNode, NewRelation, OrganisationReader, RelationType, Use,
};
use storage::{MemoryNodeId, StorageError, TenantId, TenantStore};

use decay::{reinforced, strength_now};
use index::{Index, Wanted};
use knowledge::Embedder;
use pagerank::Bounds;
use precedent::{Case, Precedents};
use resolution::{Resolution, Sizes, plan, size_at, tokens};
use search::{Hit, Question, Standing, Way};

/// Tenants whose memory is held; the one that was asked longest ago makes room.
const MAX_TENANTS: usize = 64;
/// Nodes of one answer that count as used.
const MOST_USED: usize = 20;
/// Nodes of an answer that may be told in full.
const EXPAND: usize = 5;

/// Why memory did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// What is wrong with what was sent, in words without its values.
    #[error("{}", .0.join("; "))]
    Faults(Vec<String>),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Organisational memory of all tenants, each fenced from the others.
#[derive(Debug)]
pub struct Organisation {
    embedder: Option<Embedder>,
    tenants: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Counts the questions, to know who was asked last.
    asked: u64,
    memories: HashMap<TenantId, (u64, Arc<Memory>)>,
}

/// One tenant's index.
#[derive(Debug, Default)]
struct Memory {
    index: RwLock<Index>,
    /// Held while it takes in what is new: one at a time, in order.
    following: tokio::sync::Mutex<()>,
}

/// A node as it is told.
#[derive(Clone, PartialEq, Serialize)]
pub struct Told {
    pub id: MemoryNodeId,
    pub symbol: String,
    pub layer: Layer,
    #[serde(rename = "type")]
    pub node_type: String,
    pub resolution: Resolution,
    pub text: String,
    pub tokens: usize,
    /// From 0 to 1.
    pub score: f64,
    pub found_by: Vec<Way>,
    pub standing: Standing,
}

language::shown!(Told, "Told": id, symbol, layer, resolution, tokens, score, found_by, standing; text);

/// What was found for a question.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Answer {
    pub results: Vec<Told>,
    /// Tokens of all texts together: never more than the budget.
    pub tokens: usize,
    pub budget_tokens: usize,
    /// Nodes that were found and did not fit.
    pub left_out: usize,
}

/// Something that came to mind.
#[derive(Clone, PartialEq, Serialize)]
pub struct Association {
    pub id: MemoryNodeId,
    pub symbol: String,
    pub layer: Layer,
    #[serde(rename = "type")]
    pub node_type: String,
    pub micro: String,
    /// Share of the walk that ends here, from 0 to 1.
    pub share: f64,
}

language::shown!(Association, "Association": id, symbol, share; micro);

/// A relation with the node at its other end.
#[derive(Clone, PartialEq, Serialize)]
pub struct Related {
    pub relation: RelationType,
    /// `from`: it leads from the node that was asked about. `to`: it leads there.
    pub direction: &'static str,
    pub weight: f64,
    pub id: MemoryNodeId,
    pub symbol: String,
    pub micro: String,
}

language::shown!(Related, "Related": id, symbol, relation, direction, weight; micro);

impl Organisation {
    /// With a model, likeness is of words and of meaning; without, of words alone.
    #[must_use]
    pub fn new(embedder: Option<Embedder>) -> Self {
        Self { embedder, tenants: Mutex::default() }
    }

    /// Keeps nodes that fit their types, and relations.
    ///
    /// # Errors
    /// [`Refusal::Faults`] when a node does not fit its type; otherwise as
    /// [`storage::organisation::OrganisationWriter::remember`].
    pub async fn remember(
        &self,
        store: &TenantStore,
        author: Author,
        mut nodes: Vec<NewMemoryNode>,
        relations: &[NewRelation],
    ) -> Result<Vec<MemoryNode>, Refusal> {
        let is_shipped = |node: &NewMemoryNode| node_types::shipped().contains_key(&node.node_type);
        let declared = if nodes.iter().all(is_shipped) {
            Vec::new()
        } else {
            store.organisation().extension_types().await?
        };
        let faults: Vec<String> =
            nodes.iter().filter_map(|node| node_types::check(node, &declared).err()).flatten().collect();
        if !faults.is_empty() {
            return Err(Refusal::Faults(faults));
        }
        self.embed(&mut nodes).await;
        Ok(store.organisation_writer(author).remember(&nodes, relations).await?)
    }

    /// Best nodes for a question, each told as far as a budget of tokens allows.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn search(
        &self,
        store: &TenantStore,
        question: &Question,
        budget_tokens: usize,
        now: DateTime<Utc>,
    ) -> Result<Answer, StorageError> {
        let wanted = self.wanted(&question.text).await;
        let memory = self.memory(store, now).await?;
        let found = {
            let index = memory.index.read();
            let hits = search::search(&index, question, &wanted, now);
            let with_node = |hit: Hit| Some((index.node(hit.slot)?.clone(), hit));
            hits.into_iter().filter_map(with_node).collect::<Vec<_>>()
        };
        let answer = tell(&store.organisation(), found, budget_tokens).await?;
        self.used(store, &memory, answer.results.iter().map(|told| told.id), now).await;
        Ok(answer)
    }

    /// Decisions that are like a case, each with its why.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn precedents(
        &self,
        store: &TenantStore,
        case: &Case,
        now: DateTime<Utc>,
    ) -> Result<Precedents, StorageError> {
        let wanted = self.wanted(&case.text).await;
        let memory = self.memory(store, now).await?;
        let found = precedent::precedents(&memory.index.read(), case, &wanted, now);
        self.used(store, &memory, found.precedents.iter().map(|found| found.id), now).await;
        Ok(found)
    }

    /// What some nodes, by symbol, bring to mind. Symbols that nobody knows are left out.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn associations(
        &self,
        store: &TenantStore,
        symbols: &[String],
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Vec<Association>, StorageError> {
        let memory = self.memory(store, now).await?;
        let index = memory.index.read();
        let from: Vec<u32> = symbols.iter().filter_map(|symbol| index.slot_of(symbol)).collect();
        let told = |(slot, share)| {
            let node = index.node(slot)?;
            Some(Association {
                id: node.id,
                symbol: node.symbol.clone(),
                layer: node.layer,
                node_type: node.node_type.clone(),
                micro: node.micro.clone(),
                share,
            })
        };
        let walked = search::associated(&index, &from, now, limit, Bounds::default());
        Ok(walked.into_iter().filter_map(told).collect())
    }

    /// A node and its text at a resolution; where it lacks that, at the next lower one that it has.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn read(
        &self,
        store: &TenantStore,
        id: MemoryNodeId,
        resolution: Resolution,
        now: DateTime<Utc>,
    ) -> Result<Option<(MemoryNode, Told)>, StorageError> {
        let reader = store.organisation();
        let Some(node) = reader.node(id).await? else { return Ok(None) };
        let memory = self.memory(store, now).await?;
        let standing = search::standing(&memory.index.read(), &node, now);
        let full = if resolution == Resolution::Full { reader.full_text(id).await? } else { None };
        let hit = Hit { slot: 0, score: 1.0, found_by: vec![Way::Exact], standing };
        let told = told(&node, hit, resolution, full);
        self.used(store, &memory, [id].into_iter(), now).await;
        Ok(Some((node, told)))
    }

    /// Relations of a node, with the other ends. `None` when there is no such node.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn relations(
        &self,
        store: &TenantStore,
        id: MemoryNodeId,
        now: DateTime<Utc>,
    ) -> Result<Option<Vec<Related>>, StorageError> {
        let memory = self.memory(store, now).await?;
        let index = memory.index.read();
        let Some(slot) = index.slot(id) else { return Ok(None) };
        let told = |link: &index::Link| {
            let node = index.node(link.to)?;
            Some(Related {
                relation: link.relation,
                direction: if link.outward { "from" } else { "to" },
                weight: f64::from(link.weight),
                id: node.id,
                symbol: node.symbol.clone(),
                micro: node.micro.clone(),
            })
        };
        Ok(Some(index.links(slot).iter().filter_map(told).collect()))
    }

    async fn wanted(&self, text: &str) -> Wanted {
        let vector = match &self.embedder {
            Some(embedder) if !text.trim().is_empty() => {
                let vector = embedder.live(text).await;
                vector.map(|vector| (embedder.model().to_owned(), vector.to_vec()))
            }
            _ => None,
        };
        Wanted::new(text, vector)
    }

    /// Gives nodes their vectors, where there is a model.
    async fn embed(&self, nodes: &mut [NewMemoryNode]) {
        let Some(embedder) = &self.embedder else { return };
        let texts: Vec<String> =
            nodes.iter().map(|node| embedded_text(&node.micro, node.summary.as_deref())).collect();
        let vectors = embedder.all(&texts).await;
        for (node, vector) in nodes.iter_mut().zip(vectors) {
            node.embedding = Some(Embedding { model: embedder.model().to_owned(), vector: vector.to_vec() });
        }
    }

    /// A tenant's memory with everything in it that was committed before this call.
    async fn memory(&self, store: &TenantStore, now: DateTime<Utc>) -> Result<Arc<Memory>, StorageError> {
        let memory = self.held(store.id());
        let turn = memory.following.lock().await;
        let reader = store.organisation();
        loop {
            let reached = memory.index.read().reached();
            let changes = reader.changes_after(reached).await?;
            if changes.reached < reached {
                // The store was put back to an earlier state: begin again.
                *memory.index.write() = Index::default();
                continue;
            }
            let more = changes.more;
            if changes.reached > reached {
                memory.index.write().apply(changes, now);
            }
            if !more {
                break;
            }
        }
        drop(turn);
        Ok(memory)
    }

    fn held(&self, tenant: TenantId) -> Arc<Memory> {
        let mut held = self.tenants.lock();
        held.asked += 1;
        let asked = held.asked;
        if held.memories.len() >= MAX_TENANTS && !held.memories.contains_key(&tenant) {
            let oldest = held.memories.iter().min_by_key(|(_, (asked, _))| *asked).map(|(tenant, _)| *tenant);
            if let Some(oldest) = oldest {
                held.memories.remove(&oldest);
            }
        }
        let (last, memory) = held.memories.entry(tenant).or_default();
        *last = asked;
        Arc::clone(memory)
    }

    /// Counts nodes as used. Whoever asked has the answer already, so a failure is told in the log alone.
    async fn used(
        &self,
        store: &TenantStore,
        memory: &Memory,
        ids: impl Iterator<Item = MemoryNodeId>,
        now: DateTime<Utc>,
    ) {
        let uses: Vec<Use> = {
            let index = memory.index.read();
            let used = |id| {
                let node = index.node(index.slot(id)?)?;
                Some(Use { id, strength: reinforced(strength_now(node, now)) })
            };
            ids.take(MOST_USED).filter_map(used).collect()
        };
        if let Err(error) = store.organisation_writer(Author::System).record_uses(&uses, now).await {
            tracing::warn!(%error, "uses of memory could not be counted");
        }
    }
}

/// What of a node is embedded.
fn embedded_text(micro: &str, summary: Option<&str>) -> String {
    format!("{micro} {}", summary.unwrap_or_default())
}

/// Tells what was found, best first, within a budget. Full texts are read for the few that may be told in full.
async fn tell(
    reader: &OrganisationReader,
    found: Vec<(MemoryNode, Hit)>,
    budget_tokens: usize,
) -> Result<Answer, StorageError> {
    let mut full = Vec::with_capacity(EXPAND);
    for (node, _) in found.iter().take(EXPAND) {
        full.push(reader.full_text(node.id).await?);
    }
    full.resize(found.len(), None);
    let sizes: Vec<Sizes> =
        found.iter().zip(&full).map(|((node, _), full)| sizes(node, full.as_deref())).collect();
    let planned = plan(&sizes, budget_tokens, EXPAND);
    let mut answer = Answer { budget_tokens, ..Answer::default() };
    for (((node, hit), full), (resolution, size)) in
        found.into_iter().zip(full).zip(planned.into_iter().zip(&sizes))
    {
        let Some(resolution) = resolution else {
            answer.left_out += 1;
            continue;
        };
        answer.tokens += size_at(size, resolution);
        answer.results.push(told(&node, hit, resolution, full));
    }
    Ok(answer)
}

fn sizes(node: &MemoryNode, full: Option<&str>) -> Sizes {
    Sizes { micro: tokens(&node.micro), summary: node.summary.as_deref().map(tokens), full: full.map(tokens) }
}

fn told(node: &MemoryNode, hit: Hit, asked: Resolution, full: Option<String>) -> Told {
    let at = match asked {
        Resolution::Full => full.map(|text| (Resolution::Full, text)),
        Resolution::Summary | Resolution::Micro => None,
    };
    let summary = || {
        let summary = node.summary.clone().filter(|_| asked >= Resolution::Summary);
        summary.map(|text| (Resolution::Summary, text))
    };
    let (resolution, text) = at.or_else(summary).unwrap_or_else(|| (Resolution::Micro, node.micro.clone()));
    Told {
        id: node.id,
        symbol: node.symbol.clone(),
        layer: node.layer,
        node_type: node.node_type.clone(),
        resolution,
        tokens: tokens(&text),
        text,
        score: hit.score,
        found_by: hit.found_by,
        standing: hit.standing,
    }
}

#[cfg(test)]
mod tests;
