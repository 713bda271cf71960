//! Figures: latency, capacity, accuracy. Each binary under `bin/` prints its own table; here is what the load
//! benches share.

pub mod added;
pub mod callers;
pub mod child;
pub mod providers;
pub mod speech_like;
pub mod step;
#[path = "../../tests/src/vendors/mod.rs"]
pub mod vendors;
