//! Spoken words to the voice model's phonemes.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use misaki_rs::fallback::FallbackError;
use misaki_rs::{Fallback, G2P, Language, MToken};
use ort::session::Session;
use ort::value::TensorRef;
use parking_lot::Mutex;
use serde::Deserialize;

use super::spanish;
use crate::runtime;
use pipeline::lexicon::Spoken;
use pipeline::ports::{self, PortError};

/// Phonemes the model takes at once.
const MAX_PHONEMES: usize = 400;

/// Stands in the text for a word whose phonemes are given. It must be in no dictionary: words that are lose given
/// phonemes when the dictionary looks a second time (misaki-rs 0.8.0).
const GIVEN: &str = "xqzk";

/// Speed of Spanish: slow enough to be followed in an English accent.
const SPANISH_SPEED: f32 = 0.8;

/// A stretch of phonemes that the model voices in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// Model ids, 0 at both ends.
    pub ids: Vec<i64>,
    /// For each id, the spoken word it belongs to.
    pub words: Vec<Option<usize>>,
    /// 1 is the voice's own pace, less is slower.
    pub speed: f32,
}

/// Lexicon, tagger and spelling-to-sound net of English. Shared by all workers.
pub struct Pronouncer {
    g2p: G2P,
    vocabulary: HashMap<char, i64>,
}

impl fmt::Debug for Pronouncer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pronouncer({} phonemes)", self.vocabulary.len())
    }
}

impl Pronouncer {
    /// Loads dictionaries (inside the binary) and the net for unknown words; blocks for some 300 ms.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Self, PortError> {
        let unknown = UnknownWords::load(models)?;
        let vocabulary: HashMap<char, i64> = json(models, "hibari-vocab.json")?;
        Ok(Self { g2p: G2P::with_fallback(Language::EnglishUS, Some(Box::new(unknown))), vocabulary })
    }

    /// Share of a text's words that no dictionary knows, 0–1: what a recogniser made of sounds it could not place.
    /// Names are in the dictionaries as far as they are common; numbers and letters count as known.
    #[must_use]
    pub fn unknown_share(&self, text: &str) -> f32 {
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).replace('’', "'");
        let words: Vec<String> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
        let unknown = words.iter().filter(|word| !self.knows(word)).count();
        unknown as f32 / words.len().max(1) as f32
    }

    fn knows(&self, word: &str) -> bool {
        let listed = |word: &str| self.g2p.lexicon.is_known(word, "");
        // The dictionary holds stems: "logged", "potholes", "county's".
        const ENDINGS: [&str; 9] = ["'s", "s", "es", "ed", "d", "ing", "ly", "er", "n't"];
        let lower = word.to_lowercase();
        word.contains(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
            || listed(word)
            || listed(&lower)
            || ENDINGS.iter().filter_map(|ending| lower.strip_suffix(ending)).any(|stem| {
                let doubled =
                    stem.len() > 3 && stem.as_bytes()[stem.len() - 1] == stem.as_bytes()[stem.len() - 2];
                listed(stem)
                    || listed(&format!("{stem}e"))
                    || doubled && stem.is_char_boundary(stem.len() - 1) && listed(&stem[..stem.len() - 1])
            })
    }

    /// Phonemes of a text, cut where the model's limit demands it. Empty when nothing can be spoken.
    #[must_use]
    pub fn phrases(&self, words: &[Spoken]) -> Vec<Phrase> {
        let (text, owners) = joined(words);
        let Ok((_, tokens)) = self.g2p.g2p(&text) else { return Vec::new() };
        self.cut(&self.marked(&tokens, &owners), 1.0)
    }

    /// Phonemes of a text in a language. The voice was made for English: Spanish comes by rule, in its accent, with English
    /// names as they are said here.
    #[must_use]
    pub fn phrases_in(&self, language: ports::Language, words: &[Spoken]) -> Vec<Phrase> {
        match language {
            ports::Language::En => self.phrases(words),
            ports::Language::Es => self.cut(&self.spanish(words), SPANISH_SPEED),
        }
    }

    fn spanish(&self, words: &[Spoken]) -> Vec<(i64, Option<usize>)> {
        let mut out: Vec<(i64, Option<usize>)> = Vec::new();
        for ((owner, word), english) in words.iter().enumerate().zip(spanish::english(words)) {
            let sounds = match &word.phonemes {
                None if english => self.phonemes(std::slice::from_ref(word)),
                Some(given) => {
                    let bare = word.spoken.trim_end_matches(|c: char| !c.is_alphanumeric());
                    format!("{given}{}", &word.spoken[bare.len()..])
                }
                None => spanish::phonemes(&word.spoken),
            };
            if !out.is_empty()
                && let Some(&space) = self.vocabulary.get(&' ')
            {
                out.push((space, None));
            }
            out.extend(sounds.chars().filter_map(|c| Some((*self.vocabulary.get(&c)?, Some(owner)))));
        }
        out
    }

    /// The phonemes of a text as a string, for tests and for writing lexicon entries.
    #[must_use]
    pub fn phonemes(&self, words: &[Spoken]) -> String {
        self.g2p.g2p(&joined(words).0).map(|(phonemes, _)| phonemes).unwrap_or_default()
    }

    /// Ids with the word each comes from. Tokens carry the text's letters in order, which tells the word.
    fn marked(&self, tokens: &[MToken], owners: &[usize]) -> Vec<(i64, Option<usize>)> {
        let mut at = 0;
        let mut out = Vec::new();
        for token in tokens {
            let owner = owners.get(at).copied();
            at += token.text.chars().filter(|c| !c.is_whitespace()).count();
            let sounds = token.phonemes.iter().flat_map(|p| p.chars());
            out.extend(sounds.filter_map(|c| Some((*self.vocabulary.get(&c)?, owner))));
            if !token.whitespace.is_empty()
                && let Some(&space) = self.vocabulary.get(&' ')
            {
                out.push((space, None));
            }
        }
        out
    }

    fn cut(&self, mut rest: &[(i64, Option<usize>)], speed: f32) -> Vec<Phrase> {
        let mut phrases = Vec::new();
        while !rest.is_empty() {
            let length = self.cut_point(rest);
            let (head, tail) = rest.split_at(length);
            let mut phrase = Phrase { ids: vec![0], words: vec![None], speed };
            phrase.ids.extend(head.iter().map(|(id, _)| id));
            phrase.words.extend(head.iter().map(|(_, word)| word));
            phrase.ids.push(0);
            phrase.words.push(None);
            phrases.push(phrase);
            rest = tail;
        }
        phrases
    }

    /// Ids up to the last mark (or else space) that fits.
    fn cut_point(&self, ids: &[(i64, Option<usize>)]) -> usize {
        if ids.len() <= MAX_PHONEMES {
            return ids.len();
        }
        let is = |id: i64, marks: &str| marks.chars().any(|c| self.vocabulary.get(&c) == Some(&id));
        let last = |marks: &str| ids[..MAX_PHONEMES].iter().rposition(|&(id, _)| is(id, marks));
        last(",;:.!?—").or_else(|| last(" ")).map_or(MAX_PHONEMES, |i| i + 1)
    }

    /// Ids that are no sound: marks and spaces.
    #[must_use]
    pub fn is_pause(&self, id: i64) -> bool {
        id == 0 || ";:,.!?—…\"()“” ".chars().any(|c| self.vocabulary.get(&c) == Some(&id))
    }
}

