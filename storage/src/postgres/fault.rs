//! What PostgreSQL's SQLSTATE codes mean to whoever runs the server.

use std::io;

use sqlx::error::DatabaseError;
use sqlx::migrate::MigrateError;

use super::connect::Session;
use crate::error::{Fault, StorageError};
use crate::memory::{guarded_table, refused_table};

const NO_TLS: &str = "the encrypted connection did not come about";
const MEND_TLS: &str = "turn TLS on in the server, name the authority of its certificate with sslrootcert=, use the \
     host name that the certificate is for, or choose another sslmode";

/// A fault with the database it happened to.
pub(super) fn name(fault: Fault, place: &str) -> StorageError {
    match fault {
        Fault::Said(error) => error,
        Fault::Sql(sqlx::Error::Database(said)) => {
            let code = said.code().unwrap_or_default();
            by_code(&code, said.message(), said.constraint(), place)
        }
        Fault::Sql(error) if is_lost(&error) => unavailable(place, &error),
        Fault::Sql(sqlx::Error::PoolTimedOut) => StorageError::Busy { folder: place.to_owned() },
        Fault::Sql(sqlx::Error::PoolClosed) => StorageError::Closing,
        // A value that does not decode: the message names the column and type, never the value.
        Fault::Sql(error) => StorageError::Database { message: error.to_string() },
    }
}

/// The connection is gone, or the server is going or coming: another try, a little later, may succeed.
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        // Not of the network: rustls says so of a certificate that it refuses.
        sqlx::Error::Io(error) => error.kind() != io::ErrorKind::InvalidData,
        sqlx::Error::Database(said) => said.code().is_some_and(|code| is_away(&code)),
        _ => false,
    }
}

/// Shutting down, crashed, starting, lost, out of connections, or a standby by now: another connection may lead to whoever
/// took over.
fn is_away(code: &str) -> bool {
    code.starts_with("08")
        || matches!(code, "57P01" | "57P02" | "57P03" | "57P05" | "53300" | "25P03" | "25006")
}

fn unavailable(place: &str, error: &sqlx::Error) -> StorageError {
    let reason = match error {
        sqlx::Error::Io(error) => match error.kind() {
            io::ErrorKind::NotFound => "its socket is not there".to_owned(),
            kind => kind.to_string(),
        },
        error => error.to_string(),
    };
    StorageError::Unavailable { database: place.to_owned(), reason }
}

/// A message of the classes 22 and 23 may quote a value, so only its code is kept, with the rule that was broken.
fn by_code(code: &str, message: &str, constraint: Option<&str>, place: &str) -> StorageError {
    // Raised by our own triggers; 42501 is also what the server says of rights that a role lacks.
    let refused = refused_table(message).or_else(|| withheld_table(message));
    if let Some(table) = refused.filter(|_| matches!(code, "QM001" | "42501")) {
        return StorageError::RefusedWrite { table };
    }
    match code {
        "53100" => StorageError::DiskFull { folder: place.to_owned() },
        "40001" | "40P01" | "55P03" | "57014" => StorageError::Busy { folder: place.to_owned() },
        "25006" => StorageError::Unavailable {
            database: place.to_owned(),
            reason: "it is read-only: a stand-by, or set so".to_owned(),
        },
        "22021" | "22P05" => StorageError::Invalid { what: "a text must not hold a NUL character" },
        "54000" => StorageError::Invalid { what: "a text is too long to be looked up by" },
        "XX001" | "XX002" => StorageError::Corrupt { file: place.to_owned() },
        _ if is_away(code) => {
            StorageError::Unavailable { database: place.to_owned(), reason: message.to_owned() }
        }
        _ if code.starts_with("22") || code.starts_with("23") => StorageError::Database {
            message: format!("SQLSTATE {code}, rule {}", constraint.unwrap_or("of a type")),
        },
        _ => StorageError::Database { message: format!("{message} (SQLSTATE {code})") },
    }
}

/// Which table of memory the server itself keeps from a role: by a right that it lacks, or by the policy of its rows.
fn withheld_table(message: &str) -> Option<&'static str> {
    let by_right = message.strip_prefix("permission denied for table ");
    let by_policy = || message.strip_prefix("new row violates row-level security policy for table ");
    guarded_table(by_right.or_else(by_policy)?.trim_matches('"'))
}

