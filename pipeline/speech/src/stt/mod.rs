//! Recognisers. `local` is the built-in one; each cloud vendor has a folder of its own.

mod beam;
pub mod choice;
pub mod clean;
pub mod deepgram;
mod ears;
pub mod failover;
mod listener;
pub mod local;
mod log_mel;
pub mod moonshine;
mod pairing;
pub mod stabiliser;
pub mod tongue;
pub mod turn_model;
pub mod whisper;
