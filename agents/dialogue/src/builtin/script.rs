//! The dialogue as data: what may be wanted, which slots a task has, and what is said.
//!
//! Read from TOML once at start and checked whole, so that a missing prompt or a broken pattern shows at start
//! and never on a call.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use pipeline::ports::Language;
use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::emergency::Emergencies;
use super::policy::acts::Acts;

/// Why dialogue data cannot be used: the message names the entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    #[error("{file}: {message}")]
    Syntax { file: &'static str, message: String },
    #[error("pattern of {0}: {1}")]
    Pattern(String, String),
    #[error("{0}")]
    Missing(String),
}

/// How an answer to a slot's question is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotKind {
    /// What happened.
    Story,
    Text,
    Place,
    Address,
    When,
    Injured,
    Name,
    Phone,
    /// A preferred day.
    Day,
    /// One of the offered free times.
    Opening,
    ClaimNumber,
    /// Last name, date of birth or phone, to check who calls.
    Proof,
}

/// When a slot need not be asked.
#[derive(Clone, Debug, Deserialize)]
pub struct SkipWhen {
    pub slot: String,
    pub matches: String,
    #[serde(default)]
    pub unless: Option<String>,
    /// What is filed then: that it was not asked, which is no answer.
    pub value: String,
    pub spoken: String,
}

/// One question of a task.
#[derive(Clone, Debug, Deserialize)]
pub struct Slot {
    pub id: String,
    pub kind: SlotKind,
    pub called: String,
    #[serde(default)]
    pub words: Vec<String>,
    pub ask: Vec<String>,
    /// The first question where what is reported is of a kind: "When did you notice it?" of a street light.
    #[serde(default)]
    pub ask_about: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub ask_known: Vec<String>,
    pub again: Vec<String>,
    #[serde(default)]
    pub read: Option<String>,
    #[serde(default)]
    pub optional: bool,
    #[serde(default)]
    pub skip_when: Option<SkipWhen>,
}

/// A kind of thing that is reported, and the words it is known by.
#[derive(Clone, Debug, Deserialize)]
pub struct About {
    pub id: String,
    pub matches: String,
}

/// What a task leaves in the store.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Files {
    None,
    Incident,
    Inspection,
    Message,
    Escalation,
    Callback,
}

/// What becomes of a task that was not finished.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Incomplete {
    File,
    Drop,
}

/// Something that can be done on the phone.
#[derive(Clone, Debug, Deserialize)]
pub struct TaskScript {
    pub id: String,
    pub files: Files,
    pub spoken: String,
    pub intro: Vec<String>,
    #[serde(default)]
    pub intro_story: Vec<String>,
    #[serde(default)]
    pub read_back: Vec<String>,
    /// The read-back as whole sentences, instead of one per slot. A part in brackets is said when its slot has a
    /// value.
    #[serde(default)]
    pub summary: Vec<String>,
    pub done: Vec<String>,
    pub incomplete: Incomplete,
    #[serde(default)]
    pub done_incomplete: Vec<String>,
    #[serde(default = "yes")]
    pub confirm: bool,
    #[serde(default)]
    pub presets: BTreeMap<String, String>,
    /// Kinds of what is reported; the first that matches is meant.
    #[serde(default)]
    pub about: Vec<About>,
    #[serde(rename = "slot")]
    pub slots: Vec<Slot>,
}

const fn yes() -> bool {
    true
}

impl TaskScript {
    #[must_use]
    pub fn slot(&self, id: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.id == id)
    }
}

/// What a caller may want.
#[derive(Debug)]
pub struct Intent {
    pub id: String,
    pub does: Does,
    pub cues: RegexSet,
    pub not: RegexSet,
    /// A cue wins even over a page that could answer.
    pub firm: bool,
    pub examples: Vec<String>,
}

/// What follows from an intent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Does {
    Task(String),
    Control(String),
}

#[derive(Deserialize)]
struct IntentText {
    id: String,
    does: String,
    cues: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
    #[serde(default)]
    firm: bool,
    examples: Vec<String>,
}

#[derive(Deserialize)]
struct IntentFile {
    intent: Vec<IntentText>,
}

#[derive(Deserialize)]
struct TaskFile {
    task: Vec<TaskScript>,
}

