//! What is trained with: sentences of several hands, the rules' own, what the demo county says, and public talk.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use governance::meaning::{Act, FORBIDDEN, Forbidden};
use serde_json::Value;

use crate::grammar::Dice;
use crate::public;

/// How much an error costs at a sentence that a hand wrote for this, and at others.
const WRITTEN: f32 = 2.0;
const KNOWN: f32 = 1.0;
const TALK: f32 = 0.6;
/// Turns of agents, and of callers, in public dialogues.
const OF_AGENTS: usize = 5_000;
const OF_CALLERS: usize = 1_500;
/// Shorter beginnings say nothing yet.
const BEGINNING: usize = 4;
/// Files of dialogues whose acts train, and how many of the others' plain turns are judged.
const ACTS_FROM: usize = 30;
const PLAIN: usize = 6_000;

/// One sentence, and what is known of it: the output it wants of each head.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub language: String,
    pub forbidden: Option<usize>,
    pub act: Option<usize>,
    pub weight: f32,
    /// Which half of its hand it is of; what no hand wrote for this is of none.
    pub half: Option<usize>,
    pub from: String,
    /// Put into Spanish by a machine: nothing is judged by it.
    pub by_machine: bool,
}

impl Line {
    fn new(text: &str, from: &str, weight: f32) -> Self {
        let (text, language) = (text.to_owned(), "en".to_owned());
        Self {
            text,
            language,
            forbidden: None,
            act: None,
            weight,
            half: None,
            from: from.to_owned(),
            by_machine: false,
        }
    }
}

/// Kinds as hands were asked for them, in fewer letters.
fn kind_of(name: &str) -> &str {
    match name {
        "legal" => "legal_advice",
        "medical" => "medical_advice",
        "result" => "promise",
        "underway" | "dispatch" => "promises_dispatch",
        "against911" | "no911" => "discourages_911",
        "human" => "claims_human",
        "instructions" => "own_instructions",
        "cold_selfharm" => "cold",
        "otherdata" => "others_data",
        "filed" => "report",
        "changed" | "checked" => "other",
        own => own,
    }
}

/// The hands' sentences, named after their files. Kinds that no sentence of the head is of are allowed ones.
pub fn hands(files: &[PathBuf]) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let text = fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        for (n, line) in lines.enumerate() {
            let [kind, language, text] = line.split('\t').collect::<Vec<_>>()[..] else {
                return Err(format!("{name}: no three columns: {line}").into());
            };
            let kind = kind_of(kind);
            if (kind, language) == ("kind", "language") {
                continue;
            }
            let forbidden = Forbidden::of(kind).map(|kind| 1 + kind as usize);
            let act = Act::of(kind).map(|act| 1 + act as usize);
            let harmless = matches!(kind, "allowed" | "plain");
            if forbidden.is_none() && act.is_none() && !harmless {
                return Err(format!("{name}: no such kind: {kind}").into());
            }
            all.push(Line {
                language: language.to_owned(),
                forbidden: forbidden.or(harmless.then_some(0)),
                // What must not be said may be a promise as well: nobody said.
                act: act.or((kind == "plain").then_some(0)),
                half: Some(n % 2),
                ..Line::new(text, name, WRITTEN)
            });
        }
    }
    Ok(all)
}

/// The English of the hands in a machine's Spanish: hand, kind, sentence.
pub fn by_machine(file: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    for (n, line) in fs::read_to_string(file)?.lines().filter(|line| !line.starts_with('#')).enumerate() {
        let [from, kind, text] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("no three columns: {line}").into());
        };
        let harmless = matches!(kind, "allowed" | "plain");
        let act = Act::of(kind).map(|act| 1 + act as usize);
        all.push(Line {
            language: "es".to_owned(),
            forbidden: Forbidden::of(kind).map(|kind| 1 + kind as usize).or(harmless.then_some(0)),
            act: act.or((kind == "plain").then_some(0)),
            half: Some(n % 2),
            by_machine: true,
            ..Line::new(text, from, KNOWN)
        });
    }
    Ok(all)
}

/// Sentences of public agents in a machine's Spanish, one a line: nothing of it is what an agent must not say.
pub fn lines(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect()
}

