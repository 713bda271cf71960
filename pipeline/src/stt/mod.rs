//! Recognisers. `local` is the built-in one; each cloud vendor has a folder of its own.

pub mod clean;
pub mod deepgram;
pub mod failover;
mod listener;
pub mod local;
pub mod moonshine;
pub mod stabiliser;
pub mod turn_model;
