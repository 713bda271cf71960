//! The index of one tenant: segments that are never changed, and what of them is no longer there.
//!
//! New documents become a segment of their own; segments of like size are merged. So a document costs what it holds times
//! the logarithm of the collection, however many are posted one by one, and a search reads a state that nobody alters.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::asked::Asked;
use super::embed::cosine;
use super::fuse::{self, Evidence};
use super::passage::{Indexed, IndexedPassage};
use super::segment::{Segment, lift};
use super::{Filters, Found, Query, attribute, found, heard};
use governance::pii::Public;
use language::spanish::glossary;
use language::stems::{Term, Tongue};

/// Passages of each method that are scored exactly.
const CANDIDATES: usize = 256;
/// Of these, passages of one document: a long one must not crowd out the others.
const OF_ONE_DOCUMENT: usize = 8;
/// What likeness to the middle of a section's questions is worth beside likeness to the nearest, among the sections of a page.
const CENTRE: f32 = 0.5;
/// Postings that one question may visit; the rarest terms come first, so what is left out weighs least.
const POSTINGS: usize = 400_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    slots: Vec<Slot>,
    /// What its documents give as public; put together when it is first asked for.
    public: OnceLock<Arc<Public>>,
}

#[derive(Clone, Debug)]
struct Slot {
    segment: Arc<Segment>,
    /// Documents of the segment that were replaced or removed.
    gone: Arc<HashSet<u32>>,
}

/// A passage by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Place {
    slot: usize,
    row: u32,
}

/// A document that is found, and the page whose translation it is where that was found better.
#[derive(Debug)]
struct Hit<'i> {
    document: &'i Arc<Indexed>,
    original: Option<&'i Arc<Indexed>>,
    score: f32,
}

fn plain<'i>(ranked: &[(&'i Arc<Indexed>, f32)]) -> Vec<Hit<'i>> {
    ranked.iter().map(|(document, score)| Hit { document, original: None, score: *score }).collect()
}

impl Slot {
    fn of(documents: Vec<Arc<Indexed>>) -> Self {
        Self { segment: Arc::new(Segment::of(documents)), gone: Arc::default() }
    }

    fn alive(&self) -> impl Iterator<Item = &Arc<Indexed>> {
        let alive = |(n, d): (u32, _)| (!self.gone.contains(&n)).then_some(d);
        (0u32..).zip(&self.segment.documents).filter_map(alive)
    }

    fn forget(&mut self, source: &str) -> bool {
        match self.segment.document(source) {
            Some(n) if !self.gone.contains(&n) => Arc::make_mut(&mut self.gone).insert(n),
            _ => false,
        }
    }
}

impl Index {
    /// With these documents; one of a source that is there already replaces it.
    #[must_use]
    pub fn with(&self, documents: Vec<Arc<Indexed>>) -> Self {
        let mut slots = self.slots.clone();
        let mut last: HashMap<String, Arc<Indexed>> = HashMap::new();
        let mut order = Vec::new();
        for document in documents {
            order.push(document.source.clone());
            last.insert(document.source.clone(), document);
        }
        let fresh: Vec<_> = order.iter().filter_map(|source| last.remove(source)).collect();
        if fresh.is_empty() {
            return self.clone();
        }
        for document in &fresh {
            for slot in &mut slots {
                slot.forget(&document.source);
            }
        }
        slots.push(Slot::of(fresh));
        Self { slots: merged(slots), public: OnceLock::new() }
    }

    /// Without the document of a source; `None` when there was none.
    #[must_use]
    pub fn without(&self, source: &str) -> Option<Self> {
        let mut slots = self.slots.clone();
        let removed = slots.iter_mut().any(|slot| slot.forget(source));
        removed.then(|| Self { slots: merged(slots), public: OnceLock::new() })
    }

    /// What the documents give as public.
    pub fn public(&self) -> Arc<Public> {
        let documents = || self.slots.iter().flat_map(Slot::alive).map(|document| &document.public);
        Arc::clone(self.public.get_or_init(|| Arc::new(Public::of_pages(documents()))))
    }

    pub fn document(&self, source: &str) -> Option<&Arc<Indexed>> {
        self.slots.iter().find_map(|slot| {
            let n = slot.segment.document(source).filter(|n| !slot.gone.contains(n))?;
            slot.segment.documents.get(n as usize)
        })
    }

    fn rows(&self) -> f32 {
        self.slots.iter().map(|slot| slot.segment.rows()).sum::<usize>() as f32
    }

