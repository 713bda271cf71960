//! Words as they are compared, and a small language of phrases: `a|b` either, `stem*` any ending, `~` up to three words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that `~` may stand for.
const GAP: usize = 3;

/// A word of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word {
    /// Lower case, no accents, no apostrophes. Empty for a word that was taken out.
    pub folded: String,
    /// Bytes of the text.
    pub start: usize,
    pub end: usize,
    /// Punctuation that ends a clause follows.
    pub ends_clause: bool,
}

/// The words of a text. Linear in it.
pub(super) fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let within = c.is_alphanumeric() || is_combining_mark(c) || (open && matches!(c, '\'' | '’' | '-'));
        match (within, open) {
            (true, false) => {
                words.push(Word { folded: String::new(), start: at, end: at, ends_clause: false });
                open = true;
            }
            (false, true) => open = false,
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            if within {
                word.end = at + c.len_utf8();
            } else if matches!(c, '.' | ',' | ';' | ':' | '?' | '!') {
                word.ends_clause = true;
            }
        }
    }
    for word in &mut words {
        word.folded = fold(&text[word.start..word.end]);
    }
    words
}

fn fold(word: &str) -> String {
    let kept = word.nfd().filter(|c| !is_combining_mark(*c) && !matches!(c, '\'' | '’' | '-'));
    kept.flat_map(char::to_lowercase).collect()
}

#[derive(Clone, Debug)]
enum Part {
    /// Any of these, each with whether any ending will do.
    Either(Vec<(String, bool)>),
    Gap,
}

/// A phrase to look for.
#[derive(Clone, Debug)]
pub(super) struct Phrase(Vec<Part>);

impl Phrase {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let part = |word: &str| match word {
            "~" => Part::Gap,
            word => Part::Either(word.split('|').map(alternative).collect()),
        };
        let parts: Vec<Part> = text.split_whitespace().map(part).collect();
        let begins = matches!(parts.first(), Some(Part::Either(_)));
        if begins && matches!(parts.last(), Some(Part::Either(_))) && well_formed(&parts) {
            return Ok(Self(parts));
        }
        Err(format!("\"{text}\" is no phrase: it begins and ends with a word, in lower case without accents"))
    }

    pub(super) fn parse_all(texts: &[String]) -> Result<Vec<Self>, String> {
        texts.iter().map(|text| Self::parse(text)).collect()
    }

    /// Where a match that begins at this word ends (one past its last word).
    pub(super) fn match_at(&self, words: &[Word], from: usize) -> Option<usize> {
        match_parts(&self.0, words, from)
    }
}

fn alternative(word: &str) -> (String, bool) {
    match word.strip_suffix('*') {
        Some(stem) => (stem.to_owned(), true),
        None => (word.to_owned(), false),
    }
}

fn well_formed(parts: &[Part]) -> bool {
    let plain = |(word, _): &(String, bool)| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    parts.iter().all(|part| match part {
        Part::Either(words) => words.iter().all(plain),
        Part::Gap => true,
    })
}

/// A gap does not reach over the end of a clause.
fn match_parts(parts: &[Part], words: &[Word], at: usize) -> Option<usize> {
    let Some((part, rest)) = parts.split_first() else { return Some(at) };
    match part {
        Part::Either(any) => {
            let word = words.get(at)?;
            is_any(any, &word.folded).then(|| match_parts(rest, words, at + 1)).flatten()
        }
        Part::Gap => (0..=GAP).find_map(|skipped| {
            let skips = words.get(at..at + skipped)?;
            if skips.iter().any(|word| word.ends_clause) {
                return None;
            }
            match_parts(rest, words, at + skipped)
        }),
    }
}

fn is_any(any: &[(String, bool)], word: &str) -> bool {
    any.iter().any(|(wanted, stem)| if *stem { word.starts_with(wanted.as_str()) } else { word == wanted })
}

/// Single words of a list, with `#` for a number of four digits at most.
#[derive(Clone, Debug, Default)]
pub(super) struct WordList(Vec<(String, bool)>);

impl WordList {
    pub(super) fn new(words: &[String]) -> Self {
        Self(words.iter().map(|word| alternative(word)).collect())
    }

    /// A reference of ours counts wherever words do.
    pub(super) fn has(&self, word: &str) -> bool {
        let number = || {
            let digits = word.bytes().filter(u8::is_ascii_digit).count();
            self.0.iter().any(|(w, _)| w == "#") && (1..=4).contains(&digits) && word.len() <= 6
        };
        is_any(&self.0, word) || number() || (!self.0.is_empty() && is_reference(word))
    }
}

/// `inc4821`, as `INC-4821` is folded.
fn is_reference(word: &str) -> bool {
    let number = ["inc", "ins", "msg", "esc", "cbk", "clm"].iter().find_map(|kind| word.strip_prefix(kind));
    number.is_some_and(|number| (3..=6).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The text of neighbouring words.
pub(super) fn slice<'t>(text: &'t str, words: &[Word]) -> Option<&'t str> {
    text.get(words.first()?.start..words.last()?.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(phrase: &str, text: &str) -> Option<(usize, usize)> {
        let (phrase, words) = (Phrase::parse(phrase).unwrap_or(Phrase(Vec::new())), words(text));
        (0..words.len()).find_map(|n| Some((n, phrase.match_at(&words, n)?)))
    }

    #[test]
    fn words_are_compared_without_case_accents_and_apostrophes() {
        let folded: Vec<String> = words("I'm José-Luis, ¿sí?").into_iter().map(|w| w.folded).collect();
        assert_eq!(folded, ["im", "joseluis", "si"]);
        let ends: Vec<bool> = words("one, two three.").iter().map(|w| w.ends_clause).collect();
        assert_eq!(ends, [true, false, true]);
    }

    #[test]
    fn phrases_match_either_word_any_ending_and_over_gaps() {
        assert_eq!(found("diabet*", "mi diabetes"), Some((1, 2)));
        assert_eq!(found("my|his sugar", "about his sugar today"), Some((1, 3)));
        assert_eq!(found("prefer ~ spanish", "I prefer to speak Spanish"), Some((1, 5)));
        assert_eq!(found("prefer ~ spanish", "I prefer that we all do Spanish"), None, "too far");
        assert_eq!(found("prefer ~ spanish", "what you prefer, Spanish"), Some((2, 4)), "no word between");
        assert_eq!(found("best time ~ is", "best time, really, is"), None, "over the end of a clause");
    }

    #[test]
    fn what_is_no_phrase_is_refused() {
        for wrong in ["", "~ a", "a ~", "Español", "a||b"] {
            assert!(Phrase::parse(wrong).is_err(), "{wrong}");
        }
    }
}
