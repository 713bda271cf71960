//! Reads a tenant's chain and checks it, also while it grows.

use super::chain::{Broken, Chain, Head};
use crate::backend::TenantStore;
use crate::error::StorageError;
use crate::store::Audit;

/// Entries read at a time.
const PAGE: u32 = 500;

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing is changed, missing, added or out of order.
    Whole {
        entries: u64,
        /// To be noted somewhere else; `None` for a chain without entries.
        head: Option<Head>,
    },
    /// The first place that is not as it was written.
    Broken(Broken),
}

/// Checks a tenant's chain against itself, the tenant's key, the end that this node noted beside the database, and the
/// heads given, which somebody noted elsewhere. `progress` hears how many entries were read.
pub async fn verify(
    store: &TenantStore,
    noted: &[Head],
    mut progress: impl FnMut(u64) + Send,
) -> Result<Verdict, StorageError> {
    let noted: Vec<Head> = noted.iter().cloned().chain(store.audit_anchor()?).collect();
    let mut chain = Chain::new(store.id(), store.sealer(), &noted);
    loop {
        // Entries and head are of one moment, so a chain that grows meanwhile is not taken for one that was cut.
        let page = store.audit_page(chain.seq(), PAGE).await?;
        for entry in &page.entries {
            if let Err(broken) = chain.push(entry) {
                return Ok(Verdict::Broken(broken));
            }
        }
        progress(chain.seq());
        if page.entries.len() < PAGE as usize {
            return Ok(match chain.finish(page.head.as_ref()) {
                Ok(()) => Verdict::Whole { entries: chain.seq(), head: page.head },
                Err(broken) => Verdict::Broken(broken),
            });
        }
    }
}