    fn frequency(&self, term: Term) -> usize {
        self.slots.iter().map(|slot| slot.segment.frequency(term)).sum()
    }

    /// Weight of a term: rare is heavy.
    pub fn weight(&self, term: Term) -> f32 {
        let n = self.frequency(term) as f32;
        (1.0 + (self.rows() - n + 0.5) / (n + 0.5)).ln()
    }

    /// Whether any passage has the term.
    pub fn knows(&self, term: Term) -> bool {
        self.slots.iter().any(|slot| slot.segment.frequency(term) > 0)
    }

    pub fn sounding(&self, sound: u32) -> Vec<Term> {
        self.slots.iter().flat_map(|slot| slot.segment.sounding(sound).iter().copied()).collect()
    }

    /// Best passage per document, best first.
    pub fn search(&self, query: &Query, vector: Option<&[f32]>) -> Vec<Found> {
        let asked = Asked::of(&heard::heard(&query.text), self);
        let allowed = self.allowed(&query.filters);
        let wants_vector = query.method != fuse::Method::Keyword;
        let vector = vector.filter(|_| wants_vector);
        let places = self.candidates(&asked, vector, query.method, &allowed);
        let evidence: Vec<Evidence> =
            places.iter().map(|(place, bm25)| self.evidence(&asked, vector, *place, *bm25)).collect();
        let mut ranked: Vec<(&Arc<Indexed>, f32)> = Vec::new();
        let mut seen = HashSet::new();
        for (n, score) in fuse::rank(&evidence, query.method, asked.repaired) {
            let Some((_, document, _)) = self.slots[places[n].0.slot].segment.row(places[n].0.row) else {
                continue;
            };
            if score >= query.min_relevance_score && seen.insert(document.id) {
                ranked.push((document, score));
            }
        }
        let hits = if asked.spanish { self.with_translations(&ranked, &allowed) } else { plain(&ranked) };
        hits.into_iter()
            .take(query.limit)
            .filter_map(|hit| {
                let best =
                    |document| self.by_fitness(document, &asked, &query.text, vector).into_iter().next();
                let Some(original) = hit.original else {
                    return Some(found(hit.document, best(hit.document)?.0, hit.score, &query.text, vector));
                };
                // What it says stands in the same section of both.
                let (like, _) = best(original)?;
                let n = original.passages.iter().position(|passage| std::ptr::eq(passage, like))?;
                let same = (original.passages.len() == hit.document.passages.len())
                    .then(|| hit.document.passages.get(n))
                    .flatten();
                let passage = same.or_else(|| best(hit.document).map(|(passage, _)| passage))?;
                let paraphrase = vector.and_then(|vector| like.paraphrase(vector));
                Some(Found { paraphrase, ..found(hit.document, passage, hit.score, &query.text, vector) })
            })
            .collect()
    }

    /// The translation of each page before it, as relevant as the page is: the encoder knows no Spanish, but the page.
    fn with_translations<'i>(
        &'i self,
        ranked: &[(&'i Arc<Indexed>, f32)],
        allowed: &[Vec<bool>],
    ) -> Vec<Hit<'i>> {
        let mut hits: Vec<Hit<'i>> = Vec::new();
        for (document, score) in ranked.iter().copied() {
            let original = ranked.iter().find(|(page, _)| document.front.is_translation_of(&page.source));
            match original.filter(|(_, of_original)| *of_original > score) {
                Some((page, score)) => hits.push(Hit { document, original: Some(page), score: *score }),
                None => {
                    let translation = self.translation_of(&document.source, allowed);
                    hits.extend(translation.map(|other| Hit {
                        document: other,
                        original: Some(document),
                        score,
                    }));
                    hits.push(Hit { document, original: None, score });
                }
            }
        }
        let mut seen = HashSet::new();
        hits.retain(|hit| seen.insert(hit.document.id));
        hits
    }

    /// Passages of one document, the one that fits best first.
    pub fn within(&self, source: &str, text: &str, vector: Option<&[f32]>) -> Vec<Found> {
        let Some(document) = self.document(source) else { return Vec::new() };
        let asked = Asked::of(&heard::heard(text), self);
        self.by_fitness(document, &asked, text, vector)
            .into_iter()
            .map(|(p, score)| found(document, p, score, text, vector))
            .collect()
    }

