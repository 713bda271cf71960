//! The carrier leg of a call: media protocol, pacing, marks and the record of what was heard.
//! Holds encoded audio only and imports nothing else of this workspace.

pub mod answered;
pub mod carrier;
pub mod control;
pub mod dtmf;
pub mod error;
pub mod jitter;
pub mod ledger;
pub mod media;
mod mulaw;
pub mod playout;
pub mod sim;
pub mod twilio;
