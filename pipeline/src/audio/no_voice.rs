//! Sounds that a speech detector takes for speech and no mouth makes: steady tones (dial tone, keys, beeps) and clicks.
//!
//! One or two steady sine waves, however loud, obey x(n) + x(n-4d) = p (x(n-d) + x(n-3d)) + q x(n-2d) with p and q that
//! follow from their pitches. So what was fitted to one window predicts the next as long as nothing changes; a voice
//! never holds pitch and formants that still. A click leaves most of its window empty.

use super::g711::mulaw_decode;

/// Samples in a window: 32 ms.
const WINDOW: usize = 256;
/// Samples between the terms: so far apart that what is merely smooth is not predicted.
const SPACING: usize = 3;
/// Share of the energy that the prediction may miss in a steady tone, for mu-law's own noise (-18 dB).
const MISSED: f32 = 0.016;
/// Levels of one tone, beats of two included, differ by less than this factor of energy (3 dB).
const SAME_LEVEL: f32 = 2.0;
/// Windows predicted by the ones before that make a steady tone: with the first, 0.1 s.
const STEADY: u32 = 2;
/// Samples in a block: 4 ms.
const BLOCK: usize = 32;
/// The middle one of a window's blocks has less than this share of their mean energy when it holds clicks (-17 dB).
const EMPTY: f32 = 0.02;
/// A sound that begins at the window's end is no click: its last two blocks have less than this share of the mean.
const OVER: f32 = 0.1;

/// Looks for tones and clicks in one call's windows.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoVoice {
    /// p and q of the window before, and its energy.
    last: [f32; 2],
    energy: f32,
    /// Windows in a row that were predicted.
    steady: u32,
}

impl NoVoice {
    /// Takes the next window that is loud enough to matter, 256 mu-law bytes; true when no voice is in it.
    pub fn is_in(&mut self, codes: &[u8]) -> bool {
        let mut x = [0.0f32; WINDOW];
        for (x, code) in x.iter_mut().zip(codes) {
            *x = f32::from(mulaw_decode(*code)) / 32_768.0;
        }
        self.is_steady(&x) || is_click(&x)
    }

    fn is_steady(&mut self, x: &[f32; WINDOW]) -> bool {
        let sums = Sums::of(x);
        let energy = sums.target + sums.bb;
        let same_level = energy < self.energy * SAME_LEVEL && self.energy < energy * SAME_LEVEL;
        let predicted = same_level && sums.missed(self.last) < MISSED;
        self.steady = if predicted { self.steady + 1 } else { 0 };
        (self.last, self.energy) = (sums.fit(), energy);
        self.steady >= STEADY
    }
}

/// Products of the terms of the prediction: t for what is predicted, a and b for what predicts it.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    target: f32,
    aa: f32,
    bb: f32,
    ab: f32,
    at: f32,
    bt: f32,
}

impl Sums {
    fn of(x: &[f32; WINDOW]) -> Self {
        let mut s = Self::default();
        for w in x.windows(4 * SPACING + 1) {
            let (t, a, b) = (w[0] + w[4 * SPACING], w[SPACING] + w[3 * SPACING], w[2 * SPACING]);
            s.target += t * t;
            s.aa += a * a;
            s.bb += b * b;
            s.ab += a * b;
            s.at += a * t;
            s.bt += b * t;
        }
        s
    }

    /// p and q that predict best. A little is added to the diagonal: one tone alone leaves them open.
    fn fit(&self) -> [f32; 2] {
        let ridge = 1e-3 * (self.aa + self.bb) + 1e-9;
        let (aa, bb) = (self.aa + ridge, self.bb + ridge);
        let det = aa * bb - self.ab * self.ab;
        [(self.at * bb - self.bt * self.ab) / det, (self.bt * aa - self.at * self.ab) / det]
    }

    /// Share of the target's energy, and of the terms', that a prediction misses.
    fn missed(&self, [p, q]: [f32; 2]) -> f32 {
        let left = self.target - 2.0 * (p * self.at + q * self.bt)
            + p * p * self.aa
            + q * q * self.bb
            + 2.0 * p * q * self.ab;
        left / (self.target + self.bb + 1e-9)
    }
}

/// Most of the window is empty, and so is its end.
fn is_click(x: &[f32; WINDOW]) -> bool {
    let mut blocks = [0.0f32; WINDOW / BLOCK];
    for (energy, block) in blocks.iter_mut().zip(x.chunks_exact(BLOCK)) {
        *energy = block.iter().map(|s| s * s).sum();
    }
    let mean = blocks.iter().sum::<f32>() / blocks.len() as f32;
    let over = blocks[blocks.len() - 2..].iter().all(|e| *e < mean * OVER);
    blocks.sort_unstable_by(f32::total_cmp);
    over && blocks[blocks.len() / 2] < mean * EMPTY
}

#[cfg(test)]
mod tests {
    use std::f32::consts::TAU;

    use super::super::g711::f32_to_mulaw;
    use super::*;

    fn windows(sample: impl Fn(usize) -> f32, count: usize) -> Vec<bool> {
        let pcm: Vec<f32> = (0..count * WINDOW).map(sample).collect();
        let mut codes = Vec::new();
        f32_to_mulaw(&pcm, &mut codes);
        let mut no_voice = NoVoice::default();
        codes.chunks_exact(WINDOW).map(|c| no_voice.is_in(c)).collect()
    }

    fn tones(hz: &[f32], amplitude: f32) -> Vec<bool> {
        let sine = |hz: f32, i: usize| (TAU * hz * i as f32 / 8_000.0).sin();
        windows(|i| amplitude * hz.iter().map(|hz| sine(*hz, i)).sum::<f32>(), 12)
    }

    #[test]
    fn one_or_two_steady_tones_are_no_voice_after_a_tenth_of_a_second() {
        let kinds: [&[f32]; 8] = [
            &[350.0, 440.0],
            &[440.0, 480.0],
            &[480.0, 620.0],
            &[697.0, 1_209.0],
            &[941.0, 1_633.0],
            &[425.0],
            &[1_000.0],
            &[1_400.0],
        ];
        for hz in kinds {
            for amplitude in [0.4, 0.05] {
                let all = tones(hz, amplitude);
                let found = all[3..].iter().filter(|f| **f).count();
                assert!(found >= 8, "{hz:?} at {amplitude}: {all:?}");
            }
        }
    }

    #[test]
    fn a_pitch_that_glides_as_a_voice_does_is_one() {
        // 4 % in half a second, a very level voice.
        let phase = |i: usize| TAU * (180.0 * i as f32 + 0.5 * 15.0 * (i * i) as f32 / 8_000.0) / 8_000.0;
        let all = windows(|i| 0.2 * (1..8).map(|k| (k as f32 * phase(i)).sin() / k as f32).sum::<f32>(), 16);
        assert!(all.iter().all(|f| !f), "{all:?}");
    }

    #[test]
    fn a_click_is_no_voice_wherever_it_lies_but_at_the_end() {
        for at in [0, 40, 100, 150] {
            let all = windows(|i| if (at..at + 12).contains(&i) { 0.5 } else { 0.0 }, 1);
            assert_eq!(all, [true], "a click at {at}");
        }
        assert_eq!(windows(|i| if i > 220 { 0.5 } else { 0.0 }, 1), [false], "a word may begin there");
    }

    #[test]
    fn silence_is_not_judged() {
        assert_eq!(windows(|_| 0.0, 3), [false; 3]);
    }
}
