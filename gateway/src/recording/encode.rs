//! After the calls, at low priority: each recording's segments become one small file. A job that was killed begins again, since
//! the segments go only when the file is durable.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use pipeline::recording::at_low_priority;
use pipeline::recording::sound::Sound;
use pipeline::recording::two_sides::Segment;
use storage::audit::Party;
use storage::recordings::files::{RecordingFile, RecordingFiles};
use storage::recordings::{KeptRecording, RecordingKey};
use storage::records::{CallEntry, LogRow};
use storage::transfers::TransferStage;
use storage::{CallId, Calls, Recordings as _, StorageError, TenantId, TenantStore};
use tokio::time::sleep;

use super::delete;
use crate::app::App;
use crate::dialing::{call_queue, transfer};
use crate::quarantined_tenants;

/// Looked for when nobody rings: what a killed process left, and what failed.
const EVERY: Duration = Duration::from_secs(60);
/// So long after its last sound a call that broke off is waited for: whoever comes back is recorded on, and one file holds all of it.
const COMES_BACK: TimeDelta = TimeDelta::seconds(60);
/// Ends of a stream after which the same call may have another.
const RESUMED: [&str; 3] = ["stream_lost", "draining", "transferred"];
/// Recordings that are looked up at a time. What a kill left live comes after those that are over, and among the live ones.
const BATCH: u32 = 1_000;

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    loop {
        if let Err(error) = once(&app, Utc::now()).await {
            tracing::error!(%error, "recordings could not be looked up; it is tried again in a minute");
        }
        tokio::select! {
            () = app.recordings.captured.notified() => {}
            () = sleep(EVERY) => {}
            () = app.stop.closing.cancelled() => return,
        }
    }
}

/// Encodes what waits, of all tenants.
///
/// # Errors
/// When storage does not answer.
pub async fn once(app: &Arc<App>, now: DateTime<Utc>) -> Result<(), StorageError> {
    for (_, store) in quarantined_tenants::sound(&app.platform).await? {
        for waiting in store.unencoded_recordings(BATCH).await? {
            let call = waiting.call_id;
            if app.stop.closing.is_cancelled() {
                return Ok(());
            }
            // Live: its own end rings.
            if app.recordings.is_active(call) || app.live.find(call).is_some() {
                continue;
            }
            if let Err(error) = one(app, &store, call, now).await {
                tracing::error!(%error, %call, "a recording was not encoded; it is tried again in a minute");
                app.loops.note("recordings", &error);
            }
        }
    }
    Ok(())
}

/// Whether the caller of a call that broke off, waits in line or was put through may still come back to it.
async fn may_go_on(
    app: &App,
    store: &TenantStore,
    call: CallId,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    let Some(known) = store.call(call).await? else { return Ok(false) };
    let put_through = transfer::last(store, call).await?;
    if put_through.is_some_and(|to| to.stage != TransferStage::Ended)
        || call_queue::kept(store, &known, now).await?.is_some()
    {
        return Ok(true);
    }
    // After a kill they are told that they were cut off, and not taken up again.
    if !known.end_reason.as_deref().is_some_and(|reason| RESUMED.contains(&reason)) {
        return Ok(false);
    }
    let taken = app.recordings.files.last_taken(store.id(), call)?.map(DateTime::<Utc>::from);
    Ok(taken.is_some_and(|taken| taken + COMES_BACK > now))
}

async fn one(
    app: &Arc<App>,
    store: &TenantStore,
    call: CallId,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    if is_withdrawn(store, call).await? {
        // The process died between the caller's word and the deletion.
        delete::recording(app, store, call, delete::WITHDRAWN, Party::new("call", call)).await?;
        return Ok(());
    }
    if may_go_on(app, store, call, now).await? {
        return Ok(());
    }
    let Some(key) = store.recording_key(call).await? else { return Ok(()) };
    let (files, tenant) = (app.recordings.files.clone(), store.id());
    let work = move || at_low_priority(move || encoded(&files, tenant, call, &key));
    let done = tokio::task::spawn_blocking(work).await.ok().flatten();
    let crashed = StorageError::Invalid { what: "a recording that cannot be encoded" };
    match done.ok_or(crashed)?? {
        None => delete::recording(app, store, call, delete::EMPTY, Party::new("system", "recordings"))
            .await
            .map(drop),
        Some(kept) => {
            let files = app.recordings.files.clone();
            let is_kept = store.keep_recording(call, kept).await?;
            let tidy = move || {
                if is_kept { files.remove_live(tenant, call) } else { files.remove(tenant, call).map(drop) }
            };
            tokio::task::spawn_blocking(tidy).await.unwrap_or(Ok(()))
        }
    }
}

/// Whether the caller ever took their consent back: that holds for good, whatever a later stream of the call told them.
async fn is_withdrawn(store: &TenantStore, call: CallId) -> Result<bool, StorageError> {
    let log = store.call_log(call).await?;
    let withdrew = |row: &LogRow| matches!(&row.entry, CallEntry::Consent { consented, .. } if consented == delete::WITHDRAWN);
    Ok(log.iter().any(withdrew))
}

/// Everything that was taken of a call.
///
/// # Errors
/// When a file cannot be read.
pub fn segments(
    files: &RecordingFiles,
    tenant: TenantId,
    call: CallId,
    key: &RecordingKey,
) -> Result<Sound, StorageError> {
    let mut sound = Sound::default();
    files.read_live(tenant, call, key, |bytes| {
        if let Some(segment) = Segment::from_bytes(bytes) {
            sound.add(&segment);
        }
    })?;
    Ok(sound)
}

/// `None`: there was no sound.
fn encoded(
    files: &RecordingFiles,
    tenant: TenantId,
    call: CallId,
    key: &RecordingKey,
) -> Result<Option<KeptRecording>, StorageError> {
    let sound = segments(files, tenant, call, key)?;
    if sound.caller.is_empty() {
        return Ok(None);
    }
    let file = encode(&sound)?;
    let peaks = serde_json::to_vec(&sound.peaks()).unwrap_or_default();
    files.keep(tenant, call, RecordingFile::Peaks, key, &peaks)?;
    let bytes = files.keep(tenant, call, RecordingFile::Sound, key, &file)?;
    Ok(Some(KeptRecording { duration_ms: sound.duration_ms(), bytes }))
}

#[cfg(feature = "opus")]
fn encode(sound: &Sound) -> Result<Vec<u8>, StorageError> {
    pipeline::recording::ogg_opus::encode(sound).map_err(|error| {
        tracing::error!(%error, "libopus");
        StorageError::Invalid { what: "a recording that cannot be encoded" }
    })
}

/// Without libopus it is kept as WAV, five times as large.
#[cfg(not(feature = "opus"))]
#[allow(clippy::unnecessary_wraps)] // as with it
fn encode(sound: &Sound) -> Result<Vec<u8>, StorageError> {
    Ok(sound.wav())
}
