//! From the voice model's spectra to 8 kHz audio, frame by frame.
//!
//! The model describes 12.5 ms frames by 601 bins of 20 Hz, meant for 24 kHz. A telephone carries the lowest 200
//! of them, so the inverse transform is done at 8 kHz with 400 points: the same signal behind a steep low-pass,
//! without a resampler, its delay and two thirds of the work.

use std::f32::consts::{PI, TAU};
use std::fmt;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

const RATE: f32 = 8_000.0;
/// Points of the transform: 50 ms.
const SIZE: usize = 400;
/// Samples a frame: 12.5 ms.
pub(super) const HOP: usize = 100;
const BINS: usize = SIZE / 2 + 1;
/// Points of the transform that the model was trained with; its spectra are scaled for it.
const TRAINED_SIZE: f32 = 1_200.0;
/// The band ends between these bins (3.6 and 3.9 kHz).
const TAPER: std::ops::Range<usize> = 180..195;
/// Below this pitch a frame has no voice.
const VOICED_HZ: f32 = 40.0;
/// Highest harmonic of the source.
const TOP_HZ: f32 = 3_990.0;

/// What the model gives: five `[601, frames]` matrices, row by row, and the pitch of each frame in Hz.
pub(super) struct Spectra<'a> {
    pub harmonic: &'a [f32],
    pub harmonic_phase: &'a [f32],
    pub noise: &'a [f32],
    pub free: &'a [f32],
    pub free_phase: &'a [f32],
    pub pitch: &'a [f32],
}

impl Spectra<'_> {
    pub fn frames(&self) -> usize {
        self.pitch.len()
    }

    /// All matrices hold the bins that are read.
    pub fn is_whole(&self) -> bool {
        let least = BINS * self.frames();
        [self.harmonic, self.harmonic_phase, self.noise, self.free, self.free_phase]
            .iter()
            .all(|m| m.len() >= least)
    }
}

/// Transforms and windows; one per worker.
pub(super) struct Vocoder {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    window: Vec<f32>,
    taper: Vec<f32>,
}

impl fmt::Debug for Vocoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Vocoder")
    }
}

impl Vocoder {
    pub fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let taper = |bin: usize| {
            let through = (bin as f32 - TAPER.start as f32) / TAPER.len() as f32;
            0.5 + 0.5 * (PI * through.clamp(0.0, 1.0)).cos()
        };
        Self {
            forward: planner.plan_fft_forward(SIZE),
            inverse: planner.plan_fft_inverse(SIZE),
            window: (0..SIZE).map(|i| 0.5 - 0.5 * (TAU * i as f32 / SIZE as f32).cos()).collect(),
            taper: (0..BINS).map(taper).collect(),
        }
    }

    /// Voices frames `range`, handing over each finished stretch of samples (about 1 is full scale). `sink` says
    /// whether to go on.
    pub fn run(
        &self,
        spectra: &Spectra<'_>,
        range: std::ops::Range<usize>,
        seed: u64,
        sink: &mut dyn FnMut(&[f32]) -> bool,
    ) {
        let source = pulses(spectra.pitch);
        let mut noise = Noise(seed | 1);
        let mut block = vec![0.0; SIZE];
        let mut spectrum = vec![Complex32::default(); BINS];
        // Overlapping frames: sums of windowed samples and of squared windows.
        let mut sum = [0.0f32; SIZE];
        let mut weight = [0.0f32; SIZE];
        for (done, k) in range.enumerate() {
            self.analyse(&source, k, &mut block, &mut spectrum);
            self.shape(spectra, k, &mut noise, &mut spectrum);
            // Lengths are those planned for, and the ends are real, so neither transform can fail.
            let _ = self.inverse.process(&mut spectrum, &mut block);
            for (i, (&b, &w)) in block.iter().zip(&self.window).enumerate() {
                sum[i] += b / TRAINED_SIZE * w;
                weight[i] += w * w;
            }
            for (s, w) in sum[..HOP].iter_mut().zip(&weight) {
                *s /= w.max(1e-6);
            }
            // The first two stretches lie before the middle of the first frame.
            if done >= 2 && !sink(&sum[..HOP]) {
                return;
            }
            sum.copy_within(HOP.., 0);
            weight.copy_within(HOP.., 0);
            sum[SIZE - HOP..].fill(0.0);
            weight[SIZE - HOP..].fill(0.0);
        }
    }

    /// Spectrum of the voice source around the middle of frame `k`.
    fn analyse(&self, source: &[f32], k: usize, block: &mut [f32], spectrum: &mut [Complex32]) {
        let first = (k * HOP) as isize - (SIZE / 2) as isize;
        for (i, (b, w)) in block.iter_mut().zip(&self.window).enumerate() {
            *b = mirrored(source, first + i as isize) * w / HOP as f32;
        }
        let _ = self.forward.process(block, spectrum);
    }

    /// Filters the source, adds noise and the free part.
    fn shape(&self, s: &Spectra<'_>, k: usize, noise: &mut Noise, spectrum: &mut [Complex32]) {
        let frames = s.frames();
        let loudness = |v: f32| v.min(7.0).exp();
        for (bin, value) in spectrum.iter_mut().enumerate().take(TAPER.end) {
            let at = bin * frames + k;
            let filter = Complex32::from_polar(loudness(s.harmonic[at]), PI * s.harmonic_phase[at].tanh());
            let free = Complex32::from_polar(loudness(s.free[at]), s.free_phase[at]);
            *value = (*value * filter + noise.next() * loudness(s.noise[at]) + free) * self.taper[bin];
        }
        spectrum[TAPER.end..].fill(Complex32::default());
        spectrum[0].im = 0.0;
    }
}

