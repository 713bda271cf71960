//! A Passport as the store keeps it.

use serde_json::Value;
use storage::records::{self, NewPassport, PassportChange};
use storage::{CallId, PassportId, StorageError};

use super::{Passport, Versioned};

/// Reads what the store gave.
///
/// # Errors
/// [`StorageError::Invalid`] when it is no Passport: a bug, or a document of a newer program.
pub fn read(kept: records::Passport) -> Result<Versioned, StorageError> {
    let version = kept.version.into();
    let passport = serde_json::from_value(kept.document)
        .map_err(|_| StorageError::Invalid { what: "the kept passport has another shape" })?;
    Ok(Versioned { version, passport })
}

/// A Passport to be kept for the first time.
#[must_use]
pub fn fresh(passport: &Passport, call: Option<CallId>) -> NewPassport {
    NewPassport {
        id: PassportId(passport.id),
        team_id: passport.team_id.clone(),
        status: passport.status.as_str().to_owned(),
        call_id: call,
        document: document(passport),
    }
}

/// A Passport in place of the version `expected`.
#[must_use]
pub fn changed(passport: &Passport, expected: u64) -> PassportChange {
    PassportChange {
        id: PassportId(passport.id),
        expected_version: u32::try_from(expected).unwrap_or(u32::MAX),
        team_id: passport.team_id.clone(),
        status: passport.status.as_str().to_owned(),
        document: document(passport),
    }
}

fn document(passport: &Passport) -> Value {
    serde_json::to_value(passport).unwrap_or_default()
}
