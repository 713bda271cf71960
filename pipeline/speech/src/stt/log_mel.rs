//! Whisper's log-mel features, which the end-of-turn model and the second ear both take.
//!
//! They follow the reference in the end-of-turn model's package (pipecat-ai 1.14.0, `_whisper_features.py`), checked
//! against its numbers in that model's tests.

use std::f32::consts::TAU;
use std::sync::Arc;

use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};

/// Rows of the features.
pub(super) const MELS: usize = 80;
/// Samples at 16 kHz from one column to the next.
pub(super) const HOP: usize = 160;
const FFT: usize = 400;
const BINS: usize = FFT / 2 + 1;
/// Dynamic range kept below the loudest value, in powers of ten.
const RANGE: f32 = 8.0;

/// Makes features of 16 kHz audio.
pub(super) struct LogMel {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    filters: Vec<MelFilter>,
}

/// The bins under one triangle and their weights.
struct MelFilter {
    first: usize,
    weights: Vec<f32>,
}

impl LogMel {
    pub fn new() -> Self {
        Self {
            fft: RealFftPlanner::new().plan_fft_forward(FFT),
            window: (0..FFT).map(|i| 0.5 - 0.5 * (TAU * i as f32 / FFT as f32).cos()).collect(),
            filters: mel_filters(),
        }
    }

    /// `[80, samples / 160]`, row by row, of as many samples. The first `alike` of them all have one value.
    pub fn features(&self, samples: usize, alike: usize, sample: impl Fn(usize) -> f32) -> Vec<f32> {
        let frames = samples / HOP;
        let mut out = vec![0.0; MELS * frames];
        let mut block = vec![0.0; FFT];
        let mut spectrum = vec![Complex32::default(); BINS];
        let mut power = [0.0; BINS];
        let mut same: Option<[f32; MELS]> = None;
        for frame in 0..frames {
            let start = frame as isize * HOP as isize - FFT as isize / 2;
            let is_alike = start >= 0 && start as usize + FFT <= alike;
            let mels = match same {
                Some(mels) if is_alike => mels,
                _ => {
                    for (i, (b, w)) in block.iter_mut().zip(&self.window).enumerate() {
                        *b = sample(reflected(start + i as isize, samples)) * w;
                    }
                    // Lengths are those planned for, so this cannot fail.
                    let _ = self.fft.process(&mut block, &mut spectrum);
                    for (p, s) in power.iter_mut().zip(&spectrum) {
                        *p = s.norm_sqr();
                    }
                    std::array::from_fn(|m| self.filters[m].apply(&power))
                }
            };
            if is_alike {
                same = Some(mels);
            }
            for (m, value) in mels.into_iter().enumerate() {
                out[m * frames + frame] = value;
            }
        }
        let floor = out.iter().copied().fold(f32::MIN, f32::max) - RANGE;
        for value in &mut out {
            *value = (value.max(floor) + 4.0) / 4.0;
        }
        out
    }
}

impl MelFilter {
    fn apply(&self, power: &[f32]) -> f32 {
        let sum: f32 = self.weights.iter().zip(&power[self.first..]).map(|(w, p)| w * p).sum();
        sum.max(1e-10).log10()
    }
}

/// Index within so many samples, reflected at both ends.
fn reflected(i: isize, samples: usize) -> usize {
    let last = samples as isize - 1;
    let i = i.abs();
    (if i > last { 2 * last - i } else { i }).max(0) as usize
}

/// Slaney's mel scale, 0 to 8 kHz, each triangle of unit area.
fn mel_filters() -> Vec<MelFilter> {
    let top = hz_to_mel(8_000.0);
    let edges: Vec<f64> = (0..MELS + 2).map(|i| mel_to_hz(top * i as f64 / (MELS + 1) as f64)).collect();
    (0..MELS)
        .map(|m| {
            let (low, centre, high) = (edges[m], edges[m + 1], edges[m + 2]);
            let weight = |bin: usize| {
                let hz = bin as f64 * 8_000.0 / (BINS - 1) as f64;
                let rise = (hz - low) / (centre - low);
                let fall = (high - hz) / (high - centre);
                (rise.min(fall).max(0.0) * 2.0 / (high - low)) as f32
            };
            let first = (0..BINS).find(|&b| weight(b) > 0.0).unwrap_or(0);
            let weights: Vec<f32> = (first..BINS).map(weight).take_while(|&w| w > 0.0).collect();
            MelFilter { first, weights }
        })
        .collect()
}

fn hz_to_mel(hz: f64) -> f64 {
    if hz < 1_000.0 { 3.0 * hz / 200.0 } else { 15.0 + (hz / 1_000.0).ln() * 27.0 / 6.4f64.ln() }
}

fn mel_to_hz(mel: f64) -> f64 {
    if mel < 15.0 { 200.0 * mel / 3.0 } else { 1_000.0 * (6.4f64.ln() / 27.0 * (mel - 15.0)).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_any_length_have_a_column_for_each_hundredth_of_a_second() {
        let mel = LogMel::new();
        let tone = |i: usize| 0.1 * (TAU * 440.0 * i as f32 / 16_000.0).sin();
        let features = mel.features(8_000, 0, tone);
        assert_eq!(features.len(), MELS * 50);
        let loudest = |column: usize| {
            (0..MELS).max_by(|&a, &b| features[a * 50 + column].total_cmp(&features[b * 50 + column]))
        };
        assert_eq!(loudest(10), loudest(40), "a steady tone stands in one row");
        assert!(mel.features(0, 0, tone).is_empty());
    }
}
