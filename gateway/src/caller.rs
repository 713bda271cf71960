//! The carrier's side of a call: what `quandura call`, `console` and `replay` are made of.
//!
//! It behaves as the carrier does: buffers what we send, plays it in real time, echoes marks when they were played,
//! and sends a frame every 20 ms whether anyone speaks or not.

pub mod audio;
pub mod dial;
pub mod follow;
pub mod leg;
pub mod live;
pub mod order;
pub mod playback;
pub mod replay;
pub mod script;
pub mod socket;
pub mod voice;
