//! Audio to turns and back: the session of a call, turn taking and latency. What hears and speaks is in the crate `speech`.
//!
//! `session` is pure and owns every decision of a live call; `driver` is the one task that runs it; `ports`
//! says what it needs from outside.

pub mod audio;
pub mod cost;
pub mod driver;
pub mod event;
pub mod latency;
pub mod lexicon;
pub mod person_ear;
pub mod ports;
pub mod provider;
pub mod recording;
pub mod segment;
pub mod session;
pub mod tap;
pub mod turn;
