//! `quandura record`: hands the journals of calls that begin to one attached recorder.
//!
//! A recorder that is slow loses lines, never the call; a line whose callers are not told that they are recorded
//! is never recorded. Until they heard it, the journal holds no sound and no words.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use chrono::Utc;
use parking_lot::Mutex;
use pipeline::session::journal::{JournalEntry, Recorded};
use serde::{Deserialize, Serialize};
use storage::{CallId, Line, RecordingConsent};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

/// Lines between a call and the recorder: a minute of both directions with their scores.
const BACKLOG: usize = 8_192;

/// How long a slow recorder may take to accept a journal's end.
const LAST_LINE: Duration = Duration::from_secs(2);

/// One line of the recording socket.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecordLine {
    pub call_id: CallId,
    /// `None`: the call's journal is complete.
    pub entry: Option<JournalEntry>,
}

/// The place of the attached recorder.
#[derive(Debug, Default)]
pub struct Recorders {
    attached: Mutex<Option<mpsc::Sender<RecordLine>>>,
    from_start: AtomicBool,
}

impl Recorders {
    /// Attaches a recorder; `None` while another is attached.
    #[must_use]
    pub fn attach(&self) -> Option<mpsc::Receiver<RecordLine>> {
        let mut attached = self.attached.lock();
        if attached.as_ref().is_some_and(|sender| !sender.is_closed()) {
            return None;
        }
        let (sender, receiver) = mpsc::channel(BACKLOG);
        *attached = Some(sender);
        Some(receiver)
    }

    /// The same for callers that are no people, as in a bench: with the sound from before they were told.
    #[must_use]
    pub fn attach_from_start(&self) -> Option<mpsc::Receiver<RecordLine>> {
        self.from_start.store(true, Ordering::Relaxed);
        self.attach()
    }

    /// Whether journals have the sound from before the caller was told.
    #[must_use]
    pub fn is_from_start(&self) -> bool {
        self.from_start.load(Ordering::Relaxed)
    }

    /// The journal of a call that begins, if it is to be recorded and may be.
    #[must_use]
    pub fn journal(
        &self,
        call: CallId,
        line: &Line,
        tasks: &TaskTracker,
    ) -> Option<mpsc::Sender<JournalEntry>> {
        let recorder = self.attached.lock().clone().filter(|sender| !sender.is_closed())?;
        if line.recording_consent != RecordingConsent::Notice {
            tracing::info!(call_id = %call, consent = %line.recording_consent, "not recorded: the line does not allow it");
            return None;
        }
        tracing::warn!(audit = "recording.started", call_id = %call, "a recorder takes this call's journal");
        let (sender, receiver) = mpsc::channel(BACKLOG);
        let (line, started_at) = (line.number.clone(), Utc::now());
        let first = JournalEntry { at_us: 0, what: Recorded::Call { call_id: call.0, line, started_at } };
        let _ = sender.try_send(first);
        tasks.spawn(forward(call, receiver, recorder));
        Some(sender)
    }
}

async fn forward(
    call_id: CallId,
    mut journal: mpsc::Receiver<JournalEntry>,
    recorder: mpsc::Sender<RecordLine>,
) {
    let mut lost = 0_u64;
    while let Some(entry) = journal.recv().await {
        if recorder.try_send(RecordLine { call_id, entry: Some(entry) }).is_err() {
            lost += 1;
        }
    }
    // A stuck recorder must not keep the gateway from stopping.
    let last = recorder.send(RecordLine { call_id, entry: None });
    let _ = tokio::time::timeout(LAST_LINE, last).await;
    tracing::warn!(audit = "recording.ended", %call_id, lost_lines = lost, "the call's journal is complete");
}
