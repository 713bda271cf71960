//! How much of what comes in is our own voice, given back by a speakerphone or a bad line.
//!
//! Both directions become levels in eight bands every 10 ms. Their changes, correlated over all delays that a
//! telephone network has, show whether there is an echo and how late it is; levels at that delay then show how loud
//! it is and so what of a sound it explains. What is louder than the echo can be is a caller.

#![deny(clippy::disallowed_methods)]

mod bands;
mod clock;
mod delay;
mod path;
mod sent;
mod suspicion;
#[cfg(test)]
mod tests;
mod vad;

use telephony::media::{AudioFrame, CallTime};

use bands::{Analyser, Average, BANDS, HOP, Hop, Levels, SILENT, decibels};
use clock::InboundClock;
use delay::DelayFinder;
use path::EchoPath;
use sent::Sent;
use suspicion::Suspicion;
pub use vad::GuardedVad;

/// Length of a hop, microseconds.
const HOP_US: u64 = 10_000;
/// What the line's noise in a band is thought to rise by in a hop: 3 dB a second.
const NOISE_RISE: f32 = 1.007;
/// Sound stands out of the line's noise by this much, and is at least so loud, dB and dBFS.
const ABOVE_NOISE: f32 = 6.0;
/// A band stands out of its noise by this much (5 dB).
const CLEAR: f32 = 3.0;
const AUDIBLE_DBFS: f32 = -55.0;
/// What comes while our voice may return and is so much softer than it, and as soft as this, is taken for ours without
/// proof: too soft to be measured, and softer than people speak over somebody.
const FAINT: f32 = 24.0;
const FAINT_DBFS: f32 = -44.0;
/// What the loudest inbound hop falls by in a hop, dB: a caller's closures and soft ends belong to the caller.
const PEAK_FALL: f32 = 0.3;

/// Finds our own voice in what a call brings in. Pure; 26 KB, none of it allocated after it was made.
#[derive(Clone, Debug, Default)]
pub struct EchoGuard {
    sent: Sent,
    clock: InboundClock,
    inbound: Inbound,
    finder: DelayFinder,
    suspicion: Suspicion,
    path: Option<EchoPath>,
    /// Of the last hop that was no silence.
    figure: f32,
}

impl EchoGuard {
    /// Takes a frame that was sent at `at`. It is heard then, or when all that was sent before it has been. Frames
    /// come in the order of their times.
    pub fn played(&mut self, at: CallTime, frame: &AudioFrame) {
        self.sent.push(at, frame);
    }

    /// The carrier was told to drop what it has not played by `now`.
    pub fn cleared(&mut self, now: CallTime) {
        self.sent.cleared(now);
    }

    /// Takes every inbound frame as it arrives. Gives the share (0 to 1) of it that is explained by our own voice: 0
    /// when none of ours can come back at this time, and when a caller talks over it.
    pub fn heard(&mut self, now: CallTime, frame: &AudioFrame) -> f32 {
        let first = self.clock.frame(now) / HOP_US;
        if !self.sent.may_return(first) {
            self.figure = 0.0;
            return 0.0;
        }
        let mut least = 1.0f32;
        for (number, codes) in (first..).zip(frame.bytes().chunks_exact(HOP)) {
            least = least.min(self.hop(number, codes));
        }
        self.look_for_echo(first + 1);
        if self.is_faint() {
            self.figure = 1.0;
            return 1.0;
        }
        if self.path.is_some() { least } else { self.suspected() }
    }

    /// Whether all that came in of late is too soft for a caller who speaks over us.
    fn is_faint(&self) -> bool {
        self.inbound.peak < (self.sent.loudest() - FAINT).min(FAINT_DBFS)
    }

    /// Before an echo was found.
    fn suspected(&mut self) -> f32 {
        self.figure = if self.finder.is_unlike() { 0.0 } else { self.suspicion.figure() };
        self.figure
    }

    /// Whether an echo is known, or it is not settled yet that there is none.
    #[must_use]
    pub fn may_echo(&self) -> bool {
        self.path.is_some() || self.suspicion.is_open()
    }

    /// Delay of the echo, ms, when there is one: from the time a frame is heard to the time it comes back.
    #[must_use]
    pub fn delay_ms(&self) -> Option<u64> {
        self.path.as_ref().map(|p| p.lag() as u64 * HOP_US / 1_000)
    }

    fn hop(&mut self, number: u64, codes: &[u8]) -> f32 {
        let audible = self.inbound.push(number, codes);
        if audible {
            self.finder.heard(number, self.inbound.at(number), &self.inbound.clear, &self.sent);
        } else {
            self.finder.unanswered(number, &self.sent);
        }
        let Some(path) = &mut self.path else {
            self.suspicion.push(number, self.inbound.at(number), audible, &self.sent);
            return 1.0;
        };
        let likeness = self.finder.likeness(path.lag());
        if let Some(figure) = path.explained(number, &self.inbound, audible, likeness, &self.sent) {
            self.figure = figure;
            if path.is_disproved(figure, likeness) {
                self.path = None;
            }
        }
        self.figure
    }

    fn look_for_echo(&mut self, number: u64) {
        let Some(lag) = self.finder.confirmed() else { return };
        match &mut self.path {
            Some(path) if path.is_at(lag) => path.set_lag(lag),
            _ => self.path = Some(EchoPath::measured(lag, number, &self.inbound, &self.sent)),
        }
    }
}

/// What came in of late, and the line's noise.
#[derive(Clone, Debug)]
struct Inbound {
    analyser: Analyser,
    average: Average,
    hops: Box<[Hop; Self::KEPT]>,
    /// Loudest hop of late, dBFS.
    peak: f32,
    /// Energy in each band.
    noise: Levels,
    /// 1 for each band in which the last hop stands out of it, else 0.
    clear: Levels,
}

impl Default for Inbound {
    fn default() -> Self {
        Self {
            analyser: Analyser::default(),
            average: Average::default(),
            hops: Box::new([Hop::SILENCE; Self::KEPT]),
            peak: SILENT,
            noise: [f32::INFINITY; BANDS],
            clear: [0.0; BANDS],
        }
    }
}

impl Inbound {
    /// Hops kept, from which the level of an echo that was just found is measured.
    const KEPT: usize = 64;

    /// Takes the next hop; true when it stands out of the noise.
    fn push(&mut self, number: u64, codes: &[u8]) -> bool {
        let mut hop = self.analyser.hop(codes);
        for (noise, energy) in self.noise.iter_mut().zip(hop.energy) {
            *noise = energy.min(*noise * NOISE_RISE);
        }
        self.peak = hop.total.max(self.peak - PEAK_FALL);
        let noise = decibels(self.noise.iter().sum());
        let audible = hop.total >= AUDIBLE_DBFS.max(noise + ABOVE_NOISE);
        if audible {
            self.average.compare(&mut hop);
            self.mask(&mut hop);
        }
        self.hops[number as usize % Self::KEPT] = hop;
        audible
    }

    /// Forgets the changes in bands that hold little but noise.
    fn mask(&mut self, hop: &mut Hop) {
        hop.weight = 0.0;
        for (b, clear) in self.clear.iter_mut().enumerate() {
            *clear = if hop.energy[b] > self.noise[b] * CLEAR { 1.0 } else { 0.0 };
            hop.change[b] *= *clear;
            hop.weight += hop.change[b] * hop.change[b];
        }
    }

    fn at(&self, number: u64) -> &Hop {
        &self.hops[number as usize % Self::KEPT]
    }
}
