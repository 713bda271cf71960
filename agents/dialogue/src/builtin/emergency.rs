//! Emergencies: heard at once, in any state, without tripping over fire-department hours.

use pipeline::ports::Language;
use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::script::ScriptError;
use language::Ear;

#[derive(Deserialize)]
struct File {
    benign: Vec<String>,
    past: String,
    over: String,
    calm: String,
    present: String,
    nuisance: String,
    danger: String,
    unhelped: String,
    goodbye: String,
    emergency: Vec<KindText>,
}

#[derive(Deserialize)]
struct KindText {
    id: String,
    #[serde(default)]
    say: Option<String>,
    now: Vec<String>,
    #[serde(default)]
    unless_past: Vec<String>,
}

/// One kind of emergency.
#[derive(Debug)]
struct Kind {
    id: String,
    lifeline: bool,
    now: RegexSet,
    unless_past: RegexSet,
}

/// What was heard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Emergency {
    pub kind: String,
    /// Name the 988 lifeline as well.
    pub lifeline: bool,
}

/// The patterns, compiled.
#[derive(Debug)]
pub struct Emergencies {
    ear: Ear,
    benign: Regex,
    past: Regex,
    /// A day that is gone by, said in so many words.
    over: Regex,
    /// Nobody is in danger though somebody was hurt.
    calm: Regex,
    present: Regex,
    nuisance: Regex,
    danger: Regex,
    unhelped: Regex,
    goodbye: Regex,
    kinds: Vec<Kind>,
}

impl Emergencies {
    /// # Errors
    /// When the data is not TOML of this shape or a pattern is broken.
    pub fn parse(text: &str, language: Language) -> Result<Self, ScriptError> {
        let file: File = toml::from_str(text)
            .map_err(|e| ScriptError::Syntax { file: "emergencies.toml", message: e.to_string() })?;
        let kinds = file.emergency.into_iter().map(kind).collect::<Result<_, _>>()?;
        Ok(Self {
            ear: Ear(language),
            benign: regex(&format!(r"\b(?:{})", file.benign.join("|")), "benign")?,
            past: regex(&file.past, "past")?,
            over: regex(&file.over, "over")?,
            calm: regex(&file.calm, "calm")?,
            present: regex(&file.present, "present")?,
            nuisance: regex(&file.nuisance, "nuisance")?,
            danger: regex(&file.danger, "danger")?,
            unhelped: regex(&file.unhelped, "unhelped")?,
            goodbye: regex(&file.goodbye, "goodbye")?,
            kinds,
        })
    }

    /// The emergency in an utterance, if there is one.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Emergency> {
        let plain = self.ear.plain(text);
        if self.is_nuisance(&plain) {
            return None;
        }
        self.kind_of(&plain)
    }

    /// Whether an agent's reply leaves a caller without help: it did not understand, has no answer, offers a message or
    /// a person, or says goodbye to a caller who was not served.
    #[must_use]
    pub fn unhelped(&self, reply: &str, served: bool) -> bool {
        let plain = reply.to_lowercase().replace('’', "'");
        self.unhelped.is_match(&plain) || (!served && self.goodbye.is_match(&plain))
    }

    /// A thing about the house that the caller calls an emergency. Whoever answers names 911 all the same.
    #[must_use]
    pub fn nuisance(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        self.is_nuisance(&plain) && self.kind_of(&plain).is_some()
    }

    /// Only where the word is all there is of an emergency: any sign of danger to somebody counts for more.
    fn is_nuisance(&self, plain: &str) -> bool {
        self.nuisance.is_match(plain)
            && !self.danger.is_match(plain)
            && self.kind_of(plain).is_none_or(|found| found.kind == "asked")
    }

    /// Whether the words tell of another day than today, and nothing in them says that it goes on.
    #[must_use]
    pub fn is_of_another_day(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        self.over.is_match(&plain) && !self.present.is_match(&plain)
    }

    /// Whether the words say that whoever was hurt is well, or will be.
    #[must_use]
    pub fn is_calm(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        self.calm.is_match(&plain) && self.kind_of(&plain).is_none()
    }

    fn kind_of(&self, plain: &str) -> Option<Emergency> {
        let past = self.past.is_match(plain) && !self.present.is_match(plain);
        let left = self.benign.replace_all(plain, " … ");
        let hit = |kind: &&Kind| {
            // A thing of the past is no emergency, except where the caller's own life is the subject.
            let now = kind.now.is_match(&left) && (!past || kind.lifeline || kind.id == "asked");
            now || (!past && kind.unless_past.is_match(&left))
        };
        self.kinds.iter().find(hit).map(|kind| Emergency { kind: kind.id.clone(), lifeline: kind.lifeline })
    }
}

fn kind(text: KindText) -> Result<Kind, ScriptError> {
    let set = |patterns: &[String]| {
        RegexSet::new(patterns).map_err(|e| ScriptError::Pattern(text.id.clone(), e.to_string()))
    };
    Ok(Kind {
        now: set(&text.now)?,
        unless_past: set(&text.unless_past)?,
        lifeline: text.say.is_some(),
        id: text.id,
    })
}

fn regex(pattern: &str, name: &str) -> Result<Regex, ScriptError> {
    Regex::new(pattern).map_err(|e| ScriptError::Pattern(name.to_owned(), e.to_string()))
}
