//! Trains the detector of danger and writes `agents/governance/data/danger/weights.bin`.
//!
//! The recipe: the sentences of `data/danger/*.tsv` (label, kind, language, text; written for this by several hands), what callers
//! of a county say first (`pipeline/language/data/intents`), beginnings of the harmless ones (a sentence is judged while it is
//! spoken), ordinary talk and what the dialogue's tests hold to be harmless; then logistic regression, one a question, the mean of several fits. Run from anywhere:
//!
//! ```text
//! cargo run --release -p governance --example train_danger             # train and write
//! cargo run --release -p governance --example train_danger -- --folds  # how sentences do that a training leaves out
//! cargo run --release -p governance --example train_danger -- --folds --write FILE.tsv  # the same, kept for `train_sense` of `dialogue`
//! cargo run --release -p governance --example train_danger -- --judge FILE.tsv   # what the shipped detector makes of a set
//! cargo run --release -p governance --example train_danger -- --answers [--judge]  # the same of answers to "is anybody in danger?"
//! ```
//! `--missed` prints what it gets wrong.

mod answers;
mod fit;
#[path = "../train_guard/grammar.rs"]
#[allow(dead_code, reason = "only the dice are used here")]
mod grammar;
mod report;

use std::error::Error;
use std::fs;
use std::path::Path;

use fit::Example;
use governance::danger::{Detector, Marks, Reading};
use grammar::{Dice, Grammar};

/// Models whose mean is shipped: chance in one evens out.
const FITS: u64 = 4;
const FOLDS: usize = 5;
const SEED: u64 = 20_261_124;
/// Shorter beginnings say nothing yet.
const BEGINNING: usize = 3;
/// Sentences out of one frame.
const EACH: usize = 3;
/// Answers with more danger than this (thousandths), by the detector before, may tell of it after all: "and there's a wire down".
const TELLS: u16 = 700;
/// How much an error costs at what nobody wrote for this.
const AROUND: f32 = 0.5;
/// The same of what is said amid calls, of which there is much.
const MID_CALL: f32 = 0.05;

/// What a sentence tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    No,
    Maybe,
    Now,
}

/// One sentence.
#[derive(Clone, Debug)]
pub struct Line {
    pub label: Label,
    pub kind: String,
    pub language: String,
    pub text: String,
    pub weight: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/danger");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let missed = words.iter().any(|word| word == "--missed");
    if words.iter().any(|word| word == "--answers") {
        let judged = words.iter().any(|word| word == "--judge");
        return if judged { answers::judge(&folder, missed) } else { answers::train(&folder) };
    }
    if let Some(at) = words.iter().position(|word| word == "--judge") {
        let file = words.get(at + 1).ok_or("--judge needs a file")?;
        let read = report::read(Detector::shipped()?, set(Path::new(file))?);
        report::print(&read, missed);
        return write(&words, &read);
    }
    let mut paths: Vec<_> = fs::read_dir(&folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|e| e == "tsv"));
    paths.sort();
    let mut written = Vec::new();
    for path in &paths {
        written.extend(set(path)?);
    }
    written.extend(openings(&folder, &written)?);
    let around = around(&folder)?;
    println!("{} sentences, {} of other talk", written.len(), around.len());
    let marks = Marks::shipped()?;
    if words.iter().any(|word| word == "--folds") {
        let mut read = Vec::new();
        for fold in 0..FOLDS {
            let (out, kept): (Vec<_>, Vec<_>) =
                written.iter().cloned().enumerate().partition(|(n, _)| n % FOLDS == fold);
            let kept: Vec<Line> = kept.into_iter().map(|(_, line)| line).collect();
            let detector = Detector::from_bytes(&trained(&marks, &kept, &around, 2))?;
            read.extend(report::read(&detector, out.into_iter().map(|(_, line)| line).collect()));
        }
        report::print(&read, missed);
        return write(&words, &read);
    }
    let bytes = trained(&marks, &written, &around, FITS);
    fs::write(folder.join("weights.bin"), &bytes)?;
    println!("wrote {} bytes", bytes.len());
    Ok(())
}

/// Keeps what was read where a file is named for it.
fn write(words: &[String], read: &[(Line, Reading)]) -> Result<(), Box<dyn Error>> {
    if let Some(at) = words.iter().position(|word| word == "--write") {
        fs::write(words.get(at + 1).ok_or("--write needs a file")?, report::table(read))?;
    }
    Ok(())
}

fn trained(marks: &Marks, written: &[Line], around: &[Line], fits: u64) -> Vec<u8> {
    let beginnings = beginnings(written);
    let examples: Vec<Example> =
        written.iter().chain(&beginnings).chain(around).map(|line| Example::of(marks, line)).collect();
    let (weights, bias) = fit::mean(&examples, SEED, fits);
    Detector::to_bytes(&weights, bias)
}

