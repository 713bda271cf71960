//! Trains the second look of the detector of danger and writes `agents/governance/data/danger/sense.bin`.
//!
//! The recipe: the sentences of `agents/governance/data/danger`, each with what a training of the detector that left it out made
//! of its words; ordinary questions of `tests/questions` (the taught halves), with what the shipped detector makes of them, which has not
//! seen them; vectors by the encoders that ship; then a logistic regression a question, over words' log odds and vector.
//!
//! ```text
//! cargo run --release -p governance --example train_danger -- --folds --write target/danger.tsv
//! cargo run --release -p dialogue --example train_sense -- target/danger.tsv             # train and write
//! cargo run --release -p dialogue --example train_sense -- target/danger.tsv --folds     # how sentences do that a training leaves out
//! cargo run --release -p dialogue --example train_sense -- --judge FILE.tsv [--missed]   # what ships makes of a set: label, …, text
//! ```

mod fit;
mod report;
#[path = "../train_intents/vectors.rs"]
mod vectors;

use std::error::Error;
use std::fs;
use std::path::Path;

use fit::Example;
use governance::danger::sense::Sense;
use governance::danger::{Detector, Reading};
use vectors::Vectors;

const FOLDS: usize = 5;

/// A sentence, and what its words alone are taken for.
#[derive(Clone, Debug)]
pub struct Line {
    /// `now`, `maybe`, `no`.
    pub label: String,
    pub language: String,
    pub text: String,
    pub words: Reading,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut vectors = Vectors::load(&root.join("models"), None)?;
    if let Some(at) = words.iter().position(|word| word == "--judge") {
        let lines = judged(Path::new(words.get(at + 1).ok_or("--judge needs a file")?))?;
        vectors.make(lines.iter().map(|line| line.text.as_str()))?;
        report::print(Sense::shipped()?, &lines, &vectors, words.iter().any(|word| word == "--missed"));
        return Ok(());
    }
    let mut lines = left_out(Path::new(words.first().ok_or("name the file that train_danger wrote")?))?;
    let questions = root.join("agents/dialogue/tests/questions");
    for (file, language) in [("english-taught.tsv", "en"), ("spanish-taught.tsv", "es")] {
        lines.extend(asked(&questions.join(file), language)?);
    }
    vectors.make(lines.iter().map(|line| line.text.as_str()))?;
    let examples = |lines: &[Line]| -> Vec<Example> {
        lines.iter().filter_map(|line| Example::of(line, &vectors.of(&line.text)?)).collect()
    };
    if words.iter().any(|word| word == "--folds") {
        for fold in 0..FOLDS {
            let (out, kept): (Vec<_>, Vec<_>) =
                lines.iter().cloned().enumerate().partition(|(n, _)| n % FOLDS == fold);
            let [out, kept] =
                [out, kept].map(|some| some.into_iter().map(|(_, line)| line).collect::<Vec<_>>());
            let sense = Sense::from_bytes(&Sense::to_bytes(&fit::fit(&examples(&kept))))?;
            println!("fold {fold}");
            report::print(&sense, &out, &vectors, false);
        }
        return Ok(());
    }
    let bytes = Sense::to_bytes(&fit::fit(&examples(&lines)));
    fs::write(root.join("agents/governance/data/danger/sense.bin"), &bytes)?;
    println!("wrote {} bytes, out of {} sentences", bytes.len(), lines.len());
    Ok(())
}

/// Sentences as `train_danger --folds --write` keeps them.
fn left_out(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let line = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        let (label, _kind, language) = (parts.next()?, parts.next()?, parts.next()?);
        let (now, danger) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Line { label, language, words: Reading { now, danger, own_hand: 0 }, text: parts.next()? })
    };
    text.lines().map(|l| line(l).ok_or_else(|| format!("this is no line of it: {l}").into())).collect()
}

/// Ordinary questions: page, question.
fn asked(path: &Path, language: &str) -> Result<Vec<Line>, Box<dyn Error>> {
    let detector = Detector::shipped()?;
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line: &str| {
        let text = line.rsplit('\t').next().unwrap_or_default().to_owned();
        Line { label: "no".into(), language: language.into(), words: detector.read(&text), text }
    };
    Ok(lines.map(line).collect())
}

/// A set to judge: its first column is the label (`no` where it is none), its last the text.
fn judged(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let lines = asked(path, "")?.into_iter();
    let text = fs::read_to_string(path)?;
    let labels = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let label = |line: &str| match line.split('\t').next() {
        Some(label @ ("now" | "maybe")) => label.to_owned(),
        _ => "no".to_owned(),
    };
    Ok(lines.zip(labels).map(|(line, said)| Line { label: label(said), ..line }).collect())
}
