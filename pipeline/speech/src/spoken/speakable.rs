//! Written text as it is spoken: numbers, times, dates, money, references, addresses, abbreviations.
//!
//! Rules of one language look at a few words at a time, most special first; what no rule knows passes as it is,
//! with its digits spelled out. The result keeps, word by word, what was written, so that play-out can tell which
//! words were heard.

use super::written::{self, Place, Written};
use super::{english, spanish};
use pipeline::lexicon::Spoken;
use pipeline::ports::Language;

/// English text as words that are spoken.
#[must_use]
pub fn speakable(text: &str) -> Vec<Spoken> {
    spoken_by(&english::TONGUE, text)
}

/// Text of a language as words that are spoken in it.
#[must_use]
pub fn speakable_in(language: Language, text: &str) -> Vec<Spoken> {
    match language {
        Language::En => speakable(text),
        Language::Es => spoken_by(&spanish::TONGUE, text),
    }
}

/// The spoken words as one text.
#[must_use]
pub fn spoken_text(words: &[Spoken]) -> String {
    words.iter().map(|w| w.spoken.as_str()).filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Words a rule takes, and how they are spoken.
pub(super) type Match = Option<(usize, Vec<Spoken>)>;

/// How one language is spoken.
pub(super) struct Tongue {
    /// Most special first.
    pub rules: &'static [fn(Place<'_>) -> Match],
    /// Whether a word's point marks it as a short form.
    pub is_short: fn(&str) -> bool,
    /// A run of digits that no rule knew.
    pub digits: fn(&str) -> String,
    /// Numerals beside the ten digits, such as ½; empty where the sign is not spoken.
    pub numeral: fn(char) -> &'static str,
}

fn spoken_by(tongue: &Tongue, text: &str) -> Vec<Spoken> {
    let words = written::words(text);
    let mut out = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let here = Place { words: &words, at };
        let (count, mut spoken) = tongue
            .rules
            .iter()
            .find_map(|rule| rule(here))
            .unwrap_or_else(|| (1, vec![Spoken::said(plain(&words[at].core))]));
        for part in &mut spoken {
            spell_digits(tongue, &mut part.spoken);
        }
        let taken = &words[at..at + count];
        put_marks(tongue, taken, at + count == words.len(), &mut spoken);
        out.append(&mut spoken);
        at += count;
    }
    out.retain(|w| !w.spoken.is_empty() || !w.written.is_empty());
    out
}

/// The last part gets the mark after the words, the first their written form.
fn put_marks(tongue: &Tongue, taken: &[Written], ends: bool, spoken: &mut [Spoken]) {
    let Some(last) = taken.last() else { return };
    // A point belongs to a short form only where it was taken for one: "no." and "sun." keep theirs.
    let written_out = spoken.last().is_some_and(|end| end.spoken != last.core);
    let short =
        (written_out && (tongue.is_short)(&last.core)) || last.core.contains('.') || last.core.len() == 1;
    if let Some(end) = spoken.last_mut() {
        end.spoken.push_str(last.mark(ends, short));
    }
    if let Some(first) = spoken.first_mut() {
        first.written = taken.iter().map(|w| w.whole.as_str()).collect::<Vec<_>>().join(" ");
    }
}

/// Quotes and emphasis inside a word are not spoken.
fn plain(core: &str) -> String {
    core.chars().filter(|c| !"“”\"[]*«»".contains(*c)).collect()
}

/// Puts words in place of numerals that are left.
fn spell_digits(tongue: &Tongue, text: &mut String) {
    if !text.contains(char::is_numeric) {
        return;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let run = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if run > 0 {
            out.push(' ');
            out.push_str(&(tongue.digits)(&rest[..run]));
            out.push(' ');
            rest = &rest[run..];
            continue;
        }
        if c.is_numeric() {
            out.push(' ');
            out.push_str((tongue.numeral)(c));
            out.push(' ');
        } else {
            out.push(c);
        }
        rest = &rest[c.len_utf8()..];
    }
    *text = out.split_whitespace().collect::<Vec<_>>().join(" ");
}

#[cfg(test)]
#[path = "speakable_tests.rs"]
mod tests;
