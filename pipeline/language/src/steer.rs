//! What a caller does to what is under way: goes on with it, gives it up, refuses it, wants something else in its place or first, wants
//! something of it otherwise.
//!
//! "Nah, leave it, my brother-in-law'll haul it off"; "could you make that Thursday"; "before all that, what does it cost". A linear
//! classifier over the words that [`crate::moves`] looks at too. Trained by `examples/train_steer.rs` on `data/steer/*.tsv`; figures
//! in `docs/guides/understanding.md`.

use std::sync::LazyLock;

use crate::Ear;
use crate::linear::Linear;
use crate::moves::{BUCKETS, features};

const CLASSES: usize = Steer::ALL.len();

static WEIGHTS: &[u8] = include_bytes!("../data/steer/weights.bin");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// The weights of the classifier.
pub type Model = Linear<BUCKETS, CLASSES>;

/// Where the talk stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// A question was answered; nothing is being filled in.
    Answered,
    /// One thing of a report, message, callback or booking was asked for.
    Slot,
    /// All of it was read back.
    Confirm,
    /// It was filed.
    Filed,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Slot, Self::Confirm, Self::Filed];

    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Slot => "slot",
            Self::Confirm => "confirm",
            Self::Filed => "filed",
        }
    }
}

/// What the caller does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steer {
    /// Goes on with it: answers, tells, asks about it.
    On,
    /// Gives it up; wants nothing taken down.
    Drop,
    /// Does not want this kind of thing, and does not say what else.
    Refuse,
    /// Wants or means something else, and says what.
    Other,
    /// Wants something else first.
    First,
    /// Wants something that was taken down otherwise.
    Change,
}

impl Steer {
    /// All, in the order of the weights.
    pub const ALL: [Self; 6] = [Self::On, Self::Drop, Self::Refuse, Self::Other, Self::First, Self::Change];

    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Drop => "drop",
            Self::Refuse => "refuse",
            Self::Other => "other",
            Self::First => "first",
            Self::Change => "change",
        }
    }
}

/// From so much on what is found is followed. Where the caller goes over to something else, no question of ours is left to put it right.
const SURE: f32 = 0.6;
const SURE_OF_OTHER: f32 = 0.7;

/// What the caller surely does; [`Steer::On`] where that is not sure.
#[must_use]
pub fn surely(ear: Ear, stage: Stage, text: &str) -> Steer {
    let (found, sure) = steered(ear, stage, text);
    let least = if found == Steer::Other { SURE_OF_OTHER } else { SURE };
    if sure >= least { found } else { Steer::On }
}

/// The likeliest, and its probability.
#[must_use]
pub fn steered(ear: Ear, stage: Stage, text: &str) -> (Steer, f32) {
    best(&MODEL.classes(&features(ear, stage.name(), text)))
}

/// The likeliest of probabilities in the order of [`Steer::ALL`].
#[must_use]
pub fn best(classes: &[f32; CLASSES]) -> (Steer, f32) {
    let found = Steer::ALL.into_iter().zip(*classes).max_by(|(_, a), (_, b)| a.total_cmp(b));
    found.unwrap_or((Steer::On, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn what_is_done_to_it_is_told() {
        for (language, stage, text, wanted) in [
            (
                Language::En,
                Stage::Slot,
                "you know what leave it, my neighbor said he'd haul it off",
                Steer::Drop,
            ),
            (Language::En, Stage::Slot, "I didn't ask for any report.", Steer::Refuse),
            (Language::En, Stage::Slot, "before I tell you all that what does it cost", Steer::First),
            (Language::En, Stage::Confirm, "could you make that Thursday", Steer::Change),
            (Language::En, Stage::Slot, "they forgot my trash again and he canceled twice", Steer::On),
            (Language::En, Stage::Confirm, "yes and tell them the dog bites", Steer::On),
            (Language::Es, Stage::Slot, "no mire déjelo así ya ni le hace", Steer::Drop),
            (Language::Es, Stage::Confirm, "mejor póngale el jueves por la tarde", Steer::Change),
            (Language::Es, Stage::Slot, "se les olvidó la basura otra vez", Steer::On),
        ] {
            let (found, sure) = steered(Ear(language), stage, text);
            assert_eq!(found, wanted, "{text} ({sure})");
        }
    }

    /// Of another hand: how many of those who steer are followed where that is sure, and how many who go on are thought to.
    #[test]
    fn what_another_hand_does_to_it_is_told() {
        for (language, set, least, most) in [
            (Language::En, include_str!("../../../benches/sets/steer-en-seen.tsv"), 296, 22),
            (Language::Es, include_str!("../../../benches/sets/steer-es-seen.tsv"), 330, 12),
        ] {
            let (mut right, mut wrongly) = (0, 0);
            for line in set.lines() {
                let columns: Vec<&str> = line.split('\t').collect();
                let Some(stage) = Stage::ALL.into_iter().find(|stage| stage.name() == columns[0]) else {
                    panic!("{line}");
                };
                let found = surely(Ear(language), stage, columns[2]);
                let on = Steer::On.name();
                right += usize::from(columns[1] != on && found.name() == columns[1]);
                wrongly += usize::from(columns[1] == on && found != Steer::On);
            }
            assert!(right >= least && wrongly <= most, "{language:?}: {right} right, {wrongly} wrongly");
        }
    }

    #[test]
    fn the_shipped_weights_fit() {
        assert_eq!(WEIGHTS.len(), 4 + BUCKETS * CLASSES);
    }
}
