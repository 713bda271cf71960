//! What writes the replies. The built-in agent needs no model; vendors come beside it.

pub mod builtin;
