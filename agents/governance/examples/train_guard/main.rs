//! Trains the prompt guard's classifier and writes `agents/governance/data/guard/weights.bin`.
//!
//! The recipe: sentences out of the templates in `data/guard/train`, in speech also wrapped in ordinary talk and passed
//! through `noise`, and public talk; then logistic regression. The files in `data/guard/dev` are never read for training;
//! they are judged afterwards. What to fetch is said in `data/guard/README.md`. Run from anywhere:
//!
//! ```text
//! export PUBLIC_TALK=a/folder/of/fetched/copies
//! cargo run --release -p governance --example train_guard             # train, write, report
//! cargo run --release -p governance --example train_guard -- --folds  # leave one family out at a time, write nothing
//! cargo run --release -p governance --example train_guard -- --judge  # report on the shipped weights, train nothing
//! cargo run --release -p governance --example train_guard -- --unseen # the same on the talk that is kept for the end
//! ```

mod fit;
mod grammar;
mod noise;
mod public;
mod report;

use std::fs;
use std::path::{Path, PathBuf};

use fit::{Example, Plan, example};
use governance::guard::classifier::Classifier;
use governance::guard::features::BITS;
use governance::guard::{Guard, Mishearings};
use grammar::{Dice, Grammar};

const PLAN: Plan = Plan { epochs: 6, rate: 0.15, decay: 2e-6, dropout: 20, rarest: 3 };
const SEED: u64 = 20_261_122;
/// Models whose mean is shipped: chance in one evens out.
const FITS: u64 = 5;
/// Percent of words that are changed for words of like meaning, in half of the sentences.
const VARIED: usize = 10;

/// How much an error costs on what was said with no thought of us.
const OF_TALK: f32 = 0.4;

/// A kind of training file.
struct Source {
    file: &'static str,
    attack: bool,
    /// How much an error costs.
    weight: f32,
    /// Sentences per template.
    each: usize,
    most: usize,
}

const SOURCES: [Source; 3] = [
    Source { file: "attacks.txt", attack: true, weight: 1.0, each: 40, most: 1600 },
    Source { file: "ordinary.txt", attack: false, weight: 1.5, each: 30, most: 4000 },
    Source { file: "hard.txt", attack: false, weight: 2.0, each: 30, most: 9000 },
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/guard");
    let talk = std::env::var_os("PUBLIC_TALK").map(PathBuf::from);
    let talk = talk.ok_or("PUBLIC_TALK names no folder: data/guard/README.md says what to fetch into it")?;
    let asked = |flag: &str| std::env::args().any(|a| a == flag);
    let dev = report::Dev::read(&data.join("dev"))?;
    if asked("--judge") || asked("--unseen") {
        let sets = if asked("--unseen") { public::unseen(&talk, SEED)? } else { public::kept(&talk, SEED)? };
        report::print_talk(Guard::shipped()?, &sets, asked("--missed"));
        dev.print(Guard::shipped()?, asked("--missed"));
        return Ok(());
    }
    // Reading words needs no weights yet.
    let guard = Guard::new(&Classifier::to_bytes(&vec![0.0; 1 << BITS], 0.0))?;
    let (families, examples) = examples(&guard, &data, &talk)?;
    println!("{} examples in {} families", examples.len(), families.len());
    if asked("--folds") {
        return folds(&families, &examples, &dev);
    }
    let (weights, bias) = fit::mean(&examples, None, PLAN, SEED, FITS);
    let bytes = Classifier::to_bytes(&weights, bias);
    let trained = Guard::new(&bytes)?;
    let out =
        std::env::args().skip_while(|a| a != "--out").nth(1).map_or(data.join("weights.bin"), PathBuf::from);
    fs::write(&out, &bytes)?;
    println!("wrote {} ({} bytes)", out.display(), bytes.len());
    for folder in ["../../../dialogue/data/riverbend/docs", "../../../dialogue/data/riverbend/docs/es"] {
        report::print_pages(&trained, &data.join(folder))?;
    }
    report::print_talk(&trained, &public::kept(&talk, SEED)?, asked("--missed"));
    dev.print(&trained, asked("--missed"));
    Ok(())
}

