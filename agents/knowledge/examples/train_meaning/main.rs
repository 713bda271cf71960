//! Trains the heads over a sentence's meaning and writes `agents/governance/data/meaning/weights.bin`.
//!
//! What they learn from, and what to fetch, is said in `agents/governance/data/meaning/README.md`. Run from anywhere:
//!
//! ```text
//! PUBLIC_TALK=folder cargo run --release -p knowledge --example train_meaning -- [FILE…]
//! … -- --without NAME,NAME # judges the hands of these names by what the others teach; writes nothing
//! … -- --judge FILE…       # the shipped weights on these files
//! ```
//! A FILE is one more hand: kind, language, sentence. `--missed` prints what was judged wrongly, `--alone` judges by words alone, `name=value`
//! changes a number of the plan (`fit.rs`). What the encoder saw is kept in `target/meaning.cache`.

mod data;
mod fit;
#[path = "../../../governance/examples/train_guard/grammar.rs"]
#[allow(dead_code, reason = "only a part is used here")]
mod grammar;
#[path = "../../../governance/examples/train_guard/public.rs"]
#[allow(dead_code, reason = "only a part is used here")]
mod public;
mod report;
mod vectors;

use std::error::Error;
use std::path::{Path, PathBuf};

use data::Line;
use fit::Plan;
use governance::meaning::Meaning;
use vectors::Vectors;

const SEED: u64 = 20_261_127;
/// Turns of a public source that are judged.
const JUDGED: usize = 3_000;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("agents/governance/data/meaning");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let asked = |flag: &str| words.iter().any(|word| word == flag);
    let without = words.iter().skip_while(|word| *word != "--without").nth(1);
    let files = words.iter().filter(|word| word.ends_with(".tsv")).map(PathBuf::from);
    let public = std::env::var_os("PUBLIC_TALK").map(PathBuf::from);
    let public =
        public.ok_or("PUBLIC_TALK names no folder: data/guard/README.md says what to fetch into it")?;
    let mut vectors = Vectors::load(&root.join("models"), root.join("target/meaning.cache"))?;
    let mut kept = Vec::new();
    for set in public::kept(&public, SEED)?
        .into_iter()
        .filter(|s| s.name.contains("agents") || s.name.contains("DoGO"))
    {
        let lines = set.lines.iter().take(JUDGED).flat_map(|line| data::sentences(line));
        kept.push((set.name, lines.map(str::to_owned).collect::<Vec<_>>()));
    }
    kept.push(("agents (SGD) in Spanish", data::lines(&public.join("agents-es-kept.txt"))));
    kept.push((report::PLAIN, data::plain_turns(&public, SEED)?));
    vectors.make(kept.iter().flat_map(|(_, lines)| lines.iter().map(String::as_str)))?;
    let show = report::Show { missed: asked("--missed"), alone: asked("--alone") };
    if asked("--judge") {
        let lines = data::hands(&files.collect::<Vec<_>>())?;
        vectors.make(lines.iter().map(|line| line.text.as_str()))?;
        return report::all(Meaning::shipped()?, &lines, &kept, &vectors, show);
    }
    let own = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "done"]
        .map(|name| folder.join(name).with_extension("tsv"));
    let hands = data::hands(&own.into_iter().filter(|path| path.is_file()).chain(files).collect::<Vec<_>>())?;
    let hands: Vec<Line> = hands.into_iter().chain(data::by_machine(&folder.join("spanish.tsv"))?).collect();
    let mut around = data::of_rules(
        &root.join("agents/governance/data/rules"),
        &["train", "dev", "second", "third", "fourth"],
    )?;
    around.extend(data::county(&root.join("agents/dialogue"))?);
    around.extend(data::talk(&public, SEED)?);
    println!("{} sentences of hands, {} others", hands.len(), around.len());
    vectors.make(hands.iter().chain(&around).map(|line| line.text.as_str()))?;
    let plan = Plan::default().with(&words);
    let mut teach = |lines: Vec<Line>| -> Result<Meaning, Box<dyn Error>> {
        let beginnings = data::beginnings(&lines, SEED);
        vectors.make(beginnings.iter().map(|line| line.text.as_str()))?;
        let all: Vec<Line> = lines.into_iter().chain(beginnings).chain(around.iter().cloned()).collect();
        let bytes = Meaning::to_bytes(&fit::mean(&all, &vectors, plan, SEED)?);
        if without.is_none() {
            std::fs::write(folder.join("weights.bin"), &bytes)?;
            println!("wrote {} bytes", bytes.len());
        }
        Ok(Meaning::from_bytes(&bytes)?)
    };
    let (aside, taught): (Vec<Line>, Vec<Line>) = hands
        .iter()
        .cloned()
        .partition(|line| without.is_some_and(|names| names.split(',').any(|name| name == line.from)));
    let judged: Vec<Line> = aside.into_iter().filter(|line| !line.by_machine).collect();
    let model = teach(taught)?;
    report::all(&model, &judged, &kept, &vectors, show)?;
    println!("\nby words alone:");
    report::all(&model, &judged, &kept, &vectors, report::Show { alone: true, missed: false })
}
