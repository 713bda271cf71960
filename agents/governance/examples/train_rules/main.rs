//! Trains the model behind `reads_like` and writes `agents/governance/data/rules/weights.bin`.
//!
//! The recipe: the sentences of `data/rules/train` and of the sets that the rules know, sentences out of frames, beginnings of the allowed ones (a sentence
//! is judged while it is spoken), what the demo county publishes, ordinary talk and what agents said in public dialogues;
//! then logistic regression, one a kind. `data/rules/held` is only judged. What to fetch is said in `data/guard/README.md`.
//! Run from anywhere:
//!
//! ```text
//! export PUBLIC_TALK=a/folder/of/fetched/copies
//! cargo run --release -p governance --example train_rules             # train, write; with --held, judge what was put aside
//! cargo run --release -p governance --example train_rules -- --folds  # how those sentences do that a training leaves out; writes nothing
//! cargo run --release -p governance --example train_rules -- --judge  # what the shipped rules stop of kept talk; trains nothing
//! cargo run --release -p governance --example train_rules -- --unseen # the same of the talk that is kept for the end
//! ```

mod data;
mod fit;
#[path = "../train_guard/grammar.rs"]
mod grammar;
#[path = "../train_guard/public.rs"]
mod public;
mod report;

use std::path::{Path, PathBuf};

use data::Line;
use governance::rules::likeness::Likeness;

/// Models whose mean is shipped: chance in one evens out.
const FITS: u64 = 4;
const FOLDS: usize = 5;
const SEED: u64 = 20_261_123;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/rules");
    let asked = |flag: &str| std::env::args().any(|a| a == flag);
    let missed = asked("--missed");
    let talk = std::env::var_os("PUBLIC_TALK").map(PathBuf::from);
    let talk = talk.ok_or("PUBLIC_TALK names no folder: data/guard/README.md says what to fetch into it")?;
    if asked("--judge") || asked("--unseen") {
        let sets = if asked("--unseen") { public::unseen(&talk, SEED)? } else { public::kept(&talk, SEED)? };
        return report::print_talk(&sets, missed);
    }
    let mut written = Vec::new();
    for set in ["train", "dev", "second", "third"] {
        written.extend(data::set(&folder.join(set))?);
    }
    let around = data::around(&folder, &talk)?;
    println!("{} sentences, {} out of frames, pages and talk", written.len(), around.len());
    if std::env::args().any(|a| a == "--folds") {
        let mut read = Vec::new();
        for fold in 0..FOLDS {
            let (out, kept): (Vec<_>, Vec<_>) =
                written.iter().cloned().enumerate().partition(|(n, _)| n % FOLDS == fold);
            let lines = |all: Vec<(usize, Line)>| all.into_iter().map(|(_, line)| line).collect::<Vec<_>>();
            let model = trained(&lines(kept), &around, 4)?;
            read.extend(report::read(&model, &lines(out)));
        }
        report::print("left out", &read, missed);
        return Ok(());
    }
    let (weights, bias) = fit::mean(&examples(&written, &around)?, SEED, FITS);
    let bytes = Likeness::to_bytes(&weights, bias);
    std::fs::write(folder.join("weights.bin"), &bytes)?;
    println!("wrote {} bytes", bytes.len());
    let model = Likeness::from_bytes(&bytes)?;
    // What was put aside is judged when asked for, and not while the recipe is worked at.
    if std::env::args().any(|a| a == "--held") {
        report::print("held", &report::read(&model, &data::set(&folder.join("held"))?), missed);
    }
    Ok(())
}

fn trained(written: &[Line], around: &[Line], fits: u64) -> Result<Likeness, Box<dyn std::error::Error>> {
    let (weights, bias) = fit::mean(&examples(written, around)?, SEED, fits);
    Ok(Likeness::from_bytes(&Likeness::to_bytes(&weights, bias))?)
}

fn examples(written: &[Line], around: &[Line]) -> Result<Vec<fit::Example>, Box<dyn std::error::Error>> {
    let marks = fit::Marks::new()?;
    let beginnings = data::beginnings(written);
    Ok(written.iter().chain(&beginnings).chain(around).map(|line| marks.example(line)).collect())
}
