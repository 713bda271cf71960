//! What our own phones speak, whoever the carrier is: the protocol of the first one's media streams. The console's phone
//! and the command line's callers are clients of it.

use crate::twilio::Streams;

/// The wire of the gateway's own phones.
pub static WIRE: Streams = Streams;
