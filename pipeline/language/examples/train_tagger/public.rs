//! Public talk, out of the copies that `data/tagger/README.md` names.

use std::error::Error;
use std::path::{Path, PathBuf};

use language::Language;
use language::tagger::lexicon::{Lexicon, class};
use language::tagger::token::{Form, tokens};
use serde_json::Value;

use crate::line::{ADDRESS, END, Line, NAME, Rng};

/// Of so many dialogues one is kept for counting false alarms.
const KEPT: u64 = 8;
/// Longest line.
const LONGEST: usize = 300;

/// Talk to train on, and talk that is kept.
#[derive(Debug, Default)]
pub struct Talk {
    pub train: Vec<Line>,
    pub kept: Vec<Line>,
}

impl Talk {
    fn add(&mut self, dialogue: &str, line: Line) {
        if line.text.is_empty() || line.text.len() > LONGEST {
            return;
        }
        let sum = language::tagger::token::hash(dialogue.as_bytes()) >> 20;
        if sum.is_multiple_of(KEPT) { &mut self.kept } else { &mut self.train }.push(line);
    }

    /// Leaves out what says a name that the set did not mark. Kept lines stay as they are.
    pub fn weed(&mut self, lexicon: &Lexicon) {
        self.train.retain(|line| {
            !line.marks.is_empty()
                || !tokens(&line.text, lexicon).iter().any(|token| {
                    let first = token.classes & (class::FIRST | class::FIRST_RARE) != 0;
                    let listed = first
                        && token.classes
                            & (class::COMMON
                                | class::WORD
                                | class::PLACE
                                | class::TOWN
                                | class::DAY
                                | class::STATE)
                            == 0;
                    listed && token.form != Form::Sign
                })
        });
    }
}

pub fn talk(folder: &Path) -> Result<Talk, Box<dyn Error>> {
    let mut out = Talk::default();
    schema_guided(&folder.join("sgd/train"), &mut out)?;
    taskmaster(&folder.join("taskmaster"), &mut out)?;
    multidogo(&folder.join("multidogo/data/paper_splits/splits_annotated_at_sentence_level"), &mut out)?;
    commands(&folder.join("hwu64"), &mut out)?;
    emerging(&folder.join("wnut17/wnut17train.conll"), &mut out)?;
    Ok(out)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() { out.extend(files(&path)?) } else { out.push(path) }
    }
    out.sort();
    Ok(out)
}

/// Slots whose values may be names that are nobody's, or somebody's in a part of the time: left out.
const DOUBTFUL: [&str; 12] = [
    "artist",
    "event_name",
    "song_name",
    "album",
    "title",
    "movie_name",
    "doctor_name",
    "dentist_name",
    "stylist_name",
    "category",
    "property_name",
    "theater_name",
];
const PERSONS: [&str; 4] = ["directed_by", "starring", "cast", "recipient_account_name"];

fn schema_guided(folder: &Path, out: &mut Talk) -> Result<(), Box<dyn Error>> {
    for file in files(folder)? {
        let dialogues: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        for dialogue in dialogues.as_array().into_iter().flatten() {
            let id = dialogue["dialogue_id"].as_str().unwrap_or_default();
            for turn in dialogue["turns"].as_array().into_iter().flatten() {
                if let Some(text) = turn["utterance"].as_str().and_then(|text| slots(turn, text)) {
                    out.add(id, Line::new(&text, Language::En, "sgd"));
                }
            }
        }
    }
    Ok(())
}

