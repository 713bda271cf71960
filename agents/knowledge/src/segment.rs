//! Some documents of a tenant with their postings and vectors. Never changed once built; an index is a few of these.

use std::collections::HashMap;
use std::sync::Arc;

use super::codes::Codes;
use super::ingest::page_name;
use super::passage::{Indexed, IndexedPassage};
use super::team_of;
use language::stems::{Term, Tongue};

/// Saturation of a term's count.
const K1: f32 = 1.2;
/// How much longer passages pay.
const B: f32 = 0.6;
/// A phrasing that matches lifts its document's passages this much of the way.
const PHRASED: f32 = 0.8;

#[derive(Debug)]
pub(super) struct Segment {
    /// Whether a document is on a team's shelf, by its number.
    pub shelved: Vec<bool>,
    pub documents: Vec<Arc<Indexed>>,
    /// Whether a document is in Spanish, by its number.
    spanish: Vec<bool>,
    by_source: HashMap<String, u32>,
    /// Documents that are translations, by the page that they translate.
    translations: HashMap<String, u32>,
    /// Document and passage of each row.
    places: Vec<(u32, u32)>,
    postings: HashMap<Term, Vec<Posting>>,
    /// Terms by how they sound.
    sounds: HashMap<u32, Vec<Term>>,
    vectors: Codes,
    phrasings: Codes,
    /// Document of each phrasing.
    phrased: Vec<u32>,
    questions: Codes,
    /// Row of each question that a section answers.
    questioned: Vec<u32>,
    /// Sum over the rows.
    pub length: f32,
}

#[derive(Clone, Copy, Debug)]
struct Posting {
    row: u32,
    count: f32,
    length: f32,
}

impl Segment {
    pub fn of(documents: Vec<Arc<Indexed>>) -> Self {
        let rows = || {
            (0u32..)
                .zip(&documents)
                .flat_map(|(d, doc)| (0u32..).zip(&doc.passages).map(move |(p, x)| (d, p, x)))
        };
        let places: Vec<(u32, u32)> = rows().map(|(d, p, _)| (d, p)).collect();
        let mut postings: HashMap<Term, Vec<Posting>> = HashMap::new();
        let mut sounds: HashMap<u32, Vec<Term>> = HashMap::new();
        for (row, (_, _, passage)) in (0u32..).zip(rows()) {
            for counted in &passage.bag {
                let posting = Posting { row, count: counted.count, length: passage.length };
                postings.entry(counted.term).or_default().push(posting);
                let alike = sounds.entry(counted.sound).or_default();
                if counted.sound != 0 && !alike.contains(&counted.term) {
                    alike.push(counted.term);
                }
            }
        }
        let vectors = Codes::of(rows().map(|(_, _, passage)| passage.vector.as_deref()));
        let phrasings = Codes::of(documents.iter().flat_map(|d| d.asked_as.iter().map(|v| Some(&**v))));
        let phrased = (0u32..).zip(&documents).flat_map(|(n, d)| d.asked_as.iter().map(move |_| n)).collect();
        let questions =
            Codes::of(rows().flat_map(|(_, _, passage)| passage.asked.iter().map(|v| Some(&**v))));
        let questioned = (0u32..)
            .zip(rows())
            .flat_map(|(row, (_, _, passage))| passage.asked.iter().map(move |_| row))
            .collect();
        let by_source = (0u32..).zip(&documents).map(|(n, d)| (d.source.clone(), n)).collect();
        let translations =
            (0u32..).zip(&documents).filter_map(|(n, d)| Some((d.front.translates.clone()?, n))).collect();
        let length = rows().map(|(_, _, passage)| passage.length).sum();
        let spanish =
            documents.iter().map(|d| Tongue::of(d.front.language.as_deref()) == Tongue::Es).collect();
        let shelved = documents.iter().map(|d| team_of(&d.source).is_some()).collect();
        Self {
            shelved,
            spanish,
            by_source,
            translations,
            places,
            postings,
            sounds,
            vectors,
            phrasings,
            phrased,
            questions,
            questioned,
            length,
            documents,
        }
    }

