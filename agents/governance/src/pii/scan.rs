//! A text while it is looked through: its tokens, its cues, and what the detectors propose.

use super::cues::{self, Cue};
use super::guardian::Settings;
use super::kind::Kind;
use super::token::{Form, Token};

/// Tokens between a cue and its number.
pub(super) const REACH: usize = 8;
/// What the end of a sentence between them counts, in tokens.
const STOP: usize = 3;

/// References of one word that speak for what comes later in the sentence too.
const FIRM: [u64; 14] = super::lexicon::hashes_of([
    "reference",
    "parcel",
    "docket",
    "claim",
    "invoice",
    "confirmation",
    "tracking",
    "apn",
    "citation",
    "serial",
    "referencia",
    "expediente",
    "reclamo",
    "isbn",
]);

/// Proposed finding over the tokens `from..to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) confidence: f32,
}

#[derive(Debug)]
pub(super) struct Scan<'a> {
    pub(super) text: &'a str,
    pub(super) toks: &'a [Token],
    pub(super) cues: &'a [Cue],
    pub(super) settings: &'a Settings,
    pub(super) found: Vec<Candidate>,
}

impl<'a> Scan<'a> {
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.toks.get(at).map_or("", |t| &self.text[t.start..t.end])
    }

    pub(super) fn is(&self, at: usize, flags: u64) -> bool {
        self.toks.get(at).is_some_and(|t| t.is(flags))
    }

    pub(super) fn sign(&self, at: usize, c: char) -> bool {
        self.toks.get(at).is_some_and(|t| t.sign(c))
    }

    /// Whether a token follows the one before without white space.
    pub(super) fn glued(&self, at: usize) -> bool {
        self.toks.get(at).is_some_and(|t| !t.spaced)
    }

    pub(super) fn hash_is(&self, at: usize, hash: u64) -> bool {
        self.toks.get(at).is_some_and(|t| t.hash == hash)
    }

    /// Whether a token is one of some words, given by their hashes.
    pub(super) fn one_of(&self, at: usize, hashes: &[u64]) -> bool {
        self.toks.get(at).is_some_and(|t| hashes.contains(&t.hash))
    }

    /// A line break, the end of a sentence or the end of the text stands before this token.
    pub(super) fn starts_sentence(&self, at: usize) -> bool {
        at == 0 || self.toks[at].new_line || self.toks[at - 1].is_stop() || self.toks[at - 1].sign(':')
    }

    pub(super) fn propose(&mut self, kind: Kind, from: usize, to: usize, confidence: f32) {
        if from < to && to <= self.toks.len() {
            self.found.push(Candidate { kind, from, to, confidence });
        }
    }

    /// The nearest cue of the wanted ones that ends at or before a token, if it is near enough; else what was asked
    /// before this text, if the token is at its beginning.
    pub(super) fn cue_before(&self, at: usize, wanted: u64, reach: usize) -> u64 {
        match self.nearest_before(at, wanted, reach) {
            Some(cue) => cue.mask & wanted,
            None if at <= REACH => self.settings.expected & wanted,
            None => 0,
        }
    }

    pub(super) fn nearest_before(&self, at: usize, wanted: u64, reach: usize) -> Option<Cue> {
        let behind = self.cues.partition_point(|cue| cue.from < at);
        let cue =
            self.cues[..behind].iter().rev().take(8).find(|cue| cue.to <= at && cue.mask & wanted != 0)?;
        self.near(cue.to, at, reach).then_some(*cue)
    }

    /// Whether few enough tokens lie between, and no mark.
    pub(super) fn near(&self, from: usize, to: usize, reach: usize) -> bool {
        if to - from > reach {
            return false;
        }
        let between = &self.toks[from..to];
        let cost: usize =
            between.iter().map(|t| if t.is_stop() && t.form != Form::Sign(';') { STOP } else { 1 }).sum();
        cost <= reach && between.iter().all(|t| t.form != Form::Mark)
    }

    /// A cue that follows in the manner of "… is my social": nothing but small words lies between.
    pub(super) fn cue_after(&self, at: usize, wanted: u64) -> u64 {
        let behind = self.cues.partition_point(|cue| cue.from < at);
        let small = |t: &Token| {
            t.is(super::lexicon::class::CONNECTOR) || t.sign(',') || t.is(super::lexicon::class::FILLER)
        };
        self.cues[behind..]
            .iter()
            .take(3)
            .find(|cue| cue.mask & wanted != 0 && cue.from - at <= 5 && cue.from > at)
            .filter(|cue| self.toks[at..cue.from].iter().all(small))
            .map_or(0, |cue| cue.mask & wanted)
    }

    /// The numeric cues that count for a number in the tokens `from..to`: the nearest, and beside one that may speak of
    /// something else the nearest firm one.
    pub(super) fn numeric_cue(&self, from: usize, to: usize) -> u64 {
        let nearest = self.nearest_numeric(from, to);
        if nearest == 0 || nearest & !(cues::ACCOUNT | cues::LICENSE_WEAK) != 0 {
            return nearest;
        }
        let of_a_utility = self
            .nearest_before(from, cues::ACCOUNT, REACH)
            .is_some_and(|cue| cue.from > 0 && self.is(cue.from - 1, super::lexicon::class::UTILITY));
        if of_a_utility {
            return cues::NEGATIVE;
        }
        // "Reference … is yours, mine (the account) is …": a reference further off is of another number.
        let close = self.nearest_before(from, cues::ACCOUNT, 3).is_some();
        let other = if close { cues::NEGATIVE } else { 0 };
        nearest | self.cue_before(from, cues::NUMERIC & !cues::WEAK & !other, REACH)
    }

    fn nearest_numeric(&self, from: usize, to: usize) -> u64 {
        // A word such as "form" or "page" speaks only for the number right after it.
        let loose = self.nearest_before(from, cues::NUMERIC, REACH).is_some_and(|cue| {
            let loose = !self.one_of(cue.from, &FIRM);
            loose && cue.mask & cues::NUMERIC == cues::NEGATIVE && cue.to - cue.from == 1 && from - cue.to > 2
        });
        if loose {
            return self.cue_after(to, cues::NUMERIC);
        }
        match self.cue_before(from, cues::NUMERIC, REACH) {
            cues::NEGATIVE => {
                let one_word =
                    self.nearest_before(from, cues::NUMERIC, REACH).is_some_and(|c| c.to - c.from == 1);
                cues::NEGATIVE | if one_word { cues::NEGATIVE_WEAK } else { 0 }
            }
            0 => self.cue_after(to, cues::NUMERIC),
            before => before,
        }
    }
}
