//! What is known of a caller when the call begins. The greeting never waits for it longer than the deadline.

use std::time::Duration;

use pipeline::ports::{Language, Recalled};
use storage::TenantStore;
use storage::memory::ContactMemory;
use storage::zones::CallerNumber;

use super::office::MemoryOffice;

/// A call whose memory comes later than this begins without it.
const WITHIN: Duration = Duration::from_millis(25);

/// What a call begins with.
#[derive(Debug, Default)]
pub struct Recollection {
    pub facts: Vec<Recalled>,
    /// In which the caller prefers to be answered.
    pub language: Option<Language>,
}

/// Asks memory for a caller. Nothing for a stranger or who withheld their number, and nothing when the answer is late or
/// fails.
pub async fn recall(
    office: &MemoryOffice,
    store: &TenantStore,
    caller: Option<&CallerNumber>,
) -> Recollection {
    let Some(caller) = caller else { return Recollection::default() };
    let asked = async {
        let memory = office.of(store).await?;
        memory.reader.get_memory(caller.as_str()).await
    };
    let outcome = match tokio::time::timeout(WITHIN, asked).await {
        Ok(Ok(Some(known))) => return recollection(known),
        Ok(Ok(None)) => return Recollection::default(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "a call begins without memory");
            "failed"
        }
        Err(_) => "late",
    };
    metrics::counter!("quandura_memory_missed_total", "reason" => outcome).increment(1);
    Recollection::default()
}

fn recollection(known: ContactMemory) -> Recollection {
    if known.contact.opt_out {
        return Recollection::default();
    }
    let spoken = known.memories.iter().find(|memory| memory.key == "preferred_language");
    let language = spoken.and_then(|memory| match memory.value.as_str() {
        "en" => Some(Language::En),
        "es" => Some(Language::Es),
        _ => None,
    });
    let facts = known.memories.into_iter();
    let facts = facts.map(|memory| Recalled { id: memory.id.0, key: memory.key, value: memory.value });
    Recollection { facts: facts.collect(), language }
}
