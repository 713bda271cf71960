//! Trains what tells what a caller does with a question and writes `data/moves/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_moves                  # all of data/moves/*.tsv
//! cargo run --release -p language --example train_moves -- --without b   # leaves out the files so named, and judges on them
//! cargo run --release -p language --example train_moves -- --judge FILE en
//! ```
//! `--missed` prints what is got wrong. The recipe: replies by several hands (`asked<TAB>move<TAB>words`); softmax regression by plain
//! descent.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files")]

use std::error::Error;
use std::fs;
use std::path::Path;

use language::moves::{Asked, Model, Move, best, features};
use language::{Ear, Language};

const ROUNDS: usize = 40;
const RATE: f32 = 0.15;
const DECAY: f32 = 5e-4;
/// From so much on a move is acted upon.
const SURE: f32 = 0.8;

struct Line {
    features: Vec<usize>,
    class: usize,
    asked: String,
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/moves");
    let missed = words.iter().any(|word| word == "--missed");
    if let Some(file) = after("--judge") {
        let code = words.last().map_or("en", String::as_str);
        let model = Model::from_bytes(&fs::read(folder.join("weights.bin"))?);
        judge(&model, &read(Path::new(file), Language::of(code).ok_or("en or es")?)?, missed);
        return Ok(());
    }
    let left_out = after("--without");
    let (mut train, mut held) = (Vec::new(), Vec::new());
    let mut files: Vec<_> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
        let set = read(file, language)?;
        if left_out.is_some_and(|word| name.ends_with(word.as_str())) {
            held.push((name.to_owned(), set))
        } else {
            train.extend(set)
        }
    }
    println!("{} to learn from", train.len());
    let model = trained(&train);
    if left_out.is_none() {
        fs::write(folder.join("weights.bin"), model.to_bytes())?;
    }
    for (name, set) in &held {
        println!("{name}");
        judge(&model, set, missed);
    }
    Ok(())
}

fn read(file: &Path, language: Language) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut lines = Vec::new();
    for (at, line) in
        fs::read_to_string(file)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
    {
        let columns: Vec<&str> = line.split('\t').collect();
        let [asked, name, text] = columns.as_slice() else {
            return Err(format!("{} line {}: three columns are wanted", file.display(), at + 1).into());
        };
        let asks = Asked::of(asked).ok_or_else(|| format!("line {}: {asked} is never asked", at + 1))?;
        let class = Move::ALL.iter().position(|own| own.name() == *name);
        lines.push(Line {
            features: features(Ear(language), asks, text),
            class: class.ok_or_else(|| format!("line {}: {name} is no move", at + 1))?,
            asked: (*asked).to_owned(),
            text: (*text).to_owned(),
        });
    }
    Ok(lines)
}

fn trained(lines: &[Line]) -> Model {
    let mut model = Model::empty();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut seed = 20_261_129_u64;
    for round in 0..ROUNDS {
        for n in (1..order.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(n, (seed >> 33) as usize % (n + 1));
        }
        let rate = RATE / (1.0 + round as f32 / 8.0);
        for line in order.iter().filter_map(|at| lines.get(*at)) {
            model.learn(&line.features, line.class, rate, DECAY);
        }
    }
    model
}

/// For each move: how many there are, how many of them are found and found surely, and how many others are surely taken for it.
fn judge(model: &Model, lines: &[Line], missed: bool) {
    let mut table = [[0_usize; 4]; Move::ALL.len()];
    for line in lines {
        let (found, sure) = best(&model.classes(&line.features));
        let class = Move::ALL.iter().position(|own| *own == found).unwrap_or_default();
        table[line.class][0] += 1;
        if class == line.class {
            table[class][1] += 1;
            table[class][2] += usize::from(sure >= SURE);
        } else {
            table[class][3] += usize::from(sure >= SURE);
            if missed {
                println!(
                    "{}: {} for {} ({sure:.2}): {}",
                    line.asked,
                    found.name(),
                    Move::ALL[line.class].name(),
                    line.text
                );
            }
        }
    }
    println!("{:<6} {:>5} {:>6} {:>7} {:>6}", "move", "all", "found", "surely", "false");
    for (own, row) in Move::ALL.iter().zip(&table) {
        println!("{:<6} {:>5} {:>6} {:>7} {:>6}", own.name(), row[0], row[1], row[2], row[3]);
    }
}
