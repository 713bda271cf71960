//! How any outside service is called: addresses, failures, deadlines, breakers, fail-over.
//!
//! One owner of retries: a provider's adapter serves one connection and says honestly that it failed. Whether to
//! try again, and where, is decided by the fail-over around it and nowhere else.

pub mod backoff;
pub mod breaker;
pub mod deadline;
pub mod endpoint;
pub mod failure;
pub mod ranked;
pub mod retry;
pub mod socket;
pub mod warm;

pub use backoff::Backoff;
pub use breaker::Breaker;
pub use deadline::Deadlines;
pub use endpoint::Endpoint;
pub use failure::{Failure, Kind};
pub use ranked::{Member, Ranked};
