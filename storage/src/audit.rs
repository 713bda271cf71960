//! The audit of a tenant: who did what, append-only, chained by hashes and sealed with the tenant's key.
//!
//! [`chain`] says what an entry's hash is made of and finds what was changed; [`writer`] appends; [`anchor`] keeps the
//! end of the chain outside the database. `docs/guides/audit.md` has the bytes, for those who check without us.

mod anchor;
pub mod chain;
mod verify;
pub mod writer;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;
use zeroize::Zeroizing;

pub(crate) use anchor::AnchorFile;
pub use chain::{Broken, Head, Wrong};
pub use verify::{Verdict, verify};
pub use writer::AuditWriter;

use crate::crypto::Sealer;
use crate::error::StorageError;
use crate::records::word_enum;
use crate::zones::PERSONAL;

/// Characters of an id or a word of an entry; what is longer is cut.
const MOST_CHARS: usize = 200;
/// Bytes of an entry's details, and of its personal part.
const MOST_BYTES: usize = 16 * 1024;
/// Bytes of a salt.
pub(crate) const SALT: usize = 32;

word_enum! {
    /// How it went.
    Outcome {
        /// It was done.
        Done = "done",
        /// It was not allowed.
        Denied = "denied",
        /// It was tried and went wrong.
        Failed = "failed",
        /// It was noticed: nobody asked for it.
        Found = "found",
    }
}

/// Who acted, or on what: a kind (`user`, `call`, …) and an id within it. Never a caller's name or number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Party {
    pub kind: String,
    pub id: String,
}

impl Party {
    #[must_use]
    pub fn new(kind: &str, id: impl ToString) -> Self {
        Self { kind: kind.to_owned(), id: id.to_string() }
    }
}

/// Something to be put on the audit.
#[derive(Clone, Debug)]
pub struct NewAudit {
    /// Drawn by whoever makes the entry, so that writing it twice is writing it once.
    pub id: Uuid,
    /// The trace of the call or request, 32 hexadecimal digits; empty where there is none.
    pub trace_id: String,
    pub actor: Party,
    /// `call.guard`, `token.created`, …
    pub action: String,
    pub subject: Party,
    pub outcome: Outcome,
    /// Facts without personal text.
    pub details: Map<String, Value>,
    /// Personal text: sealed, and left out of exports.
    pub personal: Option<Value>,
}

impl NewAudit {
    /// An entry without details.
    #[must_use]
    pub fn new(action: &str, actor: Party, subject: Party) -> Self {
        Self {
            id: Uuid::now_v7(),
            trace_id: String::new(),
            actor,
            action: action.to_owned(),
            subject,
            outcome: Outcome::Done,
            details: Map::new(),
            personal: None,
        }
    }

    /// With the trace of a call or a request.
    #[must_use]
    pub fn traced(mut self, trace: Uuid) -> Self {
        self.trace_id = trace.simple().to_string();
        self
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = outcome;
        self
    }

    #[must_use]
    pub fn personal(mut self, personal: Value) -> Self {
        self.personal = Some(personal);
        self
    }

    /// Cut to what the table takes: an entry is never refused for what it says.
    pub(crate) fn fitted(mut self) -> Self {
        let words = [&mut self.trace_id, &mut self.action, &mut self.actor.kind, &mut self.actor.id];
        for word in words.into_iter().chain([&mut self.subject.kind, &mut self.subject.id]) {
            *word = word.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect();
        }
        if Value::Object(self.details.clone()).to_string().len() > MOST_BYTES {
            self.details = Map::from_iter([("too_long".to_owned(), Value::Bool(true))]);
        }
        self.personal = self.personal.filter(|value| value.to_string().len() <= MOST_BYTES);
        self
    }
}

/// An entry as it is kept. What the database gives is not believed: [`chain`] says whether it is whole.
#[derive(Clone, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct AuditEntry {
    /// From 1, without gaps.
    #[sqlx(try_from = "i64")]
    pub seq: u64,
    pub id: Uuid,
    /// RFC 3339 UTC with microseconds.
    pub at: String,
    pub trace_id: String,
    pub actor_kind: String,
    pub actor_id: String,
    pub action: String,
    pub subject_kind: String,
    pub subject_id: String,
    pub outcome: String,
    /// JSON.
    pub details: String,
    pub details_salt: Vec<u8>,
    pub personal_sealed: Option<Vec<u8>>,
    pub personal_hash: Option<Vec<u8>>,
    pub prev_hash: Vec<u8>,
    pub hash: Vec<u8>,
    pub mac: Vec<u8>,
}

/// The personal part of an entry, opened.
#[derive(Debug)]
pub struct Personal {
    pub salt: Vec<u8>,
    /// JSON. Raw: for those alone who may read raw text.
    pub text: Zeroizing<String>,
}

impl AuditEntry {
    /// Opens the personal part. `None` where there is none.
    pub fn personal(&self, sealer: &Sealer) -> Result<Option<Personal>, StorageError> {
        let Some(sealed) = &self.personal_sealed else { return Ok(None) };
        let plain = sealer.open(PERSONAL, &self.seq.to_be_bytes(), sealed)?;
        let (salt, text) =
            plain.split_at_checked(SALT).ok_or(StorageError::Crypto { what: PERSONAL.table })?;
        let text = std::str::from_utf8(text).map_err(|_| StorageError::Crypto { what: PERSONAL.table })?;
        Ok(Some(Personal { salt: salt.to_vec(), text: Zeroizing::new(text.to_owned()) }))
    }
}

/// Which entries to list.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub action: Option<String>,
    pub actor: Option<String>,
    /// Id of the subject.
    pub subject: Option<String>,
    /// Written at or after.
    pub from: Option<DateTime<Utc>>,
    /// Written before.
    pub to: Option<DateTime<Utc>>,
    /// Entries with smaller numbers than this one.
    pub before: Option<u64>,
    /// 50 when 0; at most 500.
    pub limit: u32,
}

/// Entries in the order of the chain, and where the chain ended when they were read.
#[derive(Clone, Debug)]
pub struct AuditPage {
    pub head: Option<Head>,
    pub entries: Vec<AuditEntry>,
}

/// The numbers of the first and last entry of a time, with everything between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AuditRange {
    pub first: u64,
    pub last: u64,
}

/// A time as entries spell it.
#[must_use]
pub fn spelled(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_an_entry_says_it_fits() {
        let long = "x\u{0}\n".repeat(9_000);
        let entry = NewAudit::new(&long, Party::new("user", &long), Party::new("call", 7))
            .with("text", long.clone())
            .personal(Value::from(long))
            .fitted();
        assert_eq!(entry.action, "x".repeat(MOST_CHARS));
        assert_eq!(Value::Object(entry.details), serde_json::json!({ "too_long": true }));
        assert_eq!((entry.personal, entry.subject.id.as_str()), (None, "7"));
    }
}
