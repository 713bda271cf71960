//! Whether somebody is in danger, by what a caller says: in any words, in English and Spanish, without the word "emergency".
//!
//! A small linear model over words, their neighbors, and what they stand for, trained by `examples/train_danger` on
//! sentences in `data/danger`: emergencies as people tell them, ordinary business, and ordinary business in alarming
//! words. It runs before any agent and any language model, needs no model files, and takes tens of microseconds.
//!
//! The dialogue's own patterns come first: they know what a form of words means. This knows what a sentence is like.
#![deny(clippy::disallowed_methods)]

pub mod answer;
pub mod sense;

use std::fmt;
use std::sync::LazyLock;

use crate::guard::Guard;
use crate::guard::lexicon::Lexicon;
use crate::rules::likeness::concepts::Concepts;
use crate::rules::likeness::{damping, marks, plain_words};

/// First bytes of a weights' file; the digit is the version of the marks.
const MAGIC: &[u8; 8] = b"QDANGER1";
/// What is weighed apart.
pub const QUESTIONS: usize = 3;
/// The first bytes, and a scale and a bias for each question.
const HEADER: usize = MAGIC.len() + QUESTIONS * 8;
/// Fewer words than these say nothing by themselves.
const FEWEST: usize = 2;
/// What is said more often than this says no more: a recogniser that loops on noise is nobody in danger.
const MOST_TIMES: i32 = 3;

/// Thousandths of [`Reading::now`] from which somebody is in danger now. Like those below, chosen on sentences that a
/// training left out.
const SURE: u16 = 600;
/// The same of [`Reading::danger`]: told with so much alarm, no question is left.
const ALARMING: u16 = 900;
/// Thousandths from which what to do in an emergency is said before it is asked. Ordinary people tell of a lost job or a
/// jury letter with as much alarm as some tell of a stroke: here one is told apart from the other by the question.
const NEARLY: u16 = 350;
/// The same of [`Reading::danger`].
const NEARLY_ALARMING: u16 = 600;
/// The same where a caller was asked to tell what happened.
const CERTAIN: u16 = 850;
/// The same from which it is asked all the same: of answers in the middle of a report one in a hundred, most of which do tell of danger.
const ASIDE: u16 = 600;
/// Thousandths from which it is asked, and from which by words alone, whose meaning nothing weighed.
const LIKELY: u16 = 150;
const LIKELY_BY_WORDS: u16 = 250;
/// Thousandths from which the lifeline is named: of those in danger, only the likelihood that it is their own hand.
const OWN_HAND: u16 = 500;

/// How sure it is that somebody is in danger now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    No,
    /// It must be asked.
    Likely,
    Sure,
}

/// What a sentence is like, in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Somebody is in danger now.
    pub now: u16,
    /// Somebody is or may be.
    pub danger: u16,
    /// Somebody may take their own life.
    pub own_hand: u16,
}

impl Reading {
    #[must_use]
    pub const fn level(self) -> Level {
        if self.now >= SURE || self.danger >= ALARMING {
            Level::Sure
        } else if self.now >= NEARLY || self.danger >= LIKELY {
            Level::Likely
        } else {
            Level::No
        }
    }

    /// Whether what to do in an emergency goes before the question.
    #[must_use]
    pub fn is_nearly_sure(self) -> bool {
        self.level() == Level::Likely && (self.now >= NEARLY || self.danger >= NEARLY_ALARMING)
    }

    /// The same, where no vector was there to weigh what the words mean.
    #[must_use]
    pub fn by_words(self) -> Self {
        if self.danger < LIKELY_BY_WORDS {
            Self { danger: self.danger.min(LIKELY - 1), ..self }
        } else {
            self
        }
    }

    /// The same, as something that must be asked about first.
    #[must_use]
    pub fn unsure(self) -> Self {
        Self { now: self.now.min(NEARLY - 1), danger: self.danger.min(NEARLY_ALARMING - 1), ..self }
    }

    /// Whether it is sure of somebody who was asked to tell what happened, and may tell of the past.
    #[must_use]
    pub const fn is_certain(self) -> bool {
        self.now >= CERTAIN
    }

    /// Whether whoever was asked to tell something may tell of danger aside.
    #[must_use]
    pub const fn is_told_aside(self) -> bool {
        self.now >= ASIDE
    }

    /// Whether the 988 lifeline is named as well.
    #[must_use]
    pub const fn is_own_hand(self) -> bool {
        self.own_hand >= OWN_HAND
    }
}

/// A weights' file that is not one of ours, or a guard without its word lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DangerError(String);

