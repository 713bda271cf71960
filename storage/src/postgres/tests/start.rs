//! What a start refuses, and how it says so.

use super::{Cluster, TestDatabase, node_folder, open, options};
use crate::postgres::Server;
use crate::postgres::connect::{Session, connect};
use crate::postgres::server::Pool;
use crate::{Durability, Platform, PlatformOptions, PostgresOptions, StorageError};

fn app_only(database: &TestDatabase, role: &str) -> PostgresOptions {
    PostgresOptions::new(database.url(role))
}

async fn start(postgres: PostgresOptions) -> Result<Platform, StorageError> {
    let folder = node_folder();
    let options = PlatformOptions { postgres: Some(postgres), ..PlatformOptions::new(folder.path()) };
    Platform::open(options).await
}

fn tells(error: &StorageError, parts: &[&str]) {
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in {message:?}");
    }
}

/// A database with our schema.
async fn migrated() -> TestDatabase {
    let database = Cluster::shared().database();
    let folder = node_folder();
    open(folder.path(), &database).await.unwrap().close().await;
    database
}

/// A role of this database's own, because roles belong to the whole server.
fn role(database: &TestDatabase, attributes: &str, after: &str) -> String {
    let role = format!("r_{}", database.name);
    let owner = "quandura_owner";
    let grants =
        format!("grant all on all tables in schema public to {role}; {}", after.replace("ROLE", &role));
    Cluster::shared().sql(&database.name, &format!("create role {role} login {attributes}"));
    Cluster::shared().sql(&database.name, &grants.replace("OWNER", owner));
    role
}

async fn refused(database: &TestDatabase, role: &str, parts: &[&str]) {
    let error = start(app_only(database, role)).await.unwrap_err();
    assert!(matches!(error, StorageError::UnsafeRole { .. }), "{error}");
    tells(&error, parts);
    tells(&error, &[role, &database.name]);
}

#[tokio::test]
async fn a_superuser_is_refused() {
    let database = migrated().await;
    refused(&database, "postgres", &["superuser", "DATABASE_MIGRATION_URL"]).await;
}

#[tokio::test]
async fn the_owner_is_refused() {
    let database = migrated().await;
    refused(&database, "quandura_owner", &["owns the table", "DATABASE_MIGRATION_URL"]).await;
}

#[tokio::test]
async fn a_role_that_may_become_the_owner_is_refused() {
    let database = migrated().await;
    let role = role(&database, "", "grant OWNER to ROLE");
    refused(&database, &role, &["owns the table"]).await;
}

#[tokio::test]
async fn a_role_with_bypassrls_is_refused() {
    let database = migrated().await;
    let role = role(&database, "bypassrls", "select 1");
    refused(&database, &role, &["BYPASSRLS", "nobypassrls"]).await;
}

#[tokio::test]
async fn a_role_that_makes_roles_is_refused() {
    let database = migrated().await;
    let role = role(&database, "createrole", "select 1");
    refused(&database, &role, &["may create roles", "nocreaterole"]).await;
}

#[tokio::test]
async fn a_role_that_owns_the_database_is_refused() {
    let database = migrated().await;
    let role = role(&database, "", &format!("alter database {} owner to ROLE", database.name));
    refused(&database, &role, &["owns the database"]).await;
}

#[tokio::test]
async fn a_role_that_may_truncate_is_refused() {
    let database = migrated().await;
    let role = role(&database, "", "select 1");
    refused(&database, &role, &["may truncate", "quandura migrate"]).await;
}

#[tokio::test]
async fn a_table_without_forced_security_is_refused() {
    for undone in ["alter table claims no force row level security", "drop policy tenant on claims"] {
        let database = migrated().await;
        Cluster::shared().sql(&database.name, undone);
        refused(&database, "quandura_app", &["claims", "force row level security"]).await;
    }
}

#[tokio::test]
async fn another_role_gets_its_rights_with_the_next_migration() {
    let database = migrated().await;
    let role = role(&database, "", "select 1");
    let postgres = app_only(&database, &role).with_owner(database.owner());
    start(postgres).await.unwrap();
    start(app_only(&database, &role)).await.unwrap();
}

#[tokio::test]
async fn without_the_owner_the_schema_must_be_there() {
    let database = Cluster::shared().database();
    let error = start(app_only(&database, "quandura_app")).await.unwrap_err();
    assert!(matches!(error, StorageError::OlderSchema { .. }), "{error}");
    tells(&error, &["no tables of ours", "quandura migrate", "DATABASE_MIGRATION_URL", &database.name]);
    let folder = node_folder();
    open(folder.path(), &database).await.unwrap().close().await;
    let postgres = Some(app_only(&database, "quandura_app"));
    let again = PlatformOptions { postgres, ..PlatformOptions::new(folder.path()) };
    let probe = again.postgres.as_ref().unwrap().probe().await.unwrap();
    assert!(probe.survives_power_cuts && probe.tls.is_none() && probe.role == "quandura_app", "{probe:?}");
    Platform::open(again).await.unwrap();
}

