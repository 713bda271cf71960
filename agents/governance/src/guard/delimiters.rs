//! Forged structure, found in the text as it was written: role tags, ends of our blocks, templates of chat models, fences.

use std::ops::Range;

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// Findings per text; whoever forges more has been found.
const MOST: usize = 256;
/// Memory for the patterns' automaton.
const AUTOMATON_BYTES: usize = 1 << 23;

#[derive(Deserialize)]
struct File {
    delimiter: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    name: String,
    weight: f32,
    pattern: String,
}

/// A forged delimiter.
#[derive(Clone, Debug, PartialEq)]
pub struct Forged {
    /// Name of the pattern.
    pub name: &'static str,
    /// Log odds that it is an attack.
    pub weight: f32,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// The patterns of `data/guard/delimiters.toml`.
#[derive(Clone, Debug)]
pub struct Delimiters {
    any: RegexSet,
    each: Vec<(&'static str, f32, Regex)>,
}

impl Delimiters {
    /// Reads the patterns. Call once per process: the names live as long as it does.
    ///
    /// # Errors
    /// With the pattern or line that is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|e| format!("delimiters.toml: {e}"))?;
        let wrong = |name: &str, e: regex::Error| format!("delimiters.toml: pattern `{name}`: {e}");
        let any = RegexSetBuilder::new(file.delimiter.iter().map(|d| d.pattern.as_str()))
            .case_insensitive(true)
            .multi_line(true)
            .dfa_size_limit(AUTOMATON_BYTES)
            .build()
            .map_err(|e| wrong("all together", e))?;
        let mut each = Vec::new();
        for entry in file.delimiter {
            let regex = RegexBuilder::new(&entry.pattern).case_insensitive(true).multi_line(true).build();
            let regex = regex.map_err(|e| wrong(&entry.name, e))?;
            each.push((&*entry.name.leak(), entry.weight, regex));
        }
        Ok(Self { any, each })
    }

    /// What is forged in a text, in the order of the patterns.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Forged> {
        let mut found = Vec::new();
        for number in self.any.matches(text) {
            let (name, weight, regex) = &self.each[number];
            let left = MOST.saturating_sub(found.len());
            found.extend(regex.find_iter(text).filter(|m| !m.is_empty()).take(left).map(|m| Forged {
                name,
                weight: *weight,
                span: m.range(),
            }));
        }
        found
    }
}
