//! Live events on their way from calls to viewers.

pub mod local;
