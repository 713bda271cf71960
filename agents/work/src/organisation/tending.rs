//! What is done to memory beside questions: episodes of finished tasks, types that grow up, merging, vectors.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use storage::organisation::{
    Author, Decision, Embedding, ExtensionType, MemoryNode, NewExtensionType, RelationType, TypeState,
};
use storage::{StorageError, TenantStore};

use super::episode::{self, Episode};
use super::evolution::{Assessment, Figures, assess, consistency};
use super::{Organisation, Refusal, consolidate, embedded_text, node_types};

/// Nodes that get their vectors in one run.
const VECTORS_A_RUN: usize = 200;

/// What one run of upkeep did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Upkeep {
    /// Nodes that were merged into others.
    pub merged: usize,
    /// Nodes that got a vector of the present model.
    pub embedded: usize,
}

impl Organisation {
    /// Remembers a finished task: the hook of the after-action review. Once per Passport: `None` when it was remembered
    /// before. Relations to symbols that nobody knows are left out.
    ///
    /// # Errors
    /// As [`Organisation::remember`].
    pub async fn remember_episode(
        &self,
        store: &TenantStore,
        review: &Episode,
    ) -> Result<Option<MemoryNode>, Refusal> {
        let (nodes, mut relations) = episode::episode(review);
        let own: BTreeSet<&str> = nodes.iter().map(|node| node.symbol.as_str()).collect();
        let reader = store.organisation();
        let mut allowed = Vec::with_capacity(relations.len());
        for relation in &relations {
            let known = if own.contains(relation.to.as_str()) {
                true
            } else {
                let found = reader.node_by_symbol(&relation.to).await?;
                let from = storage::organisation::Layer::Event;
                found.is_some_and(|node| relation.relation.allows(from, node.layer))
            };
            allowed.push(known);
        }
        let mut allowed = allowed.into_iter();
        relations.retain(|_| allowed.next().unwrap_or(false));
        match self.remember(store, Author::Review, nodes, &relations).await {
            Ok(kept) => Ok(kept.into_iter().next()),
            Err(Refusal::Storage(StorageError::Taken { .. })) => Ok(None),
            Err(refusal) => Err(refusal),
        }
    }

    /// Declares a type of a team. Its schema, if it has one, is checked first.
    ///
    /// # Errors
    /// [`Refusal::Faults`] when the program has a type of that name or the schema is none; `Taken` when the tenant has.
    pub async fn declare_type(
        &self,
        store: &TenantStore,
        new: &NewExtensionType,
    ) -> Result<ExtensionType, Refusal> {
        if node_types::shipped().contains_key(&new.name) {
            let fault = format!("type {} comes with the program: choose another name", new.name);
            return Err(Refusal::Faults(vec![fault]));
        }
        if let Some(schema) = &new.properties_schema {
            node_types::compile(schema).map_err(|wrong| Refusal::Faults(vec![wrong]))?;
        }
        Ok(store.organisation_writer(Author::Administrator).declare_type(new).await?)
    }

    /// Where a declared type stands. `None` when there is no such type.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn assess_type(
        &self,
        store: &TenantStore,
        name: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<(ExtensionType, Assessment)>, StorageError> {
        let Some(declared) = store.organisation().extension_type(name).await? else { return Ok(None) };
        let memory = self.memory(store, now).await?;
        let index = memory.index.read();
        let nodes: Vec<&Map<String, Value>> = index
            .entries()
            .filter(|(_, node)| node.node_type == name)
            .filter_map(|(_, node)| node.properties.as_object())
            .collect();
        let (property_consistency, schema) = consistency(&nodes);
        let figures =
            Figures { nodes: declared.nodes, retrievals: declared.retrievals, property_consistency };
        let assessment = assess(declared.state, figures, schema);
        Ok(Some((declared, assessment)))
    }

    /// Raises a type to a state that its figures allow, on the decision of somebody. Nothing else changes: the schema
    /// that its nodes suggest is recorded as evidence and binds nobody.
    ///
    /// # Errors
    /// [`Refusal::Faults`] with what is missing; `NotFound` when there is no such type.
    pub async fn raise_type(
        &self,
        store: &TenantStore,
        name: &str,
        to: TypeState,
        by: &str,
        reason: &str,
        now: DateTime<Utc>,
    ) -> Result<ExtensionType, Refusal> {
        let Some((declared, assessment)) = self.assess_type(store, name, now).await? else {
            return Err(StorageError::NotFound { what: "extension type" }.into());
        };
        if to <= declared.state {
            return Err(Refusal::Faults(vec![format!("type {name} is {} already", declared.state)]));
        }
        if to > assessment.eligible_for {
            return Err(Refusal::Faults(vec![format!("type {name} has {}", assessment.missing.join(", "))]));
        }
        let decision = Decision {
            from: declared.state,
            to,
            reason: reason.to_owned(),
            by: by.to_owned(),
            at: now,
            evidence: json!(assessment),
        };
        Ok(store.organisation_writer(Author::Administrator).decide_type(name, &decision).await?)
    }

    /// One run of upkeep: merges what says the same, and gives vectors to nodes that lack one of the present model.
    /// Bounded; run it again for the rest.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn upkeep(&self, store: &TenantStore, now: DateTime<Utc>) -> Result<Upkeep, StorageError> {
        let memory = self.memory(store, now).await?;
        let relations = consolidate::consolidate(&memory.index.read(), now);
        let merges = relations.iter().filter(|it| it.relation == RelationType::Supersedes);
        let merged = merges.count();
        if merged > 0 {
            store.organisation_writer(Author::Consolidation).remember(&[], &relations).await?;
        }
        Ok(Upkeep { merged, embedded: self.embed_missing(store, &memory).await? })
    }

    async fn embed_missing(
        &self,
        store: &TenantStore,
        memory: &super::Memory,
    ) -> Result<usize, StorageError> {
        let Some(embedder) = &self.embedder else { return Ok(0) };
        let nodes = memory.index.read().without_vector(embedder.model(), VECTORS_A_RUN);
        let texts: Vec<String> =
            nodes.iter().map(|node| embedded_text(&node.micro, node.summary.as_deref())).collect();
        let vectors = embedder.all(&texts).await;
        let writer = store.organisation_writer(Author::System);
        let embedded = vectors.len().min(nodes.len());
        for (node, vector) in nodes.iter().zip(vectors) {
            let embedding = Embedding { model: embedder.model().to_owned(), vector: vector.to_vec() };
            writer.put_embedding(node.id, &embedding).await?;
        }
        Ok(embedded)
    }
}
