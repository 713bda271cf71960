//! Figures: latency, capacity, accuracy. Each binary under `bin/` prints its own table; here is what the load
//! benches share.

pub mod added;
pub mod as_heard;
pub mod callers;
pub mod child;
pub mod clips;
pub mod cloud_ear;
pub mod console_ear;
pub mod dialogs;
#[path = "../../tests/src/doubles.rs"]
pub mod doubles;
pub mod embedded_ear;
pub mod encoder_watch;
pub mod endpoint_score;
pub mod front_desk;
#[cfg(test)]
#[path = "../../tests/src/gateway.rs"]
pub mod gateway_under_test;
pub mod office;
pub mod over_talk;
pub mod phone_line;
pub mod providers;
pub mod sealed_calls;
pub mod sounds;
pub mod speech_like;
pub mod step;
pub mod turn_openings;
pub mod turn_scripts;
pub mod turn_voices;
pub mod turns;
#[path = "../../tests/src/vendors/mod.rs"]
pub mod vendors;
pub mod virtual_call;
