//! Audio that waits to be sent, and how it is cut into frames.

use std::collections::VecDeque;
use std::time::Duration;

use crate::ledger::{SegmentKey, WordSpan};
use crate::media::{CallTime, FRAME_BYTES, MULAW_SILENCE};

/// Mu-law bytes per millisecond.
pub(super) const BYTES_PER_MS: u64 = 8;

/// Playing time of so many bytes.
pub(super) const fn playing(bytes: u64) -> Duration {
    Duration::from_micros(bytes * 1_000 / BYTES_PER_MS)
}

/// Bytes played in so much time, rounded down.
pub(super) fn bytes_in(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX).saturating_mul(BYTES_PER_MS) / 1_000
}

/// A segment that is not closed.
#[derive(Debug)]
pub(super) struct Segment {
    pub key: SegmentKey,
    /// Not yet sent.
    audio: VecDeque<u8>,
    /// All bytes that synthesis gave.
    pub received: u64,
    pub sent: u64,
    pub words: Vec<WordSpan>,
    pub released: bool,
    pub finished: bool,
    /// Cancelled with its beginning already sent.
    pub cut: bool,
    /// Place of its first byte in the call's outbound audio. This and the next two hold once `sent > 0`.
    pub start: u64,
    /// Earliest time at which the carrier can play its first sent byte, and be done with its last.
    pub plays_from: CallTime,
    pub plays_to: CallTime,
    /// When the caller began to hear it, as the first mark behind it tells.
    pub heard_from: Option<CallTime>,
}

impl Segment {
    fn new(key: SegmentKey) -> Self {
        Self {
            key,
            audio: VecDeque::new(),
            received: 0,
            sent: 0,
            words: Vec::new(),
            released: false,
            finished: false,
            cut: false,
            start: 0,
            plays_from: CallTime::ZERO,
            plays_to: CallTime::ZERO,
            heard_from: None,
        }
    }

    /// Place after its last sent byte.
    pub(super) const fn end(&self) -> u64 {
        self.start + self.sent
    }

    fn spent(&self) -> bool {
        self.released && self.finished && self.audio.is_empty()
    }

    fn take(&mut self, out: &mut [u8]) {
        let part = out.len();
        for (to, from) in out.iter_mut().zip(self.audio.drain(..part)) {
            *to = from;
        }
        self.sent += part as u64;
    }
}

/// What the front of the queue allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ready {
    /// Nothing planned, or the next segment may not begin yet.
    Nothing,
    /// The segment that is being said lacks audio.
    Starved,
    /// One frame, of so many bytes; less than a whole one only where audio ends.
    Frame(usize),
}

/// Segments with audio still to be sent, in the order of planning. Only the first can be sent in part.
#[derive(Debug, Default)]
pub(super) struct Queue {
    segments: VecDeque<Segment>,
    waiting_bytes: u64,
}

impl Queue {
    pub(super) fn plan(&mut self, key: SegmentKey) {
        self.segments.push_back(Segment::new(key));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) const fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// The segment that is partly sent.
    pub(super) fn begun(&mut self) -> Option<&mut Segment> {
        self.segments.front_mut().filter(|s| s.sent > 0)
    }

    pub(super) fn find(&mut self, key: SegmentKey) -> Option<&mut Segment> {
        self.segments.iter_mut().find(|s| s.key == key)
    }

    /// Adds audio to a segment that is not finished; false otherwise.
    pub(super) fn push(&mut self, key: SegmentKey, mulaw: &[u8]) -> bool {
        let Some(segment) = self.find(key).filter(|s| !s.finished) else { return false };
        segment.audio.extend(mulaw);
        segment.received += mulaw.len() as u64;
        self.waiting_bytes += mulaw.len() as u64;
        true
    }

    /// Takes out the first segment when all of it is sent.
    pub(super) fn pop_spent(&mut self) -> Option<Segment> {
        self.segments.pop_front_if(|s| s.spent())
    }

    /// Takes out every segment of a group.
    pub(super) fn remove(&mut self, group: u32) -> Vec<Segment> {
        let mut removed = Vec::new();
        let mut kept = VecDeque::with_capacity(self.segments.len());
        for segment in self.segments.drain(..) {
            if segment.key.group == group { removed.push(segment) } else { kept.push_back(segment) }
        }
        self.segments = kept;
        self.waiting_bytes -= removed.iter().map(|s| s.audio.len() as u64).sum::<u64>();
        removed
    }

    /// Takes out everything.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Segment> {
        self.waiting_bytes = 0;
        self.segments.drain(..)
    }

    pub(super) fn ready(&self) -> Ready {
        let (mut bytes, mut complete) = (0, 0);
        for segment in &self.segments {
            if !segment.released {
                break;
            }
            bytes += segment.audio.len();
            if bytes >= FRAME_BYTES {
                return Ready::Frame(FRAME_BYTES);
            }
            if !segment.finished {
                break;
            }
            complete = bytes;
        }
        match self.segments.front() {
            _ if complete > 0 => Ready::Frame(complete),
            Some(first) if first.sent > 0 && !first.finished => Ready::Starved,
            _ => Ready::Nothing,
        }
    }

    /// Takes `bytes` (as [`Queue::ready`] said) into a frame that will stand at `place` and be played from
    /// `plays` at the earliest, and pads it. `took` sees each segment after its part was taken.
    pub(super) fn fill(
        &mut self,
        bytes: usize,
        place: u64,
        plays: CallTime,
        mut took: impl FnMut(&Segment),
    ) -> [u8; FRAME_BYTES] {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        let mut filled = 0;
        for segment in &mut self.segments {
            let part = segment.audio.len().min(bytes - filled);
            if part > 0 {
                if segment.sent == 0 {
                    segment.start = place + filled as u64;
                    segment.plays_from = plays + playing(filled as u64);
                }
                segment.take(&mut frame[filled..filled + part]);
                filled += part;
                segment.plays_to = plays + playing(filled as u64);
                took(segment);
            }
            if filled == bytes {
                break;
            }
        }
        self.waiting_bytes -= filled as u64;
        frame
    }
}
