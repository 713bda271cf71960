//! Sealing: AES-256-GCM with a key per tenant, a random nonce per value, and associated data that ties a value to
//! its tenant, column and row.
//!
//! ```text
//! sealed = version (1 byte) | key id (4 bytes, big-endian) | nonce (12 bytes) | ciphertext and tag
//! ```

use std::collections::BTreeMap;
use std::fmt;

use aes_gcm::aead::{Aead, Generate, Nonce, Payload};
use aes_gcm::{Aes256Gcm, KeyInit};
use hmac::{Hmac, Mac};
use secrecy::{ExposeSecret, SecretBox};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::StorageError;
use crate::ids::TenantId;
use crate::zones::{LookupHash, Place, normalise_phone, once_taken_for_numbers};

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 12;
const HEADER_BYTES: usize = 1 + 4 + NONCE_BYTES;

/// Key material. Wiped when dropped, never shown.
pub(crate) type KeyBytes = SecretBox<[u8; 32]>;

/// Draws a key from the operating system's source.
pub(crate) fn random_key() -> KeyBytes {
    let drawn = Zeroizing::new(<[u8; 32]>::generate());
    SecretBox::init_with_mut(|key: &mut [u8; 32]| key.copy_from_slice(&*drawn))
}

/// A key from its bytes, without a copy left behind; `None` when they are not 32.
pub(crate) fn key_from(bytes: &[u8]) -> Option<KeyBytes> {
    (bytes.len() == 32).then(|| SecretBox::init_with_mut(|key: &mut [u8; 32]| key.copy_from_slice(bytes)))
}

pub(crate) fn cipher_of(key: &KeyBytes) -> Aes256Gcm {
    Aes256Gcm::new(key.expose_secret().into())
}

/// Seals and opens one tenant's values, and hashes phone numbers for look-up.
pub struct Sealer {
    tenant: TenantId,
    current: u32,
    ciphers: BTreeMap<u32, Aes256Gcm>,
    lookup: KeyBytes,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sealer({}, key {})", self.tenant, self.current)
    }
}

impl Sealer {
    /// A sealer with every key the tenant ever had; the one with the highest id seals.
    pub(crate) fn new(
        tenant: TenantId,
        keys: &BTreeMap<u32, KeyBytes>,
        lookup: KeyBytes,
    ) -> Result<Self, StorageError> {
        let current = *keys.keys().last().ok_or(StorageError::Crypto { what: "a tenant without keys" })?;
        let ciphers = keys.iter().map(|(id, key)| (*id, cipher_of(key))).collect();
        Ok(Self { tenant, current, ciphers, lookup })
    }

    /// Seals bytes for one place and row. Equal input gives different output every time.
    pub fn seal(&self, place: Place, row: &[u8], plain: &[u8]) -> Result<Vec<u8>, StorageError> {
        let cipher = self.cipher(self.current, place)?;
        seal_with(cipher, self.current, &self.associated(place, row), plain, place.table)
    }

