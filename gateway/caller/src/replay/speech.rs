//! Where somebody speaks in a recorded leg.

#![deny(clippy::disallowed_methods)]

use pipeline::audio::level::frame_dbfs;
use telephony::media::AudioFrame;

/// Speech is this much louder than the line's own noise.
const ABOVE_NOISE_DB: f32 = 12.0;
/// Bounds of what counts as speech: a clean recording has no noise to compare with, in a loud one much is speech.
const QUIETEST_DBFS: f32 = -50.0;
const LOUDEST_DBFS: f32 = -35.0;
/// Gaps up to this are within a word or between words, frames.
const WORD_GAP: usize = 10;
/// Shorter sounds are clicks, frames.
const CLICK: usize = 3;

/// For each frame whether somebody speaks in it.
#[must_use]
pub fn voiced(frames: &[AudioFrame]) -> Vec<bool> {
    let levels: Vec<f32> = frames.iter().map(frame_dbfs).collect();
    let threshold = (noise(&levels) + ABOVE_NOISE_DB).clamp(QUIETEST_DBFS, LOUDEST_DBFS);
    let mut voiced: Vec<bool> = levels.iter().map(|level| *level > threshold).collect();
    turn_runs(&mut voiced, false, WORD_GAP);
    turn_runs(&mut voiced, true, CLICK);
    voiced
}

/// Level that a fifth of the leg does not reach.
fn noise(levels: &[f32]) -> f32 {
    let mut sorted = levels.to_vec();
    sorted.sort_by(f32::total_cmp);
    sorted.get(sorted.len() / 5).copied().unwrap_or(QUIETEST_DBFS)
}

/// Inverts runs of `value` that are shorter than `length` and lie between others.
fn turn_runs(flags: &mut [bool], value: bool, length: usize) {
    let mut at = 0;
    while at < flags.len() {
        let run = flags[at..].iter().take_while(|flag| **flag == flags[at]).count();
        let inside = value || (at > 0 && at + run < flags.len());
        if flags[at] == value && run < length && inside {
            flags[at..at + run].fill(!value);
        }
        at += run;
    }
}

#[cfg(test)]
mod tests {
    use telephony::media::FRAME_BYTES;

    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x20; FRAME_BYTES]);
    /// About -55 dBFS.
    const HISS: AudioFrame = AudioFrame([0x75; FRAME_BYTES]);

    fn runs(parts: &[(AudioFrame, usize)]) -> Vec<(bool, usize)> {
        let frames: Vec<_> = parts.iter().flat_map(|(frame, n)| vec![*frame; *n]).collect();
        let mut runs: Vec<(bool, usize)> = Vec::new();
        for flag in voiced(&frames) {
            match runs.last_mut() {
                Some((last, n)) if *last == flag => *n += 1,
                _ => runs.push((flag, 1)),
            }
        }
        runs
    }

    #[test]
    fn words_of_one_breath_belong_together_and_a_click_is_no_speech() {
        let parts = [(HISS, 30), (LOUD, 20), (HISS, 8), (LOUD, 5), (HISS, 40), (LOUD, 2), (HISS, 40)];
        assert_eq!(runs(&parts), [(false, 30), (true, 33), (false, 82)]);
    }

    #[test]
    fn silence_and_steady_noise_hold_no_speech() {
        assert_eq!(runs(&[(AudioFrame::SILENCE, 50)]), [(false, 50)]);
        assert_eq!(runs(&[(HISS, 50)]), [(false, 50)]);
        assert!(voiced(&[]).is_empty());
    }
}
