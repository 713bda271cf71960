//! The responder: what a call says and does next, one turn after the other.
//!
//! In go a caller's turns, by the pipeline's `Responder` port; out come sentences, and effects that are durable before
//! anybody hears of them. [`FrontDesk`] opens a task a call (`call`). A turn passes its stages in one order: read, think,
//! rule over, commit, say. The built-in dialogue takes them in `builtin`, a language model in `model`; what both have in
//! hand is a `seat`, what they write goes through `books` and `effects`. What is said is thought of in [`dialogue`], what
//! may be said or done is decided in [`governance`], pages are searched in [`knowledge`], and Passport, tools, teams and
//! the work after the call are in [`work`].
//!
//! Begin with [`FrontDesk`], then `call`.

mod alarms;
mod attends;
mod books;
mod builtin;
mod call;
mod desk;
mod effects;
mod front_desk;
mod model;
mod no_calls;
mod office;
mod outbox;
mod overheard;
mod put_through;
mod recover;
mod ruled;
mod rulings;
mod seat;
mod unheard;

pub use front_desk::FrontDesk;
pub use recover::note_interrupted;
