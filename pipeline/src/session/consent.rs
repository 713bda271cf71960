//! Whether the caller may be listened to and recorded: only after they were told or agreed, and until they say no.

use super::{Session, state};
use crate::event::EventBody;
use crate::ports::{CallRecord, Consented};
use crate::turn::{SegmentId, SegmentKind};

/// Who paused a recording, where no person did.
const AGENT: &str = "the agent";

impl Session {
    /// Whether what is said now may be recorded.
    #[must_use]
    pub fn may_record(&self) -> bool {
        self.consented.is_some_and(Consented::allows)
    }

    /// Whether anybody of the office may hear what is said now. Whoever speaks with the caller hears them; others only what may
    /// be recorded.
    #[must_use]
    pub fn may_be_heard(&self) -> bool {
        self.may_record()
            || !self.takes_notes()
                && matches!(self.regions.control, state::Control::Announcing | state::Control::Supervisor)
    }

    /// What the caller says of it. A no that came in mid-call is the last word.
    pub(super) fn on_consent(&mut self, consented: Consented) {
        if self.consented == Some(consented) || self.consented == Some(Consented::Withdrawn) {
            return;
        }
        self.consented = Some(consented);
        self.record(CallRecord::Consent { turn: self.turn, consented });
        self.emit(EventBody::Consent { turn: self.turn, consented });
    }

    /// The agent wants silence kept for a while, or no more.
    pub(super) fn on_recording_paused(&mut self, paused: bool) {
        if self.may_record() {
            self.emit(EventBody::Recording { paused, by: AGENT.to_owned() });
        }
    }

    /// A segment was heard to its end. The last one of the notice is what counts: those before it were heard too.
    pub(super) fn note_notice_heard(&mut self, id: SegmentId) {
        let replies = self.reply.iter().chain(&self.cut).chain(&self.parting);
        let last = replies.filter(|r| r.epoch == id.turn).find_map(|r| {
            r.segments.iter().rev().map(|s| &s.said).find(|s| s.kind == SegmentKind::Consent).map(|s| s.id)
        });
        if last == Some(id) && self.consented.is_none() {
            self.on_consent(Consented::Told);
        }
    }
}
