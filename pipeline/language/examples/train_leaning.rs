//! Trains what tells a question that leans on the answer before it and writes `data/leaning/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_leaning             # train and write
//! cargo run --release -p language --example train_leaning -- --folds  # five trainings, each judged on what it left out
//! ```
//! The recipe: pairs of questions by one hand over the demo county's pages (`data/leaning/pairs.tsv`: language, page, first question,
//! second question, `yes`, `no` or `talk`, page that answers it, the second question as a whole). What was spoken of before is the first question
//! and the page; a question that its page answers is taken to lean on it. The whole second questions, after nothing, stand by themselves. Softmax regression by plain descent.

use std::error::Error;
use std::fs;
use std::path::Path;

use language::leaning::{Before, CLASSES, Model, features};
use language::{Ear, Language};

const ROUNDS: usize = 60;
const RATE: f32 = 0.1;
const DECAY: f32 = 2e-3;
const FOLDS: usize = 5;

struct Line {
    features: Vec<usize>,
    class: usize,
    text: String,
    /// Lines of one pair fall into one fold.
    pair: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = root.join("../../agents/dialogue/data/riverbend/docs");
    let mut lines = Vec::new();
    for (pair, line) in fs::read_to_string(root.join("data/leaning/pairs.tsv"))?.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [code, page, first, second, class, answer, whole, ..] = columns.as_slice() else {
            return Err(format!("line {}: seven columns are wanted", pair + 1).into());
        };
        let ear = Ear(Language::of(code).ok_or("an unknown language")?);
        let before = spoken_of(ear, first, &page_text(&pages, page, ear.0)?);
        let class = ["yes", "no", "talk"].iter().position(|name| name == class).ok_or("an unknown class")?;
        // Whoever names the subject again asks about it all the same.
        let class = if class == 1 && answer == page { 0 } else { class };
        lines.push(Line {
            features: features(ear, second, &before),
            class,
            text: (*second).to_owned(),
            pair,
        });
        if class == 0 && !whole.is_empty() && answer != &"none" {
            // Put as a whole after another subject it leans on nothing.
            lines.push(Line {
                features: features(ear, whole, &Before::default()),
                class: 1,
                text: (*whole).to_owned(),
                pair,
            });
        }
    }
    if std::env::args().any(|word| word == "--folds") {
        judge(&lines);
        return Ok(());
    }
    let all: Vec<&Line> = lines.iter().collect();
    fs::write(root.join("data/leaning/weights.bin"), trained(&all).to_bytes())?;
    println!("{} lines", lines.len());
    Ok(())
}

/// The question with what the page is called and asked by, and what it says.
fn spoken_of(ear: Ear, first: &str, page: &str) -> Before {
    let mut parts = page.splitn(3, "+++");
    let (head, body) = (parts.nth(1).unwrap_or_default(), parts.next().unwrap_or(page));
    let title = body.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
    let asked = head.lines().find(|line| line.starts_with("asked_as")).unwrap_or_default();
    Before::of(ear, &format!("{first} {title} {asked}"), body)
}

/// What a page says, in the language of the question.
fn page_text(pages: &Path, page: &str, language: Language) -> Result<String, Box<dyn Error>> {
    let own = pages.join(language.code()).join(page);
    let path = if own.exists() { own } else { pages.join(page) };
    Ok(fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?)
}

fn trained(lines: &[&Line]) -> Model {
    let mut model = Model::empty();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut seed = 20_261_127_u64;
    for round in 0..ROUNDS {
        shuffle(&mut order, &mut seed);
        let rate = RATE / (1.0 + round as f32 / 8.0);
        for line in order.iter().filter_map(|at| lines.get(*at)) {
            model.learn(&line.features, line.class, rate, DECAY);
        }
    }
    model
}

fn judge(lines: &[Line]) {
    let mut table = [[0_usize; CLASSES]; CLASSES];
    for fold in 0..FOLDS {
        let (held, kept): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.pair % FOLDS == fold);
        let model = trained(&kept);
        for line in held {
            let found = model.classes(&line.features);
            let best = (0..CLASSES).max_by(|a, b| found[*a].total_cmp(&found[*b])).unwrap_or(0);
            table[line.class][best] += 1;
            if best != line.class {
                println!("{} taken for {}: {}", name(line.class), name(best), line.text);
            }
        }
    }
    for (class, row) in table.iter().enumerate() {
        println!("{:<5} {row:?}", name(class));
    }
}

const fn name(class: usize) -> &'static str {
    ["leans", "own", "talk"][class]
}

fn shuffle(items: &mut [usize], seed: &mut u64) {
    for n in (1..items.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(n, (*seed >> 33) as usize % (n + 1));
    }
}
