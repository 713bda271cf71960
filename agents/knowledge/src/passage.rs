//! Passages as they lie in the index: their terms counted, their vector at hand.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::chunk::{self, Passage};
use super::embed::Vector;
use super::ingest::{Document, FrontMatter, parse};
use super::{Part, RetrieverError, sounds, team_of};
use governance::safety::Public;
use language::stems::{Term, Tongue, hash, is_stop, term, terms, words};

/// A term in title or heading counts this much beside its place in the text.
const HEAD_WEIGHT: f32 = 1.0;

/// A document as it lies in the index.
#[derive(Debug)]
pub(super) struct Indexed {
    pub id: Uuid,
    pub source: String,
    pub title: String,
    pub media_type: Option<String>,
    pub updated_at: Option<DateTime<Utc>>,
    pub front: FrontMatter,
    pub passages: Vec<IndexedPassage>,
    /// Vectors of the everyday phrasings in the front matter.
    pub asked_as: Vec<Vector>,
    /// What it gives as public. A team's own documents are read by its agents and published nowhere.
    pub public: Public,
}

/// One passage of it.
#[derive(Debug)]
pub(super) struct IndexedPassage {
    pub passage: Passage,
    /// Title, heading and text in order, without stop words.
    pub terms: Box<[Term]>,
    /// Terms of title and heading.
    pub head: Box<[Term]>,
    /// Sorted by term; with the document's phrasings.
    pub bag: Box<[Counted]>,
    pub length: f32,
    pub vector: Option<Vector>,
}

/// A term of a passage.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub term: Term,
    pub count: f32,
    /// Hash of how the word sounds; 0 for what is too short to tell.
    pub sound: u32,
}

impl Indexed {
    /// Vectors of its texts.
    pub fn vectors(&self) -> impl Iterator<Item = (&str, &Vector)> {
        let passages = self.passages.iter().map(|p| (p.passage.indexed.as_str(), p.vector.as_ref()));
        passages.filter_map(|(text, vector)| Some((text, vector?)))
    }
}

impl IndexedPassage {
    /// Whether the passage has the term, the document's phrasings included.
    pub fn has(&self, term: Term) -> bool {
        self.bag.binary_search_by_key(&term, |counted| counted.term).is_ok()
    }
}

/// Takes a document apart for the index, with the vectors of those parts whose text is the same.
pub(super) fn prepare(document: &Document, parts: &[Part]) -> Result<Indexed, RetrieverError> {
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
    let unnamed = if parsed.named { String::new() } else { file_words(&document.source) };
    let extra = format!("{} {spoken} {unnamed}", parsed.front.asked_as.join(" "));
    let tongue = Tongue::of(parsed.front.language.as_deref());
    let title = if parsed.named { parsed.title.as_str() } else { "" };
    let passages = passages
        .into_iter()
        .enumerate()
        .map(|(n, passage)| {
            let vector = vector(n, &passage.indexed);
            index(passage, vector, title, &extra, tongue)
        })
        .collect();
    let published = team_of(&document.source).is_none();
    let public = if published { Public::of_page(&document.content) } else { Public::default() };
    Ok(Indexed {
        id: document.id.unwrap_or_else(Uuid::now_v7),
        updated_at: document.updated_at,
        source: document.source.clone(),
        title: parsed.title,
        media_type: document.media_type.clone(),
        front: parsed.front,
        passages,
        asked_as,
        public,
    })
}

/// The words that a file's name may hold: "docs/dog-license.md" says what it is about, "a17.txt" does not.
fn file_words(source: &str) -> String {
    let name = source.rsplit(['/', '\\']).next().unwrap_or(source);
    let stem = name.split('.').next().unwrap_or(name);
    let words = stem.split(|c: char| !c.is_alphabetic()).filter(|w| w.chars().count() > 2);
    words.collect::<Vec<_>>().join(" ")
}

fn index(
    passage: Passage,
    vector: Option<Vector>,
    title: &str,
    extra: &str,
    tongue: Tongue,
) -> IndexedPassage {
    let mut head = terms(&format!("{title}. {}", passage.heading.as_deref().unwrap_or_default()), tongue);
    head.sort_unstable();
    head.dedup();
    let mut own = Vec::new();
    let mut bag: Vec<Counted> = Vec::new();
    let mut take = |text: &str, own: Option<&mut Vec<Term>>| {
        let mut order = Vec::new();
        for word in words(text).iter().filter(|word| !is_stop(word)) {
            let term = term(word, tongue);
            let sound = sounds::key(word).map_or(0, |key| hash(&key).max(1));
            bag.push(Counted { term, count: 1.0, sound });
            order.push(term);
        }
        if let Some(own) = own {
            *own = order;
        }
    };
    take(&passage.indexed, Some(&mut own));
    take(extra, None);
    let length = bag.len() as f32;
    bag.sort_unstable_by_key(|counted| counted.term);
    bag.dedup_by(|next, kept| {
        let same = next.term == kept.term;
        if same {
            kept.count += next.count;
        }
        same
    });
    for counted in &mut bag {
        if head.binary_search(&counted.term).is_ok() {
            counted.count += HEAD_WEIGHT;
        }
    }
    IndexedPassage { passage, terms: own.into(), head: head.into(), bag: bag.into(), length, vector }
}
