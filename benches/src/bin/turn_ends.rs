//! Fits the score of `pipeline/src/session/pause_score.rs` and writes `pipeline/data/turn_words/pauses.txt`.
//!
//! ```text
//! TALK_DIR=/some/folder cargo run --release -p benches --bin turn_ends -- listen target/pauses.tsv   # some minutes
//! cargo run --release -p benches --bin turn_ends -- fit target/pauses.tsv
//! ```
//!
//! `listen` has foreign voices say turns with pauses inside, those of the endpointing bench's dev half and some out of the
//! public dialogues that `TALK_DIR` holds (see `pipeline/examples/train_turn_words`), through mu-law to the shipped
//! detector, recogniser and end-of-turn model, and notes what is known at each pause. `fit` fits the score to whether the
//! caller went on.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use benches::clips::{self, Dice, Prompts};
use benches::embedded_ear::{EmbeddedEar, Engine};
use benches::turn_scripts::SPOKEN;
use benches::turn_voices::DEV;
use benches::turns::{Source, Turn, foreign, spoken, turns};
use benches::virtual_call::{Scores, Setup, VirtualCall};
use pipeline::session::SessionConfig;
use pipeline::session::endpointing::PauseView;
use pipeline::session::pause_score::{FEATURES, NAMES, features};
use pipeline::turn::{Expectation, TurnId};
use speech::LocalSpeech;
use telephony::media::CallTime;

#[path = "../../../pipeline/examples/train_turn_words/talk.rs"]
#[allow(dead_code, reason = "what callers of a county say is for the words alone")]
mod talk;

const SEED: u64 = 20_261_125;
/// Turns out of public dialogues, and their least and most words.
const PUBLIC: usize = 300;
const WORDS: (usize, usize) = (3, 28);
/// A wait that no pause of the set outlasts.
const NEVER: Duration = Duration::from_secs(4);
/// Pull of each weight towards nothing.
const PULL: f32 = 0.02;
const ROUNDS: usize = 4_000;
/// Synthetic voices end each piece like a sentence, and the recogniser writes a point behind it: people do not. On people's
/// own speech the end-of-turn model takes 92 % of ends for ends and 46 % of cuts, so these weigh at least this.
const LEAST: [(&str, f32); 3] = [("voice", 0.5), ("mark", 0.3), ("voice and words", 0.0)];
const KINDS: [Expectation; 9] = [
    Expectation::Open,
    Expectation::YesNo,
    Expectation::Digits,
    Expectation::Secret,
    Expectation::Name,
    Expectation::Address,
    Expectation::Date,
    Expectation::Story,
    Expectation::Wait,
];

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["listen", file] => listen(Path::new(file)),
        ["fit", file] => fit(Path::new(file)),
        _ => bail!("say `listen FILE` or `fit FILE`"),
    }
}

fn listen(file: &Path) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from);
    let speech = LocalSpeech::load(&models, 1).context("models are missing: `make models` brings them")?;
    let engine = RefCell::new(Engine::load(&models)?);
    let mut all: Vec<(bool, Turn)> = Vec::new();
    for turn in foreign()?.into_iter().filter(|t| !t.held_out) {
        all.push((turn.source == Source::Opening, turn));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let recorded = runtime.block_on(turns(&Prompts::open(&root)?, &speech.voice()))?;
    all.extend(recorded.into_iter().filter(|t| !t.held_out).map(|turn| (false, turn)));
    // The answers once more, in other voices and with other pauses.
    for (n, (expects, script)) in SPOKEN.iter().enumerate().filter(|(n, _)| n % 2 == 0) {
        all.push((false, spoken(n + 6, &DEV, Source::Later, *expects, script)?));
    }
    let folder =
        std::env::var_os("TALK_DIR").ok_or_else(|| anyhow!("TALK_DIR names no folder of fetched talk"))?;
    let public = talk::read(Path::new(&folder)).map_err(|e| anyhow!("{e}"))?;
    let mut dice = Dice::new(SEED);
    let mut n = 0;
    while n < PUBLIC {
        let turn = &public[dice.next() as usize % public.len()];
        let count = turn.text.split_whitespace().count();
        if !(WORDS.0..=WORDS.1).contains(&count) || turn.first != (n % 2 == 0) {
            continue;
        }
        let script = paused(&turn.text, n % 4 < 2, &mut dice);
        let source = if turn.first { Source::Opening } else { Source::Later };
        all.push((turn.first, spoken(n, &DEV, source, Expectation::Open, &script)?));
        n += 1;
    }
    println!("{} turns", all.len());
    let mut rows = String::new();
    for (first, turn) in &all {
        note(*first, turn, &speech, &engine, &mut rows)?;
    }
    std::fs::write(file, rows)?;
    Ok(())
}

/// Puts a pause into a text where people make one, if it is to have one.
fn paused(text: &str, pause: bool, dice: &mut Dice) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let places: Vec<(usize, f32)> =
        (1..words.len()).map(|i| (i, talk::pause(words[i - 1], words[i]))).collect();
    let sum: f32 = places.iter().map(|p| p.1).sum();
    if !pause || places.is_empty() {
        return text.to_owned();
    }
    let mut left = (dice.next() % 10_000) as f32 / 10_000.0 * sum;
    let place = places.iter().find(|(_, weight)| {
        left -= weight;
        left <= 0.0
    });
    let at = place.map_or(1, |p| p.0);
    format!("{} | {}", words[..at].join(" "), words[at..].join(" "))
}

