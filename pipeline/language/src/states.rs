//! What the sentence encoder made of each piece of a text, for readers of words in their context.
//!
//! The encoder runs elsewhere (`agents/knowledge`) and may be late: whoever reads with this reads without it, too.

use std::sync::Arc;

use crate::intents::WIDTH;
use crate::tagger::token::Token;

/// A text as the encoder saw it.
#[derive(Clone, PartialEq)]
pub struct States {
    text: String,
    /// First byte of each piece, and the one after its last; equal where it is none of the text.
    pieces: Vec<(usize, usize)>,
    /// [`WIDTH`] for each piece.
    numbers: Arc<[f32]>,
}

impl std::fmt::Debug for States {
    /// Without the words of a caller.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "States({} pieces)", self.pieces.len())
    }
}

impl States {
    /// `numbers`: [`WIDTH`] for each piece. `None` where they are not as many.
    #[must_use]
    pub fn new(text: String, pieces: Vec<(usize, usize)>, numbers: Arc<[f32]>) -> Option<Self> {
        (numbers.len() == pieces.len() * WIDTH).then_some(Self { text, pieces, numbers })
    }

    /// For each word of `text` the mean of its pieces; zeros where it has none. `None` unless the text is what was seen, or a
    /// stretch of it.
    #[must_use]
    pub fn of(&self, text: &str, words: &[Token]) -> Option<Vec<Vec<f32>>> {
        let from = self.text.find(text)?;
        Some(words.iter().map(|word| self.mean(from + word.start, from + word.end)).collect())
    }

    fn mean(&self, start: usize, end: usize) -> Vec<f32> {
        let mut sum = vec![0.0; WIDTH];
        let mut count = 0.0_f32;
        for (&(from, to), numbers) in self.pieces.iter().zip(self.numbers.chunks_exact(WIDTH)) {
            if from < to && from < end && to > start {
                sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
                count += 1.0;
            }
        }
        sum.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        sum
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tagger::model::Model;
    use crate::tagger::token::tokens;

    #[test]
    fn a_word_is_the_mean_of_its_pieces() {
        let pieces = vec![(0, 0), (0, 3), (3, 6), (7, 10), (0, 0)];
        let numbers: Vec<f32> = [9.0, 1.0, 3.0, 5.0, 9.0].iter().flat_map(|n| [*n; WIDTH]).collect();
        let states = States::new("maples out".to_owned(), pieces.clone(), numbers.into()).unwrap();
        let lexicon = Model::shipped().unwrap().lexicon();
        let read = |text: &str| {
            let words = states.of(text, &tokens(text, lexicon))?;
            Some(words.iter().map(|word| word[WIDTH - 1]).collect::<Vec<_>>())
        };
        assert_eq!(read("maples out"), Some(vec![2.0, 5.0]));
        assert_eq!(read("out"), Some(vec![5.0]), "a stretch of what was seen");
        assert_eq!(read("maple in"), None);
        assert!(States::new("maples".to_owned(), pieces, vec![0.0; 3].into()).is_none());
        assert_eq!(format!("{states:?}"), "States(5 pieces)");
    }
}
