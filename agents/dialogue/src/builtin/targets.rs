//! People of the tenant's that a caller can be put through to.

use chrono::{Datelike, NaiveDateTime, Timelike};
use pipeline::ports::Language;

use super::facts::TenantFacts;
use super::week::Week;

/// A person or desk that takes calls.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Target {
    /// As callers hear it: "the clerk's office".
    pub name: String,
    /// E.164.
    pub number: String,
    /// When it takes calls. Empty: in the office's hours; where nobody said those, always.
    pub week: Week,
    /// Tags of languages that are spoken there. Empty: any.
    pub languages: Vec<String>,
    /// What it is there for, in words that callers use. Empty: anything.
    pub subjects: Vec<String>,
    /// The agent may put callers through by itself.
    pub by_agent: bool,
    /// The person there is asked first, while the caller waits with the agent.
    pub warm: bool,
    /// Once they have taken the call the agent stays as a silent note-taker, if the caller does not mind.
    pub notes: bool,
    /// How many people there can be on calls at a time. None is read as one.
    pub lines: u32,
    /// Callers may wait in line for it, once all of them are.
    pub queue: bool,
    /// The lines (E.164) whose callers it takes. Empty: those of all.
    pub on_lines: Vec<String>,
}

impl Target {
    /// How many people can be on calls there at a time.
    #[must_use]
    pub fn people(&self) -> u32 {
        self.lines.max(1)
    }

    /// Whether it takes calls at a local time.
    #[must_use]
    pub fn is_open(&self, facts: &TenantFacts, now: NaiveDateTime) -> bool {
        let week = match self.week {
            own if !own.is_empty() => own,
            _ if facts.hours_known => facts.week(),
            _ => return true,
        };
        let minute = now.hour() * 60 + now.minute();
        // A target with hours of its own keeps them: who is on duty on a holiday says so there.
        if self.week.is_empty() && facts.holidays.contains_key(&now.date()) {
            return false;
        }
        week.on(now.weekday()).is_some_and(|span| (span.opens..span.closes).contains(&minute))
    }

    /// Whether words are about what it is there for; both plain, without regard to plurals.
    pub(super) fn is_for(&self, words: &str, plain: impl Fn(&str) -> String) -> bool {
        let said: Vec<&str> = words.split_whitespace().map(stem).collect();
        let is_said = |subject: &String| {
            let subject = plain(subject);
            let mut parts = subject.split_whitespace().map(stem).peekable();
            parts.peek().is_some() && parts.all(|part| said.contains(&part))
        };
        self.subjects.iter().any(is_said)
    }

    /// Whether it takes callers of a line (E.164).
    #[must_use]
    pub fn takes_line(&self, line: &str) -> bool {
        self.on_lines.is_empty() || self.on_lines.iter().any(|own| own == line)
    }

    fn speaks(&self, language: Language) -> bool {
        self.languages.is_empty() || self.languages.iter().any(|tag| tag == language.code())
    }
}

/// A word without its plural.
fn stem(word: &str) -> &str {
    let stem = word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word);
    if stem.len() < 3 { word } else { stem }
}

impl TenantFacts {
    /// Those that the agent may put a caller of a line through to now, in their language, in the tenant's order.
    pub fn open_targets<'t>(
        &'t self,
        now: NaiveDateTime,
        language: Language,
        line: &'t str,
    ) -> impl Iterator<Item = &'t Target> {
        self.targets.iter().filter(move |target| {
            target.by_agent && target.speaks(language) && target.takes_line(line) && target.is_open(self, now)
        })
    }
}
