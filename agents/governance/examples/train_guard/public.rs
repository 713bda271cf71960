//! Public talk, both sides of the line, read from fetched copies: what nobody said to steer a machine.
//!
//! `kept` is what a training never sees: a part for choosing thresholds, and sources apart for the first look.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::grammar::Dice;

/// Sentences taken of each source for training.
const OF_SGD: usize = 16_000;
const OF_MULTIDOGO: usize = 7_000;
const OF_HWU: usize = 5_000;
const OF_TASKMASTER: usize = 8_000;
/// Sentences judged of each kept set.
const OF_KEPT: usize = 6_000;
/// Files of Schema-Guided Dialogue's `train` that train; those after them choose the thresholds.
pub const SGD_FILES: usize = 80;
/// The same of Taskmaster 4.
const TASKMASTER_FILES: usize = 6;

/// A set that no training sees.
#[derive(Debug)]
pub struct Kept {
    pub name: &'static str,
    pub lines: Vec<String>,
}

/// What a training sees.
#[allow(dead_code, reason = "the trainer of the rules shares this file")]
pub fn talk(folder: &Path, seed: u64) -> Result<Vec<String>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    let sgd = files(&folder.join("sgd/train"))?;
    let taken = some(sgd_turns(sgd.iter().take(SGD_FILES), None)?, OF_SGD, &mut dice);
    println!("Schema-Guided Dialogue: {} turns", taken.len());
    all.extend(taken);
    let taken = some(multidogo(folder, "train.tsv")?, OF_MULTIDOGO, &mut dice);
    println!("MultiDoGO: {} sentences", taken.len());
    all.extend(taken);
    let taken = some(hwu(folder)?, OF_HWU, &mut dice);
    println!("HWU64: {} commands", taken.len());
    all.extend(taken);
    let orders = files(&folder.join(TASKMASTER))?;
    let taken = some(taskmaster(orders.iter().take(TASKMASTER_FILES))?, OF_TASKMASTER, &mut dice);
    println!("Taskmaster 4: {} turns", taken.len());
    all.extend(taken);
    let taken = callers(|hand| !hand.ends_with(JUDGES))?;
    println!("callers of a county: {} turns", taken.len());
    all.extend(taken);
    Ok(all)
}

/// The hand whose callers judge, and train nothing.
const JUDGES: &str = "-c";

/// What callers say to a county's line, first and in the middle of a call, by several hands: of this repository. `hands`: by the
/// names of the files.
fn callers(hands: impl Fn(&str) -> bool) -> Result<Vec<String>, Box<dyn Error>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../pipeline/language/data");
    let mut all = Vec::new();
    for (folder, column) in [("reply", 1), ("intents", 2)] {
        for path in below(&data.join(folder))?.iter().filter(|p| p.extension().is_some_and(|e| e == "tsv")) {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            if !hands(name) {
                continue;
            }
            for line in fs::read_to_string(path)?.lines().filter(|line| !line.starts_with('#')) {
                // "[PLACE birch street]": the marks are not said.
                let said: Vec<&str> = line.split('\t').nth(column).unwrap_or_default().split('[').collect();
                let bare = said.iter().enumerate().map(|(n, part)| match part.split_once(' ') {
                    Some((_, words)) if n > 0 => words.replace(']', ""),
                    _ => (*part).to_owned(),
                });
                all.push(bare.collect::<String>());
            }
        }
    }
    Ok(all)
}

/// What one side (`USER`, `SYSTEM`) says, of that which a training sees.
#[allow(dead_code, reason = "the trainer of the rules shares this file")]
pub fn side(folder: &Path, speaker: &str, most: usize, seed: u64) -> Result<Vec<String>, Box<dyn Error>> {
    let sgd = files(&folder.join("sgd/train"))?;
    Ok(some(sgd_turns(sgd.iter().take(SGD_FILES), Some(speaker))?, most, &mut Dice::new(seed)))
}

