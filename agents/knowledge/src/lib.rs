//! The county's own documents: read, searched by keywords and by meaning, and cited.
//!
//! In go files and questions; out come passages with their source, or the sentences of them that answer. One index per
//! tenant, in memory, built at start and replaceable per document. A search never writes. [`librarian`] lets a document
//! in: read, held against the guard, cut into passages. Begin with [`Retriever`]; [`read`] takes files apart.

mod asked;
mod attribute;
mod chunk;
mod cite;
mod codes;
mod embed;
mod facts;
mod fuse;
mod heard;
mod index;
mod ingest;
pub mod librarian;
mod passage;
pub mod read;
mod segment;
mod sounds;
pub mod spanish;
mod synthesis;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use parking_lot::{Mutex, RwLock};
use uuid::Uuid;

pub use cite::{SENTENCE, best_sentences, speakable};
pub use embed::{Embedder, Encoded, Seen, Vector, cosine};
pub use facts::{Fact, FactKind, Hours, facts_in};
pub use fuse::{Evidence, Method};
pub use heard::{Heard, heard};
pub use ingest::{Document, FrontMatter, parse};
pub use synthesis::{ANSWERS, synthesis};

use governance::pii::Public;
use index::Index;
use language::stems::{self, Tongue};
use passage::{Indexed, IndexedPassage, prepare};

/// What the fused order may be asked for.
#[derive(Clone, PartialEq)]
pub struct Query {
    pub text: String,
    pub method: Method,
    pub limit: usize,
    pub min_relevance_score: f32,
    pub filters: Filters,
    /// Whether a caller waits: then keywords alone must do where the vector is late.
    pub live: bool,
}

language::shown!(Query, "Query": method, limit, min_relevance_score, filters, live; text);

/// Which documents count. What is not given does not narrow.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filters {
    /// One of these, exactly.
    pub sources: Vec<String>,
    /// Exactly, but for case.
    pub title: Option<String>,
    pub media_type: Option<String>,
    /// Posted at this instant or later; earlier than that one.
    pub updated_from: Option<DateTime<Utc>>,
    pub updated_before: Option<DateTime<Utc>>,
    /// Documents of this team and those that are nobody's; all if absent. See `librarian`.
    pub team: Option<String>,
}

/// Sources of a team's own documents begin with this and the team's name: `teams/permits/fees.md`.
pub const TEAMS: &str = "teams/";

/// The team that a source belongs to.
#[must_use]
pub fn team_of(source: &str) -> Option<&str> {
    source.strip_prefix(TEAMS)?.split_once('/').map(|(team, _)| team)
}

impl Filters {
    /// Whether a document that is nobody's may fall out. Most searches name a team at most, and look at no document.
    fn narrow(&self) -> bool {
        let Self { sources, title, media_type, updated_from, updated_before, team: _ } = self;
        !sources.is_empty()
            || title.is_some()
            || media_type.is_some()
            || updated_from.is_some()
            || updated_before.is_some()
    }

    fn fit(&self, document: &Indexed) -> bool {
        let same = |wanted: &Option<String>, is: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted.to_lowercase() == is.to_lowercase())
        };
        (self.sources.is_empty() || self.sources.contains(&document.source))
            && same(&self.title, &document.title)
            && same(&self.media_type, document.media_type.as_deref().unwrap_or_default())
            && self.updated_from.is_none_or(|from| document.updated_at.is_some_and(|at| at >= from))
            && self.updated_before.is_none_or(|end| document.updated_at.is_some_and(|at| at < end))
            && self.team.as_deref().is_none_or(|team| team_of(&document.source).is_none_or(|own| own == team))
    }
}

impl Query {
    /// A hybrid search for the best five.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            method: Method::Hybrid,
            limit: 5,
            min_relevance_score: 0.0,
            filters: Filters::default(),
            live: true,
        }
    }
}