/// An utterance with its marks; `None` where it is doubtful.
fn slots(turn: &Value, text: &str) -> Option<String> {
    let letters: Vec<char> = text.chars().collect();
    let mut marks: Vec<(usize, usize, char)> = Vec::new();
    for frame in turn["frames"].as_array().into_iter().flatten() {
        for action in frame["actions"].as_array().into_iter().flatten() {
            if DOUBTFUL.contains(&action["slot"].as_str().unwrap_or_default()) {
                return None;
            }
        }
        for slot in frame["slots"].as_array().into_iter().flatten() {
            let name = slot["slot"].as_str().unwrap_or_default();
            if DOUBTFUL.contains(&name) {
                return None;
            }
            let from = usize::try_from(slot["start"].as_u64()?).ok()?;
            let to = usize::try_from(slot["exclusive_end"].as_u64()?).ok()?;
            let value: String = letters.get(from..to)?.iter().collect();
            if PERSONS.contains(&name) {
                marks.push((from, to, NAME));
            } else if value.starts_with(|c: char| c.is_ascii_digit())
                && value.chars().filter(|c| c.is_alphabetic()).count() > 3
                && ["address", "destination", "where_to", "pickup_location", "location", "origin"]
                    .iter()
                    .any(|a| name.contains(a))
            {
                marks.push((from, to, ADDRESS));
            } else if name.contains("address") {
                return None;
            }
        }
    }
    marks.sort_unstable();
    marks.dedup_by_key(|mark| mark.0);
    let mut at = 0;
    let mut marked = String::new();
    for (from, to, mark) in marks {
        marked.extend(letters.get(at..from)?);
        marked.push(mark);
        marked.extend(letters.get(from..to)?);
        marked.push(END);
        at = to;
    }
    marked.extend(letters.get(at..)?);
    Some(marked)
}

fn taskmaster(folder: &Path, out: &mut Talk) -> Result<(), Box<dyn Error>> {
    for file in files(folder)? {
        let path = file.to_string_lossy();
        if path.contains("TM-4-2024/data") {
            let dialogues: Value = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
            for dialogue in dialogues.as_array().into_iter().flatten() {
                let id = dialogue["conversation_id"].as_str().unwrap_or_default();
                for turn in dialogue["utterances"].as_array().into_iter().flatten() {
                    out.add(
                        id,
                        Line::new(turn["text"].as_str().unwrap_or_default(), Language::En, "taskmaster"),
                    );
                }
            }
        } else if path.ends_with(".tsv") {
            for row in std::fs::read_to_string(&file)?.lines() {
                let id = row.rsplit('\t').next().unwrap_or_default();
                // The last utterance of the context: the others come in other rows.
                let said =
                    row.split(['\t']).next().unwrap_or_default().rsplit("<U>").next().unwrap_or_default();
                let said = said.split('<').next().unwrap_or_default();
                out.add(id, Line::new(said, Language::En, "taskmaster"));
            }
        }
    }
    Ok(())
}

fn multidogo(folder: &Path, out: &mut Talk) -> Result<(), Box<dyn Error>> {
    for file in files(folder)?.iter().filter(|file| file.extension().is_some_and(|e| e == "tsv")) {
        for row in std::fs::read_to_string(file)?.lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            let (Some(id), Some(text), Some(labels)) = (cells.first(), cells.get(4), cells.get(5)) else {
                continue;
            };
            let words: Vec<&str> = text.split(' ').collect();
            let labels: Vec<&str> = labels.split(' ').collect();
            let doubtful = ["username", "approver_name", "company_name", "current_city", "email_address"];
            if words.len() != labels.len() || labels.iter().any(|label| doubtful.contains(label)) {
                continue;
            }
            let address: Vec<&str> = words
                .iter()
                .zip(&labels)
                .filter(|(_, label)| **label == "address")
                .map(|(word, _)| *word)
                .collect();
            if !address.is_empty()
                && !address.first().is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()))
            {
                continue;
            }
            let kind = |label: &str| match label {
                "name" => Some(NAME),
                "address" => Some(ADDRESS),
                _ => None,
            };
            out.add(id, Line::new(&joined(&words, |at| kind(labels[at])), Language::En, "multidogo"));
        }
    }
    Ok(())
}

/// Words with marks around those of a kind.
fn joined(words: &[&str], kind: impl Fn(usize) -> Option<char>) -> String {
    let mut out = String::new();
    let mut open = None;
    for (at, word) in words.iter().enumerate() {
        let own = kind(at);
        if own != open {
            if open.is_some() {
                out.push(END)
            }
            out.push(' ');
            out.extend(own);
            open = own;
        } else {
            out.push(' ');
        }
        out.push_str(word);
    }
    if open.is_some() {
        out.push(END)
    }
    out
}

