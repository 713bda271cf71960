//! Types that teams declare, and how they grow up.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::node::{Layer, is_type};
use crate::error::StorageError;
use crate::records::word_enum;

word_enum! {
    /// How far a type has come.
    TypeState {
        /// Added.
        Experimental = "experimental",
        /// Its nodes look alike.
        Stable = "stable",
        /// Fit for a schema of its own, as somebody decided.
        Promoted = "promoted",
    }
}

/// A type to be declared.
#[derive(Clone, PartialEq, Debug)]
pub struct NewExtensionType {
    pub name: String,
    pub layer: Layer,
    pub team_id: Option<String>,
    pub description: String,
    /// JSON Schema of the properties of its nodes, where the team has one already.
    pub properties_schema: Option<Value>,
}

impl NewExtensionType {
    pub(super) fn check(&self) -> Result<(), StorageError> {
        if !is_type(&self.name) {
            let what = "a type is a lower-case letter, then letters, digits and underscores, 50 at most";
            return Err(StorageError::Invalid { what });
        }
        if self.description.contains('\0') || self.team_id.as_ref().is_some_and(|team| team.contains('\0')) {
            return Err(StorageError::Invalid { what: "a type's texts must not hold a NUL character" });
        }
        Ok(())
    }
}

/// A type that a team declared.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExtensionType {
    pub name: String,
    pub layer: Layer,
    pub team_id: Option<String>,
    pub description: String,
    pub properties_schema: Option<Value>,
    pub state: TypeState,
    /// Nodes that were ever written.
    pub nodes: u64,
    /// How often one of its nodes was used.
    pub retrievals: u64,
    /// Why it is in its state, who said so, when, and on which figures.
    pub reason: Option<String>,
    pub decided_by: Option<String>,
    pub decided_at: Option<DateTime<Utc>>,
    pub evidence: Option<Value>,
    pub created_at: DateTime<Utc>,
}

/// A change of state of a type.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    pub from: TypeState,
    pub to: TypeState,
    pub reason: String,
    /// Who decided.
    pub by: String,
    pub at: DateTime<Utc>,
    /// The figures that it was decided on.
    pub evidence: Value,
}

impl Decision {
    /// Up by one step, or all the way.
    pub(crate) fn is_upward(&self) -> bool {
        self.from < self.to
    }
}
