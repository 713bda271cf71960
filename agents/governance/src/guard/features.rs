//! What the classifier sees of a text: words and their neighbours, classes and meanings in the order in which they
//! stand, and pieces of words. Each feature belongs to the word at which it is complete, so that a score can be
//! traced back to places in the text.

use super::lexicon::{Lexicon, UNKNOWN};
use super::normalise::Word;

/// Bits of a feature's number.
pub const BITS: u32 = 19;
/// How far back a class is remembered, in words.
const REACH: usize = 16;
/// Classes there may be; more are not paired.
const CLASSES: usize = 64;
/// Sounds of hesitation.
const FILLERS: [&str; 14] =
    ["um", "uh", "er", "erm", "hmm", "hm", "ah", "mm", "uhm", "umm", "eh", "uhh", "mmm", "ehm"];

/// What a feature is made of; part of its number.
#[derive(Clone, Copy)]
enum Of {
    Word = 1,
    Pair,
    Triple,
    Skip,
    Label,
    LabelPair,
    LabelTriple,
    WordThenLabel,
    LabelThenWord,
    ClassesNear,
    ClassesFar,
    Piece,
    OpeningWord,
    OpeningLabel,
    LabelSkip,
    Group,
    GroupPair,
    Field,
    FieldPair,
    FieldTriple,
    FieldSkip,
    WordThenField,
    FieldThenWord,
}

/// The words without hesitations and without words said twice in a row.
#[must_use]
pub fn fluent(words: Vec<Word>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let again = out
            .last()
            .is_some_and(|last| last.text == word.text && !word.text.as_bytes()[0].is_ascii_digit());
        if !again && !FILLERS.contains(&word.text.as_str()) {
            out.push(word);
        }
    }
    out
}

struct Seen {
    word: u64,
    label: u64,
    group: u64,
    /// The wide field of meaning; a class word keeps its class.
    field: u64,
    class: Option<u16>,
}

/// Calls `found` with the place of a word and the number of a feature, for every feature. Linear in the text.
pub fn each(words: &[Word], lexicon: &Lexicon, mut found: impl FnMut(usize, u32)) {
    let seen: Vec<Seen> = words.iter().map(|w| look(&w.text, lexicon)).collect();
    let mut last_of_class = [usize::MAX; CLASSES];
    for (i, this) in seen.iter().enumerate() {
        let mut put = |of: Of, a: u64, b: u64, c: u64| found(i, number(of as u64, [a, b, c], BITS));
        let back = |n: usize| i.checked_sub(n).map(|j| &seen[j]);
        put(Of::Word, this.word, 0, 0);
        put(Of::Label, this.label, 0, 0);
        put(Of::Group, this.group, 0, 0);
        put(Of::Field, this.field, 0, 0);
        if let Some(one) = back(1) {
            put(Of::Pair, one.word, this.word, 0);
            put(Of::LabelPair, one.label, this.label, 0);
            put(Of::WordThenLabel, one.word, this.label, 0);
            put(Of::LabelThenWord, one.label, this.word, 0);
            put(Of::GroupPair, one.group, this.group, 0);
            put(Of::FieldPair, one.field, this.field, 0);
            put(Of::WordThenField, one.word, this.field, 0);
            put(Of::FieldThenWord, one.field, this.word, 0);
            if let Some(two) = back(2) {
                put(Of::Triple, two.word, one.word, this.word);
                put(Of::LabelTriple, two.label, one.label, this.label);
                put(Of::Skip, two.word, this.word, 0);
                put(Of::LabelSkip, two.label, this.label, 0);
                put(Of::FieldTriple, two.field, one.field, this.field);
                put(Of::FieldSkip, two.field, this.field, 0);
            }
        }
        if i == 0 || words[i].opens {
            put(Of::OpeningWord, this.word, 0, 0);
            put(Of::OpeningLabel, this.label, 0, 0);
        }
        if let Some(class) = this.class.filter(|c| usize::from(*c) < CLASSES) {
            for (other, at) in last_of_class.iter().enumerate().filter(|(_, at)| **at != usize::MAX) {
                let far = i - at;
                if far > REACH {
                    continue;
                }
                put(Of::ClassesFar, other as u64, u64::from(class), 0);
                if far <= 6 {
                    put(Of::ClassesNear, other as u64, u64::from(class), (far as u64).div_ceil(2));
                }
            }
            last_of_class[usize::from(class)] = i;
        }
        pieces(&words[i].text, 4, |piece| put(Of::Piece, piece, 0, 0));
    }
}

fn look(word: &str, lexicon: &Lexicon) -> Seen {
    // Numbers differ from text to text and mean the same.
    let digits = word.bytes().all(|b| b.is_ascii_digit());
    let class = lexicon.class(word);
    let label = if digits { 1 << 20 } else { u64::from(lexicon.label(word)) };
    let label = if label == u64::from(UNKNOWN) { label + (word.len().min(8) as u64) } else { label };
    let group = lexicon.group(word);
    let field = class.map_or_else(|| u64::from(lexicon.field(group)) + 1000, u64::from);
    Seen {
        group: u64::from(group),
        field,
        word: if digits { 7 } else { hash(word.as_bytes()) },
        label,
        class,
    }
}

/// Four letters of a plain word at a time, with its ends; nothing of a word with fewer than `shortest` (at least three).
pub(crate) fn pieces(word: &str, shortest: usize, mut found: impl FnMut(u64)) {
    if !(shortest.max(3)..=24).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    let bytes = word.as_bytes();
    found(hash(&[b'^', bytes[0], bytes[1], bytes[2]]));
    bytes.windows(4).for_each(|w| found(hash(w)));
    let end = bytes.len();
    found(hash(&[bytes[end - 3], bytes[end - 2], bytes[end - 1], b'$']));
}

/// FNV-1a. Trained weights rest on it.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

/// Number of a mark below 2^`bits`, out of what it is made of. Trained weights rest on it.
pub(crate) fn number(of: u64, parts: [u64; 3], bits: u32) -> u32 {
    let mut h = of.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for part in parts {
        h = (h ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^= h >> 32;
    }
    u32::try_from(h >> (64 - bits)).unwrap_or(0)
}