/// All data of the front desk in one language.
#[derive(Debug)]
pub struct Script {
    pub language: Language,
    pub intents: Vec<Intent>,
    pub tasks: Vec<TaskScript>,
    pub emergencies: Emergencies,
    pub(super) acts: Acts,
    prompts: BTreeMap<String, Vec<String>>,
    skips: BTreeMap<(String, String), (Regex, Option<Regex>)>,
    /// By task: kinds of what is reported.
    about: BTreeMap<String, Vec<(String, Regex)>>,
}

/// The files of one language.
#[derive(Clone, Copy)]
struct Texts {
    language: Language,
    intents: &'static str,
    tasks: &'static str,
    emergencies: &'static str,
    acts: &'static str,
    prompts: &'static str,
}

macro_rules! texts {
    ($language:expr, $folder:literal) => {
        Texts {
            language: $language,
            intents: include_str!(concat!("../../data/front_desk/", $folder, "intents.toml")),
            tasks: include_str!(concat!("../../data/front_desk/", $folder, "tasks.toml")),
            emergencies: include_str!(concat!("../../data/front_desk/", $folder, "emergencies.toml")),
            acts: include_str!(concat!("../../data/front_desk/", $folder, "acts.toml")),
            prompts: include_str!(concat!("../../data/front_desk/", $folder, "prompts.toml")),
        }
    };
}

const ENGLISH: Texts = texts!(Language::En, "");
const SPANISH: Texts = texts!(Language::Es, "es/");

impl Script {
    /// The front desk that ships, in one language. Read once: its patterns take a good part of a second to compile.
    ///
    /// # Errors
    /// Only when the shipped data is broken, which a test rules out.
    pub fn front_desk(language: Language) -> Result<&'static Self, ScriptError> {
        static IN_ENGLISH: LazyLock<Result<Script, ScriptError>> = LazyLock::new(|| Script::parse(ENGLISH));
        static IN_SPANISH: LazyLock<Result<Script, ScriptError>> = LazyLock::new(|| Script::parse(SPANISH));
        let script = match language {
            Language::En => &IN_ENGLISH,
            Language::Es => &IN_SPANISH,
        };
        script.as_ref().map_err(Clone::clone)
    }

    fn parse(texts: Texts) -> Result<Self, ScriptError> {
        let intents: IntentFile = read("intents.toml", texts.intents)?;
        let tasks: TaskFile = read("tasks.toml", texts.tasks)?;
        let prompts: BTreeMap<String, Vec<String>> = read("prompts.toml", texts.prompts)?;
        let intents = intents.intent.into_iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let script = Self {
            language: texts.language,
            emergencies: Emergencies::parse(texts.emergencies, texts.language)?,
            acts: Acts::parse(texts.acts)?,
            skips: skips(&tasks.task)?,
            about: about(&tasks.task)?,
            tasks: tasks.task,
            intents,
            prompts,
        };
        script.check()?;
        Ok(script)
    }

    fn check(&self) -> Result<(), ScriptError> {
        for intent in &self.intents {
            if let Does::Task(id) = &intent.does {
                self.task(id)
                    .ok_or_else(|| ScriptError::Missing(format!("intent {}: no task {id}", intent.id)))?;
            }
        }
        let empty = self.prompts.iter().find(|(_, variants)| variants.is_empty());
        match empty {
            Some((key, _)) => Err(ScriptError::Missing(format!("prompt {key} has no variant"))),
            None => Ok(()),
        }
    }

    #[must_use]
    pub fn task(&self, id: &str) -> Option<&TaskScript> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// Variants of a prompt.
    #[must_use]
    pub fn prompt(&self, key: &str) -> &[String] {
        self.prompts.get(key).map_or(&[], Vec::as_slice)
    }

    /// Everything that is said in the same words on every call, for the rendered-phrase cache.
    pub fn fixed_phrases(&self) -> impl Iterator<Item = &str> {
        let prompts = self.prompts.values().flatten();
        let slots = self.tasks.iter().flat_map(|t| t.slots.iter()).flat_map(|s| {
            s.ask.iter().chain(s.ask_about.values().flatten()).chain(&s.ask_known).chain(&s.again)
        });
        let intros = self.tasks.iter().flat_map(|t| t.intro.iter().chain(&t.intro_story).chain(&t.read_back));
        prompts.chain(slots).chain(intros).map(String::as_str)
    }

    /// The kind of thing that an account is about.
    #[must_use]
    pub fn about(&self, task: &str, account: &str) -> Option<&str> {
        let account = account.to_lowercase();
        let kinds = self.about.get(task)?;
        kinds.iter().find(|(_, words)| words.is_match(&account)).map(|(kind, _)| kind.as_str())
    }

    /// Every key of a prompt, and its variants.
    pub fn prompts(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.prompts.iter().map(|(key, variants)| (key.as_str(), variants.as_slice()))
    }

    /// Whether a slot need not be asked, given the value of the slot its rule looks at.
    #[must_use]
    pub fn skips(&self, task: &str, slot: &str, value: &str) -> bool {
        let value = value.to_lowercase();
        self.skips.get(&(task.to_owned(), slot.to_owned())).is_some_and(|(when, unless)| {
            when.is_match(&value) && !unless.as_ref().is_some_and(|u| u.is_match(&value))
        })
    }
}

