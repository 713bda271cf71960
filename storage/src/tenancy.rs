//! The platform: the data folder, its lock, its master key, and the only way to a tenant's data.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use crate::clock::now;
use crate::error::StorageError;
use crate::ids::TenantId;
use crate::keys::MasterKey;
use crate::platform_records::{NewTenant, Tenant};
use crate::sqlite::{PlatformStore, TenantStore};
use crate::store::Directory;

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
    /// Read connections per database.
    pub readers: u32,
}

impl PlatformOptions {
    #[must_use]
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self { data_dir: data_dir.into(), durability: Durability::Full, readers: 3 }
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
    master: MasterKey,
    store: PlatformStore,
    tenants: OpenTenants,
    /// Last, so that the databases are closed before another process may come in.
    _lock: File,
}

/// The tenants that are open.
#[derive(Debug, Default)]
struct OpenTenants(Mutex<HashMap<TenantId, Arc<OnceCell<TenantStore>>>>);

impl Platform {
    /// Opens the data folder, creating it where it is missing, and brings its schema up to date.
    ///
    /// Fails with `Locked` when another process has it, `MasterKey` when the key file is missing or wrong,
    /// `ReadOnly`, `CannotOpen`, `Corrupt` or `NewerSchema`; each message names the path and the fix.
    pub async fn open(options: PlatformOptions) -> Result<Self, StorageError> {
        let folder = &options.data_dir;
        create_folder(folder)?;
        create_folder(&folder.join("tenants"))?;
        let lock = take_lock(folder)?;
        let database = folder.join("platform.db");
        let key_file = folder.join("master.key");
        let sealed_already = fs::metadata(&database).is_ok_and(|file| file.len() > 0);
        let master = MasterKey::load(&key_file, !sealed_already)?;
        let store = PlatformStore::open(&database, &options).await?;
        master.check(&store.key_check(master.make_check()?).await?, &key_file)?;
        let inner = Inner { options, master, store, tenants: OpenTenants::default(), _lock: lock };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Tenants, lines and sign-in: implements [`Directory`] and [`crate::Auth`].
    #[must_use]
    pub fn store(&self) -> &PlatformStore {
        &self.inner.store
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
        self.inner.store.insert_tenant(&tenant, &keys).await?;
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

    async fn open_tenant(&self, id: TenantId) -> Result<TenantStore, StorageError> {
        let inner = &self.inner;
        let sealer = inner.master.sealer(id, &inner.store.tenant_keys(id).await?)?;
        let file = inner.options.data_dir.join("tenants").join(format!("{id}.db"));
        TenantStore::open(&file, &inner.options, id, sealer).await
    }

    /// Asks every open database for an answer.
    pub async fn health(&self) -> Vec<DatabaseHealth> {
        let mut health = vec![timed("platform".to_owned(), self.inner.store.ping()).await];
        for tenant in self.inner.tenants.all() {
            health.push(timed(tenant.id().to_string(), tenant.ping()).await);
        }
        health
    }

    /// Writes out what waits and closes the databases. Later calls on any handle fail.
    pub async fn close(&self) {
        for tenant in self.inner.tenants.all() {
            tenant.close().await;
        }
        self.inner.store.close().await;
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
