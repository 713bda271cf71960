//! Trains what recognises wants and acts and writes `pipeline/language/data/intents/weights.bin`.
//!
//! The recipe: sentences out of the frames of `data/intents`, public talk for acts, for what is none of the county's business,
//! and for the projection that compares examples (`data/intents/README.md` says which, and how to fetch it); vectors by the
//! encoder that ships; then two softmax regressions over vector and marks, and a whitening of the spread within intents.
//!
//! ```text
//! PUBLIC_TALK=DIR cargo run --release -p dialogue --example train_intents             # train and write
//! PUBLIC_TALK=DIR cargo run --release -p dialogue --example train_intents -- --folds  # how frames do that a training leaves out
//! cargo run --release -p dialogue --example train_intents -- --judge FILE.tsv         # the shipped head on a set: route, act, text, language
//! ```
//! `--missed` prints what it gets wrong. `PUBLIC_TALK` also keeps the vectors, so that a second run is quick.

mod data;
mod fit;
#[path = "../../../governance/examples/train_guard/grammar.rs"]
#[allow(dead_code, reason = "only a part is used here")]
mod grammar;
mod projection;
mod public;
mod report;
mod vectors;

use std::error::Error;
use std::path::{Path, PathBuf};

use data::Line;
use language::intents::{Head, Parts};
use vectors::Vectors;

const SEED: u64 = 20_261_125;
const FOLDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("pipeline/language/data/intents");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let missed = words.iter().any(|word| word == "--missed");
    let public = std::env::var_os("PUBLIC_TALK").map(PathBuf::from);
    let mut vectors = Vectors::load(&root.join("models"), public.as_deref())?;
    if let Some(at) = words.iter().position(|word| word == "--judge") {
        let lines = data::set(Path::new(words.get(at + 1).ok_or("--judge needs a file")?))?;
        vectors.make(lines.iter().map(|line| line.text.as_str()))?;
        report::print(Head::shipped()?, &lines, &mut vectors, missed)?;
        return Ok(());
    }
    let public = public.ok_or("PUBLIC_TALK must name a folder with the public talk")?;
    let mut written = data::frames(&folder, SEED)?;
    written.extend(data::written(&folder)?);
    let talk = public::talk(&public, SEED)?;
    println!("{} sentences out of frames, {} of public talk", written.len(), talk.len());
    let intents = public::intents(&public, SEED)?;
    let texts = written.iter().chain(&talk).map(|line| line.text.as_str());
    vectors.make(texts.chain(intents.iter().map(|(_, text)| text.as_str())))?;
    let projection = projection::learned(&intents, &vectors, SEED)?;
    if words.iter().any(|word| word == "--folds") {
        for fold in 0..FOLDS {
            let (out, kept): (Vec<Line>, Vec<Line>) =
                written.iter().cloned().partition(|line| line.frame % FOLDS == fold);
            let kept: Vec<Line> = kept.into_iter().chain(talk.iter().cloned()).collect();
            let parts = fit::fit(&kept, &vectors, projection.clone(), SEED);
            let head = Head::from_bytes(&Head::to_bytes(&parts))?;
            println!("fold {fold}: sharpest {:?}", fit::sharpness(&head, &out, &vectors));
            report::print(&head, &out, &mut vectors, missed)?;
        }
        return Ok(());
    }
    let all: Vec<Line> = written.into_iter().chain(talk).collect();
    let parts: Parts = fit::fit(&all, &vectors, projection, SEED);
    let bytes = Head::to_bytes(&parts);
    std::fs::write(folder.join("weights.bin"), &bytes)?;
    println!("wrote {} bytes", bytes.len());
    Ok(())
}
