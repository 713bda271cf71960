//! Recordings of calls: a row each, with the sealed key that opens its files.

use chrono::{DateTime, Utc};

use super::retention::call_is_held;
use super::tenant::{Scope, TenantStore};
use super::{Conn, page_size};
use crate::clock::now;
use crate::crypto::random_key;
use crate::error::{Step, StorageError};
use crate::ids::CallId;
use crate::recordings::{KeptRecording, Recording, RecordingDeleted, RecordingKey, RecordingState};
use crate::store::Recordings;
use crate::zones::RECORDING_KEY;
use secrecy::ExposeSecret;

#[derive(sqlx::FromRow)]
struct RecordingRow {
    call_id: CallId,
    state: RecordingState,
    started_at: DateTime<Utc>,
    duration_ms: i64,
    bytes: i64,
    lost_frames: i64,
    wanted_gone: i64,
    deleted_at: Option<DateTime<Utc>>,
    delete_reason: Option<String>,
}

macro_rules! select_recordings {
    ($($rest:tt)+) => {
        concat!(
            "select r.call_id, r.state, r.started_at, r.duration_ms, r.bytes, r.lost_frames, r.wanted_gone, r.deleted_at,
                r.delete_reason
             from recordings r join calls c on c.tenant_id = r.tenant_id and c.id = r.call_id
             where r.tenant_id = $1 ",
            $($rest)+
        )
    };
}

impl From<RecordingRow> for Recording {
    fn from(kept: RecordingRow) -> Self {
        Self {
            call_id: kept.call_id,
            state: kept.state,
            started_at: kept.started_at,
            duration_ms: kept.duration_ms.unsigned_abs(),
            bytes: kept.bytes.unsigned_abs(),
            lost_frames: kept.lost_frames.unsigned_abs(),
            wanted_gone: kept.wanted_gone != 0,
            deleted_at: kept.deleted_at,
            delete_reason: kept.delete_reason,
        }
    }
}

impl Recordings for TenantStore {
    async fn begin_recording(&self, call: CallId) -> Result<Option<RecordingKey>, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = begin(write.conn(), &core.scope, call).await;
        write.finish(step).await
    }

    async fn recording(&self, call: CallId) -> Result<Option<Recording>, StorageError> {
        const SQL: &str = select_recordings!("and r.call_id = $2");
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let found = sqlx::query_as(SQL).bind(core.scope.tenant).bind(call).fetch_optional(&mut *conn).await;
        core.db.named(found.map(|kept: Option<RecordingRow>| kept.map(Recording::from)).map_err(Into::into))
    }

    async fn recording_key(&self, call: CallId) -> Result<Option<RecordingKey>, StorageError> {
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        core.db.named(key(&mut conn, &core.scope, call).await)
    }

    async fn capture_recording(&self, call: CallId, lost_frames: u64) -> Result<(), StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update recordings set state = 'captured', lost_frames = lost_frames + $3
             where tenant_id = $1 and call_id = $2 and state = 'live'",
        )
        .bind(core.scope.tenant)
        .bind(call)
        .bind(i64::try_from(lost_frames).unwrap_or(i64::MAX))
        .execute(write.conn())
        .await;
        write.finish(done.map(drop).map_err(Into::into)).await
    }

    async fn keep_recording(&self, call: CallId, kept: KeptRecording) -> Result<bool, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let done = sqlx::query(
            "update recordings set state = 'kept', duration_ms = $3, bytes = $4
             where tenant_id = $1 and call_id = $2 and state <> 'deleted'",
        )
        .bind(core.scope.tenant)
        .bind(call)
        .bind(i64::try_from(kept.duration_ms).unwrap_or(i64::MAX))
        .bind(i64::try_from(kept.bytes).unwrap_or(i64::MAX))
        .execute(write.conn())
        .await;
        write.finish(done.map(|done| done.rows_affected() > 0).map_err(Into::into)).await
    }

    async fn delete_recording(&self, call: CallId, reason: &str) -> Result<RecordingDeleted, StorageError> {
        let core = &*self.core;
        let mut write = core.db.write().await?;
        let step = delete(write.conn(), &core.scope, call, reason).await;
        write.finish(step).await
    }

    async fn unencoded_recordings(&self, limit: u32) -> Result<Vec<Recording>, StorageError> {
        // By name: captured, then live.
        const SQL: &str = select_recordings!(
            "and r.node = $2 and r.state in ('live', 'captured') and r.wanted_gone = 0 order by r.state, r.started_at limit $3"
        );
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let query = sqlx::query_as(SQL).bind(core.scope.tenant).bind(core.scope.node).bind(page_size(limit));
        let found: Result<Vec<RecordingRow>, _> = query.fetch_all(&mut *conn).await;
        core.db.named(found.map(all).map_err(Into::into))
    }

    async fn old_recordings(
        &self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Recording>, StorageError> {
        const SQL: &str = select_recordings!(
            "and r.state <> 'deleted' and (r.wanted_gone = 1 or (r.started_at < $2 and c.state = 'ended')) and not ",
            call_is_held!(),
            " order by r.started_at limit $3"
        );
        let core = &*self.core;
        let mut conn = core.db.read().await?;
        let query = sqlx::query_as(SQL).bind(core.scope.tenant).bind(before).bind(page_size(limit));
        let found: Result<Vec<RecordingRow>, _> = query.fetch_all(&mut *conn).await;
        core.db.named(found.map(all).map_err(Into::into))
    }
}

