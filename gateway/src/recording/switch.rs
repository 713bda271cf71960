//! What is asked of a live call's recording: to pause, to go on, to be gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// One call's.
#[derive(Debug, Default)]
pub struct Switch {
    runs: AtomicBool,
    paused: Arc<AtomicBool>,
    paused_by: Mutex<Option<String>>,
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

    /// Silence from here on, or sound again. `by`: a login, the name of a token, or the agent.
    pub fn pause(&self, paused: bool, by: &str) {
        self.paused.store(paused, Ordering::Release);
        *self.paused_by.lock() = paused.then(|| by.to_owned());
    }

    /// Who paused it, while it is.
    #[must_use]
    pub fn paused_by(&self) -> Option<String> {
        self.paused_by.lock().clone()
    }

    /// What the call looks at before it hands over a frame.
    #[must_use]
    pub fn paused(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.paused)
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
