//! How sure it is that a page answers a question. Below the margin no page is spoken of.
//!
//! A logistic model over a few plain figures. Learned from the questions of `agents/dialogue/tests/questions/english.tsv` (of one
//! hand, half of them without an answer), and measured on sets of other hands: see `docs/guides/dialogue.md`.

/// From here on a page is spoken.
pub const MARGIN: f32 = 0.4;
/// From here on it is asked whether the page is meant.
pub const ASK: f32 = 0.3;

/// What speaks for a page and against it, each 0–1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Evidence {
    /// Of the search.
    pub relevance: f32,
    /// By how much the next page is less relevant.
    pub gap: f32,
    /// Share of the question's content words that the page knows.
    pub covered: f32,
    /// Share that the passage itself, its title or its everyday names hold.
    pub near: f32,
    /// Share of the kinds of fact asked for that the passage gives; a half where a question asks for none.
    pub kind: f32,
    /// Content words that the page does not know, of four at most.
    pub unknown: f32,
    /// Likeness in meaning to a question that the passage is known to answer, where there is a vector to tell by.
    pub paraphrase: Option<f32>,
    /// The same by words.
    pub shared: f32,
    /// By how much the next page is less like a question that it is known to answer.
    pub ahead: f32,
    /// Asked in Spanish.
    pub spanish: bool,
}

/// Bias, then a weight for each figure in its order: where likeness in meaning to a known question counts.
pub const WEIGHTS: [f32; 9] = [-8.695, 2.218, 0.0, 3.415, 0.972, 1.588, -1.525, 3.446, 1.931];
/// The same of a Spanish question, whose encoder is another and less sharp. Learned from the first half of
/// `tests/questions/spanish.tsv`, of another hand; the bias is set so that [`MARGIN`] serves here too.
pub const SPANISH: [f32; 9] = [-7.01, 2.647, 1.617, 4.747, 0.0, 0.0, 1.282, 2.127, 1.997];
/// The same by words alone: no vector, no question known, or a page in a language that the encoder does not know. What was
/// learned before there were questions; the last two are set by hand, for want of a set.
pub const BY_WORDS: [f32; 9] = [-7.606, 4.022, 1.329, 1.87, 1.824, 2.102, -0.594, 4.0, 0.0];

impl Evidence {
    /// How sure (0–1) it is that the page answers.
    #[must_use]
    pub fn sure(self) -> f32 {
        let [bias, weights @ ..] = match self.paraphrase {
            Some(_) if self.spanish => SPANISH,
            Some(_) => WEIGHTS,
            None => BY_WORDS,
        };
        let sum: f32 = self.figures().iter().zip(weights).map(|(figure, weight)| figure * weight).sum();
        1.0 / (1.0 + (-(bias + sum)).exp())
    }

    /// The figures in the order of the weights.
    #[must_use]
    pub fn figures(self) -> [f32; 8] {
        let paraphrase = self.paraphrase.unwrap_or_default().max(self.shared);
        [self.relevance, self.gap, self.covered, self.near, self.kind, self.unknown, paraphrase, self.ahead]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_of_what_speaks_for_a_page_makes_surer() {
        let plain = Evidence { relevance: 0.6, covered: 0.5, near: 0.5, kind: 0.5, ..Evidence::default() };
        assert!(Evidence { relevance: 0.9, ..plain }.sure() > plain.sure());
        assert!(Evidence { covered: 1.0, near: 1.0, ..plain }.sure() > plain.sure());
        assert!(Evidence { unknown: 0.75, ..plain }.sure() < plain.sure());
        assert!(Evidence::default().sure() < MARGIN);
    }
}
