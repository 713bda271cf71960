//! Deciding what to say and do: the responder, the Passport, tools, teams and what happens after a call.
//!
//! [`FrontDesk`] answers calls: it implements the pipeline's `Responder` around the pure dialogue of
//! [`dialogue::builtin`] or around a language model with the same tools, searches [`knowledge`], and keeps each call's
//! [`passport`]. What may be said or done is decided in [`governance`]. [`organisation`] is what the county knows of its own
//! decisions.

pub mod calibration;
pub mod contracts;
pub mod department;
pub mod hub;
pub mod memory;
pub mod office;
pub mod organisation;
pub mod passport;
pub mod placed;
pub mod responder;
pub mod review;
pub mod teams;
pub mod tools;

pub use responder::FrontDesk;
