//! Calls as the process sees them: accepting streams, admitting, watching, draining.

pub mod accept;
pub mod admission;
pub mod budget;
pub mod busy;
pub mod call_back;
pub mod doorway;
pub mod drain;
pub mod expected;
pub mod handshake;
pub mod inbound;
pub mod lease;
pub mod listening;
pub mod live;
pub mod log;
pub mod outbound;
pub mod reaper;
pub mod recorders;
pub mod reviews;
pub mod run;
pub mod sampler;
pub mod sink;
pub mod socket;
pub mod steady;
pub mod strain;
pub mod unended;
pub mod vocabulary;
