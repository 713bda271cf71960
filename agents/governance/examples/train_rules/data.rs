//! What is trained with: lines of the sets, sentences out of frames, pages of the demo county, ordinary talk.

use std::error::Error;
use std::fs;
use std::path::Path;

use governance::rules::likeness::Kind;

use crate::SEED;
use crate::grammar::{Dice, Grammar};

/// Sentences out of one frame.
const EACH: usize = 30;
/// How much an error costs at a sentence that somebody wrote, and at one of another origin.
const WRITTEN: f32 = 2.0;
const FRAMED: f32 = 0.5;
const AROUND: f32 = 1.0;
/// Turns of agents in public dialogues.
const OF_TALK: usize = 8_000;
/// Shorter beginnings say nothing yet.
const BEGINNING: usize = 3;

/// One sentence.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub language: String,
    /// What it is; of an allowed one nothing.
    pub kind: Option<Kind>,
    pub weight: f32,
}

/// The kind that a rule asks for.
fn kind_of_rule(rule: &str) -> Option<Kind> {
    Some(match rule {
        "no-legal-advice" => Kind::LegalAdvice,
        "no-medical-advice" => Kind::MedicalAdvice,
        "locked-promises" => Kind::Promise,
        "emergency-never-discourage-911" => Kind::Discourages911,
        "emergency-no-dispatch-promise" => Kind::PromisesDispatch,
        "ai-never-claims-to-be-human" => Kind::ClaimsHuman,
        _ => return None,
    })
}

/// The kind that a section of frames is of; `None` are the allowed ones.
fn kind_of_section(section: &str) -> Result<Option<Kind>, String> {
    Ok(Some(match section {
        "allowed" => return Ok(None),
        "legal" => Kind::LegalAdvice,
        "medical" => Kind::MedicalAdvice,
        "promise" => Kind::Promise,
        "discourage" => Kind::Discourages911,
        "dispatch" => Kind::PromisesDispatch,
        "human" => Kind::ClaimsHuman,
        other => return Err(format!("no kind for the section {other}")),
    }))
}

/// A folder's blocked and allowed sentences; what other rules block is left out.
pub fn set(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    for file in ["blocked.txt", "allowed.txt"] {
        for line in
            fs::read_to_string(folder.join(file))?.lines().filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            let parts: Vec<&str> = line.split(" | ").collect();
            let (language, kind, text) = match parts.as_slice() {
                [language, text] => (*language, None, *text),
                [language, rule, text] => match kind_of_rule(rule) {
                    Some(kind) => (*language, Some(kind), *text),
                    None => continue,
                },
                _ => return Err(format!("this is no line of a set: {line}").into()),
            };
            all.push(Line { text: text.to_owned(), language: language.to_owned(), kind, weight: WRITTEN });
        }
    }
    Ok(all)
}

/// Everything besides the written sentences.
pub fn around(folder: &Path, talk: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = frames(&fs::read_to_string(folder.join("train/frames.txt"))?)?;
    let line = |text: &str| Line { text: text.to_owned(), language: "en".into(), kind: None, weight: AROUND };
    for pages in ["../../../dialogue/data/riverbend/docs", "../../../dialogue/data/riverbend/docs/es"] {
        let mut paths: Vec<_> =
            fs::read_dir(folder.join(pages))?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.iter().filter(|p| p.is_file()) {
            let page = fs::read_to_string(path)?;
            // What callers may ask is in the front matter, and is nothing that is read out.
            let body = page.splitn(3, "+++").nth(2).unwrap_or(&page);
            let sentences = body.lines().flat_map(|l| l.split_inclusive(". "));
            all.extend(sentences.map(str::trim).filter(|l| l.len() > 20).map(line));
        }
    }
    for phrases in [
        "../../../dialogue/data/front_desk/prompts.toml",
        "../../../dialogue/data/front_desk/es/prompts.toml",
    ] {
        let text = fs::read_to_string(folder.join(phrases))?;
        let quoted =
            text.lines().filter(|l| !l.starts_with('#')).flat_map(|l| l.split('"').skip(1).step_by(2));
        all.extend(
            quoted.flat_map(|q| q.split_inclusive(". ")).map(str::trim).filter(|q| !q.is_empty()).map(line),
        );
    }
    let ordinary = fs::read_to_string(folder.join("../guard/dev/ordinary.txt"))?;
    all.extend(ordinary.lines().filter(|l| !l.is_empty() && !l.starts_with(['#', '['])).map(line));
    for said in crate::public::side(talk, "SYSTEM", OF_TALK, SEED)? {
        all.extend(sentences(&said).map(line));
    }
    // What callers say in passing, agents say too: "that will be all". Not what they say of themselves.
    let of_themselves =
        |s: &&str| s.split([' ', '\'', ',']).any(|w| ["i", "my", "me"].contains(&w.to_lowercase().as_str()));
    for said in crate::public::side(talk, "USER", OF_TALK, SEED)? {
        all.extend(sentences(&said).filter(|s| !of_themselves(s)).map(line));
    }
    Ok(all)
}

/// One by one, as they are judged while a reply is spoken.
pub fn sentences(said: &str) -> impl Iterator<Item = &str> {
    let parts = said
        .split_inclusive(". ")
        .flat_map(|s| s.split_inclusive("? "))
        .flat_map(|s| s.split_inclusive("! "));
    parts.map(str::trim).filter(|s| s.chars().any(char::is_alphabetic))
}

fn frames(text: &str) -> Result<Vec<Line>, String> {
    let mut grammar = Grammar::default();
    grammar.read(text);
    let mut dice = Dice::new(SEED);
    let mut all = Vec::new();
    for (section, frames) in &grammar.sections {
        let kind = kind_of_section(section)?;
        for frame in frames {
            let mut said: Vec<String> = (0..EACH).map(|_| grammar.say(frame, &mut dice)).collect();
            said.sort();
            said.dedup();
            all.extend(said.into_iter().map(|text| Line {
                text,
                language: String::new(),
                kind,
                weight: FRAMED,
            }));
        }
    }
    Ok(all)
}

/// Where allowed sentences may stand while they are spoken: each is cut once.
pub fn beginnings(written: &[Line]) -> Vec<Line> {
    let mut dice = Dice::new(SEED);
    written
        .iter()
        .filter(|line| line.kind.is_none())
        .filter_map(|line| {
            let words: Vec<&str> = line.text.split(' ').collect();
            let cut = BEGINNING + dice.below(words.len().checked_sub(BEGINNING + 1)?);
            Some(Line { text: words.get(..cut)?.join(" "), weight: FRAMED, ..line.clone() })
        })
        .collect()
}
