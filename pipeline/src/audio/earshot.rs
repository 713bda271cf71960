//! Speech score of a call on the cloud path: an energy gate that follows the line's noise, then `earshot`.
//!
//! Silero is the better ear and costs ten times as much ([`super::vad`]). Scores here are bent so that the
//! session's thresholds mean the same with either: the benches compare the two, window by window.

use std::fmt;

use earshot::Detector;
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::g711::mulaw_decode;
use super::level::mulaw_dbfs;
use super::no_voice::NoVoice;
use super::upsample::ShortUpsampler;
use crate::ports::VoiceActivity;

/// Mu-law bytes a score is given for: 32 ms, as Silero's.
const WINDOW: usize = 256;
/// Samples at 16 kHz that the model takes at once: 16 ms.
const STEP: usize = 256;
/// A window softer than this holds no speech that a telephone caller would be understood by.
const GATE_DBFS: f32 = -56.0;
/// Speech stands out of the line's noise by at least this much, dB.
const ABOVE_NOISE: f32 = 5.0;
/// Lowest noise that is believed: comfort noise and digital silence come and go.
const NOISE_MIN_DBFS: f32 = -65.0;
/// Windows in a block, and blocks over which the quietest window is the noise: 1.5 s, in which every talker closes
/// the lips and every hum goes on.
const BLOCK: u32 = 8;
const BLOCKS: usize = 6;
/// What the model hears, against full scale: 21 dB down. It takes loud noise for speech, and soft speech for speech.
const GAIN: f32 = 0.089 / 32_768.0;
/// Windows for which the model keeps judging after it last saw speech (about 0.5 s), so that a closure inside a
/// word does not look like its end.
const HANGOVER: u32 = 16;
/// Highest score of a window that is as soft as the line itself: silence by every threshold.
const UNHEARD: f32 = 0.14;
/// A score above this keeps the gate open.
const LIKELY: f32 = 0.2;
/// The model's score and ours: nothing, the session's thresholds (duck, off, on), certainty. Each threshold is where
/// the two detectors agree on most windows of telephone prompts with and without noise.
const CURVE: [(f32, f32); 5] = [(0.25, 0.0), (0.385, 0.15), (0.415, 0.35), (0.43, 0.5), (0.7, 1.0)];

/// Voice activity of one call. About 10 KB; allocates nothing after it was made.
pub struct EarshotVad {
    detector: Box<Detector>,
    up: ShortUpsampler,
    gate: Gate,
    no_voice: NoVoice,
    /// The window before, the window that is filling, and what of the last frame lies beyond it.
    codes: [u8; 2 * WINDOW + FRAME_BYTES],
    filled: usize,
    /// Windows left in which the model runs whatever the level.
    open: u32,
    /// The model took the window before.
    warm: bool,
}

impl fmt::Debug for EarshotVad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EarshotVad")
            .field("gate", &self.gate)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl Default for EarshotVad {
    fn default() -> Self {
        Self {
            detector: Detector::default_boxed(),
            up: ShortUpsampler::default(),
            gate: Gate::default(),
            no_voice: NoVoice::default(),
            codes: [telephony::media::MULAW_SILENCE; 2 * WINDOW + FRAME_BYTES],
            filled: WINDOW,
            open: 0,
            warm: false,
        }
    }
}

impl EarshotVad {
    /// Scores the window that is full.
    fn score_window(&mut self) -> f32 {
        let loud = self.gate.passes(mulaw_dbfs(&self.codes[WINDOW..2 * WINDOW]));
        if !loud && self.open == 0 {
            self.warm = false;
            return 0.0;
        }
        if !self.warm {
            // The model judges by the sound before, which the gate kept from it.
            self.run(0);
            self.warm = true;
        }
        let raw = self.run(WINDOW);
        let no_voice = loud && self.no_voice.is_in(&self.codes[WINDOW..2 * WINDOW]);
        let score = if no_voice { 0.0 } else { bent(raw) };
        // The model lets go of a voice some 100 ms after it ended; the level says so at once.
        let score = if loud { score } else { score.min(UNHEARD) };
        self.open = if loud && score > LIKELY { HANGOVER } else { self.open.saturating_sub(1) };
        score
    }

    /// The model's score of the window that begins at `from`: the better of its two halves, so that a word that
    /// begins in the second is not lost.
    fn run(&mut self, from: usize) -> f32 {
        let mut best = 0.0f32;
        let mut step = [0.0; STEP];
        for half in self.codes[from..from + WINDOW].chunks_exact(STEP / 2) {
            for (pair, code) in step.chunks_exact_mut(2).zip(half) {
                pair.copy_from_slice(&self.up.push(f32::from(mulaw_decode(*code)) * GAIN));
            }
            best = best.max(self.detector.predict_f32(&step));
        }
        best
    }
}

impl VoiceActivity for EarshotVad {
    fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
        self.codes[self.filled..self.filled + FRAME_BYTES].copy_from_slice(frame.bytes());
        self.filled += FRAME_BYTES;
        if self.filled < 2 * WINDOW {
            return None;
        }
        let score = self.score_window();
        self.codes.copy_within(WINDOW..self.filled, 0);
        self.filled -= WINDOW;
        Some(score)
    }
}

