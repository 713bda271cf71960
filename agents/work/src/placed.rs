//! TOML of a known shape, read so that everything that is wrong with its form is told with its key and its line.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

/// Faults that are told at a time.
pub const MOST_FAULTS: usize = 50;

/// Something that cannot be so, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// `line[2].number`: of the second line. Empty: the document as a whole.
    pub key: String,
    /// Line of the text, from 1. A document in JSON has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    pub message: String,
}

impl Fault {
    #[must_use]
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), line: None, message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if self.key.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{} {}", self.key, self.message)
        }
    }
}

/// Line of every key of a text.
#[derive(Clone, Debug, Default)]
pub struct Places(BTreeMap<String, usize>);

impl Places {
    /// Gives faults the line of their key, or of the nearest one around it.
    pub fn place(&self, faults: &mut [Fault]) {
        for fault in faults {
            fault.line = fault.line.or_else(|| self.line_of(&fault.key));
        }
    }

    /// The line of a key, or of the nearest one around it.
    #[must_use]
    pub fn line_of(&self, key: &str) -> Option<usize> {
        let mut key = key;
        loop {
            if let Some(line) = self.0.get(key) {
                return Some(*line);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }
}

/// What was read, as far as it could be.
#[derive(Debug)]
pub struct Placed<T> {
    /// `None`: something of it could not be taken out, and so nothing was read.
    pub read: Option<T>,
    pub faults: Vec<Fault>,
    pub places: Places,
}

/// Reads TOML. Everything that is wrong with its form is told, not only the first.
#[must_use]
pub fn toml<T: DeserializeOwned>(text: &str) -> Placed<T> {
    let line = |at: usize| text.get(..at).map(|before| before.matches('\n').count() + 1);
    let (mut root, broken) = DeTable::parse_recoverable(text);
    let mut placed = Placed { read: None, faults: Vec::new(), places: Places::default() };
    if !broken.is_empty() {
        let told = broken.iter().take(MOST_FAULTS).map(|error| Fault {
            key: String::new(),
            line: error.span().and_then(|span| line(span.start)),
            message: format!("no TOML: {}", error.message()),
        });
        placed.faults.extend(told);
        return placed;
    }
    note_places(root.get_ref(), "", &line, &mut placed.places.0);
    while placed.faults.len() < MOST_FAULTS {
        match T::deserialize(Deserializer::from(root.clone())) {
            Ok(read) => {
                placed.read = Some(read);
                break;
            }
            Err(error) => {
                let span = error.span();
                if let Some(missing) = error.message().strip_prefix("missing field ") {
                    // There is nothing to take out.
                    placed.faults.push(Fault {
                        key: String::new(),
                        line: span.and_then(|span| line(span.start)),
                        message: format!("{} is missing here", missing.replace('`', "\"")),
                    });
                    break;
                }
                // What is wrong is told and taken out, so that what comes after it is read as well.
                let key = span.clone().and_then(|span| take_out(root.get_mut(), &span, ""));
                placed.faults.push(Fault {
                    key: key.clone().unwrap_or_default(),
                    line: span.and_then(|span| line(span.start)),
                    message: said(error.message()),
                });
                if key.is_none() {
                    break;
                }
            }
        }
    }
    placed
}

/// The reader's words in ours.
fn said(message: &str) -> String {
    let plain = message.replace('`', "\"");
    match plain.strip_prefix("unknown field ") {
        Some(rest) => match rest.split_once(", expected ") {
            Some((field, known)) => {
                format!("is not known: {field}; there are {}", known.trim_start_matches("one of "))
            }
            None => format!("is not known: {rest}"),
        },
        None => format!("cannot be read: {plain}"),
    }
}

/// A key within another; one that is no plain word stands in quotes.
#[must_use]
pub fn within(outer: &str, key: &str) -> String {
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let key = if plain { key.to_owned() } else { format!("{key:?}") };
    if outer.is_empty() { key } else { format!("{outer}.{key}") }
}

fn note_places(
    table: &DeTable<'_>,
    outer: &str,
    line: &impl Fn(usize) -> Option<usize>,
    places: &mut BTreeMap<String, usize>,
) {
    for (key, value) in table {
        let name = within(outer, key.get_ref());
        places.extend(line(key.span().start).map(|line| (name.clone(), line)));
        match value.get_ref() {
            DeValue::Table(inner) => note_places(inner, &name, line, places),
            DeValue::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    let name = format!("{name}[{}]", n + 1);
                    places.extend(line(item.span().start).map(|line| (name.clone(), line)));
                    if let DeValue::Table(inner) = item.get_ref() {
                        note_places(inner, &name, line, places);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Takes the innermost entry out that stands at a place. Its key, if there is one.
fn take_out(table: &mut DeTable<'_>, at: &Range<usize>, outer: &str) -> Option<String> {
    inner(table, at, outer).or_else(|| {
        let holds = |value: &Spanned<DeValue<'_>>| overlaps(&value.span(), at);
        let key = table.iter().find(|(_, value)| holds(value)).map(|(key, _)| key.get_ref().to_string())?;
        table.remove(key.as_str());
        Some(within(outer, &key))
    })
}

fn inner(table: &mut DeTable<'_>, at: &Range<usize>, outer: &str) -> Option<String> {
    let mut gone = None;
    for (key, value) in table.iter_mut() {
        let name = within(outer, key.get_ref());
        if overlaps(&key.span(), at) {
            gone = Some(key.get_ref().to_string());
            break;
        }
        let here = overlaps(&value.span(), at);
        match value.get_mut() {
            DeValue::Table(deeper) => {
                if let Some(found) = inner(deeper, at, &name) {
                    return Some(found);
                }
            }
            DeValue::Array(items) => {
                for (n, item) in items.iter_mut().enumerate() {
                    let name = format!("{name}[{}]", n + 1);
                    if let DeValue::Table(deeper) = item.get_mut()
                        && let Some(found) = inner(deeper, at, &name)
                    {
                        return Some(found);
                    }
                }
                let plain =
                    |item: &Spanned<DeValue<'_>>| !item.get_ref().is_table() && overlaps(&item.span(), at);
                if let Some(n) = items.iter().position(plain) {
                    let kept = items.iter().enumerate().filter(|(m, _)| *m != n);
                    *items = kept.map(|(_, item)| item.clone()).collect();
                    return Some(format!("{name}[{}]", n + 1));
                }
            }
            _ if here => {
                gone = Some(key.get_ref().to_string());
                break;
            }
            _ => {}
        }
    }
    let gone = gone?;
    table.remove(gone.as_str());
    Some(within(outer, &gone))
}

fn overlaps(span: &Range<usize>, at: &Range<usize>) -> bool {
    span.contains(&at.start)
}
