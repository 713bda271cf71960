//! The platform: the data folder, its lock, its master key, the database, and the only way to a tenant's data.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use crate::audit::AnchorFile;
use crate::backend::{Backend, Either, PlatformStore, TenantStore, on_backend};
use crate::clock::now;
use crate::error::StorageError;
use crate::ids::{NodeId, TenantId};
use crate::keys::MasterKey;
use crate::platform_records::{NewTenant, Tenant};
use crate::postgres::{Begun, PostgresOptions, Server};
use crate::store::Directory;
use crate::{node, sqlite};

/// Name of the platform's own row among the tenants. No tenant can be given it, and lists leave it out.
pub const PLATFORM_SLUG: &str = "_platform";

/// What a returned write survives. Both survive a kill of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Durability {
    /// A power cut as well: the log is synced at every commit.
    #[default]
    Full,
    /// A power cut may take the last commits (never the database's consistency). For benches and tests.
    Normal,
}

#[derive(Clone, Debug)]
pub struct PlatformOptions {
    pub data_dir: PathBuf,
    pub durability: Durability,
    /// Read connections per SQLite database.
    pub readers: u32,
    /// Keep everything in PostgreSQL. The folder still holds the master key, the node's id and the lock.
    pub postgres: Option<PostgresOptions>,
}

impl PlatformOptions {
    #[must_use]
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), durability: Durability::Full, readers: 3, postgres: None }
    }
}

/// How one database answered.
#[derive(Clone, Debug)]
pub struct DatabaseHealth {
    /// `platform`, or the tenant's id.
    pub database: String,
    /// How long it took.
    pub answer: Result<Duration, StorageError>,
}

/// An open data folder. Clones share it; the folder is let go with the last one.
#[derive(Clone, Debug)]
pub struct Platform {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: PlatformOptions,
    node: NodeId,
    master: MasterKey,
    /// The server, where there is one; else every tenant has a file.
    server: Option<Server>,
    store: PlatformStore,
    tenants: OpenTenants,
    /// Last, so that the databases are closed before another process may come in.
    _lock: File,
}

/// Held while this node does what one node at a time may do; see [`Platform::start_turn`].
#[derive(Debug)]
pub struct StartTurn {
    _held: Option<Begun>,
}

/// The tenants that are open.
#[derive(Debug, Default)]
struct OpenTenants(Mutex<HashMap<TenantId, Arc<OnceCell<TenantStore>>>>);

impl Platform {
    /// Opens the data folder, creating it where it is missing, and brings the schema up to date.
    ///
    /// Fails with `Locked` when another process has it, `MasterKey` when the key file is missing or wrong,
    /// `ReadOnly`, `CannotOpen`, `Corrupt` or `NewerSchema`; with PostgreSQL also with `Unavailable`, `Unsuitable`,
    /// `UnsafeRole` or `OlderSchema`. Each message names what is wrong and the fix.
    pub async fn open(options: PlatformOptions) -> Result<Self, StorageError> {
        let folder = &options.data_dir;
        create_folder(folder)?;
        let lock = take_lock(folder)?;
        let node = node::id_of(folder)?;
        let (server, master, store) = match &options.postgres {
            Some(postgres) => {
                let server = Server::open(postgres, options.durability).await?;
                let master = server.master_key(&folder.join("master.key")).await?;
                let store = PlatformStore(Either::Postgres(server.platform()));
                (Some(server), master, store)
            }
            None => {
                let (master, store) = open_files(&options).await?;
                (None, master, store)
            }
        };
        let tenants = OpenTenants::default();
        Ok(Self { inner: Arc::new(Inner { options, node, master, server, store, tenants, _lock: lock }) })
    }

    /// Where everything is kept.
    #[must_use]
    pub fn backend(&self) -> Backend {
        if self.inner.server.is_some() { Backend::Postgres } else { Backend::Sqlite }
    }

