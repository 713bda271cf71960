//! `GET` and `DELETE /v1/calls/{id}/recording`, `POST …/recording/pause` and `/resume`: the recording of a call.

use std::ops::Range;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use pipeline::event::{CallEvent, EVENT_VERSION, EventBody};
use pipeline::recording::sound::Peaks;
use pipeline::turn;
use serde::Deserialize;
use serde_json::{Value, json};
use storage::recordings::files::{RecordingFile, RecordingFiles};
use storage::recordings::{Recording, RecordingDeleted, RecordingKey, RecordingState};
use storage::{CallId, Recordings as _, StorageError, TenantId};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::calls;
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, DeleteRecordings, PlayRecordings, Scoped};
use crate::error::{ApiError, ErrorCode, QueryOf};
use crate::recording::{delete, encode};

/// What is kept of the sound: see [`encode`].
const KEPT_AS: &str = if cfg!(feature = "opus") { "audio/ogg; codecs=opus" } else { "audio/wav" };

/// `?format=`.
#[derive(Debug, Deserialize)]
pub struct SoundQuery {
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// As it is kept.
    #[default]
    Opus,
    /// 16 bits, 8 kHz, the caller left and the agent right.
    Wav,
    /// What is known of it, and how loud it is when.
    Json,
}

impl Format {
    const fn name(self) -> &'static str {
        match self {
            Self::Opus => "opus",
            Self::Wav => "wav",
            Self::Json => "json",
        }
    }
}

/// `GET /v1/calls/{id}/recording`. Who plays one or takes it out is on the audit first.
pub async fn sound(
    State(app): State<Arc<App>>,
    scope: Scoped<PlayRecordings>,
    Path(id): Path<String>,
    QueryOf(query): QueryOf<SoundQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let call = calls::find(&scope.store, &id).await?.id;
    let found = scope.store.recording(call).await?;
    // That there is none is an answer too.
    let unplayed = found.as_ref().is_none_or(|recording| playable(recording, query.format).is_err());
    if query.format == Format::Json && unplayed {
        let live = app.live.find(call).filter(|live| live.recording.is_running());
        let paused = live.map(|live| live.recording.paused_by());
        return Ok(Json(json!({
            "recording": found,
            "peaks": null,
            "paused": paused.as_ref().map(Option::is_some),
            "paused_by": paused.flatten(),
        }))
        .into_response());
    }
    let recording = found.ok_or_else(|| ApiError::not_found("recording"))?;
    playable(&recording, query.format)?;
    let key = scope.store.recording_key(call).await?.ok_or_else(|| ApiError::not_found("recording"))?;
    if query.format != Format::Json {
        let entry = acts::recording_played(&scope.principal, call, query.format.name());
        app.audit.record(Some(scope.tenant.id), entry).await?;
    }
    let _place = app.recordings.exports.acquire().await.map_err(|_| stopping())?;
    let (files, tenant, state) = (app.recordings.files.clone(), scope.tenant.id, recording.state);
    let format = query.format;
    let read = move || read(&files, (tenant, call), &key, state, format);
    let bytes = tokio::task::spawn_blocking(read).await.map_err(|_| stopping())?.map_err(|error| {
        tracing::error!(%error, %call, "a recording cannot be read");
        ApiError::not_found("sound of this recording on this node").advise(
            "ask the node that took the call; if there is one only, its files were lost, and its log says how",
        )
    })?;
    if format == Format::Json {
        let peaks: Peaks = serde_json::from_slice(&bytes).unwrap_or_default();
        return Ok(Json(
            json!({ "recording": recording, "peaks": peaks, "paused": null, "paused_by": null }),
        )
        .into_response());
    }
    let kind = if format == Format::Wav { "audio/wav" } else { KEPT_AS };
    Ok(partial(&headers, kind, &format!("{call}.{}", format.name()), bytes))
}

fn stopping() -> ApiError {
    ApiError::new(ErrorCode::ServiceUnavailable, "the gateway is stopping")
}

/// Why a recording cannot be given out now.
fn playable(recording: &Recording, format: Format) -> Result<(), ApiError> {
    match recording.state {
        RecordingState::Deleted => {
            let why = recording.delete_reason.as_deref().unwrap_or("unknown");
            Err(ApiError::new(ErrorCode::NotFound, format!("the recording was deleted ({why})")))
        }
        _ if recording.wanted_gone => {
            Err(ApiError::forbidden("the recording is to be deleted, and only a legal hold keeps it"))
        }
        RecordingState::Live => Err(ApiError::new(ErrorCode::Conflict, "the call is being recorded")
            .advise("listen to it live, or come back when it is over")),
        RecordingState::Captured if format == Format::Opus => {
            Err(ApiError::new(ErrorCode::Conflict, "the recording is being encoded")
                .advise("try again in a minute"))
        }
        RecordingState::Captured | RecordingState::Kept => Ok(()),
    }
}

fn read(
    files: &RecordingFiles,
    (tenant, call): (TenantId, CallId),
    key: &RecordingKey,
    state: RecordingState,
    format: Format,
) -> Result<Zeroizing<Vec<u8>>, StorageError> {
    if state == RecordingState::Captured {
        let sound = encode::segments(files, tenant, call, key)?;
        return Ok(Zeroizing::new(match format {
            Format::Json => serde_json::to_vec(&sound.peaks()).unwrap_or_default(),
            Format::Wav | Format::Opus => sound.wav(),
        }));
    }
    match format {
        Format::Json => files.kept(tenant, call, RecordingFile::Peaks, key),
        Format::Opus => files.kept(tenant, call, RecordingFile::Sound, key),
        Format::Wav => decoded(files.kept(tenant, call, RecordingFile::Sound, key)?),
    }
}

