//! The master key and the tenants' keys that it wraps.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use aes_gcm::Aes256Gcm;
use secrecy::ExposeSecret;
use zeroize::Zeroizing;

use crate::crypto::{KeyBytes, Sealer, cipher_of, key_from, open_with, random_key, seal_with};
use crate::error::StorageError;
use crate::ids::TenantId;
use crate::records::word_enum;

/// Keys wrapped by the master key name it as key 0.
const MASTER_KEY_ID: u32 = 0;
const KEY_CHECK: &[u8] = b"quandura key check";
const FIRST_KEY: u32 = 1;

word_enum! {
    /// What a tenant's key is for. Looking up must survive a rotation of the sealing key, so it has its own.
    KeyPurpose { Seal = "seal", Lookup = "lookup" }
}

/// A tenant's key as the platform keeps it.
#[derive(Clone, sqlx::FromRow)]
pub(crate) struct WrappedKey {
    pub purpose: KeyPurpose,
    #[sqlx(try_from = "i64")]
    pub key_id: u32,
    pub wrapped: Vec<u8>,
}

/// The key of the whole platform. Lives in `<data>/master.key`.
pub struct MasterKey {
    cipher: Aes256Gcm,
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(…)")
    }
}

impl MasterKey {
    /// Reads the key file. With `may_create` a missing file is created: only where nothing was sealed yet.
    pub fn load(path: &Path, may_create: bool) -> Result<Self, StorageError> {
        match File::open(path) {
            Ok(file) => Self::read(file, path),
            Err(error) if error.kind() == io::ErrorKind::NotFound && may_create => {
                create_key_file(path).map_err(|e| StorageError::from_io(&e, path))?;
                Self::load(path, false)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(problem(
                path,
                "the master key is missing, and there is data that was sealed with it; put the file back from your backup, \
                 or copy it from another node of the same database",
            )),
            Err(error) => Err(StorageError::from_io(&error, path)),
        }
    }

    fn read(file: File, path: &Path) -> Result<Self, StorageError> {
        refuse_open_permissions(&file, path)?;
        let mut bytes = Zeroizing::new(Vec::with_capacity(64));
        file.take(33).read_to_end(&mut bytes).map_err(|e| StorageError::from_io(&e, path))?;
        let Some(key) = key_from(&bytes) else {
            return Err(problem(
                path,
                "a master key is exactly 32 bytes; put the file back from your backup",
            ));
        };
        Ok(Self { cipher: cipher_of(&key) })
    }

    /// A sealed constant: opening it tells whether this key is the data's.
    pub(crate) fn make_check(&self) -> Result<Vec<u8>, StorageError> {
        seal_with(&self.cipher, MASTER_KEY_ID, b"", KEY_CHECK, "the key check")
    }

    pub(crate) fn check(&self, sealed: &[u8], path: &Path) -> Result<(), StorageError> {
        match open_with(&self.cipher, b"", sealed, "the key check") {
            Ok(plain) if *plain == KEY_CHECK => Ok(()),
            _ => Err(problem(path, "this is not the master key that the data was sealed with")),
        }
    }

    /// Fresh wrapped keys for a new tenant.
    pub(crate) fn issue(&self, tenant: TenantId) -> Result<Vec<WrappedKey>, StorageError> {
        [KeyPurpose::Seal, KeyPurpose::Lookup]
            .into_iter()
            .map(|purpose| {
                let key = random_key();
                let label = label(tenant, purpose, FIRST_KEY);
                let wrapped =
                    seal_with(&self.cipher, MASTER_KEY_ID, &label, key.expose_secret(), "a tenant's key")?;
                Ok(WrappedKey { purpose, key_id: FIRST_KEY, wrapped })
            })
            .collect()
    }

    /// The sealer of a tenant, from its wrapped keys.
    pub(crate) fn sealer(&self, tenant: TenantId, keys: &[WrappedKey]) -> Result<Sealer, StorageError> {
        let mut sealing = BTreeMap::new();
        let mut lookup = None;
        for key in keys {
            let opened = self.unwrap_key(tenant, key)?;
            match key.purpose {
                KeyPurpose::Seal => drop(sealing.insert(key.key_id, opened)),
                KeyPurpose::Lookup => lookup = Some(opened),
            }
        }
        let lookup = lookup.ok_or(StorageError::Crypto { what: "a tenant without a look-up key" })?;
        Sealer::new(tenant, &sealing, lookup)
    }

    fn unwrap_key(&self, tenant: TenantId, key: &WrappedKey) -> Result<KeyBytes, StorageError> {
        let what = "a tenant's key";
        let plain = open_with(&self.cipher, &label(tenant, key.purpose, key.key_id), &key.wrapped, what)?;
        key_from(&plain).ok_or(StorageError::Crypto { what })
    }
}

/// Ties a wrapped key to its tenant and use, so that rows cannot be swapped.
fn label(tenant: TenantId, purpose: KeyPurpose, key_id: u32) -> Vec<u8> {
    [tenant.0.as_bytes().as_slice(), &key_id.to_be_bytes(), purpose.as_str().as_bytes()].concat()
}

/// Whole or not at all: a crash must not leave half a key that would be used from then on.
fn create_key_file(path: &Path) -> io::Result<()> {
    let unfinished = path.with_extension("key.new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished)?;
    file.write_all(random_key().expose_secret())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(unix)]
fn refuse_open_permissions(file: &File, path: &Path) -> Result<(), StorageError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map_err(|e| StorageError::from_io(&e, path))?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err(problem(path, "the master key is readable by others; run: chmod 600 on it"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open_permissions(_file: &File, _path: &Path) -> Result<(), StorageError> {
    Ok(())
}

fn problem(path: &Path, problem: &'static str) -> StorageError {
    StorageError::MasterKey { file: path.display().to_string(), problem }
}