fn read<T: serde::de::DeserializeOwned>(file: &'static str, text: &str) -> Result<T, ScriptError> {
    toml::from_str(text).map_err(|e| ScriptError::Syntax { file, message: e.to_string() })
}

fn compile(text: IntentText) -> Result<Intent, ScriptError> {
    let set = |patterns: &[String]| {
        RegexSet::new(patterns).map_err(|e| ScriptError::Pattern(text.id.clone(), e.to_string()))
    };
    let does = match text.does.split_once(':') {
        Some(("task", id)) => Does::Task(id.to_owned()),
        Some(("control", id)) => Does::Control(id.to_owned()),
        _ => return Err(ScriptError::Missing(format!("intent {}: does {}", text.id, text.does))),
    };
    Ok(Intent {
        cues: set(&text.cues)?,
        not: set(&text.not)?,
        does,
        id: text.id,
        firm: text.firm,
        examples: text.examples,
    })
}

type Kinds = BTreeMap<String, Vec<(String, Regex)>>;

fn about(tasks: &[TaskScript]) -> Result<Kinds, ScriptError> {
    let compiled = |about: &About| {
        let pattern = Regex::new(&about.matches);
        let pattern = pattern.map_err(|e| ScriptError::Pattern(about.id.clone(), e.to_string()))?;
        Ok((about.id.clone(), pattern))
    };
    let kinds = |task: &TaskScript| task.about.iter().map(compiled).collect::<Result<Vec<_>, _>>();
    tasks.iter().map(|task| Ok((task.id.clone(), kinds(task)?))).collect()
}

type Skips = BTreeMap<(String, String), (Regex, Option<Regex>)>;

