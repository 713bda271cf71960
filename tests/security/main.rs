//! Hostile and broken input on the carrier's side: a clear end, a logged reason, and nobody else's call touched.
#![allow(clippy::unwrap_used)]

mod edge;
mod keys;
mod people;
mod stream;
mod webhook;
