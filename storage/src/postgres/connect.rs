//! From what the operator gives to a connection.

use std::net::IpAddr;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection, PgConnection};

use super::{fault, role, schema};
use crate::error::StorageError;
use crate::tenancy::Durability;

/// How long connecting may take at the start, when no pool waits for the server.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Oldest server, as `server_version_num` counts.
const OLDEST: i32 = 150_000;

/// A PostgreSQL database, and who we are in it.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// `postgres://role:password@host:port/database?sslmode=verify-full`, or a socket: `?host=/var/run/postgresql`.
    /// The role must not own the tables, and must be bound by row-level security.
    pub url: SecretString,
    /// The same database as the role that owns the tables. With it migrations run at start; without it the schema must
    /// be up to date.
    pub owner_url: Option<SecretString>,
    /// Connections at most; a quarter is kept for the log of live calls.
    pub connections: u32,
}

impl PostgresOptions {
    /// With 16 connections, and no role that may migrate.
    #[must_use]
    pub fn new(url: impl Into<SecretString>) -> Self {
        Self { url: url.into(), owner_url: None, connections: 16 }
    }

    #[must_use]
    pub fn with_owner(self, url: impl Into<SecretString>) -> Self {
        Self { owner_url: Some(url.into()), ..self }
    }

    /// Whether `url` is an address, and one that is safe to use. Nothing is connected to.
    pub fn check_url(&self) -> Result<(), StorageError> {
        Session::of_application(self, Durability::Full).map(drop)
    }

    /// The same of `owner_url`, where there is one.
    pub fn check_owner_url(&self) -> Result<(), StorageError> {
        Session::of_owner(self).map(drop)
    }

    /// Looks whether a start would succeed, and changes nothing: for `doctor`.
    pub async fn probe(&self) -> Result<Probe, StorageError> {
        let session = Session::of_application(self, Durability::Full)?;
        let mut conn = connect(&session).await?;
        let found = probe(&mut conn, &session).await;
        let _ = conn.close().await;
        found
    }
}

/// What a database said of itself. No passwords.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Host, port and name.
    pub database: String,
    /// The application's role.
    pub role: String,
    /// `15.9`.
    pub version: String,
    /// `TLSv1.3`; `None`: in the clear (over loopback or a socket, or because the operator said so).
    pub tls: Option<String>,
    /// A commit survives a power cut of the server: it runs with `fsync` and `full_page_writes`.
    pub survives_power_cuts: bool,
}

/// Whom to connect as, and where.
#[derive(Debug)]
pub(super) struct Session {
    pub options: PgConnectOptions,
    /// What messages call the database.
    pub place: String,
}

impl Session {
    pub fn of_application(options: &PostgresOptions, durability: Durability) -> Result<Self, StorageError> {
        let Self { options, place } = Self::parse(&options.url, "DATABASE_URL")?;
        let options = options.options([
            ("search_path", "public"),
            ("statement_timeout", "10s"),
            ("lock_timeout", "5s"),
            ("idle_in_transaction_session_timeout", "15s"),
            // A gateway that is cut off must not keep its locks for the quarter of an hour that the system waits.
            ("tcp_user_timeout", "10s"),
            ("tcp_keepalives_idle", "5s"),
            ("tcp_keepalives_interval", "2s"),
            ("tcp_keepalives_count", "3"),
        ]);
        let options = match durability {
            Durability::Full => options,
            Durability::Normal => options.options([("synchronous_commit", "off")]),
        };
        Ok(Self { options, place })
    }

    /// No limits of time: a migration, or waiting for another node's, takes what it takes.
    pub fn of_owner(options: &PostgresOptions) -> Result<Option<Self>, StorageError> {
        let Some(url) = &options.owner_url else { return Ok(None) };
        let Self { options, place } = Self::parse(url, "DATABASE_MIGRATION_URL")?;
        let options = options.options([
            ("search_path", "public"),
            ("statement_timeout", "0"),
            ("lock_timeout", "0"),
            // Else every start logs that the tables of the migrator are there already.
            ("client_min_messages", "warning"),
        ]);
        Ok(Some(Self { options, place }))
    }

    pub fn role(&self) -> &str {
        self.options.get_username()
    }

    /// The parser's own message may quote the password, so it is dropped.
    fn parse(url: &SecretString, setting: &'static str) -> Result<Self, StorageError> {
        let text = url.expose_secret();
        let known = text.starts_with("postgres://") || text.starts_with("postgresql://");
        // `role@/database?host=/a/socket` is what libpq takes; the parser here wants a host before it is told another.
        let whole = text.replacen("@/", "@localhost/", 1);
        let parsed = if known { whole.parse::<PgConnectOptions>().ok() } else { None };
        let unsuitable = |problem: &str, fix| StorageError::Unsuitable {
            database: setting.to_owned(),
            problem: problem.to_owned(),
            fix,
        };
        let Some(options) = parsed else {
            return Err(unsuitable(
                "is not the address of a PostgreSQL database",
                "write it as postgres://role:password@host:5432/database",
            ));
        };
        let options = options.application_name("quandura").disable_statement_logging();
        if !is_local(&options) && matches!(options.get_ssl_mode(), PgSslMode::Prefer | PgSslMode::Allow) {
            return Err(unsuitable(
                "names a database on another machine and does not say whether to encrypt",
                "add ?sslmode=verify-full (encrypted, server checked), require (encrypted) or disable (in the clear)",
            ));
        }
        let place = place_of(&options);
        Ok(Self { options, place })
    }
}

