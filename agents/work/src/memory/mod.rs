//! What is worth remembering of a caller, and what never is: the rules by which the memory manager admits a fact
//! ([`Rules`]), and what a transcript gives to suggest ([`Rules::listen`]). English and Spanish, from word lists under
//! `agents/work/data/memory`. Pure.
#![deny(clippy::disallowed_methods)]

mod admit;
mod keys;
mod listen;
mod phrase;
mod topics;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use listen::{Fact, Listened, Utterance};

use keys::Keys;
use listen::Cues;
use topics::Topics;

use governance::guard::Guard;

/// The shipped lists cannot be used; the message names which.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("memory cannot start: {0}")]
pub struct RulesError(String);

/// The word lists, read once.
#[derive(Debug)]
pub struct Rules {
    keys: Keys,
    topics: Topics,
    cues: Cues,
    guard: &'static Guard,
}

static SHIPPED: LazyLock<Result<Rules, RulesError>> = LazyLock::new(|| {
    let wrong = |file: &str, error: &dyn std::fmt::Display| RulesError(format!("{file}: {error}"));
    Ok(Rules {
        keys: Keys::parse(include_str!("../../data/memory/keys.toml")).map_err(|e| wrong("keys.toml", &e))?,
        topics: Topics::parse(include_str!("../../data/memory/topics.toml"))
            .map_err(|e| wrong("topics.toml", &e))?,
        cues: Cues::parse(include_str!("../../data/memory/cues.toml")).map_err(|e| wrong("cues.toml", &e))?,
        guard: Guard::shipped().map_err(|e| wrong("guard", &e))?,
    })
});

impl Rules {
    /// The rules of this process.
    ///
    /// # Errors
    /// When the shipped lists do not fit the code; a test sees to it that they do.
    pub fn shipped() -> Result<&'static Self, RulesError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }
}
