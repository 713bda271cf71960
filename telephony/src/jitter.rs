//! Inbound audio: counts gaps, late and bunched arrivals, conceals what is missing, and cuts payloads of any
//! size into frames.
//!
//! The carrier speaks over TCP, which does not reorder; what is missing was never sent.

#![deny(clippy::disallowed_methods)]

use std::time::Duration;

use crate::media::{AudioFrame, CallTime, FRAME_BYTES, MULAW_SILENCE};
use crate::mulaw;

/// Longest gap that is concealed, in chunks. After a longer one the stream simply goes on.
pub const MAX_CONCEALED: u64 = 10;
/// A chunk this much later than the quickest one was late.
const LATE: Duration = Duration::from_millis(60);
/// Chunks closer together than this were held up somewhere and let go at once.
const BUNCHED: Duration = Duration::from_millis(5);
/// The quickest way is forgotten by this share of each excess, so that clocks may drift apart.
const FORGET: u32 = 512;
/// An older chunk number than this many back means that the peer began to count anew.
const STALE_WINDOW: u64 = 10;

/// Counts of one stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct JitterCounts {
    pub chunks: u64,
    /// Holes in the chunk numbers.
    pub gaps: u64,
    /// Chunks missing in these holes.
    pub missing: u64,
    /// Frames made up to fill them.
    pub concealed: u64,
    /// Holes too long to fill, and numbering begun anew.
    pub resyncs: u64,
    /// Chunks that came twice; dropped.
    pub stale: u64,
    /// Holes in the message sequence.
    pub sequence_gaps: u64,
    pub late: u64,
    pub bunched: u64,
}

/// One inbound chunk as the carrier describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Chunk<'a> {
    /// Counts up by one from 1.
    pub number: Option<u64>,
    /// Milliseconds since the stream began, by the carrier's clock.
    pub timestamp_ms: Option<u64>,
    pub mulaw: &'a [u8],
}

/// What a chunk number says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Next,
    After { missing: u64 },
    Resync { missing: u64 },
    Stale,
}

/// The inbound half of one call's media leg.
#[derive(Debug, Default)]
pub struct InboundAudio {
    counts: JitterCounts,
    last_number: Option<u64>,
    last_sequence: Option<u64>,
    last_arrival: Option<CallTime>,
    /// Arrival less timestamp of the quickest chunk, microseconds.
    quickest_us: Option<i64>,
    reframer: Reframer,
    concealer: Concealer,
}

impl InboundAudio {
    #[must_use]
    pub const fn counts(&self) -> JitterCounts {
        self.counts
    }

    /// Counts holes in the numbers that every message carries.
    pub fn sequence(&mut self, number: u64) {
        if self.last_sequence.is_some_and(|last| number > last.saturating_add(1)) {
            self.counts.sequence_gaps += 1;
        }
        self.last_sequence = Some(number);
    }

    /// Takes a chunk that arrived at `now`; `out` gets the frames it completes, made-up ones first.
    pub fn accept(&mut self, now: CallTime, chunk: Chunk<'_>, mut out: impl FnMut(AudioFrame)) {
        self.counts.chunks += 1;
        self.clock(now, chunk.timestamp_ms);
        match self.place(chunk.number) {
            Place::Next => {}
            Place::Stale => {
                self.counts.stale += 1;
                return;
            }
            Place::After { missing } => {
                self.hole(missing);
                self.counts.concealed += missing;
                for _ in 0..missing {
                    out(self.concealer.conceal());
                }
            }
            Place::Resync { missing } => {
                self.hole(missing);
                self.counts.resyncs += 1;
            }
        }
        let concealer = &mut self.concealer;
        self.reframer.push(chunk.mulaw, |frame| {
            concealer.heard(frame);
            out(frame);
        });
    }

    /// What waited for the rest of its frame belongs before the hole; it is too short to be missed.
    fn hole(&mut self, missing: u64) {
        self.counts.gaps += 1;
        self.counts.missing = self.counts.missing.saturating_add(missing);
        self.reframer.clear();
    }