#[cfg(feature = "opus")]
fn decoded(kept: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, StorageError> {
    let samples = pipeline::recording::ogg_opus::decode(&kept)
        .map_err(|_| StorageError::Invalid { what: "a recording that cannot be decoded" })?;
    Ok(Zeroizing::new(pipeline::recording::sound::wav(&samples)))
}

#[cfg(not(feature = "opus"))]
fn decoded(kept: Zeroizing<Vec<u8>>) -> Result<Zeroizing<Vec<u8>>, StorageError> {
    Ok(kept)
}

/// The whole, or the part that was asked for.
fn partial(headers: &HeaderMap, kind: &'static str, name: &str, bytes: Zeroizing<Vec<u8>>) -> Response {
    let asked = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let common = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::ACCEPT_RANGES, "bytes".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    match asked.and_then(|asked| range(asked, bytes.len())) {
        None => (common, bytes.to_vec()).into_response(),
        Some(Some(part)) => {
            let place = format!("bytes {}-{}/{}", part.start, part.end - 1, bytes.len());
            let place = [(header::CONTENT_RANGE, place)];
            (StatusCode::PARTIAL_CONTENT, common, place, bytes[part].to_vec()).into_response()
        }
        Some(None) => {
            let place = [(header::CONTENT_RANGE, format!("bytes */{}", bytes.len()))];
            (StatusCode::RANGE_NOT_SATISFIABLE, place).into_response()
        }
    }
}

/// One range of bytes. `None`: it is none that we know, so the whole is given; `Some(None)`: there is no such part.
fn range(asked: &str, length: usize) -> Option<Option<Range<usize>>> {
    let (first, last) = asked.strip_prefix("bytes=")?.split_once('-')?;
    let part = match (first, last) {
        ("", suffix) => length.saturating_sub(suffix.parse().ok()?)..length,
        (first, "") => first.parse().ok()?..length,
        (first, last) => first.parse().ok()?..last.parse::<usize>().ok()?.saturating_add(1).min(length),
    };
    Some((part.start < part.end).then_some(part))
}

/// `DELETE /v1/calls/{id}/recording`: its key and its files, for good. A legal hold wins.
pub async fn remove(
    State(app): State<Arc<App>>,
    scope: Scoped<DeleteRecordings>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let call = calls::find(&scope.store, &id).await?.id;
    if app.live.find(call).is_some_and(|live| live.recording.is_running()) {
        return Err(ApiError::new(ErrorCode::Conflict, "the call is being recorded")
            .advise("pause the recording, and delete it when the call is over"));
    }
    let by = acts::actor(&scope.principal);
    match delete::recording(&app, &scope.store, call, delete::PERSON, by).await? {
        RecordingDeleted::Done => Ok(StatusCode::NO_CONTENT),
        RecordingDeleted::NotThere => Err(ApiError::not_found("recording")),
        RecordingDeleted::Held => Err(ApiError::new(ErrorCode::Conflict, "a legal hold is on the call")
            .advise("nobody can play it any more; it is deleted when the hold is lifted")),
    }
}

/// `POST /v1/calls/{id}/recording/pause`: silence from here on, on both sides.
pub async fn pause(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    set_paused(&app, &scope, &id, true).await
}

/// `POST /v1/calls/{id}/recording/resume`.
pub async fn resume(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    set_paused(&app, &scope, &id, false).await
}

async fn set_paused(app: &App, scope: &Scoped<Act>, id: &str, paused: bool) -> Result<Json<Value>, ApiError> {
    let call = calls::find(&scope.store, id).await?.id;
    let live = app.live.find(call).filter(|live| live.recording.is_running());
    let live = live.ok_or_else(|| ApiError::new(ErrorCode::Conflict, "the call is not being recorded"))?;
    // Silence first: what is being said does not wait for the audit.
    let by = scope.principal.subject.clone();
    if paused {
        live.recording.pause(true, &by);
    }
    app.audit.record(Some(scope.tenant.id), acts::recording_paused(&scope.principal, call, paused)).await?;
    live.recording.pause(paused, &by);
    app.fanout.publish(&CallEvent {
        version: EVENT_VERSION,
        event_id: Uuid::now_v7(),
        call_id: turn::CallId(call.0),
        tenant: scope.tenant.id.0,
        at: Utc::now(),
        body: EventBody::Recording { paused, by },
    });
    Ok(Json(json!({ "id": call, "paused": paused })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_a_part_of_the_whole_or_none() {
        for (asked, part) in [
            ("bytes=0-", Some(Some(0..100))),
            ("bytes=10-19", Some(Some(10..20))),
            ("bytes=90-500", Some(Some(90..100))),
            ("bytes=-10", Some(Some(90..100))),
            ("bytes=-500", Some(Some(0..100))),
            ("bytes=100-", Some(None)),
            ("bytes=20-10", Some(None)),
            ("bytes=-0", Some(None)),
            ("bytes=0-1,5-6", None),
            ("frames=0-1", None),
            ("bytes=a-b", None),
        ] {
            assert_eq!(range(asked, 100), part, "{asked}");
        }
    }
}
