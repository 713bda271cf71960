//! Smart Turn v3.2: has the caller finished, judged by how the speech sounds?
//!
//! Its input are Whisper's log-mel features of the last 8 s. They follow the reference in the model's package
//! (pipecat-ai 1.14.0, `_whisper_features.py`), checked against its numbers in the tests.

use std::f32::consts::TAU;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ort::session::Session;
use ort::value::TensorRef;
use realfft::num_complex::Complex32;
use realfft::{RealFftPlanner, RealToComplex};

use crate::ports::PortError;
use crate::speech::runtime;

/// Samples the model looks at: 8 s at 16 kHz.
pub const INPUT_SAMPLES: usize = 128_000;
const FFT: usize = 400;
const HOP: usize = 160;
const BINS: usize = FFT / 2 + 1;
const MELS: usize = 80;
const FRAMES: usize = INPUT_SAMPLES / HOP;
/// Dynamic range kept below the loudest value, in powers of ten.
const RANGE: f32 = 8.0;

/// One worker's copy of the model (about 20 MB).
pub struct TurnModel {
    session: Session,
    features: Features,
}

impl fmt::Debug for TurnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnModel(smart-turn 3.2)")
    }
}

impl TurnModel {
    /// File name in the models folder.
    pub const MODEL: &'static str = "smart-turn.onnx";

    /// Loads the model; blocks for some 100 ms.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Self, PortError> {
        Ok(Self { session: runtime::open(models, Self::MODEL)?, features: Features::new() })
    }

    /// Probability 0–1 that the speaker has finished, from 16 kHz mono audio of the turn so far in -1..1; only
    /// the last 8 s count.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn finished(&mut self, pcm: &[f32]) -> ort::Result<f32> {
        let features = self.features.log_mel(pcm);
        let input = TensorRef::from_array_view(([1, MELS, FRAMES], &features[..]))?;
        let out = self.session.run(ort::inputs!["input_features" => input])?;
        let probability = out["logits"].try_extract_tensor::<f32>()?.1.first().copied();
        probability.map(|p| p.clamp(0.0, 1.0)).ok_or_else(|| ort::Error::new("the turn model gave no value"))
    }
}

/// Whisper's log-mel features of 8 s.
struct Features {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    filters: Vec<MelFilter>,
}

/// The bins under one triangle and their weights.
struct MelFilter {
    first: usize,
    weights: Vec<f32>,
}

impl Features {
    fn new() -> Self {
        Self {
            fft: RealFftPlanner::new().plan_fft_forward(FFT),
            window: (0..FFT).map(|i| 0.5 - 0.5 * (TAU * i as f32 / FFT as f32).cos()).collect(),
            filters: mel_filters(),
        }
    }

    /// `[80, 800]`, row by row. Shorter audio is padded with silence in front.
    fn log_mel(&self, pcm: &[f32]) -> Vec<f32> {
        let tail = &pcm[pcm.len().saturating_sub(INPUT_SAMPLES)..];
        let padding = INPUT_SAMPLES - tail.len();
        let (mean, scale) = normalisation(tail);
        let sample = |i: usize| {
            let raw = if i < padding { 0.0 } else { tail[i - padding] };
            (raw - mean) * scale
        };
        let mut out = vec![0.0; MELS * FRAMES];
        let mut block = vec![0.0; FFT];
        let mut spectrum = vec![Complex32::default(); BINS];
        let mut power = [0.0; BINS];
        let mut padded: Option<[f32; MELS]> = None;
        for frame in 0..FRAMES {
            let start = frame as isize * HOP as isize - FFT as isize / 2;
            // Frames wholly inside the padding all look the same.
            let silent = start >= 0 && start as usize + FFT <= padding;
            let mels = match padded {
                Some(mels) if silent => mels,
                _ => {
                    for (i, (b, w)) in block.iter_mut().zip(&self.window).enumerate() {
                        *b = sample(reflected(start + i as isize)) * w;
                    }
                    // Lengths are those planned for, so this cannot fail.
                    let _ = self.fft.process(&mut block, &mut spectrum);
                    for (p, s) in power.iter_mut().zip(&spectrum) {
                        *p = s.norm_sqr();
                    }
                    std::array::from_fn(|m| self.filters[m].apply(&power))
                }
            };
            if silent {
                padded = Some(mels);
            }
            for (m, value) in mels.into_iter().enumerate() {
                out[m * FRAMES + frame] = value;
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

/// Index within the 8 s, reflected at both ends.
fn reflected(i: isize) -> usize {
    let last = INPUT_SAMPLES as isize - 1;
    let i = i.abs();
    (if i > last { 2 * last - i } else { i }) as usize
}

/// Mean, and factor to unit variance, of the audio together with the silence in front of it.
fn normalisation(tail: &[f32]) -> (f32, f32) {
    let n = INPUT_SAMPLES as f64;
    let mean = tail.iter().map(|&s| f64::from(s)).sum::<f64>() / n;
    let square = tail.iter().map(|&s| f64::from(s) * f64::from(s)).sum::<f64>() / n;
    let variance = (square - mean * mean).max(0.0);
    (mean as f32, (1.0 / (variance + 1e-7).sqrt()) as f32)
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

    /// A signal both sides can make exactly: three tones, the last of which stops before the end.
    fn signal(samples: usize) -> Vec<f32> {
        (0..samples)
            .map(|i| {
                let t = i as f64 / 16_000.0;
                let tone = |hz: f64, level: f64| level * (std::f64::consts::TAU * hz * t).sin();
                let last = if i < samples * 3 / 4 { tone(2_300.0, 0.05) } else { 0.0 };
                (tone(220.0, 0.3) + tone(990.0, 0.1) + last) as f32
            })
            .collect()
    }

    /// Lines of `samples mel frame value` made by the reference implementation.
    const REFERENCE: &str = include_str!("turn_model_reference.txt");

    #[test]
    fn features_equal_the_reference() {
        let features = Features::new();
        let mut made: Option<(usize, Vec<f32>)> = None;
        let mut worst = 0.0f32;
        for line in REFERENCE.lines().filter(|l| !l.starts_with('#')) {
            let fields: Vec<f64> = line.split_whitespace().filter_map(|f| f.parse().ok()).collect();
            let [samples, mel, frame, value] = fields[..] else { panic!("bad line {line}") };
            let samples = samples as usize;
            if made.as_ref().is_none_or(|(n, _)| *n != samples) {
                made = Some((samples, features.log_mel(&signal(samples))));
            }
            let ours = made.as_ref().map_or(f32::NAN, |(_, f)| f[mel as usize * FRAMES + frame as usize]);
            worst = worst.max((ours - value as f32).abs());
        }
        assert!(worst < 2e-3, "features are off by {worst}");
    }

    #[test]
    fn silence_gives_finite_features() {
        assert!(Features::new().log_mel(&[]).iter().all(|v| v.is_finite()));
    }
}
