//! The PIN of a claim: kept as a salted hash, sealed, and compared in constant time.

use std::fmt;

use aes_gcm::aead::Generate;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// What is kept of a PIN. Short PINs are protected by the seal around this, not by the hash alone.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinHash {
    salt: [u8; 16],
    hash: [u8; 32],
}

impl PinHash {
    /// Hashes a PIN with a fresh salt.
    #[must_use]
    pub fn new(pin: &str) -> Self {
        let salt = <[u8; 16]>::generate();
        let hash = keyed(&salt, pin).finalize().into_bytes().into();
        Self { salt, hash }
    }

    /// Whether this is the PIN. Takes equally long however much of it is right.
    #[must_use]
    pub fn matches(&self, pin: &str) -> bool {
        keyed(&self.salt, pin).verify_slice(&self.hash).is_ok()
    }
}

fn keyed(salt: &[u8; 16], pin: &str) -> Hmac<Sha256> {
    // The salt is as long as the block wants it: a key of this fixed length is always taken.
    let mut key = [0u8; 64];
    key[..salt.len()].copy_from_slice(salt);
    let mut mac = <Hmac<Sha256> as KeyInit>::new(&key.into());
    mac.update(b"claim pin\0");
    mac.update(pin.as_bytes());
    mac
}

impl fmt::Debug for PinHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PinHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_pin_matches() {
        let hash = PinHash::new("4711");
        assert!(hash.matches("4711"));
        for other in ["4712", "471", "47110", "", "4711 "] {
            assert!(!hash.matches(other), "{other:?}");
        }
    }

    #[test]
    fn equal_pins_have_different_hashes_and_nothing_is_shown() {
        let (one, two) = (PinHash::new("4711"), PinHash::new("4711"));
        assert_ne!(one, two);
        assert_eq!(format!("{one:?}"), "PinHash(…)");
        assert!(two.matches("4711"));
    }
}
