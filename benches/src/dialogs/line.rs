//! What the line does to a caller's sound: noise, lost packets, the echo of our own voice, a television.

use std::collections::VecDeque;

use pipeline::audio::g711::{f32_to_mulaw, mulaw_to_f32};
use pipeline::audio::level::rms_dbfs;
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::set::Line;
use crate::clips::{Dice, at_level, line_noise, mix};

/// Street noise, and voices in it, about 16 dB under the caller's own voice.
const NOISE_DBFS: f32 = -38.0;
const BABBLE_DBFS: f32 = -42.0;
/// A television, 18 dB under the caller.
const TELEVISION_DBFS: f32 = -40.0;
/// Our voice comes back so much softer, after this many frames.
const ECHO_DB: f32 = -20.0;
const ECHO_FRAMES: usize = 9;
/// One frame in so many begins a gap of two to five frames: about 4 % are lost.
const ONE_IN: u64 = 85;

/// One call's line.
#[derive(Debug)]
pub struct Spoilt {
    line: Line,
    dice: Dice,
    /// Sound behind the caller, over and over.
    behind: Vec<f32>,
    at: usize,
    /// What the caller's loudspeaker played.
    played: VecDeque<AudioFrame>,
    gap: u64,
}

impl Spoilt {
    /// `others`: speech of other people, for voices behind.
    #[must_use]
    pub fn new(line: Line, others: &[Vec<f32>], seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let behind = match line {
            Line::Noise => street(others, &mut dice, seed),
            Line::Television => programme(others, &mut dice),
            Line::Clean | Line::Loss | Line::Echo => Vec::new(),
        };
        Self { line, dice, behind, at: 0, played: VecDeque::new(), gap: 0 }
    }

    /// 20 ms of the caller's own sound as they reach the gateway, while `heard` is played to the caller.
    pub fn frame(&mut self, said: &[f32], heard: &AudioFrame) -> AudioFrame {
        let mut pcm = vec![0.0; FRAME_BYTES];
        mix(&mut pcm, 0, said);
        if !self.behind.is_empty() {
            for sample in &mut pcm {
                *sample += self.behind[self.at];
                self.at = (self.at + 1) % self.behind.len();
            }
        }
        if self.line == Line::Echo {
            self.echo(&mut pcm, heard);
        }
        if self.line == Line::Loss && self.is_lost() {
            return AudioFrame::SILENCE;
        }
        let mut codes = Vec::with_capacity(FRAME_BYTES);
        f32_to_mulaw(&pcm, &mut codes);
        <[u8; FRAME_BYTES]>::try_from(codes).map_or(AudioFrame::SILENCE, AudioFrame)
    }

    fn echo(&mut self, pcm: &mut [f32], heard: &AudioFrame) {
        self.played.push_back(*heard);
        if self.played.len() > ECHO_FRAMES
            && let Some(back) = self.played.pop_front()
        {
            let mut voice = Vec::with_capacity(FRAME_BYTES);
            mulaw_to_f32(back.bytes(), &mut voice);
            mix(pcm, 0, &at_level(&voice, ECHO_DB));
        }
    }

    fn is_lost(&mut self) -> bool {
        if self.gap == 0 && self.dice.next().is_multiple_of(ONE_IN) {
            self.gap = 2 + self.dice.next() % 4;
        }
        let lost = self.gap > 0;
        self.gap = self.gap.saturating_sub(1);
        lost
    }
}

/// Hiss and hum of a street, and three people who talk at once.
fn street(others: &[Vec<f32>], dice: &mut Dice, seed: u64) -> Vec<f32> {
    const SECONDS: usize = 20;
    let mut all = line_noise(SECONDS * 8_000, NOISE_DBFS, seed);
    for _ in 0..3 {
        let mut voices = programme(others, dice);
        voices.truncate(all.len());
        if voices.is_empty() {
            continue;
        }
        let soft = at_level(&voices, BABBLE_DBFS - TELEVISION_DBFS);
        mix(&mut all, 0, &soft);
    }
    all
}

/// People who talk in turn, with short pauses.
fn programme(others: &[Vec<f32>], dice: &mut Dice) -> Vec<f32> {
    const SPEECHES: usize = 24;
    let mut all = Vec::new();
    if others.is_empty() {
        return all;
    }
    for _ in 0..SPEECHES {
        let speech = &others[(dice.next() % others.len() as u64) as usize];
        all.extend(at_level(speech, TELEVISION_DBFS - rms_dbfs(speech)));
        let pause = 1_600 + (dice.next() % 4_800) as usize;
        all.resize(all.len() + pause, 0.0);
    }
    all
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use pipeline::audio::level::frame_dbfs;

    use super::*;

    fn voice() -> Vec<f32> {
        (0..8_000).map(|i| 0.1 * (i as f32 * 0.4).sin()).collect()
    }

    #[test]
    fn a_clean_line_changes_nothing_and_noise_is_always_there() {
        let quiet = Spoilt::new(Line::Clean, &[voice()], 1).frame(&[], &AudioFrame::SILENCE);
        assert!(frame_dbfs(&quiet) < -60.0);
        for line in [Line::Noise, Line::Television] {
            let mut spoilt = Spoilt::new(line, &[voice()], 1);
            let loudest = (0..50).map(|_| frame_dbfs(&spoilt.frame(&[], &AudioFrame::SILENCE)));
            assert!(loudest.fold(-99.0, f32::max) > -45.0, "{line:?}");
        }
    }

    #[test]
    fn our_voice_comes_back_softer_and_later() {
        let mut spoilt = Spoilt::new(Line::Echo, &[], 1);
        let mut loud = Vec::new();
        f32_to_mulaw(&voice()[..FRAME_BYTES], &mut loud);
        let heard = AudioFrame(loud.try_into().unwrap());
        let levels: Vec<f32> = (0..12).map(|_| frame_dbfs(&spoilt.frame(&[], &heard))).collect();
        assert!(levels[ECHO_FRAMES - 1] < -60.0);
        assert!((levels[ECHO_FRAMES + 1] - frame_dbfs(&heard) - ECHO_DB).abs() < 1.5, "{levels:?}");
    }

    #[test]
    fn some_frames_are_lost_in_bursts_and_the_same_ones_each_time() {
        let lost = |seed| {
            let mut spoilt = Spoilt::new(Line::Loss, &[], seed);
            let frame = |_| spoilt.frame(&voice()[..FRAME_BYTES], &AudioFrame::SILENCE);
            (0..2_000).map(frame).map(|f| f == AudioFrame::SILENCE).collect::<Vec<_>>()
        };
        let first = lost(7);
        let share = first.iter().filter(|lost| **lost).count();
        assert!((40..160).contains(&share), "{share}");
        assert_eq!(first, lost(7));
        assert_ne!(first, lost(8));
    }
}
