//! Whether a caller asks what we took down, and what of it they want to hear: "what name you got me down as", "did the part about the
//! dog make it in there", "read that back to me".
//!
//! A linear classifier over the words that [`crate::moves`] looks at too. Trained by `examples/train_recall.rs` on
//! `data/recall/*.tsv`; figures in `docs/guides/understanding.md`.

use std::sync::LazyLock;

use crate::Ear;
use crate::linear::Linear;
use crate::moves::{Asked, BUCKETS, features};

const CLASSES: usize = Recall::ALL.len();
/// From so much on a question is taken for one about what was taken down.
const SURE: f32 = 0.35;

static WEIGHTS: &[u8] = include_bytes!("../data/recall/weights.bin");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// The weights of the classifier.
pub type Model = Linear<BUCKETS, CLASSES>;

/// What of the things that were taken down a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recall {
    Name,
    Phone,
    /// A place, a street, an address, a landmark.
    Place,
    /// A day, a time, an opening.
    When,
    /// The matter, the message, the reason.
    What,
    /// Everything, read again.
    All,
    /// Whether some one thing was taken down, changed or taken out.
    Whether,
    /// Nothing of the kind is asked.
    Says,
}

impl Recall {
    /// All, in the order of the weights.
    pub const ALL: [Self; 8] =
        [Self::Name, Self::Phone, Self::Place, Self::When, Self::What, Self::All, Self::Whether, Self::Says];

    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Phone => "phone",
            Self::Place => "place",
            Self::When => "when",
            Self::What => "what",
            Self::All => "all",
            Self::Whether => "whether",
            Self::Says => "says",
        }
    }
}

/// What is asked of what was taken down; `None` where nothing of it surely is. `asked`: what had been asked before.
#[must_use]
pub fn recalled(ear: Ear, asked: Asked, text: &str) -> Option<Recall> {
    likely(&MODEL.classes(&features(ear, asked.name(), text)))
}

/// Of probabilities in the order of [`Recall::ALL`]. That something of the kind is asked is one decision, what of it another.
#[must_use]
pub fn likely(classes: &[f32; CLASSES]) -> Option<Recall> {
    let says: f32 =
        Recall::ALL.iter().zip(classes).filter(|(own, _)| **own == Recall::Says).map(|(_, p)| p).sum();
    let own = Recall::ALL.into_iter().zip(classes).filter(|(own, _)| *own != Recall::Says);
    let found = own.max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(own, _)| own);
    found.filter(|_| 1.0 - says >= SURE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn what_is_asked_of_it_is_told() {
        for (language, asked, text, wanted) in [
            (Language::En, Asked::Confirm, "what name you got me down as", Some(Recall::Name)),
            (Language::En, Asked::Else, "would you read me back what you have for her", Some(Recall::All)),
            (Language::En, Asked::Confirm, "did you get the part about the dog", Some(Recall::Whether)),
            (Language::En, Asked::Slot, "what name goes on the check", None),
            (Language::En, Asked::Confirm, "no the name is Ruiz", None),
            (Language::Es, Asked::Else, "dime qué dirección tienes puesta", Some(Recall::Place)),
            (Language::Es, Asked::Confirm, "¿me leés cómo te quedó el mensaje?", Some(Recall::What)),
            (Language::Es, Asked::Else, "¿a qué hora cierran los martes?", None),
        ] {
            assert_eq!(recalled(Ear(language), asked, text), wanted, "{text}");
        }
    }

    /// Of another hand: questions about what was taken down, and what only sounds like them.
    #[test]
    fn what_another_hand_asks_is_told() {
        for (language, set, least, most) in [
            (Language::En, include_str!("../../../benches/sets/recall-en-seen.tsv"), 110, 10),
            (Language::Es, include_str!("../../../benches/sets/recall-es-seen.tsv"), 84, 5),
        ] {
            let (mut found, mut wrongly) = (0, 0);
            for line in set.lines() {
                let columns: Vec<&str> = line.split('\t').collect();
                let asked = Asked::of(columns[0]).unwrap_or(Asked::Else);
                let taken = recalled(Ear(language), asked, columns[2]).is_some();
                found += usize::from(taken && columns[1] != "says");
                wrongly += usize::from(taken && columns[1] == "says");
            }
            assert!(found >= least && wrongly <= most, "{language:?}: {found} found, {wrongly} wrongly");
        }
    }

    #[test]
    fn the_shipped_weights_fit() {
        assert_eq!(WEIGHTS.len(), 4 + BUCKETS * CLASSES);
    }
}