/// HWU64: `"call [person : jenny] now"`.
fn commands(folder: &Path, out: &mut Talk) -> Result<(), Box<dyn Error>> {
    for file in files(folder)?.iter().filter(|file| file.extension().is_some_and(|e| e == "csv")) {
        for row in std::fs::read_to_string(file)?.lines().skip(1) {
            let Some(annotated) = row.split(';').nth(3) else { continue };
            let id = row.split(';').next().unwrap_or_default();
            if ["artist_name", "personal_info", "audiobook_name", "song_name", "movie_name"]
                .iter()
                .any(|slot| annotated.contains(slot))
            {
                continue;
            }
            let mut text = String::new();
            let mut rest = annotated.trim_matches('"');
            while let Some((before, after)) = rest.split_once('[') {
                let Some((slot, after)) = after.split_once(']') else { break };
                let (name, value) = slot.split_once(" : ").unwrap_or(("", slot));
                let person = name == "person"
                    && !["president", "prime minister", "mom", "dad", "wife", "boss"]
                        .iter()
                        .any(|w| value.contains(w));
                text.push_str(before);
                text.extend(person.then_some(NAME));
                text.push_str(value);
                text.extend(person.then_some(END));
                rest = after;
            }
            text.push_str(rest);
            out.add(id, Line::new(&text, Language::En, "hwu64"));
        }
    }
    Ok(())
}

/// Words with labels, one a row.
fn emerging(file: &Path, out: &mut Talk) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let rows: Vec<(&str, &str)> = text.lines().map(|row| row.split_once('\t').unwrap_or_default()).collect();
    for rows in rows.split(|(word, _)| word.is_empty()) {
        let words: Vec<&str> = rows.iter().map(|(word, _)| *word).collect();
        let text = joined(&words, |at| rows[at].1.ends_with("person").then_some(NAME));
        out.train.push(Line::new(&text, Language::En, "wnut17"));
    }
    out.train.retain(|line| !line.text.is_empty());
    Ok(())
}

/// The guard's sets and the seen half of a set by another hand.
pub mod sets {
    use super::*;
    use language::tagger::Kind;

    /// `en text {name|value}`; other kinds stay as words.
    pub fn guard(file: &Path, group: &str) -> Result<Vec<Line>, Box<dyn Error>> {
        let mut out = Vec::new();
        for row in std::fs::read_to_string(file)?.lines().filter(|row| !row.starts_with('#')) {
            let (code, mut rest) = row.split_once(' ').unwrap_or(("en", row));
            // The first set of clean lines names no language.
            if code != "en" && code != "es" {
                rest = row;
            }
            let mut text = String::new();
            while let Some((before, after)) = rest.split_once('{') {
                let Some((inside, after)) = after.split_once('}') else { break };
                let (kind, value) = inside.split_once('|').unwrap_or(("", inside));
                let mark = match kind {
                    "name" => Some(NAME),
                    "address" => Some(ADDRESS),
                    _ => None,
                };
                text.push_str(before);
                text.extend(mark);
                text.push_str(value);
                text.extend(mark.map(|_| END));
                rest = after;
            }
            text.push_str(rest);
            let language = if code == "es" { Language::Es } else { Language::En };
            out.push(Line::new(&text, language, group));
        }
        Ok(out)
    }

    /// `text [[name:value]]`, style and language behind tabs.
    pub fn marked(file: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
        let mut out = Vec::new();
        for row in std::fs::read_to_string(file)?.lines().filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let [text, style, code] = cells[..] else { continue };
            let mut marked = String::new();
            let mut rest = text;
            while let Some((before, after)) = rest.split_once("[[") {
                let Some((inside, after)) = after.split_once("]]") else { break };
                let (kind, value) = inside.split_once(':').unwrap_or(("", inside));
                marked.push_str(before);
                marked.push(if kind == "name" { NAME } else { ADDRESS });
                marked.push_str(value.trim());
                marked.push(END);
                rest = after;
            }
            marked.push_str(rest);
            let language = if code == "es" { Language::Es } else { Language::En };
            out.push(Line::new(&marked, language, style));
        }
        Ok(out)
    }

    /// How many marks of a kind.
    pub fn count(lines: &[Line], kind: Kind) -> usize {
        lines.iter().flat_map(|line| &line.marks).filter(|(own, _)| *own == kind).count()
    }
}

/// A part of a list, by chance.
pub fn some(lines: &[Line], count: usize, rng: &mut Rng) -> Vec<Line> {
    let mut at: Vec<usize> = (0..lines.len()).collect();
    rng.shuffle(&mut at);
    at.into_iter().take(count).map(|at| lines[at].clone()).collect()
}
