//! From text to a document, with the place of everything that is wrong with its form.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

use super::TenantConfig;

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

/// A document that was read, as far as it could be.
#[derive(Debug, Default)]
pub struct Reading {
    pub config: TenantConfig,
    pub faults: Vec<Fault>,
    /// Line of every key.
    places: BTreeMap<String, usize>,
}

impl Reading {
    /// Gives faults the line of their key, or of the nearest one around it.
    pub fn place(&self, faults: &mut [Fault]) {
        for fault in faults {
            fault.line = fault.line.or_else(|| self.line_of(&fault.key));
        }
    }

    fn line_of(&self, key: &str) -> Option<usize> {
        let mut key = key;
        loop {
            if let Some(line) = self.places.get(key) {
                return Some(*line);
            }
            key = &key[..key.rfind(['.', '['])?];
        }
    }
}

/// Reads TOML. Everything that is wrong with its form is told, not only the first.
#[must_use]
pub fn toml(text: &str) -> Reading {
    let line = |at: usize| text.get(..at).map(|before| before.matches('\n').count() + 1);
    let (mut root, broken) = DeTable::parse_recoverable(text);
    let mut reading = Reading::default();
    if !broken.is_empty() {
        let told = broken.iter().take(MOST_FAULTS).map(|error| Fault {
            key: String::new(),
            line: error.span().and_then(|span| line(span.start)),
            message: format!("no TOML: {}", error.message()),
        });
        reading.faults.extend(told);
        return reading;
    }
    note_places(root.get_ref(), "", &line, &mut reading.places);
    while reading.faults.len() < MOST_FAULTS {
        match TenantConfig::deserialize(Deserializer::from(root.clone())) {
            Ok(config) => {
                reading.config = config;
                break;
            }
            Err(error) => {
                let span = error.span();
                // What is wrong is told and taken out, so that what comes after it is read as well.
                let key = span.clone().and_then(|span| take_out(root.get_mut(), &span, ""));
                reading.faults.push(Fault {
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
    reading
}

/// Reads JSON: the same document.
#[must_use]
pub fn json(text: &str) -> Reading {
    let value = match serde_json::from_str::<Value>(text) {
        Ok(value @ Value::Object(_)) => without_nulls(value),
        Ok(_) => return refused(None, "no JSON object".to_owned()),
        Err(error) => return refused(Some(error.line()), format!("no JSON: {error}")),
    };
    match toml::to_string(&value) {
        Ok(text) => {
            let mut reading = toml(&text);
            reading.places.clear();
            reading.faults.iter_mut().for_each(|fault| fault.line = None);
            reading
        }
        Err(error) => refused(None, format!("cannot be read: {error}")),
    }
}

fn refused(line: Option<usize>, message: String) -> Reading {
    Reading { faults: vec![Fault { key: String::new(), line, message }], ..Reading::default() }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_told_with_its_line_and_key() {
        let text = "name = \"Oakdale\"\nkind = \"duchy\"\n[office]\nadress = \"2 Mill Road\"\nphone = 7\n\n[[line]]\n\
                    number = \"+12025550171\"\n[[line]]\nnumber = \"+12025550172\"\nlanguages = [\"en\", 5]\n\
                    [offices]\nphone = 1\n";
        let reading = toml(text);
        let told: Vec<(Option<usize>, &str)> =
            reading.faults.iter().map(|fault| (fault.line, fault.key.as_str())).collect();
        let mut sorted = told.clone();
        sorted.sort_unstable();
        assert_eq!(
            sorted,
            [
                (Some(2), "kind"),
                (Some(4), "office.adress"),
                (Some(5), "office.phone"),
                (Some(11), "line[2].languages[2]"),
                (Some(12), "offices"),
            ],
            "{:#?}",
            reading.faults
        );
        // What is right was read all the same.
        assert_eq!((reading.config.name.as_str(), reading.config.lines.len()), ("Oakdale", 2));
        assert!(
            reading.faults.iter().any(|fault| fault.message.contains("there are")),
            "{:?}",
            reading.faults
        );
    }

    #[test]
    fn what_is_no_toml_says_where() {
        let reading = toml("name = \"Oakdale\"\nkind = \n");
        assert_eq!(reading.faults[0].line, Some(2), "{:?}", reading.faults);
        assert_eq!(json("[]").faults.len(), 1);
        assert_eq!(json("{\n\"name\": }").faults[0].line, Some(2));
    }

    #[test]
    fn json_is_the_same_document() {
        let reading = json("{\"name\": \"Oakdale\", \"kind\": null, \"line\": [{\"numbre\": 1}]}");
        assert_eq!(reading.config.name, "Oakdale");
        assert_eq!((reading.faults[0].key.as_str(), reading.faults[0].line), ("line[1].numbre", None));
    }

    #[test]
    fn a_later_fault_is_placed_at_its_key_or_at_the_nearest_around_it() {
        let reading = toml(
            "name = \"Oakdale\"\n[wording.en]\n\"incident.when.ask\" = [\"When?\"]\n[[line]]\nname = \"a\"\n",
        );
        let mut faults = [
            Fault::new("wording.en.\"incident.when.ask\"", ""),
            Fault::new("line[1].number", ""),
            Fault::new("slug", ""),
        ];
        reading.place(&mut faults);
        assert_eq!(faults.map(|fault| fault.line), [Some(3), Some(4), None]);
    }
}
