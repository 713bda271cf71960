//! Trains the judge's head over what is compared and writes `agents/governance/data/judge/weights.bin`.
//!
//! It learns from the pages in `data/judge/train`, written for this; from what becomes of the right sentences there when a "not" is put
//! in or taken out, a name becomes another or an "if" goes; and from sentences about something else (`data/meaning`: what may
//! be said, and acts). Run from anywhere:
//!
//! ```text
//! cargo run --release -p knowledge --example train_judge             # train and write
//! … -- --folds     # how pages do that a training leaves out, by threshold; writes nothing
//! … -- --judge FILE  # the shipped head on pages (.txt), or on a set (.tsv): page, language, verdict, kind, passage, sentence
//! ```
//! `--missed` prints what was judged wrongly. What the encoder saw is kept in `target/judge.cache`.

mod data;
mod fit;
#[path = "../train_meaning/vectors.rs"]
mod vectors;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use data::{Line, Page};
use governance::judge::aligned::{self, Features, Head, Sight, Sights};
use governance::judge::{Evidence, sentences};
use vectors::Vectors;

const FOLDS: usize = 6;
/// From how sure the head must be for errors of values to stand.
const STANDS: [f32; 6] = [0.0, 0.12, 0.3, 0.5, 0.6, 0.7];
const SEED: u64 = 20_261_128;

/// A line with what was compared of it.
struct Example {
    line: Line,
    features: Features,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("agents/governance/data");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |flag: &str| words.iter().any(|word| word == flag);
    let mut vectors = Vectors::load(&root.join("models"), root.join("target/judge.cache"))?;
    if asked("--judge") {
        let files = words.iter().filter(|word| !word.starts_with("--")).map(PathBuf::from);
        for file in files {
            let is_set = file.extension().is_some_and(|e| e == "tsv");
            let (pages, lines) = if is_set { data::set(&file)? } else { data::of_pages(&file)? };
            let heads = aligned::from_bytes(&std::fs::read(folder.join("judge/weights.bin"))?)
                .ok_or("no weights of ours")?;
            let read = examples(&pages, lines, &mut vectors)?;
            let judged: Vec<(&Example, f32)> =
                read.iter().map(|e| (e, aligned::wrong(&heads, &e.features))).collect();
            println!("{}", file.display());
            report(&judged, asked("--missed"));
        }
        return Ok(());
    }
    let (pages, lines) = data::all(&folder, SEED)?;
    println!("{} pages, {} sentences", pages.len(), lines.len());
    let read = examples(&pages, lines, &mut vectors)?;
    let teach = |kept: &[&Example]| -> Vec<Head> {
        let all: Vec<_> = kept.iter().map(|e| (e.features, e.line.wrong, e.line.weight)).collect();
        fit::heads(&all, SEED)
    };
    if asked("--folds") {
        let mut judged = Vec::new();
        for fold in 0..FOLDS {
            let (out, kept): (Vec<&Example>, Vec<&Example>) =
                read.iter().partition(|e| e.line.page % FOLDS == fold);
            let heads = teach(&kept);
            judged.extend(out.into_iter().map(|e| (e, aligned::wrong(&heads, &e.features))));
        }
        report(&judged, asked("--missed"));
        return Ok(());
    }
    let bytes = aligned::to_bytes(&teach(&read.iter().collect::<Vec<_>>()));
    std::fs::write(folder.join("judge/weights.bin"), &bytes)?;
    println!("wrote {} bytes", bytes.len());
    Ok(())
}

/// Lines with what was compared of them.
fn examples(pages: &[Page], lines: Vec<Line>, vectors: &mut Vectors) -> Result<Vec<Example>, Box<dyn Error>> {
    let of_pages: Vec<Vec<String>> = pages.iter().map(|page| sentences(&page.text)).collect();
    let said: Vec<Vec<String>> = lines.iter().map(|line| sentences(&line.text)).collect();
    vectors.make(of_pages.iter().chain(&said).flatten().map(String::as_str))?;
    let mut took = Vec::new();
    let mut out = Vec::new();
    for line in lines {
        // Other pages are shown beside the one that is spoken of, as on a call.
        let shown: Vec<usize> = std::iter::once(line.page).chain(line.beside.iter().copied()).collect();
        let evidence = Evidence::of(shown.iter().map(|n| pages[*n].text.as_str()), []);
        let all = shown.iter().flat_map(|n| of_pages[*n].clone()).chain(sentences(&line.text));
        let sights: Sights = all
            .filter_map(|text| {
                let seen = vectors.of(&text)?;
                Some((text, Sight { vector: seen.vector, tokens: seen.tokens }))
            })
            .collect();
        let began = Instant::now();
        if let Some(features) = aligned::features_of(&line.text, &evidence, &sights) {
            out.push(Example { line, features });
        }
        took.push(began.elapsed());
    }
    took.sort();
    let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or(Duration::ZERO);
    println!("compared {} sentences, {:?} each, p99 {:?}", took.len(), at(50), at(99));
    Ok(out)
}

/// Of what is right, what passes, and of what is wrong, what is found, by kind and threshold.
fn report(judged: &[(&Example, f32)], missed: bool) {
    let thresholds = [0.3, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95];
    let mut rows: BTreeMap<String, Vec<f32>> = BTreeMap::new();
    for (example, sure) in judged.iter().filter(|(e, _)| e.line.written) {
        let line = &example.line;
        rows.entry(format!("{} {}", line.language, line.kind)).or_default().push(*sure);
        let sum = if line.wrong { "wrong, all" } else { "not wrong, all" };
        rows.entry(format!("{} {sum}", line.language)).or_default().push(*sure);
    }
    println!("taken for wrong from {thresholds:?}");
    for (row, sure) in rows {
        let counts: Vec<usize> = thresholds.iter().map(|t| sure.iter().filter(|s| *s >= t).count()).collect();
        println!("{row:24} {:4}: {counts:4?}", sure.len());
    }
    println!("the same with what was found of its values, which stands from {STANDS:?}");
    let mut rows: BTreeMap<String, (usize, [usize; STANDS.len()])> = BTreeMap::new();
    for (example, sure) in judged.iter().filter(|(e, _)| e.line.written) {
        let line = &example.line;
        let sum = if line.wrong { "wrong, all" } else { "not wrong, all" };
        for row in [format!("{} {}", line.language, line.kind), format!("{} {sum}", line.language)] {
            let counts = rows.entry(row).or_default();
            counts.0 += 1;
            for (count, stands) in counts.1.iter_mut().zip(STANDS) {
                let told = aligned::is_told(&example.features) && *sure >= stands;
                *count += usize::from(told || *sure >= aligned::WRONG);
            }
        }
    }
    for (row, (of, counts)) in rows {
        println!("{row:24} {of:4}: {counts:4?}");
    }
    for (example, sure) in judged.iter().filter(|(e, _)| missed && e.line.written) {
        if (*sure >= aligned::WRONG) != example.line.wrong {
            println!("    {sure:.2} {}: {}", example.line.kind, example.line.text);
        }
    }
}
