//! People and machines as envelopes: syllables of a buzzing voice, breaths, tones, and a noisy line.

use super::*;
use crate::mulaw;

/// What comes from the other end, in turn.
#[derive(Clone, Copy, Debug)]
enum Part {
    Silence(u32),
    Speech(u32),
    Tone(u32, u32),
}
use Part::{Silence, Speech, Tone as Sine};

/// A line of one quality.
#[derive(Clone, Copy, Debug)]
struct Line {
    level: f32,
    noise: f32,
    seed: u32,
}

const CLEAR: Line = Line { level: 6_000.0, noise: 8.0, seed: 1 };

struct Chance(u32);

impl Chance {
    /// From -1 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 8_388_608.0 - 1.0
    }
}

/// Sound of these parts: a voice is the harmonics of a pitch that wanders, in syllables of a fifth of a second.
fn sound(parts: &[Part], line: Line) -> Vec<AudioFrame> {
    let wave = |n: usize, k: u16| (std::f32::consts::TAU * n as f32 / 256.0 * f32::from(k)).sin();
    let buzz: [f32; 256] = std::array::from_fn(|n| (1..16).map(|k| wave(n, k) / f32::from(k).sqrt()).sum());
    let mut chance = Chance(line.seed);
    let mut samples = Vec::new();
    let mut phase = 0.0_f32;
    let mut drift = 0.0_f32;
    for part in parts {
        let (Silence(ms) | Speech(ms) | Sine(_, ms)) = *part;
        for n in 0..ms * 8 {
            let noise = chance.next() * line.noise;
            let clean = match part {
                Silence(_) => 0.0,
                Sine(hz, _) => {
                    phase = (phase + *hz as f32 / RATE).fract();
                    line.level * (std::f32::consts::TAU * phase).sin()
                }
                Speech(_) => {
                    drift = (drift + chance.next() * 0.02).clamp(-1.0, 1.0);
                    phase = (phase + (140.0 + 30.0 * drift) / RATE).fract();
                    let syllable = (std::f32::consts::PI * (n % 1_600) as f32 / 1_600.0).sin();
                    let voice = buzz[(phase * 256.0) as usize];
                    line.level * 0.5 * voice * syllable.max(0.05)
                }
            };
            samples.push(mulaw::encode((clean + noise) as i32));
        }
    }
    samples.chunks_exact(160).map(|chunk| AudioFrame(std::array::from_fn(|n| chunk[n]))).collect()
}

/// The verdict at the end, and when there was the first that says something.
fn heard(parts: &[Part], line: Line, carrier: Option<Answerer>) -> (Verdict, Option<u32>) {
    let mut ear = Answered::default();
    if let Some(who) = carrier {
        ear.carrier_says(who);
    }
    let mut first = None;
    for frame in sound(parts, line) {
        if ear.hear(&frame) != Verdict::Open && first.is_none() {
            first = Some(ear.at_ms);
        }
    }
    (ear.verdict(), first)
}

fn verdict(parts: &[Part], carrier: Option<Answerer>) -> Verdict {
    heard(parts, CLEAR, carrier).0
}

const TAKES: Verdict = Verdict::Machine { takes_message: true };

#[test]
fn a_hello_and_then_silence_is_a_person_within_some_seconds() {
    let (verdict, at) = heard(&[Silence(600), Speech(800), Silence(3_000)], CLEAR, None);
    assert_eq!(verdict, Verdict::Person);
    assert!(at.is_some_and(|at| at <= 3_000), "{at:?}");
}

#[test]
fn a_greeting_and_a_beep_are_a_machine_a_second_after_the_beep() {
    for greeting in [6_000, 12_000, 20_000] {
        let parts = [Silence(200), Speech(greeting), Silence(300), Sine(1_000, 400), Silence(3_000)];
        let (verdict, at) = heard(&parts, CLEAR, None);
        assert_eq!(verdict, TAKES, "{greeting}");
        let beeped = 200 + greeting + 300 + 400;
        assert!(at.is_some_and(|at| at >= beeped + 900 && at <= beeped + 1_200), "{at:?} after {beeped}");
    }
}

