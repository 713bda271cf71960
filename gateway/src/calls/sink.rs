//! Where a call's events go: to viewers, and into the live call's summary.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pipeline::event::{CallEvent, EventBody};
use pipeline::ports::EventSink;

use super::live::LiveCall;
use crate::fanout::local::Fanout;

/// Sink of one call. Nothing in it waits.
#[derive(Debug)]
pub struct CallSink {
    pub fanout: Arc<Fanout>,
    pub call: Arc<LiveCall>,
}

impl EventSink for CallSink {
    fn emit(&self, event: CallEvent) {
        match &event.body {
            EventBody::Final { turn, .. } => self.call.turns.store(turn.0, Ordering::Relaxed),
            EventBody::Attention { level, .. } => self.call.attention.lock().clone_from(level),
            _ => {}
        }
        self.fanout.publish(&event);
    }
}
