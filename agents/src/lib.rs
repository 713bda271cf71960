//! Deciding what to say and do: the built-in agent, the county's knowledge, the Passport, redaction.
//!
//! [`FrontDesk`] answers calls: it implements the pipeline's `Responder` around the pure dialogue of
//! [`llm::builtin`] or around a language model with the same tools, searches [`retriever`], and keeps each call's
//! [`passport`]. [`organisation`] is what the county knows of its own decisions. [`safety::Redactor`] is the
//! screen that text passes on its way out of the sensitive zone. [`seed`] is what the demo county starts with.

#[macro_use]
mod shown;

pub mod calibration;
pub mod contracts;
pub mod danger;
pub mod guard;
pub mod hub;
pub mod judge;
pub mod librarian;
pub mod llm;
pub mod memory;
pub mod office;
pub mod organisation;
pub mod passport;
pub mod responder;
pub mod retriever;
pub mod review;
pub mod rules;
pub mod safety;
pub mod seed;
pub mod teams;
pub mod tools;
pub mod understanding;

pub use llm::builtin::TenantFacts;
pub use responder::FrontDesk;
