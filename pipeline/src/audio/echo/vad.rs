//! A speech detector that takes neither our own voice nor one behind the caller for the caller's.

use std::fmt;

use telephony::media::{AudioFrame, CallTime, MediaCommand};

use super::EchoGuard;
use crate::audio::nearness::Nearness;
use crate::ports::VoiceActivity;

/// A detector behind an [`EchoGuard`], and deaf to voices that are not at the telephone.
pub struct GuardedVad {
    vad: Box<dyn VoiceActivity>,
    guard: EchoGuard,
    near: Nearness,
    /// Sum and number of the figures since the last score.
    figures: f32,
    frames: u32,
    /// Of the last window.
    last: f32,
}

impl fmt::Debug for GuardedVad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedVad")
            .field("delay_ms", &self.guard.delay_ms())
            .field("explained", &self.last)
            .finish_non_exhaustive()
    }
}

impl GuardedVad {
    #[must_use]
    pub fn new(vad: Box<dyn VoiceActivity>) -> Self {
        Self {
            vad,
            guard: EchoGuard::default(),
            near: Nearness::default(),
            figures: 0.0,
            frames: 0,
            last: 0.0,
        }
    }

    /// Takes every command that goes to the carrier, at the time it goes.
    pub fn sent(&mut self, now: CallTime, command: &MediaCommand) {
        match command {
            MediaCommand::Frame(frame) => self.guard.played(now, frame),
            MediaCommand::Clear => self.guard.cleared(now),
            MediaCommand::Mark(_) | MediaCommand::Close => {}
        }
    }

    /// Takes 20 ms from the caller; gives the probability (0 to 1) that the caller spoke whenever a window is
    /// complete, as the detector inside does.
    pub fn push(&mut self, now: CallTime, frame: &AudioFrame) -> Option<f32> {
        self.figures += self.guard.heard(now, frame);
        self.frames += 1;
        self.near.frame(frame);
        let score = self.vad.push(frame)?;
        self.last = self.figures / self.frames as f32;
        (self.figures, self.frames) = (0.0, 0);
        let own = score * (1.0 - self.last);
        Some(own * self.near.window(own, self.last))
    }

    /// Whether the voice that is heard now is behind the caller: a television, somebody in the room.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.near.is_behind()
    }

    /// Whether an echo is known, or it is not settled yet that there is none.
    #[must_use]
    pub fn may_echo(&self) -> bool {
        self.guard.may_echo()
    }

    /// The guard, for figures.
    #[must_use]
    pub fn guard(&self) -> &EchoGuard {
        &self.guard
    }
}