/// Sample `i`, reflected at both ends.
fn mirrored(x: &[f32], i: isize) -> f32 {
    let last = x.len() as isize - 1;
    let i = if i < 0 { -i } else { i };
    let i = if i > last { 2 * last - i } else { i };
    usize::try_from(i).ok().and_then(|i| x.get(i)).copied().unwrap_or(0.0)
}

/// Pulse train along the pitch curve: every harmonic up to [`TOP_HZ`] at unit amplitude; silence without voice.
fn pulses(pitch: &[f32]) -> Vec<f32> {
    let mut phase = 0.0f64;
    (0..pitch.len() * HOP)
        .map(|i| {
            let hz = pitch_at(pitch, i);
            let voiced = hz > VOICED_HZ;
            let hz = hz.max(VOICED_HZ);
            phase = (phase + f64::from(hz / RATE)).fract();
            if !voiced {
                return 0.0;
            }
            let t = phase as f32 * TAU;
            let top = (TOP_HZ / hz).floor() + 0.5;
            let s = 2.0 * (t * 0.5).sin();
            (if s.abs() <= 2e-3 { top } else { (top * t).sin() / s }) - 0.5
        })
        .collect()
}

/// Pitch at a sample, interpolated between frames' middles.
fn pitch_at(pitch: &[f32], sample: usize) -> f32 {
    let x = (sample as f32 + 0.5) / HOP as f32 - 0.5;
    let below = x.floor();
    let share = x - below;
    let at = |k: f32| pitch[(k.max(0.0) as usize).min(pitch.len() - 1)];
    at(below) * (1.0 - share) + at(below + 1.0) * share
}

/// Seeded complex normal noise, so that a phrase always sounds the same.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / 16_777_216.0 + 1e-9
    }

    fn next(&mut self) -> Complex32 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        Complex32::from_polar(radius, TAU * self.uniform())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that passes unchanged: unit filter, no noise, no free part.
    fn plain(pitch: &[f32]) -> Vec<f32> {
        let frames = pitch.len();
        let quiet = vec![-60.0; 601 * frames];
        let zero = vec![0.0; 601 * frames];
        let spectra = Spectra {
            harmonic: &zero,
            harmonic_phase: &zero,
            noise: &quiet,
            free: &quiet,
            free_phase: &zero,
            pitch,
        };
        let mut out = Vec::new();
        Vocoder::new().run(&spectra, 0..frames, 1, &mut |s| {
            out.extend_from_slice(s);
            true
        });
        out
    }

    #[test]
    fn a_unit_filter_gives_the_pulse_train_back() {
        let pitch = vec![200.0; 40];
        let out = plain(&pitch);
        let source = pulses(&pitch);
        assert_eq!(out.len(), 38 * HOP);
        let scale = out[1000..2000].iter().zip(&source[1000..2000]).map(|(a, b)| a * b).sum::<f32>()
            / source[1000..2000].iter().map(|b| b * b).sum::<f32>();
        let worst = (1000..2000).map(|i| (out[i] / scale - source[i]).abs()).fold(0.0, f32::max);
        // Harmonics within the taper (3.6 to 3.9 kHz) are softened: two of eighteen.
        assert!(worst < 2.2, "off by {worst}, scale {scale}");
        assert!((scale * TRAINED_SIZE / 4.0 - 1.0).abs() < 0.1, "scale {scale}");
    }

    #[test]
    fn no_pitch_gives_silence() {
        assert!(plain(&[0.0; 20]).iter().all(|s| s.abs() < 1e-6));
    }

    #[test]
    fn the_same_seed_gives_the_same_noise() {
        let (mut a, mut b) = (Noise(5), Noise(5));
        assert!((0..100).all(|_| a.next() == b.next()));
    }
}