    /// Opens what [`Self::seal`] made for the same tenant, place and row.
    pub fn open(&self, place: Place, row: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, StorageError> {
        let cipher = self.cipher(key_id(sealed).unwrap_or_default(), place)?;
        open_with(cipher, &self.associated(place, row), sealed, place.table)
    }

    pub fn seal_json(
        &self,
        place: Place,
        row: &[u8],
        value: &impl Serialize,
    ) -> Result<Vec<u8>, StorageError> {
        let plain = serde_json::to_vec(value).map(Zeroizing::new);
        self.seal(place, row, &plain.map_err(|_| StorageError::Invalid { what: "a value that is not JSON" })?)
    }

    pub fn open_json<T: DeserializeOwned>(
        &self,
        place: Place,
        row: &[u8],
        sealed: &[u8],
    ) -> Result<T, StorageError> {
        // The parser's own message may quote what it read, so it is dropped.
        serde_json::from_slice(&self.open(place, row, sealed)?).map_err(|_| failure(place.table))
    }

    pub fn open_text(&self, place: Place, row: &[u8], sealed: &[u8]) -> Result<String, StorageError> {
        let plain = self.open(place, row, sealed)?;
        std::str::from_utf8(&plain).map(str::to_owned).map_err(|_| failure(place.table))
    }

    /// The keyed hash under which a phone number is found; `None` for what is no phone number.
    #[must_use]
    pub fn lookup_hash(&self, phone: &str) -> Option<LookupHash> {
        let phone = Zeroizing::new(normalise_phone(phone)?);
        self.hash_of(phone.as_bytes())
    }

    /// The hashes under which earlier versions kept what callers told whose number was withheld.
    pub(crate) fn withheld_hashes(&self) -> Vec<LookupHash> {
        once_taken_for_numbers().filter_map(|number| self.hash_of(number.as_bytes())).collect()
    }

    fn hash_of(&self, number: &[u8]) -> Option<LookupHash> {
        // HMAC takes keys of any length, so this never fails.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.lookup.expose_secret()).ok()?;
        mac.update(number);
        Some(LookupHash(mac.finalize().into_bytes().into()))
    }

    /// The seal of an audit. Its key is made from the look-up key, which a rotation leaves as it is.
    pub(crate) fn audit_mac(&self, text: &[u8]) -> Vec<u8> {
        let key = keyed_hash(self.lookup.expose_secret(), b"quandura.audit.key.v1");
        keyed_hash(&key, text)
    }

    /// What opens the gate of the tables that the memory manager alone writes. No phone number begins so.
    pub(crate) fn memory_pass(&self) -> Result<Zeroizing<String>, StorageError> {
        let mac = Hmac::<Sha256>::new_from_slice(self.lookup.expose_secret());
        let mut mac = mac.map_err(|_| failure("memory_authority"))?;
        mac.update(b"memory manager of ");
        mac.update(self.tenant.0.as_bytes());
        let pass = mac.finalize().into_bytes();
        Ok(Zeroizing::new(
            pass.iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}")),
        ))
    }

    fn cipher(&self, id: u32, place: Place) -> Result<&Aes256Gcm, StorageError> {
        self.ciphers.get(&id).ok_or_else(|| failure(place.table))
    }

