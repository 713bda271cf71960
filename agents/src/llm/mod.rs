//! Language models, and the agent that needs none.

mod answer;
pub mod anthropic;
pub mod builtin;
pub mod conversation;
pub mod failover;
pub(crate) mod history;
pub(crate) mod link;
pub mod model;
pub mod openai;
pub(crate) mod sse;
