//! Sounds that are no words: what telephones pick up beside a caller's voice. Each is made from a seed.

use std::f32::consts::TAU;

use crate::clips::{Dice, PER_MS, at_level, mix};

/// Air through the throat: two bursts, the second weaker, with something of the voice in it.
#[must_use]
pub fn cough(seed: u64) -> Vec<f32> {
    let mut pcm = vec![0.0; 520 * PER_MS];
    let first = blast(150 + (seed as usize % 3) * 30, 5.0, 0.35, 0.5, seed);
    let second = blast(170, 6.0, 0.25, 0.4, seed + 1);
    mix(&mut pcm, 0, &first);
    mix(&mut pcm, 280 * PER_MS, &second);
    let voiced = |i: usize| {
        let t = i as f32 / 8_000.0;
        0.06 * (TAU * 140.0 * t).sin() * (-t * 14.0).exp()
    };
    let voice: Vec<f32> = (0..pcm.len()).map(voiced).collect();
    mix(&mut pcm, 20 * PER_MS, &voice);
    pcm
}

/// A throat is cleared: a growl.
#[must_use]
pub fn throat(seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    let mut phase = 0.0f32;
    let length = 420 * PER_MS;
    let sample = |i: usize| {
        phase += (75.0 + 12.0 * dice.sample()) / 8_000.0;
        let swell = (i as f32 / length as f32 * std::f32::consts::PI).sin();
        let buzz = (1..6).map(|k| (TAU * phase * k as f32).sin() / k as f32).sum::<f32>();
        swell * (0.1 * buzz + 0.08 * dice.sample())
    };
    (0..length).map(sample).collect()
}

/// A breath into the mouthpiece.
#[must_use]
pub fn breath(ms: usize, level: f32, seed: u64) -> Vec<f32> {
    let length = ms * PER_MS;
    let swell = |i: usize| (i as f32 / length as f32 * std::f32::consts::PI).sin().powi(2);
    hiss(length, 0.35, seed).iter().enumerate().map(|(i, s)| s * level * swell(i)).collect()
}

/// Clicks of the line: single steep edges.
#[must_use]
pub fn clicks(count: usize, every_ms: usize, seed: u64) -> Vec<f32> {
    let mut pcm = vec![0.0; (count * every_ms + 20) * PER_MS];
    for n in 0..count {
        mix(&mut pcm, n * every_ms * PER_MS, &blast(5, 4.0, 0.7, 0.9, seed + n as u64));
    }
    pcm
}

/// Somebody types beside the telephone.
#[must_use]
pub fn keyboard(keys: usize, level: f32, seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    let mut pcm = vec![0.0; keys * 220 * PER_MS];
    let mut at = 0;
    for n in 0..keys {
        mix(&mut pcm, at * PER_MS, &blast(18, 5.0, level, 0.7, seed + 7 * n as u64));
        mix(&mut pcm, (at + 65) * PER_MS, &blast(12, 5.0, level * 0.5, 0.7, seed + 7 * n as u64 + 1));
        at += 90 + (dice.next() % 120) as usize;
    }
    pcm.truncate((at + 100) * PER_MS);
    pcm
}

/// A burst of noise on the line, with hard edges.
#[must_use]
pub fn line_burst(ms: usize, level: f32, seed: u64) -> Vec<f32> {
    hiss(ms * PER_MS, 0.8, seed).iter().map(|s| s * level).collect()
}

/// A door, a cup set down: a low knock.
#[must_use]
pub fn knock(seed: u64) -> Vec<f32> {
    let mut pcm = blast(260, 9.0, 0.5, 0.15, seed);
    for (i, s) in pcm.iter_mut().enumerate() {
        let t = i as f32 / 8_000.0;
        *s += 0.3 * (TAU * 170.0 * t).sin() * (-t * 25.0).exp();
    }
    pcm
}

/// Music while one waits: chords that change, each plucked and dying away.
#[must_use]
pub fn music(ms: usize, beat_ms: usize, seed: u64) -> Vec<f32> {
    const CHORDS: [[f32; 3]; 4] =
        [[262.0, 330.0, 392.0], [220.0, 277.0, 330.0], [294.0, 370.0, 440.0], [247.0, 311.0, 370.0]];
    let sample = |i: usize| {
        let beat = i / (beat_ms * PER_MS);
        let t = (i % (beat_ms * PER_MS)) as f32 / 8_000.0;
        let chord = CHORDS[(beat + seed as usize) % CHORDS.len()];
        let tone = |hz: f32| (TAU * hz * t).sin() + 0.4 * (TAU * 2.0 * hz * t).sin();
        let attack = (t * 120.0).min(1.0);
        0.06 * attack * (-t * 3.0).exp() * chord.map(tone).iter().sum::<f32>()
    };
    (0..ms * PER_MS).map(sample).collect()
}

/// A steady tone with its overtone.
#[must_use]
pub fn hum(ms: usize, hz: f32, level: f32) -> Vec<f32> {
    let sample = |i: usize| {
        let t = i as f32 / 8_000.0;
        level * ((TAU * hz * t).sin() + 0.4 * (TAU * 2.0 * hz * t).sin())
    };
    (0..ms * PER_MS).map(sample).collect()
}

/// Noise with a sharp start that dies away. `bright`: how much of the high tones is left, 0–1.
fn blast(ms: usize, decay: f32, level: f32, bright: f32, seed: u64) -> Vec<f32> {
    let length = ms * PER_MS;
    let noise = hiss(length, bright, seed);
    noise.iter().enumerate().map(|(i, s)| s * level * (-(i as f32) / length as f32 * decay).exp()).collect()
}

fn hiss(samples: usize, bright: f32, seed: u64) -> Vec<f32> {
    let mut dice = Dice::new(seed);
    let mut low = 0.0;
    let pcm: Vec<f32> = (0..samples)
        .map(|_| {
            low += bright * (dice.sample() - low);
            low
        })
        .collect();
    let peak = pcm.iter().fold(1e-6f32, |m, s| m.max(s.abs()));
    at_level(&pcm, -20.0 * peak.log10())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clips::length_ms;

    #[test]
    fn sounds_are_the_same_each_time_and_never_clipped() {
        let all = || {
            vec![
                cough(1),
                throat(2),
                breath(900, 0.05, 3),
                clicks(4, 130, 4),
                keyboard(8, 0.2, 5),
                line_burst(600, 0.2, 6),
                knock(7),
                music(3_000, 400, 8),
                hum(900, 120.0, 0.1),
            ]
        };
        assert_eq!(all(), all());
        for (i, sound) in all().iter().enumerate() {
            let peak = sound.iter().fold(0.0f32, |m, s| m.max(s.abs()));
            assert!((0.02..1.0).contains(&peak), "sound {i} peaks at {peak}");
        }
        assert_eq!(length_ms(&music(3_000, 400, 8)), 3_000);
    }
}
