//! What can go wrong, told by what the caller can do about it. No variant ever carries caller data.

use std::io;
use std::path::{Path, PathBuf};

/// Why storage did not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StorageError {
    /// There is no such row in this tenant. Answer "not found".
    #[error("no such {what}")]
    NotFound { what: &'static str },

    /// Somebody else changed the row first. Read it again, re-apply, try again.
    #[error("the row is at version {found}, the change was made for version {expected}")]
    Conflict { expected: u32, found: u32 },

    /// A unique thing is in use already (a slot, a reference, a slug). Choose another.
    #[error("this {what} is taken")]
    Taken { what: &'static str },

    /// The request breaks a rule of the store. A bug of the caller; do not retry.
    #[error("{what}")]
    Invalid { what: &'static str },

    /// Somebody else than the memory manager tried to write what it alone writes. A bug of the caller, or an attack;
    /// the attempt is on record.
    #[error("{table}: not written, this agent has no right to; suggest it to the memory manager instead")]
    RefusedWrite { table: &'static str },

    /// An agent without customer memory asked for some; the attempt is on record.
    #[error(
        "{table}: not read, this agent has no customer memory; give it a role in storage/src/memory/roles.rs"
    )]
    RefusedRead { table: &'static str },

    /// Nothing can be written. Stop taking calls.
    #[error("{folder}: is read-only; give this user write permission to it or choose another DATA_DIR")]
    ReadOnly { folder: String },

    /// Stop taking calls until space is made.
    #[error("{folder}: the disk is full; free some space, then go on (nothing acknowledged is lost)")]
    DiskFull { folder: String },

    /// Another process holds the folder. Do not start.
    #[error("{folder}: is in use by another running server; stop it or choose another DATA_DIR")]
    Locked { folder: String },

    /// The database did not become free in time. Try again.
    #[error("{folder}: the database is busy; try again")]
    Busy { folder: String },

    /// A file is not what it should be. Page someone; do not write.
    #[error("{file}: is damaged or not a database; restore it from a backup")]
    Corrupt { file: String },

    /// A file or folder cannot be opened.
    #[error(
        "{file}: cannot be opened ({reason}); check that it exists and that this user may read and write it"
    )]
    CannotOpen { file: String, reason: String },

    /// The data was written by a newer version of this program, or its migrations were edited.
    #[error("{file}: was written by a newer version of the program ({detail}); upgrade the program")]
    NewerSchema { file: String, detail: String },

    /// The master key is missing, too open, or not the one this folder was sealed with. Do not start.
    #[error("{file}: {problem}")]
    MasterKey { file: String, problem: &'static str },

    /// A sealed value does not open: wrong key, or the row was tampered with.
    #[error("{what} cannot be unsealed: wrong key, or the row was changed outside the program")]
    Crypto { what: &'static str },

    /// The database server does not answer, or gave up on us. Try again; if that was a commit, it is open whether it
    /// took place. Stop taking calls while it lasts.
    #[error(
        "{database}: does not answer ({reason}); start it, or correct DATABASE_URL (nothing acknowledged is lost)"
    )]
    Unavailable { database: String, reason: String },

    /// The database would let this role past the rules that keep tenants apart. Do not start.
    #[error("{database}: the role {role} {problem}; {fix}")]
    UnsafeRole { database: String, role: String, problem: String, fix: &'static str },

    /// What the operator gave for a database, or the database itself, cannot be used as it is. Do not start.
    #[error("{database}: {problem}; {fix}")]
    Unsuitable { database: String, problem: String, fix: &'static str },

    /// The database lacks migrations of this program, and no role that may run them was given. Do not start.
    #[error(
        "{database}: its schema is older than this program ({detail}); run `quandura migrate` with \
         DATABASE_MIGRATION_URL set to the role that owns the tables"
    )]
    OlderSchema { database: String, detail: String },

    /// The group-commit task is gone: the store is closing.
    #[error("the store is closing")]
    Closing,

    /// Anything else the database said.
    #[error("database: {message}")]
    Database { message: String },
}

impl StorageError {
    /// Maps an operating-system error on `path`.
    #[must_use]
    pub fn from_io(error: &io::Error, path: &Path) -> Self {
        let file = path.display().to_string();
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                Self::DiskFull { folder: folder_of(path) }
            }
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                Self::ReadOnly { folder: folder_of(path) }
            }
            kind => Self::CannotOpen { file, reason: kind.to_string() },
        }
    }

    /// Trying the same call again, unchanged, may succeed.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::DiskFull { .. } | Self::Unavailable { .. })
    }
}

/// The folder a message should name: that of a file, or the path itself.
pub(crate) fn folder_of(path: &Path) -> String {
    let folder: PathBuf = match path.parent() {
        Some(parent) if path.extension().is_some() => parent.to_owned(),
        _ => path.to_owned(),
    };
    folder.display().to_string()
}

/// What the statements fail with, before the file it happened to is known.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(sqlx::Error),
    Said(StorageError),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StorageError> for Fault {
    fn from(error: StorageError) -> Self {
        Self::Said(error)
    }
}

/// What a statement gives.
pub(crate) type Step<T> = Result<T, Fault>;

/// Turns a broken uniqueness rule into `Taken`.
pub(crate) fn taken(error: sqlx::Error, what: &'static str) -> Fault {
    match &error {
        sqlx::Error::Database(said) if said.is_unique_violation() => StorageError::Taken { what }.into(),
        _ => error.into(),
    }
}
