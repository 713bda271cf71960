//! That the callers' voice is one to a detector of speech.

use tests::sounds::LONGEST_MS;
pub use tests::sounds::voice;

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
