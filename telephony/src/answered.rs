//! Whether a person or a machine answered a call of ours, told from its first seconds. Pure: frames come in, a verdict goes out.
//!
//! People say a word or two and wait; machines greet for long, do not wait, and beep. No sign alone is sure: each is worth points,
//! for a machine or against it, and the carrier's own word is one of them. A person is never to be hung up on, so a machine must be
//! sure, and where it is not nothing is done.
#![deny(clippy::disallowed_methods)]

#[cfg(test)]
mod tests;

use crate::call_status::Answerer;
use crate::media::AudioFrame;
use crate::mulaw;

/// One frame.
const FRAME_MS: u32 = 20;
/// So long the call is listened to; what is not sure by then stays open.
const WINDOW_MS: u32 = 40_000;
/// Louder than this is sound (mean square of a sample), and louder than so many times the quietest of the last seconds.
const SOUND: f32 = 300.0 * 300.0;
const OVER_NOISE: f32 = 6.0;
/// Pauses within speech, in which a greeting goes on.
const BREATH_MS: u32 = 700;
/// Shorter sound is a click.
const CLICK_MS: u32 = 100;
/// Silence that says something.
const WAITS_MS: u32 = 1_200;
/// A beep lasts so long, at least and at most.
const BEEP_MS: std::ops::RangeInclusive<u32> = 160..=2_000;
/// Silence after a beep, in which whoever beeps again, or speaks, was no machine.
const AFTER_BEEP_MS: u32 = 1_000;
/// A machine has spoken so long before it beeps, and began so soon: whoever waits for our words first is a person.
const SPOKE_MS: u32 = 1_500;
const BEGAN_MS: u32 = 2_500;
/// Beeps lie between these, Hz, and are looked for in steps.
const LOWEST: u32 = 600;
const HIGHEST: u32 = 2_100;
const STEP: u32 = 20;
/// Share of a frame's power in one tone from which it is that tone, and no voice.
const TONE: f32 = 0.8;
const RATE: f32 = 8_000.0;

/// Points from which it is a machine.
const SURE: f32 = 4.0;
/// Points below which it is a person, and nobody listens any more.
const PERSON: f32 = -2.0;

/// Who it is, as far as can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Not told yet, or not to be told.
    Open,
    Person,
    /// Surely a machine. `takes_message`: it has beeped.
    Machine {
        takes_message: bool,
    },
}

/// The ear of one call.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    at_ms: u32,
    floor: Floor,
    /// Time to the first sound.
    first_ms: Option<u32>,
    /// Length of the first stretch of speech, with its breaths.
    greeting_ms: u32,
    /// It is over: another stretch is no greeting.
    greeted: bool,
    /// All speech.
    spoken_ms: u32,
    /// Sound since the last silence, and silence since the last sound.
    sound_ms: u32,
    silence_ms: u32,
    tone: Tone,
    beep: Beep,
    carrier: Option<Answerer>,
}

/// The quietest of late, by which a noisy line is known.
#[derive(Clone, Copy, Debug)]
struct Floor(f32);

impl Default for Floor {
    fn default() -> Self {
        Self(SOUND / OVER_NOISE)
    }
}

impl Floor {
    /// Falls at once, rises slowly: a word lifts it by little.
    fn take(&mut self, power: f32) {
        self.0 = if power < self.0 { power.max(1.0) } else { self.0 * 1.004 };
    }

    fn is_sound(self, power: f32) -> bool {
        power > SOUND.max(self.0 * OVER_NOISE)
    }
}

/// A steady tone that goes on.
#[derive(Clone, Copy, Debug, Default)]
struct Tone {
    hz: u32,
    ms: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Beep {
    #[default]
    None,
    /// One has ended; so long ago.
    Ended {
        ms: u32,
    },
    /// It beeped again: a kettle, a truck, or a line that is busy.
    Row,
    Heard,
}

impl Answered {
    /// What the carrier holds of it.
    pub fn carrier_says(&mut self, who: Answerer) {
        self.carrier = Some(who);
    }

    /// Takes the next 20 ms of what comes from there.
    pub fn hear(&mut self, frame: &AudioFrame) -> Verdict {
        if self.at_ms >= WINDOW_MS {
            return self.verdict();
        }
        self.at_ms += FRAME_MS;
        let samples = frame.0.map(|code| mulaw::decode(code) as f32);
        let power = samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32;
        self.floor.take(power);
        let is_sound = self.floor.is_sound(power);
        let tone = if is_sound { tone_of(&samples, power) } else { None };
        self.take_tone(tone);
        self.take_sound(is_sound && tone.is_none());
        self.verdict()
    }