    /// The page in another language that says the same, where there is one that may be found.
    fn translation_of(&self, source: &str, allowed: &[Vec<bool>]) -> Option<&Arc<Indexed>> {
        self.slots.iter().zip(allowed).find_map(|(slot, allowed)| {
            let n = slot.segment.translation_of(source)? as usize;
            slot.segment.documents.get(n).filter(|_| allowed.get(n) == Some(&true))
        })
    }

    /// For each slot, which of its documents may be found.
    fn allowed(&self, filters: &Filters) -> Vec<Vec<bool>> {
        let (narrow, of_team) = (filters.narrow(), filters.team.is_some());
        let of = |slot: &Slot| {
            let stays = |n: u32| slot.gone.is_empty() || !slot.gone.contains(&n);
            let fits = |((n, d), shelved): ((u32, &Arc<Indexed>), &bool)| {
                stays(n) && (!(narrow || of_team && *shelved) || filters.fit(d))
            };
            (0u32..).zip(&slot.segment.documents).zip(&slot.segment.shelved).map(fits).collect()
        };
        self.slots.iter().map(of).collect()
    }

    /// Passages worth an exact look with their BM25, those of both methods.
    fn candidates(
        &self,
        asked: &Asked,
        vector: Option<&[f32]>,
        method: fuse::Method,
        allowed: &[Vec<bool>],
    ) -> Vec<(Place, f32)> {
        let keyword = self.keyword_scores(asked);
        let mut places: Vec<Place> = Vec::new();
        if method != fuse::Method::Vector {
            let scored = keyword.iter().enumerate().flat_map(|(slot, scores)| {
                let some = (0u32..).zip(scores).filter(|(_, score)| **score > 0.0);
                some.map(move |(row, score)| (Place { slot, row }, *score))
            });
            places.extend(self.best(scored.collect(), allowed));
        }
        if let Some(vector) = vector {
            // Pages in Spanish are like a question in English for what they mean, and no answer to it.
            let likeness = |slot: &Slot| slot.segment.likeness(vector, asked.spanish);
            let likeness: Vec<_> = self.slots.iter().map(likeness).collect();
            let scored = likeness.iter().enumerate().flat_map(|(slot, scores)| {
                let some = (0u32..).zip(scores).filter_map(|(row, score)| Some((row, (*score)?)));
                some.map(move |(row, score)| (Place { slot, row }, score))
            });
            places.extend(self.best(scored.collect(), allowed));
        }
        places.sort_unstable();
        places.dedup();
        let bm25 = |place: Place| keyword[place.slot].get(place.row as usize).copied().unwrap_or(0.0);
        places.into_iter().map(|place| (place, bm25(place))).collect()
    }

    /// BM25 of every passage, slot by slot.
    fn keyword_scores(&self, asked: &Asked) -> Vec<Vec<f32>> {
        let mut scores: Vec<Vec<f32>> = self.slots.iter().map(|s| vec![0.0; s.segment.rows()]).collect();
        let length: f32 = self.slots.iter().map(|slot| slot.segment.length).sum();
        let mean_length = length / self.rows().max(1.0);
        let visits = |terms: &[(Term, f32)]| terms.iter().map(|(t, _)| self.frequency(*t)).sum::<usize>();
        let mut groups: Vec<_> = asked.groups.iter().map(|g| (visits(&g.terms), g)).collect();
        groups.sort_by_key(|(visits, _)| *visits);
        let mut visited = 0;
        for (visits, group) in groups {
            if visited > 0 && visited + visits > POSTINGS {
                break;
            }
            visited += visits;
            let weighed: Vec<(Term, f32)> = group
                .terms
                .iter()
                .map(|(term, part)| (*term, part * group.share * self.weight(*term)))
                .collect();
            for (slot, scores) in self.slots.iter().zip(&mut scores) {
                match weighed.as_slice() {
                    [(term, weight)] => slot.segment.add(scores, *term, *weight, mean_length),
                    some => slot.segment.add_best(scores, some, mean_length),
                }
            }
        }
        scores
    }

