//! What line and room do to a caller's sound: noise, lost frames, a loudspeaker, somebody else who talks.
//!
//! Pure, and the same for the same seed.

#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::f32::consts::PI;

use pipeline::audio::g711::{f32_to_mulaw, mulaw_to_f32};
use telephony::media::{AudioFrame, FRAME_BYTES};

use super::file::Line;
use caller::replay::chance::Chance;

/// Loudness that a caller's voice is brought to.
pub const VOICE_DBFS: f32 = -22.0;
/// Somebody else in the room, under the caller.
const TELEVISION_DB: f32 = -18.0;
/// The loudspeaker's way through the room and both networks, frames.
const ECHO_FRAMES: usize = 9;
/// Mean length of a gap of lost frames.
const GAP: f32 = 3.5;

/// One call's line.
#[derive(Debug)]
pub struct Spoilt {
    chance: Chance,
    /// Amplitude of the noise, where there is any.
    noise: Option<f32>,
    /// Slow part of the noise, and where the hum is.
    slow: f32,
    hum: f32,
    /// Share of frames with which a gap begins.
    begins: f32,
    gap: u64,
    echo: Option<f32>,
    played: VecDeque<AudioFrame>,
    /// Over and over.
    television: Vec<f32>,
    at: usize,
}

impl Spoilt {
    /// `television`: the words of it, as they sound.
    #[must_use]
    pub fn new(line: &Line, television: &[AudioFrame], seed: u64) -> Self {
        let amplitude = |db: f32| 10_f32.powf(db / 20.0);
        Self {
            chance: Chance::new(seed),
            // A hiss of amplitude 1 has a loudness of about -5 dB.
            noise: line.noise_db.map(|db| amplitude(VOICE_DBFS - db + 5.0)),
            slow: 0.0,
            hum: 0.0,
            begins: line.loss_percent.unwrap_or(0.0) / 100.0 / GAP,
            gap: 0,
            echo: line.speakerphone_db.map(|db| amplitude(-db.abs())),
            played: VecDeque::new(),
            television: television
                .iter()
                .flat_map(pcm)
                .map(|sample| sample * amplitude(TELEVISION_DB))
                .collect(),
            at: 0,
        }
    }

    /// 20 ms of the caller as they reach the gateway, while `heard` is played to the caller.
    pub fn frame(&mut self, said: &AudioFrame, heard: &AudioFrame) -> AudioFrame {
        if self.is_lost() {
            return AudioFrame::SILENCE;
        }
        if self.noise.is_none() && self.echo.is_none() && self.television.is_empty() {
            return *said;
        }
        let mut sound = pcm(said);
        if let Some(noise) = self.noise {
            sound.iter_mut().for_each(|sample| *sample += noise * self.hiss());
        }
        if let Some(share) = self.echo {
            self.played.push_back(*heard);
            if self.played.len() > ECHO_FRAMES
                && let Some(back) = self.played.pop_front()
            {
                sound.iter_mut().zip(pcm(&back)).for_each(|(sample, back)| *sample += share * back);
            }
        }
        if !self.television.is_empty() {
            for sample in &mut sound {
                *sample += self.television[self.at];
                self.at = (self.at + 1) % self.television.len();
            }
        }
        let mut codes = Vec::with_capacity(FRAME_BYTES);
        f32_to_mulaw(&sound, &mut codes);
        <[u8; FRAME_BYTES]>::try_from(codes).map_or(AudioFrame::SILENCE, AudioFrame)
    }

    /// Hiss, a rumble under it, and the hum of the mains.
    fn hiss(&mut self) -> f32 {
        #[allow(clippy::cast_precision_loss)] // below 65,536
        let white = self.chance.below(65_536) as f32 / 32_768.0 - 1.0;
        self.slow = 0.97 * self.slow + 0.2 * white;
        self.hum = (self.hum + 2.0 * PI * 120.0 / 8_000.0) % (2.0 * PI);
        0.6 * white + 0.6 * self.slow + 0.15 * self.hum.sin()
    }

    fn is_lost(&mut self) -> bool {
        if self.gap == 0 && self.begins > 0.0 && self.chance.happens(f64::from(self.begins) * 100.0) {
            self.gap = 2 + self.chance.below(4);
        }
        let lost = self.gap > 0;
        self.gap = self.gap.saturating_sub(1);
        lost
    }
}

