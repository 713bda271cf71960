//! The whole judge: requests and answers, and the labelled answers.
#![allow(clippy::unwrap_used)]

mod answers;
mod labelled;
mod properties;
