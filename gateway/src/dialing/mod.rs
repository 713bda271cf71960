//! Calls that this gateway places: whom it may call and when, the call itself, and what came of it.

pub mod call_queue;
pub mod call_result;
pub mod campaigns;
pub mod click_to_call;
pub mod clock;
pub mod due_reminders;
pub mod hours;
pub mod lost_transfers;
pub mod notes;
pub mod outreach;
pub mod pacing;
pub mod reconcile;
pub mod refusals;
pub mod reminder;
pub mod retries;
pub mod transfer;
pub mod warm;
