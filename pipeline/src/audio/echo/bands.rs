//! Levels of a signal in eight bands of the telephone's range, hop by hop.

use std::f32::consts::TAU;

use crate::audio::g711::mulaw_decode;

pub const BANDS: usize = 8;
/// Samples in a hop: 10 ms.
pub const HOP: usize = 80;
/// Level of a band, dB below full scale, under which nothing is heard.
pub const SILENT: f32 = -75.0;
pub const SILENT_ENERGY: f32 = 3.16e-8;

/// dB below full scale in each band.
pub type Levels = [f32; BANDS];

const EDGES: [f32; BANDS + 1] = [300.0, 450.0, 650.0, 900.0, 1_200.0, 1_600.0, 2_100.0, 2_700.0, 3_400.0];
/// Hops over which a level is averaged to see its change: syllables count, a line's colour does not.
const MEAN_HOPS: f32 = 20.0;
/// A change beyond this, dB, says no more.
const CHANGE_MAX: f32 = 12.0;

/// 10 ms of one direction.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// Mean square in each band, full scale 1; at least what [`SILENT`] is.
    pub energy: Levels,
    /// The same in dB below full scale.
    pub level: Levels,
    /// Level less the average of the sound of late, dB; nothing in silence.
    pub change: Levels,
    /// Sum of squared changes.
    pub weight: f32,
    /// All bands together, dBFS.
    pub total: f32,
}

impl Hop {
    pub const SILENCE: Self = Self {
        energy: [SILENT_ENERGY; BANDS],
        level: [SILENT; BANDS],
        change: [0.0; BANDS],
        weight: 0.0,
        total: SILENT,
    };
    /// Level of a band, dBFS, from which it holds sound that could come back audibly.
    pub const SOUND: f32 = SILENT + 25.0;

    fn of(energy: Levels) -> Self {
        let total = decibels(energy.iter().sum());
        Self { energy, level: energy.map(decibels), total, ..Self::SILENCE }
    }

    pub fn is_sound(&self) -> bool {
        self.level.iter().any(|l| *l > Self::SOUND)
    }
}

/// Energy of a level in dB.
pub fn power(level: f32) -> f32 {
    10.0f32.powf(level * 0.1)
}

/// Level in dB of an energy.
pub fn decibels(energy: f32) -> f32 {
    10.0 * energy.max(1e-12).log10()
}

/// Filters of one direction.
#[derive(Clone, Debug)]
pub struct Analyser {
    filters: [Sections; 2],
}

impl Default for Analyser {
    fn default() -> Self {
        Self { filters: [Sections::new(), Sections::new()] }
    }
}

impl Analyser {
    /// The next 10 ms of mu-law.
    pub fn hop(&mut self, codes: &[u8]) -> Hop {
        let mut energy = [0.0f32; BANDS];
        let [first, second] = &mut self.filters;
        for code in codes {
            let narrow = second.push(first.push([f32::from(mulaw_decode(*code)) / 32_768.0; BANDS]));
            for (e, s) in energy.iter_mut().zip(narrow) {
                *e += s * s;
            }
        }
        Hop::of(energy.map(|e| (e / HOP as f32).max(SILENT_ENERGY)))
    }
}

/// The average that changes of one direction are measured against: of its sound alone, so that any two sounds that
/// begin after silence are not alike by that.
#[derive(Clone, Copy, Debug)]
pub struct Average {
    mean: Levels,
    hops: f32,
}

impl Default for Average {
    fn default() -> Self {
        Self { mean: [SILENT; BANDS], hops: 0.0 }
    }
}

impl Average {
    /// Notes in a hop that holds sound how it differs from those before.
    pub fn compare(&mut self, hop: &mut Hop) {
        self.hops = (self.hops + 1.0).min(MEAN_HOPS);
        hop.weight = 0.0;
        for (b, mean) in self.mean.iter_mut().enumerate() {
            *mean += (hop.level[b] - *mean) / self.hops;
            hop.change[b] = (hop.level[b] - *mean).clamp(-CHANGE_MAX, CHANGE_MAX);
            hop.weight += hop.change[b] * hop.change[b];
        }
    }
}

/// One second-order band-pass in each band, side by side.
#[derive(Clone, Debug)]
struct Sections {
    gain: Levels,
    feedback: [Levels; 2],
    state: [Levels; 2],
}

impl Sections {
    fn new() -> Self {
        let (mut gain, mut feedback) = ([0.0; BANDS], [[0.0; BANDS]; 2]);
        for b in 0..BANDS {
            let centre = (EDGES[b] * EDGES[b + 1]).sqrt();
            let angle = TAU * centre / 8_000.0;
            let alpha = angle.sin() * (EDGES[b + 1] - EDGES[b]) / (2.0 * centre);
            gain[b] = alpha / (1.0 + alpha);
            feedback[0][b] = 2.0 * angle.cos() / (1.0 + alpha);
            feedback[1][b] = (alpha - 1.0) / (1.0 + alpha);
        }
        Self { gain, feedback, state: [[0.0; BANDS]; 2] }
    }

    fn push(&mut self, x: Levels) -> Levels {
        let mut out = [0.0; BANDS];
        for b in 0..BANDS {
            let driven = self.gain[b] * x[b];
            let y = driven + self.state[0][b];
            self.state[0][b] = self.feedback[0][b] * y + self.state[1][b];
            self.state[1][b] = self.feedback[1][b] * y - driven;
            out[b] = y;
        }
        out
    }
}