/// How each family of attacks does when the training never saw one of its kind.
fn folds(
    families: &[String],
    examples: &[Example],
    dev: &report::Dev,
) -> Result<(), Box<dyn std::error::Error>> {
    let plan = Plan { epochs: 3, ..PLAN };
    let (mut caught, mut all) = (0, 0);
    let attacks = |number| examples.iter().any(|e| e.attack && e.family == number);
    for (number, family) in (0u16..).zip(families).filter(|(number, _)| attacks(*number)) {
        let lines = dev.attacks(family);
        if lines.is_empty() {
            continue;
        }
        let (weights, bias) = fit::mean(examples, Some(number), plan, SEED, 1);
        let guard = Guard::new(&Classifier::to_bytes(&weights, bias))?;
        let found = lines.iter().filter(|l| report::is_flagged(&guard, l)).count();
        println!("{family:24} {found:3} of {:3}", lines.len());
        caught += found;
        all += lines.len();
    }
    println!("left out, one family at a time: {caught} of {all}");
    Ok(())
}

fn examples(
    guard: &Guard,
    data: &Path,
    talk: &Path,
) -> Result<(Vec<String>, Vec<Example>), Box<dyn std::error::Error>> {
    let heard = noise::pairs(&Mishearings::shipped());
    let lists = fs::read_to_string(data.join("train/lists.txt"))?;
    let likes = noise::Likes::read(&fs::read_to_string(data.join("words.txt"))?);
    let mut ordinary = Grammar::default();
    ordinary.read(&lists);
    ordinary.read(&fs::read_to_string(data.join("train/ordinary.txt"))?);
    let mut dice = Dice::new(SEED);
    let (mut families, mut out) = (Vec::new(), Vec::new());
    for source in SOURCES {
        let mut grammar = Grammar::default();
        grammar.read(&lists);
        grammar.read(&fs::read_to_string(data.join("train").join(source.file))?);
        for (name, templates) in &grammar.sections {
            let family = u16::try_from(families.len())?;
            families.push(name.clone());
            let count = (templates.len() * source.each).clamp(120, source.most);
            for n in 0..count {
                let Some(template) = templates.get(n % templates.len().max(1)) else { continue };
                let said = grammar.say(template, &mut dice);
                let said = if dice.chance(50) { likes.vary(&said, VARIED, &mut dice) } else { said };
                let said = wrapped(said, source.attack, &ordinary, &mut dice);
                let said = if dice.chance(60) { noise::noisy(&said, &heard, &mut dice) } else { said };
                out.push(example(guard, &said, family, source.attack, source.weight));
            }
        }
    }
    let family = u16::try_from(families.len())?;
    families.push("county_documents".to_owned());
    for folder in ["../../../dialogue/data/riverbend/docs", "../../../dialogue/data/riverbend/docs/es"] {
        for text in documents(&data.join(folder))? {
            out.push(example(guard, &text, family, false, 1.0));
        }
    }
    let family = u16::try_from(families.len())?;
    families.push("public_talk".to_owned());
    for said in public::talk(talk, SEED)? {
        let said = if dice.chance(40) { noise::noisy(&said, &heard, &mut dice) } else { said };
        out.push(example(guard, &said, family, false, OF_TALK));
    }
    Ok((families, out))
}

/// Paragraphs of the demo county's own pages; every third page is left to the report.
fn documents(dir: &Path) -> std::io::Result<Vec<String>> {
    let pages = report::pages(dir)?;
    let kept = pages.iter().enumerate().filter(|(n, _)| n % 3 != 0);
    Ok(kept
        .flat_map(|(_, page)| page.lines().filter(|l| l.len() > 20).map(str::to_owned).collect::<Vec<_>>())
        .collect())
}

/// With ordinary talk before or after it, as people talk.
fn wrapped(said: String, attack: bool, ordinary: &Grammar, dice: &mut Dice) -> String {
    let talk = |dice: &mut Dice| {
        let section = dice.pick(&ordinary.sections).map(|(_, lines)| lines.as_slice()).unwrap_or_default();
        dice.pick(section).map(|t| ordinary.say(t, dice)).unwrap_or_default()
    };
    let (before, after) = if attack { (22, 12) } else { (15, 10) };
    let mut parts = Vec::new();
    // A long call is no sign of an attack.
    let more = if dice.chance(10) { 1 + dice.below(4) } else { 0 };
    for _ in 0..more + usize::from(dice.chance(before)) {
        parts.push(talk(dice));
    }
    parts.push(said);
    if dice.chance(after) {
        parts.push(talk(dice));
    }
    let joint = dice.pick(&[" ", " and ", ". ", " also ", " but ", " so "]).copied().unwrap_or(" ");
    parts.join(joint)
}