    /// The best of some scores, a few per document.
    fn best(&self, mut scored: Vec<(Place, f32)>, allowed: &[Vec<bool>]) -> Vec<Place> {
        let document = |place: Place| self.slots[place.slot].segment.document_of(place.row);
        let may = |place: Place| document(place).is_some_and(|n| allowed[place.slot][n as usize]);
        let better = |a: &(Place, f32), b: &(Place, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        scored.retain(|(place, _)| may(*place));
        let kept = CANDIDATES * 16;
        if scored.len() > kept {
            scored.select_nth_unstable_by(kept, better);
            scored.truncate(kept);
        }
        scored.sort_unstable_by(better);
        let mut of_document: HashMap<(usize, u32), usize> = HashMap::new();
        let fits = |place: &Place| {
            let count = of_document.entry((place.slot, document(*place).unwrap_or(0))).or_default();
            *count += 1;
            *count <= OF_ONE_DOCUMENT
        };
        scored.into_iter().map(|(place, _)| place).filter(fits).take(CANDIDATES).collect()
    }

    fn evidence(&self, asked: &Asked, vector: Option<&[f32]>, place: Place, bm25: f32) -> Evidence {
        let Some((_, document, passage)) = self.slots[place.slot].segment.row(place.row) else {
            return Evidence::default();
        };
        let own = |v: &[f32]| passage.likeness(v);
        let phrased = |v: &[f32]| document.asked_as.iter().map(|p| cosine(p, v)).fold(f32::MIN, f32::max);
        let coverage = asked.coverage(|term| passage.has(term));
        let in_spanish = || Tongue::of(document.front.language.as_deref()) == Tongue::Es;
        Evidence {
            bm25,
            coverage,
            own_language: asked.spanish && coverage >= 0.5 && in_spanish(),
            // Whoever asks in English is not answered in Spanish for being like it in meaning.
            cosine: vector
                .filter(|_| asked.spanish || !in_spanish())
                .and_then(|v| own(v).map(|c| lift(c, phrased(v)))),
            centre: vector
                .filter(|_| asked.spanish || !in_spanish())
                .and_then(|v| passage.likeness_to_centre(v)),
            closeness: asked.closeness(&passage.terms),
            head: asked.coverage(|term| passage.head.binary_search(&term).is_ok()),
            numbers: asked.numbers(|term| passage.has(term)),
            // Likeness of a mere sound ("flurb" and "flu") is no meaning.
            scrap: asked.unknown && asked.groups.len() <= 2,
            lone: asked.lone(|term| passage.has(term)),
        }
    }

    /// Passages of one document by how well each itself fits the question, best first. The subject is the
    /// document's; here only what is asked about it decides.
    fn by_fitness<'d>(
        &self,
        document: &'d Indexed,
        asked: &Asked,
        text: &str,
        vector: Option<&[f32]>,
    ) -> Vec<(&'d IndexedPassage, f32)> {
        let english = glossary::is_spanish(text).then(|| glossary::in_english(text)).flatten();
        let text = english.as_deref().unwrap_or(text);
        let fitness = |(n, p): (usize, &'d IndexedPassage)| {
            let own = vector.and_then(|v| p.likeness(v)).unwrap_or_default();
            let covered = asked.coverage(|term| p.terms.contains(&term));
            // The heading often repeats the question word: "Where to vote", "Fees".
            let given = attribute::given(text, &p.passage.indexed);
            // A bare subject ("my trash") is best met by how the page begins.
            let lead = if n == 0 { if asked.groups.len() <= 1 { 0.15 } else { 0.02 } } else { 0.0 };
            let centre = vector.and_then(|v| p.likeness_to_centre(v)).unwrap_or_default();
            (p, own + CENTRE * centre + 0.3 * covered + 0.15 * given + lead)
        };
        let mut order: Vec<_> = document.passages.iter().enumerate().map(fitness).collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.into_iter().map(|(p, score)| (p, score.clamp(0.0, 1.0))).collect()
    }
}

/// Segments after those of like size became one, and those that are mostly gone were built anew.
fn merged(slots: Vec<Slot>) -> Vec<Slot> {
    let mut out: Vec<Slot> = Vec::with_capacity(slots.len());
    for slot in slots {
        let all = slot.segment.documents.len();
        let rebuilt =
            if slot.gone.len() * 2 > all { Slot::of(slot.alive().cloned().collect()) } else { slot };
        if rebuilt.segment.documents.is_empty() {
            continue;
        }
        out.push(rebuilt);
    }
    // The larger ones first; equal ones by age.
    out.sort_by_key(|slot| Reverse(slot.segment.rows()));
    while let [.., larger, smaller] = out.as_slice() {
        if smaller.segment.rows() * 2 < larger.segment.rows() {
            break;
        }
        let both: Vec<_> = larger.alive().chain(smaller.alive()).cloned().collect();
        out.truncate(out.len() - 2);
        out.push(Slot::of(both));
    }
    out
}
