//! The same readers for Spanish, with tables of their own. Plain Spanish has no accents: recognisers and callers
//! differ on them.

pub mod answer;
pub mod borrowed;
pub mod calendar;
pub mod cues;
pub mod digits;
pub mod glossary;
pub mod name;
pub mod number;
pub mod place;
pub(crate) mod secrets;
pub mod when;
pub mod words;
