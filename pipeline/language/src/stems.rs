//! From text to terms: words as they are written or as a recogniser writes them end up as the same term.
//!
//! Lower case without accents, numbers as digits ("twenty five" and "25"), Snowball stems. A term is a hash of its stem:
//! postings need no dictionary, and two of a hundred thousand stems that meet in one number cost a wrong hint, no more.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use waken_snowball::Algorithm;

use crate::numbers;

/// A stem, hashed.
pub type Term = u32;

/// Longest word that is looked at; what is longer is no word that anyone asks for.
const MAX_WORD: usize = 40;

/// Language of a text, as far as stems go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tongue {
    En,
    Es,
}

impl Tongue {
    /// From a BCP 47 tag; English without one.
    #[must_use]
    pub fn of(tag: Option<&str>) -> Self {
        match tag {
            Some(tag) if tag.to_lowercase().starts_with("es") => Self::Es,
            _ => Self::En,
        }
    }

    fn stem(self, word: &str) -> String {
        let algorithm = match self {
            Self::En => Algorithm::English,
            Self::Es => Algorithm::Spanish,
        };
        waken_snowball::stem(algorithm, word).into_owned()
    }
}

/// Words that carry no subject, as they are after [`words`].
const STOP_WORDS: &str = "a about am an and any anyone are as at be been but by can can't could couldn't did didn't do \
    does doesn't doing don't find for from get getting give go going gonna got had has hasn't have haven't he her hers \
    him his how i i'd i'll i'm i've if in into is isn't it it'd it'll its just know let like me mine my need of on one or our \
    out please she should so some somebody someone something tell than thank thanks that that's the their them then \
    there there's these they they're thing things this those to up us uh um er erm want wanted was we we'd we'll we're we've \
    were what what's when where which who who's whom whose why will with won't would wouldn't yeah yes you you'd you'll \
    you're your yours ok okay also too de la el los las un una unos unas y o que en del al con por para se su sus es son \
    mi mis lo le les me te como cuando donde cual quien esta este esto hay ser";

/// Whether a word carries no subject.
#[must_use]
pub fn is_stop(word: &str) -> bool {
    use std::collections::HashSet;
    use std::sync::LazyLock;
    static STOPS: LazyLock<HashSet<&'static str>> =
        LazyLock::new(|| STOP_WORDS.split_ascii_whitespace().collect());
    STOPS.contains(word)
}

/// Words of a text in order: lower case, no accents, numbers as digits, stop words included.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    numbers::as_digits(split(text))
}

fn split(text: &str) -> Vec<String> {
    let folded: Vec<char> = text
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .flat_map(char::to_lowercase)
        .map(|c| if matches!(c, '’' | 'ʼ') { '\'' } else { c })
        .collect();
    let mut out = Vec::new();
    let mut word = String::new();
    for (n, &c) in folded.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| folded.get(n)).copied().unwrap_or(' ');
        let after = folded.get(n + 1).copied().unwrap_or(' ');
        match c {
            c if c.is_alphanumeric() => word.push(c),
            // An apostrophe within a word, a point within a number; thousands lose their comma.
            '\'' if before.is_alphabetic() && after.is_alphabetic() => word.push(c),
            '.' if before.is_ascii_digit() && after.is_ascii_digit() => word.push(c),
            ',' if before.is_ascii_digit() && after.is_ascii_digit() => {}
            // "p.m." and "u.s." are one word each; so is the "k" of "401(k)".
            '.' if is_initial(&word) && after.is_alphabetic() => word.push(c),
            '(' if before.is_ascii_digit() && after.is_alphabetic() && folded.get(n + 2) == Some(&')') => {}
            '%' => {
                close(&mut word, &mut out);
                out.push("percent".to_owned());
            }
            _ => close(&mut word, &mut out),
        }
    }
    close(&mut word, &mut out);
    out
}

/// One letter, or letters with points between them.
fn is_initial(word: &str) -> bool {
    word.split('.').all(|part| part.len() == 1 && part.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn close(word: &mut String, out: &mut Vec<String>) {
    let done = std::mem::take(word);
    let done = if is_initial(&done) && done.contains('.') { done.replace('.', "") + "." } else { done };
    let done = done.trim_end_matches("'s");
    if !done.is_empty() && done.len() <= MAX_WORD {
        // "u.s." must not read as the word "us".
        out.push(if done == "us." { "usa".to_owned() } else { done.trim_end_matches('.').to_owned() });
    }
}

/// Terms of a text in order, stop words left out.
#[must_use]
pub fn terms(text: &str, tongue: Tongue) -> Vec<Term> {
    words(text).iter().filter(|word| !is_stop(word)).map(|word| term(word, tongue)).collect()
}

/// The term of one word.
#[must_use]
pub fn term(word: &str, tongue: Tongue) -> Term {
    if word.starts_with(|c: char| c.is_ascii_digit()) { hash(word) } else { hash(&tongue.stem(word)) }
}

/// FNV-1a, folded to 32 bits.
#[must_use]
pub fn hash(text: &str) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ (hash >> 32)) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn inflections_share_a_term() {
        for (a, b) in
            [("permits", "permit"), ("Burning", "burn"), ("libraries", "library"), ("voting", "voted")]
        {
            assert_eq!(terms(a, Tongue::En), terms(b, Tongue::En), "{a} {b}");
        }
        assert_eq!(terms("impuestos", Tongue::Es), terms("impuesto", Tongue::Es));
        assert_ne!(terms("bus", Tongue::En), terms("business", Tongue::En));
    }

    #[test]
    fn what_is_written_and_what_is_said_are_the_same() {
        for (written, said) in [
            ("$25 fee", "twenty five dollar fee"),
            ("1,200 tons", "twelve hundred tons"),
            ("401(k) plan", "four oh one k plan"),
            ("in 1999", "in nineteen ninety nine"),
            ("5 p.m.", "five pm"),
            ("3% rate", "three percent rate"),
            ("the mayor's office", "the mayor office"),
            ("café hours", "cafe hours"),
        ] {
            let said: Vec<String> =
                words(said).into_iter().filter(|w| w != "dollar" || written.contains("dollar")).collect();
            assert_eq!(words(written), said, "{written}");
        }
        assert_eq!(words("U.S. tax"), ["usa", "tax"]);
        assert_eq!(words("costs $3.50."), ["costs", "3.50"]);
    }

    proptest! {
        #[test]
        fn any_text_has_words(text in ".{0,200}") {
            for word in words(&text) {
                prop_assert!(!word.is_empty() && word.len() <= 4 * MAX_WORD);
            }
        }
    }
}
