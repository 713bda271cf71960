//! Trains what tells English from Spanish and writes `data/identify/weights.bin`; with `--judge FILE` (language, text) shows how
//! the shipped one does.
//!
//! ```text
//! cargo run --release -p language --example train_identify
//! ```
//! The recipe: what callers say, first and in the middle of a call (`data/intents/openings.*.tsv`, `turns.*.tsv`, of this
//! repository), each as it stands and as a recognizer may write it, without accents; logistic regression by plain descent.

use std::error::Error;
use std::fs;
use std::path::Path;

use language::identify::{BUCKETS, Model, features, language_of};

const ROUNDS: usize = 40;
const RATE: f32 = 0.1;
const DECAY: f32 = 1e-4;

fn main() -> Result<(), Box<dyn Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, file] = words.as_slice()
        && flag == "--judge"
    {
        return judge(&fs::read_to_string(file)?);
    }
    let mut lines: Vec<(Vec<usize>, f32)> = Vec::new();
    for (code, spanish) in [("en", 0.0), ("es", 1.0)] {
        for name in ["openings", "turns"] {
            let text = fs::read_to_string(data.join(format!("intents/{name}.{code}.tsv")))?;
            for said in text.lines().filter_map(|line| line.split('\t').nth(2)) {
                for form in [said.to_owned(), bare(said)] {
                    let mut own = Vec::new();
                    features(&form, |bucket| own.push(bucket));
                    lines.push((own, spanish));
                }
            }
        }
    }
    let mut weights = vec![0.0_f32; BUCKETS];
    let mut seed = 20_261_127_u64;
    for round in 0..ROUNDS {
        shuffle(&mut lines, &mut seed);
        let rate = RATE / (1.0 + round as f32 / 8.0);
        for (own, spanish) in &lines {
            let sum: f32 = own.iter().map(|bucket| weights[*bucket]).sum();
            let missed = spanish - 1.0 / (1.0 + (-sum).exp());
            for bucket in own {
                weights[*bucket] += rate * (missed / (own.len() as f32).sqrt() - DECAY * weights[*bucket]);
            }
        }
    }
    fs::write(data.join("identify/weights.bin"), Model::of(weights).to_bytes())?;
    println!("{} sentences", lines.len());
    Ok(())
}

/// Without accents, as some recognizers write.
fn bare(text: &str) -> String {
    let plain = |c: char| match c {
        'á' => 'a',
        'é' => 'e',
        'í' => 'i',
        'ó' => 'o',
        'ú' | 'ü' => 'u',
        'ñ' => 'n',
        other => other,
    };
    text.to_lowercase().chars().map(plain).collect()
}

fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for n in (1..items.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(n, (*seed >> 33) as usize % (n + 1));
    }
}

fn judge(text: &str) -> Result<(), Box<dyn Error>> {
    let mut counts = std::collections::BTreeMap::new();
    for line in text.lines() {
        let (wanted, said) = line.split_once('\t').ok_or("language, text")?;
        let found = language_of(said).map_or("?", language::Language::code);
        *counts.entry((wanted.to_owned(), found)).or_insert(0) += 1;
        if found != "?" && found != wanted {
            println!("{wanted} taken for {found}: {said}");
        }
    }
    for ((wanted, found), count) in counts {
        println!("{wanted} -> {found}: {count}");
    }
    Ok(())
}
