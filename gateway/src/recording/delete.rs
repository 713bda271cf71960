//! The end of a recording: its key goes first, then its files, then it is on the audit that they did.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use storage::audit::{NewAudit, Outcome, Party};
use storage::recordings::RecordingDeleted;
use storage::{CallId, Recordings as _, StorageError, TenantStore};

use crate::app::App;

/// The caller took their consent back.
pub const WITHDRAWN: &str = "withdrawn";
/// It is older than its tenant keeps it.
pub const RETENTION: &str = "retention";
/// Somebody of the office deleted it.
pub const PERSON: &str = "person";
/// There was no sound in it.
pub const EMPTY: &str = "empty";
/// Recordings of one sweep.
const BATCH: u32 = 50;

/// Deletes it. What could not be done is tried again by the sweep.
pub async fn because(app: &App, store: &TenantStore, call: CallId, reason: &'static str, by: Party) {
    if let Err(error) = recording(app, store, call, reason, by).await {
        tracing::error!(%error, %call, reason, "a recording could not be deleted; it is tried again");
    }
}

/// Deletes it, and says what came of it.
///
/// # Errors
/// When storage does not answer; then nothing is deleted.
pub async fn recording(
    app: &App,
    store: &TenantStore,
    call: CallId,
    reason: &str,
    by: Party,
) -> Result<RecordingDeleted, StorageError> {
    let done = store.delete_recording(call, reason).await?;
    let entry = NewAudit::new("recording.deleted", by, Party::new("call", call))
        .with("reason", reason)
        .traced(call.0);
    let entry = match done {
        RecordingDeleted::NotThere => return Ok(done),
        RecordingDeleted::Held => entry.with("held", true).outcome(Outcome::Denied),
        RecordingDeleted::Done => {
            let (files, tenant) = (app.recordings.files.clone(), store.id());
            // Without their key they are noise already.
            let removed = tokio::task::spawn_blocking(move || files.remove(tenant, call)).await;
            match removed {
                Ok(Ok(bytes)) => entry.with("key", "deleted").with("bytes", bytes),
                _ => entry.with("key", "deleted").with("files", "left, without a key"),
            }
        }
    };
    app.audit.after(Some(store.id()), entry).await;
    metrics::counter!("quandura_recordings_deleted_total", "reason" => reason.to_owned()).increment(1);
    Ok(done)
}

/// Deletes those that are older than their tenant keeps them, and those that only a hold kept.
///
/// # Errors
/// When storage does not answer.
pub async fn old(
    app: &Arc<App>,
    store: &TenantStore,
    days: u32,
    now: DateTime<Utc>,
) -> Result<u64, StorageError> {
    let before = now - TimeDelta::days(i64::from(days));
    let mut gone = 0;
    for old in store.old_recordings(before, BATCH).await? {
        if app.recordings.is_active(old.call_id) {
            continue;
        }
        let reason =
            if old.wanted_gone { old.delete_reason.as_deref().unwrap_or(WITHDRAWN) } else { RETENTION };
        let by = Party::new("system", "retention");
        gone += u64::from(recording(app, store, old.call_id, reason, by).await? == RecordingDeleted::Done);
    }
    Ok(gone)
}
