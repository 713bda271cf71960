//! Random secrets and how they are compared.

use rand::RngExt;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// A secret in a form or body: it is shown nowhere, and wiped when it is dropped.
#[derive(Clone, Debug, Default)]
pub struct Given(pub SecretString);

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(text.into()))
    }
}

/// 256 random bits as lower-case hex.
#[must_use]
pub fn random() -> SecretString {
    SecretString::from(random_hex(32))
}

/// `bytes` random bytes as lower-case hex.
#[must_use]
pub fn random_hex(bytes: usize) -> String {
    let mut rng = rand::rng();
    (0..bytes).map(|_| format!("{:02x}", rng.random::<u8>())).collect()
}

/// Compares in time that depends on neither content nor length of the secret.
#[must_use]
pub fn matches(given: &str, secret: &SecretString) -> bool {
    let (given, secret) = (Sha256::digest(given), Sha256::digest(secret.expose_secret()));
    given.as_slice().ct_eq(secret.as_slice()).into()
}
