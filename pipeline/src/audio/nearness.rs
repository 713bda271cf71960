//! Is it the caller who speaks, or a television, or somebody behind them? The voice at the telephone is louder than what
//! stands in the room, and brighter: rooms swallow high tones.
//!
//! The level and the brightness of the caller's own voice are learned as the call goes on, and so is the level of what goes
//! on while nobody speaks at the telephone. What is much softer or duller than the caller, or hardly louder than what is
//! always there, is far, however much it is speech. Nobody speaks in the first half second of a call: what is heard then is
//! behind the caller.
#![deny(clippy::disallowed_methods)]

use telephony::media::AudioFrame;

use super::g711::mulaw_decode;
use super::level::FLOOR_DBFS;

/// Score from which a window holds speech.
const SPEECH: f32 = 0.5;
/// Below the caller's own level by so much, dB, sound may be near. So much below that again it is surely far.
const NEAR: f32 = 11.0;
const DOUBT: f32 = 5.0;
/// The same before the caller was heard, dBFS.
const NEAR_DBFS: f32 = -42.0;
/// Above what is always there by so much, dB, sound is near; before the caller was heard, by so much.
const ABOVE: f32 = 6.0;
const ABOVE_AT_FIRST: f32 = 7.0;
/// However loud the background is, the caller's own voice down to so much below its level, dB, is near.
const ALWAYS_NEAR: f32 = 6.0;
/// Windows of speech after which the caller's level is known.
const KNOWN: u32 = 12;
/// Speech softer than the caller's level by this, dB, is not learned as theirs, though it may pass for near: the loudest
/// words of a television would drag the level down to the television's, and all of it were near then.
const OWN: f32 = 8.0;
/// Unless it stands out of the background by so much, dB: somebody who holds the telephone away from their mouth.
const CLEAR: f32 = 15.0;
/// How fast the level follows a louder voice, and what it loses in a window (32 ms) while the caller is silent: 0.1 dB a
/// second, and 0.4 where only other speech was heard for long, for another person may have taken the telephone.
const RISE: f32 = 0.15;
const FALL: f32 = 0.02;
const LOSS: f32 = 0.003;
const LOSS_ALONE: f32 = 0.012;
/// Windows of other speech after which that is so: 12 s.
const ALONE: u32 = 375;
/// The call's first windows, half a second, and the loudest that a background is taken for from them, dBFS.
const FIRST: u32 = 16;
const LOUDEST_AT_FIRST: f32 = -30.0;
/// Windows after the caller's last word from which on the background is listened to, and how fast it is followed: up
/// within a second, down within six, for a television pauses too.
const AFTER: u32 = 20;
const BACKGROUND_RISE: f32 = 0.05;
const BACKGROUND_FALL: f32 = 0.005;
/// Share of our own voice from which a window tells nothing of the background.
const OURS: f32 = 0.2;
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
    /// Level of what is heard while the caller is silent, dBFS.
    background: f32,
    /// Windows so far, up to [`FIRST`], and since the caller's last word.
    windows: u32,
    quiet: u32,
    /// Windows of the caller's own speech so far, and of other speech since the last of them.
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
            background: FLOOR_DBFS,
            windows: 0,
            quiet: AFTER,
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

    /// Takes the speech score of the window that ended with the last frame, and how much of it was our own voice come
    /// back (0 to 1), which is no background; gives how near (0 to 1) its sound is.
    pub fn window(&mut self, score: f32, ours: f32) -> f32 {
        let now = std::mem::replace(&mut self.loudest, FLOOR_DBFS);
        if self.windows < FIRST {
            self.windows += 1;
            self.background = self.background.max(now).min(LOUDEST_AT_FIRST);
            return 0.0;
        }
        let loudest = self.levels.iter().copied().fold(FLOOR_DBFS, f32::max);
        let near = self.figure(loudest);
        self.quiet = self.quiet.saturating_add(1);
        if self.quiet > AFTER && ours < OURS {
            let share = if loudest > self.background { BACKGROUND_RISE } else { BACKGROUND_FALL };
            self.background += share * (loudest - self.background);
        }
        if near >= 0.5 {
            self.behind = 0;
        }
        if score < SPEECH {
            return near;
        }
        self.behind = if near < BEHIND { self.behind.saturating_add(1) } else { 0 };
        if self.is_own(now) {
            self.learn(now);
        } else {
            self.alone = self.alone.saturating_add(1);
            self.level -= if self.alone > ALONE { LOSS_ALONE } else { LOSS };
        }
        near
    }

    /// Whether speech of this level is learned as the caller's.
    fn is_own(&self, now: f32) -> bool {
        let loud = self.level().is_none_or(|level| now >= level - OWN || now >= self.background + CLEAR);
        loud && self.figure(now) >= 0.5
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
        let near = match self.level() {
            Some(level) => {
                let dull = (self.own_brightness - self.brightness - DULL).clamp(0.0, DULL_WORTH);
                (level - NEAR + dull).max((self.background + ABOVE).min(level - ALWAYS_NEAR))
            }
            None => NEAR_DBFS.max(self.background + ABOVE_AT_FIRST),
        };
        ((loudest - near + DOUBT) / DOUBT).clamp(0.0, 1.0)
    }

    fn learn(&mut self, level: f32) {
        (self.alone, self.quiet) = (0, 0);
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
            last = near.window(score, 0.0);
        }
        last
    }

    /// A call after its first half second, in which nothing was heard.
    fn quiet_call() -> Nearness {
        let mut near = Nearness::default();
        hear(&mut near, 16, -70.0, 800.0, 0.0);
        near
    }

    /// A call whose caller was heard at this level.
    fn heard_at(dbfs: f32, hz: f32) -> Nearness {
        let mut near = quiet_call();
        hear(&mut near, 60, dbfs, hz, 0.9);
        near
    }

    #[test]
    fn a_first_voice_is_near_unless_it_is_fainter_than_people_on_a_telephone() {
        assert!(hear(&mut quiet_call(), 3, -34.0, 800.0, 0.9) > 0.99);
        assert!(hear(&mut quiet_call(), 3, -50.0, 800.0, 0.9) < 0.01);
    }

    #[test]
    fn what_is_heard_from_the_first_moment_is_behind_the_caller() {
        let mut near = Nearness::default();
        assert!(hear(&mut near, 60, -36.0, 800.0, 0.9) < 0.01);
        assert_eq!(near.level(), None);
        assert!(hear(&mut near, 12, -24.0, 800.0, 0.9) > 0.99, "the caller speaks");
        assert!(hear(&mut near, 30, -36.0, 800.0, 0.9) < 0.1);
    }

    #[test]
    fn somebody_who_speaks_from_the_first_moment_is_heard_after_half_a_second() {
        let mut near = Nearness::default();
        assert!(hear(&mut near, 17, -22.0, 800.0, 0.9) > 0.99);
        // And somebody soft after their first pause.
        let mut near = Nearness::default();
        hear(&mut near, 60, -35.0, 800.0, 0.9);
        hear(&mut near, 60, -70.0, 800.0, 0.0);
        assert!(hear(&mut near, 6, -35.0, 800.0, 0.9) > 0.99);
    }

    #[test]
    fn a_television_behind_a_caller_who_was_heard_is_far() {
        let mut near = heard_at(-22.0, 800.0);
        assert!(!near.is_behind());
        assert!(hear(&mut near, 200, -39.0, 800.0, 0.9) < 0.1);
        assert!(near.is_behind());
        assert!(hear(&mut near, 10, -24.0, 800.0, 0.9) > 0.9, "the caller is near again");
        assert!(!near.is_behind());
    }

    #[test]
    fn the_loudest_words_of_a_television_teach_nothing() {
        let mut near = Nearness::default();
        hear(&mut near, 30, -34.0, 800.0, 0.9);
        hear(&mut near, 60, -20.0, 800.0, 0.9);
        for _ in 0..60 {
            hear(&mut near, 2, -30.0, 800.0, 0.9);
            hear(&mut near, 4, -36.0, 800.0, 0.9);
        }
        assert!(near.level().is_some_and(|level| level > -23.0), "{:?}", near.level());
        assert!(hear(&mut near, 10, -36.0, 800.0, 0.9) < 0.1);
    }

    #[test]
    fn a_caller_who_holds_the_telephone_away_in_a_quiet_room_stays_near() {
        for softer in [6.0, 9.0, 12.0] {
            let mut near = heard_at(-20.0, 800.0);
            hear(&mut near, 90, -70.0, 800.0, 0.0);
            assert!(hear(&mut near, 60, -20.0 - softer, 800.0, 0.9) > 0.9, "{softer} dB softer");
        }
    }

    #[test]
    fn a_duller_voice_is_far_sooner() {
        let hear_then = |hz| hear(&mut heard_at(-22.0, 1_600.0), 10, -34.0, hz, 0.9);
        assert!(hear_then(300.0) < hear_then(1_600.0) - 0.3);
    }

    #[test]
    fn somebody_softer_who_takes_the_telephone_is_heard_after_a_while() {
        let mut near = heard_at(-20.0, 800.0);
        assert!(hear(&mut near, 100, -37.0, 800.0, 0.9) < 0.1);
        for _ in 0..12 {
            hear(&mut near, 90, -37.0, 800.0, 0.9);
            hear(&mut near, 60, -70.0, 800.0, 0.0);
        }
        assert!(hear(&mut near, 20, -37.0, 800.0, 0.9) > 0.9);
    }

    #[test]
    fn what_is_no_speech_teaches_nothing() {
        let mut near = Nearness::default();
        hear(&mut near, 100, -10.0, 800.0, 0.1);
        assert_eq!(near.level(), None);
    }
}
