//! Smart Turn v3.2: has the caller finished, judged by how the speech sounds?
//!
//! Its input are Whisper's log-mel features of the last 8 s.

use std::fmt;
use std::path::Path;

use ort::session::Session;
use ort::value::TensorRef;

use super::log_mel::{HOP, LogMel, MELS};
use crate::runtime;
use pipeline::ports::PortError;

/// Samples the model looks at: 8 s at 16 kHz.
pub const INPUT_SAMPLES: usize = 128_000;
const FRAMES: usize = INPUT_SAMPLES / HOP;

/// One worker's copy of the model (about 20 MB).
pub struct TurnModel {
    session: Session,
    mel: LogMel,
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
        Ok(Self { session: runtime::open(models, Self::MODEL)?, mel: LogMel::new() })
    }

    /// Probability 0–1 that the speaker has finished, from 16 kHz mono audio of the turn so far in -1..1; only
    /// the last 8 s count.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn finished(&mut self, pcm: &[f32]) -> ort::Result<f32> {
        let features = features(&self.mel, pcm);
        let input = TensorRef::from_array_view(([1, MELS, FRAMES], &features[..]))?;
        let out = self.session.run(ort::inputs!["input_features" => input])?;
        let probability = out["logits"].try_extract_tensor::<f32>()?.1.first().copied();
        probability.map(|p| p.clamp(0.0, 1.0)).ok_or_else(|| ort::Error::new("the turn model gave no value"))
    }
}

/// `[80, 800]`, row by row. Shorter audio is padded with silence in front.
fn features(mel: &LogMel, pcm: &[f32]) -> Vec<f32> {
    let tail = &pcm[pcm.len().saturating_sub(INPUT_SAMPLES)..];
    let padding = INPUT_SAMPLES - tail.len();
    let (mean, scale) = normalisation(tail);
    mel.features(INPUT_SAMPLES, padding, |i| {
        let raw = if i < padding { 0.0 } else { tail[i - padding] };
        (raw - mean) * scale
    })
}

/// Mean, and factor to unit variance, of the audio together with the silence in front of it.
fn normalisation(tail: &[f32]) -> (f32, f32) {
    let n = INPUT_SAMPLES as f64;
    let mean = tail.iter().map(|&s| f64::from(s)).sum::<f64>() / n;
    let square = tail.iter().map(|&s| f64::from(s) * f64::from(s)).sum::<f64>() / n;
    let variance = (square - mean * mean).max(0.0);
    (mean as f32, (1.0 / (variance + 1e-7).sqrt()) as f32)
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
        let mel = LogMel::new();
        let mut made: Option<(usize, Vec<f32>)> = None;
        let mut worst = 0.0f32;
        for line in REFERENCE.lines().filter(|l| !l.starts_with('#')) {
            let fields: Vec<f64> = line.split_whitespace().filter_map(|f| f.parse().ok()).collect();
            let [samples, row, frame, value] = fields[..] else { panic!("bad line {line}") };
            let samples = samples as usize;
            if made.as_ref().is_none_or(|(n, _)| *n != samples) {
                made = Some((samples, features(&mel, &signal(samples))));
            }
            let ours = made.as_ref().map_or(f32::NAN, |(_, f)| f[row as usize * FRAMES + frame as usize]);
            worst = worst.max((ours - value as f32).abs());
        }
        assert!(worst < 2e-3, "features are off by {worst}");
    }

    #[test]
    fn silence_gives_finite_features() {
        assert!(features(&LogMel::new(), &[]).iter().all(|v| v.is_finite()));
    }
}
