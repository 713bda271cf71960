//! Is it the caller who speaks, or a television, or somebody behind them? The voice at the telephone is louder than what
//! stands in the room, and brighter: rooms swallow high tones.
//!
//! The level and the brightness of the caller's own voice are learned as the call goes on. What is much softer or duller is
//! far, however much it is speech. Before the caller was heard, only what is softer than people on a telephone is.
#![deny(clippy::disallowed_methods)]

use telephony::media::AudioFrame;

use super::g711::mulaw_decode;
use super::level::FLOOR_DBFS;

/// Score from which a window holds speech.
const SPEECH: f32 = 0.5;
/// Below the caller's own level by so much, dB, sound is far, and from so much less on it may be near.
const FAR: f32 = 16.0;
const NEAR: f32 = 11.0;
/// The same before the caller was heard, dBFS.
const FAR_DBFS: f32 = -47.0;
const NEAR_DBFS: f32 = -42.0;
/// Windows of speech after which the caller's level is known.
const KNOWN: u32 = 12;
/// How fast the level follows a louder voice, and what it loses in a window (32 ms) while the caller is silent: 0.1 dB a
/// second, and 0.6 where only far speech was heard for long, for another person may have taken the telephone.
const RISE: f32 = 0.15;
const FALL: f32 = 0.02;
const LOSS: f32 = 0.003;
const LOSS_ALONE: f32 = 0.02;
/// Windows of far speech after which that is so: 8 s.
const ALONE: u32 = 250;
/// Duller than the caller by this, dB, and what that is worth at most, dB of level.
const DULL: f32 = 4.0;
const DULL_WORTH: f32 = 4.0;
/// A figure below this is of a voice behind the caller, and so many windows of it in a row are: 190 ms.
const BEHIND: f32 = 0.2;
const BEHIND_FOR: u32 = 6;
/// Frames over which the loudest counts, so that a closure in a word is not far: 160 ms.
const SPAN: usize = 8;

/// Follows one call. Pure.
#[derive(Clone, Debug)]
pub struct Nearness {
    levels: [f32; SPAN],
    at: usize,
    /// Of the loudest frame since the last window.
    brightness: f32,
    loudest: f32,
    /// The caller's own voice: level, dBFS, and brightness, dB.
    level: f32,
    own_brightness: f32,
    /// Windows of near speech so far, and of far speech since the last of them.
    heard: u32,
    alone: u32,
    /// Windows in a row of speech that is behind the caller.
    behind: u32,
}

impl Default for Nearness {
    fn default() -> Self {
        Self {
            levels: [FLOOR_DBFS; SPAN],
            at: 0,
            brightness: 0.0,
            loudest: FLOOR_DBFS,
            level: FLOOR_DBFS,
            own_brightness: 0.0,
            heard: 0,
            alone: 0,
            behind: 0,
        }
    }
}

impl Nearness {
    /// Takes every inbound frame.
    pub fn frame(&mut self, frame: &AudioFrame) {
        let (level, brightness) = measure(frame);
        self.levels[self.at] = level;
        self.at = (self.at + 1) % SPAN;
        if level > self.loudest {
            (self.loudest, self.brightness) = (level, brightness);
        }
    }

    /// Takes the speech score of the window that ended with the last frame; gives how near (0 to 1) its sound is.
    pub fn window(&mut self, score: f32) -> f32 {
        let now = std::mem::replace(&mut self.loudest, FLOOR_DBFS);
        let loudest = self.levels.iter().copied().fold(FLOOR_DBFS, f32::max);
        let near = self.figure(loudest);
        if near >= 0.5 {
            self.behind = 0;
        }
        if score < SPEECH {
            return near;
        }
        self.behind = if near < BEHIND { self.behind.saturating_add(1) } else { 0 };
        if self.figure(now) >= 0.5 {
            self.learn(now);
        } else if near < 0.5 {
            self.alone += 1;
            self.level -= if self.alone > ALONE { LOSS_ALONE } else { LOSS };
        }
        near
    }