/// The best passage of one document.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    pub document_id: Uuid,
    pub source: String,
    pub title: String,
    pub heading: Option<String>,
    pub text: String,
    /// Calibrated 0–1.
    pub relevance_score: f32,
    /// How like the question is in meaning to one that the passage's section is known to answer, 0–1. `None` where none is
    /// known, or there is no vector to tell by.
    pub paraphrase: Option<f32>,
    /// How like it is to the middle of all that the section is known to answer, 0–1; `None` without a vector to tell by.
    pub centre: Option<f32>,
    /// How like each of the passage's sentences is, as they are spoken; empty where that is not known.
    pub sentences: Vec<f32>,
    /// How like the nearest known question is by words, 0–1; 0 where none is known.
    pub shared: f32,
    /// Of the questions only those of the passage's section.
    pub front: FrontMatter,
}

/// Why search or its model cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrieverError {
    /// The embedding model is not usable; keyword search is.
    #[error("embedding model: {0}; run scripts/models.sh, or go on with keyword search")]
    Model(String),
    /// Nothing to index.
    #[error("document {0:?} has no text")]
    Empty(String),
}

impl From<ort::Error> for RetrieverError {
    fn from(error: ort::Error) -> Self {
        Self::Model(error.to_string())
    }
}

/// Opens ONNX Runtime. Once per process: the runtime refuses a second environment.
///
/// # Errors
/// When the library is missing, or an environment exists already.
pub fn runtime(models_dir: &Path) -> Result<ort::environment::Environment, RetrieverError> {
    let builder = ort::init_from(models_dir.join("libonnxruntime.so"))
        .map_err(|e| RetrieverError::Model(e.to_string()))?;
    Ok(builder.build()?)
}

/// Search over the documents of all tenants, each fenced from the others.
#[derive(Debug)]
pub struct Retriever {
    embedder: Option<Embedder>,
    tenants: RwLock<HashMap<Uuid, Arc<Index>>>,
    /// Held while an index is made anew, so that no two do it from the same state. Searches go on.
    changing: Mutex<()>,
}

/// A text of a document that is embedded: a passage, a phrasing or question of its front matter, or a sentence.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Heading of a passage.
    pub heading: Option<String>,
    pub text: String,
    /// Unit length.
    pub vector: Option<Vector>,
}

impl Retriever {
    /// Keyword search only.
    #[must_use]
    pub fn lexical() -> Self {
        Self { embedder: None, tenants: RwLock::default(), changing: Mutex::default() }
    }

    /// Keyword and vector search with the models of `models_dir`.
    ///
    /// # Errors
    /// When the model cannot be loaded.
    pub fn load(
        environment: &ort::environment::Environment,
        models_dir: &Path,
    ) -> Result<Self, RetrieverError> {
        let embedder = Some(Embedder::load(environment, models_dir)?);
        Ok(Self { embedder, tenants: RwLock::default(), changing: Mutex::default() })
    }

    /// The embedding worker, if there is a model.
    #[must_use]
    pub fn embedder(&self) -> Option<&Embedder> {
        self.embedder.as_ref()
    }

