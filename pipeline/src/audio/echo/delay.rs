//! How late our voice comes back: the delay at which both directions change alike.

use super::bands::{Hop, Levels};
use super::sent::Sent;

/// Delays looked at, hops: 0 to 700 ms.
pub const LAGS: usize = 71;
/// Hops for which a hop counts: about 0.8 s.
const MEMORY: f32 = 80.0;
/// Correlation from which a delay is a candidate.
const ALIKE: f32 = 0.55;
/// Inbound changes without which nothing is alike, summed squares in dB: about 0.1 s of speech.
const EVIDENCE: f32 = 1_200.0;
/// As little is enough to doubt a suspicion.
const LITTLE_EVIDENCE: f32 = 300.0;
/// Share of the inbound changes' energy that what was sent has at least, if it is their cause.
const AS_MUCH: f32 = 0.9;
/// Hops by which a candidate may wander.
const WANDER: usize = 2;
/// What confirms a candidate: its correlation beyond [`ALIKE`], summed over audible hops. At the beginning of a call
/// 0.12 s of a clear echo is enough; the more was heard that was none, the more it takes, since two people who talk
/// at once must not pass for one.
const LEAST_PROOF: f32 = 3.2;
const MOST_PROOF: f32 = 5.0;
const PROOF_A_HOP: f32 = 0.04;

/// Correlation of what comes in with what went out, by delay, over the last second or so.
#[derive(Clone, Debug)]
pub struct DelayFinder {
    both: [f32; LAGS],
    sent: [f32; LAGS],
    inbound: f32,
    candidate: Option<(usize, f32)>,
    /// Audible hops, and those of them that the candidate was not yet asked about.
    hops: u32,
    fresh: u32,
    /// Enough was heard, and it is like nothing of ours.
    unlike: bool,
}

impl Default for DelayFinder {
    fn default() -> Self {
        Self {
            both: [0.0; LAGS],
            sent: [0.0; LAGS],
            inbound: 0.0,
            candidate: None,
            hops: 0,
            fresh: 0,
            unlike: false,
        }
    }
}

impl DelayFinder {
    /// Takes an inbound hop in which something was heard, in the bands in which `clear` is 1.
    pub fn heard(&mut self, number: u64, inbound: &Hop, clear: &Levels, sent: &Sent) {
        let keep = 1.0 - 1.0 / MEMORY;
        self.hops = self.hops.saturating_add(1);
        self.fresh += 1;
        self.inbound = self.inbound * keep + inbound.weight;
        let lags = self.both.iter_mut().zip(&mut self.sent);
        for ((both, own), (change, _)) in lags.zip(sent.changes(number)) {
            let (mut product, mut weight) = (0.0, 0.0);
            for ((ours, theirs), clear) in change.iter().zip(&inbound.change).zip(clear) {
                product += ours * theirs;
                weight += ours * ours * clear;
            }
            *both = *both * keep + product;
            *own = *own * keep + weight;
        }
    }

    /// Takes an inbound hop of silence: it speaks against the delays at which we were loud.
    pub fn unanswered(&mut self, number: u64, sent: &Sent) {
        let keep = 1.0 - 1.0 / MEMORY;
        self.inbound *= keep;
        let lags = self.both.iter_mut().zip(&mut self.sent);
        for ((both, own), (_, loud)) in lags.zip(sent.changes(number)) {
            *both *= keep;
            *own = *own * keep + loud;
        }
    }

    /// Correlation (-1 to 1) at a delay.
    pub fn likeness(&self, lag: usize) -> f32 {
        // An echo changes about as much as what it is an echo of. What changes more is only alike by chance.
        let power = self.sent[lag].max(self.inbound * AS_MUCH) * self.inbound;
        self.both[lag] / power.sqrt().max(1.0)
    }

    /// Whether what was heard of late is enough to judge by and like nothing of ours.
    pub fn is_unlike(&self) -> bool {
        self.unlike
    }

    /// The delay at which there is an echo, if there is one. Asked once a frame.
    pub fn confirmed(&mut self) -> Option<usize> {
        let fresh = std::mem::take(&mut self.fresh);
        if fresh == 0 {
            return None;
        }
        let likeness: [f32; LAGS] = std::array::from_fn(|lag| self.likeness(lag));
        let (lag, best) = likeness.into_iter().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
        self.unlike = best < ALIKE && self.inbound >= LITTLE_EVIDENCE;
        if self.inbound < EVIDENCE {
            self.candidate = None;
            return None;
        }
        let before = self.candidate.filter(|c| c.0.abs_diff(lag) <= WANDER).map_or(0.0, |c| c.1);
        let proof = (before + fresh as f32 * (best - ALIKE)).min(MOST_PROOF);
        self.candidate = (proof > 0.0).then_some((lag, proof));
        let needed = (self.hops as f32 * PROOF_A_HOP).clamp(LEAST_PROOF, MOST_PROOF);
        (proof >= needed).then_some(lag)
    }
}
