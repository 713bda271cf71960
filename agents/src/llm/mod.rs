//! Language models, and the agent that needs none.

pub mod builtin;
pub mod conversation;
pub mod model;
