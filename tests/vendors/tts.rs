//! Voices of vendors, alone and as a chain, against servers that speak the vendors' protocols and fail on demand.

mod aura;
mod chain;
mod elevenlabs;
mod faults;
mod rig;
