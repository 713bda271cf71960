//! Trains the model of words that leave a turn open and writes `pipeline/data/turn_words/weights.bin`.
//!
//! The recipe: whole turns of users in public service dialogues are finished; the same turns cut at a boundary between two
//! words are not, each cut weighed by how likely people are to pause there: at a sentence's end, a comma, before a
//! conjunction, after a word that wants another. Logistic regression over hashed features, one dialogue in ten left out.
//!
//! What callers of a county say first, out of `agents/governance/data/danger`, is among the whole turns.
//!
//! ```text
//! TALK_DIR=/some/folder cargo run --release -p pipeline --example train_turn_words
//! ```
//!
//! `TALK_DIR` holds copies of google-research-datasets/Taskmaster (CC BY 4.0; its fourth set is read),
//! awslabs/multi-domain-goal-oriented-dialogues-dataset (CDLA-Permissive 1.0) and
//! google-research-datasets/dstc8-schema-guided-dialogue (CC BY-SA 4.0). `pipeline/data/turn_words/README.md` says which
//! commits the shipped weights are from.

mod fit;
mod talk;

use std::error::Error;
use std::path::{Path, PathBuf};

use fit::Example;
use talk::Turn;

const SEED: u64 = 20_261_125;
/// One dialogue in so many is left out of the training.
const LEFT_OUT: usize = 10;
/// How often what callers of a county say counts.
const COUNTY: usize = 4;
/// Whole turns weigh this much of what all cuts weigh.
const WHOLE: f32 = 1.0;
/// Share of cuts that are heard with a filler at their end.
const FILLED: u64 = 12;
const FILLERS: [&str; 4] = ["um", "uh", "er", "hmm"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder =
        PathBuf::from(std::env::var_os("TALK_DIR").ok_or("TALK_DIR names no folder of fetched talk")?);
    let mut turns = talk::read(&folder)?;
    let county =
        talk::county(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/governance/data/danger"))?;
    println!("{} sentences of callers of a county, each {COUNTY} times", county.len());
    turns.extend(std::iter::repeat_n(county, COUNTY).flatten());
    let mut dice = fit::Dice::new(SEED);
    let (mut known, mut left_out) = (Vec::new(), Vec::new());
    for turn in &turns {
        let examples = examples(turn, &mut dice);
        if turn.dialogue % LEFT_OUT == 0 { left_out.extend(examples) } else { known.extend(examples) }
    }
    println!("{} turns, {} examples, {} left out", turns.len(), known.len(), left_out.len());
    fit::balance(&mut known, WHOLE);
    let model = fit::fit(&known, &mut dice);
    for (name, first) in [("first turns", true), ("later turns", false)] {
        let these: Vec<_> = left_out.iter().filter(|e| e.first == first).collect();
        println!("{name}: {} examples, area under the curve {:.3}", these.len(), fit::area(&model, &these));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/turn_words/weights.bin");
    std::fs::write(&file, model.quantised())?;
    Ok(())
}

/// The turn whole, and cut at each inner boundary.
fn examples(turn: &Turn, dice: &mut fit::Dice) -> Vec<Example> {
    let words: Vec<&str> = turn.text.split_whitespace().collect();
    let whole = Example::new(&turn.text, turn.first, true, 1.0);
    let mut all = vec![whole];
    for at in 1..words.len() {
        let weight = talk::pause(words[at - 1], words[at]);
        let mut text = words[..at].join(" ");
        if dice.next().is_multiple_of(FILLED) {
            text.push(' ');
            text.push_str(FILLERS[dice.next() as usize % FILLERS.len()]);
        }
        all.push(Example::new(&text, turn.first, false, weight));
    }
    all
}
