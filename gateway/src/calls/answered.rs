//! Listens whether it was a machine that said "yes" to a call of ours, and ends the call where that is sure.

use std::sync::Arc;

use pipeline::ports::EndReason;
use telephony::answered::{Answered, Verdict};
use telephony::media::AudioFrame;

use super::live::LiveCall;

/// Frames from a sure verdict for which a message waits for the beep: 15 s.
const BEEP_WITHIN: u32 = 750;

/// Whether whoever talks with us may be a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Doubt {
    /// They called us, or pressed a key.
    #[default]
    None,
    /// What they said may have been a machine's greeting. `leaves_message`: it gets a message after its beep.
    ByVoice { leaves_message: bool },
}

/// The ear of one call.
#[derive(Debug)]
pub struct Ear {
    answered: Answered,
    call: Arc<LiveCall>,
    leaves_message: bool,
    /// Frames since it was sure.
    sure: u32,
    done: bool,
}

impl Ear {
    /// `None`: nobody need listen.
    #[must_use]
    pub fn new(doubt: Doubt, call: &Arc<LiveCall>) -> Option<Self> {
        let Doubt::ByVoice { leaves_message } = doubt else { return None };
        Some(Self { answered: Answered::default(), call: call.clone(), leaves_message, sure: 0, done: false })
    }

    /// Takes a frame of theirs.
    pub fn hear(&mut self, frame: &AudioFrame) {
        if self.done {
            return;
        }
        if let Some(who) = *self.call.answered_by.lock() {
            self.answered.carrier_says(who);
        }
        if let Verdict::Machine { takes_message } = self.answered.hear(frame) {
            self.sure += 1;
            if takes_message || !self.leaves_message || self.sure > BEEP_WITHIN {
                tracing::info!(call_id = %self.call.id, takes_message, "a machine answered a call of ours");
                self.done = self.call.hang_up(EndReason::Machine);
            }
        } else {
            self.done = self.answered.is_done();
        }
    }
}