/// The sentences of a file.
fn set(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| read(line).ok_or_else(|| format!("this is no line of a set: {line}").into())).collect()
}

fn read(line: &str) -> Option<Line> {
    let mut parts = line.split('\t');
    let label = match parts.next()? {
        "no" => Label::No,
        "maybe" => Label::Maybe,
        "now" => Label::Now,
        _ => return None,
    };
    let mut next = || parts.next().map(str::to_owned);
    Some(Line { label, kind: next()?, language: next()?, text: next()?, weight: 1.0 })
}

/// Harmless sentences that nobody wrote for this.
fn around(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let harmless = |text: &str| Line {
        label: Label::No,
        kind: "around".into(),
        language: String::new(),
        text: text.to_owned(),
        weight: AROUND,
    };
    let mut all = Vec::new();
    for set in ["ordinary", "hard"] {
        let talk = fs::read_to_string(folder.join(format!("../guard/dev/{set}.txt")))?;
        let lines = talk.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
        all.extend(lines.map(harmless));
    }
    all.extend(mid_call(folder)?.iter().map(|text| Line { weight: MID_CALL, ..harmless(text) }));
    let mut grammar = Grammar::default();
    for file in ["lists", "ordinary"] {
        grammar.read(&fs::read_to_string(folder.join(format!("../guard/train/{file}.txt")))?);
    }
    let mut dice = Dice::new(SEED);
    let business = grammar.sections.iter().filter(|(name, _)| name != "emergencies");
    for frame in business.flat_map(|(_, frames)| frames).filter(|frame| !frame.contains("sparking")) {
        let mut said: Vec<String> = (0..EACH).map(|_| grammar.say(frame, &mut dice)).collect();
        said.sort();
        said.dedup();
        all.extend(said.iter().map(|text| harmless(text)));
    }
    Ok(all)
}

/// What callers of a county say first, which the dialogue learns their wishes from: ordinary business, but for what the sets say
/// otherwise of.
fn openings(folder: &Path, written: &[Line]) -> Result<Vec<Line>, Box<dyn Error>> {
    let dangers: Vec<&str> =
        written.iter().filter(|line| line.label != Label::No).map(|line| line.text.as_str()).collect();
    let mut all = Vec::new();
    for language in ["en", "es"] {
        let file = folder.join(format!("../../../../pipeline/language/data/intents/openings.{language}.tsv"));
        let text = fs::read_to_string(file)?;
        let said =
            text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').nth(2));
        all.extend(said.filter(|text| !dangers.contains(text)).map(|text| Line {
            label: Label::No,
            kind: "opening".into(),
            language: language.into(),
            text: text.to_owned(),
            weight: 1.0,
        }));
    }
    Ok(all)
}

/// What callers answer and ask in the middle of ordinary calls: "and on Sundays?", "no, the house behind it". Not what they told of
/// harm or of what happened, which may be dangerous.
fn mid_call(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let language = folder.join("../../../../pipeline/language/data");
    let mut all = Vec::new();
    let mut files: Vec<_> =
        fs::read_dir(language.join("reply"))?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
        let text = fs::read_to_string(file)?;
        let lines = text.lines().filter_map(|line| line.split_once('\t'));
        let lines = lines.filter(|(asked, _)| !matches!(*asked, "what" | "hurt"));
        all.extend(lines.map(|(_, marked)| unmarked(marked)));
    }
    let pairs = fs::read_to_string(language.join("leaning/pairs.tsv"))?;
    all.extend(pairs.lines().filter_map(|line| line.split('\t').nth(3)).map(str::to_owned));
    let detector = Detector::shipped()?;
    all.retain(|text| detector.read(text).danger < TELLS);
    Ok(all)
}

/// "on [OLD oak] no [PLACE pine]" without the marks.
fn unmarked(marked: &str) -> String {
    let mut out = String::new();
    let mut parts = marked.split('[');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let words = part.split_once(' ').map_or(part, |(_, words)| words);
        out.push_str(&words.replacen(']', "", 1));
    }
    out
}

/// Harmless sentences as far as they go while they are spoken: each is cut once.
fn beginnings(written: &[Line]) -> Vec<Line> {
    let mut dice = Dice::new(SEED);
    written
        .iter()
        .filter(|line| line.label == Label::No)
        .filter_map(|line| {
            let words: Vec<&str> = line.text.split(' ').collect();
            let cut = BEGINNING + dice.below(words.len().checked_sub(BEGINNING + 1)?);
            Some(Line { text: words.get(..cut)?.join(" "), weight: AROUND, ..line.clone() })
        })
        .collect()
}
