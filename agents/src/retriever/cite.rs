//! From a passage to what is worth reading out on the phone.

use std::collections::HashSet;

use super::chunk::sentences;
use language::english::terms::terms;

/// Longest answer read out before the caller gets a say.
const MAX_SPOKEN_WORDS: usize = 55;

/// The one to `limit` sentences of a passage that answer the question best, in reading order.
///
/// A short passage is given whole. Otherwise sentences that share words with the question come first, and
/// among equals the earlier ones: county pages lead with what matters.
#[must_use]
pub fn best_sentences(text: &str, question: &str, limit: usize) -> String {
    let all = sentences(text);
    let asked: HashSet<String> = terms(question).into_iter().collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&n| (std::cmp::Reverse(shared(&all[n], &asked)), n));
    let mut chosen = Vec::new();
    let mut words = 0;
    for n in order.into_iter().take(limit) {
        let length = all[n].split_whitespace().count();
        if !chosen.is_empty() && words + length > MAX_SPOKEN_WORDS {
            break;
        }
        chosen.push(n);
        words += length;
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|n| all[n].as_str()).collect::<Vec<_>>().join(" ")
}

fn shared(sentence: &str, asked: &HashSet<String>) -> usize {
    let own: HashSet<String> = terms(sentence).into_iter().collect();
    own.intersection(asked).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The office is on Main Street. It opens at 8 a.m. Permits cost $45. Parking is free behind the building.";

    #[test]
    fn sentences_about_the_question_win_and_keep_their_order() {
        assert_eq!(
            best_sentences(TEXT, "what does parking cost", 2),
            "Permits cost $45. Parking is free behind the building."
        );
    }

    #[test]
    fn without_shared_words_the_beginning_is_read() {
        assert_eq!(best_sentences(TEXT, "xyz", 1), "The office is on Main Street.");
    }
}
