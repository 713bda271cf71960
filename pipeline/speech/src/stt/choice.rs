//! Two recognisers heard the same words: which of them is believed, and how far. Pure.

use language::{Ear, Language};

use pipeline::turn::Expectation;

/// What one ear heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    pub text: String,
    /// Geometric mean of its tokens' probabilities, 0–1; 0 where nothing was heard.
    pub confidence: f32,
    /// Words came again and again and were cut.
    pub looped: bool,
    /// Share of the words that no dictionary knows, 0–1.
    pub unknown: f32,
}

/// What is taken for the words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    pub text: String,
    /// The ear's own, 0–1. It is near the share of words that are right in texts like this.
    pub confidence: f32,
    /// It is the second ear's.
    pub is_second: bool,
}

/// Chooses between the first ear's words and the second's.
#[must_use]
pub fn choose(first: &Hypothesis, second: &Hypothesis, asked: Expectation) -> Chosen {
    let is_second = prefers_second(first, second, asked);
    let chosen = if is_second { second } else { first };
    Chosen { is_second, ..alone(chosen) }
}

/// Whether Spanish that the second ear made out is believed beside the English that the first took it for. Noise and
/// televisions sound like another language; real Spanish gives the first ear words of no dictionary.
#[must_use]
pub fn believes_spanish(first: &Hypothesis, spanish: &Hypothesis) -> bool {
    if first.text.is_empty() {
        return spanish.confidence >= ALONE;
    }
    spanish.confidence + FAVOUR + UNKNOWN * first.unknown >= first.confidence
}

/// One ear's words, where the other has none.
#[must_use]
pub fn alone(heard: &Hypothesis) -> Chosen {
    let confidence = if heard.text.is_empty() { 0.0 } else { heard.confidence };
    Chosen { text: heard.text.clone(), confidence, is_second: false }
}

fn prefers_second(first: &Hypothesis, second: &Hypothesis, asked: Expectation) -> bool {
    if second.text.is_empty() || second.looped {
        return first.text.is_empty() && !second.text.is_empty();
    }
    if first.text.is_empty() {
        return second.confidence >= ALONE;
    }
    if matches!(asked, Expectation::Digits | Expectation::Secret) {
        // "Two oh five" is as much of a number as "205".
        let spoken = |heard: &Hypothesis| Ear(Language::En).count_digits(&heard.text);
        let (ours, theirs) = (spoken(first), spoken(second));
        if ours != theirs {
            return theirs > ours;
        }
    }
    // A name may be in no dictionary.
    let unknown = if asked == Expectation::Name { 0.0 } else { first.unknown - second.unknown };
    let (ours, theirs) = (count(&first.text), count(&second.text));
    let longer = (theirs - ours).max(0.0) / ours.max(1.0);
    second.confidence + FAVOUR + UNKNOWN * unknown - LONGER * longer >= first.confidence
}

/// The second ear is surer than it says: it is believed though it says less by this much.
const FAVOUR: f32 = 0.1;
/// Words that no dictionary knows were made up of sounds: what an ear loses for them, by share.
const UNKNOWN: f32 = 0.5;
/// The second ear makes words up where it is unsure: what it loses for those it has more, by share of the first's.
const LONGER: f32 = 0.4;
/// Words that the first ear did not hear at all count from here.
const ALONE: f32 = 0.5;

/// Words, each digit being one.
fn count(text: &str) -> f32 {
    (text.split_whitespace().count() + digits(text)) as f32
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str, confidence: f32) -> Hypothesis {
        Hypothesis { text: text.to_owned(), confidence, looped: false, unknown: 0.0 }
    }

    #[test]
    fn words_of_no_dictionary_and_words_too_many_lose() {
        let first = heard("Agent logged off.", 0.75);
        let second = Hypothesis { unknown: 0.5, ..heard("Agent Logdoff.", 0.8) };
        assert!(!choose(&first, &second, Expectation::Open).is_second);
        assert!(choose(&first, &second, Expectation::Name).is_second);
        let first = Hypothesis { unknown: 0.25, ..heard("there is a deadder", 0.75) };
        assert!(choose(&first, &heard("there is a deer", 0.6), Expectation::Open).is_second);
        let long = heard("a light is out and it has been so all of the week", 0.7);
        assert!(!choose(&heard("a light is out", 0.65), &long, Expectation::Open).is_second);
    }

    #[test]
    fn the_second_ear_is_believed_unless_it_is_much_less_sure() {
        let first = heard("my name is pelled", 0.7);
        assert!(choose(&first, &heard("My name is spelled.", 0.65), Expectation::Open).is_second);
        assert!(!choose(&first, &heard("Mind a spell.", 0.2), Expectation::Open).is_second);
    }

    #[test]
    fn words_that_go_round_and_silence_lose() {
        let first = heard("my name", 0.5);
        let looped = Hypothesis { looped: true, ..heard("my name is", 0.9) };
        assert!(!choose(&first, &looped, Expectation::Open).is_second);
        assert!(!choose(&first, &heard("", 0.0), Expectation::Open).is_second);
        assert!(choose(&heard("", 0.0), &heard("Yes.", 0.8), Expectation::Open).is_second);
        assert!(!choose(&heard("", 0.0), &heard("Thanks.", 0.3), Expectation::Open).is_second);
    }

    #[test]
    fn spanish_is_believed_where_the_english_is_no_surer() {
        let spanish = heard("Quiero reportar un bache.", 0.6);
        let babble = Hypothesis { unknown: 0.4, ..heard("kay ro reporter um batche", 0.6) };
        assert!(believes_spanish(&babble, &spanish));
        assert!(!believes_spanish(&heard("I hit a hole on Linden Street.", 0.8), &heard("Ahí no.", 0.35)));
        assert!(believes_spanish(&heard("", 0.0), &spanish));
        assert!(!believes_spanish(&heard("", 0.0), &heard("Ah.", 0.3)));
    }

    #[test]
    fn where_a_number_was_asked_for_the_one_with_more_of_it_is_taken() {
        let (first, second) = (heard("202-555-0143", 0.6), heard("two or two five", 0.9));
        assert!(!choose(&first, &second, Expectation::Digits).is_second);
        assert!(choose(&first, &second, Expectation::Open).is_second);
        let (first, second) = (heard("Two, oh, five, three, three.", 0.9), heard("2053", 0.5));
        assert!(!choose(&first, &second, Expectation::Digits).is_second);
    }
}
