//! Synthesizers.
//!
//! Segments of reply text are written out as they are spoken ([`crate::spoken`]), and are voiced. `local` is the built-in voice; each cloud vendor has a file of its
//! own, on top of what they have in common (`cloud`). [`failover`] makes one voice of several. Phrases said on many
//! calls come from [`cache`].

mod alignment;
pub mod cache;
mod cloud;
pub mod deepgram;
pub mod elevenlabs;
pub mod failover;
pub mod hibari;
mod lineup;
pub mod local;
mod mastering;
mod progress;
pub mod pronounce;
mod spanish;
mod vocoder;
