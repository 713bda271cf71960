//! Which language words are in, where they leave no doubt: a linear classifier over whole words and their letters.
//!
//! Trained by `examples/train_identify.rs` on what callers say (`data/intents/*.tsv`); figures in `docs/guides/understanding.md`.

use std::sync::LazyLock;

use crate::linear::Linear;
use crate::tag::Language;

/// Features are hashed into so many weights. A power of two.
pub const BUCKETS: usize = 1 << 14;
/// From this score on (log odds) the words are taken for Spanish, and this far below zero for English. Short English without a word
/// of talk ("no permits available", 2.4) looks a little Spanish; of our 696 Spanish openings one is between the two.
const SURELY_SPANISH: f32 = 2.5;
const SURELY_ENGLISH: f32 = 1.5;
/// Fewer words than this tell nothing: names, numbers, "no".
const FEWEST: usize = 3;
/// Characters that are read.
const LONGEST: usize = 600;

/// Scale, then a signed byte a bucket: above zero is Spanish.
static WEIGHTS: &[u8] = include_bytes!("../data/identify/weights.bin");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// The weights of the classifier: one class, whose sum is the log odds of Spanish against English.
pub type Model = Linear<BUCKETS, 1>;

/// Log odds of Spanish against English.
#[must_use]
pub fn score(model: &Model, text: &str) -> f32 {
    let mut sum = 0.0;
    features(text, |bucket| sum += model.weight(0, bucket));
    sum
}

/// The language that the words themselves are in, where they leave no doubt.
#[must_use]
pub fn language_of(text: &str) -> Option<Language> {
    if text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count() < FEWEST {
        return None;
    }
    match score(&MODEL, text) {
        score if score >= SURELY_SPANISH => Some(Language::Es),
        score if score <= -SURELY_ENGLISH => Some(Language::En),
        _ => None,
    }
}

/// Buckets of a text's features, each once: words, pairs and triples of their letters with their edges, and pairs of words.
/// Only its beginning is read, which is enough.
pub fn features(text: &str, each: impl FnMut(usize)) {
    let mut found = Vec::new();
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    buckets(&text[..end], |bucket| found.push(bucket));
    found.sort_unstable();
    found.dedup();
    found.into_iter().for_each(each);
}

fn buckets(text: &str, mut each: impl FnMut(usize)) {
    let lower = text.to_lowercase();
    let words =
        lower.split(|c: char| !(c.is_alphabetic() || c == '\'' || c == '’')).filter(|w| !w.is_empty());
    let mut before = 0;
    let mut letters: Vec<char> = Vec::new();
    for word in words {
        letters.clear();
        letters.push('<');
        letters.extend(word.chars());
        letters.push('>');
        let whole = hash(letters.iter().copied(), 1);
        each(bucket(whole));
        each(bucket(whole.wrapping_mul(31) ^ before));
        before = whole;
        for size in [2, 3] {
            for part in letters.windows(size) {
                each(bucket(hash(part.iter().copied(), size as u64 + 1)));
            }
        }
    }
}

const fn bucket(hash: u64) -> usize {
    // The high bits are the better mixed.
    (hash >> 40) as usize & (BUCKETS - 1)
}

/// FNV-1a over letters: the same on every machine, since weights are kept by it.
fn hash(letters: impl Iterator<Item = char>, seed: u64) -> u64 {
    let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(0x0100_0000_01b3);
    letters.fold(mix(0xcbf2_9ce4_8422_2325, seed), |hash, letter| mix(hash, u64::from(u32::from(letter))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sentences_are_told_apart() {
        for text in [
            "se fue la luz del poste de la esquina",
            "me tropecé en la banqueta frente a la biblioteca",
            "los perros del vecino no paran de ladrar",
        ] {
            assert_eq!(language_of(text), Some(Language::Es), "{text}");
        }
        for text in [
            "there is a big hole in front of my house",
            "somebody dumped a mattress behind the library",
            "when do you pick up the trash",
        ] {
            assert_eq!(language_of(text), Some(Language::En), "{text}");
        }
    }

    #[test]
    fn names_numbers_and_few_words_tell_nothing() {
        for text in ["", "no", "José García", "12 34 56 78", "Maria Lopez", "24 Pine"] {
            assert_eq!(language_of(text), None, "{text}");
        }
    }

    #[test]
    fn short_english_is_not_taken_for_spanish() {
        for text in ["no permits available", "No empty conferences currently exist."] {
            assert_ne!(language_of(text), Some(Language::Es), "{text}");
        }
    }

    #[test]
    fn weights_are_whole_and_survive_being_written() {
        assert_eq!(WEIGHTS.len(), 4 + BUCKETS);
        let again = Model::from_bytes(&MODEL.to_bytes());
        assert_eq!(score(&again, "la calle está mal"), score(&MODEL, "la calle está mal"));
    }
}
