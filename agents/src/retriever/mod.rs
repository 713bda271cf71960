//! The county's own documents, searched by keywords and by meaning, and cited.
//!
//! One index per tenant, in memory, built at start and replaceable per document. A search never writes.

mod attribute;
mod chunk;
mod cite;
mod embed;
mod fuse;
mod ingest;
mod lexical;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use uuid::Uuid;

pub use attribute::asks;
pub use chunk::sentences;
pub use cite::best_sentences;
pub use embed::{Embedder, Vector, cosine};
pub use fuse::{Evidence, Method};
pub use ingest::{Document, FrontMatter, parse};
pub use lexical::terms;

use lexical::{Bag, Statistics};

/// What the fused order may be asked for.
#[derive(Clone, PartialEq)]
pub struct Query {
    pub text: String,
    pub method: Method,
    pub limit: usize,
    pub min_relevance_score: f32,
}

shown!(Query, "Query": method, limit, min_relevance_score; text);

impl Query {
    /// A hybrid search for the best five.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned(), method: Method::Hybrid, limit: 5, min_relevance_score: 0.0 }
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
}

/// A text of a document that is embedded: a passage, or an everyday phrasing of its front matter.
#[derive(Clone, PartialEq, Debug)]
pub struct Part {
    /// Heading of a passage.
    pub heading: Option<String>,
    pub text: String,
    /// Unit length.
    pub vector: Option<Vector>,
}

#[derive(Clone, Debug, Default)]
struct Index {
    documents: Vec<Arc<Indexed>>,
    statistics: Statistics,
}

#[derive(Debug)]
struct Indexed {
    id: Uuid,
    source: String,
    title: String,
    front: FrontMatter,
    passages: Vec<IndexedPassage>,
    /// Vectors of the everyday phrasings in the front matter.
    asked_as: Vec<Vector>,
}

#[derive(Debug)]
struct IndexedPassage {
    passage: chunk::Passage,
    bag: Bag,
    /// Without the document's phrasings.
    own: Bag,
    vector: Option<Vector>,
}

impl Retriever {
    /// Keyword search only.
    #[must_use]
    pub fn lexical() -> Self {
        Self { embedder: None, tenants: RwLock::default() }
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
        Ok(Self { embedder, tenants: RwLock::default() })
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
        let parts = self.embed(&document).await?;
        self.put_embedded(tenant, &document, &parts)
    }

    /// Adds many; those without text are left out and counted in the log.
    pub async fn put_all(&self, tenant: Uuid, documents: Vec<Document>) {
        let mut embedded = Vec::with_capacity(documents.len());
        for document in documents {
            match self.embed(&document).await {
                Ok(parts) => embedded.push((document, parts)),
                Err(error) => tracing::warn!(%error, "document left out"),
            }
        }
        self.put_all_embedded(tenant, &embedded);
    }

    /// What of a document is embedded, with its vectors; without them when there is no model. To be kept and given
    /// to [`Self::put_embedded`] at the next start.
    ///
    /// # Errors
    /// [`RetrieverError::Empty`] when there is no text in it.
    pub async fn embed(&self, document: &Document) -> Result<Vec<Part>, RetrieverError> {
        let mut parts = parts(document)?;
        if let Some(embedder) = &self.embedder {
            let texts: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
            let vectors = embedder.all(&texts).await;
            for (part, vector) in parts.iter_mut().zip(vectors) {
                part.vector = Some(vector);
            }
        }
        Ok(parts)
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
        let mut tenants = self.tenants.write();
        let Some(index) = tenants.get(&tenant) else { return false };
        let kept: Vec<_> = index.documents.iter().filter(|d| d.source != source).cloned().collect();
        let removed = kept.len() < index.documents.len();
        tenants.insert(tenant, Arc::new(Index::of(kept)));
        removed
    }

    /// Best passage per document, best first.
    pub async fn search(&self, tenant: Uuid, query: &Query) -> Vec<Found> {
        let Some(index) = self.tenants.read().get(&tenant).cloned() else { return Vec::new() };
        let vector = match (&self.embedder, query.method) {
            (Some(embedder), Method::Vector | Method::Hybrid) => embedder.live(&query.text).await,
            _ => None,
        };
        index.search(query, vector.as_deref())
    }

    /// Passages of one document, the one that fits the question best first. For questions that leave their
    /// subject to the answer before.
    pub async fn within(&self, tenant: Uuid, source: &str, text: &str) -> Vec<Found> {
        let Some(index) = self.tenants.read().get(&tenant).cloned() else { return Vec::new() };
        let vector = match &self.embedder {
            Some(embedder) => embedder.live(text).await,
            None => None,
        };
        index.within(source, text, vector.as_deref())
    }

    fn replace(&self, tenant: Uuid, documents: Vec<Arc<Indexed>>) {
        let mut tenants = self.tenants.write();
        let mut kept = tenants.get(&tenant).map_or_else(Vec::new, |index| index.documents.clone());
        kept.retain(|old| documents.iter().all(|new| new.source != old.source));
        kept.extend(documents);
        tenants.insert(tenant, Arc::new(Index::of(kept)));
    }
}

/// Passages first, then the phrasings of the front matter.
fn parts(document: &Document) -> Result<Vec<Part>, RetrieverError> {
    let parsed = parse(document);
    let passages = chunk::passages(&parsed);
    if passages.is_empty() {
        return Err(RetrieverError::Empty(document.source.clone()));
    }
    let passages = passages.into_iter().map(|p| Part { heading: p.heading, text: p.indexed, vector: None });
    let phrasings = parsed.front.asked_as.into_iter().map(|text| Part { heading: None, text, vector: None });
    Ok(passages.chain(phrasings).collect())
}

