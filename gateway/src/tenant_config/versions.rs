//! Every document that was applied is kept as a version, without its claims: who, when, and what it changed in words.

use serde_json::Value;
use storage::versions::{NewVersion, VersionKind};
use storage::{StorageError, TenantStore, Versions};

use super::TenantConfig;
use super::differences::differences;

/// Who changed what no document did: another route, or a program from before versions were kept. No login has a space.
pub const ELSEWHERE: &str = "outside the document";
const AS_IT_WAS: &str = "as it was before";

/// A change that is kept as a version.
#[derive(Clone, Debug)]
pub struct Change {
    /// The newest version when the change was made.
    pub expected: u32,
    pub actor: String,
    /// What it changes, in words.
    pub changes: Vec<String>,
}

impl Change {
    /// With the document as it is laid down, and the settings that hold it.
    pub(super) fn keep(self, config: &TenantConfig, settings: Vec<(&'static str, Value)>) -> NewVersion {
        let Self { expected, actor, changes } = self;
        let (kind, name) = (VersionKind::Config, String::new());
        NewVersion { kind, name, expected, actor, changes, body: Some(body(config)), settings }
    }
}

/// As it is kept: claims name people, and stay where they are sealed.
fn body(config: &TenantConfig) -> String {
    let plain = TenantConfig { claims: Vec::new(), ..config.clone() };
    serde_json::to_string(&plain).unwrap_or_default()
}

/// The newest version, 0 for none.
///
/// # Errors
/// When storage does not answer.
pub async fn newest(store: &TenantStore) -> Result<u32, StorageError> {
    let newest = store.versions(VersionKind::Config, "", None, 1).await?;
    Ok(newest.first().map_or(0, |kept| kept.version))
}

/// Keeps what holds now where no version says it, so that there is a way back to it; the newest version then. `expected`:
/// the newest one when `now` was read.
///
/// # Errors
/// When storage does not answer, or there is a newer version.
pub async fn catch_up(store: &TenantStore, now: &TenantConfig, expected: u32) -> Result<u32, StorageError> {
    let last = store.version(VersionKind::Config, "", expected).await?;
    let known = last.and_then(|kept| serde_json::from_str::<TenantConfig>(kept.body.as_deref()?).ok());
    let changes = match &known {
        Some(known) if known == now => return Ok(expected),
        Some(known) => differences(known, now),
        None => vec![AS_IT_WAS.to_owned()],
    };
    let change = Change { expected, actor: ELSEWHERE.to_owned(), changes };
    store.keep_version(change.keep(now, Vec::new())).await
}