#[tokio::test]
async fn a_schema_that_lacks_a_migration_is_told() {
    let database = migrated().await;
    Cluster::shared().sql(&database.name, "delete from _sqlx_migrations_tenant where version = 4");
    let error = start(app_only(&database, "quandura_app")).await.unwrap_err();
    assert!(matches!(error, StorageError::OlderSchema { .. }), "{error}");
    tells(&error, &["lacks 4"]);
}

#[tokio::test]
async fn data_of_a_newer_program_is_left_alone() {
    let newer =
        "insert into _sqlx_migrations_tenant (version, description, success, checksum, execution_time)
                 values (9999, 'later', true, '', 0)";
    for with_owner in [false, true] {
        let database = migrated().await;
        Cluster::shared().sql(&database.name, newer);
        let postgres = app_only(&database, "quandura_app");
        let postgres = if with_owner { postgres.with_owner(database.owner()) } else { postgres };
        let error = start(postgres).await.unwrap_err();
        assert!(matches!(error, StorageError::NewerSchema { .. }), "{error}");
        tells(&error, &["9999", "upgrade"]);
    }
}

#[tokio::test]
async fn what_can_not_be_reached_is_told_with_the_fix() {
    let database = Cluster::shared().database();
    let mut absent = database.clone();
    absent.name = "no_such".into();
    let error = start(app_only(&absent, "quandura_app")).await.unwrap_err();
    tells(&error, &["no_such", "create the database"]);
    let error = start(app_only(&database, "nobody_we_know")).await.unwrap_err();
    tells(&error, &["nobody_we_know", "correct role and password"]);
    let away = PostgresOptions::new("postgres://app@127.0.0.1:1/quandura".to_owned());
    let error = start(away).await.unwrap_err();
    assert!(matches!(error, StorageError::Unavailable { .. }), "{error}");
    tells(&error, &["127.0.0.1:1", "does not answer", "DATABASE_URL"]);
    let missing = app_only(&database, "quandura_missing").with_owner(database.owner());
    let error = start(missing).await.unwrap_err();
    tells(&error, &["quandura_missing", "does not exist", "create role"]);
    let wrong = app_only(&database, "quandura_app").with_owner(database.app());
    let error = start(wrong).await.unwrap_err();
    tells(&error, &["quandura_app", "may not change the schema", "DATABASE_MIGRATION_URL"]);
}

#[tokio::test]
async fn a_database_of_another_encoding_is_refused() {
    let cluster = Cluster::shared();
    let mut database = cluster.database();
    database.name += "_latin";
    let sql = format!(
        "create database {} owner quandura_owner template template0 locale_provider libc \
         encoding 'LATIN1' locale 'C'",
        database.name
    );
    cluster.sql("postgres", &sql);
    let error = start(app_only(&database, "quandura_app")).await.unwrap_err();
    tells(&error, &["LATIN1", "UTF8"]);
}

#[tokio::test]
async fn commits_wait_for_the_disk_even_where_the_database_is_set_not_to() {
    let database = migrated().await;
    let lax = format!("alter database {} set synchronous_commit = off", database.name);
    Cluster::shared().sql("postgres", &lax);
    for (durability, expected) in [(Durability::Full, "on"), (Durability::Normal, "off")] {
        let folder = node_folder();
        let options = PlatformOptions { durability, ..options(folder.path(), &database) };
        let server = Server::open(options.postgres.as_ref().unwrap(), durability).await.unwrap();
        for pool in [Pool::Requests, Pool::CallLog] {
            let mut conn = server.begin(pool, "begin").await.unwrap();
            let set = sqlx::query_scalar("select current_setting('synchronous_commit')");
            let set: String = set.fetch_one(&mut *conn).await.unwrap();
            assert_eq!(set, expected, "{durability:?}, {pool:?}");
        }
    }
}

#[tokio::test]
async fn sessions_are_synced_and_have_limits() {
    let database = migrated().await;
    let folder = node_folder();
    let postgres = options(folder.path(), &database).postgres.unwrap();
    let session = Session::of_application(&postgres, Durability::Full).unwrap();
    let mut conn = connect(&session).await.unwrap();
    for (name, value) in
        [("synchronous_commit", "on"), ("fsync", "on"), ("statement_timeout", "10s"), ("lock_timeout", "5s")]
    {
        let set: String =
            sqlx::query_scalar("select current_setting($1)").bind(name).fetch_one(&mut conn).await.unwrap();
        assert_eq!(set, value, "{name}");
    }
}
