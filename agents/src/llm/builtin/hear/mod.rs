//! Making sense of what a telephone recogniser wrote: numbers, dates, places, names, yes and no.
//!
//! Every reader takes plain text and gives a value or nothing; none guesses at a clock or a caller. The
//! recogniser writes digits, punctuation and capitals, but not always, so each reader takes both forms. [`Ear`]
//! picks the readers of one language; those of Spanish have a folder of their own.

pub mod answer;
pub mod cues;
pub mod digits;
mod ear;
pub mod name;
pub mod number;
pub mod place;
pub mod spanish;
pub mod when;
pub mod words;

pub use ear::{Ear, language_of};
