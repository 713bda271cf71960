//! Spoken conversations: simulated callers, the real gateway, the carrier's wire. `bin/dialogs` runs a set of them.

pub mod cues;
pub mod house;
pub mod leg;
pub mod line;
pub mod mind;
pub mod read_back;
pub mod rehearsal;
pub mod report;
pub mod saved;
pub mod set;
pub mod talk;
#[cfg(test)]
mod tests;
pub mod texts;
pub mod track;
pub mod verdict;
pub mod voices;
pub mod whether;

pub use gateway::scenario::{utterance, words};
