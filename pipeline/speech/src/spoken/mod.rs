//! Text as a voice speaks it: numbers, times and signs written out, by language, each word with what was written.

mod english;
mod spanish;
pub mod speakable;
mod written;
