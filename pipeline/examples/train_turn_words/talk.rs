//! Turns of users out of fetched copies of public dialogues, and where people pause inside them.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// One turn of a user's.
#[derive(Clone, Debug)]
pub struct Turn {
    pub text: String,
    /// The first of its dialogue: the user was asked nothing in particular.
    pub first: bool,
    pub dialogue: usize,
}

/// Turns longer than this are letters, no talk.
const LONGEST: usize = 60;

/// All turns below this folder, in the order of their files.
pub fn read(folder: &Path) -> Result<Vec<Turn>, Box<dyn Error>> {
    let mut reader = Reader::default();
    for file in files(&folder.join("Taskmaster/TM-4-2024/data"), "json")? {
        reader.json(&file, "utterances", "text", "user")?;
    }
    let schema = folder.join("dstc8-schema-guided-dialogue");
    for part in ["train", "dev", "test"] {
        for file in files(&schema.join(part), "json")? {
            if file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("dialogues")) {
                reader.json(&file, "turns", "utterance", "USER")?;
            }
        }
    }
    let paper = folder.join("multi-domain-goal-oriented-dialogues-dataset/data/paper_splits");
    for domain in ["airline", "fastfood", "finance", "insurance", "media", "software"] {
        for part in ["train", "dev", "test"] {
            let file =
                paper.join("splits_annotated_at_sentence_level").join(domain).join(format!("{part}.tsv"));
            reader.sentences(&file)?;
        }
    }
    Ok(reader.turns)
}

/// What callers of a county say first, out of this repository: lines of label, kind, language and text.
pub fn county(folder: &Path) -> Result<Vec<Turn>, Box<dyn Error>> {
    let mut turns = Vec::new();
    for file in files(folder, "tsv")? {
        for line in fs::read_to_string(&file)?.lines() {
            let cells: Vec<&str> = line.split('\t').collect();
            if let [_, _, "en", text] = cells[..] {
                // A number of its own for each: every tenth is left out.
                turns.push(Turn { text: text.to_owned(), first: true, dialogue: turns.len() });
            }
        }
    }
    Ok(turns)
}

fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut all: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == ending));
    all.sort();
    Ok(all)
}

#[derive(Default)]
struct Reader {
    turns: Vec<Turn>,
    dialogues: usize,
}

impl Reader {
    fn add(&mut self, text: &str, first: bool) {
        let count = text.split_whitespace().count();
        if (1..=LONGEST).contains(&count) {
            self.turns.push(Turn { text: text.to_owned(), first, dialogue: self.dialogues });
        }
    }

    /// Dialogues as a list of objects with a list of turns.
    fn json(&mut self, file: &Path, turns: &str, text: &str, user: &str) -> Result<(), Box<dyn Error>> {
        let all: Vec<Value> = serde_json::from_slice(&fs::read(file)?)?;
        for dialogue in &all {
            self.dialogues += 1;
            let spoken = dialogue[turns].as_array().map(Vec::as_slice).unwrap_or_default();
            let of_user = spoken.iter().filter(|turn| turn["speaker"] == user);
            for (n, turn) in of_user.enumerate() {
                self.add(turn[text].as_str().unwrap_or_default(), n == 0);
            }
        }
        Ok(())
    }

    /// A line a sentence: conversation, turn, sentence, text. Those of one turn are joined with points between them.
    fn sentences(&mut self, file: &Path) -> Result<(), Box<dyn Error>> {
        let (mut dialogue, mut turn, mut text, mut first) =
            (String::new(), String::new(), String::new(), true);
        let all = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        for line in all.lines().skip(1).chain(["\t\t\t\t"]) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [of, number, _, said, ..] = cells[..] else { continue };
            if of != dialogue || number != turn {
                let said_before = std::mem::take(&mut text);
                self.add(&said_before, first);
                // A greeting alone is followed by what the user wants: that is their first turn too.
                first = first && said_before.split_whitespace().count() < 4;
                if of != dialogue {
                    self.dialogues += 1;
                    first = true;
                }
                (dialogue, turn) = (of.to_owned(), number.to_owned());
            }
            if !text.is_empty() {
                text.push_str(". ");
            }
            text.push_str(said.trim());
        }
        Ok(())
    }
}

/// How likely a pause is between these two words, of 1: at a sentence's end most, inside a phrase hardly.
pub fn pause(before: &str, after: &str) -> f32 {
    const LINKS: [&str; 28] = [
        "and", "but", "so", "because", "or", "if", "when", "that", "which", "who", "where", "to", "for",
        "with", "on", "in", "at", "from", "about", "since", "after", "before", "also", "then", "can",
        "could", "i", "please",
    ];
    const WANTING: [&str; 32] = [
        "um", "uh", "er", "like", "so", "well", "and", "but", "the", "a", "an", "my", "to", "of", "for",
        "is", "was", "about", "with", "that", "or", "because", "at", "on", "in", "if", "i'm", "it's", "need",
        "want", "know", "our",
    ];
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    if before.ends_with(['.', '?', '!']) {
        1.0
    } else if before.ends_with([',', ';', ':', '-', '…']) {
        0.8
    } else if WANTING.contains(&plain(before).as_str()) {
        0.5
    } else if LINKS.contains(&plain(after).as_str()) {
        0.35
    } else {
        0.1
    }
}
