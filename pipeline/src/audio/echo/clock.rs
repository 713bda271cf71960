//! When an inbound frame was spoken, though frames arrive in bunches.

use telephony::media::{CallTime, FRAME_MS};

/// What the clock follows a leg that falls behind by, a frame: 25 ms a second.
const FOLLOW_US: u64 = 500;
/// A gap longer than this is a hole in the stream, not a late bunch.
const HOLE_US: u64 = 1_000_000;

/// Counts frames, held back to the earliest of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct InboundClock {
    next: Option<u64>,
}

impl InboundClock {
    /// When the frame that has just come in began, microseconds of call time.
    pub fn frame(&mut self, now: CallTime) -> u64 {
        let length = FRAME_MS * 1_000;
        let latest = now.as_micros().saturating_sub(length);
        let began = match self.next {
            Some(due) if latest > due.saturating_add(HOLE_US) => latest,
            Some(due) => due.saturating_add(FOLLOW_US).min(latest),
            None => latest,
        };
        self.next = Some(began.saturating_add(length));
        began
    }
}
