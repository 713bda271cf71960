//! 8 to 16 kHz for the cloud path's speech detector, where every call pays for it all the time.
//!
//! The detector looks at mel bands, so a filter of six taps serves it as well as the recogniser's 24
//! ([`super::resample`]): images above 4 kHz stay in, about as loud as the breath that a wide-band microphone
//! would have heard there.

/// Taps on each side of the half-way point.
const SIDE: usize = 3;

/// One half of a Kaiser-windowed (beta 3) half-band filter at the half-way points, from the far end inwards. Twice
/// their sum is 1, so 0 Hz keeps its level.
const TAPS: [f32; SIDE] = [0.0466, -0.1517, 0.6051];

/// Streaming 8 to 16 kHz up-sampler without heap memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShortUpsampler {
    past: [f32; 2 * SIDE - 1],
}

impl ShortUpsampler {
    /// Outputs by which the signal comes late: 16 kHz samples (6 = 0.4 ms).
    pub const DELAY: usize = 2 * SIDE;

    /// Two outputs for the next input. May exceed the input's range by 60 %.
    #[must_use]
    pub fn push(&mut self, sample: f32) -> [f32; 2] {
        let [a, b, c, d, e] = self.past;
        self.past = [b, c, d, e, sample];
        [c, TAPS[0] * (a + sample) + TAPS[1] * (b + e) + TAPS[2] * (c + d)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::level::rms_dbfs;
    use super::super::resample::to_16k;
    use super::*;

    fn tone(hz: f32, rate: f32, n: usize) -> Vec<f32> {
        (0..n).map(|i| 0.5 * (std::f32::consts::TAU * hz * i as f32 / rate).sin()).collect()
    }

    fn upsampled(input: &[f32]) -> Vec<f32> {
        let mut up = ShortUpsampler::default();
        input.iter().flat_map(|s| up.push(*s)).collect()
    }

    /// Error against the recogniser's filter, dB below the signal.
    fn error_db(hz: f32) -> f32 {
        let input = tone(hz, 8_000.0, 1_600);
        let (short, long) = (upsampled(&input), to_16k(&input));
        let difference: Vec<f32> = (400..2_800).map(|i| short[i + ShortUpsampler::DELAY] - long[i]).collect();
        rms_dbfs(&long[400..2_800]) - rms_dbfs(&difference)
    }

    #[test]
    fn constant_input_keeps_its_level() {
        assert!(upsampled(&[0.5; 100])[20..].iter().all(|s| (s - 0.5).abs() < 1e-6));
    }

    #[test]
    fn speech_bands_come_through_and_images_are_down_most_where_speech_is_strongest() {
        for (hz, least) in [(200.0, 50.0), (500.0, 38.0), (1_000.0, 27.0), (2_000.0, 17.0), (3_000.0, 9.0)] {
            let down = error_db(hz);
            assert!(down > least, "{hz} Hz: the error is {down:.1} dB down");
        }
    }
}
