//! The API document against the router, and against what a running gateway answers.
#![allow(clippy::unwrap_used)]

mod answers;
mod document;