    /// What messages call that place: the folder, or host, port and name of the database. No password.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.inner.server {
            Some(server) => server.place().to_owned(),
            None => self.inner.options.data_dir.display().to_string(),
        }
    }

    /// Which process this is, among those that share a database.
    #[must_use]
    pub fn node(&self) -> NodeId {
        self.inner.node
    }

    /// Tenants, lines and sign-in: implements [`Directory`] and [`crate::Auth`].
    #[must_use]
    pub fn store(&self) -> &PlatformStore {
        &self.inner.store
    }

    /// For what is done once for all nodes, such as filling an empty platform: nodes that start together wait for one
    /// another here, a minute at most (`Busy`). Others may go on when the turn is dropped. With SQLite there is one node.
    pub async fn start_turn(&self) -> Result<StartTurn, StorageError> {
        let held = match &self.inner.server {
            Some(server) => Some(server.start_turn().await?),
            None => None,
        };
        Ok(StartTurn { _held: held })
    }

    /// Makes a tenant with keys of its own. `Taken` when the slug is in use.
    pub async fn create_tenant(&self, new: NewTenant) -> Result<Tenant, StorageError> {
        if !is_slug(&new.slug) {
            return Err(StorageError::Invalid {
                what: "a tenant slug has 1–40 lower-case letters, digits and dashes",
            });
        }
        let tenant = Tenant {
            id: TenantId::new(),
            slug: new.slug,
            name: new.name,
            timezone: new.timezone,
            created_at: now(),
        };
        let keys = self.inner.master.issue(tenant.id)?;
        on_backend!(self.inner.store, store => store.insert_tenant(&tenant, &keys).await)?;
        Ok(tenant)
    }

    /// The tenant's own store; opened at first use, then shared. `NotFound` for an unknown tenant.
    pub async fn tenant(&self, id: TenantId) -> Result<TenantStore, StorageError> {
        if let Some(store) = self.inner.tenants.opened(id) {
            return Ok(store);
        }
        let known = self.inner.store.tenant_by_id(id).await?;
        known.ok_or(StorageError::NotFound { what: "tenant" })?;
        let cell = self.inner.tenants.cell(id);
        cell.get_or_try_init(|| self.open_tenant(id)).await.cloned()
    }

    /// The platform's own store: its audit holds what belongs to no tenant, such as failed sign-ins. Made at first use.
    pub async fn own(&self) -> Result<TenantStore, StorageError> {
        if let Some(store) = self.inner.tenants.opened(TenantId::PLATFORM) {
            return Ok(store);
        }
        if self.inner.store.tenant_by_id(TenantId::PLATFORM).await?.is_none() {
            let own = Tenant {
                id: TenantId::PLATFORM,
                slug: PLATFORM_SLUG.to_owned(),
                name: "The platform itself".to_owned(),
                timezone: "UTC".to_owned(),
                created_at: now(),
            };
            let keys = self.inner.master.issue(own.id)?;
            match on_backend!(self.inner.store, store => store.insert_tenant(&own, &keys).await) {
                // Another node was first.
                Ok(()) | Err(StorageError::Taken { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.tenant(TenantId::PLATFORM).await
    }

    async fn open_tenant(&self, id: TenantId) -> Result<TenantStore, StorageError> {
        let inner = &self.inner;
        let keys = on_backend!(inner.store, store => store.tenant_keys(id).await)?;
        let sealer = inner.master.sealer(id, &keys)?;
        let anchor = AnchorFile::new(inner.options.data_dir.join("audit").join(format!("{id}.head")));
        let store = match &inner.server {
            Some(server) => TenantStore(Either::Postgres(server.tenant(id, inner.node, sealer, anchor))),
            None => {
                let file = inner.options.data_dir.join("tenants").join(format!("{id}.db"));
                let store =
                    sqlite::open_tenant(&file, &inner.options, id, inner.node, sealer, anchor).await?;
                TenantStore(Either::Sqlite(store))
            }
        };
        // Before anybody else has the store: whoever comes first says which key opens the gate.
        on_backend!(store, store => store.enrol_memory_manager().await)?;
        on_backend!(store, store => store.forget_withheld().await)?;
        Ok(store)
    }

    /// Asks every open database for an answer. PostgreSQL is one, whatever the number of tenants.
    pub async fn health(&self) -> Vec<DatabaseHealth> {
        let ping = async { on_backend!(self.inner.store, store => store.ping().await) };
        let mut health = vec![timed("platform".to_owned(), ping).await];
        let files = if self.inner.server.is_none() { self.inner.tenants.all() } else { Vec::new() };
        for tenant in files {
            health.push(timed(tenant.id().to_string(), tenant.ping()).await);
        }
        health
    }

    /// Writes out what waits and closes the databases. Later calls on any handle fail.
    pub async fn close(&self) {
        for tenant in self.inner.tenants.all() {
            tenant.close().await;
        }
        on_backend!(self.inner.store, store => store.close().await);
    }
}

impl OpenTenants {
    /// The tenant's cell; whoever comes first fills it, the others wait for that.
    fn cell(&self, id: TenantId) -> Arc<OnceCell<TenantStore>> {
        self.lock().entry(id).or_default().clone()
    }

    fn opened(&self, id: TenantId) -> Option<TenantStore> {
        self.lock().get(&id)?.get().cloned()
    }

    fn all(&self) -> Vec<TenantStore> {
        self.lock().values().filter_map(|cell| cell.get().cloned()).collect()
    }

    // A panic while the map is held leaves it whole: every change is one call.
    fn lock(&self) -> MutexGuard<'_, HashMap<TenantId, Arc<OnceCell<TenantStore>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the files of all tenants in a data folder, for `doctor`: how many there are, and what is wrong with which.
/// Nothing is changed; there are none where everything is in PostgreSQL.
pub async fn check_files(data_dir: &Path) -> (usize, Vec<StorageError>) {
    let entries = fs::read_dir(data_dir.join("tenants")).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "db"))
        .collect();
    let mut damaged = Vec::new();
    for file in &files {
        if let Err(error) = sqlite::check_file(file).await {
            damaged.push(error);
        }
    }
    (files.len(), damaged)
}

/// The platform's file and the master key of the folder.
async fn open_files(options: &PlatformOptions) -> Result<(MasterKey, PlatformStore), StorageError> {
    let folder = &options.data_dir;
    create_folder(&folder.join("tenants"))?;
    let database = folder.join("platform.db");
    let key_file = folder.join("master.key");
    let sealed_already = fs::metadata(&database).is_ok_and(|file| file.len() > 0);
    let master = MasterKey::load(&key_file, !sealed_already)?;
    let store = sqlite::open_platform(&database, options).await?;
    master.check(&store.key_check(master.make_check()?).await?, &key_file)?;
    Ok((master, PlatformStore(Either::Sqlite(store))))
}

async fn timed(database: String, ping: impl Future<Output = Result<(), StorageError>>) -> DatabaseHealth {
    let began = Instant::now();
    let answer = ping.await.map(|()| began.elapsed());
    DatabaseHealth { database, answer }
}

fn is_slug(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

fn create_folder(folder: &Path) -> Result<(), StorageError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| StorageError::from_io(&e, folder))
}

/// Held as long as the file is open; the system lets it go however the process ends.
fn take_lock(folder: &Path) -> Result<File, StorageError> {
    let path = folder.join("lock");
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|e| StorageError::from_io(&e, &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            Err(StorageError::Locked { folder: folder.display().to_string() })
        }
        Err(fs::TryLockError::Error(e)) => Err(StorageError::from_io(&e, &path)),
    }
}
