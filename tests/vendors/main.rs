//! Adapters of outside providers against servers that speak the providers' protocols.

mod llm;
mod mcp;
mod stt;
mod tts;
