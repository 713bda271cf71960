//! The passports of calls that the process did not live to end.

use chrono::{DateTime, Utc};
use storage::records::{RecoveredCall, TurnCommit};
use storage::{PassportId, Passports, StorageError, TenantStore, Turns};
use uuid::Uuid;

use work::office;
use work::passport::{ConfidenceVector, LedgerEntry, Passport, Patch, Status, Versioned, entry_id, kept};

/// Notes in a call's passport that the call was cut off, and leaves it with the back office: somebody has to see
/// whether the caller was helped. Safe to repeat.
///
/// # Errors
/// Those of the store; the passport is then as it was.
pub async fn note_interrupted(
    store: &TenantStore,
    tenant: Uuid,
    cut_off: &RecoveredCall,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let Some(id) = cut_off.passport_id else { return Ok(()) };
    let mut held = match store.passport(id).await? {
        Some(kept) => kept::read(kept)?,
        None => create(store, id, tenant, cut_off, at).await?,
    };
    let version = held.version;
    held.update(version, patches(cut_off, at), at)
        .map_err(|_| StorageError::Invalid { what: "the passport refused the patch" })?;
    let change = kept::changed(&held.passport, version);
    let jobs = vec![office::work_job(id.0, at)];
    store.commit_turn(TurnCommit { passport: Some(change), jobs, ..TurnCommit::default() }).await.map(drop)
}

/// The process died before the first turn made the passport.
async fn create(
    store: &TenantStore,
    id: PassportId,
    tenant: Uuid,
    cut_off: &RecoveredCall,
    at: DateTime<Utc>,
) -> Result<Versioned, StorageError> {
    let fresh = Passport::for_call(id.0, tenant, cut_off.call.0, at);
    let new = kept::fresh(&fresh, Some(cut_off.call));
    let kept = store.create_passport(new).await?;
    Ok(Versioned { version: kept.version.into(), passport: fresh })
}

fn patches(cut_off: &RecoveredCall, at: DateTime<Utc>) -> Vec<Patch> {
    let entry = LedgerEntry {
        id: entry_id(&format!("{}/interrupted", cut_off.call)),
        timestamp: at,
        agent_id: "gateway".to_owned(),
        action: "interrupted".to_owned(),
        inputs_summary: format!(
            "the process ended in mid-call; turn {} is the last on record",
            cut_off.last_turn
        ),
        outputs_summary: "closed; handed to the back office".to_owned(),
        duration_ms: 0,
        tokens_used: 0,
        cost_usd: 0.0,
        confidence: ConfidenceVector::of(1.0, 1),
        tool_calls: Vec::new(),
        notes: String::new(),
    };
    vec![
        Patch::Append(Box::new(entry)),
        Patch::CurrentAgent(Some("back_office".to_owned())),
        Patch::Status(Status::InProgress),
    ]
}
