//! Loudness of audio.

use telephony::media::AudioFrame;

use super::g711::mulaw_decode;

/// What silence measures: below the least step of mu-law.
pub const FLOOR_DBFS: f32 = -100.0;

/// Root mean square of samples in -1..1, in dB below full scale; a full-scale sine gives -3. At least
/// [`FLOOR_DBFS`].
#[must_use]
pub fn rms_dbfs(samples: &[f32]) -> f32 {
    let sum: f32 = samples.iter().map(|s| s * s).sum();
    power_to_dbfs(sum / samples.len().max(1) as f32)
}

/// Root mean square of mu-law bytes in dB below full scale, at least [`FLOOR_DBFS`].
#[must_use]
pub fn mulaw_dbfs(codes: &[u8]) -> f32 {
    let sum: i64 = codes.iter().map(|&c| i64::from(mulaw_decode(c)).pow(2)).sum();
    power_to_dbfs(sum as f32 / codes.len().max(1) as f32 / (32_768.0 * 32_768.0))
}

/// Loudness of a frame in dBFS, at least [`FLOOR_DBFS`].
#[must_use]
pub fn frame_dbfs(frame: &AudioFrame) -> f32 {
    mulaw_dbfs(frame.bytes())
}

/// Share (0–1) of mu-law bytes at either end of the scale. Above about 0.01 the audio is distorted.
#[must_use]
pub fn clipped_share(codes: &[u8]) -> f32 {
    let clipped = codes.iter().filter(|&&c| c & 0x7F == 0).count();
    clipped as f32 / codes.len().max(1) as f32
}

fn power_to_dbfs(power: f32) -> f32 {
    (10.0 * power.max(1e-12).log10()).max(FLOOR_DBFS)
}

#[cfg(test)]
mod tests {
    use super::super::g711::f32_to_mulaw;
    use super::*;

    fn sine(amplitude: f32) -> Vec<f32> {
        (0..1600).map(|i| amplitude * (i as f32 * 0.25 * std::f32::consts::PI).sin()).collect()
    }

    #[test]
    fn a_sine_is_three_decibels_below_its_peak() {
        assert!((rms_dbfs(&sine(1.0)) + 3.01).abs() < 0.05);
        assert!((rms_dbfs(&sine(0.1)) + 23.01).abs() < 0.05);
        let mut codes = Vec::new();
        f32_to_mulaw(&sine(0.1), &mut codes);
        assert!((mulaw_dbfs(&codes) + 23.01).abs() < 0.2);
    }

    #[test]
    fn silence_and_nothing_measure_the_floor() {
        assert_eq!(frame_dbfs(&AudioFrame::SILENCE), FLOOR_DBFS);
        assert_eq!(rms_dbfs(&[]), FLOOR_DBFS);
    }

    #[test]
    fn clipping_is_counted() {
        assert_eq!(clipped_share(&[0x00, 0x80, 0xFF, 0x10]), 0.5);
        assert_eq!(clipped_share(&[]), 0.0);
    }
}
