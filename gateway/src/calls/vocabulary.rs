//! What a tenant taught us about its words: those that are easily misheard, and how names are pronounced.
//!
//! Read once and kept; whoever changes a tenant's settings says so here.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use pipeline::lexicon::Lexicon;
use storage::{Settings, StorageError, TenantId, TenantStore};

/// Setting under which a tenant's easily misheard words are kept: a list.
pub const TERMS: &str = "vocabulary";
/// Setting under which a tenant's pronunciations are kept: word and sound.
pub const SOUNDS: &str = "pronunciations";

/// One tenant's words, shared by its calls.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    pub key_terms: Arc<[String]>,
    pub lexicon: Arc<Lexicon>,
}

impl Vocabulary {
    /// Reads both settings. Nothing kept, and what cannot be read, counts as none.
    pub async fn read(store: &TenantStore) -> Result<Self, StorageError> {
        let terms: Vec<String> = read(store, TERMS).await?;
        let sounds: BTreeMap<String, String> = read(store, SOUNDS).await?;
        let lexicon = if sounds.is_empty() { Lexicon::default() } else { Lexicon::new(sounds) };
        Ok(Self { key_terms: terms.into(), lexicon: Arc::new(lexicon) })
    }
}

async fn read<T: Default + serde::de::DeserializeOwned>(
    store: &TenantStore,
    name: &str,
) -> Result<T, StorageError> {
    let Some(kept) = store.setting(name).await? else { return Ok(T::default()) };
    Ok(serde_json::from_value(kept).unwrap_or_else(|_| {
        tracing::error!(tenant = %store.id(), setting = name, "a setting of a tenant has another shape than expected: not used");
        T::default()
    }))
}

/// The words of all tenants that had calls.
#[derive(Debug, Default)]
pub struct Vocabularies {
    known: DashMap<TenantId, Vocabulary>,
    /// Counts changes, so that what was read before one is not kept after it.
    changes: AtomicU64,
}

impl Vocabularies {
    /// The tenant's words. A call does not fail for want of them.
    pub async fn of(&self, store: &TenantStore) -> Vocabulary {
        if let Some(known) = self.known.get(&store.id()) {
            return known.clone();
        }
        let before = self.changes.load(Ordering::Acquire);
        match Vocabulary::read(store).await {
            Ok(read) => {
                let entry = self.known.entry(store.id());
                if self.changes.load(Ordering::Acquire) == before {
                    entry.insert(read.clone());
                }
                read
            }
            Err(error) => {
                tracing::error!(%error, "a tenant's words could not be read: the call goes on without");
                Vocabulary::default()
            }
        }
    }

    /// The tenant's settings were changed: the next call reads them again.
    pub fn changed(&self, tenant: TenantId) {
        self.changes.fetch_add(1, Ordering::AcqRel);
        self.known.remove(&tenant);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use storage::{NewTenant, Platform, PlatformOptions};

    use super::*;

    #[tokio::test]
    async fn words_are_read_once_and_again_after_a_change() {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        let new = NewTenant { slug: "a".into(), name: "A".into(), timezone: "UTC".into() };
        let tenant = platform.create_tenant(new).await.unwrap();
        let store = platform.tenant(tenant.id).await.unwrap();
        let words = Vocabularies::default();
        assert!(words.of(&store).await.key_terms.is_empty());
        assert_eq!(words.of(&store).await.lexicon.version(), "", "the default lexicon");
        store.put_setting(TERMS, &json!(["Puyallup"])).await.unwrap();
        store.put_setting(SOUNDS, &json!({"Puyallup": "pew-AL-up"})).await.unwrap();
        assert!(words.of(&store).await.key_terms.is_empty(), "kept");
        words.changed(store.id());
        let read = words.of(&store).await;
        assert_eq!(&*read.key_terms, ["Puyallup"]);
        assert_ne!(read.lexicon.version(), "");
        store.put_setting(TERMS, &json!("not a list")).await.unwrap();
        words.changed(store.id());
        assert!(words.of(&store).await.key_terms.is_empty());
    }
}
