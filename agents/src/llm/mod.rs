//! Language models, and the agent that needs none.

mod answer;
pub mod anthropic;
pub mod builtin;
pub mod conversation;
pub mod failover;
mod history;
mod link;
pub mod model;
pub mod openai;
mod sse;
