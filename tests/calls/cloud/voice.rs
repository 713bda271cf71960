//! A caller's voice: a stretch of a recorded sentence, for detectors that know speech from noise.

/// One of the gateway's own recordings.
const SENTENCE: &[u8] = include_bytes!("../../../gateway/data/clips/en-call-back.ulaw");
/// Where two and a half seconds without a pause begin.
const FLUENT: usize = 28 * 256;
const LONGEST_MS: usize = 2_500;

/// So many milliseconds of it, mu-law.
#[must_use]
pub fn voice(ms: usize) -> Vec<u8> {
    assert!(ms <= LONGEST_MS, "the sentence has a pause after {LONGEST_MS} ms");
    SENTENCE[FLUENT..FLUENT + ms * 8].to_vec()
}

#[test]
fn the_detector_hears_no_pause_in_the_voice() {
    use pipeline::audio::earshot::EarshotVad;
    use pipeline::ports::VoiceActivity;
    use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};
    let mut vad = EarshotVad::default();
    let mut push = |codes: &[u8]| -> Vec<f32> {
        let frames = codes.chunks_exact(FRAME_BYTES).map(|c| AudioFrame(c.try_into().unwrap()));
        frames.filter_map(|frame| vad.push(&frame)).collect()
    };
    push(&[MULAW_SILENCE; 8_000]);
    let scores = push(&voice(LONGEST_MS));
    // A closure inside a word is shorter than three windows.
    assert!(scores[3..].windows(3).all(|three| three.iter().any(|score| *score >= 0.35)), "{scores:.2?}");
}
