//! What the guardian knows of single words: names, number words, street words, and ordinary words, from data.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// Bits of a word's classes.
pub(super) mod class {
    macro_rules! bits {
        ($($name:ident = $bit:expr),* $(,)?) => { $(pub const $name: u64 = 1 << $bit;)* };
    }
    bits! {
        FIRST = 0, FIRST_COMMON = 1, LAST = 2, LAST_COMMON = 3, WORD = 4, PLACE = 5, DIGIT = 6, HOMOPHONE = 7,
        TEEN = 8, TENS = 9, HUNDREDS = 10, MULT = 11, REPEAT = 12, ORDINAL = 13, MONTH = 14, FILLER = 15,
        QUANTITY = 16, SUFFIX = 17, SUFFIX_ST = 18, ES_STREET = 19, DIRECTION = 20, UNIT = 21, STATE = 22,
        STATE_FIRST = 23, STATE_SECOND = 24, STATE_ABBR = 25, TITLE = 26, ORG = 27, PERSON_VERB = 28,
        PLACE_BEFORE = 29, PUBLIC_PLACE = 30, PERSONAL = 31, PARTICLE = 32, NAME_SUFFIX = 33, TLD = 34,
        PROVIDER = 35, NO_STREET = 36, FUNCTION = 37, NO_LAST = 38, STORE = 39, UTILITY = 40, NOT_CONDITION = 41,
        SPELL = 42, LETTER_WORD = 43, CONNECTOR = 44, CUE = 45, SUFFIX_RARE = 46, ES_WORD = 47, ES_FUNCTION = 48, EN_FUNCTION = 49,
        STREET_NAME = 50, ROAD = 51, ES_LETTER = 52,
    }
    /// Words that are read as numbers.
    pub const NUMBER: u64 = DIGIT | TEEN | TENS | HUNDREDS | MULT;
}

/// Classes of a word and its value, if it is a number, a month or an ordinal.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Entry {
    pub(super) flags: u64,
    pub(super) value: u16,
}

/// Keys are hashes already.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<Ready>>;

/// Hash of a folded word.
pub(super) const fn hash_of(word: &str) -> u64 {
    let bytes = word.as_bytes();
    let mut hash = Folding::new();
    let mut at = 0;
    while at < bytes.len() {
        hash = hash.push(bytes[at]);
        at += 1;
    }
    hash.finish()
}

/// Hashes of a list of folded words, made when the program is built.
pub(super) const fn hashes_of<const N: usize>(words: [&str; N]) -> [u64; N] {
    let mut hashes = [0; N];
    let mut at = 0;
    while at < N {
        hashes[at] = hash_of(words[at]);
        at += 1;
    }
    hashes
}

/// FNV-1a with a last mix, so that the table may use the upper bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folding(u64);

impl Folding {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) const fn push(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
    }

    pub(super) const fn finish(self) -> u64 {
        let mixed = self.0 ^ (self.0 >> 29);
        mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

const FIRST_NAMES: &str = include_str!("../../data/pii/first_names.txt");
const LAST_NAMES: &str = include_str!("../../data/pii/last_names.txt");
const WORDS: &str = include_str!("../../data/pii/words.txt");
const PLACES: &str = include_str!("../../data/pii/places.txt");
const CLASSES: &str = include_str!("../../data/pii/classes.txt");

/// The words, read once.
pub(super) fn lexicon() -> &'static ByHash<Entry> {
    static LEXICON: LazyLock<ByHash<Entry>> = LazyLock::new(read);
    &LEXICON
}

fn read() -> ByHash<Entry> {
    let mut map = ByHash::default();
    map.reserve(110_000);
    let mut add =
        |word: &str, flags: u64| map.entry(hash_of(word)).or_insert_with(Entry::default).flags |= flags;
    sections(FIRST_NAMES, |section, word| {
        add(word, if section == "common" { class::FIRST | class::FIRST_COMMON } else { class::FIRST });
    });
    sections(LAST_NAMES, |section, word| {
        add(word, if section == "common" { class::LAST | class::LAST_COMMON } else { class::LAST });
    });
    sections(WORDS, |_, word| add(word, class::WORD));
    sections(PLACES, |_, word| add(word, class::PLACE));
    for (name, word, value) in classes() {
        let entry = map.entry(hash_of(word)).or_default();
        entry.flags |= flag_of(name);
        if let Some(value) = value {
            entry.value = value;
        }
    }
    for first in super::cues::first_words() {
        map.entry(first).or_default().flags |= class::CUE;
    }
    map
}

