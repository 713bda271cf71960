//! What words stand for, in both languages: "sue", "lawsuit" and "demandar" are one thing. What is learned of one holds for
//! the others.

use crate::guard::lexicon::FixedMap;

/// Shorter words are only known whole.
const SHORTEST_STEM: usize = 4;
const LONGEST_WORD: usize = 24;

/// The list of concepts.
#[derive(Clone, Debug, Default)]
pub struct Concepts {
    names: Vec<String>,
    /// Whole words.
    words: FixedMap<String, u16>,
    /// Beginnings of words, written with a star.
    stems: FixedMap<String, u16>,
}

impl Concepts {
    /// The shipped list.
    #[must_use]
    pub fn shipped() -> Self {
        Self::read(include_str!("../../../data/rules/concepts.txt"))
    }

    /// One concept a line: its name, then its words in plain form; `waiv*` is any word that begins so. A word belongs to
    /// the first concept that names it, and a whole word counts before a beginning.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut concepts = Self::default();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for (number, line) in (0u16..).zip(lines) {
            let mut words = line.split_whitespace();
            concepts.names.push(words.next().unwrap_or_default().to_owned());
            for word in words {
                let (map, word) = match word.strip_suffix('*') {
                    Some(stem) => (&mut concepts.stems, stem),
                    None => (&mut concepts.words, word),
                };
                map.entry(word.to_owned()).or_insert(number);
            }
        }
        concepts
    }

    /// What a plain word stands for: of several beginnings the longest counts.
    #[must_use]
    pub fn of(&self, word: &str) -> Option<u16> {
        if let Some(whole) = self.words.get(word) {
            return Some(*whole);
        }
        let longest = word.len().min(LONGEST_WORD);
        (SHORTEST_STEM..=longest).rev().find_map(|end| self.stems.get(word.get(..end)?)).copied()
    }

    #[must_use]
    pub fn name(&self, concept: u16) -> Option<&str> {
        self.names.get(usize::from(concept)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_both_languages_stand_for_one_thing() {
        let concepts = Concepts::shipped();
        let name = |word| concepts.of(word).and_then(|c| concepts.name(c));
        assert_eq!(name("lawsuit"), name("demandarlos"));
        assert_eq!(name("ibuprofen"), name("pastillas"));
        assert_ne!(name("judge"), name("doctor"));
        assert_eq!(name("pavilion"), None);
    }

    #[test]
    fn every_beginning_is_long_enough_to_be_found() {
        for stem in Concepts::shipped().stems.keys() {
            assert!((SHORTEST_STEM..=LONGEST_WORD).contains(&stem.len()), "{stem}");
        }
    }
}
