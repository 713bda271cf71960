//! By what an utterance is known beside its vector: words, stems, their neighbors, how it begins and ends. Each mark is a
//! number below 2^[`BITS`].

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use waken_snowball::Algorithm;

use crate::Language;

/// Bits of a mark's number.
pub const BITS: u32 = 15;
/// Words that are looked at.
const LONGEST: usize = 80;
/// Letters of a word's beginning, which endings and mishearings leave alone.
const BEGINNING: usize = 4;

/// What a mark is made of; part of its number.
#[derive(Clone, Copy)]
enum Of {
    Word = 1,
    Stem,
    Pair,
    Skip,
    Triple,
    Beginning,
    Opening,
    OpeningPair,
    Closing,
    ClosingPair,
    Length,
    Asked,
}

/// Plain words: lower case, no accents, no marks, numbers as one word for all.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let plain: String = text
        .nfkd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if c == '\u{2019}' { '\'' } else { c })
        .map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' })
        .collect();
    let word = |word: &str| {
        let word = word.trim_matches('\'');
        if word.bytes().any(|b| b.is_ascii_digit()) { "0".to_owned() } else { word.to_owned() }
    };
    plain.split(' ').map(word).filter(|word| !word.is_empty()).take(LONGEST).collect()
}

/// Calls `found` with every mark, and counts the words. Linear in them.
pub fn each(text: &str, language: Language, asked: bool, mut found: impl FnMut(u32)) -> usize {
    let algorithm = match language {
        Language::En => Algorithm::English,
        Language::Es => Algorithm::Spanish,
    };
    let seen: Vec<(u64, u64)> = words(text)
        .iter()
        .map(|word| (word, waken_snowball::stem(algorithm, word)))
        .map(|(word, stem)| (hash(word), hash(&stem)))
        .collect();
    let mut put = |of: Of, a: u64, b: u64, c: u64| found(number(of, [a, b, c]));
    for (at, (word, stem)) in seen.iter().enumerate() {
        let back = |n: usize| at.checked_sub(n).and_then(|at| seen.get(at)).map(|(_, stem)| *stem);
        put(Of::Word, *word, 0, 0);
        put(Of::Stem, *stem, 0, 0);
        if let Some(one) = back(1) {
            put(Of::Pair, one, *stem, 0);
            if let Some(two) = back(2) {
                put(Of::Skip, two, *stem, 0);
                put(Of::Triple, two, one, *stem);
            }
        }
    }
    for word in words(text) {
        if let Some((end, _)) = word.char_indices().nth(BEGINNING) {
            put(Of::Beginning, hash(&word[..end]), 0, 0);
        }
    }
    if let Some((first, _)) = seen.first() {
        put(Of::Opening, *first, 0, 0);
    }
    if let [(first, _), (second, _), ..] = seen.as_slice() {
        put(Of::OpeningPair, *first, *second, 0);
    }
    if let [.., (_, last)] = seen.as_slice() {
        put(Of::Closing, *last, 0, 0);
    }
    if let [.., (_, before), (_, last)] = seen.as_slice() {
        put(Of::ClosingPair, *before, *last, 0);
    }
    let length = match seen.len() {
        n @ 0..=3 => n,
        4..=6 => 4,
        7..=10 => 5,
        _ => 6,
    };
    put(Of::Length, length as u64, 0, 0);
    put(Of::Asked, u64::from(asked), 0, 0);
    seen.len()
}

/// FNV-1a: the tables are fixed, so nobody can aim at a collision for more than a mark.
fn hash(word: &str) -> u64 {
    word.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn number(of: Of, parts: [u64; 3]) -> u32 {
    let mut all = (of as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for part in parts {
        all = (all ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
        all ^= all >> 29;
    }
    u32::try_from(all >> (64 - BITS)).unwrap_or(0)
}

/// By what a sum over that many words is multiplied.
#[must_use]
pub fn damping(words: usize) -> f32 {
    1.0 / (words as f32 + 2.0).sqrt()
}
