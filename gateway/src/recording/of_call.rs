//! One live call's recording: nothing before the first frame that may be taken, a segment a second after it, and the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::Utc;
use pipeline::event::{CallEvent, EVENT_VERSION, EventBody};
use pipeline::recording::leg::{Captured, RecordingLeg, note_lost};
use pipeline::recording::two_sides::Segment;
use pipeline::turn;
use storage::audit::{NewAudit, Party};
use storage::recordings::RecordingKey;
use storage::{CallId, RecordingConsent, Recordings as _, TenantStore};
use telephony::media::CallTime;
use tokio::sync::mpsc;
use tracing::Instrument;
use uuid::Uuid;

use super::delete;
use super::writer::NewFile;
use crate::app::App;
use crate::calls::live::LiveCall;
use crate::calls::pending_streams::ExpectedCall;

/// Where a call that begins hands its sound to; `None` on a line that tells its callers nothing. `start_ms`: the call's time
/// when its stream began.
pub fn begin(
    app: &Arc<App>,
    store: &TenantStore,
    call: &ExpectedCall,
    live: &Arc<LiveCall>,
    start_ms: u64,
) -> Option<RecordingLeg> {
    if call.line.recording_consent == RecordingConsent::Off {
        return None;
    }
    let (handed, captured) = mpsc::channel(RecordingLeg::BOUND);
    let lost = Arc::new(AtomicU64::new(0));
    let paused = live.recording.paused();
    let leg = RecordingLeg::new(CallTime::from_ms(start_ms), paused, Arc::clone(&lost), handed);
    app.recordings.enter(call.id);
    let recorder = Recorder {
        app: Arc::clone(app),
        store: store.clone(),
        call: call.id,
        live: Arc::clone(live),
        key: None,
        file: None,
        lost,
        told: false,
    };
    let (app_after, id) = (Arc::clone(app), call.id);
    let run = async move {
        let _active = Active(app_after, id);
        recorder.run(captured).await;
    };
    app.tasks.spawn(run.in_current_span());
    Some(leg)
}

/// While it lives, the call's recording is not complete. Then the encoder is told.
struct Active(Arc<App>, CallId);

impl Drop for Active {
    fn drop(&mut self) {
        self.0.recordings.leave(self.1);
        self.0.recordings.captured.notify_one();
    }
}

struct Recorder {
    app: Arc<App>,
    store: TenantStore,
    call: CallId,
    live: Arc<LiveCall>,
    key: Option<Arc<RecordingKey>>,
    /// The writer's number of the file; `None` until the disk took one.
    file: Option<u64>,
    lost: Arc<AtomicU64>,
    /// Whoever watches was told that it is not being recorded.
    told: bool,
}

impl Recorder {
    async fn run(mut self, mut captured: mpsc::Receiver<Captured>) {
        let live = Arc::clone(&self.live);
        let withdrawn = live.recording.withdrawn();
        // Nothing is handed over before the caller was told or agreed.
        let Some(first) = captured.recv().await else { return self.gone_unless_kept().await };
        if !self.has_begun().await {
            return;
        }
        self.live.recording.set_running(true);
        metrics::gauge!("quandura_recordings_live").increment(1.0);
        let mut next = Some(first);
        while let Some(handed) = next {
            if let Captured::Segment(segment) = handed {
                self.keep(&segment).await;
            }
            next = tokio::select! {
                biased;
                () = withdrawn.cancelled() => None,
                handed = captured.recv() => handed,
            };
        }
        metrics::gauge!("quandura_recordings_live").decrement(1.0);
        self.live.recording.set_running(false);
        self.end().await;
    }

    /// The caller said no before anything of this stream was taken: an earlier stream of the call may have left something.
    async fn gone_unless_kept(self) {
        if self.live.recording.withdrawn().is_cancelled() {
            delete::because(
                &self.app,
                &self.store,
                self.call,
                delete::WITHDRAWN,
                Party::new("call", self.call),
            )
            .await;
        }
    }

    async fn has_begun(&mut self) -> bool {
        match self.store.begin_recording(self.call).await {
            Ok(Some(key)) => self.key = Some(Arc::new(key)),
            Ok(None) => return false,
            Err(error) => {
                tracing::error!(%error, "the call is not recorded");
                self.tell("the record of it could not be written");
                return false;
            }
        }
        let started =
            NewAudit::new("recording.started", Party::new("system", "call"), Party::new("call", self.call));
        self.app.audit.after(Some(self.store.id()), started.traced(self.call.0)).await;
        true
    }

    async fn keep(&mut self, segment: &Segment) {
        if self.file.is_none() {
            self.open(segment.from * telephony::media::FRAME_MS).await;
        }
        match self.file {
            Some(file) => {
                self.app.recordings.writer.append(file, segment.to_bytes(), segment.frames(), &self.lost)
            }
            None => note_lost(&self.lost, segment.frames()),
        }
        if !self.told && self.lost.load(Ordering::Relaxed) > 0 {
            self.told = true;
            self.tell("a part of the call could not be written: the disk is full, or too slow");
        }
    }

    async fn open(&mut self, from_ms: u64) {
        let Some(key) = self.key.clone().filter(|_| self.app.recordings.disk.has_room()) else { return };
        let new = NewFile { tenant: self.store.id(), call: self.call, from_ms, key };
        match self.app.recordings.writer.begin(new).await {
            Ok(file) => self.file = Some(file),
            Err(error) => tracing::error!(%error, "the call is not recorded for now"),
        }
    }

    async fn end(self) {
        if let Some(file) = self.file {
            self.app.recordings.writer.end(file).await;
        }
        // Said while the last second was being written.
        if self.live.recording.withdrawn().is_cancelled() {
            let caller = Party::new("call", self.call);
            return delete::because(&self.app, &self.store, self.call, delete::WITHDRAWN, caller).await;
        }
        let lost = self.lost.load(Ordering::Relaxed);
        if let Err(error) = self.store.capture_recording(self.call, lost).await {
            tracing::error!(%error, "the end of a recording is not on record; it is found when the call is over");
        }
    }

    /// To whoever watches the call.
    fn tell(&self, reason: &str) {
        tracing::error!(reason, "the call goes on, and is not recorded as a whole");
        self.app.fanout.publish(&CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::now_v7(),
            call_id: turn::CallId(self.call.0),
            tenant: self.store.id().0,
            at: Utc::now(),
            body: EventBody::Provider {
                provider: "recording".to_owned(),
                state: "failed".to_owned(),
                reason: reason.to_owned(),
            },
        });
    }
}
