//! What may be said or done: one folder a check.
//!
//! In go words: a caller's, a document's, a tool's, or those that the line is about to say. Out come findings, and
//! words that may go on. [`guard`] marks and cuts what tries to steer a model; [`danger`] hears that somebody needs
//! help now; [`rules`] stop what must not be said or done, and say something else; [`judge`] holds a reply against its
//! sources; [`safety`] finds personal data and puts tokens in its place.
//!
//! No check does I/O, reads a clock or knows a provider. Begin with [`guard::Guard::check`] for words that come in, and
//! with [`rules::RuleSet::check_words`] for words that go out.

#[cfg(test)]
mod county;
pub mod danger;
pub mod guard;
pub mod judge;
pub mod meaning;
pub mod pii;
pub mod rules;
