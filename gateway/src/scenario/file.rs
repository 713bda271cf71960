//! The file of a scenario: YAML, read as a whole, with each fault at its line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::utterance::Utterance;
use super::wanted::{Pattern, Tongue, Wanted};
use crate::demo;
use caller::script::pressed;

/// The published schema of the file.
pub const SCHEMA: &str = include_str!("../../data/scenarios/schema.json");
/// Turns of a conversation that goes by answers, where no number is given.
const TURNS: usize = 24;
/// Longest a scenario may take, in seconds, where no limit is given.
const LIMIT_S: u64 = 240;
/// Longest a wait or a silence may be, ms.
const LONGEST_WAIT_MS: u64 = 120_000;

/// A fault in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("{file}: {what}")]
    File { file: String, what: String },
    #[error("{file}, line {line}: {what}")]
    Line { file: String, line: u64, what: String },
}

/// A call as a test.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Where it is written.
    pub file: PathBuf,
    pub name: String,
    /// What the caller wants, for readers.
    pub about: String,
    pub tags: Vec<String>,
    /// Why it fails today. It has to fail until this line is taken out.
    pub known_failure: Option<String>,
    pub call: Call,
    pub steps: Vec<Step>,
    pub answers: Vec<Answer>,
    pub expect: Expect,
}

impl Scenario {
    /// The file's name without its ending: unique in a folder.
    #[must_use]
    pub fn id(&self) -> String {
        self.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }
}

/// Who calls whom, over what line.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Call {
    /// Number that is called; `tenant` calls its first line instead.
    pub to: String,
    pub tenant: Option<String>,
    /// Number of the caller; empty: withheld. Left out: one of its own.
    pub from: Option<String>,
    /// The caller's language.
    pub language: Tongue,
    pub line: Line,
    pub limit_s: u64,
}

impl Default for Call {
    fn default() -> Self {
        Self {
            to: demo::LINE.to_owned(),
            tenant: None,
            from: None,
            language: Tongue::En,
            line: Line::default(),
            limit_s: LIMIT_S,
        }
    }
}

/// What the line and the room do to the caller's sound.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Line {
    /// Hiss and hum of a street, so many decibels under the caller's voice.
    pub noise_db: Option<f32>,
    /// Share of the caller's frames that are lost, in bursts.
    pub loss_percent: Option<f32>,
    /// The caller's loudspeaker gives our own voice back, so many decibels softer.
    pub speakerphone_db: Option<f32>,
    /// Words that somebody else in the room goes on saying, 18 dB under the caller.
    pub television: Option<String>,
}

/// One thing that the caller does, and what must come of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Line of the file.
    pub line: u64,
    pub deed: Deed,
    /// Thinking before it, ms.
    pub wait_ms: u64,
    /// Done while a reply is heard, instead of after it.
    pub over: Option<Over>,
    pub expect: Reply,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    Say(Utterance, Option<Tongue>),
    Wav(PathBuf),
    Keys(Vec<char>),
    /// Nothing for so long, ms, though it is the caller's turn.
    Silence(u64),
    /// Answers by what is asked, for so many turns at most.
    Converse(usize),
    HangUp,
}

/// When the caller speaks over a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Over {
    pub moment: Moment,
    /// The reply must stop: an interruption. Else it must go on: a back-channel.
    pub yields: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// So long after the reply's voice began.
    AfterMs(u64),
    /// About when this word of it is said.
    AtWord(String),
}

/// What the caller says where a conversation goes by answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Matches what was asked.
    pub asked: Pattern,
    /// The first answers the first time, the next when asked again, the last repeats.
    pub say: Vec<Utterance>,
}

/// What must be so of the reply to one step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reply {
    pub contains: Wanted,
    pub any_of: Wanted,
    pub not: Wanted,
    pub matches: Option<Pattern>,
    pub language: Option<Tongue>,
    /// Last sound of the caller to the first of the reply, ms.
    pub max_ms: Option<u64>,
    /// `false`: nothing may be said.
    pub answered: Option<bool>,
}

