//! Adapters of outside providers against servers that speak the providers' protocols.

mod llm;
mod stt;
mod tts;