/// The sentences that the rules' other model knows.
pub fn of_rules(folder: &Path, sets: &[&str]) -> Result<Vec<Line>, Box<dyn Error>> {
    let kind = |rule: &str| {
        Some(match rule {
            "no-legal-advice" => Forbidden::LegalAdvice,
            "no-medical-advice" => Forbidden::MedicalAdvice,
            "locked-promises" => Forbidden::Promise,
            "emergency-never-discourage-911" => Forbidden::Discourages911,
            "emergency-no-dispatch-promise" => Forbidden::PromisesDispatch,
            "ai-never-claims-to-be-human" => Forbidden::ClaimsHuman,
            _ => return None,
        })
    };
    let mut all = Vec::new();
    for set in sets {
        for file in ["blocked.txt", "allowed.txt"] {
            let text = fs::read_to_string(folder.join(set).join(file))?;
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let (language, forbidden, text) = match line.split(" | ").collect::<Vec<_>>()[..] {
                    [language, text] => (language, 0, text),
                    [language, rule, text] => match kind(rule) {
                        Some(kind) => (language, 1 + kind as usize, text),
                        None => continue,
                    },
                    _ => return Err(format!("{set}: this is no line of a set: {line}").into()),
                };
                let forbidden = Some(forbidden);
                all.push(Line { language: language.to_owned(), forbidden, ..Line::new(text, set, KNOWN) });
            }
        }
    }
    Ok(all)
}

/// What the demo county publishes, and what the dialogue says itself.
pub fn county(dialogue: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    for (folder, language) in [("data/riverbend/docs", "en"), ("data/riverbend/docs/es", "es")] {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(dialogue.join(folder))?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.iter().filter(|p| p.is_file()) {
            let page = fs::read_to_string(path)?;
            for line in page.lines().filter(|l| !l.starts_with("asked_as")).flat_map(sentences) {
                if line.len() > 20 {
                    let language = language.to_owned();
                    let (forbidden, act) = (Some(0), Some(0));
                    all.push(Line { language, forbidden, act, ..Line::new(line, "pages", TALK) });
                }
            }
        }
    }
    for (file, language) in
        [("data/front_desk/prompts.toml", "en"), ("data/front_desk/es/prompts.toml", "es")]
    {
        let text = fs::read_to_string(dialogue.join(file))?;
        let quoted =
            text.lines().filter(|l| !l.starts_with('#')).flat_map(|l| l.split('"').skip(1).step_by(2));
        for line in quoted.flat_map(sentences) {
            // Some of them do promise.
            all.push(Line {
                language: language.to_owned(),
                forbidden: Some(0),
                ..Line::new(line, "prompts", KNOWN)
            });
        }
    }
    Ok(all)
}

/// Public talk that a training sees: nothing of it is what an agent must not say. Of Schema-Guided Dialogue it is known
/// whether a turn tells that something was done.
pub fn talk(folder: &Path, seed: u64) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut dice = Dice::new(seed);
    let mut all = Vec::new();
    for said in public::side(folder, "SYSTEM", OF_AGENTS, seed)? {
        all.extend(sentences(&said).map(|s| Line { forbidden: Some(0), ..Line::new(s, "agents", TALK) }));
    }
    // What callers say in passing, agents say too; not what they say of themselves.
    let of_themselves =
        |s: &&str| s.split([' ', '\'', ',']).any(|w| ["i", "my", "me"].contains(&w.to_lowercase().as_str()));
    for said in public::side(folder, "USER", OF_CALLERS, seed)? {
        let lines = sentences(&said).filter(|s| !of_themselves(s));
        all.extend(lines.map(|s| Line { forbidden: Some(0), ..Line::new(s, "callers", TALK) }));
    }
    let spanish = lines(&folder.join("agents-es.txt"));
    all.extend(spanish.iter().map(|text| Line {
        forbidden: Some(0),
        language: "es".to_owned(),
        ..Line::new(text, "agents", TALK)
    }));
    let marked = dialogues(&folder.join("sgd/train"))?;
    for (text, act) in acts(marked.iter().take(ACTS_FROM))?.into_iter().filter(|_| dice.chance(25)) {
        all.push(Line { forbidden: Some(0), act: Some(act), ..Line::new(&text, "acts", TALK) });
    }
    dice.shuffle(&mut all);
    Ok(all)
}

