//! Samples: telephone codecs, sample rates and loudness.

pub mod earshot;
pub mod echo;
pub mod g711;
pub mod level;
pub mod nearness;
pub mod no_voice;
pub mod resample;
pub mod upsample;