    /// Passages in it.
    pub fn rows(&self) -> usize {
        self.places.len()
    }

    pub fn document(&self, source: &str) -> Option<u32> {
        self.by_source.get(source).copied()
    }

    /// The document that translates the page of a source.
    pub fn translation_of(&self, source: &str) -> Option<u32> {
        self.translations.get(page_name(source)).copied()
    }

    /// Number of its document. Unlike [`Self::row`] it follows no pointer: a search asks it of every row.
    pub fn document_of(&self, row: u32) -> Option<u32> {
        self.places.get(row as usize).map(|(document, _)| *document)
    }

    /// Number of its document, and the passage.
    pub fn row(&self, row: u32) -> Option<(u32, &Arc<Indexed>, &IndexedPassage)> {
        let (document, passage) = *self.places.get(row as usize)?;
        let indexed = self.documents.get(document as usize)?;
        Some((document, indexed, indexed.passages.get(passage as usize)?))
    }

    /// Passages that have the term.
    pub fn frequency(&self, term: Term) -> usize {
        self.postings.get(&term).map_or(0, Vec::len)
    }

    pub fn sounding(&self, sound: u32) -> &[Term] {
        self.sounds.get(&sound).map_or(&[], Vec::as_slice)
    }

    /// Adds what a term is worth to every passage that has it: BM25, by the whole collection's mean length.
    pub fn add(&self, scores: &mut [f32], term: Term, weight: f32, mean_length: f32) {
        for posting in self.postings.get(&term).into_iter().flatten() {
            if let Some(score) = scores.get_mut(posting.row as usize) {
                *score += weight * saturated(posting, mean_length);
            }
        }
    }

    /// The same for words of which the better one counts: the highest per passage, then added.
    pub fn add_best(&self, scores: &mut [f32], terms: &[(Term, f32)], mean_length: f32) {
        let mut best: HashMap<u32, f32> = HashMap::new();
        for (term, weight) in terms {
            for posting in self.postings.get(term).into_iter().flatten() {
                let worth = weight * saturated(posting, mean_length);
                let held = best.entry(posting.row).or_default();
                *held = held.max(worth);
            }
        }
        for (row, worth) in best {
            if let Some(score) = scores.get_mut(row as usize) {
                *score += worth;
            }
        }
    }

    /// Likeness of every passage to a unit vector, about; `None` without a vector, and for pages in Spanish unless they are asked for.
    pub fn likeness(&self, query: &[f32], spanish: bool) -> Vec<Option<f32>> {
        let mut scores: Vec<Option<f32>> = self.vectors.scan(query).collect();
        for (row, likeness) in self.questioned.iter().zip(self.questions.scan(query)) {
            // The whole of it here, where only who is looked at closely is decided.
            if let (Some(Some(score)), Some(likeness)) = (scores.get_mut(*row as usize), likeness) {
                *score = score.max(likeness);
            }
        }
        let mut lifted: HashMap<u32, f32> = HashMap::new();
        for (document, likeness) in self.phrased.iter().zip(self.phrasings.scan(query)) {
            let best = lifted.entry(*document).or_insert(f32::MIN);
            *best = best.max(likeness.unwrap_or(f32::MIN));
        }
        if !lifted.is_empty() {
            for (score, (document, _)) in scores.iter_mut().zip(&self.places) {
                if let (Some(score), Some(phrased)) = (score, lifted.get(document)) {
                    *score = lift(*score, *phrased);
                }
            }
        }
        if !spanish {
            for (score, (document, _)) in scores.iter_mut().zip(&self.places) {
                let foreign = self.spanish.get(*document as usize).copied().unwrap_or_default();
                *score = score.filter(|_| !foreign);
            }
        }
        scores
    }
}

/// Likeness of a passage whose document has a phrasing of this likeness.
pub(super) fn lift(own: f32, phrased: f32) -> f32 {
    own.max(PHRASED * phrased + (1.0 - PHRASED) * own)
}

fn saturated(posting: &Posting, mean_length: f32) -> f32 {
    let norm = K1 * (1.0 - B + B * posting.length / mean_length.max(1.0));
    posting.count * (K1 + 1.0) / (posting.count + norm)
}
