//! The safety guardian: personal data, secrets, threats and forbidden promises in a text, written or as a recogniser
//! writes what was spoken, in English and Spanish; and the redactor that makes typed tokens of them.
//!
//! [`Guardian::check`] is pure and shared; [`Redactor`] belongs to one call and remembers which token stands for what.
//! Words, cues and names are data under `agents/governance/data/safety`.
#![deny(clippy::disallowed_methods)]

mod abroad;
mod addresses;
pub mod api;
mod calles;
mod checks;
mod codes;
mod cues;
mod dates;
mod digits;
mod emails;
mod findings;
mod fragments;
mod guardian;
mod ip;
mod kind;
mod lexicon;
pub mod measure;
mod medical;
mod names;
mod numbers;
mod offices;
mod places;
mod published;
mod quarters;
mod redact;
mod roads;
mod scan;
mod secrets;
mod spelled;
mod spoken_emails;
mod token;
mod values;
mod vault;

#[cfg(test)]
mod tests;

pub use findings::{Finding, Findings, redact_labels};
pub use guardian::{Guardian, Settings};
pub use kind::{Category, Kind, KindSet, RiskLevel};
pub use published::Public;
pub use redact::Redactor;
pub use vault::has_token;