fn skips(tasks: &[TaskScript]) -> Result<Skips, ScriptError> {
    let mut out = BTreeMap::new();
    for (task, slot) in tasks.iter().flat_map(|t| t.slots.iter().map(move |s| (t, s))) {
        let Some(skip) = &slot.skip_when else { continue };
        let pattern =
            |text: &str| Regex::new(text).map_err(|e| ScriptError::Pattern(slot.id.clone(), e.to_string()));
        let unless = skip.unless.as_deref().map(pattern).transpose()?;
        out.insert((task.id.clone(), slot.id.clone()), (pattern(&skip.matches)?, unless));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn both() -> [&'static Script; 2] {
        [Language::En, Language::Es].map(|language| Script::front_desk(language).unwrap())
    }

    #[test]
    fn shipped_data_loads() {
        for script in both() {
            assert!(script.intents.len() > 15 && script.tasks.len() >= 5);
            assert!(script.fixed_phrases().count() > 80);
        }
    }

    #[test]
    fn broken_data_is_named() {
        let with = |intents| Script::parse(Texts { intents, ..ENGLISH });
        let broken = with("[[intent]]\nid='x'\ndoes='task:y'\ncues=['(']\nexamples=[]");
        assert!(matches!(broken, Err(ScriptError::Pattern(id, _)) if id == "x"));
        let missing = with("[[intent]]\nid='x'\ndoes='task:y'\ncues=[]\nexamples=[]");
        assert!(matches!(missing, Err(ScriptError::Missing(_))));
    }

    #[test]
    fn every_prompt_that_the_engine_names_exists_in_both_languages() {
        let named =
            Regex::new(r#"\b(?:say|ask|prompt|hang)\w*\(\s*(?:Language::E[ns],\s*)?"([a-z0-9_]+)""#).unwrap();
        let scripts = both();
        let mut count = 0;
        for source in [
            include_str!("engine.rs"),
            include_str!("controls.rs"),
            include_str!("tasks.rs"),
            include_str!("beliefs/confirm.rs"),
            include_str!("finish.rs"),
            include_str!("answer.rs"),
            include_str!("policy/clarify.rs"),
            include_str!("policy/feelings.rs"),
            include_str!("policy/missed.rs"),
            include_str!("policy/requests.rs"),
            include_str!("policy/serve.rs"),
            include_str!("policy/steer.rs"),
            include_str!("read_back.rs"),
            include_str!("appointment_times.rs"),
            include_str!("tongues.rs"),
            include_str!("spanish_callback.rs"),
            include_str!("secret.rs"),
            include_str!("urgent.rs"),
        ] {
            for found in named.captures_iter(source) {
                count += 1;
                for script in &scripts {
                    assert!(!script.prompt(&found[1]).is_empty(), "{:?}: {}", script.language, &found[1]);
                }
            }
        }
        assert!(count > 60, "{count}");
    }

    #[test]
    fn both_languages_hold_the_same_tasks_slots_and_prompts() {
        let [english, spanish] = both();
        let shape = |script: &Script| -> Vec<String> {
            let slot = |task: &TaskScript, s: &Slot| {
                format!("{}/{} {:?} {} {}", task.id, s.id, s.kind, s.optional, s.skip_when.is_some())
            };
            let tasks = script.tasks.iter().flat_map(|t| t.slots.iter().map(move |s| slot(t, s)));
            let files = script.tasks.iter().map(|t| format!("{} {:?} {:?}", t.id, t.files, t.presets));
            tasks.chain(files).chain(script.prompts.keys().cloned()).collect()
        };
        let [english, spanish] = [shape(english), shape(spanish)];
        let odd: Vec<_> = english
            .iter()
            .filter(|line| !spanish.contains(line))
            .chain(spanish.iter().filter(|line| !english.contains(line)))
            .collect();
        assert!(odd.is_empty(), "{odd:#?}");
    }

    #[test]
    fn places_to_fill_are_the_same_in_both_languages() {
        let [english, spanish] = both();
        // The county's own facts may be named or not.
        let place = Regex::new(r"\{[a-z_]+\}").unwrap();
        let facts = ["{county}", "{address}", "{office_phone}", "{hours}", "{body}", "{of_body}"];
        let places = |variants: &[String]| -> std::collections::BTreeSet<String> {
            let all = variants.iter().map(|v| v.to_lowercase());
            let found = |v: String| place.find_iter(&v).map(|m| m.as_str().to_owned()).collect::<Vec<_>>();
            all.flat_map(found).filter(|p| !facts.contains(&p.as_str())).collect()
        };
        for (key, variants) in &english.prompts {
            assert_eq!(places(variants), places(spanish.prompt(key)), "{key}");
        }
    }

    /// Every way in which a tenant's facts may be there or not.
    #[test]
    fn no_prompt_names_a_fact_that_is_not_known() {
        let full = crate::seed::riverbend(chrono::DateTime::UNIX_EPOCH).unwrap().facts;
        let facts = ["{county}", "{address}", "{office_phone}", "{hours}"];
        for missing in 0..1_u8 << facts.len() {
            let mut some = full.clone();
            let lacks = |n: usize| missing & (1 << n) != 0;
            for (n, fact) in
                [&mut some.county, &mut some.office_address, &mut some.office_phone].into_iter().enumerate()
            {
                if lacks(n) {
                    fact.clear();
                }
            }
            some.hours_known = !lacks(3);
            for script in both() {
                for (key, variants) in &script.prompts {
                    let said: Vec<String> = variants
                        .iter()
                        .filter(|variant| some.knows(variant))
                        .map(|variant| some.fill(script.language, variant))
                        .collect();
                    for text in &said {
                        let holes =
                            ["  ", " ,", " .", "at ,", "en ,", "{county", "{address", "{office", "{hours"];
                        assert!(!holes.iter().any(|hole| text.contains(hole)), "{key}: {text}");
                    }
                    let plain = script.prompt(&format!("{key}_plain"));
                    assert!(
                        !said.is_empty() || !plain.is_empty(),
                        "{key} has nothing to say: add {key}_plain"
                    );
                    assert!(
                        plain.iter().all(|variant| !facts.iter().any(|fact| variant.contains(fact))),
                        "{key}"
                    );
                }
            }
        }
    }
}
