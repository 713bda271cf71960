//! Public talk, read from fetched copies: `sgd` (Schema-Guided Dialogue), `multidogo`, `hwu64`, as `data/intents/README.md` says.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use language::Language;
use language::intents::{Act, NONE};
use serde_json::Value;

use crate::data::Line;
use crate::grammar::Dice;

/// What an error costs at what nobody wrote for this.
const AROUND: f32 = 0.4;
/// Sentences taken of each source.
const OF_SGD: usize = 1500;
const OF_MULTIDOGO: usize = 1500;
const OF_HWU: usize = 1200;
/// Sentences of one intent, for the projection.
const OF_INTENT: usize = 16;
const FEWEST: usize = 12;

fn line(route: Option<&str>, act: Option<Act>, text: &str, asked: Option<bool>) -> Line {
    Line {
        route: route.map(str::to_owned),
        act,
        language: Language::En,
        text: text.to_owned(),
        asked,
        frame: usize::MAX,
        weight: AROUND,
    }
}

/// Sentences with acts, and with what they are none of.
pub fn talk(folder: &Path, seed: u64) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    type Reader = fn(&Path) -> Result<Vec<Line>, Box<dyn Error>>;
    let sources: [(Reader, &str, usize); 3] =
        [(sgd, "sgd", OF_SGD), (multidogo, "multidogo", OF_MULTIDOGO), (hwu, "hwu64", OF_HWU)];
    for (read, name, most) in sources {
        let mut lines = read(&folder.join(name))?;
        dice.shuffle(&mut lines);
        lines.truncate(most);
        println!("{name}: {} sentences", lines.len());
        all.extend(lines);
    }
    Ok(all)
}

/// Sentences by what they intend.
pub fn intents(folder: &Path, seed: u64) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let mut all: Vec<(String, String)> = Vec::new();
    for (intent, text) in hwu_rows(&folder.join("hwu64"))? {
        all.push((format!("hwu {intent}"), text));
    }
    for (intent, text) in multidogo_rows(&folder.join("multidogo"))? {
        if !["contentonly", "outofdomain", "intent", ""].contains(&intent.as_str()) && !intent.contains('<') {
            all.push((format!("multidogo {intent}"), text));
        }
    }
    for turn in sgd_turns(&folder.join("sgd"))? {
        if let Some(intent) = turn.intent {
            all.push((format!("sgd {intent}"), turn.text));
        }
    }
    all.sort();
    all.dedup_by(|a, b| a.1 == b.1);
    dice.shuffle(&mut all);
    let mut counts = std::collections::HashMap::new();
    all.retain(|(intent, _)| {
        let n = counts.entry(intent.clone()).or_insert(0usize);
        *n += 1;
        *n <= OF_INTENT
    });
    all.retain(|(intent, _)| counts[intent] >= FEWEST);
    all.sort();
    Ok(all)
}

struct Turn {
    text: String,
    acts: Vec<String>,
    /// What a first turn intends.
    intent: Option<String>,
    asked: bool,
}

fn sgd_turns(folder: &Path) -> Result<Vec<Turn>, Box<dyn Error>> {
    let mut all = Vec::new();
    for path in files(&folder.join("train"), "json")?.iter().filter(|p| named(p, "dialogues_")) {
        let dialogues: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        for dialogue in dialogues.as_array().into_iter().flatten() {
            let mut before = "";
            for turn in dialogue["turns"].as_array().into_iter().flatten() {
                let text = turn["utterance"].as_str().unwrap_or_default();
                if turn["speaker"] == "USER" {
                    let frames = || turn["frames"].as_array().into_iter().flatten();
                    let actions = || frames().flat_map(|f| f["actions"].as_array().into_iter().flatten());
                    let acts = actions().filter_map(|a| a["act"].as_str()).map(str::to_owned).collect();
                    let intent = actions()
                        .find(|a| a["act"] == "INFORM_INTENT")
                        .and_then(|a| a["values"][0].as_str())
                        .map(str::to_owned);
                    let asked = before.trim_end().ends_with('?');
                    all.push(Turn { text: text.to_owned(), acts, intent, asked });
                }
                before = text;
            }
        }
    }
    Ok(all)
}