fn all(kept: Vec<RecordingRow>) -> Vec<Recording> {
    kept.into_iter().map(Recording::from).collect()
}

/// A call that comes back over another stream goes on under the key that it has. One that was deleted stays so.
async fn begin(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Option<RecordingKey>> {
    let drawn = random_key();
    let sealed = scope.sealer.seal(RECORDING_KEY, call.0.as_bytes(), drawn.expose_secret())?;
    sqlx::query(
        "insert into recordings (tenant_id, call_id, node, state, started_at, key_sealed)
         values ($1, $2, $3, 'live', $4, $5)
         on conflict (tenant_id, call_id) do update set state = 'live', node = excluded.node
            where recordings.state in ('live', 'captured')",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(scope.node)
    .bind(now())
    .bind(sealed)
    .execute(&mut *conn)
    .await?;
    let live: i64 = sqlx::query_scalar(
        "select count(*) from recordings
         where tenant_id = $1 and call_id = $2 and state = 'live' and wanted_gone = 0",
    )
    .bind(scope.tenant)
    .bind(call)
    .fetch_one(&mut *conn)
    .await?;
    if live == 0 { Ok(None) } else { key(conn, scope, call).await }
}

async fn key(conn: &mut Conn, scope: &Scope, call: CallId) -> Step<Option<RecordingKey>> {
    let sealed: Option<Vec<u8>> = sqlx::query_scalar(
        "select key_sealed from recordings where tenant_id = $1 and call_id = $2 and key_sealed is not null",
    )
    .bind(scope.tenant)
    .bind(call)
    .fetch_optional(conn)
    .await?;
    let Some(sealed) = sealed else { return Ok(None) };
    let plain = scope.sealer.open(RECORDING_KEY, call.0.as_bytes(), &sealed)?;
    Ok(Some(RecordingKey::from_bytes(call, &plain)?))
}

/// A legal hold wins: then the wish is noted, and the sweep after the hold carries it out.
async fn delete(conn: &mut Conn, scope: &Scope, call: CallId, reason: &str) -> Step<RecordingDeleted> {
    const DELETE: &str = concat!(
        "update recordings set state = 'deleted', key_sealed = null, wanted_gone = 0, deleted_at = $3, delete_reason = $4
         where tenant_id = $1 and call_id = $2 and state <> 'deleted' and not exists (
            select 1 from calls c where c.tenant_id = recordings.tenant_id and c.id = recordings.call_id and ",
        call_is_held!(),
        ")"
    );
    let done = sqlx::query(DELETE)
        .bind(scope.tenant)
        .bind(call)
        .bind(now())
        .bind(reason)
        .execute(&mut *conn)
        .await?;
    if done.rows_affected() > 0 {
        return Ok(RecordingDeleted::Done);
    }
    let noted = sqlx::query(
        "update recordings set wanted_gone = 1, delete_reason = $3
         where tenant_id = $1 and call_id = $2 and state <> 'deleted'",
    )
    .bind(scope.tenant)
    .bind(call)
    .bind(reason)
    .execute(conn)
    .await?;
    Ok(if noted.rows_affected() > 0 { RecordingDeleted::Held } else { RecordingDeleted::NotThere })
}
