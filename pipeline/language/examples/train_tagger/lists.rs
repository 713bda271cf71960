//! The tagger's word lists: the guard's names and ordinary words, our own classes, and how common words are in public talk.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

use language::tagger::lexicon::{Lexicon, class};
use language::tagger::token::{folded, hash};

use crate::line::Line;
use crate::names::Names;
use crate::places::Places;

/// Seen so often in talk without names, a word is common.
const COMMON: usize = 25;

/// Words of some sections of a list of the guard.
pub fn section(file: &Path, sections: &[&str]) -> Result<Vec<String>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let mut out = Vec::new();
    let mut takes = false;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[') {
            takes = sections.contains(&name.trim_end_matches(']'));
        } else if takes {
            out.extend(line.split_whitespace().map(str::to_owned));
        }
    }
    Ok(out)
}

pub fn lexicon(
    folder: &Path,
    guard: &Path,
    names: &Names,
    places: &Places,
    talk: &[Line],
) -> Result<Lexicon, Box<dyn Error>> {
    let mut words: Vec<(u64, u32)> = Vec::new();
    let mut add = |word: &str, bits: u32| words.push((hash(folded(word).as_bytes()), bits));
    for (file, name, bits) in [
        ("first_names.txt", "common", class::FIRST),
        ("first_names.txt", "rare", class::FIRST_RARE),
        ("first_names.txt", "ambiguous", class::FIRST_RARE),
        ("last_names.txt", "common", class::LAST),
        ("last_names.txt", "rare", class::LAST_RARE),
        ("last_names.txt", "ambiguous", class::LAST_RARE),
        ("words.txt", "words", class::WORD),
        ("places.txt", "places", class::PLACE),
    ] {
        section(&guard.join(file), &[name])?.iter().for_each(|word| add(word, bits));
    }
    for (name, first) in names.parts() {
        for part in name.split([' ', '-']).filter(|part| part.chars().count() > 1) {
            add(part, if first { class::FIRST } else { class::LAST });
        }
    }
    for town in places.towns.iter().chain(&places.pueblos) {
        town.split(' ').filter(|part| part.len() > 2).for_each(|part| add(part, class::TOWN));
    }
    for street in places.streets.iter().chain(&places.calles) {
        street.split(' ').filter(|part| part.len() > 2).for_each(|part| add(part, class::STREET_NAME));
    }
    let classes = std::fs::read_to_string(folder.join("classes.txt"))?;
    for line in classes.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, list)) = line.split_once(": ") else { continue };
        let bits = class::NAMES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        let (_, bits) = bits.ok_or_else(|| format!("classes.txt: there is no list {name}"))?;
        list.split_whitespace().for_each(|word| add(word, *bits));
    }
    let mut counts: HashMap<String, usize> = HashMap::new();
    for line in talk.iter().filter(|line| line.marks.is_empty()) {
        // Words in lower case only: names in mid-sentence are large.
        let words = line.text.split(|c: char| !c.is_alphanumeric() && c != '\'');
        for word in words.filter(|word| !word.is_empty() && !word.chars().any(char::is_uppercase)) {
            *counts.entry(folded(word)).or_default() += 1;
        }
    }
    let mut common: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count >= COMMON).collect();
    common.sort();
    common.iter().for_each(|(word, _)| add(word, class::COMMON));
    Ok(Lexicon::new(words))
}
