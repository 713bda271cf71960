//! What to say: the built-in agent, and the adapters of language models.
//!
//! In go a caller's words and what is known of them; out comes the next step: sentences, and effects that somebody else
//! carries out. [`builtin`] is the agent that needs no model: pure, its words are data in `data/front_desk`.
//! [`model`] is the port of language models, with an adapter a provider, and [`failover`] between them.
//! [`understanding`] tells what words are taken for. [`seed`] is what the demo county starts with.
//!
//! Begin with [`builtin::Dialogue::step`].

mod answer;
pub mod anthropic;
pub mod builtin;
pub mod conversation;
pub mod delimit;
pub mod failover;
pub mod history;
pub mod link;
pub mod model;
pub mod openai;
mod priority;
pub mod seed;
#[cfg(test)]
mod shown_tests;
pub mod sse;
pub mod understanding;

pub use builtin::TenantFacts;
pub use priority::Priority;