    /// Names the model that makes the vectors; vectors of another are worth nothing to it.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.embedder.as_ref().map(Embedder::model)
    }

    /// Adds a document, or replaces the one of the same source. Searchable when this returns.
    ///
    /// # Errors
    /// [`RetrieverError::Empty`] when there is no text in it.
    pub async fn put(&self, tenant: Uuid, document: Document) -> Result<Uuid, RetrieverError> {
        let parts = self.embed(tenant, std::slice::from_ref(&document)).await?.pop().unwrap_or_default();
        self.put_embedded(tenant, &document, &parts)
    }

    /// Adds many; those without text are left out and counted in the log.
    pub async fn put_all(&self, tenant: Uuid, mut documents: Vec<Document>) {
        documents.retain(|document| {
            let kept = parts(document).is_ok();
            if !kept {
                tracing::warn!("a document without text was left out");
            }
            kept
        });
        match self.embed(tenant, &documents).await {
            Ok(parts) => self.put_all_embedded(tenant, &documents.into_iter().zip(parts).collect::<Vec<_>>()),
            Err(error) => tracing::warn!(%error, "documents left out"),
        }
    }

    /// What of some documents is embedded, with its vectors; without them when there is no model. Texts that stand in the
    /// document of the same source already keep their vectors. To be kept and given to [`Self::put_all_embedded`] at the
    /// next start.
    ///
    /// # Errors
    /// [`RetrieverError::Empty`] when there is no text in one of them.
    pub async fn embed(
        &self,
        tenant: Uuid,
        documents: &[Document],
    ) -> Result<Vec<Vec<Part>>, RetrieverError> {
        let mut all = documents.iter().map(parts).collect::<Result<Vec<_>, _>>()?;
        let Some(embedder) = &self.embedder else { return Ok(all) };
        if let Some(index) = self.of(tenant) {
            for (document, parts) in documents.iter().zip(&mut all) {
                let Some(before) = index.document(&document.source) else { continue };
                let known: HashMap<&str, &Vector> = before.vectors().collect();
                for part in parts {
                    part.vector = known.get(part.text.as_str()).map(|vector| (*vector).clone());
                }
            }
        }
        let mut missing: Vec<&mut Part> = all.iter_mut().flatten().filter(|p| p.vector.is_none()).collect();
        let texts: Vec<String> = missing.iter().map(|part| part.text.clone()).collect();
        for (part, vector) in missing.iter_mut().zip(embedder.all(&texts).await) {
            part.vector = Some(vector);
        }
        drop(missing);
        Ok(all)
    }

    /// Whether kept parts are those of the document as it would be embedded now. Without a model any will do.
    #[must_use]
    pub fn covers(&self, document: &Document, kept: &[Part]) -> bool {
        let Ok(wanted) = parts(document) else { return true };
        let same = |(wanted, kept): (&Part, &Part)| wanted.text == kept.text && kept.vector.is_some();
        self.embedder.is_none() || (wanted.len() == kept.len() && wanted.iter().zip(kept).all(same))
    }

    /// Adds a document with vectors that were made before. A part whose text changed goes without its vector.
    ///
    /// # Errors
    /// [`RetrieverError::Empty`] when there is no text in it.
    pub fn put_embedded(
        &self,
        tenant: Uuid,
        document: &Document,
        parts: &[Part],
    ) -> Result<Uuid, RetrieverError> {
        let indexed = prepare(document, parts)?;
        let id = indexed.id;
        self.replace(tenant, vec![Arc::new(indexed)]);
        Ok(id)
    }

    /// Adds many with vectors that were made before; those without text are left out and counted in the log.
    pub fn put_all_embedded(&self, tenant: Uuid, documents: &[(Document, Vec<Part>)]) {
        let mut ready = Vec::with_capacity(documents.len());
        for (document, parts) in documents {
            match prepare(document, parts) {
                Ok(indexed) => ready.push(Arc::new(indexed)),
                Err(error) => tracing::warn!(%error, "document left out"),
            }
        }
        self.replace(tenant, ready);
    }

    /// Forgets a document. `false` when there was none.
    pub fn remove(&self, tenant: Uuid, source: &str) -> bool {
        let _changing = self.changing.lock();
        let Some(without) = self.of(tenant).and_then(|index| index.without(source)) else { return false };
        self.tenants.write().insert(tenant, Arc::new(without));
        true
    }

    /// What a tenant's published documents give as public: nobody's personal data. As of now; it costs nothing until the
    /// documents change.
    #[must_use]
    pub fn public(&self, tenant: Uuid) -> Arc<Public> {
        self.of(tenant).map(|index| index.public()).unwrap_or_default()
    }

    /// Best passage per document, best first.
    pub async fn search(&self, tenant: Uuid, query: &Query) -> Vec<Found> {
        let vector = match query.method {
            Method::Keyword => None,
            Method::Vector | Method::Hybrid => self.meaning(&query.text, query.live).await,
        };
        self.search_with(tenant, query, vector.as_deref())
    }

    /// The same with the question's vector given; without one, by keywords alone.
    #[must_use]
    pub fn search_with(&self, tenant: Uuid, query: &Query, vector: Option<&[f32]>) -> Vec<Found> {
        self.of(tenant).map_or_else(Vec::new, |index| index.search(query, vector))
    }

    /// The vector of a question as it was meant: where the caller took something back, the middle between the repaired
    /// and the full text.
    /// `None` without a model, and for a live question when the model is too busy.
    pub async fn meaning(&self, text: &str, live: bool) -> Option<Vector> {
        let embedder = self.embedder.as_ref()?;
        let heard = heard(text);
        let of = async |text: &str| {
            if live { embedder.live(text).await } else { embedder.patient(text).await }
        };
        let kept = of(&heard.kept).await?;
        match heard.unrepaired {
            None => Some(kept),
            Some(all) => Some(of(&all).await.map_or(kept.clone(), |all| embed::middle(&kept, &all))),
        }
    }

    /// Passages of one document, the one that fits the question best first. For questions that leave their
    /// subject to the answer before.
    pub async fn within(&self, tenant: Uuid, source: &str, text: &str) -> Vec<Found> {
        let Some(index) = self.of(tenant) else { return Vec::new() };
        let vector = self.meaning(text, true).await;
        index.within(source, text, vector.as_deref())
    }

    fn of(&self, tenant: Uuid) -> Option<Arc<Index>> {
        self.tenants.read().get(&tenant).cloned()
    }

    fn replace(&self, tenant: Uuid, documents: Vec<Arc<Indexed>>) {
        let _changing = self.changing.lock();
        let with = self.of(tenant).unwrap_or_default().with(documents);
        self.tenants.write().insert(tenant, Arc::new(with));
    }
}

