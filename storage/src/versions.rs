//! What a tenant keeps in versions: its document, and teams of its own.

use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::records::word_enum;

/// Versions of one thing that are kept: the oldest goes when there is one more.
pub const MOST_VERSIONS: u32 = 200;

word_enum! {
    /// What is kept in versions.
    VersionKind {
        /// The tenant's document. There is one; its name is empty.
        Config = "config",
        /// A team of the tenant's own, by its id.
        Team = "team",
    }
}

/// A version to be kept.
#[derive(Clone, Debug)]
pub struct NewVersion {
    pub kind: VersionKind,
    pub name: String,
    /// The newest version when the change was made, 0 for none. Another one is a conflict.
    pub expected: u32,
    /// Login, or name of a program's token.
    pub actor: String,
    /// What it changes, in words.
    pub changes: Vec<String>,
    /// `None`: it is taken away.
    pub body: Option<String>,
    /// Settings that are put with it, all or nothing.
    pub settings: Vec<(&'static str, Value)>,
}

/// A version that is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    pub name: String,
    /// From 1.
    pub version: u32,
    pub made_at: DateTime<Utc>,
    pub actor: String,
    pub changes: Vec<String>,
    /// `None`: it was taken away.
    pub body: Option<String>,
}
