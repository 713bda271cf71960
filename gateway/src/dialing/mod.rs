//! Calls that this gateway places: whom it may call and when, the call itself, and what came of it.

pub mod call_back;
pub mod campaigns;
pub mod clock;
pub mod hours;
pub mod line;
pub mod lost;
pub mod notes;
pub mod outreach;
pub mod pacing;
pub mod reconcile;
pub mod refusals;
pub mod reminder;
pub mod retries;
pub mod settle;
pub mod transfer;
pub mod warm;
