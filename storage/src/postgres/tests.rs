//! The conformance suite on a real server, and what only a server can show.

#![allow(clippy::unwrap_used)]

mod isolation;
mod nodes;
#[path = "../../tests/private_postgres/mod.rs"]
mod private_postgres;
mod schema_pairs;
mod stalls;
mod start;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use private_postgres::{Cluster, TestDatabase};
use sqlx::{ConnectOptions, PgConnection};

use crate::backend::Either;
use crate::conformance::Fixture;
use crate::{Platform, PlatformOptions, PostgresOptions, StorageError};

/// A data folder with the master key that the nodes of these tests share.
fn node_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("master.key");
    fs::write(&key, [7; 32]).expect("a key");
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).expect("its permissions");
    folder
}

fn options(folder: &Path, database: &TestDatabase) -> PlatformOptions {
    let postgres = PostgresOptions::new(database.app()).with_owner(database.owner());
    // Many tests run at a time, and some have many nodes.
    let postgres = PostgresOptions { connections: 8, ..postgres };
    PlatformOptions { postgres: Some(postgres), ..PlatformOptions::new(folder) }
}

async fn open(folder: &Path, database: &TestDatabase) -> Result<Platform, StorageError> {
    Platform::open(options(folder, database)).await
}

async fn fixture_on(database: &TestDatabase) -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let platform = open(folder.path(), database).await.expect("a platform");
    Fixture::on(platform, Box::new(folder)).await
}

async fn fixture() -> Fixture {
    fixture_on(&Cluster::shared().database()).await
}

fn core(f: &Fixture) -> &super::tenant::Core {
    match &f.river.0 {
        Either::Postgres(store) => &store.core,
        Either::Sqlite(_) => panic!("the fixture is on PostgreSQL"),
    }
}

/// A connection past the stores.
async fn raw(url: &str) -> PgConnection {
    url.parse::<sqlx::postgres::PgConnectOptions>().unwrap().connect().await.unwrap()
}

/// The SQLSTATE of a refused statement.
fn state(error: &sqlx::Error) -> String {
    error.as_database_error().and_then(|said| said.code()).unwrap_or_default().into_owned()
}

mod suite {
    crate::conformance::suite!(super::super::fixture);
}
