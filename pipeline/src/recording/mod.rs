//! A call's two sides as the caller heard them: taken while it is live ([`two_sides`]), put together when it is over
//! ([`sound`]), encoded (`ogg_opus`). Who keeps it where is the gateway's and storage's business.

#[cfg(feature = "opus")]
pub mod ogg_opus;
pub mod sound;
pub mod two_sides;

use telephony::media::{AudioFrame, CallTime};
use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};
use tokio::sync::mpsc;

use crate::tap::Side;

/// Does work that may wait on a thread of its own, after everything else that the machine has to do. Blocks; `None` when
/// the work panicked.
pub fn at_low_priority<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let quiet = move || {
        // Best effort: a container may forbid it.
        if let Ok(value) = ThreadPriorityValue::try_from(5_u8) {
            let _ = set_current_thread_priority(ThreadPriority::Crossplatform(value));
        }
        work()
    };
    std::thread::Builder::new().name("encode".to_owned()).spawn(quiet).ok()?.join().ok()
}

/// What a call hands to whoever records it, from the moment on at which it may be recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// 20 ms; silence where it may hold a secret. The agent's are told when they are sent, ahead of being heard.
    Frame { side: Side, at: CallTime, frame: AudioFrame },
    /// What was sent to the caller and not played yet was dropped.
    Cleared { at: CallTime },
}

/// Where a call hands it to. Full: dropped and counted, since a call never waits for its recording.
#[derive(Clone, Debug)]
pub struct RecordingLeg(pub mpsc::Sender<Taken>);

impl RecordingLeg {
    /// Ten seconds of both sides.
    pub const BOUND: usize = 1_024;

    /// Hands it over, if there is room.
    pub fn take(&self, taken: Taken) {
        if matches!(self.0.try_send(taken), Err(mpsc::error::TrySendError::Full(_))) {
            metrics::counter!("quandura_recording_frames_lost_total").increment(1);
        }
    }
}
