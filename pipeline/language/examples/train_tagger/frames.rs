//! Sentences out of the frames: choices are made, values filled in, and the whole is put in a style.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use language::Language;

use crate::fill::Fill;
use crate::line::{ADDRESS, END, Line, NAME, Rng, Style};
use crate::styles::styled;

/// The frames of one file.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    lists: HashMap<String, Vec<String>>,
    /// With the section that each stands in.
    pub frames: Vec<(String, String)>,
}

impl Frames {
    pub fn load(file: &Path) -> Result<Self, Box<dyn Error>> {
        let mut out = Self::default();
        let mut section = String::new();
        for line in std::fs::read_to_string(file)?.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some((name, values)) = line.strip_prefix('$').and_then(|line| line.split_once(" = ")) {
                let values = values.split('|').map(|value| value.trim().to_owned()).collect();
                out.lists.insert(name.to_owned(), values);
            } else if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                name.clone_into(&mut section);
            } else {
                out.frames.push((section.clone(), line.to_owned()));
            }
        }
        Ok(out)
    }

    /// One way to say a frame, values not yet filled.
    fn chosen(&self, frame: &str, rng: &mut Rng) -> String {
        let mut out = String::new();
        let mut rest = frame;
        while let Some(at) = rest.find(['{', '$']) {
            out.push_str(&rest[..at]);
            if rest[at..].starts_with('$') {
                let name = &rest[at + 1..];
                let length = name.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(name.len());
                if let Some(values) = self.lists.get(&name[..length]) {
                    let value = rng.one(values);
                    out.push_str(&self.chosen(value, rng));
                }
                rest = &name[length..];
            } else {
                let inside = &rest[at + 1..];
                let length = closing(inside);
                let choices = split(&inside[..length]);
                out.push_str(&self.chosen(choices[rng.below(choices.len())], rng));
                rest = inside.get(length + 1..).unwrap_or_default();
            }
        }
        out.push_str(rest);
        out
    }

    pub fn sentence(
        &self,
        frame: &str,
        language: Language,
        style: Style,
        fill: &Fill,
        rng: &mut Rng,
    ) -> String {
        let chosen = self.chosen(frame, rng);
        let filled = fill.filled(&chosen, language, style, rng);
        styled(&filled, style, rng)
    }
}

fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return at,
            '}' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '|' if depth == 0 => {
                out.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[from..]);
    out
}

/// Public talk with a person's name where it says "he", and an address where it says "my house": contexts that nobody made up.
pub fn renamed(clean: &[String], fill: &Fill, rng: &mut Rng) -> Vec<Line> {
    const PERSONS: [&str; 13] = [
        "he",
        "she",
        "him",
        "someone",
        "somebody",
        "my friend",
        "my friends",
        "my wife",
        "my husband",
        "my mom",
        "my boss",
        "my brother",
        "my sister",
    ];
    const HOMES: [&str; 9] = [
        "my house",
        "my home",
        "my place",
        "my address",
        "home",
        "this address",
        "that address",
        "the airport",
        "downtown",
    ];
    let mut out = Vec::new();
    for text in clean {
        let lower = text.to_lowercase();
        let find = |words: &[&str]| {
            words.iter().find_map(|word| {
                let at = lower.find(word).filter(|_| lower.len() == text.len())?;
                let before =
                    lower[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '\'');
                let after =
                    lower[at + word.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '\'');
                (before && after && text.is_char_boundary(at)).then_some((at, word.len()))
            })
        };
        let (at, length, mark) = match (find(&PERSONS), find(&HOMES)) {
            (Some((at, length)), _) => (at, length, NAME),
            (None, Some((at, length))) => (at, length, ADDRESS),
            _ => continue,
        };
        let style = Style::any(rng);
        let value = if mark == NAME {
            let own = fill.names.person(Language::En, rng);
            if rng.percent(55) { own.first } else { own.whole }
        } else {
            fill.places.address(Language::En, style, rng)
        };
        let said = &text[at..at + length];
        // "my wife" stays before her name.
        let kept = if said.contains(' ') && mark == NAME && rng.percent(70) {
            format!("{said} ")
        } else {
            String::new()
        };
        let marked = format!("{}{kept}{mark}{value}{END}{}", &text[..at], &text[at + length..]);
        out.push(Line::new(&styled(&marked, style, rng), Language::En, "renamed"));
    }
    out
}

/// Sentences of a set of frames, each frame about as often as others.
pub fn lines(
    frames: &Frames,
    language: Language,
    count: usize,
    fill: &Fill,
    clean: &[String],
    rng: &mut Rng,
) -> Vec<Line> {
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let style = Style::any(rng);
        let (_, frame) = rng.one(&frames.frames);
        let mut text = frames.sentence(frame, language, style, fill, rng);
        // Other things are said in the same breath.
        if rng.percent(22) {
            let (_, other) = rng.one(&frames.frames);
            text = format!("{text} {}", frames.sentence(other, language, style, fill, rng));
        }
        if !clean.is_empty() {
            let more = |rng: &mut Rng| {
                let other = rng.one(clean);
                styled(other, style, rng)
            };
            if rng.percent(26) {
                text = format!("{} {text}", more(rng));
            }
            if rng.percent(34) {
                text = format!("{text} {}", more(rng));
            }
        }
        out.push(Line::new(&text, language, style.name()));
    }
    out
}
