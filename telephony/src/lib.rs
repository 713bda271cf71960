//! The carrier leg of a call: media protocol, pacing, marks and the record of what was heard.
//! Holds encoded audio only and imports nothing else of this workspace.

pub mod answered;
pub mod call_status;
pub mod carrier;
pub mod control;
pub mod document;
pub mod dtmf;
pub mod encoding;
pub mod error;
pub mod jitter;
pub mod ledger;
mod lenient;
pub mod media;
mod mulaw;
pub mod phone;
pub mod playout;
pub mod rest;
pub mod sim;
pub mod stream;
pub mod telnyx;
pub mod token;
pub mod twilio;
mod xml;