fn prepare(document: &Document, parts: &[Part]) -> Result<Indexed, RetrieverError> {
    let parsed = parse(document);
    let passages = chunk::passages(&parsed);
    if passages.is_empty() {
        return Err(RetrieverError::Empty(document.source.clone()));
    }
    let vector =
        |n: usize, text: &str| parts.get(n).filter(|p| p.text == text).and_then(|p| p.vector.clone());
    let first = passages.len();
    let asked_as =
        parsed.front.asked_as.iter().zip(first..).filter_map(|(text, n)| vector(n, text)).collect();
    // The everyday phrasings count for the whole document, so every passage may be found by them.
    let spoken = parsed.front.spoken.clone().unwrap_or_default();
    let extra = format!("{} {spoken}", parsed.front.asked_as.join(" "));
    let passages = passages
        .into_iter()
        .enumerate()
        .map(|(n, passage)| IndexedPassage {
            bag: Bag::of(&format!("{} {extra}", passage.indexed)),
            own: Bag::of(&passage.indexed),
            vector: vector(n, &passage.indexed),
            passage,
        })
        .collect();
    Ok(Indexed {
        id: Uuid::now_v7(),
        source: document.source.clone(),
        title: parsed.title,
        front: parsed.front,
        passages,
        asked_as,
    })
}

impl Index {
    fn of(documents: Vec<Arc<Indexed>>) -> Self {
        let statistics = Statistics::of(documents.iter().flat_map(|d| d.passages.iter().map(|p| &p.bag)));
        Self { documents, statistics }
    }

    fn search(&self, query: &Query, vector: Option<&[f32]>) -> Vec<Found> {
        let wanted = terms(&query.text);
        let places: Vec<(&Indexed, &IndexedPassage)> =
            self.documents.iter().flat_map(|d| d.passages.iter().map(move |p| (d.as_ref(), p))).collect();
        let scrap = wanted.len() <= 2 && !wanted.iter().any(|t| self.statistics.knows(t));
        let evidence: Vec<Evidence> =
            places.iter().map(|(d, p)| Evidence { scrap, ..self.evidence(&wanted, vector, d, p) }).collect();
        let mut seen = std::collections::HashSet::new();
        fuse::rank(&evidence, query.method)
            .into_iter()
            .filter(|(n, score)| *score >= query.min_relevance_score && seen.insert(places[*n].0.id))
            .take(query.limit)
            .filter_map(|(n, score)| {
                let document = places[n].0;
                let best = self.by_fitness(document, &query.text, vector).into_iter().next()?;
                Some(found(document, best.0, score))
            })
            .collect()
    }

    fn within(&self, source: &str, text: &str, vector: Option<&[f32]>) -> Vec<Found> {
        let Some(document) = self.documents.iter().find(|d| d.source == source) else { return Vec::new() };
        self.by_fitness(document, text, vector)
            .into_iter()
            .map(|(p, score)| found(document, p, score))
            .collect()
    }

    /// Passages of one document by how well each itself fits the question, best first. The subject is the
    /// document's; here only what is asked about it decides.
    fn by_fitness<'d>(
        &self,
        document: &'d Indexed,
        text: &str,
        vector: Option<&[f32]>,
    ) -> Vec<(&'d IndexedPassage, f32)> {
        let wanted = terms(text);
        let fitness = |(n, p): (usize, &'d IndexedPassage)| {
            let own = vector.zip(p.vector.as_ref()).map_or(0.0, |(v, own)| cosine(own, v));
            let covered = self.statistics.coverage(&wanted, &p.own);
            // The heading often repeats the question word: "Where to vote", "Fees".
            let asked = attribute::given(text, &p.passage.indexed);
            // A bare subject ("my trash") is best met by how the page begins.
            let lead = if n == 0 { if wanted.len() <= 1 { 0.15 } else { 0.02 } } else { 0.0 };
            (p, own + 0.3 * covered + 0.15 * asked + lead)
        };
        let mut order: Vec<_> = document.passages.iter().enumerate().map(fitness).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter().map(|(p, score)| (p, score.clamp(0.0, 1.0))).collect()
    }

    fn evidence(
        &self,
        wanted: &[String],
        vector: Option<&[f32]>,
        document: &Indexed,
        passage: &IndexedPassage,
    ) -> Evidence {
        let own = |v: &[f32]| passage.vector.as_ref().map(|p| cosine(p, v));
        let phrased = |v: &[f32]| document.asked_as.iter().map(|p| cosine(p, v)).fold(f32::MIN, f32::max);
        Evidence {
            bm25: self.statistics.bm25(wanted, &passage.bag),
            coverage: self.statistics.coverage(wanted, &passage.bag),
            // A matching phrasing lifts the document.
            cosine: vector.and_then(|v| own(v).map(|c| c.max(0.8 * phrased(v) + 0.2 * c))),
            scrap: false,
        }
    }
}

fn found(document: &Indexed, passage: &IndexedPassage, relevance_score: f32) -> Found {
    Found {
        document_id: document.id,
        source: document.source.clone(),
        title: document.title.clone(),
        heading: passage.passage.heading.clone(),
        text: passage.passage.text.clone(),
        relevance_score,
        front: document.front.clone(),
    }
}

#[cfg(test)]
mod tests;
