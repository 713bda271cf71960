//! Recognisers. `local` is the built-in one; each cloud vendor has a file of its own.

pub mod clean;
mod listener;
#[path = "cloud/mod.rs"]
pub mod deepgram;
pub mod failover;
pub mod local;
pub mod moonshine;
pub mod stabiliser;
pub mod turn_model;
