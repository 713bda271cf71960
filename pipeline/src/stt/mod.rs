//! Recognisers. `local` is the built-in one; each cloud vendor has a file of its own.

pub mod clean;
mod listener;
pub mod local;
pub mod moonshine;
pub mod stabiliser;
pub mod turn_model;