/// Why the first connection did not come about. The server's words hold names that the operator gave, never a password.
pub(super) fn name_connect(error: sqlx::Error, session: &Session) -> StorageError {
    let unsuitable =
        |problem: String, fix| StorageError::Unsuitable { database: session.place.clone(), problem, fix };
    match error {
        sqlx::Error::Database(said) => refused(&*said, session),
        sqlx::Error::Tls(error) => unsuitable(format!("{NO_TLS} ({error})"), MEND_TLS),
        sqlx::Error::Io(error) if error.kind() == io::ErrorKind::InvalidData => {
            unsuitable(format!("{NO_TLS} ({error})"), MEND_TLS)
        }
        error if is_lost(&error) => unavailable(&session.place, &error),
        error => name(error.into(), &session.place),
    }
}

fn refused(said: &dyn DatabaseError, session: &Session) -> StorageError {
    let code = said.code().unwrap_or_default();
    let fix = match &*code {
        "3D000" => "create the database, or correct the name in the address",
        code if code.starts_with("28") => {
            "correct role and password in the address, or pg_hba.conf of the server"
        }
        code => return by_code(code, said.message(), None, &session.place),
    };
    StorageError::Unsuitable { database: session.place.clone(), problem: said.message().to_owned(), fix }
}

pub(super) fn name_migration(error: MigrateError, session: &Session) -> StorageError {
    let newer = |detail: String| StorageError::NewerSchema { file: session.place.clone(), detail };
    match error {
        MigrateError::Execute(sqlx::Error::Database(said))
        | MigrateError::ExecuteMigration(sqlx::Error::Database(said), _)
            if said.code().as_deref() == Some("42501") =>
        {
            StorageError::Unsuitable {
                database: session.place.clone(),
                problem: format!(
                    "the role {} may not change the schema ({})",
                    session.role(),
                    said.message()
                ),
                fix: "give the owner's address in DATABASE_MIGRATION_URL, or: alter database … owner to that role",
            }
        }
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            name(error.into(), &session.place)
        }
        MigrateError::VersionMissing(version) => newer(format!("migration {version} is unknown here")),
        MigrateError::VersionMismatch(version) => newer(format!("migration {version} differs")),
        other => StorageError::Database { message: other.to_string() },
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    const PLACE: &str = "PostgreSQL database quandura at localhost:5432";

    fn mapped(code: &str) -> StorageError {
        by_code(code, "said 4111111111111111", Some("calls_pkey"), PLACE)
    }

    #[test]
    fn codes_become_what_the_operator_can_do() {
        assert!(matches!(mapped("53100"), StorageError::DiskFull { folder } if folder == PLACE));
        for code in ["40001", "40P01", "55P03", "57014"] {
            assert!(matches!(mapped(code), StorageError::Busy { .. }), "{code}");
        }
        for code in ["57P01", "57P03", "08006", "53300", "25006"] {
            assert!(matches!(mapped(code), StorageError::Unavailable { .. }), "{code}");
            assert!(mapped(code).is_transient(), "{code}");
        }
        assert!(matches!(mapped("XX001"), StorageError::Corrupt { .. }));
    }

    #[test]
    fn what_the_server_keeps_from_a_role_of_memory_is_a_refused_write() {
        for (message, table) in [
            ("contacts is written by the memory manager alone", Some("contacts")),
            ("permission denied for table memories", Some("memories")),
            ("new row violates row-level security policy for table \"contacts\"", Some("contacts")),
            ("permission denied for table calls", None),
        ] {
            let refused = match by_code("42501", message, None, PLACE) {
                StorageError::RefusedWrite { table } => Some(table),
                _ => None,
            };
            assert_eq!(refused, table, "{message}");
        }
        let other = by_code("42P01", "permission denied for table memories", None, PLACE);
        assert!(matches!(other, StorageError::Database { .. }), "{other:?}");
    }

    #[test]
    fn what_may_quote_a_value_is_not_repeated() {
        for code in ["22P02", "22003", "23505", "23514"] {
            let message = mapped(code).to_string();
            assert!(!message.contains("4111") && message.contains(code), "{message}");
        }
    }
}
