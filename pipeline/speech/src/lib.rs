//! What hears and what speaks: recognizers ([`stt`]), voices ([`tts`]) and the detector of speech ([`vad`]), behind the ports of
//! `pipeline`.
//!
//! In go frames of a call, or segments of a reply; out come interims, finals and scores, or frames. [`LocalSpeech`] is the built-in
//! stack: its models, and the pool that runs them for every call. Each vendor has a file of its own, named nowhere else. A vendor
//! more: a file beside `stt/deepgram` or `tts/elevenlabs.rs`, and its row in the gateway's `providers`
//! (`docs/guides/providers.md`). Nothing here decides about a call.

mod load;
mod local;
pub mod pool;
mod queue;
pub mod runtime;
pub mod spoken;
pub mod stt;
pub mod tts;
pub mod vad;

pub use local::*;
