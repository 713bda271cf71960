//! The responder: what a call says and does next, one turn after the other.
//!
//! In go a caller's turns, by the pipeline's `Responder` port; out come sentences, and effects that are durable before
//! anybody hears of them. [`FrontDesk`] opens a task a call (`call`). A turn passes its stages in one order: read, think,
//! rule over, commit, say. The built-in dialogue takes them in `builtin`, a language model in `model`; what both have in
//! hand is a `call_context`, what they write goes through `turn_writer` and `effects`. What is said is thought of in [`dialogue`], what
//! may be said or done is decided in [`governance`], pages are searched in [`knowledge`], and Passport, tools, teams and
//! the work after the call are in [`work`].
//!
//! Begin with [`FrontDesk`], then `call`.

mod builtin;
mod call;
mod call_context;
mod desk;
mod discarded_replies;
mod effects;
mod event_sender;
mod front_desk;
mod guard_findings;
mod model;
mod no_calls;
mod office;
mod overheard;
mod recover;
mod request_notes;
mod ruled;
mod rulings;
mod transfer;
mod turn_writer;

pub use front_desk::FrontDesk;
pub use recover::note_interrupted;