/// What must be so of the whole call.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    pub greeting: Reply,
    /// Each must be heard in some reply after the greeting.
    pub hears: Wanted,
    /// None may be heard in any.
    pub not_hears: Wanted,
    /// Language of the call at its end.
    pub language: Option<Tongue>,
    /// Tools that must have succeeded, and tools that may not be used.
    pub tools: Vec<String>,
    pub not_tools: Vec<String>,
    /// All the work that the call left, in any order.
    pub work: Option<Vec<Item>>,
    /// Kinds of which none may be left.
    pub not_work: Vec<String>,
    /// Words that no field may hold.
    pub never: Wanted,
    /// Hash of the work left, with everything that differs from run to run taken out.
    pub state: Option<String>,
    /// Team that works the call afterwards.
    pub team: Option<String>,
    pub attention: Option<Attention>,
    pub attention_reason: Option<String>,
    pub ended_by: Option<EndedBy>,
    pub latency: Latency,
    /// Longest silence that the caller had to bear, ms.
    pub max_silence_ms: Option<u64>,
    /// Most times that a reply may begin while the caller speaks.
    pub max_interruptions: Option<usize>,
    /// Longest that a reply may go on once the caller speaks over it, ms.
    pub max_yield_ms: Option<u64>,
}

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// `incident`, `inspection`, `message`, `escalation`, `callback`, or alternatives between `|`.
    pub kind: String,
    /// `from` for a number is the number that is called from.
    #[serde(default)]
    pub fields: BTreeMap<String, Wanted>,
    /// Fields that may not be filled in.
    #[serde(default)]
    pub missing: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attention {
    None,
    Watch,
    Urgent,
}

impl Attention {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Watch => "watch",
            Self::Urgent => "urgent",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EndedBy {
    Caller,
    Agent,
}

/// Bounds of the answers' times, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Latency {
    pub max_ms: Option<u64>,
    pub p95_ms: Option<u64>,
}

/// As it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    tags: Vec<String>,
    known_failure: Option<String>,
    #[serde(default)]
    call: Call,
    steps: Vec<Spanned<WrittenStep>>,
    #[serde(default)]
    answers: Vec<Answer>,
    #[serde(default)]
    expect: Expect,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    say: Option<Utterance>,
    language: Option<Tongue>,
    wav: Option<PathBuf>,
    keys: Option<String>,
    silence_ms: Option<u64>,
    converse: Option<usize>,
    #[serde(default)]
    hang_up: bool,
    #[serde(default)]
    wait_ms: u64,
    over: Option<WrittenOver>,
    #[serde(default)]
    expect: Reply,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenOver {
    after_ms: Option<u64>,
    at_word: Option<String>,
    yields: Option<bool>,
}

/// Reads a file.
///
/// # Errors
/// The first fault, with its place.
pub fn read(path: &Path) -> Result<Scenario, Fault> {
    let text = std::fs::read_to_string(path).map_err(|error| Fault::File {
        file: path.display().to_string(),
        what: format!("cannot be read: {error}"),
    })?;
    parse(&text, path)
}

/// Every scenario of files and folders, in the order of their names; folders within folders too.
///
/// # Errors
/// The first fault of each file that has one.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Scenario>, Vec<Fault>> {
    let (mut files, mut faults) = (Vec::new(), Vec::new());
    for path in paths {
        if let Err(error) = find(path, &mut files) {
            faults.push(Fault::File { file: path.display().to_string(), what: error.to_string() });
        }
    }
    let mut scenarios = Vec::new();
    for file in files {
        match read(&file) {
            Ok(scenario) => scenarios.push(scenario),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(scenarios) } else { Err(faults) }
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    inside.sort();
    for path in inside {
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        if path.is_dir() || is_yaml {
            find(&path, files)?;
        }
    }
    Ok(())
}

/// Reads the text of a file.
///
/// # Errors
/// The first fault, with its place.
pub fn parse(text: &str, file: &Path) -> Result<Scenario, Fault> {
    let options = serde_saphyr::options! { with_snippet: false };
    let written: Written = serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let line = error.location().map_or(0, |location| location.line());
        let what = unplaced(&error.to_string());
        match key(text, line) {
            Some(key) if !what.contains(key) => place(file, line, &format!("{key}: {what}")),
            _ => place(file, line, &what),
        }
    })?;
    let mut steps = Vec::with_capacity(written.steps.len());
    for step in written.steps {
        let line = step.referenced.line();
        steps.push(check(step.value, line, file).map_err(|what| place(file, line, &what))?);
    }
    let scenario = Scenario {
        file: file.to_owned(),
        name: written.name,
        about: written.about,
        tags: written.tags,
        known_failure: written.known_failure,
        call: written.call,
        steps,
        answers: written.answers,
        expect: written.expect,
    };
    whole(&scenario).map_err(|what| place(file, 0, &what))?;
    Ok(scenario)
}

