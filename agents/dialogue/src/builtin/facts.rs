//! What a tenant's line knows of its own office.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveDateTime, Timelike, Weekday};
use governance::pii::Public;
use pipeline::ports::Language;
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::targets::Target;
use super::week::{Span, Week};

/// Facts of a tenant's own that the dialogue speaks of. One that is not known is empty, and what names it is not said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TenantFacts {
    /// The tenant's name: "Riverbend County", "City of Oakdale".
    pub county: String,
    #[serde(default)]
    pub body: Body,
    pub office_address: String,
    /// As spoken: "202-555-0110".
    pub office_phone: String,
    /// For numbers given with seven digits.
    pub area_code: String,
    /// IANA name.
    pub timezone: String,
    /// Office hours on weekdays, local.
    pub opens_hour: u32,
    pub closes_hour: u32,
    /// The hours are the office's own and may be told. `false`: nobody said so, and they only bound callbacks.
    #[serde(default = "yes")]
    pub hours_known: bool,
    /// Hours by day, where they are not the same on all weekdays. `None`: `opens_hour` to `closes_hour`, Monday to Friday.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub week: Option<Week>,
    /// Days on which the office is closed, with their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub holidays: BTreeMap<NaiveDate, String>,
    /// Lines (E.164) whose greeting does not say what to do in an emergency.
    #[serde(default)]
    pub no_emergency_notice: Vec<String>,
    /// The streets there are, by which a misheard one is known. Empty: places are taken as they are heard.
    #[serde(default)]
    pub streets: Vec<String>,
    /// The tenant's own sentences in place of shipped ones: by language tag and key, as `docs/wording.md` lists them.
    #[serde(default)]
    pub wording: super::wording::Wording,
    /// Numbers the agent itself gives out: never personal data.
    #[serde(default)]
    pub public_numbers: Vec<String>,
    /// How long a caller waits for people of the office who are asked in mid-call. 0: nobody is asked.
    #[serde(default)]
    pub ask_staff_s: u32,
    /// A message is left on machines that answer calls of ours.
    #[serde(default)]
    pub voicemail: bool,
    /// A request that is urgent may be called back at any hour.
    #[serde(default = "yes")]
    pub urgent_any_hour: bool,
    /// Hours before an appointment within which we remind of it by ourselves. 0: never.
    #[serde(default)]
    pub remind_hours: u32,
    /// Where a team found something missing in a request, we call by ourselves to ask for it.
    #[serde(default)]
    pub follow_up_calls: bool,
    /// To whom callers can be put through. Kept elsewhere, and put here for each reading.
    #[serde(skip)]
    pub targets: Vec<Target>,
}

const fn yes() -> bool {
    true
}

impl TenantFacts {
    /// Whether every fact of ours that a prompt names is known. What names one that is not is not said.
    #[must_use]
    pub fn knows(&self, template: &str) -> bool {
        let facts = [
            ("{county}", !self.county.trim().is_empty()),
            ("{address}", !self.office_address.trim().is_empty()),
            ("{office_phone}", !self.office_phone.trim().is_empty()),
            ("{hours}", self.hours_known && !self.week().is_empty()),
        ];
        facts.iter().all(|(place, known)| *known || !template.contains(place))
    }

    /// Telephone numbers that the agent gives out as the tenant's own.
    #[must_use]
    pub fn numbers(&self) -> Vec<String> {
        self.public_numbers.iter().chain([&self.office_phone]).cloned().collect()
    }

    /// What this tenant says under a key; `shipped` unless it has words of its own.
    #[must_use]
    pub fn worded<'t>(&'t self, language: Language, key: &str, shipped: &'t [String]) -> &'t [String] {
        let own = self.wording.get(language.code()).and_then(|sentences| sentences.get(key));
        own.filter(|own| !own.is_empty()).map_or(shipped, Vec::as_slice)
    }

    /// "Monday through Friday, 8 a.m. to 5 p.m."
    #[must_use]
    pub fn hours(&self, language: Language) -> String {
        self.week().spoken(language)
    }

    /// When the office is open, or, where nobody said so, when callbacks are made.
    #[must_use]
    pub fn week(&self) -> Week {
        let span =
            Span { opens: self.opens_hour.saturating_mul(60), closes: self.closes_hour.saturating_mul(60) };
        let plain = || if span.opens < span.closes { Week::weekdays(span) } else { Week::default() };
        self.week.unwrap_or_else(plain)
    }

    /// What is still to come of the office's day.
    #[must_use]
    pub fn still(&self, now: NaiveDateTime, day: Weekday) -> Still {
        let at = now.hour() * 60 + now.minute();
        if self.holidays.contains_key(&now.date()) {
            return Still::Closed;
        }
        match self.week().on(day) {
            Some(span) if at < span.opens => Still::Opens,
            Some(span) if (now.hour() + 1).saturating_mul(60) < span.closes => Still::Closes,
            _ => Still::Closed,
        }
    }

    /// What the tenant prints on its own letters: nobody's personal data.
    #[must_use]
    pub fn public(&self) -> Public {
        let address = Some(&self.office_address).filter(|address| !address.is_empty());
        let phones = self.public_numbers.iter().chain([&self.office_phone]);
        Public::new(phones.cloned(), address.cloned())
    }

    /// Puts the county's own facts into a prompt of a language.
    #[must_use]
    pub fn fill(&self, language: Language, template: &str) -> String {
        template
            .replace("{county}", &self.county_in(language))
            .replace("{address}", &self.office_address)
            .replace("{office_phone}", &self.office_phone)
            .replace("{hours}", &self.hours(language))
            .replace("{body}", self.body.spoken(language))
            .replace("{of_body}", self.body.spoken_of(language))
    }

    /// "Riverbend County" is "Condado de Riverbend" in Spanish; other names stay as they are.
    fn county_in(&self, language: Language) -> String {
        match (language, self.county.strip_suffix(" County")) {
            (Language::Es, Some(name)) => format!("Condado de {name}"),
            _ => self.county.clone(),
        }
    }
}

/// What is still to come of an office's day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Still {
    Opens,
    /// It closes, and not within the hour.
    Closes,
    Closed,
}