fn sections(data: &str, mut each: impl FnMut(&str, &str)) {
    let mut section = "";
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => section = name,
            None => line.split(' ').filter(|w| !w.is_empty()).for_each(|word| each(section, word)),
        }
    }
}

fn classes() -> impl Iterator<Item = (&'static str, &'static str, Option<u16>)> {
    CLASSES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).flat_map(
        |(name, words)| {
            words.split(' ').filter(|w| !w.is_empty()).map(move |word| match word.split_once('=') {
                Some((word, value)) => (name, word, value.parse().ok()),
                None => (name, word, None),
            })
        },
    )
}

fn flag_of(name: &str) -> u64 {
    const NAMES: [(&str, u64); 46] = [
        ("es_word", class::ES_WORD),
        ("es_function", class::ES_FUNCTION),
        ("en_function", class::EN_FUNCTION),
        ("digit", class::DIGIT),
        ("homophone", class::HOMOPHONE),
        ("teen", class::TEEN),
        ("tens", class::TENS),
        ("hundreds", class::HUNDREDS),
        ("mult", class::MULT),
        ("repeat", class::REPEAT),
        ("ordinal", class::ORDINAL),
        ("month", class::MONTH),
        ("filler", class::FILLER),
        ("quantity", class::QUANTITY),
        ("suffix", class::SUFFIX),
        ("suffix_st", class::SUFFIX_ST),
        ("es_street", class::ES_STREET),
        ("direction", class::DIRECTION),
        ("unit", class::UNIT),
        ("state", class::STATE),
        ("state_first", class::STATE_FIRST),
        ("state_second", class::STATE_SECOND),
        ("state_abbr", class::STATE_ABBR),
        ("title", class::TITLE),
        ("org", class::ORG),
        ("person_verb", class::PERSON_VERB),
        ("place_before", class::PLACE_BEFORE),
        ("public_place", class::PUBLIC_PLACE),
        ("personal", class::PERSONAL),
        ("particle", class::PARTICLE),
        ("name_suffix", class::NAME_SUFFIX),
        ("tld", class::TLD),
        ("provider", class::PROVIDER),
        ("no_street", class::NO_STREET),
        ("function", class::FUNCTION),
        ("no_last", class::NO_LAST),
        ("store", class::STORE),
        ("utility", class::UTILITY),
        ("not_condition", class::NOT_CONDITION),
        ("spell", class::SPELL),
        ("letter_word", class::LETTER_WORD),
        ("connector", class::CONNECTOR),
        ("suffix_rare", class::SUFFIX_RARE),
        ("street_name", class::STREET_NAME),
        ("road", class::ROAD),
        ("es_letter", class::ES_LETTER),
    ];
    NAMES.iter().find(|(n, _)| *n == name).map_or(0, |(_, flag)| *flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_of_the_data_is_known() {
        for (name, word, _) in classes() {
            assert_ne!(flag_of(name), 0, "{name}: {word}");
        }
    }

    #[test]
    fn number_words_carry_their_value_and_names_their_class() {
        let entry = |word: &str| lexicon().get(&hash_of(word)).copied().unwrap_or_default();
        assert_eq!((entry("seven").value, entry("setecientos").value, entry("marzo").value), (7, 700, 3));
        assert_ne!(entry("maria").flags & class::FIRST_COMMON, 0);
        assert_ne!(entry("gonzalez").flags & class::LAST_COMMON, 0);
        assert_ne!(entry("grace").flags & class::WORD, 0);
        assert_eq!(entry("maria").flags & class::WORD, 0);
    }
}