/// Passages first, then the phrasings of the front matter, then the questions of its sections, then the sentences that are spoken.
fn parts(document: &Document) -> Result<Vec<Part>, RetrieverError> {
    let parsed = parse(document);
    let passages = chunk::passages(&parsed);
    if passages.is_empty() {
        return Err(RetrieverError::Empty(document.source.clone()));
    }
    let told = passage::told(&passages);
    let passages = passages.into_iter().map(|p| Part { heading: p.heading, text: p.indexed, vector: None });
    let phrasings = parsed.front.asked_as.iter().map(|text| (None, text.as_str()));
    let questions = passage::sections_asked(&parsed.front).map(|(heading, text)| (Some(heading), text));
    let extra = phrasings.chain(questions).map(|(heading, text)| Part {
        heading: heading.map(str::to_owned),
        text: text.to_owned(),
        vector: None,
    });
    let sentences = told.into_iter().map(|(_, text)| Part { heading: None, text, vector: None });
    Ok(passages.chain(extra).chain(sentences).collect())
}

fn found(
    document: &Indexed,
    passage: &IndexedPassage,
    relevance_score: f32,
    question: &str,
    vector: Option<&[f32]>,
) -> Found {
    let tongue = Tongue::of(document.front.language.as_deref());
    let mut terms = stems::terms(question, tongue);
    terms.sort_unstable();
    terms.dedup();
    let shared = passage.shared_with_asked(&terms);
    Found {
        document_id: document.id,
        source: document.source.clone(),
        title: document.title.clone(),
        heading: passage.passage.heading.clone(),
        text: passage.passage.text.clone(),
        relevance_score,
        paraphrase: vector.and_then(|vector| passage.paraphrase(vector)),
        centre: vector.and_then(|vector| passage.likeness_to_centre(vector)),
        sentences: vector.map(|vector| passage.sentences_like(vector)).unwrap_or_default(),
        shared,
        front: document.front.of_section(passage.passage.heading.as_deref()),
    }
}

#[cfg(test)]
mod tests;