/// Notes each pause: what the session knew, and whether the caller went on.
fn note(
    first: bool,
    turn: &Turn,
    speech: &LocalSpeech,
    engine: &RefCell<Engine>,
    rows: &mut String,
) -> Result<()> {
    let frames = clips::frames(&turn.pcm);
    let scores = Scores::of(&mut speech.vad(), &frames);
    let config = SessionConfig {
        complete_silence: NEVER,
        incomplete_silence: NEVER,
        later_silence: NEVER,
        patient_silence: NEVER,
        first_silence: NEVER,
        opening_silence: NEVER,
        first_turn: TurnId(if first { 0 } else { 5 }),
        ..SessionConfig::default()
    };
    let setup = Setup { config, expects: turn.expects, ..Setup::default() };
    let ear = EmbeddedEar::new(engine).without_interims();
    let mut call = VirtualCall::new(setup, frames, Box::new(scores), ear);
    call.run(CallTime::from_ms(turn.end_ms + 2_500), |_| false);
    for pause in &call.course.pauses {
        let (at, end) = (pause.at.as_ms(), turn.end_ms);
        let over = at + 60 >= end;
        // What is left of the pause, where it is one that was put in.
        let left = turn.pause_at(at).map_or(0, |(_, to)| to.saturating_sub(at));
        let kind = KINDS.iter().position(|k| *k == turn.expects).unwrap_or(0);
        let text = pause.text.clone().unwrap_or_default().replace(['\t', '\n'], " ");
        writeln!(
            rows,
            "{}\t{kind}\t{}\t{}\t{left}\t{text}",
            u8::from(over),
            u8::from(first),
            pause.complete.unwrap_or(-1.0),
        )?;
    }
    Ok(())
}

/// One pause with what is known of it.
struct Row {
    over: bool,
    kind: usize,
    first: bool,
    complete: f32,
    left_ms: u64,
    text: String,
}

impl Row {
    fn view(&self, voice: bool) -> PauseView<'_> {
        PauseView {
            expects: KINDS[self.kind],
            first: self.first,
            text: Some(&self.text),
            complete: Some(self.complete).filter(|p| voice && *p >= 0.0),
            ..PauseView::default()
        }
    }
}

fn read(file: &Path) -> Result<Vec<Row>> {
    let row = |line: &str| -> Result<Row> {
        let cells: Vec<&str> = line.split('\t').collect();
        ensure!(cells.len() == 6, "not a row: {line}");
        Ok(Row {
            over: cells[0] == "1",
            kind: cells[1].parse()?,
            first: cells[2] == "1",
            complete: cells[3].parse()?,
            left_ms: cells[4].parse()?,
            text: cells[5].to_owned(),
        })
    };
    std::fs::read_to_string(file)?.lines().map(row).collect()
}

fn fit(file: &Path) -> Result<()> {
    let rows = read(file)?;
    let mut examples: Vec<([f32; FEATURES], bool, f32)> = Vec::new();
    for row in &rows {
        examples.push((features(row.view(true)), row.over, 1.0));
        // A recogniser over the network: nobody listens to the voice.
        examples.push((features(row.view(false)), row.over, 0.4));
    }
    let weights = descend(&examples);
    let score = |row: &Row, voice| -> f32 {
        features(row.view(voice)).iter().zip(&weights).map(|(value, weight)| value * weight).sum()
    };
    for (name, voice) in [("voice and words", true), ("words alone", false)] {
        let mut scored: Vec<(f32, bool)> = rows.iter().map(|r| (score(r, voice), r.over)).collect();
        println!(
            "{name}: {} pauses, {} of them ends, area under the curve {:.3}",
            rows.len(),
            scored.iter().filter(|s| s.1).count(),
            area(&mut scored)
        );
    }
    let lefts: Vec<u64> = rows.iter().filter(|r| !r.over && r.left_ms > 0).map(|r| r.left_ms).collect();
    println!(
        "pauses put in last {:.0} ms more, on average",
        lefts.iter().sum::<u64>() as f64 / lefts.len().max(1) as f64
    );
    let mut text = String::from(
        "# Log-odds that a caller who fell silent is finished. Written by the bench `turn_ends`.\n",
    );
    for (name, weight) in NAMES.iter().zip(&weights) {
        writeln!(text, "{name}\t{weight:.3}")?;
    }
    print!("{text}");
    std::fs::write(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../pipeline/data/turn_words/pauses.txt"),
        text,
    )?;
    Ok(())
}

/// Plain gradient descent: few weights, few examples.
fn descend(examples: &[([f32; FEATURES], bool, f32)]) -> [f32; FEATURES] {
    let mut weights = [0.0f32; FEATURES];
    let total: f32 = examples.iter().map(|e| e.2).sum();
    for _ in 0..ROUNDS {
        let mut slope = [0.0f32; FEATURES];
        for (values, over, weight) in examples {
            let z: f32 = values.iter().zip(&weights).map(|(value, weight)| value * weight).sum();
            let miss = (f32::from(u8::from(*over)) - 1.0 / (1.0 + (-z).exp())) * weight;
            for (s, value) in slope.iter_mut().zip(values) {
                *s += miss * value;
            }
        }
        for (i, (weight, s)) in weights.iter_mut().zip(&slope).enumerate() {
            let pull = if i == 0 { 0.0 } else { PULL * *weight / 10.0 };
            *weight += s / total - pull;
            if let Some((_, least)) = LEAST.iter().find(|(name, _)| *name == NAMES[i]) {
                *weight = weight.max(*least);
            }
        }
    }
    weights
}

fn area(scored: &mut [(f32, bool)]) -> f64 {
    scored.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut below, mut won, mut ends) = (0u64, 0u64, 0u64);
    for (_, over) in scored.iter() {
        if *over {
            won += below;
            ends += 1;
        } else {
            below += 1;
        }
    }
    won as f64 / (ends * below).max(1) as f64
}
