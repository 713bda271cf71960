//! Phrases that say what follows them: "my social is", "nací el", "permit number".

use std::sync::LazyLock;

use super::lexicon::{ByHash, class};
use super::token::{Token, tokens};

const CUES: &str = include_str!("../../data/pii/cues.txt");

macro_rules! cues {
    ($($name:ident $text:literal $bit:literal),* $(,)?) => {
        $(pub(super) const $name: u64 = 1 << $bit;)*
        const NAMES: &[(&str, u64)] = &[$(($text, $name)),*];
    };
}

cues! {
    SSN "ssn" 0, SSN_WEAK "ssn_weak" 1, CARD "card" 2, PHONE "phone" 3, BANK "bank" 4, ROUTING "routing" 5,
    IBAN "iban" 6, LICENSE "license" 7, PASSPORT "passport" 8, MEDICAL_ID "medical_id" 9, BIRTH "birth" 10,
    NEGATIVE "negative" 11, PASSWORD "password" 12, API_KEY "api_key" 13, EMAIL "email" 14, NAME "name" 15,
    NAME_MID "name_mid" 16, RELATION "relation" 17, NOT_NAME "not_name" 18, RESIDENCE "residence" 19,
    CONDITION_OF "condition_of" 20, CONDITION "condition" 21, THREAT "threat" 22, SELF_HARM "self_harm" 23,
    PROFANITY "profanity" 24, PROMISE "policy_promise" 25, ADVICE "policy_advice" 26, RESIDENCE_WEAK "residence_weak" 27,
    ACCOUNT "bank_weak" 28, LICENSE_WEAK "license_weak" 29, NUMBER "number" 30, NAME_CLEAR "name_clear" 44, KIN "kin" 45,
}

/// A reference of one word, "file" or "form": it does not outweigh what is grouped as only phone numbers are.
pub(super) const NEGATIVE_WEAK: u64 = 1 << 40;

/// Cues that say which number follows.
pub(super) const NUMERIC: u64 = SSN
    | SSN_WEAK
    | CARD
    | PHONE
    | BANK
    | ROUTING
    | IBAN
    | LICENSE
    | PASSPORT
    | MEDICAL_ID
    | BIRTH
    | NEGATIVE
    | PASSWORD
    | API_KEY
    | WEAK;

/// Words that may speak of something else, "account" or "my number": a firmer cue beside them decides.
pub(super) const WEAK: u64 = ACCOUNT | LICENSE_WEAK | NUMBER;

/// A cue in a text, as tokens `from..to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cue {
    pub(super) mask: u64,
    pub(super) from: usize,
    pub(super) to: usize,
}

#[derive(Debug)]
struct Phrase {
    words: Box<[u64]>,
    mask: u64,
}

/// Phrases by their first word, longest first.
static PHRASES: LazyLock<ByHash<Vec<Phrase>>> = LazyLock::new(|| {
    let mut map: ByHash<Vec<Phrase>> = ByHash::default();
    for (mask, words) in read() {
        let list = map.entry(words[0]).or_default();
        match list.iter_mut().find(|phrase| phrase.words == words) {
            Some(known) => known.mask |= mask,
            None => list.push(Phrase { words, mask }),
        }
    }
    map.values_mut().for_each(|list| list.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len())));
    map
});

fn read() -> impl Iterator<Item = (u64, Box<[u64]>)> {
    CUES.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).flat_map(
        |(name, phrases)| {
            let mask = NAMES.iter().find(|(n, _)| *n == name).map_or(0, |(_, mask)| *mask);
            phrases.split(" | ").map(move |phrase| (mask, words_of(phrase))).filter(|(_, w)| !w.is_empty())
        },
    )
}

fn words_of(phrase: &str) -> Box<[u64]> {
    let mut folded = Vec::new();
    super::token::hashes(phrase, &mut folded);
    folded.into_boxed_slice()
}

/// Hashes of the words that begin a phrase.
pub(super) fn first_words() -> impl Iterator<Item = u64> {
    read().map(|(_, words)| words[0])
}

/// All cues of a text, by their place. One that lies within a longer one before it does not count.
pub(super) fn find(toks: &[Token], out: &mut Vec<Cue>) {
    out.clear();
    let mut reached = 0;
    for (at, token) in toks.iter().enumerate() {
        if !token.is(class::CUE) {
            continue;
        }
        let Some(phrases) = PHRASES.get(&token.hash) else { continue };
        let found = phrases.iter().find(|phrase| matches(toks, at, &phrase.words));
        if let Some(phrase) = found {
            let to = at + phrase.words.len();
            // "number is" within "account number is" says nothing of phones.
            let other = out
                .last()
                .is_some_and(|last: &Cue| at < last.to && last.mask & NUMERIC & !(PHONE | NUMBER) != 0);
            if to > reached && !(other && phrase.mask & NUMERIC & !NUMBER == PHONE) {
                out.push(Cue { mask: phrase.mask, from: at, to });
                reached = to;
            }
        }
    }
}

fn matches(toks: &[Token], at: usize, words: &[u64]) -> bool {
    toks.len() - at >= words.len() && words.iter().zip(&toks[at..]).all(|(word, token)| token.hash == *word)
}

/// Cues of a text that asks for something, as one mask: what the answer is likely to hold.
pub(super) fn asked(text: &str) -> u64 {
    let (mut toks, mut cues) = (Vec::new(), Vec::new());
    tokens(text, &mut toks);
    find(&toks, &mut cues);
    cues.iter().fold(0, |mask, cue| mask | cue.mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_counts_and_hides_those_within_it() {
        assert_eq!(asked("library card number") & NUMERIC, NEGATIVE);
        assert_eq!(asked("my social security number is") & NUMERIC, SSN);
        assert_eq!(asked("Número de Seguro Social") & NUMERIC, SSN);
    }

    #[test]
    fn every_line_of_the_data_has_a_known_cue() {
        assert!(read().all(|(mask, _)| mask != 0));
    }
}
