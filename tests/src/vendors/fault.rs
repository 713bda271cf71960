//! What can be made to go wrong at a simulated provider.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

/// One way to fail.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Fault {
    #[default]
    None,
    /// The request or upgrade is refused with this HTTP status and the provider's own error body.
    Status { status: u16, retry_after: Option<f32> },
    /// Accepts everything and answers nothing.
    Stall,
    /// Falls silent after so many messages (or events) of its answer.
    StallAfter(usize),
    /// Answers with what makes no sense.
    Garbage,
    /// Breaks the connection after so many bytes of its answer: 0 is at once.
    CloseAfter(usize),
    /// Sends each piece of its answer this much later than the one before.
    Drip(Duration),
    /// Takes the TCP connection and never says a word.
    HalfOpen,
    /// Sends the provider's own error message in the stream, with this name.
    ErrorFrame(String),
}

/// Faults of one server: those queued are used up one a connection (or request), then the standing one holds.
#[derive(Clone, Debug, Default)]
pub struct Faults(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    standing: Fault,
    next: VecDeque<Fault>,
    /// Connections or requests so far.
    seen: usize,
}

impl Faults {
    /// From now on every connection or request fails like this.
    pub fn set(&self, fault: Fault) {
        self.0.lock().standing = fault;
    }

    /// The next connections or requests fail like these, one each.
    pub fn queue(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().next.extend(faults);
    }

    /// What the connection or request that just came in is to suffer.
    #[must_use]
    pub fn take(&self) -> Fault {
        let mut inner = self.0.lock();
        inner.seen += 1;
        inner.next.pop_front().unwrap_or_else(|| inner.standing.clone())
    }

    /// The standing fault now: long-lived connections ask before each answer.
    #[must_use]
    pub fn standing(&self) -> Fault {
        self.0.lock().standing.clone()
    }

    /// Connections or requests so far.
    #[must_use]
    pub fn seen(&self) -> usize {
        self.0.lock().seen
    }
}
