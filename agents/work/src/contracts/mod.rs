//! The shapes that parts of the platform hand to each other: the universal message envelope, the task contract, the
//! capability declaration, provenance, and the standard error codes.
//!
//! Field names and defaults are those of the component specification. The envelope travels between agents and on
//! queues; HTTP bodies stay bare. Whatever comes in from outside is read with [`read`]: bounded, and with errors that
//! name the field. Fields that are not known are kept out, so that a newer sender does not break an older reader.
#![deny(clippy::disallowed_methods)]

mod capability;
mod error_code;
mod message;
mod provenance;
mod task;

use serde::de::DeserializeOwned;

pub use capability::ArmCapability;
pub use error_code::ErrorCode;
pub use message::{Body, Message, MessagePriority, RetryPolicy};
pub use provenance::{ProvenanceMetadata, sha256_of};
pub use task::{Budget, TaskContract, TaskStatus};

/// Longest message in bytes of JSON.
pub const MAX_MESSAGE: usize = 1_000_000;
/// Longest identifier, name or code in characters.
pub(crate) const MAX_NAME: usize = 200;
/// Longest goal, summary or error text in characters.
pub(crate) const MAX_TEXT: usize = 20_000;
/// Longest list.
pub(crate) const MAX_LIST: usize = 1_000;

/// Why a message, task or declaration was refused. Names the field, never its value: that may be a caller's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContractError {
    #[error("the message has {bytes} bytes; at most {MAX_MESSAGE} are taken")]
    TooLong { bytes: usize },
    /// Line and column count from 1.
    #[error("the message is not of this shape, at line {line}, column {column}")]
    Shape { line: usize, column: usize },
    #[error("{field} {problem}")]
    Field { field: &'static str, problem: &'static str },
}

/// Something with rules beyond its types.
pub trait Contract {
    /// # Errors
    /// The first field that breaks a rule.
    fn check(&self) -> Result<(), ContractError>;
}

/// Reads what came from outside.
///
/// # Errors
/// [`ContractError`]: too long, of another shape, or against a rule.
pub fn read<T: DeserializeOwned + Contract>(json: &[u8]) -> Result<T, ContractError> {
    if json.len() > MAX_MESSAGE {
        return Err(ContractError::TooLong { bytes: json.len() });
    }
    let read: T = serde_json::from_slice(json)
        .map_err(|error| ContractError::Shape { line: error.line(), column: error.column() })?;
    read.check()?;
    Ok(read)
}

pub(crate) const fn wrong(field: &'static str, problem: &'static str) -> ContractError {
    ContractError::Field { field, problem }
}

/// An identifier or a name: something, and not a text.
pub(crate) fn named(field: &'static str, value: &str) -> Result<(), ContractError> {
    if value.trim().is_empty() {
        return Err(wrong(field, "is empty"));
    }
    if value.chars().count() > MAX_NAME {
        return Err(wrong(field, "is longer than 200 characters"));
    }
    if value.chars().any(char::is_control) {
        return Err(wrong(field, "has control characters"));
    }
    Ok(())
}

pub(crate) fn named_if(field: &'static str, value: Option<&String>) -> Result<(), ContractError> {
    value.map_or(Ok(()), |value| named(field, value))
}

pub(crate) fn text(field: &'static str, value: &str) -> Result<(), ContractError> {
    if value.chars().count() > MAX_TEXT {
        return Err(wrong(field, "is longer than 20,000 characters"));
    }
    Ok(())
}

pub(crate) fn listed(field: &'static str, values: &[String]) -> Result<(), ContractError> {
    if values.len() > MAX_LIST {
        return Err(wrong(field, "has more than 1,000 entries"));
    }
    values.iter().try_for_each(|value| text(field, value))
}

/// A share. NaN is none.
pub(crate) fn share(field: &'static str, value: f64) -> Result<(), ContractError> {
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(wrong(field, "is not between 0 and 1")) }
}

#[cfg(test)]
mod tests;
