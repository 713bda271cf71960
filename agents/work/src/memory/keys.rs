//! Which facts there are, and the shape of each.

use serde::Deserialize;
use storage::memory::Refusal;

use super::phrase::{Word, WordList, slice};
use governance::pii::{Kind, KindSet};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    key: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    /// For people who read the file.
    #[serde(rename = "purpose")]
    _purpose: String,
    form: Form,
    #[serde(default)]
    choices: Vec<String>,
    most: Option<usize>,
    #[serde(default)]
    may_hold: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    joins: Vec<String>,
    /// "after five" keeps its "after".
    #[serde(default)]
    begins_with_joins: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Form {
    Choice,
    /// Words of a list and nothing else.
    Listed,
    Place,
    Name,
}

/// One fact's shape.
#[derive(Debug)]
pub(super) struct Key {
    pub name: String,
    pub form: Form,
    choices: Vec<String>,
    most: usize,
    /// Kinds of personal data that it may hold.
    pub may_hold: KindSet,
    needs: WordList,
    joins: WordList,
    begins_with_joins: bool,
}

#[derive(Debug)]
pub(super) struct Keys(Vec<Key>);

impl Keys {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| e.to_string())?;
        Ok(Self(file.key.into_iter().map(key).collect::<Result<_, String>>()?))
    }

    pub(super) fn get(&self, name: &str) -> Option<&Key> {
        self.0.iter().find(|key| key.name == name)
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|key| key.name.as_str())
    }
}

fn key(entry: Entry) -> Result<Key, String> {
    let kind = |name: &String| Kind::of(name).ok_or_else(|| format!("{name} is no kind of personal data"));
    let may_hold = entry.may_hold.iter().map(kind).collect::<Result<KindSet, String>>()?;
    match (entry.form, entry.most, entry.choices.is_empty()) {
        (Form::Choice, _, false) | (Form::Listed | Form::Place | Form::Name, Some(1..=400), true) => {
            Ok(Key {
                needs: WordList::new(&entry.needs),
                joins: WordList::new(&entry.joins),
                begins_with_joins: entry.begins_with_joins,
                name: entry.name,
                form: entry.form,
                choices: entry.choices,
                most: entry.most.unwrap_or(40),
                may_hold,
            })
        }
        _ => Err(format!("{}: a choice has choices, any other form has `most` up to 400", entry.name)),
    }
}

impl Key {
    /// The value in the spelling that is kept, or what is wrong with its shape.
    pub(super) fn shaped(&self, text: &str, words: &[Word]) -> Result<String, Refusal> {
        let value = match self.form {
            Form::Choice => Some(text.trim().to_lowercase()).filter(|value| self.choices.contains(value)),
            Form::Name => Some(text.trim().to_owned()).filter(|value| is_name(value)),
            Form::Listed => {
                return self.fitting(self.listed(text, words).ok_or(Refusal::NotBusinessRelevant)?);
            }
            Form::Place => {
                let place = place(words).and_then(|place| slice(text, &words[place]));
                return self.fitting(place.ok_or(Refusal::NotBusinessRelevant)?.to_owned());
            }
        };
        self.fitting(value.ok_or(Refusal::Malformed)?)
    }

    fn fitting(&self, value: String) -> Result<String, Refusal> {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let fits = (1..=self.most).contains(&value.chars().count()) && !value.chars().any(char::is_control);
        if fits { Ok(value) } else { Err(Refusal::Malformed) }
    }

    /// Of what was said, the words of the list with those that join them; runs of them are kept apart by commas.
    fn listed(&self, text: &str, words: &[Word]) -> Option<String> {
        let mut runs: Vec<&[Word]> = Vec::new();
        let is_kept = |word: &Word| self.needs.has(&word.folded) || self.joins.has(&word.folded);
        for run in words.split(|word| !is_kept(word)) {
            let needed = |word: &Word| self.needs.has(&word.folded);
            let (Some(first), Some(last)) = (run.iter().position(needed), run.iter().rposition(needed))
            else {
                continue;
            };
            let from = if self.begins_with_joins { 0 } else { first };
            runs.push(&run[from..=last]);
        }
        let kept: Vec<String> =
            runs.iter().filter_map(|run| Some(slice(text, run)?.to_lowercase())).collect();
        (!kept.is_empty()).then(|| kept.join(", "))
    }

    #[cfg(test)]
    pub(super) fn lists(&self, word: &str) -> bool {
        self.needs.has(word) || self.joins.has(word)
    }
}

/// Words that end the name of a street, or begin it in Spanish, or name a parcel.
const STREETS: [&str; 30] = [
    "street",
    "st",
    "road",
    "rd",
    "lane",
    "ln",
    "avenue",
    "ave",
    "drive",
    "dr",
    "court",
    "ct",
    "way",
    "place",
    "pl",
    "circle",
    "cir",
    "boulevard",
    "blvd",
    "highway",
    "hwy",
    "route",
    "terrace",
    "trail",
    "parkway",
    "square",
    "calle",
    "avenida",
    "camino",
    "carretera",
];
const PARCELS: [&str; 6] = ["parcel", "parcela", "lot", "lote", "pin", "apn"];
/// Words of a street's name.
const STREET_NAME: usize = 3;

/// A parcel's number, or a number with the name of a street: nothing else of what was said.
fn place(words: &[Word]) -> Option<std::ops::Range<usize>> {
    let has_digit = |word: &Word| word.folded.bytes().any(|b| b.is_ascii_digit());
    let is_street = |word: &Word| STREETS.contains(&word.folded.as_str());
    let numbers = (0..words.len()).filter(|n| has_digit(&words[*n]));
    numbers
        .clone()
        .find_map(|n| {
            let after = words.iter().enumerate().skip(n + 1).take(STREET_NAME + 1);
            let before = words[..n].iter().enumerate().rev().take(STREET_NAME + 1);
            let ends = after
                .filter(|(_, word)| is_street(word))
                .map(|(at, _)| n..numbered(words, at + 1))
                .next_back();
            ends.or_else(|| before.filter(|(_, word)| is_street(word)).map(|(at, _)| at..n + 1).next_back())
        })
        .or_else(|| {
            let long = |n: &usize| words[*n].folded.bytes().filter(u8::is_ascii_digit).count() >= 4;
            let n = numbers
                .clone()
                .find(|n| long(n) || (*n > 0 && PARCELS.contains(&words[*n - 1].folded.as_str())))?;
            let named = n > 0 && PARCELS.contains(&words[n - 1].folded.as_str());
            Some(if named { n - 1 } else { n }..n + 1)
        })
}

/// "County Road 9": the number that belongs to the name.
fn numbered(words: &[Word], end: usize) -> usize {
    let belongs = |word: &Word| word.folded.len() <= 4 && word.folded.bytes().all(|b| b.is_ascii_digit());
    end + usize::from(words.get(end).is_some_and(belongs))
}

fn is_name(value: &str) -> bool {
    let plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’' | '.');
    value.chars().all(plain) && value.split(' ').count() <= 4 && value.starts_with(char::is_alphabetic)
}