/// Agents' turns of one sentence that tell of nothing that was done, from files that train nothing.
pub fn plain_turns(folder: &Path, seed: u64) -> Result<Vec<String>, Box<dyn Error>> {
    let kept = dialogues(&folder.join("sgd/train"))?;
    let turns = acts(kept.iter().skip(public::SGD_FILES))?.into_iter().filter(|(_, act)| *act == 0);
    let mut all: Vec<String> = turns.map(|(text, _)| text).collect();
    Dice::new(seed).shuffle(&mut all);
    all.truncate(PLAIN);
    Ok(all)
}

/// Turns of one sentence, and whether they tell that something was done.
fn acts<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Result<Vec<(String, usize)>, Box<dyn Error>> {
    let mut all = Vec::new();
    for path in paths {
        let dialogues: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        let turns = dialogues.as_array().into_iter().flatten().flat_map(|d| d["turns"].as_array()).flatten();
        for turn in turns.filter(|turn| turn["speaker"] == "SYSTEM") {
            let frames = || turn["frames"].as_array().into_iter().flatten();
            let acts: Vec<&str> = frames()
                .flat_map(|f| f["actions"].as_array().into_iter().flatten())
                .filter_map(|a| a["act"].as_str())
                .collect();
            let service = frames().filter_map(|f| f["service"].as_str()).collect::<String>();
            let text = turn["utterance"].as_str().unwrap_or_default();
            let one = sentences(text).count() == 1;
            let act = match acts.as_slice() {
                ["NOTIFY_SUCCESS"] if one => booked_or_other(&service),
                acts if acts.iter().any(|act| act.starts_with("NOTIFY")) => continue,
                _ if one => 0,
                _ => continue,
            };
            all.push((text.to_owned(), act));
        }
    }
    all.sort();
    all.dedup_by(|a, b| a.0 == b.0);
    Ok(all)
}

/// The dialogues of a folder, by name.
fn dialogues(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut paths: Vec<_> = fs::read_dir(folder)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.retain(|p| p.extension().is_some_and(|e| e == "json") && !p.ends_with("schema.json"));
    paths.sort();
    Ok(paths)
}

fn booked_or_other(service: &str) -> usize {
    let books = [
        "Restaurants",
        "Hotels",
        "Flights",
        "Buses",
        "Services",
        "Events",
        "RentalCars",
        "Trains",
        "RideSharing",
    ];
    let act = if books.iter().any(|name| service.starts_with(name)) { Act::Booked } else { Act::Other };
    1 + act as usize
}

/// What allowed sentences are while they are spoken: each is cut once.
pub fn beginnings(lines: &[Line], seed: u64) -> Vec<Line> {
    let mut dice = Dice::new(seed);
    let cut = |line: &Line| {
        let words: Vec<&str> = line.text.split(' ').collect();
        let at = BEGINNING + dice.below(words.len().checked_sub(BEGINNING + 1)?);
        Some(Line { text: words.get(..at)?.join(" "), act: None, weight: line.weight / 3.0, ..line.clone() })
    };
    lines
        .iter()
        .filter(|line| line.forbidden == Some(0) && line.half.is_some() && !line.by_machine)
        .filter_map(cut)
        .collect()
}

/// One by one, as they are judged while a reply is spoken.
pub fn sentences(said: &str) -> impl Iterator<Item = &str> {
    let parts = said
        .split_inclusive(". ")
        .flat_map(|s| s.split_inclusive("? "))
        .flat_map(|s| s.split_inclusive("! "));
    parts.map(str::trim).filter(|s| s.chars().any(char::is_alphabetic))
}

/// The name of what a head's output stands for.
pub fn name(output: usize, of_acts: bool) -> &'static str {
    match output.checked_sub(1) {
        None => "none",
        Some(n) if of_acts => Act::ALL.get(n).map_or("?", |act| act.name()),
        Some(n) if n + 1 < FORBIDDEN => Forbidden::ALL.get(n).map_or("?", |kind| kind.name()),
        Some(_) => "?",
    }
}
