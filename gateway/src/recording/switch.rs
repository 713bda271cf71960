//! What is asked of a live call's recording: to pause, to go on, to be gone.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// One call's.
#[derive(Debug, Default)]
pub struct Switch {
    runs: AtomicBool,
    paused: AtomicBool,
    withdrawn: CancellationToken,
}

impl Switch {
    /// It has begun, or is over.
    pub fn set_running(&self, runs: bool) {
        self.runs.store(runs, Ordering::Release);
    }

    /// Whether the call is being recorded, paused or not.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.runs.load(Ordering::Acquire)
    }

    /// Silence from here on, or sound again.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Release);
    }

    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Acquire)
    }

    /// The caller wants none: nothing more is taken, and what there is goes.
    pub fn withdraw(&self) {
        self.withdrawn.cancel();
    }

    #[must_use]
    pub const fn withdrawn(&self) -> &CancellationToken {
        &self.withdrawn
    }
}
