//! The carrier's side of a call: what `quandura call`, `console`, `replay`, the scenarios and the load benches are made of.
//!
//! It behaves as the carrier does: buffers what we send, plays it in real time, echoes marks when they were played,
//! and sends a frame every 20 ms whether anyone speaks or not. In go the address of a gateway and what a caller says
//! or has recorded; out comes what was heard, and when. Nothing of the gateway's insides is known here.
//!
//! Begin with [`dial::Exchange`], which places a call, and [`leg`], which holds it; [`replay`] holds many.

// A failed unwrap is a failed test.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod audio;
pub mod dial;
pub mod follow;
pub mod leg;
pub mod live;
pub mod order;
pub mod playback;
pub mod replay;
pub mod script;
pub mod socket;
pub mod voice;

/// Names a tenant in a request of somebody who may see several.
pub const TENANT_HEADER: &str = "x-tenant";