#[test]
fn a_long_greeting_alone_is_not_sure_and_is_with_the_carriers_word() {
    let parts = [Silence(200), Speech(9_000), Silence(2_000)];
    assert_eq!(verdict(&parts, None), Verdict::Open);
    assert_eq!(verdict(&parts, Some(Answerer::Unknown)), Verdict::Open);
    assert_eq!(verdict(&parts, Some(Answerer::Machine)), Verdict::Machine { takes_message: false });
    assert_eq!(verdict(&parts, Some(Answerer::Person)), Verdict::Open);
}

#[test]
fn the_carriers_word_alone_hangs_up_on_nobody() {
    for parts in [
        &[Silence(600), Speech(800), Silence(4_000)][..],
        &[Silence(3_000)],
        &[Silence(500), Speech(2_000), Silence(900), Speech(3_000), Silence(2_000)],
    ] {
        let verdict = verdict(parts, Some(Answerer::Machine));
        assert!(!matches!(verdict, Verdict::Machine { .. }), "{parts:?}: {verdict:?}");
    }
}

#[test]
fn who_tells_a_long_story_is_no_machine() {
    for parts in [
        &[Silence(4_500), Speech(15_000), Silence(3_000)][..],
        &[Silence(400), Speech(12_000), Silence(3_000)],
        &[Silence(400), Speech(2_000), Silence(800), Speech(9_000), Silence(3_000)],
        // A kettle beeps thrice, and a truck backs up.
        &[
            Silence(400),
            Speech(5_000),
            Sine(1_000, 300),
            Silence(300),
            Sine(1_000, 300),
            Silence(300),
            Sine(1_000, 300),
            Silence(3_000),
        ],
        // One beep, and they go on.
        &[Silence(400), Speech(5_000), Sine(1_200, 300), Silence(400), Speech(4_000), Silence(2_000)],
        // One beep in a story that began when our words were over.
        &[Silence(4_000), Speech(5_000), Sine(1_200, 300), Silence(3_000)],
        // A whistle before any word.
        &[Sine(1_000, 400), Silence(2_000), Speech(700), Silence(500)],
    ] {
        let verdict = verdict(parts, None);
        assert!(!matches!(verdict, Verdict::Machine { .. }), "{parts:?}: {verdict:?}");
    }
}

#[test]
fn a_greeting_in_two_halves_with_a_beep_is_a_machine() {
    let parts = [Speech(1_200), Silence(900), Speech(3_000), Silence(500), Sine(1_400, 250), Silence(2_500)];
    assert_eq!(verdict(&parts, None), TAKES);
}

/// The figures of the guide: over levels, noise, pitches and lengths.
#[test]
fn over_many_lines_no_person_is_taken_for_a_machine_and_few_machines_are_missed() {
    let (mut people, mut taken, mut machines, mut found) = (0, 0, 0, 0);
    for (n, level) in [900.0, 2_500.0, 6_000.0, 12_000.0].into_iter().enumerate() {
        for (m, noise) in [4.0, 25.0, 80.0].into_iter().enumerate() {
            for step in [0, 3, 6, 9] {
                let line = Line { level, noise, seed: (n * 100 + m * 10) as u32 + step };
                let hello = [Silence(200 + 150 * step), Speech(400 + 120 * step), Silence(4_000)];
                let talker = [Silence(300 * step), Speech(4_000 + 1_000 * step), Silence(3_000)];
                for parts in [&hello, &talker] {
                    people += 1;
                    taken += u32::from(matches!(heard(parts, line, None).0, Verdict::Machine { .. }));
                }
                let hz = 700 + 120 * step;
                let machine = [
                    Silence(100 * step),
                    Speech(6_000 + 1_400 * step),
                    Silence(150 + 60 * step),
                    Sine(hz, 200 + 60 * step),
                    Silence(2_500),
                ];
                machines += 1;
                found += u32::from(heard(&machine, line, None).0 == TAKES);
            }
        }
    }
    assert_eq!((people, taken), (96, 0));
    assert!(found * 100 >= machines * 95, "{found} of {machines}");
}
