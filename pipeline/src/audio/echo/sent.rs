//! What we sent, by the time at which it is heard.

use telephony::media::{AudioFrame, CallTime};

use super::HOP_US;
use super::bands::{Analyser, Average, BANDS, HOP, Hop, Levels, SILENT};
use super::delay::LAGS;

/// Hops kept: the longest delay (71), the longest cushion (40) and some.
const KEPT: usize = 128;

/// What the loudest hop falls by in a hop, dB: an echo comes up to 0.7 s later and must be measured against it.
const LOUDEST_FALL: f32 = 0.03;
/// Hops not softer than the loudest by more than this, dB, are heard if anything of ours is.
const LOUD: f32 = 9.0;

/// No change in any band.
static STILL: Levels = [0.0; BANDS];
/// Hops by which a room outlasts the longest delay.
const ROOM: u64 = 30;

/// The last 1.3 s of our audio and what of it is still in the carrier's buffer.
#[derive(Clone, Debug)]
pub struct Sent {
    hops: Box<[Hop; KEPT]>,
    /// Changes and weights of the same hops, close together for the search over all delays.
    changes: Box<[Levels; KEPT]>,
    loud: Box<[f32; KEPT]>,
    analyser: Analyser,
    average: Average,
    /// Number of the hop after the last.
    end: u64,
    /// Number of the hop after the last that was audible.
    audible_end: u64,
    /// Loudest hop of late, dBFS.
    loudest: f32,
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            hops: Box::new([Hop::SILENCE; KEPT]),
            changes: Box::new([[0.0; BANDS]; KEPT]),
            loud: Box::new([0.0; KEPT]),
            analyser: Analyser::default(),
            average: Average::default(),
            end: 0,
            audible_end: 0,
            loudest: SILENT,
        }
    }
}

impl Sent {
    /// A frame that was sent at `at`: it is heard then, or after what was sent before it.
    pub fn push(&mut self, at: CallTime, frame: &AudioFrame) {
        let first = at.as_micros() / HOP_US;
        self.fill(first);
        for codes in frame.bytes().chunks_exact(HOP) {
            let mut hop = self.analyser.hop(codes);
            if hop.is_sound() {
                self.average.compare(&mut hop);
            }
            self.keep(hop);
        }
    }

    /// The carrier forgets what it has not played by `now`.
    pub fn cleared(&mut self, now: CallTime) {
        let now = now.as_micros() / HOP_US;
        if self.end > now {
            for number in now.max(self.end.saturating_sub(KEPT as u64))..self.end {
                self.put(number, Hop::SILENCE);
            }
            self.end = now;
            self.audible_end = self.audible_end.min(now);
        }
    }

    /// What was heard `lag` hops before the hop number `at`.
    pub fn at(&self, at: u64, lag: usize) -> &Hop {
        let number = at.wrapping_sub(lag as u64);
        if number < self.end && number + KEPT as u64 >= self.end {
            &self.hops[number as usize % KEPT]
        } else {
            &Hop::SILENCE
        }
    }

    /// Changes `lag` hops before the hop number `at`, and what they weigh if they were loud, for each lag from 0 up, as
    /// far as the ring goes.
    pub fn changes(&self, at: u64) -> impl Iterator<Item = (&Levels, f32)> {
        (0..=at).rev().map(move |number| {
            let place = number as usize % KEPT;
            if number < self.end && number + KEPT as u64 >= self.end {
                (&self.changes[place], self.loud[place])
            } else {
                (&STILL, 0.0)
            }
        })
    }

    /// Whether anything of ours may be coming back at the hop number `at`.
    pub fn may_return(&self, at: u64) -> bool {
        self.audible_end > 0 && at < self.audible_end + LAGS as u64 + ROOM
    }

    /// Loudest level of ours of late, all bands together, dBFS.
    pub fn loudest(&self) -> f32 {
        self.loudest
    }

    /// Silence up to a hop.
    fn fill(&mut self, first: u64) {
        self.end = self.end.max(first.saturating_sub(KEPT as u64));
        while self.end < first {
            self.keep(Hop::SILENCE);
        }
    }

    fn put(&mut self, number: u64, hop: Hop) {
        let place = number as usize % KEPT;
        self.hops[place] = hop;
        self.changes[place] = hop.change;
        self.loud[place] = if hop.total > self.loudest - LOUD { hop.weight } else { 0.0 };
    }

    fn keep(&mut self, hop: Hop) {
        self.loudest = hop.total.max(self.loudest - LOUDEST_FALL);
        self.put(self.end, hop);
        self.end += 1;
        if hop.is_sound() {
            self.audible_end = self.end;
        }
    }
}
