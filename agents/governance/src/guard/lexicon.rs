//! What is known of words: classes of words that instructions are made of, groups of words of like meaning, and which
//! words there are at all.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Class or group number of a word that is in no class and no group.
pub const UNKNOWN: u16 = u16::MAX;
/// Groups are numbered from here, classes from 0.
const GROUPS: u16 = 256;

/// FNV-1a: words are short and the tables are fixed, so nobody can aim at collisions for more than a bucket.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map with fixed keys.
pub type FixedMap<K, V> = HashMap<K, V, BuildHasherDefault<Fnv>>;

/// Classes, groups and vocabulary.
#[derive(Clone, Debug)]
pub struct Lexicon {
    classes: Vec<&'static str>,
    class_of: FixedMap<&'static str, u16>,
    group_of: FixedMap<&'static str, u16>,
    /// The field of each group.
    fields: Vec<u16>,
    /// A long class word with one letter left out, to the word.
    near: FixedMap<u64, &'static str>,
}

impl Lexicon {
    /// The shipped word lists.
    #[must_use]
    pub fn shipped() -> Self {
        Self::of(
            include_str!("../../data/guard/lexicon.txt"),
            include_str!("../../data/guard/words.txt"),
            include_str!("../../data/guard/palabras.txt"),
        )
    }

    fn of(classes: &'static str, words: &'static str, spanish: &'static str) -> Self {
        let mut lexicon = Self {
            classes: Vec::new(),
            class_of: FixedMap::default(),
            group_of: FixedMap::default(),
            fields: Vec::new(),
            near: FixedMap::default(),
        };
        for (number, line) in (0u16..).zip(rows(classes)) {
            let mut words = line.split_whitespace();
            lexicon.classes.extend(words.next());
            for word in words {
                lexicon.class_of.entry(word).or_insert(number);
                lexicon.learn_near(word);
            }
        }
        for (number, line) in (GROUPS..).zip(rows(words)) {
            let mut words = line.split_whitespace();
            let field = words.next().and_then(|n| n.parse().ok()).unwrap_or(UNKNOWN);
            lexicon.fields.push(field);
            for word in words {
                lexicon.group_of.entry(word).or_insert(number);
            }
        }
        for word in rows(spanish).flat_map(str::split_whitespace) {
            lexicon.group_of.entry(word).or_insert(UNKNOWN);
        }
        lexicon
    }

    /// The class of a word.
    #[must_use]
    pub fn class(&self, word: &str) -> Option<u16> {
        self.class_of.get(word).copied()
    }

    /// The name of a class.
    #[must_use]
    pub fn class_name(&self, class: u16) -> Option<&'static str> {
        self.classes.get(usize::from(class)).copied()
    }

    /// The number of a class.
    #[must_use]
    pub fn class_named(&self, name: &str) -> Option<u16> {
        self.classes.iter().position(|c| *c == name).and_then(|n| u16::try_from(n).ok())
    }

    /// The class of a word, else the group of words that mean something like it, else [`UNKNOWN`].
    #[must_use]
    pub fn label(&self, word: &str) -> u16 {
        self.class(word).unwrap_or_else(|| self.group(word))
    }

    /// The group of words of like meaning, else [`UNKNOWN`].
    #[must_use]
    pub fn group(&self, word: &str) -> u16 {
        self.group_of.get(word).copied().unwrap_or(UNKNOWN)
    }

    /// The wide field of meaning that a group lies in, else [`UNKNOWN`].
    #[must_use]
    pub fn field(&self, group: u16) -> u16 {
        group.checked_sub(GROUPS).and_then(|n| self.fields.get(usize::from(n))).copied().unwrap_or(UNKNOWN)
    }

    /// Whether it is a word that the lists know.
    #[must_use]
    pub fn knows(&self, word: &str) -> bool {
        self.group_of.contains_key(word) || self.class_of.contains_key(word)
    }

    /// A long class word that differs from this one by a letter added, left out or changed.
    #[must_use]
    pub fn near(&self, word: &str) -> Option<&'static str> {
        if !(6..=20).contains(&word.len()) || !word.is_ascii() {
            return None;
        }
        let whole = self.near.get(&hash_without(word, usize::MAX));
        whole.or_else(|| (0..word.len()).find_map(|i| self.near.get(&hash_without(word, i)))).copied()
    }

    fn learn_near(&mut self, word: &'static str) {
        if word.len() < 7 || !word.is_ascii() {
            return;
        }
        self.near.entry(hash_without(word, usize::MAX)).or_insert(word);
        for i in 0..word.len() {
            self.near.entry(hash_without(word, i)).or_insert(word);
        }
    }
}

fn rows(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'))
}

fn hash_without(word: &str, left_out: usize) -> u64 {
    let mut hash = Fnv::default();
    for (i, byte) in word.bytes().enumerate() {
        if i != left_out {
            hash.write(&[byte]);
        }
    }
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_a_class_or_a_group_of_like_words() {
        let lexicon = Lexicon::shipped();
        assert_eq!(lexicon.class("disregard"), lexicon.class("ignora"));
        assert_ne!(lexicon.class("disregard"), lexicon.class("prompt"));
        assert_eq!(lexicon.class("pothole"), None);
        assert_eq!(lexicon.class_name(0), Some("assistant"));
    }

    #[test]
    fn one_wrong_letter_in_a_long_class_word_is_seen_through() {
        let lexicon = Lexicon::shipped();
        assert_eq!(lexicon.near("instrucsions"), Some("instructions"));
        assert_eq!(lexicon.near("pasword"), Some("password"));
        assert_eq!(lexicon.near("potholes"), None);
    }
}
