//! What a caller makes of an offer: takes it, wants the one or the other of two, none of it, or something else.
//!
//! "Not a message, a call"; "that's what I'm calling for"; "I'd rather go there myself". A linear classifier over the
//! words that [`crate::moves`] looks at too. Trained by `examples/train_offers.rs` on `data/offers/*.tsv`; figures in
//! `docs/guides/understanding.md`.

use std::sync::LazyLock;

use crate::Ear;
use crate::linear::Linear;
use crate::moves::{BUCKETS, features};

const CLASSES: usize = Taken::ALL.len();

static WEIGHTS: &[u8] = include_bytes!("../data/offers/weights.bin");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// The weights of the classifier.
pub type Model = Linear<BUCKETS, CLASSES>;

/// What was offered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offered {
    /// "Would you like to leave a message, or have a person call you back?"
    Either,
    /// "Would you like a person to call you back about it?"
    Person,
    /// "Would you like to leave a message about it?"
    Message,
    /// "Would you like to report one now?"
    Report,
}

impl Offered {
    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Either => "either",
            Self::Person => "person",
            Self::Message => "message",
            Self::Report => "report",
        }
    }
}

/// What the caller wants by their words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// What was offered; of two, any.
    Yes,
    /// Somebody who calls or is talked to.
    Person,
    /// To leave a message.
    Message,
    /// None of it, and nothing else.
    No,
    /// To report something, or to have it taken down now.
    Report,
    /// Anything else: a question, a story, a value.
    Says,
}

impl Taken {
    /// All, in the order of the weights.
    pub const ALL: [Self; 6] = [Self::Yes, Self::Person, Self::Message, Self::No, Self::Report, Self::Says];

    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Person => "person",
            Self::Message => "message",
            Self::No => "no",
            Self::Report => "report",
            Self::Says => "says",
        }
    }
}

/// The likeliest, and its probability.
#[must_use]
pub fn taken(ear: Ear, offered: Offered, text: &str) -> (Taken, f32) {
    best(&MODEL.classes(&features(ear, offered.name(), text)))
}

/// The likeliest of probabilities in the order of [`Taken::ALL`].
#[must_use]
pub fn best(classes: &[f32; CLASSES]) -> (Taken, f32) {
    let found = Taken::ALL.into_iter().zip(*classes).max_by(|(_, a), (_, b)| a.total_cmp(b));
    found.unwrap_or((Taken::Says, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn what_is_made_of_an_offer_is_told() {
        for (language, offered, text, wanted) in [
            (Language::En, Offered::Either, "just have somebody call me", Taken::Person),
            (Language::En, Offered::Either, "a message is fine", Taken::Message),
            (Language::En, Offered::Person, "nah don't bother", Taken::No),
            (Language::En, Offered::Report, "well that's why I called, dear", Taken::Yes),
            (Language::En, Offered::Either, "no I only want to know what it costs", Taken::Says),
            (Language::Es, Offered::Person, "con un recado está bien", Taken::Message),
            (Language::Es, Offered::Either, "ningún mensaje, ¿cuánto cuesta la licencia?", Taken::Says),
        ] {
            let (found, sure) = taken(Ear(language), offered, text);
            assert_eq!(found, wanted, "{text} ({sure})");
        }
    }

    #[test]
    fn what_another_hand_makes_of_offers_is_told() {
        let offers = [Offered::Either, Offered::Person, Offered::Message, Offered::Report];
        for (language, set, least) in [
            (Language::En, include_str!("../../../benches/sets/offers-en-seen.tsv"), 236),
            (Language::Es, include_str!("../../../benches/sets/offers-es-seen.tsv"), 204),
        ] {
            let right = set.lines().filter(|line| {
                let columns: Vec<&str> = line.split('\t').collect();
                let offered = offers.into_iter().find(|offer| offer.name() == columns[0]);
                offered
                    .is_some_and(|offered| taken(Ear(language), offered, columns[2]).0.name() == columns[1])
            });
            let right = right.count();
            assert!(right >= least, "{language:?}: {right} right");
        }
    }

    #[test]
    fn the_shipped_weights_fit() {
        assert_eq!(WEIGHTS.len(), 4 + BUCKETS * CLASSES);
    }
}
