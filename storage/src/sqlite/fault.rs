//! What SQLite's result codes mean to whoever runs the server.

use std::path::Path;

use sqlx::migrate::MigrateError;

use crate::error::{Fault, StorageError, folder_of};
use crate::memory::refused_table;

const BUSY: i32 = 5;
const LOCKED: i32 = 6;
const READONLY: i32 = 8;
const IOERR: i32 = 10;
const CORRUPT: i32 = 11;
const FULL: i32 = 13;
const CANTOPEN: i32 = 14;
const PERM: i32 = 3;
/// `SQLITE_CONSTRAINT_TRIGGER`: `raise(abort, …)`.
const RAISED: i32 = 1811;
const NOTADB: i32 = 26;

/// A fault with the file it happened to.
pub(super) fn name(fault: Fault, file: &Path) -> StorageError {
    match fault {
        Fault::Said(error) => error,
        Fault::Sql(sqlx::Error::Database(said)) => {
            let code = said.code().and_then(|code| code.parse().ok()).unwrap_or_default();
            by_code(code, said.message(), file)
        }
        Fault::Sql(sqlx::Error::Io(error)) => StorageError::from_io(&error, file),
        Fault::Sql(sqlx::Error::PoolTimedOut) => StorageError::Busy { folder: folder_of(file) },
        Fault::Sql(sqlx::Error::PoolClosed) => StorageError::Closing,
        // A value that does not decode: the message names the column and type, never the value.
        Fault::Sql(error) => StorageError::Database { message: error.to_string() },
    }
}

/// `code` is the extended result code; its low byte is the primary one.
fn by_code(code: i32, message: &str, file: &Path) -> StorageError {
    let path = file.display().to_string();
    if let Some(table) = refused_table(message).filter(|_| code == RAISED) {
        return StorageError::RefusedWrite { table };
    }
    match code & 0xff {
        READONLY | PERM => StorageError::ReadOnly { folder: folder_of(file) },
        FULL => StorageError::DiskFull { folder: folder_of(file) },
        BUSY | LOCKED => StorageError::Busy { folder: folder_of(file) },
        CORRUPT | NOTADB => StorageError::Corrupt { file: path },
        CANTOPEN | IOERR => StorageError::CannotOpen { file: path, reason: message.to_owned() },
        _ => StorageError::Database { message: message.to_owned() },
    }
}

pub(super) fn name_migration(error: MigrateError, file: &Path) -> StorageError {
    let newer = |detail: String| StorageError::NewerSchema { file: file.display().to_string(), detail };
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => name(error.into(), file),
        MigrateError::VersionMissing(version) => newer(format!("migration {version} is unknown here")),
        MigrateError::VersionMismatch(version) => newer(format!("migration {version} differs")),
        other => StorageError::Database { message: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(code: i32) -> StorageError {
        by_code(code, "said", Path::new("/srv/data/platform.db"))
    }

    #[test]
    fn codes_become_what_the_operator_can_do() {
        assert!(matches!(mapped(READONLY), StorageError::ReadOnly { folder } if folder == "/srv/data"));
        assert!(matches!(mapped(FULL), StorageError::DiskFull { folder } if folder == "/srv/data"));
        assert!(matches!(mapped(NOTADB), StorageError::Corrupt { file } if file == "/srv/data/platform.db"));
        assert!(matches!(mapped(CANTOPEN), StorageError::CannotOpen { .. }));
        assert!(matches!(mapped(BUSY), StorageError::Busy { .. }));
    }

    #[test]
    fn extended_codes_map_as_their_primary_one() {
        assert!(matches!(mapped(READONLY | (8 << 8)), StorageError::ReadOnly { .. }));
        assert!(matches!(mapped(CORRUPT | (1 << 8)), StorageError::Corrupt { .. }));
    }

    #[test]
    fn messages_name_the_folder_and_the_fix_on_one_line() {
        for (code, fix) in [(READONLY, "write permission"), (FULL, "free some space"), (NOTADB, "restore")] {
            let message = mapped(code).to_string();
            assert!(
                message.contains("/srv/data") && message.contains(fix) && !message.contains('\n'),
                "{message}"
            );
        }
    }
}