fn place(file: &Path, line: u64, what: &str) -> Fault {
    let (file, what) = (file.display().to_string(), what.to_owned());
    if line == 0 { Fault::File { file, what } } else { Fault::Line { file, line, what } }
}

/// The key that a line begins with.
fn key(text: &str, line: u64) -> Option<&str> {
    let line = text.lines().nth(usize::try_from(line.checked_sub(1)?).ok()?)?;
    let (key, _) = line.trim_start_matches([' ', '\t', '-']).split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_key.then_some(key)
}

/// The message without the place that the reader puts at its end: ours stands in front.
fn unplaced(message: &str) -> String {
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(message).trim();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    match first.split_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => first.to_owned(),
    }
}

fn check(step: WrittenStep, line: u64, file: &Path) -> Result<Step, String> {
    let language = step.language;
    let mut deeds = Vec::new();
    if let Some(said) = step.say {
        deeds.push(Deed::Say(said, language));
    }
    if let Some(wav) = step.wav {
        deeds.push(Deed::Wav(file.parent().unwrap_or(Path::new("")).join(wav)));
    }
    if let Some(keys) = step.keys {
        deeds.push(Deed::Keys(pressed(&keys).map_err(|error| format!("keys: {error}"))?));
    }
    deeds.extend(step.silence_ms.map(Deed::Silence));
    deeds.extend(step.converse.map(|turns| Deed::Converse(if turns == 0 { TURNS } else { turns })));
    deeds.extend(step.hang_up.then_some(Deed::HangUp));
    let (Some(deed), true) = (deeds.pop(), deeds.is_empty()) else {
        return Err("a step is one of say, wav, keys, silence_ms, converse and hang_up".to_owned());
    };
    if language.is_some() && !matches!(deed, Deed::Say(..)) {
        return Err("language goes with say".to_owned());
    }
    let over = step.over.map(over).transpose()?;
    if over.is_some() && matches!(deed, Deed::Silence(_) | Deed::Converse(_)) {
        return Err("over goes with say, wav, keys and hang_up".to_owned());
    }
    let waits = [step.wait_ms, if let Deed::Silence(ms) = deed { ms } else { 0 }];
    if waits.iter().any(|ms| *ms > LONGEST_WAIT_MS) {
        return Err(format!("no wait is longer than {LONGEST_WAIT_MS} ms"));
    }
    Ok(Step { line, deed, wait_ms: step.wait_ms, over, expect: step.expect })
}

fn over(written: WrittenOver) -> Result<Over, String> {
    let moment = match (written.after_ms, written.at_word) {
        (Some(ms), None) => Moment::AfterMs(ms),
        (None, Some(word)) => Moment::AtWord(word),
        _ => return Err("over: give after_ms or at_word".to_owned()),
    };
    Ok(Over { moment, yields: written.yields.unwrap_or(true) })
}

fn whole(scenario: &Scenario) -> Result<(), String> {
    if scenario.name.trim().is_empty() {
        return Err("name is empty".to_owned());
    }
    if scenario.steps.is_empty() {
        return Err("steps is empty: a caller does something".to_owned());
    }
    if scenario.call.limit_s == 0 {
        return Err("call.limit_s is 0: give seconds".to_owned());
    }
    let converses = scenario.steps.iter().any(|step| matches!(step.deed, Deed::Converse(_)));
    match (converses, scenario.answers.is_empty()) {
        (true, true) => Err("converse needs answers".to_owned()),
        (false, false) => Err("answers are for a step that is converse".to_owned()),
        _ => match scenario.answers.iter().find(|answer| answer.say.is_empty()) {
            Some(answer) => Err(format!("the answer to `{}` says nothing", answer.asked.as_str())),
            None => Ok(()),
        },
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
