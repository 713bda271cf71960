//! From vocoded samples to mu-law pieces: loudness, soft limit, fades.

use std::f32::consts::PI;

use pipeline::audio::g711::f32_to_mulaw;

/// Brings the built-in voice to about -19 dBFS over speech. The voice is even, so one figure serves all phrases and
/// a first piece can leave before the phrase is complete.
pub(super) const GAIN: f32 = 1.8;
/// Above this the limiter bends the signal.
const KNEE: f32 = 0.6;
/// Samples (5 ms at 8 kHz) over which a segment's ends rise and fall, so that neither clicks.
const FADE: usize = 40;
/// Samples in a piece: 200 ms.
const PIECE: usize = 1_600;

/// Collects one segment's samples and gives them as mu-law pieces.
#[derive(Debug, Default)]
pub(super) struct Mastering {
    /// Samples not yet given; the last [`FADE`] of them may turn out to be the end.
    held: Vec<f32>,
    /// Samples taken so far.
    taken: usize,
}

impl Mastering {
    /// Takes samples; gives a piece once it is complete.
    pub fn push(&mut self, samples: &[f32]) -> Option<Vec<u8>> {
        for &sample in samples {
            let rise = if self.taken < FADE { ramp(self.taken) } else { 1.0 };
            self.held.push(limit(sample * GAIN) * rise);
            self.taken += 1;
        }
        (self.held.len() >= PIECE + FADE).then(|| {
            let rest = self.held.split_off(self.held.len() - FADE);
            encode(&std::mem::replace(&mut self.held, rest))
        })
    }

    /// The last piece, faded out; `None` when there were no samples.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        let length = self.held.len();
        for (back, sample) in self.held[length.saturating_sub(FADE)..].iter_mut().rev().enumerate() {
            *sample *= ramp(back);
        }
        (length > 0).then(|| encode(&self.held))
    }
}

fn encode(samples: &[f32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(samples.len());
    f32_to_mulaw(samples, &mut out);
    out
}

/// Raised cosine from 0 to 1 over [`FADE`] samples.
fn ramp(i: usize) -> f32 {
    0.5 - 0.5 * (PI * i as f32 / FADE as f32).cos()
}

/// Leaves what is below the knee as it is and bends the rest so that it stays under 1.
fn limit(x: f32) -> f32 {
    let over = x.abs() - KNEE;
    if over <= 0.0 {
        return x;
    }
    let room = 1.0 - KNEE;
    x.signum() * (KNEE + room * (over / room).tanh())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipeline::audio::g711::mulaw_decode;

    fn mastered(input: &[f32], chunk: usize) -> Vec<u8> {
        let mut m = Mastering::default();
        let mut out: Vec<u8> = input.chunks(chunk).filter_map(|c| m.push(c)).flatten().collect();
        out.extend(m.finish().unwrap_or_default());
        out
    }

    #[test]
    fn every_sample_comes_out_once_whatever_the_pieces() {
        let input: Vec<f32> = (0..5_000).map(|i| 0.2 * (i as f32 * 0.3).sin()).collect();
        let out = mastered(&input, 100);
        assert_eq!(out.len(), input.len());
        assert_eq!(out, mastered(&input, 5_000));
    }

    #[test]
    fn ends_are_faded_and_peaks_stay_in_range() {
        let out = mastered(&[3.0; 2_000], 100);
        assert_eq!(mulaw_decode(out[0]), 0);
        assert_eq!(mulaw_decode(out[1_999]), 0);
        assert!(mulaw_decode(out[1_000]) > 31_000);
        assert!(limit(0.5) == 0.5 && limit(-50.0) >= -1.0);
    }

    #[test]
    fn nothing_in_gives_nothing() {
        assert!(mastered(&[], 1).is_empty());
    }
}
