//! What each part of an utterance is that answers no question of ours: what is told, what is asked, what is wanted, what stands
//! behind it; the rest is talk.
//!
//! "Yeah you people skipped my trash again, what am I paying for" tells, and asks nothing; "the property tax thing, when's that due
//! and what happens if I'm a week late" asks twice. People say all this in one breath, mostly without a sign between. A random
//! field over the words, with the features of [`crate::reply`], cuts it, English and Spanish alike. `examples/train_opening` makes
//! the weights; `data/opening/README.md` says from what.

use std::sync::LazyLock;

use crate::Language;
use crate::field::Field;
use crate::reply::features::{self, Context};
use crate::stretch::{Stretch, stretches};
use crate::tagger::model::Model as Tagger;
use crate::tagger::token::tokens;

/// Labels: none; first and further words of each [`Kind`].
pub const LABELS: usize = 1 + 2 * Kind::ALL.len();
/// Parts that are less sure are left out.
const LEAST: f32 = 0.5;

/// What a part is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Something is wrong or happened that may be taken down.
    Tell,
    /// A question, with the words that name its subject. One that only emphasizes is talk.
    Ask,
    /// Something is to be done: a call back, an appointment moved, a claim looked up.
    Want,
    /// Why it is asked or wanted.
    Back,
}

impl Kind {
    /// In the order of the labels.
    pub const ALL: [Self; 4] = [Self::Tell, Self::Ask, Self::Want, Self::Back];
}

/// A stretch of an utterance.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    pub kind: Kind,
    /// First byte; a character begins here.
    pub from: usize,
    /// The byte after the last one.
    pub to: usize,
    /// How likely its words are of this kind, 0 to 1, on the average.
    pub sure: f32,
}

impl Part {
    /// Its words in the utterance.
    #[must_use]
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.from..self.to).unwrap_or_default()
    }
}

static SHIPPED: LazyLock<Field<LABELS>> = LazyLock::new(|| {
    from_bytes(include_bytes!("../../data/opening/weights.bin"))
        .expect("`the_shipped_weights_fit` reads them")
});

/// Weights as [`to_bytes`] wrote them; `None` where they do not fit the code, which a test rules out for what ships.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Field<LABELS>> {
    let (scale, steps, weights) = Field::head(bytes)?;
    let weights = weights.iter().map(|byte| byte.cast_signed()).collect();
    Field::new(weights, scale, steps).filter(|field| field.rows() == features::ROWS)
}

/// A weights' file.
#[must_use]
pub fn to_bytes(field: &Field<LABELS>) -> Vec<u8> {
    let mut out = Vec::new();
    field.write_head(&mut out);
    field.write_weights(&mut out);
    out
}

/// The parts of an utterance, in order; they do not overlap.
#[must_use]
pub fn parts(text: &str, language: Language) -> Vec<Part> {
    let mut found = parts_by(&SHIPPED, text, language);
    found.retain(|part| part.sure >= LEAST);
    found
}

/// [`parts`] by a given field, the doubtful ones too.
#[must_use]
pub fn parts_by(field: &Field<LABELS>, text: &str, language: Language) -> Vec<Part> {
    let Ok(tagger) = Tagger::shipped() else { return Vec::new() };
    let tokens = tokens(text, tagger.lexicon());
    let context = Context::new(tagger, &tokens, None, language);
    let found = stretches(&tokens, &features::scores(field, &tokens, &context), field.steps());
    let part = |found: Stretch| {
        Some(Part { kind: *Kind::ALL.get(found.kind)?, from: found.from, to: found.to, sure: found.sure })
    };
    found.into_iter().filter_map(part).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// Parts of an utterance as "KIND words".
    fn read(language: Language, text: &str) -> Vec<String> {
        parts(text, language).iter().map(|part| format!("{:?} {}", part.kind, part.of(text))).collect()
    }

    #[test]
    fn the_shipped_weights_fit() {
        let bytes = include_bytes!("../../data/opening/weights.bin");
        assert_eq!(to_bytes(&from_bytes(bytes).unwrap()), bytes);
    }

    #[test]
    fn an_outburst_asks_nothing() {
        assert_eq!(
            read(Language::En, "you people skipped my trash again what am i paying for"),
            ["Tell skipped my trash again"]
        );
    }

    #[test]
    fn two_questions_are_two_parts() {
        assert_eq!(
            read(Language::En, "when is my property tax due and how much is a dog license"),
            ["Ask when is my property tax due", "Ask how much is a dog license"]
        );
    }

    proptest! {
        #[test]
        fn parts_lie_on_characters_in_order_and_apart(text in any::<String>()) {
            let mut end = 0;
            for part in parts(&text, Language::Es) {
                prop_assert!(part.from >= end && part.to > part.from && text.get(part.from..part.to).is_some());
                end = part.to;
            }
        }
    }
}
