//! Carrier-neutral media: frames, marks, events and commands.
//!
//! Everything on a carrier leg is G.711 mu-law, 8 kHz, mono, in frames of 20 ms (160 bytes).

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Samples, and so mu-law bytes, per second on a carrier leg.
pub const SAMPLE_RATE_HZ: u32 = 8_000;
/// Length of one frame in milliseconds.
pub const FRAME_MS: u64 = 20;
/// Mu-law bytes in one frame.
pub const FRAME_BYTES: usize = 160;
/// Mu-law code of silence (positive zero).
pub const MULAW_SILENCE: u8 = 0xFF;

/// Time since the call's media stream was accepted, in microseconds, from a monotonic clock.
///
/// The pure parts of a call know no other clock, so a test can run ten minutes in a moment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallTime(u64);

impl CallTime {
    pub const ZERO: Self = Self(0);

    #[must_use]
    pub const fn from_micros(us: u64) -> Self {
        Self(us)
    }

    #[must_use]
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000)
    }

    #[must_use]
    pub const fn as_micros(self) -> u64 {
        self.0
    }

    #[must_use]
    pub const fn as_ms(self) -> u64 {
        self.0 / 1_000
    }

    /// Time passed since `earlier`; zero when `earlier` is in the future.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for CallTime {
    type Output = Self;
    fn add(self, d: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(d.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl AddAssign<Duration> for CallTime {
    fn add_assign(&mut self, d: Duration) {
        *self = *self + d;
    }
}

impl Sub<Duration> for CallTime {
    type Output = Self;
    fn sub(self, d: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(d.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl fmt::Debug for CallTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}ms", self.0 / 1_000, self.0 % 1_000)
    }
}

/// 20 ms of mu-law audio at 8 kHz.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AudioFrame(pub [u8; FRAME_BYTES]);

impl AudioFrame {
    pub const SILENCE: Self = Self([MULAW_SILENCE; FRAME_BYTES]);

    #[must_use]
    pub const fn bytes(&self) -> &[u8; FRAME_BYTES] {
        &self.0
    }
}

impl fmt::Debug for AudioFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self == &Self::SILENCE { "AudioFrame(silence)" } else { "AudioFrame(..)" })
    }
}

/// Name of a position in the outbound audio. Unique within a call, counts up from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct MarkId(pub u64);

/// What a carrier leg tells us, after order, size and encoding checks.
#[derive(Clone, Debug, PartialEq)]
pub enum MediaEvent {
    /// The stream is open and its identity is known. Comes once, first.
    Started(StreamStart),
    /// 20 ms from the caller.
    Frame(AudioFrame),
    /// 20 ms of what the caller hears, from whoever they talk with. Only of a stream that brings both sides.
    Heard(AudioFrame),
    /// One key press: `0`–`9`, `*`, `#`, `A`–`D`.
    Digit(char),
    /// The carrier says that everything sent before this mark was played, or was cleared.
    MarkPlayed(MarkId),
    /// The stream ended in an orderly way.
    Stopped,
}

/// Identity of a media stream as its `start` gives it. Nothing here is trusted before the token is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamStart {
    pub stream_sid: String,
    pub call_sid: String,
    pub account_sid: String,
    /// Custom parameters, at most 16 pairs.
    pub parameters: Vec<(String, String)>,
}

/// What we tell a carrier leg.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MediaCommand {
    Frame(AudioFrame),
    Mark(MarkId),
    /// Drop everything that was sent and not yet played.
    Clear,
    /// End the stream.
    Close,
}

/// Cuts mu-law audio into frames; the last is filled with silence.
#[must_use]
pub fn frames(mulaw: &[u8]) -> Vec<AudioFrame> {
    let cut = mulaw.chunks(FRAME_BYTES).map(|part| {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..part.len()].copy_from_slice(part);
        AudioFrame(frame)
    });
    cut.collect()
}
