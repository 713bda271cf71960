//! The prompt guard: judges text from outside before a model reads it, takes out what tries to steer the model, and
//! leaves the rest as it came.
//!
//! Layers, each a file: [`normalise`] and `repair` read a text as it was meant, [`signatures`] weighs patterns of word
//! classes, [`delimiters`] finds forged structure, [`decode`] opens encodings, [`classifier`] is a small trained model,
//! [`context`] knows what was asked. `judge` adds their log odds over stretches of words and compares with the channel's
//! threshold; `neutralise` takes out and judges again until what is left is clean. Everything is a pure function of its
//! arguments and linear in the text.
#![deny(clippy::disallowed_methods)]

pub mod classifier;
pub mod context;
pub mod decode;
pub mod delimiters;
mod description;
pub mod features;
mod judge;
pub mod lexicon;
mod lookalikes;
mod neutralise;
pub mod normalise;
mod repair;
mod sanitize;
mod segment;
pub mod signatures;
mod verdict;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use context::{Asked, Context, Tongue};
pub use judge::Thresholds;
pub use normalise::MARKER;
pub use repair::Mishearings;
pub use sanitize::{SanitizeRequest, SanitizedInput, ThreatDetection};
pub use verdict::{Action, Channel, Kind, Layer, Risk, Severity, Threat, Verdict};

use classifier::Classifier;
use delimiters::Delimiters;
use lexicon::Lexicon;
use lookalikes::Lookalikes;
use normalise::Word;
use signatures::Signatures;

/// Data that a guard was made of and that it cannot use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuardError(String);

impl std::fmt::Display for GuardError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the prompt guard cannot start: {}", self.0)
    }
}

impl std::error::Error for GuardError {}

/// Judges texts. Making one reads word lists and weights (a few milliseconds); share it.
#[derive(Clone, Debug)]
pub struct Guard {
    lookalikes: Lookalikes,
    lexicon: Lexicon,
    mishearings: Mishearings,
    signatures: Signatures,
    delimiters: Delimiters,
    classifier: Classifier,
    thresholds: Thresholds,
}

static SHIPPED: LazyLock<Result<Guard, GuardError>> =
    LazyLock::new(|| Guard::new(include_bytes!("../../data/guard/weights.bin")));

impl Guard {
    /// A guard with the shipped lists and these weights.
    ///
    /// # Errors
    /// When a list or the weights cannot be read; the message names which.
    pub fn new(weights: &[u8]) -> Result<Self, GuardError> {
        let lexicon = Lexicon::shipped();
        let wrong = |e: &dyn std::fmt::Display| GuardError(e.to_string());
        Ok(Self {
            lookalikes: Lookalikes::shipped(),
            mishearings: Mishearings::shipped(),
            signatures: Signatures::parse(include_str!("../../data/guard/signatures.txt"), &lexicon)
                .map_err(|e| wrong(&e))?,
            delimiters: Delimiters::parse(include_str!("../../data/guard/delimiters.toml"))
                .map_err(|e| wrong(&e))?,
            classifier: Classifier::from_bytes(weights).map_err(|e| wrong(&e))?,
            thresholds: Thresholds::parse(include_str!("../../data/guard/thresholds.toml"))
                .map_err(|e| wrong(&e))?,
            lexicon,
        })
    }

    /// The one shipped guard of this process.
    ///
    /// # Errors
    /// When the shipped data does not fit the code; a test sees to it that it does.
    pub fn shipped() -> Result<&'static Self, GuardError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// The same guard with other thresholds, for measuring.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        self.thresholds = thresholds;
        self
    }

    /// The words of a text as they are judged. For training and for tests of the layers.
    #[must_use]
    pub fn words(&self, text: &str) -> Vec<Word> {
        self.read(text).0
    }

    /// The word lists. For training.
    #[must_use]
    pub const fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }
}
