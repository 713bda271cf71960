//! What a caller says who was just asked whether anybody is hurt or in danger, or was just told to call 911: that somebody is,
//! that nobody is, or neither.
//!
//! "Goodness, no, dear, Walt passed in March" calls it off, and "no, he's still not waking up" does not: which words stand for
//! which is learned from such answers (`data/danger/answers`), by the same small model as [`super::Detector`].

use std::sync::LazyLock;

use super::{DangerError, Detector, Level, Reading};

/// Thousandths from which an answer is a yes. Chosen, as those below, on answers that a training left out.
const YES: u16 = 600;
/// The same of a no: at this 8 of 414 who told of danger were taken for one, and 227 of 384 noes.
const NO: u16 = 800;
/// So sure of a no, words that are like danger in themselves ("no, the smoke is from his grill") count for none.
const OPPOSED: u16 = 500;

/// What an answer is like, in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// Somebody is hurt or in danger, or the caller cannot or will not call 911 though somebody is.
    pub yes: u16,
    /// Nobody is: it is over, or never was an emergency.
    pub no: u16,
}

impl Answer {
    /// Whether it is rather a no than anything else.
    #[must_use]
    pub const fn is_rather_no(self) -> bool {
        self.no >= OPPOSED && self.yes < self.no
    }

    /// Whether somebody is in danger. `words`: what the answer is like in itself. `None` where neither is sure.
    #[must_use]
    pub fn in_danger(self, words: Reading) -> Option<bool> {
        let alike = words.level() >= Level::Likely;
        if self.yes >= YES && self.yes > self.no || alike && self.no < OPPOSED {
            return Some(true);
        }
        (self.no >= NO && self.yes < self.no && !alike).then_some(false)
    }
}

/// The trained model.
#[derive(Debug)]
pub struct Answers(Detector);

static SHIPPED: LazyLock<Result<Answers, DangerError>> =
    LazyLock::new(|| Answers::from_bytes(include_bytes!("../../data/danger/answers.bin")));

impl Answers {
    /// The one of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, DangerError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads a weights' file, which is a detector's.
    ///
    /// # Errors
    /// When it does not fit the code.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DangerError> {
        Detector::from_bytes(bytes).map(Self)
    }

    /// What an answer is like. A bare yes or no, of one word, is nothing that this knows.
    #[must_use]
    pub fn read(&self, text: &str) -> Answer {
        let reading = self.0.read(text);
        Answer { yes: reading.now, no: reading.danger }
    }
}
