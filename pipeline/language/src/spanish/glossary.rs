//! What English pages call the words of a Spanish question: a table of county business, not a translator.
//!
//! It serves search. A sentence put together from it is good enough to be compared with one by meaning, and never to be
//! said to anybody.

use std::collections::HashMap;
use std::sync::LazyLock;

use waken_snowball::{Algorithm, stem};

use crate::english::cues::ENGLISH;
use crate::english::terms::is_light;
use crate::stems::{is_stop, words};

/// Words of the longest phrase in the table.
const LONGEST: usize = 6;

/// English words for a word or phrase, the likeliest first. Empty for a word that asks for no subject.
type Senses = Vec<&'static str>;

/// One word of a text, or several that are a phrase.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gloss {
    /// As they stand in the text, after [`words`].
    pub words: Vec<String>,
    /// What they may mean. `None`: not in the table. Empty: a word that asks for no subject.
    pub senses: Option<&'static [&'static str]>,
}

struct Table {
    exact: HashMap<String, Senses>,
    /// Content words and phrases by their stems; the first that has them stands.
    by_stem: HashMap<String, Senses>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("glossary.txt")));

impl Table {
    fn read(text: &'static str) -> Self {
        let mut table = Self { exact: HashMap::new(), by_stem: HashMap::new() };
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let Some((keys, senses)) = line.split_once('=') else { continue };
            let senses: Senses = senses.split(',').map(str::trim).filter(|sense| !sense.is_empty()).collect();
            for key in keys.split(',') {
                let key = key.trim();
                if !senses.is_empty() {
                    table.by_stem.entry(stems(key)).or_insert_with(|| senses.clone());
                }
                let known = table.exact.entry(key.to_owned()).or_default();
                for sense in &senses {
                    if !known.contains(sense) {
                        known.push(sense);
                    }
                }
            }
        }
        table
    }

    fn of(&self, words: &[String]) -> Option<&[&'static str]> {
        let text = words.join(" ");
        self.exact.get(&text).or_else(|| self.by_stem.get(&stems(&text))).map(Vec::as_slice)
    }
}

fn stems(text: &str) -> String {
    text.split(' ').map(|word| stem(Algorithm::Spanish, word)).collect::<Vec<_>>().join(" ")
}

/// A Spanish text word by word, phrases of the table together.
#[must_use]
pub fn glossed(text: &str) -> Vec<Gloss> {
    let words = words(text);
    let mut out = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let longest = LONGEST.min(words.len() - at);
        let found = (1..=longest).rev().find_map(|n| Some((n, TABLE.of(&words[at..at + n])?)));
        let (taken, senses) = found.map_or((1, None), |(n, senses)| (n, Some(senses)));
        out.push(Gloss { words: words[at..at + taken].to_vec(), senses });
        at += taken;
    }
    out
}

/// The subject of a Spanish text in English words, in its order. What the table lacks stays as it is: names, numbers.
/// `None` when the table has nothing of it.
#[must_use]
pub fn in_english(text: &str) -> Option<String> {
    let glossed = glossed(text);
    let known = glossed.iter().any(|gloss| gloss.senses.is_some_and(|senses| !senses.is_empty()));
    let mut out: Vec<&str> = Vec::new();
    for gloss in &glossed {
        let own = gloss.words.iter().map(String::as_str);
        match gloss.senses {
            Some(senses) => out.extend(senses.iter().take(SAID)),
            None => out.extend(own.filter(|word| !is_stop(word))),
        }
    }
    known.then(|| out.join(" "))
}

/// Senses of one word that its English sentence holds: the second often is what the page says.
const SAID: usize = 2;

/// Whether a text is Spanish: by how it is written, or where few words leave that open, if most of them are.
/// Words that both languages have tell nothing.
#[must_use]
pub fn is_spanish(text: &str) -> bool {
    if let Some(language) = crate::language_of(text) {
        return language == crate::Language::Es;
    }
    const BOTH: [&str; 15] = [
        "a", "he", "me", "no", "son", "sea", "tan", "van", "ve", "va", "come", "once", "sale", "real", "gas",
    ];
    let (mut all, mut spanish, mut english) = (0, 0, 0);
    for word in words(text) {
        if BOTH.contains(&word.as_str()) || word.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        all += 1;
        if is_light(&word) || ENGLISH.marks.contains(&word.as_str()) {
            english += 1;
        } else {
            spanish += usize::from(TABLE.exact.contains_key(&word));
        }
    }
    spanish * 2 > all && spanish > english
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_phrases_are_told_in_english() {
        for (spanish, english) in [
            ("¿Cuánto cuesta el permiso?", "how much cost permit permits"),
            ("la licencia de manejar", "driver license"),
            ("recogen los muebles", "pickup collection furniture sofa"),
            ("me quiero casar", "marriage license"),
            ("la casa", "house home"),
            ("el puente de Maple Street", "bridge maple street"),
        ] {
            assert_eq!(in_english(spanish).as_deref(), Some(english), "{spanish}");
        }
        assert_eq!(in_english("Oakfield Riverside"), None);
    }

    #[test]
    fn inflections_are_known_by_their_stems() {
        for (one, other) in [("pinturas", "pintura"), ("reportamos", "reportar"), ("fumigando", "fumigar")] {
            assert_eq!(TABLE.of(&[one.to_owned()]), TABLE.of(&[other.to_owned()]), "{one}");
            assert!(TABLE.of(&[one.to_owned()]).is_some(), "{one}");
        }
    }

    #[test]
    fn spanish_is_told_from_english() {
        for spanish in
            ["¿cuándo recogen la basura?", "basura", "quiero una licencia para mi perro", "el bache"]
        {
            assert!(is_spanish(spanish), "{spanish}");
        }
        for english in [
            "when is trash picked up",
            "a van hit me",
            "patio permit",
            "the mayor's office",
            "my son is once late",
            "",
        ] {
            assert!(!is_spanish(english), "{english}");
        }
    }

    #[test]
    fn every_entry_can_be_found() {
        for key in TABLE.exact.keys() {
            assert!(key.split(' ').count() <= LONGEST, "{key}");
            assert_eq!(words(key).join(" "), *key, "as a question has it, without accents");
        }
        assert!(TABLE.exact.len() > 2_000);
    }
}
