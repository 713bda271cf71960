//! Any bytes at all on a media stream: the reader may refuse them, and must not panic.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| telephony::stream::exercise(&telephony::twilio::wire::PROTOCOL, data));