    /// Whether what is heard is a voice behind the caller, whose own is known.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.heard >= KNOWN && self.behind >= BEHIND_FOR
    }

    /// The caller's own level, dBFS, once it is known.
    #[must_use]
    pub fn level(&self) -> Option<f32> {
        (self.heard >= KNOWN).then_some(self.level)
    }

    fn figure(&self, loudest: f32) -> f32 {
        let (far, near) = match self.level() {
            Some(level) => {
                let dull = (self.own_brightness - self.brightness - DULL).clamp(0.0, DULL_WORTH);
                (level - FAR + dull, level - NEAR + dull)
            }
            None => (FAR_DBFS, NEAR_DBFS),
        };
        ((loudest - far) / (near - far)).clamp(0.0, 1.0)
    }

    fn learn(&mut self, level: f32) {
        self.alone = 0;
        self.heard = self.heard.saturating_add(1);
        if self.heard == 1 {
            (self.level, self.own_brightness) = (level, self.brightness);
            return;
        }
        let share = if level > self.level { RISE } else { FALL };
        self.level += share * (level - self.level);
        self.own_brightness += FALL * (self.brightness - self.own_brightness);
    }
}

/// Loudness, dBFS, and how much of it lies in high tones, dB: the level of the differences between neighboring samples
/// against that of the samples.
fn measure(frame: &AudioFrame) -> (f32, f32) {
    let (mut energy, mut change, mut last) = (0i64, 0i64, 0i64);
    for &code in frame.bytes() {
        let sample = i64::from(mulaw_decode(code));
        energy += sample * sample;
        change += (sample - last) * (sample - last);
        last = sample;
    }
    let power = energy as f32 / frame.bytes().len() as f32 / (32_768.0 * 32_768.0);
    let level = (10.0 * power.max(1e-12).log10()).max(FLOOR_DBFS);
    (level, 10.0 * (change.max(1) as f32 / energy.max(1) as f32).log10())
}

#[cfg(test)]
mod tests {
    use super::super::g711::f32_to_mulaw;
    use super::*;

    fn tone(dbfs: f32, hz: f32) -> AudioFrame {
        let amplitude = 10f32.powf((dbfs + 3.0) / 20.0);
        let wave = |i: usize| amplitude * (i as f32 / 8_000.0 * hz * std::f32::consts::TAU).sin();
        let pcm: Vec<f32> = (0..160).map(wave).collect();
        let mut codes = Vec::new();
        f32_to_mulaw(&pcm, &mut codes);
        codes[..].try_into().map_or(AudioFrame::SILENCE, AudioFrame)
    }

    /// So many windows of this sound; how near the last one is.
    fn hear(near: &mut Nearness, windows: usize, dbfs: f32, hz: f32, score: f32) -> f32 {
        let mut last = 0.0;
        for _ in 0..windows {
            near.frame(&tone(dbfs, hz));
            last = near.window(score);
        }
        last
    }

    #[test]
    fn a_first_voice_is_near_unless_it_is_fainter_than_people_on_a_telephone() {
        assert!(hear(&mut Nearness::default(), 3, -34.0, 800.0, 0.9) > 0.99);
        assert!(hear(&mut Nearness::default(), 3, -50.0, 800.0, 0.9) < 0.01);
    }

    #[test]
    fn a_television_behind_a_caller_who_was_heard_is_far() {
        let mut near = Nearness::default();
        hear(&mut near, 40, -22.0, 800.0, 0.9);
        assert!(!near.is_behind());
        assert!(hear(&mut near, 200, -39.0, 800.0, 0.9) < 0.1);
        assert!(near.is_behind());
        assert!(hear(&mut near, 10, -24.0, 800.0, 0.9) > 0.9, "the caller is near again");
        assert!(!near.is_behind());
    }

    #[test]
    fn a_duller_voice_is_far_sooner() {
        let hear_then = |hz| {
            let mut near = Nearness::default();
            hear(&mut near, 60, -22.0, 1_600.0, 0.9);
            hear(&mut near, 10, -34.0, hz, 0.9)
        };
        assert!(hear_then(300.0) < hear_then(1_600.0) - 0.3);
    }

    #[test]
    fn somebody_softer_who_takes_the_telephone_is_heard_after_a_while() {
        let mut near = Nearness::default();
        hear(&mut near, 60, -20.0, 800.0, 0.9);
        assert!(hear(&mut near, 100, -37.0, 800.0, 0.9) < 0.1);
        assert!(hear(&mut near, 600, -37.0, 800.0, 0.9) > 0.9);
    }

    #[test]
    fn what_is_no_speech_teaches_nothing() {
        let mut near = Nearness::default();
        hear(&mut near, 100, -10.0, 800.0, 0.1);
        assert_eq!(near.level(), None);
    }
}
