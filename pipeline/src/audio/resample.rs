//! Sample rate change: 8 to 16 kHz for the recogniser, 16 to 8 kHz for a person's microphone.
//!
//! A half-band filter needs work only for every second output; the others are the input itself. The built-in
//! voice is vocoded at 8 kHz.

/// Taps on each side of the half-way point.
const SIDE: usize = 12;

/// Streaming 8 to 16 kHz up-sampler with a gain of exactly 1 at 0 Hz; flat within 0.1 dB to 3.5 kHz.
#[derive(Clone, Debug)]
pub struct Upsampler {
    taps: [f32; 2 * SIDE],
    /// The last `2 * SIDE - 1` inputs.
    past: Vec<f32>,
}

impl Default for Upsampler {
    fn default() -> Self {
        Self { taps: half_band(), past: vec![0.0; 2 * SIDE - 1] }
    }
}

impl Upsampler {
    /// Outputs by which the signal comes late: 16 kHz samples (24 = 1.5 ms).
    pub const DELAY: usize = 2 * SIDE;

    /// Appends two 16 kHz samples to `out` for each 8 kHz sample of `input`.
    pub fn push(&mut self, input: &[f32], out: &mut Vec<f32>) {
        self.past.extend_from_slice(input);
        out.reserve(input.len() * 2);
        for window in self.past.windows(2 * SIDE) {
            out.push(window[SIDE - 1]);
            out.push(window.iter().zip(&self.taps).map(|(x, h)| x * h).sum());
        }
        let done = self.past.len() - (2 * SIDE - 1);
        self.past.drain(..done);
    }
}

/// A whole 8 kHz signal at 16 kHz, aligned with its input: sample `n` becomes sample `2 n`.
#[must_use]
pub fn to_16k(input: &[f32]) -> Vec<f32> {
    let mut out = Vec::with_capacity(input.len() * 2 + 2 * Upsampler::DELAY);
    let mut up = Upsampler::default();
    up.push(input, &mut out);
    up.push(&[0.0; SIDE], &mut out);
    out.drain(..Upsampler::DELAY);
    out
}

/// Streaming 16 to 8 kHz down-sampler with the same half-band filter.
#[derive(Clone, Debug)]
pub struct Downsampler {
    taps: [f32; 2 * SIDE],
    /// The last inputs, as many as the filter is long without two.
    past: Vec<f32>,
}

impl Default for Downsampler {
    fn default() -> Self {
        Self { taps: half_band(), past: vec![0.0; 4 * SIDE - 3] }
    }
}

impl Downsampler {
    /// Appends one 8 kHz sample to `out` for each two 16 kHz samples of `input`, whose number is even.
    pub fn push(&mut self, input: &[f32], out: &mut Vec<f32>) {
        const LENGTH: usize = 4 * SIDE - 1;
        self.past.extend_from_slice(input);
        let mut done = 0;
        while self.past.len() - done >= LENGTH {
            let window = &self.past[done..done + LENGTH];
            let odd: f32 = window.iter().step_by(2).zip(&self.taps).map(|(x, h)| x * h).sum();
            out.push((window[2 * SIDE - 1] + odd) / 2.0);
            done += 2;
        }
        self.past.drain(..done);
    }
}

/// Kaiser-windowed sinc at the half-way points, normalised to sum 1.
fn half_band() -> [f32; 2 * SIDE] {
    const BETA: f64 = 6.0;
    let mut taps = [0.0; 2 * SIDE];
    for (k, tap) in taps.iter_mut().enumerate() {
        let t = k as f64 - SIDE as f64 + 0.5;
        let x = std::f64::consts::PI * t;
        let r = t / SIDE as f64;
        *tap = x.sin() / x * bessel_i0(BETA * (1.0 - r * r).sqrt()) / bessel_i0(BETA);
    }
    let sum: f64 = taps.iter().sum();
    taps.map(|t| (t / sum) as f32)
}

/// Modified Bessel function of the first kind, order 0.
fn bessel_i0(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..30 {
        term *= (x / 2.0 / f64::from(k)).powi(2);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn down_and_up_again_keeps_speech_and_drops_what_a_telephone_cannot_carry() {
        let tone =
            |hz: f32| (0..3_200).map(move |n| (std::f32::consts::TAU * hz * n as f32 / 16_000.0).sin());
        let level = |hz: f32| {
            let (mut down, mut out) = (Downsampler::default(), Vec::new());
            tone(hz).collect::<Vec<f32>>().chunks(320).for_each(|frame| down.push(frame, &mut out));
            assert_eq!(out.len(), 1_600);
            (out[200..].iter().map(|x| x * x).sum::<f32>() / 1_400.0 * 2.0).sqrt()
        };
        assert!((level(1_000.0) - 1.0).abs() < 0.02, "{}", level(1_000.0));
        assert!(level(6_000.0) < 0.02, "{}", level(6_000.0));
    }

    fn tone(hz: f64, rate: f64, n: usize) -> Vec<f32> {
        (0..n).map(|i| (std::f64::consts::TAU * hz * i as f64 / rate).sin() as f32).collect()
    }

    #[test]
    fn constant_input_keeps_its_level() {
        let out = to_16k(&[0.5; 400]);
        assert!(out[100..700].iter().all(|&s| (s - 0.5).abs() < 1e-5));
    }

    #[test]
    fn tones_of_the_telephone_band_come_out_as_they_are() {
        for hz in [300.0, 1000.0, 2500.0, 3400.0] {
            let out = to_16k(&tone(hz, 8000.0, 800));
            let worst = (200..1400).map(|i| (out[i] - tone(hz, 16_000.0, 1600)[i]).abs()).fold(0.0, f32::max);
            assert!(worst < 0.012, "{hz} Hz is off by {worst}");
        }
    }

    #[test]
    fn pieces_give_the_same_as_the_whole() {
        let input = tone(700.0, 8000.0, 960);
        let (mut whole, mut pieces) = (Vec::new(), Vec::new());
        Upsampler::default().push(&input, &mut whole);
        let mut up = Upsampler::default();
        for piece in input.chunks(161) {
            up.push(piece, &mut pieces);
        }
        assert_eq!(whole, pieces);
        assert_eq!(whole.len(), 2 * input.len());
    }
}
