//! Where a call's events go: to viewers, into the live call's summary, metrics, traces, and the audit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pipeline::event::{CallEvent, ControlReason, EventBody, Holder};
use pipeline::ports::{Consented, EventSink};

use super::live::LiveCall;
use crate::audit::calls::CallAudit;
use crate::event_bus::local::Fanout;
use crate::telemetry::traces::Traces;

/// Sink of one call. Nothing in it waits.
#[derive(Debug)]
pub struct CallSink {
    fanout: Arc<Fanout>,
    call: Arc<LiveCall>,
    /// Tokens of replies that were thrown away, as last told.
    wasted: AtomicU64,
    traces: Option<Arc<Traces>>,
    audit: CallAudit,
}

impl CallSink {
    #[must_use]
    pub fn new(
        fanout: Arc<Fanout>,
        call: Arc<LiveCall>,
        traces: Option<Arc<Traces>>,
        audit: CallAudit,
    ) -> Self {
        Self { fanout, call, wasted: AtomicU64::new(0), traces, audit }
    }

    fn count_wasted(&self, now: u64) {
        let before = self.wasted.swap(now, Ordering::Relaxed);
        metrics::counter!("quandura_tokens_wasted_total").increment(now.saturating_sub(before));
    }
}

impl EventSink for CallSink {
    fn emit(&self, event: CallEvent) {
        match &event.body {
            EventBody::Final { turn, .. } => self.call.turns.store(turn.0, Ordering::Relaxed),
            EventBody::QuestionAsked { question_id, .. } => *self.call.question.lock() = Some(*question_id),
            EventBody::QuestionClosed { .. } => *self.call.question.lock() = None,
            EventBody::Control { reason: ControlReason::Held, .. } => self.call.held.notify_one(),
            EventBody::Control { reason: ControlReason::HeldNoMore, .. } => {}
            EventBody::Control { holder: Holder::Agent, lease, .. } => self.call.lease.ended(*lease),
            EventBody::Consent { consented: Consented::Withdrawn, .. } => self.call.recording.withdraw(),
            EventBody::Recording { paused, by } => self.call.recording.pause(*paused, by),
            EventBody::Notes { state, .. } => {
                metrics::counter!("quandura_notes_total", "state" => state.name()).increment(1);
            }
            EventBody::Attention { level, .. } => *self.call.attention.lock() = *level,
            EventBody::Cost { wasted_tokens, .. } => self.count_wasted(*wasted_tokens),
            EventBody::Provider { provider, state, .. } => {
                metrics::counter!("quandura_provider_events_total", "provider" => provider.clone(),
                    "state" => state.clone())
                .increment(1);
            }
            _ => {}
        }
        if let Some(traces) = &self.traces {
            traces.observe(&event);
        }
        self.audit.observe(&event);
        self.fanout.publish(&event);
    }
}
