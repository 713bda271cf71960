//! The schema: who brings it up to date, and whether it is.

use sqlx::migrate::{Migrate, MigrateError, Migrator};
use sqlx::{Connection, PgConnection};

use super::connect::{Session, connect};
use super::fault;
use crate::error::StorageError;

/// Key of the advisory lock under which one node at a time migrates.
const MIGRATING: i64 = 0x7175_616e_0001;

const GRANTS: &str = include_str!("../../migrations/postgres/grants.sql");

/// Tables that are read before a tenant is known. Every other table with a `tenant_id` is a tenant's.
pub(super) const PLATFORM_TABLES: [&str; 14] = [
    "api_tokens",
    "key_check",
    "lines",
    "openid_identities",
    "passkeys",
    "passwords",
    "sessions",
    "sign_in_attempts",
    "sign_in_challenges",
    "sign_in_links",
    "stream_nonces",
    "tenant_keys",
    "tenants",
    "users",
];

/// Both parts live in one database, so each counts its versions in a table of its own.
pub(super) fn parts() -> [Migrator; 2] {
    let mut platform = sqlx::migrate!("migrations/postgres/platform");
    platform.dangerous_set_table_name("_sqlx_migrations_platform");
    let mut tenant = sqlx::migrate!("migrations/postgres/tenant");
    tenant.dangerous_set_table_name("_sqlx_migrations_tenant");
    [platform, tenant]
}

/// Runs what is missing, as the owner, and gives the application's role its rights. Nodes that start together wait for
/// one another here; the lock goes with the connection, so a node that dies holds nobody up.
pub(super) async fn migrate(owner: &Session, application: &str) -> Result<(), StorageError> {
    let mut conn = connect(owner).await?;
    let migrated = match lock(&mut conn).await {
        Ok(()) => match run(&mut conn, owner).await {
            Ok(()) => {
                grant(&mut conn, application).await.map_err(|error| name_grant(error, owner, application))
            }
            Err(error) => Err(error),
        },
        Err(error) => Err(fault::name(error.into(), &owner.place)),
    };
    let _ = conn.close().await;
    migrated
}

async fn lock(conn: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_lock($1)").bind(MIGRATING).execute(conn).await.map(drop)
}

async fn run(conn: &mut PgConnection, owner: &Session) -> Result<(), StorageError> {
    for part in parts() {
        // Not `run`: over a borrowed connection its future may not move between threads.
        part.run_direct(None, conn, false).await.map_err(|error| fault::name_migration(error, owner))?;
    }
    Ok(())
}

async fn grant(conn: &mut PgConnection, application: &str) -> sqlx::Result<()> {
    let mut transaction = conn.begin().await?;
    sqlx::query("select set_config('quandura.app_role', $1, true)")
        .bind(application)
        .execute(&mut *transaction)
        .await?;
    sqlx::raw_sql(GRANTS).execute(&mut *transaction).await?;
    transaction.commit().await
}

fn name_grant(error: sqlx::Error, owner: &Session, application: &str) -> StorageError {
    let unknown = error.as_database_error().and_then(|said| said.code()).is_some_and(|code| code == "42704");
    if !unknown {
        return fault::name(error.into(), &owner.place);
    }
    StorageError::Unsuitable {
        database: owner.place.clone(),
        problem: format!("the role {application} of DATABASE_URL does not exist"),
        fix: "create it: create role … login password '…' nosuperuser nobypassrls nocreaterole",
    }
}

/// Whether the database is at exactly this program's version.
pub(super) async fn check(conn: &mut PgConnection, place: &str) -> Result<(), StorageError> {
    for part in parts() {
        let applied = match conn.list_applied_migrations(&part.table_name).await {
            Ok(applied) => applied,
            Err(MigrateError::Execute(error)) if is_unknown_table(&error) => {
                return Err(older(place, "it holds no tables of ours".to_owned()));
            }
            Err(MigrateError::Execute(error)) => return Err(fault::name(error.into(), place)),
            Err(other) => return Err(StorageError::Database { message: other.to_string() }),
        };
        let newer = |detail| StorageError::NewerSchema { file: place.to_owned(), detail };
        for known in &applied {
            match part.iter().find(|ours| ours.version == known.version) {
                None => return Err(newer(format!("migration {} is unknown here", known.version))),
                Some(ours) if ours.checksum != known.checksum => {
                    return Err(newer(format!("migration {} differs", known.version)));
                }
                Some(_) => {}
            }
        }
        if let Some(missing) = part.iter().find(|ours| !applied.iter().any(|it| it.version == ours.version)) {
            return Err(older(place, format!("it lacks {} {}", missing.version, missing.description)));
        }
    }
    Ok(())
}

/// No such table, or none that this role was given.
fn is_unknown_table(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|said| said.code());
    code.is_some_and(|code| code == "42P01" || code == "42501")
}

fn older(place: &str, detail: String) -> StorageError {
    StorageError::OlderSchema { database: place.to_owned(), detail }
}
