//! Where a gateway under test keeps everything: a folder, and a database beside it where that is not SQLite's files.

#[path = "../../storage/tests/private_postgres/mod.rs"]
pub mod private_postgres;

use std::sync::Arc;

use anyhow::Result;
use gateway::config::Config;
use private_postgres::{Cluster, TestDatabase};
use storage::{Backend, PostgresOptions};
use tempfile::TempDir;

use crate::gateway::{ADMIN, Doubles, TestGateway};

/// A data folder and its database. Clones are the same place: a gateway that starts there again finds what was kept.
#[derive(Clone, Debug)]
pub struct Home {
    pub dir: Arc<TempDir>,
    /// `None`: SQLite, in the folder.
    pub database: Option<TestDatabase>,
}

impl Home {
    pub fn sqlite() -> Result<Self> {
        Ok(Self { dir: Arc::new(tempfile::tempdir()?), database: None })
    }

    /// An empty database of the server that all tests share.
    pub fn postgres() -> Result<Self> {
        Ok(Self { database: Some(Cluster::shared().database()), ..Self::sqlite()? })
    }

    /// What `/health` calls it.
    #[must_use]
    pub const fn dependency(&self) -> &'static str {
        if self.database.is_some() { "storage.postgresql" } else { "storage.sqlite" }
    }

    /// Fails when that gateway keeps its data elsewhere.
    pub fn check(&self, gateway: &TestGateway) -> Result<()> {
        let expected = if self.database.is_some() { Backend::Postgres } else { Backend::Sqlite };
        let found = gateway.running.app.platform.backend();
        anyhow::ensure!(found == expected, "the gateway is on {found}, not on {expected}");
        Ok(())
    }

    /// What an operator sets, both roles.
    #[must_use]
    pub fn vars(&self) -> Vec<(&'static str, String)> {
        let Some(database) = &self.database else { return Vec::new() };
        vec![("DATABASE_URL", database.app()), ("DATABASE_MIGRATION_URL", database.owner())]
    }

    /// The same as values.
    #[must_use]
    pub fn config(&self) -> Config {
        let mut config = Config::for_test(self.dir.path());
        config.admin_token = Some(ADMIN.to_owned().into());
        config.postgres = self.database.as_ref().map(|d| PostgresOptions::new(d.app()).with_owner(d.owner()));
        config
    }
}

impl TestGateway {
    /// Starts where another may have run before.
    pub async fn start_at(home: &Home, doubles: Doubles) -> Result<Self> {
        let gateway = Self::start_configured(home.dir.clone(), home.config(), doubles).await?;
        home.check(&gateway)?;
        Ok(gateway)
    }
}

/// Makes two tests of one function that takes a [`Home`]: `<name>::on_sqlite` and `<name>::on_postgresql`.
#[macro_export]
macro_rules! on_both_back_ends {
    ($($name:ident),+ $(,)?) => {$(
        mod $name {
            use $crate::home::Home;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_sqlite() {
                super::$name(Home::sqlite().unwrap()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_postgresql() {
                super::$name(Home::postgres().unwrap()).await;
            }
        }
    )+};
}