    fn place(&mut self, number: Option<u64>) -> Place {
        let Some(number) = number else { return Place::Next };
        let Some(last) = self.last_number.replace(number) else { return Place::Next };
        match number.checked_sub(last) {
            Some(1) => Place::Next,
            Some(step) if step > 1 && step - 1 <= MAX_CONCEALED => Place::After { missing: step - 1 },
            Some(step) if step > 1 => Place::Resync { missing: step - 1 },
            _ if last - number < STALE_WINDOW => {
                self.last_number = Some(last);
                Place::Stale
            }
            _ => Place::Resync { missing: 0 },
        }
    }

    fn clock(&mut self, now: CallTime, timestamp_ms: Option<u64>) {
        if self.last_arrival.replace(now).is_some_and(|last| now.since(last) < BUNCHED) {
            self.counts.bunched += 1;
        }
        let Some(timestamp_us) = timestamp_ms.and_then(|ms| i64::try_from(ms).ok()?.checked_mul(1_000))
        else {
            return;
        };
        let transit = i64::try_from(now.as_micros()).unwrap_or(i64::MAX).saturating_sub(timestamp_us);
        let quickest = self.quickest_us.map_or(transit, |q| q.min(transit));
        let excess = transit.saturating_sub(quickest);
        if excess > LATE.as_micros() as i64 {
            self.counts.late += 1;
        }
        self.quickest_us = Some(quickest.saturating_add(excess / i64::from(FORGET)));
    }
}

/// Turns payloads of any size into frames.
#[derive(Debug, Default)]
pub struct Reframer {
    /// Less than a frame.
    partial: Vec<u8>,
}

impl Reframer {
    /// Adds mu-law bytes; `out` gets each frame they complete.
    pub fn push(&mut self, mut mulaw: &[u8], mut out: impl FnMut(AudioFrame)) {
        if !self.partial.is_empty() {
            let missing = mulaw.len().min(FRAME_BYTES - self.partial.len());
            let (head, rest) = mulaw.split_at(missing);
            self.partial.extend_from_slice(head);
            mulaw = rest;
            if let Ok(frame) = self.partial.as_slice().try_into() {
                out(AudioFrame(frame));
                self.partial.clear();
            }
        }
        let (frames, rest) = mulaw.as_chunks::<FRAME_BYTES>();
        frames.iter().for_each(|frame| out(AudioFrame(*frame)));
        self.partial.extend_from_slice(rest);
    }

    /// Gives what is left, padded with silence.
    pub fn flush(&mut self) -> Option<AudioFrame> {
        if self.partial.is_empty() {
            return None;
        }
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..self.partial.len()].copy_from_slice(&self.partial);
        self.partial.clear();
        Some(AudioFrame(frame))
    }

    fn clear(&mut self) {
        self.partial.clear();
    }
}

/// Fills holes: the last frame fading out, then silence.
#[derive(Debug)]
pub struct Concealer {
    last: AudioFrame,
    made_up: usize,
}

impl Default for Concealer {
    fn default() -> Self {
        Self { last: AudioFrame::SILENCE, made_up: 0 }
    }
}

impl Concealer {
    /// Notes a real frame.
    pub const fn heard(&mut self, frame: AudioFrame) {
        self.last = frame;
        self.made_up = 0;
    }

