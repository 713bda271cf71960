//! Reads settings from a TOML table and the environment, and collects every problem instead of the first.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::LazyLock;

use pipeline::provider::Endpoint;
use secrecy::{ExposeSecret, SecretString};
use toml::{Table, Value};

use super::problem::Problem;

/// Settings that have a value of their own when nobody gives one.
static BUILT_IN: LazyLock<Table> =
    LazyLock::new(|| include_str!("../../data/providers.toml").parse().unwrap_or_default());

/// Environment as the config reader sees it. A closure, so tests need no process-wide state.
pub type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Where a value came from, for error messages.
#[derive(Clone, Debug)]
pub struct Origin(String);

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// One pass over all settings. Whatever the pass did not ask for is an unknown key.
pub struct Source<'a> {
    table: Table,
    file: String,
    env: Env<'a>,
    asked: BTreeSet<&'static str>,
    problems: Vec<Problem>,
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<'a> Source<'a> {
    /// `file` names the TOML file in messages.
    #[must_use]
    pub fn new(table: Table, file: String, env: Env<'a>) -> Self {
        Self { table, file, env, asked: BTreeSet::new(), problems: Vec::new() }
    }

    /// A variable that a setting names.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<SecretString> {
        (self.env)(name).filter(|value| !value.trim().is_empty()).map(SecretString::from)
    }

    /// The raw text of a setting; an environment variable wins over the file, an empty one counts as absent.
    fn raw(&mut self, key: &'static str, var: Option<&str>) -> Option<(Value, Origin)> {
        self.asked.insert(key);
        let from_env = var.and_then(|v| (self.env)(v).filter(|s| !s.trim().is_empty()).map(|s| (v, s)));
        if let Some((name, text)) = from_env {
            return Some((Value::String(text.trim().to_owned()), Origin(name.to_owned())));
        }
        match lookup(&self.table, key) {
            Some(value) => Some((value.clone(), Origin(format!("{key} (in {})", self.file)))),
            None => Some((lookup(&BUILT_IN, key)?.clone(), Origin(format!("{key} (built in)")))),
        }
    }

    /// An address that the gateway comes with.
    ///
    /// # Panics
    /// When `data/providers.toml` lacks it or has it wrong; a test reads them all.
    #[must_use]
    pub fn built_in(&self, key: &'static str) -> Endpoint {
        let text = lookup(&BUILT_IN, key).and_then(Value::as_str).unwrap_or_default();
        Endpoint::parse(text).unwrap_or_else(|what| panic!("data/providers.toml: {key} {what}"))
    }

    /// Notes that a value cannot be used.
    pub fn problem(
        &mut self,
        origin: impl std::fmt::Display,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) {
        self.problems.push(Problem { key: origin.to_string(), what: what.into(), fix: fix.into() });
    }

    /// A text setting.
    pub fn text(&mut self, key: &'static str, var: Option<&str>) -> Option<(String, Origin)> {
        let (value, origin) = self.raw(key, var)?;
        if let Value::String(text) = value {
            return Some((text, origin));
        }
        self.problem(&origin, format!("is {}, not text", kind(&value)), "put the value in double quotes");
        None
    }

    /// A secret. Its value never appears in a message.
    pub fn secret(&mut self, key: &'static str, var: Option<&str>) -> Option<SecretString> {
        self.text(key, var).map(|(text, _)| SecretString::from(text))
    }

    /// A secret that is in no file: the environment alone has it.
    #[must_use]
    pub fn secret_from_env(&self, var: &str) -> Option<SecretString> {
        self.var(var).map(|text| text.expose_secret().trim().to_owned().into())
    }

    /// A folder or file; `default` when absent.
    pub fn path(&mut self, key: &'static str, var: Option<&str>, default: &str) -> PathBuf {
        self.text(key, var).map_or_else(|| PathBuf::from(default), |(text, _)| PathBuf::from(text))
    }

    /// Anything that parses from text, such as an address.
    pub fn parsed<T: FromStr>(&mut self, key: &'static str, var: Option<&str>, fix: &str) -> Option<T> {
        let (text, origin) = self.text(key, var)?;
        match text.parse() {
            Ok(value) => Some(value),
            Err(_) => {
                self.problem(origin, format!("`{text}` cannot be read"), fix);
                None
            }
        }
    }

    /// A whole number within `range`, bounds included.
    pub fn number(
        &mut self,
        key: &'static str,
        var: Option<&str>,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let (value, origin) = self.raw(key, var)?;
        let number = match &value {
            Value::Integer(n) => u64::try_from(*n).ok(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        match number {
            Some(n) if range.contains(&n) => Some(n),
            _ => {
                let fix = format!("give a whole number from {} to {}", range.start(), range.end());
                self.problem(origin, format!("`{value}` is out of range"), fix);
                None
            }
        }
    }

    /// Yes or no.
    pub fn flag(&mut self, key: &'static str, var: Option<&str>) -> Option<bool> {
        let (value, origin) = self.raw(key, var)?;
        let flag = match &value {
            Value::Boolean(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        if flag.is_none() {
            self.problem(origin, format!("`{value}` is neither true nor false"), "give true or false");
        }
        flag
    }

    /// An amount with a fraction.
    pub fn amount(&mut self, key: &'static str) -> Option<(f64, Origin)> {
        let (value, origin) = self.raw(key, None)?;
        let amount = value.as_float().or_else(|| value.as_integer().map(|n| n as f64));
        if amount.is_none() {
            self.problem(&origin, format!("is {}, not a number", kind(&value)), "write it as 1.50");
        }
        Some((amount?, origin))
    }

    /// A list of sections: `[[key]]` in the file.
    pub fn tables(&mut self, key: &'static str) -> Option<(Vec<Table>, Origin)> {
        let (value, origin) = self.raw(key, None)?;
        let tables: Option<Vec<Table>> =
            value.as_array().and_then(|rows| rows.iter().map(|row| row.as_table().cloned()).collect());
        if tables.is_none() {
            let fix = format!("write each as a section: [[{key}]]");
            self.problem(&origin, format!("is {}, not a list of sections", kind(&value)), fix);
        }
        Some((tables?, origin))
    }

    /// One word out of `choices`.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        var: Option<&str>,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let (text, origin) = self.text(key, var)?;
        let found = choices.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.problem(
                origin,
                format!("`{text}` is not a choice"),
                format!("choose from {}", names.join(", ")),
            );
        }
        found
    }

    /// An ordered list: a TOML array, or words separated by commas.
    pub fn list(&mut self, key: &'static str, var: Option<&str>) -> Option<(Vec<String>, Origin)> {
        let (value, origin) = self.raw(key, var)?;
        let words = match &value {
            Value::String(text) => Some(text.split(',').map(|w| w.trim().to_owned()).collect()),
            Value::Array(items) => {
                items.iter().map(|i| i.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            }
            _ => None,
        };
        let Some(words) = words else {
            self.problem(origin, "is not a list of words", "write [\"a\", \"b\"] or \"a,b\"");
            return None;
        };
        Some((words.into_iter().filter(|w: &String| !w.is_empty()).collect(), origin))
    }

    /// Ends the pass: unknown keys become problems too.
    #[must_use]
    pub fn finish(mut self) -> Vec<Problem> {
        let mut leaves = Vec::new();
        collect_leaves(&self.table, String::new(), &mut leaves);
        for leaf in leaves {
            if !self.asked.contains(leaf.as_str()) {
                let fix = self.suggestion(&leaf);
                self.problem(format!("{leaf} (in {})", self.file), "is not a setting", fix);
            }
        }
        self.problems
    }

    fn suggestion(&self, unknown: &str) -> String {
        let nearest =
            self.asked.iter().map(|known| (strsim::damerau_levenshtein(unknown, known), known)).min();
        match nearest {
            Some((distance, known)) if distance <= 1 + unknown.len() / 3 => {
                format!("did you mean `{known}`?")
            }
            _ => "remove it".to_owned(),
        }
    }
}

fn lookup<'t>(table: &'t Table, key: &str) -> Option<&'t Value> {
    let mut parts = key.split('.');
    let mut at = table.get(parts.next()?)?;
    for part in parts {
        at = at.get(part)?;
    }
    Some(at)
}

fn collect_leaves(table: &Table, prefix: String, leaves: &mut Vec<String>) {
    for (name, value) in table {
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match value {
            Value::Table(inner) if !inner.is_empty() => collect_leaves(inner, path, leaves),
            Value::Table(_) => {}
            _ => leaves.push(path),
        }
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}
