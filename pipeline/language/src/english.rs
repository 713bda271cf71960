//! The readers of English.

pub mod answer;
pub mod asked;
pub mod calendar;
pub mod cues;
pub mod digits;
pub mod homophones;
pub mod name;
pub mod number;
pub mod place;
pub(crate) mod secrets;
pub mod terms;
pub mod when;
pub mod words;
