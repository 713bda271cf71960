//! What an entry's hash is made of, and whether a chain is whole. No I/O: whoever reads entries pushes them in order.
//!
//! ```text
//! text(salt, t) = SHA-256("quandura.audit.text.v1\n" | salt | t)
//! body          = SHA-256("quandura.audit.body.v1\n" | field | field | …)     field = length (4 bytes, big-endian) | bytes
//! hash          = SHA-256("quandura.audit.link.v1\n" | hash of the entry before | body)
//! mac           = HMAC-SHA-256(the tenant's audit key, "quandura.audit.entry.v1\n" | hash)
//! ```

#![deny(clippy::disallowed_methods)]

use std::fmt;

use sha2::{Digest, Sha256};

use super::AuditEntry;
use crate::crypto::Sealer;
use crate::ids::TenantId;

/// What the first entry follows.
pub const START: [u8; 32] = [0; 32];

/// The end of a chain: the number and hash of its last entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Head {
    pub seq: u64,
    pub hash: Vec<u8>,
    /// By the tenant's key; empty where the head was noted outside the database.
    pub mac: Vec<u8>,
}

impl Head {
    /// A head that was noted somewhere else, as `verify` prints it: number, colon, hash in hexadecimal.
    #[must_use]
    pub fn noted(text: &str) -> Option<Self> {
        let (seq, hash) = text.trim().split_once(':')?;
        let hash = from_hex(hash).filter(|hash| hash.len() == START.len())?;
        Some(Self { seq: seq.parse().ok()?, hash, mac: Vec::new() })
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, to_hex(&self.hash))
    }
}

/// The first place where a chain is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub seq: u64,
    pub wrong: Wrong,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} {}", self.seq, self.wrong)
    }
}

/// What is wrong with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// The next number is a later one.
    Missing,
    /// What it says is not what its hash was made of.
    Changed,
    /// Its hash fits and its seal does not: put there, or changed, by somebody without the tenant's key.
    Forged,
    /// It does not follow the entry before it.
    Unlinked,
    /// Its sealed part is not the one that was written.
    PersonalChanged,
    /// The chain was longer: its end is gone.
    CutOff,
    /// The note of where the chain ends is gone.
    NoHead,
    /// The note of where the chain ends is not ours.
    HeadForged,
    /// It stands behind the noted end.
    Beyond,
    /// A head that was noted outside names another entry under this number.
    Rewritten,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "is missing: it was deleted",
            Self::Changed => "was changed: it does not have its hash",
            Self::Forged => {
                "was not sealed with this tenant's key: it was inserted, or replaced with all hashes after it"
            }
            Self::Unlinked => {
                "does not follow the entry before it: entries were swapped, replaced or inserted"
            }
            Self::PersonalChanged => "has another sealed part than was written",
            Self::CutOff => "is missing: the end of the chain was cut off",
            Self::NoHead => "is not the noted end: the note of where the chain ends was deleted",
            Self::HeadForged => "is not the noted end: the note of where the chain ends was changed",
            Self::Beyond => "stands behind the noted end of the chain",
            Self::Rewritten => {
                "is not the one that was noted outside: the chain was written anew, or an old copy put back"
            }
        })
    }
}

/// The commitment to a text that an export may leave out.
#[must_use]
pub fn text_hash(salt: &[u8], text: &str) -> Vec<u8> {
    let mut hasher = Sha256::new_with_prefix(b"quandura.audit.text.v1\n");
    hasher.update(salt);
    hasher.update(text.as_bytes());
    hasher.finalize().to_vec()
}

/// What an entry says, its texts by their commitments.
#[must_use]
pub fn body(tenant: TenantId, entry: &AuditEntry) -> Vec<u8> {
    let details = text_hash(&entry.details_salt, &entry.details);
    let (tenant, seq, id) = (tenant.to_string(), entry.seq.to_string(), entry.id.to_string());
    let fields: [&[u8]; 13] = [
        tenant.as_bytes(),
        seq.as_bytes(),
        id.as_bytes(),
        entry.at.as_bytes(),
        entry.trace_id.as_bytes(),
        entry.actor_kind.as_bytes(),
        entry.actor_id.as_bytes(),
        entry.action.as_bytes(),
        entry.subject_kind.as_bytes(),
        entry.subject_id.as_bytes(),
        entry.outcome.as_bytes(),
        &details,
        entry.personal_hash.as_deref().unwrap_or_default(),
    ];
    let mut hasher = Sha256::new_with_prefix(b"quandura.audit.body.v1\n");
    for field in fields {
        // A field is at most some kilobytes.
        hasher.update(u32::try_from(field.len()).unwrap_or(u32::MAX).to_be_bytes());
        hasher.update(field);
    }
    hasher.finalize().to_vec()
}

