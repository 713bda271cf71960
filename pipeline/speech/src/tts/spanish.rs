//! Spanish for a voice that was made for English: which of its words are English names, and the sounds of the rest.

mod borrowed;
mod phonemes;

pub(super) use borrowed::english;
pub(super) use phonemes::phonemes;