/// Samples of a frame.
fn pcm(frame: &AudioFrame) -> Vec<f32> {
    let mut pcm = Vec::with_capacity(FRAME_BYTES);
    mulaw_to_f32(frame.bytes(), &mut pcm);
    pcm
}

/// A voice at the loudness of every caller, as heard between its pauses.
#[must_use]
pub fn at_level(frames: &[AudioFrame]) -> Vec<AudioFrame> {
    let mut sound: Vec<f32> = frames.iter().flat_map(pcm).collect();
    let loud: Vec<f32> = sound.iter().map(|s| s * s).filter(|power| *power > 1e-5).collect();
    #[allow(clippy::cast_precision_loss)] // seconds of sound
    let mean = loud.iter().sum::<f32>() / loud.len().max(1) as f32;
    if mean <= 0.0 {
        return frames.to_vec();
    }
    let gain = 10_f32.powf(VOICE_DBFS / 20.0) / mean.sqrt();
    sound.iter_mut().for_each(|sample| *sample = (*sample * gain).clamp(-1.0, 1.0));
    let mut codes = Vec::with_capacity(sound.len());
    f32_to_mulaw(&sound, &mut codes);
    telephony::media::frames(&codes)
}

#[cfg(test)]
mod tests {
    use pipeline::audio::level::frame_dbfs;

    use super::*;

    fn tone() -> Vec<AudioFrame> {
        let sound: Vec<f32> = (0..8_000_u16).map(|i| 0.02 * (f32::from(i) * 0.4).sin()).collect();
        let mut codes = Vec::new();
        f32_to_mulaw(&sound, &mut codes);
        telephony::media::frames(&codes)
    }

    fn loudest(mut line: Spoilt, heard: &[AudioFrame]) -> f32 {
        let levels = heard.iter().map(|heard| frame_dbfs(&line.frame(&AudioFrame::SILENCE, heard)));
        levels.fold(-99.0, f32::max)
    }

    #[test]
    fn a_clean_line_changes_nothing_and_noise_is_as_loud_as_it_was_asked_for() {
        let voice = at_level(&tone());
        assert!((frame_dbfs(&voice[20]) - VOICE_DBFS).abs() < 2.0, "{}", frame_dbfs(&voice[20]));
        let mut clean = Spoilt::new(&Line::default(), &[], 1);
        assert_eq!(clean.frame(&voice[3], &voice[4]), voice[3]);
        let noisy = Line { noise_db: Some(16.0), ..Line::default() };
        let level = loudest(Spoilt::new(&noisy, &[], 1), &[AudioFrame::SILENCE; 50]);
        assert!((level - (VOICE_DBFS - 16.0)).abs() < 4.0, "{level}");
        let room = Line { television: Some("news".into()), ..Line::default() };
        let level = loudest(Spoilt::new(&room, &voice, 1), &[AudioFrame::SILENCE; 50]);
        assert!((level - (VOICE_DBFS - 18.0)).abs() < 3.0, "{level}");
    }

    #[test]
    fn a_loudspeaker_gives_our_voice_back_softer_and_later() {
        let line = Line { speakerphone_db: Some(20.0), ..Line::default() };
        let voice = at_level(&tone());
        assert!(loudest(Spoilt::new(&line, &[], 1), &voice[..ECHO_FRAMES]) < -60.0);
        let level = loudest(Spoilt::new(&line, &[], 1), &voice[..40]);
        assert!((level - (VOICE_DBFS - 20.0)).abs() < 3.0, "{level}");
    }

    #[test]
    fn as_many_frames_are_lost_as_were_asked_for_and_the_same_ones_each_time() {
        let line = Line { loss_percent: Some(5.0), ..Line::default() };
        let voice = at_level(&tone())[10];
        let lost = |seed| {
            let mut spoilt = Spoilt::new(&line, &[], seed);
            let frame = |_| spoilt.frame(&voice, &AudioFrame::SILENCE) == AudioFrame::SILENCE;
            (0..4_000).map(frame).collect::<Vec<_>>()
        };
        let share = lost(7).iter().filter(|lost| **lost).count();
        assert!((120..300).contains(&share), "{share}");
        assert_eq!(lost(7), lost(7));
        assert_ne!(lost(7), lost(8));
    }
}
