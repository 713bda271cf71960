//! Sentences: out of frames, and sets to be judged.

use std::collections::HashSet;
use std::error::Error;
use std::fs;
use std::path::Path;

use language::Language;
use language::intents::{Act, NONE};

use crate::grammar::{Dice, Grammar};

/// Sentences out of one frame, at most: in proportion to how many it can make.
const MOST: usize = 14;
const FEWEST: usize = 4;

/// What an error costs at a sentence that was written by itself: there are few of them, and callers speak as they do.
const OPENING: f32 = 2.0;
/// Number of the first group of openings; frames have smaller ones.
const OPENINGS: usize = 1_000_000;
/// Openings that are left out of a training together.
const TOGETHER: usize = 10;

/// One sentence and what it is.
#[derive(Clone, Debug)]
pub struct Line {
    /// `None`: not known, and not trained.
    pub route: Option<String>,
    pub act: Option<Act>,
    pub language: Language,
    pub text: String,
    /// It answers a question of ours; `None`: it may or may not.
    pub asked: Option<bool>,
    pub frame: usize,
    pub weight: f32,
}

/// Sentences of `frames.en.txt` and `frames.es.txt`.
pub fn frames(folder: &Path, seed: u64) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    let mut frame = 0;
    for language in [Language::En, Language::Es] {
        let mut grammar = Grammar::default();
        grammar.read(&fs::read_to_string(folder.join(format!("frames.{}.txt", language.code())))?);
        let mut dice = Dice::new(seed);
        for (name, frames) in &grammar.sections {
            let (route, act) = name.rsplit_once('_').ok_or("a section is named route_act")?;
            let act = Act::of(act).ok_or_else(|| format!("no act {act}"))?;
            for text in frames {
                frame += 1;
                let mut seen = HashSet::new();
                let tries = FEWEST + 2 * (text.matches(['|', '$']).count());
                for _ in 0..tries.min(MOST) {
                    let text = said(&grammar.say(text, &mut dice), &mut dice);
                    if seen.insert(text.clone()) {
                        all.push(Line {
                            route: Some(route.to_owned()),
                            act: Some(act),
                            language,
                            text,
                            asked: (route == NONE).then_some(()).map_or(Some(false), |()| None),
                            frame,
                            weight: 1.0,
                        });
                    }
                }
            }
        }
    }
    Ok(all)
}

/// Sentences of `openings.en.tsv` and `openings.es.tsv`, what people say first, and of `turns.en.tsv` and `turns.es.tsv`,
/// what they say in the middle of a call, each written by itself.
pub fn written(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut all = Vec::new();
    let mut first = OPENINGS;
    for language in [Language::En, Language::Es] {
        for (name, midway) in [("openings", false), ("turns", true)] {
            let text = fs::read_to_string(folder.join(format!("{name}.{}.tsv", language.code())))?;
            for (number, line) in text.lines().enumerate() {
                let parts: Vec<&str> = line.split('\t').collect();
                let [route, act, text] = parts[..] else {
                    return Err(format!("route, act and sentence are wanted: {line}").into());
                };
                all.push(Line {
                    route: Some(route.to_owned()),
                    // Of first sentences all but the greetings ask, which teaches nothing of acts.
                    act: Act::of(act).filter(|act| midway || *act != Act::Ask),
                    language,
                    text: text.to_owned(),
                    asked: Some(midway),
                    frame: first + number / TOGETHER,
                    weight: OPENING,
                });
            }
            first += OPENINGS;
        }
    }
    Ok(all)
}

/// As it may be written: a recogniser sets capitals and marks, or not, and drops a word now and then.
fn said(text: &str, dice: &mut Dice) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    if words.len() > 5 && dice.chance(10) {
        words.remove(dice.below(words.len()));
    }
    let mut text = words.join(" ");
    if dice.chance(40) {
        let first = text.chars().next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        text = text.chars().next().map_or(String::new(), |c| format!("{first}{}", &text[c.len_utf8()..]));
        text.push('.');
    }
    text
}

/// A set to be judged: route, act, text, language.
pub fn set(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let (route, act) = (parts.next()?, parts.next()?);
        let (text, language) = (parts.next()?, Language::of(parts.next()?)?);
        let route = match route {
            "report" => "incident",
            "other" => NONE,
            route => route,
        };
        Some(Line {
            route: Some(route.to_owned()),
            act: Act::of(act),
            language,
            text: text.to_owned(),
            asked: Some(false),
            frame: 0,
            weight: 1.0,
        })
    };
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|own| line(own).ok_or_else(|| format!("this is no line of a set: {own}").into()))
        .collect()
}
