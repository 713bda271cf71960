//! How sure it is that a page answers a question. Below the margin no page is spoken of.
//!
//! A logistic model over a few plain figures. Learned from the questions of `agents/dialogue/tests/questions` (of several hands, one of
//! which knew the pages alone and asked as callers ramble), and measured on what was kept from it: see `docs/guides/dialogue.md`.

/// From here on a page is spoken.
pub const MARGIN: f32 = 0.4;
/// From here on a page is spoken amid a task, where nobody called for it.
pub const MARGIN_BESIDE: f32 = 0.6;
/// From here on it is asked whether the page is meant: eight times in nine it is, where some page answers.
pub const ASK: f32 = 0.13;
/// A page this likely in comparison with the best is close to it.
pub const BESIDE: f32 = 0.6;
/// From here on one that is close is asked about beside the best, where neither is spoken.
pub const ASK_BESIDE: f32 = 0.12;

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
    /// Likeness in meaning to the middle of the questions that the passage's section is known to answer.
    pub centre: f32,
    /// By how much the next page's middle is less like.
    pub nearer: f32,
    /// Words of the question, on a scale that ends at 54: whoever tells a story names much that no page knows.
    pub length: f32,
    /// Asked in Spanish.
    pub spanish: bool,
}

/// Bias, then a weight for each figure in its order: where likeness in meaning to a known question counts.
pub const WEIGHTS: [f32; 12] =
    [-12.152, 1.45, 0.774, 3.879, 0.052, 1.09, 2.006, 4.187, 0.961, 3.494, 0.896, 3.008];
/// The same of a Spanish question, whose encoder is another and less sharp.
pub const SPANISH: [f32; 12] =
    [-10.465, 3.298, 1.485, 4.434, 0.0, 0.878, 0.963, 0.0, 0.845, 2.055, 2.88, 4.345];
/// The same by words alone: no vector, no question known, or a page in a language that the encoder does not know.
pub const BY_WORDS: [f32; 12] = [-8.874, 2.766, 0.0, 4.228, 0.0, 0.724, 1.962, 3.667, 0.0, 0.0, 0.0, 2.96];

impl Evidence {
    /// How sure (0–1) it is that the page answers.
    #[must_use]
    pub fn sure(self) -> f32 {
        1.0 / (1.0 + (-self.log_odds()).exp())
    }

    /// The same as log odds.
    #[must_use]
    pub fn log_odds(self) -> f32 {
        let [bias, weights @ ..] = match self.paraphrase {
            Some(_) if self.spanish => SPANISH,
            Some(_) => WEIGHTS,
            None => BY_WORDS,
        };
        bias + self.figures().iter().zip(weights).map(|(figure, weight)| figure * weight).sum::<f32>()
    }

    /// The figures in the order of the weights.
    #[must_use]
    pub fn figures(self) -> [f32; 11] {
        let paraphrase = self.paraphrase.unwrap_or_default().max(self.shared);
        [
            self.relevance,
            self.gap,
            self.covered,
            self.near,
            self.kind,
            self.unknown,
            paraphrase,
            self.ahead,
            self.centre,
            self.nearer,
            self.length,
        ]
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
        assert!(Evidence::default().sure() < MARGIN);
    }
}