    /// Whether nothing more is to be told.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.at_ms >= WINDOW_MS
            || matches!(self.verdict(), Verdict::Person | Verdict::Machine { takes_message: true })
    }

    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let points = self.points();
        if points >= SURE {
            Verdict::Machine { takes_message: self.beep == Beep::Heard }
        } else if points <= PERSON {
            Verdict::Person
        } else {
            Verdict::Open
        }
    }

    fn points(&self) -> f32 {
        let carrier = match self.carrier {
            Some(Answerer::Machine) => 3.0,
            Some(Answerer::Person) => -3.0,
            Some(Answerer::Unknown) | None => 0.0,
        };
        let soon = self.first_ms.is_some_and(|first| first <= BEGAN_MS);
        let beep = if self.beep == Beep::Heard && soon { 5.0 } else { 0.0 };
        // Nothing was said after it.
        let is_all = self.spoken_ms <= self.greeting_ms;
        let greeting = match self.greeting_ms {
            ..400 => 0.0,
            // A short word counts once it is over.
            400..1_300 if self.greeted && is_all => -1.0,
            400..2_600 => 0.0,
            2_600..4_500 => 0.5,
            4_500..7_000 => 1.5,
            _ => 2.5,
        };
        let waits = match self.greeting_ms {
            _ if !self.greeted || self.silence_ms < WAITS_MS => 0.0,
            400..1_300 if is_all => -1.0,
            4_500.. => 0.5,
            _ => 0.0,
        };
        // Nobody lifts a receiver to say nothing.
        let late = if self.first_ms.unwrap_or(self.at_ms) > 4_000 { 0.5 } else { 0.0 };
        carrier + beep + greeting + waits + late
    }

    fn take_sound(&mut self, is_speech: bool) {
        if is_speech {
            self.sound_ms += FRAME_MS;
            if self.sound_ms < CLICK_MS {
                return;
            }
            self.first_ms.get_or_insert(self.at_ms - self.sound_ms);
            self.spoken_ms += if self.sound_ms == CLICK_MS { CLICK_MS } else { FRAME_MS };
            if !self.greeted {
                // The breath before it was a part of it.
                let breath = if self.greeting_ms > 0 { self.silence_ms } else { 0 };
                let new = if self.sound_ms == CLICK_MS { CLICK_MS } else { FRAME_MS };
                self.greeting_ms += new + breath;
            }
            self.silence_ms = 0;
            // Who speaks on did not wait for a message.
            if matches!(self.beep, Beep::Ended { .. }) {
                self.beep = Beep::None;
            }
            return;
        }
        self.sound_ms = 0;
        self.silence_ms += FRAME_MS;
        if self.silence_ms >= BREATH_MS && self.greeting_ms > 0 {
            self.greeted = true;
        }
    }

    fn take_tone(&mut self, tone: Option<u32>) {
        match tone {
            Some(hz) if self.tone.ms > 0 && hz.abs_diff(self.tone.hz) <= 2 * STEP => self.tone.ms += FRAME_MS,
            Some(hz) => self.tone = Tone { hz, ms: FRAME_MS },
            None => {
                if BEEP_MS.contains(&self.tone.ms) {
                    self.ended_beep();
                }
                self.tone = Tone::default();
            }
        }
        if let Beep::Ended { ms } = &mut self.beep {
            *ms += FRAME_MS;
            if *ms >= AFTER_BEEP_MS {
                self.beep = Beep::Heard;
            }
        }
    }

    fn ended_beep(&mut self) {
        self.beep = match self.beep {
            Beep::None if self.spoken_ms >= SPOKE_MS => Beep::Ended { ms: 0 },
            Beep::None => Beep::None,
            Beep::Ended { .. } | Beep::Row | Beep::Heard => Beep::Row,
        };
    }
}

/// The one tone that a frame is, Hz, if it is one.
fn tone_of(samples: &[f32], power: f32) -> Option<u32> {
    let count = samples.len() as f32;
    let strongest = (LOWEST..=HIGHEST)
        .step_by(STEP as usize)
        .map(|hz| (hz, goertzel(samples, hz as f32)))
        .max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    // A pure tone of amplitude A has power A²/2, and this measure (A·n/2)².
    let share = strongest.1 * 2.0 / (count * count * power);
    (share >= TONE).then_some(strongest.0)
}

/// Squared magnitude of one frequency in the samples.
fn goertzel(samples: &[f32], hz: f32) -> f32 {
    let turn = 2.0 * (2.0 * std::f32::consts::PI * hz / RATE).cos();
    let (mut before, mut last) = (0.0_f32, 0.0_f32);
    for sample in samples {
        let next = sample + turn * last - before;
        before = last;
        last = next;
    }
    before * before + last * last - turn * before * last
}
