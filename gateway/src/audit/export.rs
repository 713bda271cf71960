//! An export of the audit: JSON Lines that anybody can check with `verify.py` and nothing of ours.
//!
//! Personal parts are left out unless asked for, and so may details and whole entries be: what is left out is stood for
//! by its hash, and the chain still verifies.

use serde_json::{Map, Value, json};
use storage::audit::chain::{body, text_hash, to_hex};
use storage::audit::{AuditEntry, AuditRange, Head};
use storage::crypto::Sealer;
use storage::{StorageError, Tenant};

/// Name of the format, on the first line.
pub const FORMAT: &str = "quandura.audit.v1";
/// The check, for those who have an export and none of our software.
pub const VERIFY: &str = include_str!("../../data/audit/verify.py");
/// In place of a list of actions: every action.
pub const ALL: &str = "all";

/// What is shown of the entries of a range.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Entries about other subjects are withheld.
    pub subject: Option<String>,
    /// Actions whose entries are withheld: only number and hashes are given.
    pub withhold: Vec<String>,
    /// Actions whose details are left out, or [`ALL`].
    pub redact: Vec<String>,
    /// Open the personal parts.
    pub personal: bool,
}

/// `a,b` as a list.
#[must_use]
pub fn listed(text: Option<&str>) -> Vec<String> {
    let words = text.unwrap_or_default().split(',').map(str::trim);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

impl Choice {
    fn withholds(&self, entry: &AuditEntry) -> bool {
        self.withhold.contains(&entry.action)
            || self.subject.as_ref().is_some_and(|subject| *subject != entry.subject_id)
    }

    fn redacts(&self, entry: &AuditEntry) -> bool {
        self.redact.iter().any(|action| *action == entry.action || action == ALL)
    }

    /// One entry's line.
    pub fn line(&self, tenant: &Tenant, entry: &AuditEntry, sealer: &Sealer) -> Result<Value, StorageError> {
        if self.withholds(entry) {
            let body = to_hex(&body(tenant.id, entry));
            return Ok(json!({
                "seq": entry.seq, "withheld": true, "body_hash": body, "hash": to_hex(&entry.hash),
            }));
        }
        let mut line = json!({
            "seq": entry.seq, "id": entry.id, "at": entry.at, "trace_id": entry.trace_id,
            "actor_kind": entry.actor_kind, "actor_id": entry.actor_id, "action": entry.action,
            "subject_kind": entry.subject_kind, "subject_id": entry.subject_id, "outcome": entry.outcome,
        });
        let shown = if self.redacts(entry) {
            json!({ "details_hash": to_hex(&text_hash(&entry.details_salt, &entry.details)) })
        } else {
            json!({ "details": entry.details, "details_salt": to_hex(&entry.details_salt) })
        };
        add(&mut line, shown);
        add(&mut line, self.personal(entry, sealer)?);
        add(&mut line, json!({ "hash": to_hex(&entry.hash) }));
        Ok(line)
    }

    fn personal(&self, entry: &AuditEntry, sealer: &Sealer) -> Result<Value, StorageError> {
        if self.personal
            && let Some(personal) = entry.personal(sealer)?
        {
            return Ok(json!({
                "personal": personal.text.as_str(), "personal_salt": to_hex(&personal.salt),
            }));
        }
        Ok(json!({ "personal_hash": entry.personal_hash.as_deref().map(to_hex) }))
    }
}

/// The first line: whose entries, which, and the hash that the first one follows.
#[must_use]
pub fn first_line(tenant: &Tenant, range: AuditRange, before: &[u8], at: &str) -> Value {
    json!({
        "format": FORMAT, "tenant_id": tenant.id, "tenant": tenant.slug, "first_seq": range.first,
        "last_seq": range.last, "before_hash": to_hex(before), "exported_at": at,
    })
}

/// The last line: an export without it was cut off. `head`: where the chain ended when it was read.
#[must_use]
pub fn last_line(entries: u64, last: &[u8], head: Option<&Head>) -> Value {
    json!({
        "end": true, "entries": entries, "last_hash": to_hex(last), "head": head.map(ToString::to_string),
    })
}

fn add(line: &mut Value, more: Value) {
    if let (Value::Object(line), Value::Object(more)) = (line, more) {
        line.extend(more);
    }
}

/// An entry as the API lists it.
#[must_use]
pub fn item(entry: AuditEntry) -> Value {
    let details: Map<String, Value> = serde_json::from_str(&entry.details).unwrap_or_default();
    json!({
        "seq": entry.seq, "id": entry.id, "at": entry.at, "trace_id": entry.trace_id,
        "actor": { "kind": entry.actor_kind, "id": entry.actor_id }, "action": entry.action,
        "subject": { "kind": entry.subject_kind, "id": entry.subject_id }, "outcome": entry.outcome,
        "details": details, "has_personal": entry.personal_sealed.is_some(), "hash": to_hex(&entry.hash),
    })
}
