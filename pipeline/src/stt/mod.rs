//! Recognisers. `local` is the built-in one; each cloud vendor has a file of its own.

pub mod clean;
#[path = "cloud/mod.rs"]
pub mod deepgram;
#[path = "chain/mod.rs"]
pub mod failover;
mod listener;
pub mod local;
pub mod moonshine;
pub mod stabiliser;
pub mod turn_model;
