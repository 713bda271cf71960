//! People and machines that answer our calls, in recorded voices: whether they are told apart.
//!
//! `cargo run --release -p benches --bin answered`, after scripts/prompts.sh. Every telephone prompt in both languages is a
//! person who says it and waits; several in a row are one who tells a story; the prompts of a mail box with a beep are a machine.

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use pipeline::audio::g711::mulaw_encode;
use telephony::answered::{Answered, Verdict};
use telephony::media::AudioFrame;

/// Prompts that are no speech.
const TONES: [&str; 5] = ["beep", "tone.wav", "silence", "weasels", "monkeys"];
/// Beeps beside the recorded one: Hz and ms.
const BEEPS: [(u32, usize); 5] = [(800, 400), (1_000, 250), (1_000, 600), (1_400, 500), (1_800, 300)];
const LEVELS: [f32; 3] = [1.0, 0.3, 0.1];
/// What a mail box says before and after its number.
const BOXES: [(&str, &str); 3] =
    [("vm-theperson", "vm-isunavail"), ("vm-theperson", "vm-isonphone"), ("vm-extension", "vm-isunavail")];
const STORIES: usize = 600;

type Sound = Vec<i16>;

struct Prompts(BTreeMap<String, Sound>);

impl Prompts {
    fn read(root: &Path) -> Result<Self> {
        let mut found = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder)
                .with_context(|| format!("{} is missing: run scripts/prompts.sh", folder.display()))?;
            for entry in entries {
                let path: PathBuf = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "wav") {
                    let name = path.strip_prefix(root)?.display().to_string();
                    let samples: Result<Sound, _> = hound::WavReader::open(&path)?.samples::<i16>().collect();
                    found.insert(name, samples?);
                }
            }
        }
        Ok(Self(found))
    }

    fn sound(&self, name: &str) -> Result<&Sound> {
        self.0.get(&format!("{name}.wav")).with_context(|| format!("the prompt {name} is missing"))
    }

    fn voices(&self) -> Vec<&Sound> {
        let is_voice = |name: &str| !TONES.iter().any(|tone| name.contains(tone));
        self.0.iter().filter(|(name, _)| is_voice(name)).map(|(_, sound)| sound).collect()
    }
}

/// A line on which nobody speaks.
fn quiet(ms: usize) -> Sound {
    let mut state = 0x2545_F491_u32;
    let noise = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        i16::from((state >> 24) as u8) / 16 - 8
    };
    (0..ms * 8).map(noise).collect()
}

fn tone(hz: u32, ms: usize) -> Sound {
    (0..ms * 8).map(|n| ((n as f32 * hz as f32 / 8_000.0 * TAU).sin() * 8_000.0) as i16).collect()
}

/// The first verdict that counts, and when, ms.
fn heard(sound: &[i16], level: f32) -> (Verdict, usize) {
    let mut ear = Answered::default();
    let code = |sample: i16| mulaw_encode((f32::from(sample) * level) as i16);
    for (n, frame) in sound.chunks_exact(160).enumerate() {
        let verdict = ear.hear(&AudioFrame(std::array::from_fn(|at| code(frame[at]))));
        if verdict != Verdict::Open {
            return (verdict, n * 20);
        }
    }
    (Verdict::Open, sound.len() / 8)
}

/// People: how many, and how many were taken for machines.
fn people(voices: &[&Sound]) -> (usize, usize) {
    let mut sounds = Vec::new();
    for voice in voices {
        for lead in [300, 1_200, 3_000] {
            sounds.push(
                [&quiet(lead), *voice, &quiet(4_000)].into_iter().flatten().copied().collect::<Sound>(),
            );
        }
    }
    let mut state = 7_usize;
    for story in 0..STORIES {
        let (mut sound, mut said) = (quiet(200 + story % 10 * 300), 0);
        while said < (4 + story % 10) * 8_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let voice = voices[(state >> 33) % voices.len()];
            sound.extend(voice);
            said += voice.len();
            sound.extend(quiet(100 + (state >> 40) % 500));
        }
        sound.extend(quiet(4_000));
        sounds.push(sound);
    }
    let taken = sounds.iter().filter(|sound| matches!(heard(sound, 1.0).0, Verdict::Machine { .. })).count();
    (sounds.len(), taken)
}

/// Machines: how many, how many were found, and how long after the beep at most, ms.
fn machines(prompts: &Prompts) -> Result<(usize, usize, usize)> {
    let (mut all, mut found, mut latest) = (0, 0, 0);
    let mut beeps = vec![prompts.sound("beep")?.clone()];
    beeps.extend(BEEPS.map(|(hz, ms)| tone(hz, ms)));
    for (open, end) in BOXES {
        for (first, beep) in (0..10).flat_map(|first| beeps.iter().map(move |beep| (first, beep))) {
            let mut sound = quiet(100);
            sound.extend(prompts.sound(open)?);
            for digit in 0..4 {
                sound.extend(prompts.sound(&format!("digits/{}", (first + digit * 3) % 10))?);
            }
            sound.extend(prompts.sound(end)?);
            sound.extend(quiet(200));
            sound.extend(prompts.sound("vm-intro")?);
            sound.extend(quiet(300));
            sound.extend(beep);
            let beeped = sound.len() / 8;
            sound.extend(quiet(4_000));
            for level in LEVELS {
                let (verdict, at) = heard(&sound, level);
                all += 1;
                if verdict == (Verdict::Machine { takes_message: true }) {
                    found += 1;
                    latest = latest.max(at.saturating_sub(beeped));
                }
            }
        }
    }
    Ok((all, found, latest))
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/prompts");
    let mut wrong = 0;
    for language in ["en", "es"] {
        let prompts = Prompts::read(&root.join(language))?;
        let voices = prompts.voices();
        let (people, taken) = people(&voices);
        let (machines, found, latest) = machines(&prompts)?;
        println!("{language}: {} prompts; {taken} of {people} people taken for machines", voices.len());
        println!("{language}: {found} of {machines} machines found, at most {latest} ms after the beep");
        wrong += taken;
    }
    ensure!(wrong == 0, "people were taken for machines");
    Ok(())
}
