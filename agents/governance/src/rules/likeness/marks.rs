//! By what a sentence is known: its words and their neighbours, what they stand for and in which order, how it begins,
//! and pieces of words, which endings do not change. Each mark is a number below 2^[`BITS`].

use super::concepts::Concepts;
use crate::guard::features::{hash, number, pieces};
use crate::guard::lexicon::{Lexicon, UNKNOWN};

/// Bits of a mark's number.
pub const BITS: u32 = 16;
/// Words that are looked at; a sentence is shorter.
const LONGEST: usize = 96;
/// How far apart two concepts are seen together, in words.
const REACH: usize = 12;
/// Letters of a stem.
const STEM: usize = 5;

/// What a mark is made of; part of its number.
#[derive(Clone, Copy)]
enum Of {
    Word = 1,
    Pair,
    Skip,
    Triple,
    Stem,
    StemPair,
    Label,
    LabelPair,
    LabelSkip,
    LabelTriple,
    WordThenLabel,
    LabelThenWord,
    Opening,
    OpeningPair,
    OpeningLabel,
    OpeningLabels,
    Closing,
    ConceptsNear,
    ConceptsFar,
    Skeleton,
    SkeletonThree,
    SkeletonOpening,
    Piece,
    Question,
}

/// One word as it is looked at.
struct Seen {
    word: u64,
    stem: u64,
    /// Its concept, else the group of words of like meaning that it is in, else its stem.
    label: u64,
    concept: Option<u16>,
}

/// Calls `found` with every mark of plain words, and counts the words. Linear in them.
pub fn each(
    words: &str,
    is_question: bool,
    lexicon: &Lexicon,
    concepts: &Concepts,
    mut found: impl FnMut(u32),
) -> usize {
    let mut put = |of: Of, a: u64, b: u64, c: u64| found(number(of as u64, [a, b, c], BITS));
    let seen: Vec<Seen> = words
        .split(' ')
        .filter(|word| !word.is_empty())
        .take(LONGEST)
        .map(|word| look(word, lexicon, concepts))
        .collect();
    for (at, this) in seen.iter().enumerate() {
        let back = |n: usize| at.checked_sub(n).and_then(|at| seen.get(at));
        put(Of::Word, this.word, 0, 0);
        put(Of::Stem, this.stem, 0, 0);
        put(Of::Label, this.label, 0, 0);
        if let Some(one) = back(1) {
            put(Of::Pair, one.word, this.word, 0);
            put(Of::StemPair, one.stem, this.stem, 0);
            put(Of::LabelPair, one.label, this.label, 0);
            put(Of::WordThenLabel, one.word, this.label, 0);
            put(Of::LabelThenWord, one.label, this.word, 0);
            if let Some(two) = back(2) {
                put(Of::Skip, two.word, this.word, 0);
                put(Of::Triple, two.word, one.word, this.word);
                put(Of::LabelSkip, two.label, this.label, 0);
                put(Of::LabelTriple, two.label, one.label, this.label);
            }
        }
    }
    if let Some(first) = seen.first() {
        put(Of::Opening, first.word, 0, 0);
        put(Of::OpeningLabel, first.label, 0, 0);
    }
    if let [first, second, ..] = seen.as_slice() {
        put(Of::OpeningPair, first.word, second.word, 0);
        put(Of::OpeningLabels, first.label, second.label, 0);
    }
    if let Some(last) = seen.last() {
        put(Of::Closing, last.label, 0, 0);
    }
    if is_question {
        put(Of::Question, 0, 0, 0);
    }
    concepts_in_order(&seen, &mut put);
    for word in words.split(' ').take(LONGEST) {
        pieces(word, 5, |piece| put(Of::Piece, piece, 0, 0));
    }
    seen.len()
}

/// What the sentence speaks of, whatever stands in between.
fn concepts_in_order(seen: &[Seen], put: &mut impl FnMut(Of, u64, u64, u64)) {
    let all: Vec<(usize, u64)> = seen
        .iter()
        .enumerate()
        .filter_map(|(at, word)| word.concept.map(|concept| (at, u64::from(concept) + 1)))
        .collect();
    for (n, (at, this)) in all.iter().enumerate() {
        let before = &all[..n];
        let mut reached = before.iter().rev().take_while(|(other, _)| at - other <= REACH);
        reached.by_ref().for_each(|(other, concept)| {
            put(Of::ConceptsFar, *concept, *this, 0);
            if at - other <= 4 {
                put(Of::ConceptsNear, *concept, *this, 0);
            }
        });
        match before {
            [.., (_, two), (_, one)] => {
                put(Of::Skeleton, *one, *this, 0);
                put(Of::SkeletonThree, *two, *one, *this);
            }
            [(_, one)] => {
                put(Of::Skeleton, *one, *this, 0);
                put(Of::SkeletonOpening, *one, *this, 0);
            }
            [] => put(Of::SkeletonOpening, *this, 0, 0),
        }
    }
}

fn look(word: &str, lexicon: &Lexicon, concepts: &Concepts) -> Seen {
    // Numbers differ from sentence to sentence and mean the same, but for the one to dial.
    if word != "911" && word.bytes().any(|b| b.is_ascii_digit()) {
        let label = if word.starts_with('$') { 8 } else { 7 };
        return Seen { word: label, stem: label, label, concept: None };
    }
    let stem = hash(word.get(..STEM).unwrap_or(word).as_bytes());
    let concept = concepts.of(word);
    let group = lexicon.group(word);
    let label = match concept {
        Some(concept) => u64::from(concept) + (1 << 20),
        None if group != UNKNOWN => u64::from(group) + (1 << 30),
        None => stem,
    };
    Seen { word: hash(word.as_bytes()), stem, label, concept }
}