    /// Makes up the next frame.
    pub fn conceal(&mut self) -> AudioFrame {
        self.made_up = self.made_up.saturating_add(1);
        let mut frame = self.last.0;
        mulaw::attenuate(&mut frame, self.made_up);
        AudioFrame(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn feed(audio: &mut InboundAudio, at_ms: u64, number: u64) -> Vec<AudioFrame> {
        let mut frames = Vec::new();
        let chunk =
            Chunk { number: Some(number), timestamp_ms: Some(number * 20), mulaw: &[0x10; FRAME_BYTES] };
        audio.accept(CallTime::from_ms(at_ms), chunk, |f| frames.push(f));
        frames
    }

    #[test]
    fn a_short_hole_is_filled_with_a_fading_frame_then_silence() {
        let mut audio = InboundAudio::default();
        feed(&mut audio, 20, 1);
        let frames = feed(&mut audio, 140, 7);
        assert_eq!(frames.len(), 6);
        assert_ne!(frames[0], AudioFrame::SILENCE);
        assert_ne!(frames[0], frames[1]);
        assert_eq!(frames[3], AudioFrame::SILENCE);
        assert_eq!(frames[5].0, [0x10; FRAME_BYTES]);
        let counts = audio.counts();
        assert_eq!((counts.gaps, counts.missing, counts.concealed), (1, 5, 5));
    }

    #[test]
    fn a_long_hole_and_a_new_count_are_not_filled() {
        let mut audio = InboundAudio::default();
        feed(&mut audio, 20, 1);
        assert_eq!(feed(&mut audio, 300, 12).len(), 11);
        assert_eq!(feed(&mut audio, 900, 24).len(), 1);
        assert_eq!(feed(&mut audio, 920, 1).len(), 1);
        assert_eq!((audio.counts().resyncs, audio.counts().missing), (2, 21));
    }

    #[test]
    fn part_of_a_frame_before_a_hole_shifts_nothing_after_it() {
        for number in [3, 30] {
            let (mut audio, mut frames) = (InboundAudio::default(), Vec::new());
            let part = Chunk { number: Some(1), timestamp_ms: None, mulaw: &[0x20; FRAME_BYTES / 2] };
            audio.accept(CallTime::from_ms(20), part, |f| frames.push(f));
            assert!(frames.is_empty());
            assert_eq!(feed(&mut audio, 20 * number, number).last(), Some(&AudioFrame([0x10; FRAME_BYTES])));
        }
    }

    #[test]
    fn a_chunk_that_came_before_is_dropped() {
        let mut audio = InboundAudio::default();
        feed(&mut audio, 20, 1);
        feed(&mut audio, 40, 2);
        assert!(feed(&mut audio, 41, 2).is_empty());
        assert!(feed(&mut audio, 42, 1).is_empty());
        assert_eq!(feed(&mut audio, 60, 3).len(), 1);
        assert_eq!(audio.counts().stale, 2);
    }

    #[test]
    fn late_and_bunched_chunks_are_counted() {
        let mut audio = InboundAudio::default();
        for n in 1..=10 {
            feed(&mut audio, 30 + 20 * n, n);
        }
        assert_eq!((audio.counts().late, audio.counts().bunched), (0, 0));
        for n in 11..=15 {
            feed(&mut audio, 400, n);
        }
        assert_eq!((audio.counts().late, audio.counts().bunched), (5, 4));
    }

    #[test]
    fn holes_in_the_message_sequence_are_counted() {
        let mut audio = InboundAudio::default();
        for n in [1, 2, 3, 7, 8, 2, 3] {
            audio.sequence(n);
        }
        assert_eq!(audio.counts().sequence_gaps, 1);
    }

    proptest! {
        #[test]
        fn reframing_keeps_every_byte_in_order(
            pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..700), 0..20),
        ) {
            let (mut reframer, mut out) = (Reframer::default(), Vec::new());
            for piece in &pieces {
                reframer.push(piece, |f| out.extend_from_slice(f.bytes()));
            }
            let whole: Vec<u8> = pieces.concat();
            let frames = whole.len() / FRAME_BYTES * FRAME_BYTES;
            prop_assert_eq!(&out, &whole[..frames]);
            let rest = reframer.flush();
            prop_assert_eq!(rest.is_some(), frames < whole.len());
            if let Some(rest) = rest {
                prop_assert_eq!(&rest.bytes()[..whole.len() - frames], &whole[frames..]);
            }
        }

        #[test]
        fn no_numbering_makes_it_panic_or_conceal_much(
            chunks in prop::collection::vec((any::<Option<u64>>(), any::<Option<u64>>(), any::<u64>()), 0..50),
        ) {
            let mut audio = InboundAudio::default();
            for (number, timestamp_ms, at) in chunks {
                let mut frames = 0;
                let chunk = Chunk { number, timestamp_ms, mulaw: &[0; 320] };
                audio.accept(CallTime::from_micros(at), chunk, |_| frames += 1);
                audio.sequence(at);
                prop_assert!(frames <= 2 + MAX_CONCEALED);
            }
        }
    }
}
