//! Pieces of one secret: "five two one … wait, no … four eight eight three seven", in one text or in several.
//!
//! Once a secret was named or asked for, the digits that follow are parts of it, whoever pauses, starts over or says a
//! group twice. Numbers that are said to be something else, and numbers amid other words, are not.

use super::cues::{
    BANK, BIRTH, CARD, IBAN, LICENSE, MEDICAL_ID, NEGATIVE, PASSPORT, PASSWORD, PHONE, ROUTING, SSN, SSN_WEAK,
};
use super::kind::Kind;
use super::lexicon::{class, hash_of, hashes_of};
use super::numbers::{Gap, Piece};
use super::scan::Scan;
use super::token::Form;

/// Cues that name a secret.
pub(super) const SECRET: u64 = SSN | SSN_WEAK | CARD | BANK | ROUTING | IBAN | PASSWORD;
/// Cues that say that a number is none.
const OTHER: u64 = NEGATIVE | PHONE | BIRTH | LICENSE | PASSPORT | MEDICAL_ID;

/// Words between the groups of a number and around it.
const SMALL: [u64; 51] = hashes_of([
    "it",
    "its",
    "'s",
    "is",
    "that",
    "the",
    "my",
    "then",
    "and",
    "no",
    "not",
    "wait",
    "sorry",
    "actually",
    "i",
    "mean",
    "meant",
    "so",
    "again",
    "first",
    "next",
    "last",
    "ends",
    "with",
    "dash",
    "hyphen",
    "minus",
    "space",
    "correction",
    "scratch",
    "over",
    "let",
    "me",
    "start",
    "yes",
    "now",
    "guion",
    "espera",
    "perdon",
    "digo",
    "sea",
    "si",
    "y",
    "luego",
    "despues",
    "es",
    "mi",
    "el",
    "perdone",
    "disculpe",
    "rather",
]);
/// Words with which somebody takes back what they said.
const TAKEN_BACK: [u64; 14] = hashes_of([
    "wait",
    "no",
    "sorry",
    "actually",
    "mean",
    "meant",
    "correction",
    "scratch",
    "rather",
    "espera",
    "perdon",
    "perdone",
    "digo",
    "disculpe",
]);
/// Words before a number that is a time, a place or an amount.
const COUNTING: [u64; 12] =
    hashes_of(["at", "on", "in", "for", "about", "around", "room", "suite", "by", "a", "en", "por"]);

/// What a secret cue is the cue of.
pub(super) const fn kind_of(mask: u64) -> Option<Kind> {
    if mask & (SSN | SSN_WEAK) != 0 {
        Some(Kind::Ssn)
    } else if mask & CARD != 0 {
        Some(Kind::CreditCard)
    } else if mask & (BANK | ROUTING | IBAN) != 0 {
        Some(Kind::BankAccount)
    } else if mask & PASSWORD != 0 {
        Some(Kind::Secret)
    } else {
        None
    }
}

fn is_small(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_none_or(|token| match token.form {
        Form::Sign(c) => !matches!(c, ':' | '%' | '$' | '€' | '⟨' | '⟩'),
        _ => token.is(class::FILLER | class::CONNECTOR) || SMALL.contains(&token.hash),
    })
}

/// The secret that a text names so that its digits follow: right after the cue, or in what is said next.
pub(super) fn named(scan: &Scan<'_>, pieces: &[Piece]) -> Option<(Kind, usize)> {
    scan.cues.iter().rev().filter(|cue| cue.mask & SECRET != 0 && cue.mask & NEGATIVE == 0).find_map(|cue| {
        let mut at = cue.to;
        let begins = |at: usize| pieces.iter().any(|piece| piece.from == at);
        let number = [hash_of("number"), hash_of("numero")];
        while at < scan.toks.len()
            && !begins(at)
            && (is_small(scan, at) || number.contains(&scan.toks[at].hash))
        {
            at += 1;
        }
        (at >= scan.toks.len() || begins(at)).then(|| kind_of(cue.mask).map(|kind| (kind, cue.to)))?
    })
}

/// Digits of a text that are parts of a secret, as tokens, and whether the text says that its last number is something
/// else.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) runs: Vec<(usize, usize)>,
    pub(super) other: bool,
}

fn runs(pieces: &[Piece]) -> impl Iterator<Item = (usize, usize, usize)> {
    pieces.chunk_by(|_, next| next.gap != Gap::Start).filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        Some((first.from, last.to, run.iter().map(|piece| piece.digits.len()).sum()))
    })
}

/// Nothing is said but digits and the words around them.
fn is_pure(scan: &Scan<'_>, pieces: &[Piece], after: usize) -> bool {
    (after..scan.toks.len())
        .all(|at| is_small(scan, at) || pieces.iter().any(|piece| (piece.from..piece.to).contains(&at)))
}

/// Parts of a secret that was named or asked for. `begun`: some of its digits were said before.
pub(super) fn parts(scan: &Scan<'_>, pieces: &[Piece], after: usize, begun: bool) -> Parts {
    let mut parts = Parts::default();
    let later = |run: &(usize, usize, usize)| run.0 >= after;
    let total: usize = runs(pieces).filter(later).map(|run| run.2).sum();
    let pure = is_pure(scan, pieces, after) && total >= if begun { 1 } else { 2 };
    for (from, to, digits) in runs(pieces).filter(later) {
        let cue = scan.numeric_cue(from, to);
        parts.other = cue & OTHER != 0 && cue & SECRET == 0;
        let counted = from > 0 && COUNTING.contains(&scan.toks[from - 1].hash);
        let apart =
            digits >= 3 && !counted && is_small(scan, to) && (from <= after || is_small(scan, from - 1));
        if !parts.other && (pure || apart) {
            parts.runs.push((from, to));
        }
    }
    parts
}

/// Digits that somebody took back and said anew, as many as a social security number has or one fewer, in a text that
/// is nothing else: "five two one, wait, no, four eight eight three seven".
pub(super) fn taken_back(scan: &Scan<'_>, pieces: &[Piece]) -> Parts {
    let found: Vec<_> = runs(pieces).collect();
    let total: usize = found.iter().map(|run| run.2).sum();
    let between = |pair: &[(usize, usize, usize)]| {
        scan.toks[pair[0].1..pair[1].0].iter().any(|token| TAKEN_BACK.contains(&token.hash))
    };
    let fits = matches!(total, 8 | 9) && found.windows(2).any(between) && matches!(found[0].2, 3..=5);
    if !fits || !is_pure(scan, pieces, 0) {
        return Parts::default();
    }
    parts(scan, pieces, 0, false)
}
