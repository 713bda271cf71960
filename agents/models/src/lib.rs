//! Language models: the port ([`model`]), an adapter a provider, and [`failover`] between them.
//!
//! In goes a conversation ([`conversation`]) with the tools that may be called; out comes a stream of text and calls. What is said to a
//! model of others is fenced as data ([`delimit`]). Nothing here decides what a caller hears: that is the responder's, in `agents`. A
//! provider more: a file beside `anthropic.rs` and `openai.rs`, and its row in the gateway's `providers`.
//!
//! Begin with [`model::LanguageModel`].

mod answer;
pub mod anthropic;
pub mod conversation;
pub mod delimit;
pub mod failover;
pub mod history;
pub mod link;
pub mod model;
pub mod openai;
#[cfg(test)]
mod shown_tests;
pub mod sse;
