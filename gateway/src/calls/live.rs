//! The calls that are live on this node, and the handle on each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::Mutex;
use pipeline::driver::{Control, PersonFrame};
use pipeline::event::AttentionLevel;
use pipeline::ports::{EndReason, InLine};
use pipeline::tap::Tap;
use storage::{CallId, TenantId};
use telephony::call_status::Answerer;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use super::lease::LeaseDesk;
use super::pending_streams::NamedBy;
use crate::recording::switch::Switch;

/// A live call. Cheap to share; the call itself lives in its driver's task.
#[derive(Debug)]
pub struct LiveCall {
    pub id: CallId,
    pub tenant: TenantId,
    /// The carrier's name for the call.
    pub carrier_sid: String,
    /// Whether a carrier has it, who could put it through.
    pub named_by: NamedBy,
    /// A person has the call at their own telephone, and only notes are taken: there is nothing to be done about it here.
    pub is_noted: bool,
    /// Counts the streams of this process: tells a call's first stream from the one that replaced it.
    stream: u64,
    control: mpsc::Sender<Control>,
    /// Frames of the person who has the call.
    voice: mpsc::Sender<PersonFrame>,
    /// Who has the call.
    pub lease: LeaseDesk,
    /// Where people listen.
    pub tap: Arc<Tap>,
    /// What is asked of its recording.
    pub recording: Switch,
    /// What people of the office are asked now.
    pub question: Mutex<Option<u32>>,
    /// Rung when the caller begins to wait for a person.
    pub held: Notify,
    /// Where the caller stands who waits in line.
    pub in_line: Mutex<Option<InLine>>,
    /// Who answered a call of ours, as the carrier has it.
    pub answered_by: Mutex<Option<Answerer>>,
    /// Cancelled when the stream's last task is done.
    gone: CancellationToken,
    /// Last turn seen.
    pub turns: AtomicU32,
    /// Level of the last `call.attention`.
    pub attention: Mutex<AttentionLevel>,
}

impl LiveCall {
    /// Asks the call to end. `false`: it is ending already.
    #[must_use]
    pub fn hang_up(&self, reason: EndReason) -> bool {
        self.control.try_send(Control::HangUp(reason)).is_ok()
    }

    /// Asks the call for anything else. `false`: it is ending, or too much is asked of it.
    #[must_use]
    pub fn ask(&self, act: Control) -> bool {
        self.control.try_send(act).is_ok()
    }

    /// Gives a frame of the person who holds a lease. One that finds no room is dropped and counted: sound that is late is
    /// worth nothing. `false`: the call is over.
    #[must_use]
    pub fn speak(&self, frame: PersonFrame) -> bool {
        match self.voice.try_send(frame) {
            Err(mpsc::error::TrySendError::Full(_)) => {
                metrics::counter!("quandura_person_frames_dropped_total").increment(1);
                true
            }
            sent => sent.is_ok(),
        }
    }

    /// Waits until every task of the stream is done.
    pub async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// Waits until every task of the stream is done, at most `limit`.
    pub async fn wait_gone(&self, limit: Duration) -> bool {
        tokio::time::timeout(limit, self.gone.cancelled()).await.is_ok()
    }
}

/// What a call registers with.
#[derive(Debug)]
pub struct NewLive {
    pub id: CallId,
    pub tenant: TenantId,
    pub carrier_sid: String,
    pub named_by: NamedBy,
    pub is_noted: bool,
    pub control: mpsc::Sender<Control>,
    pub voice: mpsc::Sender<PersonFrame>,
}

/// Every live call of this process, by its id.
#[derive(Debug, Default)]
pub struct LiveCalls {
    by_id: DashMap<CallId, Arc<LiveCall>>,
    streams: AtomicU64,
}

impl LiveCalls {
    /// Registers a stream's call. Gives the guard that takes it out again, and the stream that it replaces.
    #[must_use]
    pub fn insert(self: &Arc<Self>, new: NewLive) -> (Registration, Option<Arc<LiveCall>>) {
        let call = Arc::new(LiveCall {
            id: new.id,
            tenant: new.tenant,
            carrier_sid: new.carrier_sid,
            named_by: new.named_by,
            is_noted: new.is_noted,
            stream: self.streams.fetch_add(1, Ordering::Relaxed),
            control: new.control,
            voice: new.voice,
            lease: LeaseDesk::default(),
            tap: Arc::default(),
            recording: Switch::default(),
            question: Mutex::default(),
            held: Notify::new(),
            in_line: Mutex::default(),
            answered_by: Mutex::default(),
            gone: CancellationToken::new(),
            turns: AtomicU32::new(0),
            attention: Mutex::default(),
        });
        let replaced = self.by_id.insert(call.id, call.clone());
        self.show_count();
        (Registration { calls: self.clone(), call }, replaced)
    }

    #[must_use]
    pub fn find(&self, id: CallId) -> Option<Arc<LiveCall>> {
        self.by_id.get(&id).map(|entry| entry.value().clone())
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Asks every call to end.
    pub fn hang_up_all(&self, reason: EndReason) {
        for entry in &self.by_id {
            let _ = entry.value().hang_up(reason);
        }
    }

    #[allow(clippy::cast_precision_loss)] // a gauge of some thousands at most
    fn show_count(&self) {
        metrics::gauge!("quandura_calls_live").set(self.by_id.len() as f64);
    }
}

/// Keeps a call registered. Dropping it is the call's last act.
#[derive(Debug)]
pub struct Registration {
    calls: Arc<LiveCalls>,
    pub call: Arc<LiveCall>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        // A newer stream of the same call keeps its own entry.
        self.calls.by_id.remove_if(&self.call.id, |_, entry| entry.stream == self.call.stream);
        self.calls.show_count();
        self.call.gone.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(id: CallId) -> (NewLive, mpsc::Receiver<Control>) {
        let (control, asked) = mpsc::channel(4);
        let tenant = TenantId::new();
        let (voice, _) = mpsc::channel(1);
        (
            NewLive {
                id,
                tenant,
                carrier_sid: "CA1".to_owned(),
                named_by: NamedBy::Carrier,
                is_noted: false,
                control,
                voice,
            },
            asked,
        )
    }

    #[tokio::test]
    async fn the_older_stream_leaves_without_taking_the_newer_ones_place() {
        let calls = Arc::new(LiveCalls::default());
        let id = CallId::new();
        let (first, mut asked) = new(id);
        let (old, none) = calls.insert(first);
        assert!(none.is_none());
        let (second, _keep) = new(id);
        let (_newer, replaced) = calls.insert(second);
        let replaced = replaced.unwrap();
        assert!(replaced.hang_up(EndReason::Replaced));
        assert_eq!(asked.recv().await, Some(Control::HangUp(EndReason::Replaced)));
        drop(old);
        assert!(replaced.wait_gone(Duration::from_secs(1)).await);
        assert_eq!(calls.len(), 1);
    }
}
