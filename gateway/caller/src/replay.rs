//! Recorded calls played again, many at a time: what `quandura replay` and the load benches are made of.
//!
//! [`recording`] reads a caller, [`course`] leads it through a call in step with the agent, [`line`] is the
//! carrier's buffer, [`tally`] what the caller notices; these are pure. [`talker`] holds one call over its socket,
//! [`load`] many. [`scrape`] reads the gateway's own figures.

pub mod chance;
pub mod course;
pub mod failure;
pub mod journal;
pub mod line;
pub mod load;
pub mod meters;
pub mod recording;
pub mod scrape;
pub mod speech;
pub mod talker;
pub mod tally;
pub mod times;
pub mod trouble;
