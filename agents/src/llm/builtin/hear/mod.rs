//! Making sense of what a telephone recogniser wrote: numbers, dates, places, names, yes and no.
//!
//! Every reader takes plain text and gives a value or nothing; none guesses at a clock or a caller. The
//! recogniser writes digits, punctuation and capitals, but not always, so each reader takes both forms.

pub mod answer;
pub mod digits;
pub mod name;
pub mod number;
pub mod place;
pub mod when;
pub mod words;
