//! Names that are said and then spelled, "yusuf y u s u f", "thanh te hache a ene hache": letters that make up a word said
//! beside them say that it is a name, whatever the word is.

use super::cues::NAME;
use super::kind::Kind;
use super::lexicon::{Folding, class, hash_of};
use super::scan::Scan;
use super::token::{Token, letter_of};

/// Letters of one run.
const LONGEST: usize = 24;
/// Tokens between a word and its letters.
const REACH: usize = 8;
/// Small words that are letters too may stand before the spelled ones: "with a g, n g o z i".
const EARLY: usize = 3;

/// Letters with the tokens that they were said in.
#[derive(Clone, Copy, Debug)]
struct Run {
    letters: [u8; LONGEST],
    from: [usize; LONGEST],
    to: [usize; LONGEST],
    len: usize,
}

/// Proposes the names that are spelled, and their letters.
pub(super) fn find(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.toks.len() {
        match run(scan, at) {
            Some(run) => {
                check(scan, &run);
                at = run.to[run.len - 1].max(at + 1);
            }
            None => at += 1,
        }
    }
}

fn run(scan: &Scan<'_>, start: usize) -> Option<Run> {
    letter(scan, start)?;
    let mut run = Run { letters: [0; LONGEST], from: [0; LONGEST], to: [0; LONGEST], len: 0 };
    let mut at = start;
    while run.len < LONGEST {
        let twice = scan.is(at, class::REPEAT) && scan.toks[at].value == 2;
        let from = at;
        at += usize::from(twice);
        let Some((letter, mut next)) = letter(scan, at) else { break };
        for _ in 0..=usize::from(twice).min(LONGEST - 1 - run.len) {
            (run.letters[run.len], run.from[run.len], run.to[run.len]) = (letter, from, next);
            run.len += 1;
        }
        // "b as in bravo", "v de vaca".
        let likened = scan.hash_is(next, hash_of("as")) && scan.hash_is(next + 1, hash_of("in"));
        next += if likened { 3 } else { 0 };
        next += usize::from(["-", ".", ","].iter().any(|c| scan.word(next) == *c));
        at = next;
    }
    (run.len >= 2).then_some(run)
}

/// A letter by itself or by its name, in lower case.
fn letter(scan: &Scan<'_>, at: usize) -> Option<(u8, usize)> {
    let token = scan.toks.get(at).filter(|t| t.is_word())?;
    if token.is(class::REPEAT) && scan.hash_is(at + 1, hash_of("u")) {
        return Some((b'w', at + 2));
    }
    let byte = match letter_of(scan.text, token) {
        Some(letter) => u8::try_from(letter).ok()?.to_ascii_lowercase(),
        None if token.is(class::ES_LETTER) => b'a' + u8::try_from(token.value).ok()?.checked_sub(1)?,
        None => return None,
    };
    byte.is_ascii_lowercase().then_some((byte, at + 1))
}

fn check(scan: &mut Scan<'_>, run: &Run) {
    for early in 0..EARLY.min(run.len - 1) {
        for late in 0..2.min(run.len - early - 1) {
            let (first, last) = (early, run.len - late);
            if let Some((from, to)) = said(scan, run, first, last) {
                scan.propose(Kind::Name, from, to, 0.85);
                scan.propose(Kind::Name, run.from[first], run.to[last - 1], 0.85);
                return;
            }
        }
    }
    // "p o p e s c u, first name ileana", "m c q u a i d is the last name".
    let end = run.to[run.len - 1];
    if run.len >= 4 && (scan.cue_after(end, NAME) != 0 || follows(scan, end)) {
        scan.propose(Kind::Name, run.from[0], end, 0.7);
    }
}

/// Whether "first name" comes right after.
fn follows(scan: &Scan<'_>, at: usize) -> bool {
    const WHICH: [&str; 6] = ["first", "last", "middle", "given", "family", "apellido"];
    WHICH.iter().any(|w| scan.hash_is(at, hash_of(w))) && !scan.hash_is(at, hash_of("my"))
}

/// The words beside a run that its letters `first..last` make up: up to three of them, before it or right after.
fn said(scan: &Scan<'_>, run: &Run, first: usize, last: usize) -> Option<(usize, usize)> {
    let letters = &run.letters[first..last];
    let hash = letters.iter().fold(Folding::new(), |hash, b| hash.push(*b)).finish();
    let length = letters.len();
    let word = |t: &Token| t.is_word() && !t.is_letter() && !t.is(class::LETTER_WORD);
    let start = run.from[first];
    // Two letters spell only the word right before them.
    let reach = if length == 2 { 1 } else { REACH };
    for at in (start.saturating_sub(reach)..start).rev() {
        if !word(&scan.toks[at]) {
            continue;
        }
        if scan.toks[at].hash == hash {
            return Some((at, at + 1));
        }
        let joined =
            (1..3).filter_map(|more| at.checked_sub(more)).find(|from| spells(scan, *from, at + 1, letters));
        if let Some(from) = joined {
            return Some((from, at + 1));
        }
    }
    let end = run.to[last - 1];
    (length > 2 && scan.hash_is(end, hash) && scan.toks[end].is_word()).then_some((end, end + 1))
}

/// Whether several words together are these letters: "ji woo".
fn spells(scan: &Scan<'_>, from: usize, to: usize, letters: &[u8]) -> bool {
    let words = &scan.toks[from..to];
    let length: usize = words.iter().map(Token::len).sum();
    length == letters.len()
        && words.iter().all(|t| t.is_word() && !t.is_letter())
        && words
            .iter()
            .flat_map(|t| scan.text[t.start..t.end].bytes())
            .zip(letters)
            .all(|(said, spelled)| said.eq_ignore_ascii_case(spelled))
}
