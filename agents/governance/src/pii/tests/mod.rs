//! What the guardian and the redactor must do, shown on texts.
#![allow(clippy::unwrap_used)]

mod dev;
mod generated;
mod guardian;
mod places;
mod properties;
mod redactor;
