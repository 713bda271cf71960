//! Synthesisers and what is done to text before them.
//!
//! Reply text is cut into segments ([`segment`]), written out as it is spoken ([`speakable`]) with the tenant's
//! pronunciations ([`lexicon`]), and voiced. `local` is the built-in voice; each cloud vendor has a file of its
//! own, on top of what they have in common (`cloud`). [`failover`] makes one voice of several. Phrases said on many
//! calls come from [`cache`].

mod alignment;
pub mod cache;
mod cloud;
pub mod deepgram;
pub mod elevenlabs;
mod english;
pub mod failover;
pub mod hibari;
pub mod lexicon;
mod lineup;
pub mod local;
mod mastering;
mod progress;
pub mod pronounce;
pub mod segment;
mod spanish;
pub mod speakable;
mod vocoder;
mod written;
