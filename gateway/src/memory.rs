//! Memory of callers around a call: what is known at its start, and what it leaves.
//!
//! A call asks once, with a deadline ([`recall`]). After it, [`worker`] looks through what the caller said, suggests, and
//! has the memory manager decide. The rules are `work::memory`, the authority is `storage::memory`.

pub mod office;
pub mod recall;
pub mod review;
pub mod worker;
