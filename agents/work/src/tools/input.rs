//! Reads the input of a tool call field by field and gathers all that is wrong with it.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use serde_json::{Map, Value};

use super::Seen;
use dialogue::builtin::Opening;
use governance::pii::Kind;
use language::english::digits::{Phone, whole_phone};
use language::shown::Shape;

/// Days ahead for which an appointment or call-back can be asked.
const FURTHEST_DAYS: i64 = 370;

pub(super) struct Input<'a> {
    fields: Map<String, Value>,
    pub(super) seen: Seen<'a>,
    problems: Vec<String>,
}

/// A number to call back.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum CallBack {
    /// The one that the call comes from, which only zone code knows.
    Caller,
    /// E.164.
    Number(String),
}

impl std::fmt::Debug for CallBack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Caller => f.write_str("Caller"),
            Self::Number(number) => write!(f, "Number({:?})", number.shape()),
        }
    }
}

impl<'a> Input<'a> {
    /// Takes the fields of an input that has passed its tool's schema.
    pub(super) fn of(fields: Map<String, Value>, seen: Seen<'a>) -> Self {
        Self { fields, seen, problems: Vec::new() }
    }

    /// # Errors
    /// Everything that is wrong, in one text.
    pub(super) fn finish(self) -> Result<(), String> {
        if self.problems.is_empty() { Ok(()) } else { Err(self.problems.join(" ")) }
    }

    fn problem(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    /// Whether a field is there and says something.
    fn has(&self, name: &str) -> bool {
        self.fields.get(name).is_some_and(|v| !v.is_null() && v.as_str() != Some(""))
    }

    pub(super) fn need(&mut self, name: &str) {
        if !self.has(name) {
            self.missing(name);
        }
    }

    pub(super) fn missing(&mut self, name: &str) {
        if !self.problems.iter().any(|p| p.starts_with(name)) {
            self.problem(format!("{name} is missing."));
        }
    }

    /// Well formed, and still not to be done.
    pub(super) fn refuse(&mut self, why: &str) {
        self.problem(why);
    }

    /// A text that must be there. Personal data in it is put in for its tokens.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        let text = self.maybe_text(name);
        if text.is_none() {
            self.missing(name);
        }
        text
    }

    pub(super) fn maybe_text(&mut self, name: &str) -> Option<String> {
        let text = self.string(name)?;
        Some(self.seen.redactor.reveal(&text))
    }

    /// One of the words that the schema lists.
    pub(super) fn word(&mut self, name: &str) -> Option<String> {
        self.string(name)
    }

    /// A field as trimmed text without control characters; empty and `null` are as good as absent.
    fn string(&mut self, name: &str) -> Option<String> {
        let text = match self.fields.remove(name)? {
            Value::Null => return None,
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => {
                self.problem(format!("{name} must be a text."));
                return None;
            }
        };
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }

    /// A person's name.
    pub(super) fn name(&mut self, field: &str) -> Option<String> {
        let name = self.maybe_text(field)?;
        let letters = name.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2 || name.chars().any(|c| c.is_ascii_digit()) {
            self.problem(format!("{field} must be the name of a person, or be left out."));
            return None;
        }
        Some(name)
    }

    /// One last name. A list of them would be a list of guesses.
    pub(super) fn last_name(&mut self, field: &str) -> Option<String> {
        let name = self.name(field)?;
        if name.split_whitespace().count() > 2 {
            self.problem(format!("{field} must be one last name."));
            return None;
        }
        Some(name)
    }

    /// A day from today on.
    pub(super) fn coming_day(&mut self, name: &str) -> Option<NaiveDate> {
        let given = self.string(name)?;
        let today = self.seen.now.date();
        match given.parse::<NaiveDate>() {
            Ok(day) if day < today => {
                self.problem(format!("{name} is in the past; today is {today}."));
                None
            }
            Ok(day) if (day - today).num_days() > FURTHEST_DAYS => {
                self.problem(format!("{name} is more than a year ahead."));
                None
            }
            Ok(day) => Some(day),
            Err(_) => {
                self.problem(format!("{name} must be a date such as {today}."));
                None
            }
        }
    }

    /// When something happened: a date, or a date and time, as ISO text. Never later than today.
    pub(super) fn past_moment(&mut self, name: &str) -> Option<String> {
        let given = self.string(name)?;
        let today = self.seen.now.date();
        let Some((day, time)) = moment(&given) else {
            self.problem(format!("{name} must be a date or a local date and time such as {today}T15:00."));
            return None;
        };
        if day > today {
            self.problem(format!("{name} is in the future; today is {today}."));
            return None;
        }
        Some(time.map_or_else(|| day.to_string(), |time| format!("{day}T{}", time.format("%H:%M"))))
    }

    /// A phone number: a token, `caller`, or ten digits.
    pub(super) fn phone(&mut self, name: &str) -> Option<CallBack> {
        let given = self.string(name)?;
        if given.eq_ignore_ascii_case("caller") {
            if !self.seen.knows_caller {
                self.problem(format!("{name}: the number they call from is not known; ask for one."));
                return None;
            }
            return Some(CallBack::Caller);
        }
        let area = &self.seen.facts.area_code;
        let known = self.seen.redactor.phone(&given).and_then(|digits| Phone::from_digits(digits, area));
        let found = known.or_else(|| whole_phone(&given));
        if found.is_none() {
            self.problem(format!(
                "{name} must be a token such as ⟨phone:1⟩ from the caller's words, or \"caller\" for the number they call from."
            ));
        }
        found.map(|phone| CallBack::Number(phone.e164()))
    }

    /// A free time that was offered on this call.
    pub(super) fn offered_time(&mut self, name: &str) -> Option<Opening> {
        let Some(given) = self.string(name) else {
            self.problem(format!("{name} is missing."));
            return None;
        };
        let found = self.seen.offered.get(&given).filter(|o| !o.id.is_nil()).cloned();
        match &found {
            None => self.problem(format!("{name} must be the name of a time from list_free_times.")),
            Some(opening) if opening.starts <= self.seen.now => {
                self.problem(format!("{name} is in the past; call list_free_times again."));
                return None;
            }
            Some(_) => {}
        }
        found
    }

    /// A date of birth, as the words that the check of a claim's holder reads.
    pub(super) fn birth_date(&mut self, name: &str) -> Option<String> {
        let given = self.string(name)?;
        if let Some(said) = self.seen.redactor.told(&given, Kind::DateOfBirth) {
            return Some(said.to_owned());
        }
        match given.parse::<NaiveDate>() {
            Ok(day) if day < self.seen.now.date() => Some(day.format("%m/%d/%Y").to_string()),
            _ => {
                self.problem(format!("{name} must be a token such as ⟨date_of_birth:1⟩ from the caller's words, or a date in the past such as 1961-03-09."));
                None
            }
        }
    }

    /// Digits of a claim number.
    pub(super) fn claim_number(&mut self, name: &str) -> Option<String> {
        let Some(given) = self.string(name) else {
            self.problem(format!("{name} is missing."));
            return None;
        };
        let digits: String = given.chars().filter(char::is_ascii_digit).collect();
        let others = given.chars().filter(|c| c.is_alphanumeric() && !c.is_ascii_digit());
        if !(4..=8).contains(&digits.len()) || !others.clone().all(|c| "clmCLM".contains(c)) {
            self.problem(format!("{name} must be like CLM-20417."));
            return None;
        }
        Some(format!("CLM-{digits}"))
    }
}

fn moment(text: &str) -> Option<(NaiveDate, Option<NaiveTime>)> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some((day, None));
    }
    ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())
        .map(|at| (at.date(), Some(at.time())))
}