/// Tells sound from the line's own noise.
#[derive(Clone, Copy, Debug)]
struct Gate {
    /// Quietest window of each of the last blocks, dBFS, the running one included.
    quietest: [f32; BLOCKS],
    at: usize,
    windows: u32,
}

impl Default for Gate {
    fn default() -> Self {
        Self { quietest: [NOISE_MIN_DBFS; BLOCKS], at: 0, windows: 0 }
    }
}

impl Gate {
    /// Whether a window of this loudness (dBFS) may hold speech.
    fn passes(&mut self, level: f32) -> bool {
        if self.windows == BLOCK {
            self.windows = 0;
            self.at = (self.at + 1) % BLOCKS;
            self.quietest[self.at] = 0.0;
        }
        self.windows += 1;
        self.quietest[self.at] = self.quietest[self.at].min(level);
        let noise = self.quietest.iter().copied().fold(0.0, f32::min);
        level >= GATE_DBFS.max(noise + ABOVE_NOISE)
    }
}

/// A score of the model's on Silero's scale.
fn bent(raw: f32) -> f32 {
    let piece = CURVE.windows(2).find(|p| raw < p[1].0);
    let Some(&[(x0, y0), (x1, y1)]) = piece else { return 1.0 };
    (y0 + (raw - x0) / (x1 - x0) * (y1 - y0)).max(0.0)
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::super::g711::f32_to_mulaw;
    use super::*;

    /// A buzz through three formants that opens and closes four times a second: as like a voice as it need be.
    fn voice(ms: usize, peak: f32) -> Vec<f32> {
        let formants = [(700.0, 90.0), (1_200.0, 120.0), (2_600.0, 200.0)];
        let mut state = [[0.0f32; 2]; 3];
        (0..ms * 8)
            .map(|i| {
                let t = i as f32 / 8_000.0;
                let pitch = 120.0 + 20.0 * (TAU * 1.5 * t).sin();
                let pulse = if (t * pitch).fract() < pitch / 8_000.0 { 1.0 } else { 0.0 };
                let open = (0.5 - 0.5 * (TAU * 4.0 * t).cos()).powi(2);
                let mut sum = 0.0;
                for (s, (hz, width)) in state.iter_mut().zip(formants) {
                    let r = (-std::f32::consts::PI * width / 8_000.0).exp();
                    let out = pulse + 2.0 * r * (TAU * hz / 8_000.0).cos() * s[0] - r * r * s[1];
                    *s = [out, s[0]];
                    sum += out;
                }
                (sum * open * peak / 3.0).clamp(-1.0, 1.0)
            })
            .collect()
    }

    fn noise(ms: usize, amplitude: f32) -> Vec<f32> {
        let mut state = 0x2545_F491_u32;
        (0..ms * 8)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                (state as i32 as f32 / 2_147_483_648.0) * amplitude
            })
            .collect()
    }

    fn scores(vad: &mut EarshotVad, pcm: &[f32]) -> Vec<f32> {
        let mut codes = Vec::new();
        f32_to_mulaw(pcm, &mut codes);
        let frames = codes.chunks_exact(FRAME_BYTES).filter_map(|c| c.try_into().ok()).map(AudioFrame);
        frames.filter_map(|f| vad.push(&f)).collect()
    }

    #[test]
    fn a_voice_is_heard_within_six_windows_and_let_go_within_half_a_second() {
        let mut vad = EarshotVad::default();
        assert!(scores(&mut vad, &[0.0; 16_000]).iter().all(|s| *s == 0.0));
        let onset = scores(&mut vad, &voice(1_000, 0.5)).iter().position(|s| *s >= 0.5);
        assert!(onset.is_some_and(|w| w <= 5), "first window of speech: {onset:?}");
        let after = scores(&mut vad, &[0.0; 8_000]);
        assert!(after[15..].iter().all(|s| *s < 0.15), "{after:?}");
    }

    #[test]
    fn steady_noise_closes_the_gate_and_a_voice_above_it_opens_it() {
        let mut vad = EarshotVad::default();
        let steady = scores(&mut vad, &noise(4_000, 0.03));
        assert!(steady[70..].iter().all(|s| *s == 0.0), "{steady:?}");
        assert!(!vad.warm, "the model still runs on noise");
        let mix: Vec<f32> = voice(1_000, 0.5).iter().zip(noise(1_000, 0.03)).map(|(a, b)| a + b).collect();
        assert!(scores(&mut vad, &mix).iter().any(|s| *s >= 0.5));
    }

    #[test]
    fn a_score_comes_with_every_256th_sample_as_silero_gives_it() {
        let mut vad = EarshotVad::default();
        let given: Vec<bool> = (0..8).map(|_| vad.push(&AudioFrame::SILENCE).is_some()).collect();
        assert_eq!(given, [false, true, false, true, true, false, true, true]);
    }

    #[test]
    fn the_curve_rises_through_the_thresholds() {
        for (raw, ours) in [(0.0, 0.0), (0.385, 0.15), (0.415, 0.35), (0.43, 0.5), (0.7, 1.0), (1.0, 1.0)] {
            assert!((bent(raw) - ours).abs() < 1e-5, "{raw} becomes {}", bent(raw));
        }
        let all: Vec<f32> = (0..=100).map(|i| bent(i as f32 / 100.0)).collect();
        assert!(all.is_sorted());
    }
}
