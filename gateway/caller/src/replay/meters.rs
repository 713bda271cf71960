//! What all calls of a load test count together while they last.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::times::Times;

/// A frame that left later than this came after the next one was due.
const LATE: Duration = Duration::from_millis(20);

/// Counts shared by all calls.
#[derive(Debug, Default)]
pub struct Meters {
    live: AtomicUsize,
    sent: AtomicU64,
    late: AtomicU64,
    send_lateness: Mutex<Times>,
    arrival_lateness: Mutex<Times>,
}

/// A call that is live as long as this is held.
#[derive(Debug)]
pub struct LiveGuard<'a>(&'a Meters);

impl Drop for LiveGuard<'_> {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Meters {
    /// A stream was opened.
    #[must_use]
    pub fn call(&self) -> LiveGuard<'_> {
        self.live.fetch_add(1, Ordering::Relaxed);
        LiveGuard(self)
    }

    /// A frame of ours was handed to the socket so long after it was due.
    pub fn sent(&self, late: Duration) {
        self.sent.fetch_add(1, Ordering::Relaxed);
        if late > LATE {
            self.late.fetch_add(1, Ordering::Relaxed);
        }
        self.send_lateness.lock().record(late);
    }

    /// A frame of the gateway came so long behind its own pace.
    pub fn arrived(&self, late: Duration) {
        self.arrival_lateness.lock().record(late);
    }

    #[must_use]
    pub fn live(&self) -> usize {
        self.live.load(Ordering::Relaxed)
    }

    /// Frames sent, and of these later than a frame's length.
    #[must_use]
    pub fn frames(&self) -> (u64, u64) {
        (self.sent.load(Ordering::Relaxed), self.late.load(Ordering::Relaxed))
    }

    #[must_use]
    pub fn send_lateness(&self) -> Times {
        self.send_lateness.lock().clone()
    }

    #[must_use]
    pub fn arrival_lateness(&self) -> Times {
        self.arrival_lateness.lock().clone()
    }

    /// Forgets the times so far: what follows is a measurement of its own.
    pub fn reset(&self) {
        *self.send_lateness.lock() = Times::default();
        *self.arrival_lateness.lock() = Times::default();
        self.sent.store(0, Ordering::Relaxed);
        self.late.store(0, Ordering::Relaxed);
    }
}