/// The hash of the entry with this body behind the one with that hash.
#[must_use]
pub fn link(before: &[u8], body: &[u8]) -> Vec<u8> {
    let mut hasher = Sha256::new_with_prefix(b"quandura.audit.link.v1\n");
    hasher.update(before);
    hasher.update(body);
    hasher.finalize().to_vec()
}

/// The seal on an entry.
pub(crate) fn entry_mac(sealer: &Sealer, hash: &[u8]) -> Vec<u8> {
    sealer.audit_mac(&[b"quandura.audit.entry.v1\n", hash].concat())
}

/// The seal on a head.
pub(crate) fn head_mac(sealer: &Sealer, seq: u64, hash: &[u8]) -> Vec<u8> {
    sealer.audit_mac(&[b"quandura.audit.head.v1\n", format!("{seq}\n").as_bytes(), hash].concat())
}

/// Checks a chain from its first entry on.
#[derive(Debug)]
pub struct Chain<'a> {
    tenant: TenantId,
    sealer: &'a Sealer,
    noted: &'a [Head],
    seq: u64,
    hash: Vec<u8>,
}

impl<'a> Chain<'a> {
    /// `noted`: heads that were noted outside the database, each of which the chain must hold.
    #[must_use]
    pub fn new(tenant: TenantId, sealer: &'a Sealer, noted: &'a [Head]) -> Self {
        Self { tenant, sealer, noted, seq: 0, hash: START.to_vec() }
    }

    /// Number of the last entry that is whole.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Takes the next entry.
    pub fn push(&mut self, entry: &AuditEntry) -> Result<(), Broken> {
        let seq = self.seq + 1;
        let broken = |wrong| Err(Broken { seq, wrong });
        if entry.seq != seq {
            return broken(Wrong::Missing);
        }
        let hash = link(&entry.prev_hash, &body(self.tenant, entry));
        if hash != entry.hash {
            return broken(Wrong::Changed);
        }
        if entry.prev_hash != self.hash {
            return broken(Wrong::Unlinked);
        }
        if entry_mac(self.sealer, &hash) != entry.mac {
            return broken(Wrong::Forged);
        }
        if !self.personal_is_whole(entry) {
            return broken(Wrong::PersonalChanged);
        }
        if self.noted.iter().any(|head| head.seq == seq && head.hash != hash) {
            return broken(Wrong::Rewritten);
        }
        (self.seq, self.hash) = (seq, hash);
        Ok(())
    }

    fn personal_is_whole(&self, entry: &AuditEntry) -> bool {
        match entry.personal(self.sealer) {
            Ok(None) => entry.personal_hash.is_none(),
            Ok(Some(personal)) => {
                entry.personal_hash.as_ref() == Some(&text_hash(&personal.salt, &personal.text))
            }
            Err(_) => false,
        }
    }

    /// After the last entry: the chain must end where it was noted to end.
    pub fn finish(&self, head: Option<&Head>) -> Result<(), Broken> {
        let (last, next) = (self.seq, self.seq + 1);
        if let Some(head) = head {
            if head_mac(self.sealer, head.seq, &head.hash) != head.mac {
                return Err(Broken { seq: last, wrong: Wrong::HeadForged });
            }
            if head.seq > last {
                return Err(Broken { seq: next, wrong: Wrong::CutOff });
            }
            if head.seq < last {
                return Err(Broken { seq: head.seq + 1, wrong: Wrong::Beyond });
            }
            if head.hash != self.hash {
                return Err(Broken { seq: last, wrong: Wrong::HeadForged });
            }
        } else if last > 0 {
            return Err(Broken { seq: last, wrong: Wrong::NoHead });
        }
        if self.noted.iter().any(|noted| noted.seq > last) {
            return Err(Broken { seq: next, wrong: Wrong::CutOff });
        }
        Ok(())
    }
}

/// Bytes as lower-case hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |text, byte| text + &format!("{byte:02x}"))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
