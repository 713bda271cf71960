//! What to say: the built-in agent.
//!
//! In go a caller's words and what is known of them; out comes the next step: sentences, and effects that somebody else
//! carries out. [`builtin`] is the agent that needs no model: pure, its words are data in `data/front_desk`.
//! [`understanding`] tells what words are taken for. [`seed`] is what the demo county starts with.
//!
//! Begin with [`builtin::Dialogue::step`].

pub mod builtin;
mod priority;
pub mod seed;
#[cfg(test)]
mod shown_tests;
pub mod understanding;

pub use builtin::TenantFacts;
pub use priority::Priority;
