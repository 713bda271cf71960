//! Recordings of calls: one a call, gone with its key, and never while a legal hold is on it.

use chrono::{TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::recordings::{KeptRecording, RecordingDeleted, RecordingState};
use crate::retention::{Held, NewHold};
use crate::{CallId, Calls, Recordings, Retention, TenantStore};

const KEPT: KeptRecording = KeptRecording { duration_ms: 4_000, bytes: 12_345 };

async fn recorded(store: &TenantStore) -> CallId {
    let call = store.begin_call(new_call()).await.unwrap().id;
    store.begin_recording(call).await.unwrap().expect("a key");
    call
}

/// A row.
pub(crate) async fn planted(store: &TenantStore) {
    recorded(store).await;
}

pub(crate) async fn a_recording_is_begun_kept_and_deleted_with_its_key(f: &Fixture) {
    let store = &f.river;
    assert_eq!(store.recording(CallId::new()).await.unwrap(), None);
    let call = recorded(store).await;
    assert_eq!(store.recording(call).await.unwrap().unwrap().state, RecordingState::Live);
    store.capture_recording(call, 3).await.unwrap();
    let waiting = store.unencoded_recordings(9).await.unwrap();
    assert_eq!((waiting.len(), waiting[0].state, waiting[0].lost_frames), (1, RecordingState::Captured, 3));
    let live = recorded(store).await;
    let later = recorded(store).await;
    store.capture_recording(later, 0).await.unwrap();
    let waiting = store.unencoded_recordings(2).await.unwrap();
    let calls: Vec<CallId> = waiting.iter().map(|recording| recording.call_id).collect();
    assert_eq!(calls, [call, later], "a live one that is older holds up none");
    for other in [live, later] {
        store.capture_recording(other, 0).await.unwrap();
        store.keep_recording(other, KEPT).await.unwrap();
    }
    assert!(store.keep_recording(call, KEPT).await.unwrap());
    let kept = store.recording(call).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.duration_ms, kept.bytes), (RecordingState::Kept, 4_000, 12_345));
    assert!(store.unencoded_recordings(9).await.unwrap().is_empty());
    assert!(store.recording_key(call).await.unwrap().is_some());

    assert_eq!(store.delete_recording(call, "person").await.unwrap(), RecordingDeleted::Done);
    assert_eq!(store.delete_recording(call, "person").await.unwrap(), RecordingDeleted::NotThere);
    let gone = store.recording(call).await.unwrap().unwrap();
    assert_eq!((gone.state, gone.delete_reason.as_deref()), (RecordingState::Deleted, Some("person")));
    assert!(gone.deleted_at.is_some() && store.recording_key(call).await.unwrap().is_none());
    assert!(store.begin_recording(call).await.unwrap().is_none(), "it does not begin anew");
    assert!(!store.keep_recording(call, KEPT).await.unwrap(), "an encoder that comes late keeps nothing");
}

pub(crate) async fn a_call_that_comes_back_goes_on_under_its_key(f: &Fixture) {
    let store = &f.river;
    let call = recorded(store).await;
    store.capture_recording(call, 0).await.unwrap();
    assert!(store.begin_recording(call).await.unwrap().is_some());
    assert_eq!(store.recording(call).await.unwrap().unwrap().state, RecordingState::Live);
    // One that can be played is complete.
    store.keep_recording(call, KEPT).await.unwrap();
    assert!(store.begin_recording(call).await.unwrap().is_none());
}

pub(crate) async fn a_hold_keeps_a_recording_until_it_is_lifted(f: &Fixture) {
    let store = &f.river;
    let call = recorded(store).await;
    store.end_call(call, "caller_hung_up", Utc::now()).await.unwrap();
    let soon = Utc::now() + TimeDelta::minutes(1);
    assert_eq!(store.old_recordings(soon, 9).await.unwrap().len(), 1);
    assert!(store.old_recordings(Utc::now() - TimeDelta::days(1), 9).await.unwrap().is_empty());
    let hold = NewHold { on: Held::Call(call), reason: "r".into(), by: "pat".into() };
    let hold = store.set_hold(hold).await.unwrap();
    assert!(store.old_recordings(soon, 9).await.unwrap().is_empty());
    assert_eq!(store.delete_recording(call, "withdrawn").await.unwrap(), RecordingDeleted::Held);
    assert!(store.recording(call).await.unwrap().unwrap().wanted_gone);
    assert!(store.recording_key(call).await.unwrap().is_some());
    assert!(store.unencoded_recordings(9).await.unwrap().is_empty(), "nobody plays it");
    store.lift_hold(hold.id, "pat").await.unwrap();
    assert_eq!(store.old_recordings(Utc::now() - TimeDelta::days(1), 9).await.unwrap().len(), 1);
    assert_eq!(store.delete_recording(call, "withdrawn").await.unwrap(), RecordingDeleted::Done);
    assert!(store.old_recordings(soon, 9).await.unwrap().is_empty());
}

pub(crate) async fn a_recording_is_its_tenants_alone(f: &Fixture) {
    let call = recorded(&f.river).await;
    assert_eq!(f.lake.recording(call).await.unwrap(), None);
    assert!(f.lake.recording_key(call).await.unwrap().is_none());
    assert_eq!(f.lake.delete_recording(call, "person").await.unwrap(), RecordingDeleted::NotThere);
    assert!(!f.lake.keep_recording(call, KEPT).await.unwrap());
    assert!(f.lake.unencoded_recordings(9).await.unwrap().is_empty());
    assert!(f.lake.begin_recording(call).await.is_err(), "the call is another tenant's");
    assert_eq!(f.river.recording(call).await.unwrap().unwrap().state, RecordingState::Live);
}
