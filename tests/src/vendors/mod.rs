//! Simulated providers: servers on loopback that speak the real protocols, with faults on demand.
//!
//! None of this is part of the product. Each server answers as the provider's documentation says; what it recognises,
//! synthesises or writes is scripted by the test.

pub mod anthropic;
pub mod aura;
pub mod deepgram;
pub mod elevenlabs;
pub mod fault;
pub mod mcp;
pub mod model;
pub mod openai;
pub mod tone;
pub mod websocket;
