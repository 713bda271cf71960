//! Sound that passes for speech where no recording is at hand: voiced syllables with a pitch that moves.

use std::f64::consts::TAU;

use pipeline::audio::g711::mulaw_encode;
use telephony::media::{AudioFrame, FRAME_BYTES};

/// Samples a second.
const RATE: f64 = 8_000.0;
/// Samples of a syllable: it swells for two thirds and fades for the rest.
const SYLLABLE: usize = 1_600;

/// So many milliseconds; another `voice`, another pitch.
#[must_use]
pub fn syllables(ms: usize, voice: u64) -> Vec<AudioFrame> {
    let pitch = 110.0 + (voice % 7) as f64 * 15.0;
    let mut phase = 0.0;
    let sample = |n: usize| {
        let within = (n % SYLLABLE) as f64 / SYLLABLE as f64;
        let loudness = (within * 1.5).min((1.0 - within) * 3.0).clamp(0.0, 1.0);
        phase += TAU * pitch * (1.0 + 0.15 * (n as f64 / RATE * 5.0).sin()) / RATE;
        let formants = [(1.0, 1.0), (2.0, 0.6), (4.0, 0.7), (7.0, 0.4), (11.0, 0.25), (17.0, 0.15)];
        let wave: f64 = formants.iter().map(|(k, level)| level * (k * phase).sin()).sum();
        mulaw_encode((wave * loudness * 5_000.0) as i16)
    };
    let mulaw: Vec<u8> = (0..ms * 8).map(sample).collect();
    let frame = |part: &[u8]| part.try_into().map_or(AudioFrame::SILENCE, AudioFrame);
    mulaw.chunks_exact(FRAME_BYTES).map(frame).collect()
}
