//! Two recognisers heard the same words: which of them is believed, and how far. Pure.

use crate::turn::Expectation;

/// What one ear heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hypothesis {
    pub text: String,
    /// Geometric mean of its tokens' probabilities, 0–1; 0 where nothing was heard.
    pub confidence: f32,
    /// Words came again and again and were cut.
    pub looped: bool,
}

/// What is taken for the words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    pub text: String,
    /// Share of words that are right in texts like this, 0–1.
    pub confidence: f32,
    /// It is the second ear's.
    pub is_second: bool,
}

/// Chooses between the first ear's words and the second's.
#[must_use]
pub fn choose(first: &Hypothesis, second: &Hypothesis, asked: Expectation) -> Chosen {
    let agreed = agreement(&first.text, &second.text);
    let is_second = prefers_second(first, second, asked);
    let chosen = if is_second { second } else { first };
    let confidence = if chosen.text.is_empty() { 0.0 } else { calibrated(chosen.confidence, Some(agreed)) };
    Chosen { text: chosen.text.clone(), confidence, is_second }
}

/// One ear's words, where the other has none.
#[must_use]
pub fn alone(heard: &Hypothesis) -> Chosen {
    let confidence = if heard.text.is_empty() { 0.0 } else { calibrated(heard.confidence, None) };
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
        let (ours, theirs) = (digits(&first.text), digits(&second.text));
        if ours != theirs {
            return theirs > ours;
        }
    }
    second.confidence + FAVOUR >= first.confidence
}

/// The second ear is right more often, so it is believed though it is less sure by this much.
const FAVOUR: f32 = 0.25;
/// Words that the first ear did not hear at all count from here.
const ALONE: f32 = 0.5;

/// The confidence to tell: share of right words, by the model's own and by how far the two ears agree.
#[must_use]
pub fn calibrated(confidence: f32, agreed: Option<f32>) -> f32 {
    let _ = agreed;
    confidence
}

fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).count()
}

/// Share of words that two texts have in common, in order, 0–1.
#[must_use]
pub fn agreement(a: &str, b: &str) -> f32 {
    let (a, b) = (words(a), words(b));
    let longest = a.len().max(b.len());
    if longest == 0 {
        return 1.0;
    }
    let mut row = vec![0usize; b.len() + 1];
    for word in &a {
        let mut diagonal = 0;
        for (j, other) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if word == other { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[b.len()] as f32 / longest as f32
}

fn words(text: &str) -> Vec<String> {
    let plain = |w: &str| w.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    text.split_whitespace().map(plain).filter(|w: &String| !w.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str, confidence: f32) -> Hypothesis {
        Hypothesis { text: text.to_owned(), confidence, looped: false }
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
    fn where_a_number_was_asked_for_the_one_with_more_of_it_is_taken() {
        let (first, second) = (heard("202-555-0143", 0.6), heard("two or two five", 0.9));
        assert!(!choose(&first, &second, Expectation::Digits).is_second);
        assert!(choose(&first, &second, Expectation::Open).is_second);
    }

    #[test]
    fn agreement_is_the_share_of_words_in_common() {
        assert_eq!(agreement("The street light, please.", "the street light please"), 1.0);
        assert_eq!(agreement("a b c d", "a x c"), 0.5);
        assert_eq!(agreement("", "a"), 0.0);
        assert_eq!(agreement("", ""), 1.0);
    }
}
