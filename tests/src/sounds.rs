//! A caller's voice: a stretch of a recorded sentence, for detectors that know speech from noise.

/// One of the gateway's own recordings.
const SENTENCE: &[u8] = include_bytes!("../../gateway/data/clips/en-call-back.ulaw");
/// Where two and a half seconds without a pause begin.
const FLUENT: usize = 28 * 256;
pub const LONGEST_MS: usize = 2_500;

/// So many milliseconds of it, mu-law.
#[must_use]
pub fn voice(ms: usize) -> Vec<u8> {
    assert!(ms <= LONGEST_MS, "the sentence has a pause after {LONGEST_MS} ms");
    SENTENCE[FLUENT..FLUENT + ms * 8].to_vec()
}
