//! The first moments in which a call could have an echo, before its delay is known.

use super::bands::{Hop, SILENT};
use super::sent::Sent;

/// Latest echo that is waited for, hops, and hops of our voice that came back to silence even so late: there is no
/// echo.
const LATEST: usize = 45;
const UNANSWERED: u32 = 15;
/// Audible hops after which an echo would have been found. One about as loud as we are counts double, since
/// callers are, and echoes seldom.
const UNDECIDED: u32 = 24;
const LOUD_COUNTS: u32 = 2;
/// Sound this much softer than our voice counts once, dB.
const SOFT: f32 = 12.0;
/// An echo is softer than our voice by at least this much, dB.
const SOFTER: f32 = 5.0;
/// What sound is explained by while it is suspected.
const FIGURE: f32 = 0.9;
/// What the loudest inbound hop falls by in a hop, dB.
const PEAK_FALL: f32 = 0.5;

/// Until it is settled, sound that comes back while we first speak, and softer than we do, is taken for ours: a
/// greeting that interrupts itself would do so on every call of a speakerphone. It is settled within 0.12 s of a
/// loud sound and 0.24 s of a soft one, so a caller's quick first words wait for that at most.
#[derive(Clone, Copy, Debug)]
pub struct Suspicion {
    unanswered: u32,
    audible: u32,
    peak: f32,
    figure: f32,
}

impl Default for Suspicion {
    fn default() -> Self {
        Self { unanswered: 0, audible: 0, peak: SILENT, figure: FIGURE }
    }
}

impl Suspicion {
    /// Not settled yet.
    pub fn is_open(&self) -> bool {
        self.unanswered < UNANSWERED && self.audible < UNDECIDED
    }

    /// Takes an inbound hop.
    pub fn push(&mut self, number: u64, inbound: &Hop, audible: bool, sent: &Sent) {
        self.peak = inbound.total.max(self.peak - PEAK_FALL);
        if audible {
            self.audible += if self.peak > sent.loudest() - SOFT { LOUD_COUNTS } else { 1 };
            self.figure = if self.peak < sent.loudest() - SOFTER { FIGURE } else { 0.0 };
        } else if sent.at(number, LATEST).is_sound() {
            self.unanswered += 1;
        }
    }

    /// Share (0 to 1) of the last audible hop that is taken for ours.
    pub fn figure(&self) -> f32 {
        if self.is_open() { self.figure } else { 0.0 }
    }
}