fn sgd(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let act = |turn: &Turn| {
        let has = |name: &str| turn.acts.iter().any(|act| act == name);
        if has("INFORM_INTENT") || has("REQUEST") {
            Some(Act::Ask)
        } else if has("REQUEST_ALTS") {
            Some(Act::Change)
        } else if has("NEGATE") || has("NEGATE_INTENT") {
            Some(Act::Refuse)
        } else if has("AFFIRM") || has("AFFIRM_INTENT") || has("INFORM") || has("SELECT") {
            Some(Act::Answer)
        } else if has("THANK_YOU") {
            Some(Act::Thank)
        } else {
            None
        }
    };
    let turns = sgd_turns(folder)?;
    Ok(turns
        .iter()
        .filter_map(|turn| {
            let act = act(turn)?;
            Some(line(None, Some(act), &turn.text, Some(turn.asked)))
        })
        .collect())
}

fn multidogo_rows(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let sentences = folder.join("data/paper_splits/splits_annotated_at_sentence_level");
    let mut all = Vec::new();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(&sentences)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    folders.sort();
    for path in folders.iter().map(|folder| folder.join("train.tsv")) {
        for row in String::from_utf8_lossy(&fs::read(path)?).lines().skip(1) {
            let cells: Vec<&str> = row.split('\t').collect();
            if let [_, _, _, _, text, _, intent] = cells.as_slice() {
                all.push(((*intent).trim().to_owned(), (*text).trim().to_owned()));
            }
        }
    }
    Ok(all)
}

fn multidogo(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let of = |(intent, text): (String, String)| {
        let (route, act) = match intent.as_str() {
            "openinggreeting" => (Some(NONE), Act::Greet),
            "confirmation" => (Some(NONE), Act::Answer),
            "contentonly" => (None, Act::Answer),
            "rejection" => (None, Act::Refuse),
            "thankyou" => (None, Act::Thank),
            "checkclaimstatus" => (Some("claim"), Act::Ask),
            "closinggreeting" => (Some("goodbye"), Act::Ask),
            "outofdomain" | "intent" | "" => return None,
            _ => (None, Act::Ask),
        };
        // A goodbye is neither of the acts.
        let act = (intent != "closinggreeting").then_some(act);
        Some(line(route, act, &text, None))
    };
    Ok(multidogo_rows(folder)?.into_iter().filter_map(of).collect())
}

fn hwu_rows(folder: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let folds =
        folder.join("CrossValidation/autoGeneFromRealAnno/autoGene_2018_03_22-13_01_25_169/CrossValidation");
    let mut all = Vec::new();
    for fold in 1..=10 {
        for path in files(&folds.join(format!("KFold_{fold}/testset/csv")), "csv")? {
            let intent = path.file_stem().and_then(|s| s.to_str()).unwrap_or_default().to_owned();
            for row in fs::read_to_string(&path)?.lines().skip(1) {
                let text = row.split(';').nth(4).unwrap_or_default().trim_matches('"');
                if !text.is_empty() {
                    all.push((intent.clone(), text.to_owned()));
                }
            }
        }
    }
    Ok(all)
}

fn hwu(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let of = |(intent, text): (String, String)| {
        let act = match intent.as_str() {
            "general_negate" => Act::Correct,
            "general_affirm" | "general_confirm" | "general_dontcare" => Act::Answer,
            "general_praise" => Act::Thank,
            "general_commandstop" => Act::Abandon,
            _ => Act::Ask,
        };
        // What is asked of an assistant is worded like a question for the pages; what it is told to do is not.
        let command = ["play_", "alarm_", "iot_", "lists_", "general_", "audio_", "music_", "takeaway_order"];
        line(command.iter().any(|c| intent.starts_with(c)).then_some(NONE), Some(act), &text, None)
    };
    Ok(hwu_rows(folder)?.into_iter().map(of).collect())
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut all: Vec<PathBuf> = entries.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    all.retain(|path| path.extension().is_some_and(|e| e == extension));
    all.sort();
    Ok(all)
}

fn named(path: &Path, beginning: &str) -> bool {
    path.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(beginning))
}
