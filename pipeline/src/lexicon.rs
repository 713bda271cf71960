//! A tenant's pronunciations: names of people, streets and places that English spelling rules get wrong.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

/// Most words in one entry.
const LONGEST: usize = 4;

/// One word (or a few that belong together) as written and as spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// As in the reply's text; empty when the word before is spoken in several parts.
    pub written: String,
    /// In plain words, without digits.
    pub spoken: String,
    /// The voice's phonemes, where spelling would mislead it; a mark at the end of `spoken` stays in force.
    pub phonemes: Option<String>,
}

impl Spoken {
    /// A word that was written as nothing, or whose writing is not known yet.
    #[must_use]
    pub fn said(spoken: impl Into<String>) -> Self {
        Self { spoken: spoken.into(), ..Self::default() }
    }
}

/// Words (or short phrases) with a respelling: plain words as they sound (`pew-AL-up`), or the voice's phonemes
/// between slashes (`/pjuˈæləp/`).
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    entries: HashMap<String, String>,
    version: String,
}

impl Lexicon {
    /// Case of the written word does not matter; a later entry for the same word wins.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = (String, String)>) -> Self {
        let entries: HashMap<String, String> =
            entries.into_iter().map(|(word, sound)| (key(&word), sound.trim().to_owned())).collect();
        let mut sorted: Vec<_> = entries.iter().collect();
        sorted.sort();
        let mut hash = Sha256::new();
        for (word, sound) in sorted {
            hash.update(format!("{word}\n{sound}\n"));
        }
        let version = hash.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Self { entries, version }
    }

    /// Changes with the entries; part of the key of rendered phrases. Empty for the default lexicon.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Puts the entries' sounds in place of their words.
    #[must_use]
    pub fn apply(&self, words: Vec<Spoken>) -> Vec<Spoken> {
        if self.entries.is_empty() {
            return words;
        }
        let mut out = Vec::with_capacity(words.len());
        let mut at = 0;
        while at < words.len() {
            let found =
                (1..=LONGEST.min(words.len() - at)).rev().find_map(|n| self.entry(&words[at..at + n]));
            let Some((count, replaced)) = found else {
                out.push(words[at].clone());
                at += 1;
                continue;
            };
            // The first of several words carries the sound; the others keep their place in the written text.
            let rest = words[at + 1..at + count].iter();
            let written = std::iter::once(&words[at]).chain(rest).map(|w| w.written.as_str());
            out.push(Spoken { written: written.collect::<Vec<_>>().join(" ").trim().to_owned(), ..replaced });
            at += count;
        }
        out
    }

    fn entry(&self, words: &[Spoken]) -> Option<(usize, Spoken)> {
        let text = words.iter().map(|w| w.spoken.as_str()).collect::<Vec<_>>().join(" ");
        let bare = text.trim_end_matches(|c: char| !c.is_alphanumeric());
        let mark = &text[bare.len()..];
        let (stem, ending) = match bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")) {
            Some(stem) => (stem, "'s"),
            None => (bare, ""),
        };
        let exact = self.entries.get(&key(bare)).map(|sound| (sound, ""));
        let (sound, ending) = exact.or_else(|| Some((self.entries.get(&key(stem))?, ending)))?;
        let spoken = match phonemes(sound) {
            Some(sound) => {
                let possessive = if ending.is_empty() { "" } else { "z" };
                let mut word = Spoken::said(format!("{bare}{mark}"));
                word.phonemes = Some(format!("{sound}{possessive}"));
                word
            }
            None => Spoken::said(format!("{sound}{ending}{mark}")),
        };
        Some((words.len(), spoken))
    }
}

fn phonemes(sound: &str) -> Option<&str> {
    sound.strip_prefix('/')?.strip_suffix('/')
}

fn key(word: &str) -> String {
    word.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(entries: &[(&str, &str)]) -> Lexicon {
        Lexicon::new(entries.iter().map(|(w, s)| ((*w).to_owned(), (*s).to_owned())))
    }

    #[test]
    fn the_version_follows_the_entries() {
        let one = lexicon(&[("a", "b"), ("c", "d")]);
        assert_eq!(one.version(), lexicon(&[("c", "d"), ("a", "b")]).version());
        assert_ne!(one.version(), lexicon(&[("a", "x"), ("c", "d")]).version());
        assert_eq!(Lexicon::default().version(), "");
    }
}
