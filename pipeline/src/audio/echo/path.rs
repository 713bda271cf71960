//! How loud the echo is in each band, and what of a sound it explains.

use super::Inbound;
use super::bands::{BANDS, Hop, Levels, decibels, power};
use super::sent::Sent;

/// Hops by which reverberation and our clock blur the delay, each way.
const BLUR: usize = 2;
/// What an echo may be stronger than its average by: once it is known (6 dB), and in its first half second (9 dB).
const MARGIN: f32 = 4.0;
const YOUNG_MARGIN: f32 = 8.0;
/// The same for the line's noise (3 dB).
const NOISE_MARGIN: f32 = 2.0;
/// Audible hops for which an echo counts as just found.
const YOUNG: u32 = 50;
/// What of a room's reverberation is left after a hop (1.5 dB less).
const TAIL_FALL: f32 = 0.708;
/// Share of a hop's energy without explanation up to which it is all ours, and from which it is all the caller's.
const OURS: f32 = 0.15;
const CALLERS: f32 = 0.5;
/// A figure under this is a caller; so many such hops, less a third of the others, make a caller certain.
const CALLER_FIGURE: f32 = 0.3;
const CERTAIN: f32 = 4.0;
/// Hops for which a certain caller is thought to go on, whatever is heard: a closure in a word, our voice louder for
/// a moment.
const HOLD: u32 = 20;
/// Hops that the echo claims to explain but that are less like it than this, after which there is no such echo: once
/// it is known, and in its first half second, when it may well be a caller who began as we did.
const DISPROVED: (f32, u32) = (0.3, 30);
const YOUNG_DISPROVED: (f32, u32) = (0.45, 3);

/// A known echo.
#[derive(Clone, Debug)]
pub struct EchoPath {
    /// Hops.
    lag: usize,
    /// Inbound less sent level, dB.
    gain: Levels,
    /// The echo's energy at the last hop, reverberation included.
    tail: Levels,
    young: u32,
    caller: f32,
    hold: u32,
    doubt: u32,
}

impl EchoPath {
    /// An echo that was just found, as loud as it has been of late.
    pub fn measured(lag: usize, number: u64, inbound: &Inbound, sent: &Sent) -> Self {
        let (mut back, mut out) = ([0.0f32; BANDS], [0.0f32; BANDS]);
        for number in number.saturating_sub(Inbound::KEPT as u64 - 1)..=number {
            let (theirs, ours) = (inbound.at(number), sent.at(number, lag));
            for b in (0..BANDS).filter(|b| ours.level[*b] > Hop::SOUND) {
                back[b] += theirs.energy[b];
                out[b] += ours.energy[b];
            }
        }
        let total: f32 = back.iter().sum::<f32>() / out.iter().sum::<f32>().max(1e-9);
        // A band in which nothing was sent yet is thought to come back as the others do.
        let gain = std::array::from_fn(|b| decibels(if out[b] > 0.0 { back[b] / out[b] } else { total }));
        Self { lag, gain, tail: [0.0; BANDS], young: YOUNG, caller: 0.0, hold: 0, doubt: 0 }
    }

    /// Hops.
    pub fn lag(&self) -> usize {
        self.lag
    }

    /// Whether this echo would be found at that delay.
    pub fn is_at(&self, lag: usize) -> bool {
        self.lag.abs_diff(lag) <= BLUR
    }

    pub fn set_lag(&mut self, lag: usize) {
        self.lag = lag;
    }

    /// Share (0 to 1) of an inbound hop that is ours; `None` in silence, which says nothing. Learns the echo's level
    /// from it. `likeness` is how alike the two directions changed over the last second.
    pub fn explained(
        &mut self,
        number: u64,
        inbound: &Inbound,
        audible: bool,
        likeness: f32,
        sent: &Sent,
    ) -> Option<f32> {
        let hop = inbound.at(number);
        let rest = self.unexplained(number, hop, &inbound.noise, sent);
        let (up, down) = self.speeds(rest, likeness);
        self.learn(number, hop, up, down, sent);
        audible.then(|| self.judged(1.0 - ((rest - OURS) / (CALLERS - OURS)).clamp(0.0, 1.0)))
    }

    /// A figure in the light of the ones before.
    fn judged(&mut self, figure: f32) -> f32 {
        self.young = self.young.saturating_sub(1);
        let step = if figure < CALLER_FIGURE { 1.0 } else { -0.34 };
        self.caller = (self.caller + step).clamp(0.0, 1.5 * CERTAIN);
        self.hold = if self.caller >= CERTAIN { HOLD } else { self.hold.saturating_sub(1) };
        if self.hold > 0 { figure.min(CALLER_FIGURE) } else { figure }
    }

    /// Whether the echo has explained too much that is nothing like it. Asked once an audible hop.
    pub fn is_disproved(&mut self, figure: f32, likeness: f32) -> bool {
        let (least, limit) = if self.young > 0 { YOUNG_DISPROVED } else { DISPROVED };
        self.doubt =
            if figure > 0.6 && likeness < least { self.doubt + 1 } else { self.doubt.saturating_sub(2) };
        self.doubt > limit
    }

    /// Share of an inbound hop's energy that neither echo nor line noise accounts for.
    fn unexplained(&mut self, number: u64, inbound: &Hop, noise: &Levels, sent: &Sent) -> f32 {
        let margin = if self.young > 0 { YOUNG_MARGIN } else { MARGIN };
        let near = self.lag.saturating_sub(BLUR)..=self.lag + BLUR;
        let (mut all, mut rest) = (0.0, 0.0);
        for (b, tail) in self.tail.iter_mut().enumerate() {
            let loudest = near.clone().map(|lag| sent.at(number, lag).energy[b]).fold(0.0, f32::max);
            *tail = (loudest * power(self.gain[b])).max(*tail * TAIL_FALL);
            let energy = inbound.energy[b];
            all += energy;
            rest += (energy - *tail * margin - noise[b] * NOISE_MARGIN).max(0.0);
        }
        rest / all
    }

    /// How fast the level is learned from a hop, upwards and downwards: not at all from a caller, whom nothing tells
    /// from a louder echo but that the changes stay alike.
    fn speeds(&self, rest: f32, likeness: f32) -> (f32, f32) {
        match (rest < 0.3, likeness) {
            _ if self.young > 0 => (0.08, 0.02),
            (true, l) if l > 0.5 => (0.03, 0.03),
            (true, _) => (0.0, 0.01),
            (false, l) if l > 0.65 => (0.01, 0.01),
            (false, _) => (0.0, 0.0),
        }
    }

    fn learn(&mut self, number: u64, inbound: &Hop, up: f32, down: f32, sent: &Sent) {
        let out = sent.at(number, self.lag);
        for b in 0..BANDS {
            if out.level[b] < Hop::SOUND {
                continue;
            }
            let error = (inbound.level[b] - out.level[b] - self.gain[b]).clamp(-10.0, 10.0);
            self.gain[b] += error * if error > 0.0 { up } else { down };
        }
    }
}