impl fmt::Display for DangerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: train the detector again with `cargo run --release -p governance --example train_danger`",
            self.0
        )
    }
}

impl std::error::Error for DangerError {}

/// One weight a question: in danger now, in danger perhaps, by their own hand.
pub type Weights = [f32; QUESTIONS];

/// The marks of a sentence.
#[derive(Debug)]
pub struct Marks {
    lexicon: &'static Lexicon,
    concepts: Concepts,
}

impl Marks {
    /// # Errors
    /// When the guard's word lists cannot be read.
    pub fn shipped() -> Result<Self, DangerError> {
        let guard = Guard::shipped().map_err(|e| DangerError(e.to_string()))?;
        let concepts = Concepts::read(include_str!("../../data/danger/concepts.txt"));
        Ok(Self { lexicon: guard.lexicon(), concepts })
    }

    /// Calls `found` with each mark, and counts the words. Whether it is a question is not looked at: recognisers
    /// write no question marks, or write them by chance.
    pub fn each(&self, text: &str, found: impl FnMut(u32)) -> usize {
        marks::each(&plain_words(text), false, self.lexicon, &self.concepts, found)
    }
}

/// The trained detector.
#[derive(Debug)]
pub struct Detector {
    marks: Marks,
    /// Those of one mark stand together.
    weights: Vec<[i8; QUESTIONS]>,
    scale: Weights,
    bias: Weights,
}

static SHIPPED: LazyLock<Result<Detector, DangerError>> =
    LazyLock::new(|| Detector::from_bytes(include_bytes!("../../data/danger/weights.bin")));

impl Detector {
    /// The one detector of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, DangerError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DangerError> {
        let wrong =
            || DangerError(format!("the detector's weights ({} bytes) do not fit this version", bytes.len()));
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(wrong)?;
        let (rows, left) = rest.as_chunks::<QUESTIONS>();
        let mut floats =
            header[MAGIC.len()..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
        let mut next = || -> Weights { std::array::from_fn(|_| floats.next().unwrap_or(f32::NAN)) };
        let (scale, bias) = (next(), next());
        let finite = scale.iter().chain(&bias).all(|f| f.is_finite());
        if !header.starts_with(MAGIC) || !left.is_empty() || rows.len() != 1 << marks::BITS || !finite {
            return Err(wrong());
        }
        let weights = rows.iter().map(|row| row.map(u8::cast_signed)).collect();
        Ok(Self { marks: Marks::shipped()?, weights, scale, bias })
    }

    /// A weights' file, each weight rounded to 255 steps.
    #[must_use]
    pub fn to_bytes(weights: &[Weights], bias: Weights) -> Vec<u8> {
        let scale: Weights = std::array::from_fn(|question| {
            let mut sizes: Vec<f32> =
                weights.iter().map(|w| w[question].abs()).filter(|w| *w > 0.0).collect();
            sizes.sort_by(f32::total_cmp);
            // A few giants would cost all others their precision.
            let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 2000)).copied();
            largest.unwrap_or(1.0) / 127.0
        });
        let mut out = MAGIC.to_vec();
        out.extend(scale.iter().chain(&bias).flat_map(|f| f.to_le_bytes()));
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: f32, scale: f32| (weight / scale).round().clamp(-127.0, 127.0) as i8;
        for row in weights {
            out.extend(row.iter().zip(&scale).map(|(w, s)| small(*w, *s).cast_unsigned()));
        }
        out
    }

    /// What an utterance is like. Linear in its words, of which the first hundred or so are looked at.
    #[must_use]
    pub fn read(&self, text: &str) -> Reading {
        let mut found = Vec::new();
        let count = self.marks.each(text, |mark| found.push(mark));
        if count < FEWEST {
            return Reading::default();
        }
        found.sort_unstable();
        let mut sums = [0i32; QUESTIONS];
        for same in found.chunk_by(|a, b| a == b) {
            let times = i32::try_from(same.len()).unwrap_or(MOST_TIMES).min(MOST_TIMES);
            if let Some(row) = same.first().and_then(|mark| self.weights.get(*mark as usize)) {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += times * i32::from(*weight));
            }
        }
        let damping = damping(count);
        #[expect(clippy::cast_precision_loss, reason = "sums of some thousand bytes")]
        let odds = |q: usize| thousandths(self.bias[q] + sums[q] as f32 * self.scale[q] * damping);
        Reading { now: odds(0), danger: odds(1), own_hand: odds(2) }
    }
}

/// Log odds as a probability in thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
fn thousandths(log_odds: f32) -> u16 {
    (1000.0 / (1.0 + (-log_odds).exp())).round() as u16
}

#[cfg(test)]
mod tests;