    /// Lengths are fixed or delimited, so no two places and rows share these bytes.
    fn associated(&self, place: Place, row: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(self.tenant.0.as_bytes());
        for name in [place.table, place.column] {
            bytes.extend_from_slice(name.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(row);
        bytes
    }
}

/// HMAC-SHA-256, which takes keys of any length.
fn keyed_hash(key: &[u8], text: &[u8]) -> Vec<u8> {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

/// What makes the hash of a text that can be guessed unguessable.
pub(crate) fn random_salt() -> [u8; 32] {
    <[u8; 32]>::generate()
}

pub(crate) fn seal_with(
    cipher: &Aes256Gcm,
    key_id: u32,
    associated: &[u8],
    plain: &[u8],
    what: &'static str,
) -> Result<Vec<u8>, StorageError> {
    let nonce = Nonce::<Aes256Gcm>::generate();
    let payload = Payload { msg: plain, aad: associated };
    let ciphertext = cipher.encrypt(&nonce, payload).map_err(|_| failure(what))?;
    let mut sealed = Vec::with_capacity(HEADER_BYTES + ciphertext.len());
    sealed.push(VERSION);
    sealed.extend_from_slice(&key_id.to_be_bytes());
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(&ciphertext);
    Ok(sealed)
}

pub(crate) fn open_with(
    cipher: &Aes256Gcm,
    associated: &[u8],
    sealed: &[u8],
    what: &'static str,
) -> Result<Zeroizing<Vec<u8>>, StorageError> {
    if key_id(sealed).is_none() {
        return Err(failure(what));
    }
    let (header, ciphertext) = sealed.split_at(HEADER_BYTES);
    let nonce =
        Nonce::<Aes256Gcm>::try_from(&header[HEADER_BYTES - NONCE_BYTES..]).map_err(|_| failure(what))?;
    let payload = Payload { msg: ciphertext, aad: associated };
    cipher.decrypt(&nonce, payload).map(Zeroizing::new).map_err(|_| failure(what))
}

/// The key a sealed value names; `None` when it is no sealed value of a version we know.
pub(crate) fn key_id(sealed: &[u8]) -> Option<u32> {
    if sealed.len() < HEADER_BYTES || sealed[0] != VERSION {
        return None;
    }
    sealed[1..5].try_into().ok().map(u32::from_be_bytes)
}

/// A new secret for a bearer: 32 random bytes in hexadecimal after a prefix that scanners recognise.
pub(crate) fn random_secret(prefix: &str) -> String {
    let bytes = Zeroizing::new(<[u8; 32]>::generate());
    bytes.iter().fold(prefix.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// What is kept of a bearer secret. Plain SHA-256 is enough: the secrets are 256 random bits.
pub(crate) fn secret_hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

/// SHA-256 of a text, in hexadecimal.
pub(crate) fn text_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::with_capacity(64), |hex, byte| hex + &format!("{byte:02x}"))
}

const fn failure(what: &'static str) -> StorageError {
    StorageError::Crypto { what }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::zones::{CALLER, FIELDS, SAID};
    use proptest::prelude::*;

    fn sealer(tenant: TenantId, ids: &[u32]) -> Sealer {
        let keys = ids.iter().map(|id| (*id, SecretBox::new(Box::new([*id as u8; 32])))).collect();
        Sealer::new(tenant, &keys, SecretBox::new(Box::new([9; 32]))).unwrap()
    }

    proptest! {
        #[test]
        fn what_is_sealed_opens_in_its_place_only(plain: Vec<u8>, row: [u8; 16], other: [u8; 16]) {
            prop_assume!(row != other);
            let sealer = sealer(TenantId::new(), &[1]);
            let sealed = sealer.seal(SAID, &row, &plain).unwrap();
            prop_assert_eq!(&*sealer.open(SAID, &row, &sealed).unwrap(), &plain);
            prop_assert!(sealer.open(SAID, &other, &sealed).is_err());
            prop_assert!(sealer.open(CALLER, &row, &sealed).is_err());
            prop_assert_ne!(sealer.seal(SAID, &row, &plain).unwrap(), sealed);
        }

        #[test]
        fn a_changed_byte_is_noticed(plain: Vec<u8>, at: prop::sample::Index, bit in 0..8_u8) {
            let sealer = sealer(TenantId::new(), &[1]);
            let mut sealed = sealer.seal(FIELDS, b"row", &plain).unwrap();
            let at = at.index(sealed.len());
            sealed[at] ^= 1 << bit;
            prop_assert!(sealer.open(FIELDS, b"row", &sealed).is_err());
        }

        #[test]
        fn no_bytes_make_opening_panic(bytes: Vec<u8>) {
            prop_assert!(sealer(TenantId::new(), &[1]).open(SAID, b"row", &bytes).is_err());
        }
    }

    #[test]
    fn another_tenant_does_not_open_it_even_with_the_same_key() {
        let sealed = sealer(TenantId::new(), &[1]).seal(SAID, b"row", b"words").unwrap();
        assert!(sealer(TenantId::new(), &[1]).open(SAID, b"row", &sealed).is_err());
    }

    #[test]
    fn after_a_rotation_old_values_still_open() {
        let tenant = TenantId::new();
        let old = sealer(tenant, &[1]).seal(SAID, b"row", b"words").unwrap();
        let rotated = sealer(tenant, &[1, 2]);
        assert_eq!(rotated.open_text(SAID, b"row", &old).unwrap(), "words");
        assert_eq!(key_id(&rotated.seal(SAID, b"row", b"words").unwrap()), Some(2));
    }

    #[test]
    fn nothing_shows_a_key() {
        let shown = format!("{:?} {:?}", sealer(TenantId(uuid::Uuid::nil()), &[1]), random_key());
        assert_eq!(
            shown,
            "Sealer(00000000-0000-0000-0000-000000000000, key 1) SecretBox<[u8; 32]>([REDACTED])"
        );
    }
}