/// What chooses the thresholds.
pub fn kept(folder: &Path, seed: u64) -> Result<Vec<Kept>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let sgd = files(&folder.join("sgd/train"))?;
    let orders = files(&folder.join(TASKMASTER))?;
    let mut set = |name, lines| Kept { name, lines: some(lines, OF_KEPT, &mut dice) };
    Ok(vec![
        set("kept: orders (Taskmaster 4)", taskmaster(orders.iter().skip(TASKMASTER_FILES))?),
        set("kept: callers (SGD)", sgd_turns(sgd.iter().skip(SGD_FILES), Some("USER"))?),
        set("kept: agents (SGD)", sgd_turns(sgd.iter().skip(SGD_FILES), Some("SYSTEM"))?),
        set("kept: sentences (MultiDoGO, dev)", multidogo(folder, "dev.tsv")?),
        set("kept: callers of a county", callers(|hand| hand.ends_with(JUDGES))?),
    ])
}

/// What was looked at once, at the end. What that showed of Taskmaster 4 is in the training since.
pub fn unseen(folder: &Path, seed: u64) -> Result<Vec<Kept>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let sgd = files(&folder.join("sgd/dev"))?;
    let mut set = |name, lines| Kept { name, lines: some(lines, OF_KEPT, &mut dice) };
    Ok(vec![
        set("unseen: callers (SGD, dev)", sgd_turns(sgd.iter(), Some("USER"))?),
        set("unseen: agents (SGD, dev)", sgd_turns(sgd.iter(), Some("SYSTEM"))?),
        set("unseen: sentences (MultiDoGO, test)", multidogo(folder, "test.tsv")?),
    ])
}

fn some(mut lines: Vec<String>, most: usize, dice: &mut Dice) -> Vec<String> {
    lines.sort();
    lines.dedup();
    dice.shuffle(&mut lines);
    lines.truncate(most);
    lines
}

fn sgd_turns<'a>(
    paths: impl Iterator<Item = &'a PathBuf>,
    speaker: Option<&str>,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = Vec::new();
    for path in paths {
        let dialogues: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        let turns = dialogues.as_array().into_iter().flatten().flat_map(|d| d["turns"].as_array());
        let turns = turns.flatten().filter(|turn| speaker.is_none_or(|s| turn["speaker"] == s));
        all.extend(turns.filter_map(|turn| turn["utterance"].as_str()).map(str::to_owned));
    }
    Ok(all)
}

fn multidogo(folder: &Path, file: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = Vec::new();
    for path in below(&folder.join("multidogo"))?.iter().filter(|p| p.ends_with(file)) {
        let text = fs::read_to_string(path)?;
        all.extend(text.lines().skip(1).filter_map(|line| line.split('\t').nth(4)).map(str::to_owned));
    }
    Ok(all)
}

fn hwu(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = Vec::new();
    let csv = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "csv");
    for path in below(&folder.join("hwu64"))?.iter().filter(csv) {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        let said = |line: &str| Some(line.rsplit(';').next()?.trim_matches('"').to_owned());
        all.extend(text.lines().skip(1).filter_map(said).filter(|said| said != "null"));
    }
    Ok(all)
}

const TASKMASTER: &str = "taskmaster/TM-4-2024/data";

fn taskmaster<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = Vec::new();
    for path in paths {
        let dialogues: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        let turns = dialogues.as_array().into_iter().flatten().flat_map(|d| d["utterances"].as_array());
        all.extend(turns.flatten().filter_map(|turn| turn["text"].as_str()).map(str::to_owned));
    }
    Ok(all)
}

/// The dialogues of a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<_> = entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "json") && !p.ends_with("schema.json"));
    paths.sort();
    Ok(paths)
}

/// All files below a folder, by path.
fn below(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let (mut all, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { all.push(path) }
        }
    }
    all.sort();
    Ok(all)
}