/// The text for the dictionary, and for each of its visible letters the word it belongs to.
fn joined(words: &[Spoken]) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut owners = Vec::new();
    for (i, word) in words.iter().enumerate() {
        if !text.is_empty() {
            text.push(' ');
        }
        let visible = match &word.phonemes {
            // The dictionary repeats given phonemes for each piece it splits a word into, so it gets one that it
            // does not split.
            Some(phonemes) => {
                let bare = word.spoken.trim_end_matches(|c: char| !c.is_alphanumeric());
                let mark = &word.spoken[bare.len()..];
                text.push_str(&format!("[{GIVEN}](/{phonemes}/){mark}"));
                GIVEN.len() + mark.len()
            }
            None => {
                text.push_str(&word.spoken);
                word.spoken.chars().filter(|c| !c.is_whitespace()).count()
            }
        };
        owners.extend(std::iter::repeat_n(i, visible));
    }
    (text, owners)
}

fn json<T: serde::de::DeserializeOwned>(models: &Path, file: &str) -> Result<T, PortError> {
    serde_json::from_slice(&runtime::read(models, file)?)
        .map_err(|e| runtime::unusable(&models.join(file), &e))
}

/// Spelling to sound for words in no dictionary: local surnames, street names.
struct UnknownWords {
    session: Mutex<Session>,
    letters: HashMap<char, i64>,
    sounds: Vec<String>,
    longest: usize,
}

#[derive(Deserialize)]
struct Alphabet {
    #[serde(rename = "in")]
    letters: Vec<char>,
    #[serde(rename = "out")]
    sounds: Vec<String>,
    maxlen: usize,
}

impl UnknownWords {
    fn load(models: &Path) -> Result<Self, PortError> {
        let alphabet: Alphabet = json(models, "oov.json")?;
        Ok(Self {
            session: Mutex::new(runtime::open(models, "oov.onnx")?),
            letters: alphabet.letters.into_iter().zip(1..).collect(),
            sounds: alphabet.sounds,
            longest: alphabet.maxlen,
        })
    }

    fn read(&self, word: &str) -> Option<String> {
        let ids: Vec<i64> =
            word.chars().filter_map(|c| self.letters.get(&c).copied()).take(self.longest).collect();
        if ids.is_empty() {
            return None;
        }
        let input = TensorRef::from_array_view(([1, ids.len()], &ids[..])).ok()?;
        let mut session = self.session.lock();
        let name = session.outputs().first()?.name().to_owned();
        let out = session.run(ort::inputs!["chars" => input]).ok()?;
        let row = out[name.as_str()].try_extract_tensor::<i64>().ok()?.1;
        Some(self.collapse(row))
    }

    /// Each step names a sound or nothing (0); a sound that lasts counts once.
    fn collapse(&self, row: &[i64]) -> String {
        let mut before = 0;
        let mut text = String::new();
        for &id in row {
            if id != before
                && let Some(sound) = usize::try_from(id - 1).ok().and_then(|i| self.sounds.get(i))
            {
                text.push_str(sound);
            }
            before = id;
        }
        text
    }
}

impl Fallback for UnknownWords {
    fn phonemize(&self, word: &str) -> Result<String, FallbackError> {
        let pieces: Vec<String> = word
            .split(|c: char| !c.is_alphabetic() && c != '\'' && c != '’')
            .filter(|piece| !piece.is_empty())
            .filter_map(|piece| self.read(piece))
            .collect();
        // An empty reading is silence for this word; an error would silence the whole text.
        Ok(pieces.join(" "))
    }
}
