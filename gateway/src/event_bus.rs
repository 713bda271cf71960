//! Live events on their way from calls, and from people at work, to viewers.

pub mod local;
pub mod passport;
pub mod work;
