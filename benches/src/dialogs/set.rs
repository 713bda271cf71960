//! A set of simulated callers, as `benches/sets` documents it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use gateway::scenario::file::Item;
use gateway::scenario::wanted::Wanted;
use regex::Regex;
use serde::Deserialize;

use super::utterance::Utterance;

/// Turns of a caller before giving up.
const PATIENCE: usize = 24;

/// A file of them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    #[serde(default)]
    pub scenario: Vec<Scenario>,
    #[serde(default)]
    pub texts: Texts,
}

/// What is asked without a call.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    #[serde(default)]
    pub emergencies: Vec<String>,
    #[serde(default)]
    pub ordinary: Vec<String>,
    #[serde(default)]
    pub search: Vec<Search>,
}

/// A question in Spanish and the page that answers it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    pub ask: String,
    pub source: String,
}

/// One caller.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub id: String,
    pub kind: String,
    #[serde(default)]
    pub language: Language,
    pub voice: usize,
    #[serde(default)]
    pub line: Line,
    pub from: Option<String>,
    #[serde(default)]
    pub want: String,
    pub opening: Utterance,
    #[serde(default)]
    pub again: Vec<Utterance>,
    #[serde(default = "patience")]
    pub patience: usize,
    #[serde(default)]
    pub corrects: Vec<String>,
    #[serde(default)]
    pub facts: BTreeMap<String, Sayings>,
    #[serde(default)]
    pub answers: Vec<Custom>,
    #[serde(default)]
    pub truth: BTreeMap<String, Wanted>,
    #[serde(default)]
    pub fix: BTreeMap<String, Sayings>,
    #[serde(default)]
    pub does: Vec<Deed>,
    #[serde(default)]
    pub expect: Expect,
}

const fn patience() -> usize {
    PATIENCE
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    En,
    Es,
}

/// What the line does to the sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Line {
    #[default]
    Clean,
    Noise,
    Loss,
    Echo,
    Television,
}

impl Line {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Noise => "noise",
            Self::Loss => "loss",
            Self::Echo => "echo",
            Self::Television => "television",
        }
    }
}

/// One way to say it, or several in the order in which they are tried.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Sayings {
    One(Utterance),
    More(Vec<Utterance>),
}

impl Sayings {
    #[must_use]
    pub fn all(&self) -> &[Utterance] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::More(more) => more,
        }
    }

    /// The `n`th, from 0; the last one repeats.
    #[must_use]
    pub fn nth(&self, n: usize) -> Option<&Utterance> {
        let all = self.all();
        all.get(n.min(all.len().saturating_sub(1)))
    }
}

/// A question that no general rule knows, and what is said to it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Custom {
    /// Regular expression over the reply's last question, lower case.
    pub cue: String,
    pub say: Sayings,
}

/// Something a caller does beside answering.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deed {
    pub act: Act,
    pub when: String,
    #[serde(default = "after_ms")]
    pub after_ms: u64,
    pub say: Option<Sayings>,
}

const fn after_ms() -> u64 {
    1_500
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Act {
    #[serde(rename = "uh-huh")]
    UhHuh,
    #[serde(rename = "cough")]
    Cough,
    #[serde(rename = "interrupt")]
    Interrupt,
    #[serde(rename = "instead")]
    Instead,
    #[serde(rename = "abandon")]
    Abandon,
    #[serde(rename = "reject")]
    Reject,
    #[serde(rename = "hang up")]
    HangUp,
}

impl Act {
    /// Happens while the agent speaks, at its time.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        matches!(self, Self::UhHuh | Self::Cough | Self::Interrupt | Self::HangUp)
    }
}

/// What must be so in the end.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub items: Option<Vec<Item>>,
    #[serde(default)]
    pub hears: Vec<String>,
    #[serde(default)]
    pub hears_first: Vec<String>,
    #[serde(default)]
    pub not_hears: Vec<String>,
    #[serde(default)]
    pub never: Wanted,
    #[serde(default)]
    pub emergency: Emergency,
    pub reply_language: Option<Language>,
    #[serde(default)]
    pub claim: bool,
}

/// `true`, `false`, or the number that must be named (`"988"`).
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Emergency {
    Is(bool),
    Number(String),
}

impl Default for Emergency {
    fn default() -> Self {
        Self::Is(false)
    }
}

impl Set {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// It cannot be read, or says something that nobody would understand.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str) -> Result<Self> {
        let set: Self = toml::from_str(text)?;
        let mut ids = HashSet::new();
        for scenario in &set.scenario {
            ensure!(ids.insert(scenario.id.as_str()), "two scenarios are called {}", scenario.id);
            scenario.check().with_context(|| format!("scenario {}", scenario.id))?;
        }
        Ok(set)
    }
}

impl Scenario {
    fn check(&self) -> Result<()> {
        ensure!(self.voice > 0, "voices are counted from 1");
        for custom in &self.answers {
            Regex::new(&custom.cue).with_context(|| format!("the cue {:?}", custom.cue))?;
        }
        for deed in &self.does {
            let silent = matches!(deed.act, Act::Cough | Act::HangUp)
                || (deed.act == Act::Interrupt && deed.when == "greeting");
            ensure!(silent || deed.say.is_some(), "a deed at {:?} has no `say`", deed.when);
        }
        Ok(())
    }

    /// Everything that this caller may say.
    pub fn utterances(&self) -> impl Iterator<Item = &Utterance> {
        let said = self.facts.values().chain(self.fix.values());
        let said = said.chain(self.answers.iter().map(|custom| &custom.say));
        let said = said.chain(self.does.iter().filter_map(|deed| deed.say.as_ref()));
        std::iter::once(&self.opening).chain(&self.again).chain(said.flat_map(Sayings::all))
    }

    /// Whether the final state must have something filed.
    #[must_use]
    pub fn wants_something_filed(&self) -> bool {
        self.expect.items.as_ref().is_some_and(|items| !items.is_empty())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ONE: &str = r#"
        [[scenario]]
        id = "a"
        kind = "report"
        voice = 1
        opening = "Hi, <900> a hole."
        [scenario.facts]
        where = ["Mabel, no, Maple Street.", "Maple."]
        [scenario.expect]
        emergency = "988"
        items = [{ kind = "incident", fields = { where = "maple", any = ["hole|pothole", "street"] } }]
    "#;

    #[test]
    fn a_scenario_is_read_and_the_last_saying_repeats() {
        let set = Set::parse(ONE).unwrap();
        let scenario = &set.scenario[0];
        assert_eq!(scenario.facts["where"].nth(7).unwrap().text(), "Maple.");
        assert_eq!(scenario.utterances().count(), 3);
        assert!(scenario.wants_something_filed());
        assert!(matches!(&scenario.expect.emergency, Emergency::Number(number) if number == "988"));
    }

    #[test]
    fn every_set_that_ships_can_be_read() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sets");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let sets: Vec<_> = files.filter(|file| file.extension().is_some_and(|e| e == "toml")).collect();
        assert!(!sets.is_empty());
        for file in sets {
            assert!(!Set::read(&file).unwrap().scenario.is_empty());
        }
    }

    #[test]
    fn two_of_one_name_and_unknown_keys_are_refused() {
        assert!(Set::parse(&format!("{ONE}{ONE}")).is_err());
        assert!(Set::parse(&ONE.replace("voice = 1", "voice = 1\nvoise = 2")).is_err());
    }
}
