//! Calls that this gateway places: whom it may call and when, the call itself, and what came of it.

pub mod about;
pub mod call_queue;
pub mod call_result;
pub mod campaigns;
pub mod click_to_call;
pub mod clock;
pub mod due_calls;
pub mod follow_up;
pub mod hours;
pub mod lost_transfers;
pub mod notes;
pub mod on_file;
pub mod outreach;
pub mod pacing;
pub mod reconcile;
pub mod refusals;
pub mod reminder;
pub mod retries;
pub mod transfer;
pub mod warm;