fn is_local(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    options.get_socket().is_some()
        || host == "localhost"
        || host.starts_with('/')
        || host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn place_of(options: &PgConnectOptions) -> String {
    let name = options.get_database().unwrap_or(options.get_username());
    match options.get_socket() {
        Some(socket) => format!("PostgreSQL database {name} at {}", socket.display()),
        None => format!("PostgreSQL database {name} at {}:{}", options.get_host(), options.get_port()),
    }
}

/// Connects once, and refuses a server that cannot carry us.
pub(super) async fn connect(session: &Session) -> Result<PgConnection, StorageError> {
    let connecting = tokio::time::timeout(CONNECT_WITHIN, session.options.connect()).await;
    let mut conn = match connecting {
        Ok(connected) => connected.map_err(|error| fault::name_connect(error, session))?,
        Err(_) => {
            return Err(StorageError::Unavailable {
                database: session.place.clone(),
                reason: format!("no connection within {} s", CONNECT_WITHIN.as_secs()),
            });
        }
    };
    let (version, encoding): (i32, String) = sqlx::query_as(
        "select current_setting('server_version_num')::int, current_setting('server_encoding')",
    )
    .fetch_one(&mut conn)
    .await
    .map_err(|error| fault::name(error.into(), &session.place))?;
    let unsuitable = |problem: String, fix| {
        Err(StorageError::Unsuitable { database: session.place.clone(), problem, fix })
    };
    if version < OLDEST {
        return unsuitable(
            format!("PostgreSQL {} is too old", version / 10_000),
            "use PostgreSQL 15 or newer",
        );
    }
    if encoding != "UTF8" {
        return unsuitable(
            format!("its encoding is {encoding}"),
            "make one with: create database … encoding 'UTF8' template template0",
        );
    }
    Ok(conn)
}

/// A server or role that is set not to wait for its disk is told to, unless that was asked for; that its disk is not
/// synced at all cannot be changed from here.
pub(super) async fn hold_to_its_word(
    conn: &mut PgConnection,
    session: Session,
    durability: Durability,
) -> Result<Session, StorageError> {
    let (waits, syncs): (bool, bool) = sqlx::query_as(
        "select current_setting('synchronous_commit') <> 'off', current_setting('fsync') = 'on'",
    )
    .fetch_one(conn)
    .await
    .map_err(|error| fault::name(error.into(), &session.place))?;
    if durability == Durability::Normal {
        return Ok(session);
    }
    if !syncs {
        tracing::warn!(database = %session.place, "runs with fsync off: a power cut there loses what was said");
    }
    let options = match waits {
        true => session.options,
        false => session.options.options([("synchronous_commit", "on")]),
    };
    Ok(Session { options, ..session })
}

async fn probe(conn: &mut PgConnection, session: &Session) -> Result<Probe, StorageError> {
    role::check(conn, &session.place).await?;
    schema::check(conn, &session.place).await?;
    let (version, tls, survives_power_cuts): (String, Option<String>, bool) = sqlx::query_as(
        "select split_part(current_setting('server_version'), ' ', 1),
            (select version from pg_stat_ssl where pid = pg_backend_pid() and ssl),
            current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on'",
    )
    .fetch_one(conn)
    .await
    .map_err(|error| fault::name(error.into(), &session.place))?;
    Ok(Probe {
        database: session.place.clone(),
        role: session.role().to_owned(),
        version,
        tls,
        survives_power_cuts,
    })
}

#[cfg(test)]
mod unit {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn parse(url: &str) -> Result<Session, StorageError> {
        Session::parse(&url.into(), "DATABASE_URL")
    }

    #[test]
    fn a_database_on_another_machine_must_say_whether_to_encrypt() {
        let refused = parse("postgres://app:secret@db.example/quandura").unwrap_err().to_string();
        assert!(refused.contains("DATABASE_URL") && refused.contains("sslmode=verify-full"), "{refused}");
        for mode in ["disable", "require", "verify-full"] {
            parse(&format!("postgres://app@db.example/quandura?sslmode={mode}")).unwrap();
        }
        for local in ["localhost", "127.0.0.1:5433", "[::1]"] {
            parse(&format!("postgres://app@{local}/quandura")).unwrap();
        }
        parse("postgres://app@/quandura?host=/var/run/postgresql").unwrap();
    }

    #[test]
    fn no_message_holds_a_password() {
        for url in ["postgres://app:hunter2@:bad:/x", "mysql://app:hunter2@h/x", "hunter2"] {
            let refused = parse(url).unwrap_err().to_string();
            assert!(
                !refused.contains("hunter2") && refused.contains("postgres://role:password@"),
                "{refused}"
            );
        }
        let place = parse("postgres://app:hunter2@localhost:5433/quandura").unwrap().place;
        assert_eq!(place, "PostgreSQL database quandura at localhost:5433");
        let shown = format!("{:?}", PostgresOptions::new("postgres://app:hunter2@localhost/x".to_owned()));
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
