//! Synthesisers and what is done to text before them.
//!
//! Reply text is cut into segments ([`segment`]), written out as it is spoken ([`speakable`]) with the tenant's
//! pronunciations ([`lexicon`]), and voiced. `local` is the built-in voice; each cloud vendor has a file of its
//! own. Phrases said on many calls come from [`cache`].

pub mod cache;
pub mod hibari;
pub mod lexicon;
pub mod local;
mod mastering;
mod numbers;
pub mod pronounce;
pub mod segment;
pub mod speakable;
mod vocoder;
mod written;
