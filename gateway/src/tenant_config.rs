//! A tenant as one document: what its line says of the office, its hours, its lines, its appointments and its words.
//!
//! It is read from TOML or JSON ([`read`]), held against what a line can use ([`check`]), told apart from what holds now
//! ([`differences`]), and laid over what the stores keep ([`keep`]). What was applied is kept in [`versions`].

pub mod appointments;
pub mod check;
pub mod differences;
pub mod follow;
pub mod holidays;
pub mod keep;
pub mod read;
pub mod single_slots;
pub mod targets;
pub mod teams;
pub mod versions;

use std::collections::BTreeMap;

use chrono_tz::Tz;
use dialogue::TenantFacts;
use dialogue::builtin::wording::Wording;
use dialogue::builtin::{Body, Span, Week};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use storage::RecordingConsent;
use storage::zones::normalise_phone;

use crate::calls::listening::Listening;
use appointments::Appointments;
use holidays::Holiday;
use single_slots::SingleSlot;
use targets::Target;
use teams::TeamTable;

/// Where nothing is said, as for a tenant that is created.
pub const TIMEZONE: &str = "America/New_York";

/// The document. What is left out is not known, and the line does not speak of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TenantConfig {
    /// Short name in addresses.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub slug: String,
    /// Name as callers hear it.
    pub name: String,
    /// Absent: as the name tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Body>,
    /// IANA name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub timezone: String,
    /// Streets that callers name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub streets: Vec<String>,
    /// Numbers that the line may give out, beside its own and the office's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub public_numbers: Vec<String>,
    /// Whether people of the office may listen to calls. Absent or allowed: on lines with `recording_consent` `notice` or `ask`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listening: Option<Listening>,
    /// Whether the agent may ask people at the console what no page answers, while the caller waits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ask_staff: bool,
    /// How long the caller waits for them. Absent: 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask_staff_s: Option<u32>,
    /// Whether a message is left on machines that answer calls of the agent's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub voicemail: bool,
    /// Whether a request that is urgent may be called back at any hour. Absent: yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub urgent_any_hour: Option<bool>,
    /// Hours before an appointment within which the agent reminds of it by itself. Absent or 0: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind_hours: Option<u32>,
    /// Whether the agent calls by itself where a team found something missing in a request.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follow_up_calls: bool,
    /// Words that are easily misheard.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vocabulary: Vec<String>,
    #[serde(skip_serializing_if = "Office::is_empty")]
    pub office: Office,
    #[serde(skip_serializing_if = "Hours::is_empty")]
    pub hours: Hours,
    /// Days on which the office is closed.
    #[serde(rename = "holiday", skip_serializing_if = "Vec::is_empty")]
    pub holidays: Vec<Holiday>,
    /// Numbers that callers dial.
    #[serde(rename = "line", skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineConfig>,
    /// Whom callers can be put through to.
    #[serde(rename = "target", skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// Times that callers may book, week after week.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appointments: Vec<Appointments>,
    /// Single times that callers may book, beside the plans.
    #[serde(rename = "slot", skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SingleSlot>,
    /// Words and how they sound.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pronunciations: BTreeMap<String, String>,
    /// Sentences of the tenant's own, by language and key.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub wording: Wording,
    /// Teams to add or replace; those that are not named stay.
    #[serde(rename = "team", skip_serializing_if = "Vec::is_empty")]
    pub teams: Vec<TeamTable>,
    /// Claims to add or replace. They name people: they are put, and never given out again.
    #[serde(rename = "claim", skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimConfig>,
}

/// How long a caller waits for people of the office, unless the tenant says so.
pub const ASK_STAFF_S: u32 = 60;

/// The longest before an appointment that it is reminded of: a week.
pub const REMIND_HOURS: u32 = 168;

/// The main office.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Office {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub phone: String,
    /// For numbers given with seven digits. Absent: that of the office's number, or of the first line's.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub area_code: String,
}

impl Office {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Office hours, each `8:00-17:00`. A day wins over `weekdays`; a day that is `closed` is closed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hours {
    /// Monday to Friday.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weekdays: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub monday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tuesday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wednesday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thursday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saturday: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sunday: Option<String>,
}

/// A day without hours, where `weekdays` has some.
const CLOSED: &str = "closed";

impl Hours {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Every day by its key, Monday first.
    fn days(&self) -> [(&'static str, Option<&String>); 7] {
        [
            ("monday", self.monday.as_ref()),
            ("tuesday", self.tuesday.as_ref()),
            ("wednesday", self.wednesday.as_ref()),
            ("thursday", self.thursday.as_ref()),
            ("friday", self.friday.as_ref()),
            ("saturday", self.saturday.as_ref()),
            ("sunday", self.sunday.as_ref()),
        ]
    }

    /// The week that they mean. What is no span counts as closed: a check has refused it.
    fn week(&self) -> Week {
        let span = |text: &String| text.parse::<Span>().ok();
        let weekdays = self.weekdays.as_ref().and_then(span);
        let mut week = Week::default();
        for (day, (_, own)) in self.days().into_iter().enumerate() {
            week.0[day] = own.map_or(weekdays.filter(|_| day < 5), span);
        }
        week
    }

    fn of(week: &Week) -> Self {
        let days = week.0.map(|span| span.map(String::from));
        let workdays = &days[..5];
        let weekdays = workdays[0].clone().filter(|_| workdays.iter().all(|day| *day == workdays[0]));
        let [monday, tuesday, wednesday, thursday, friday, saturday, sunday] = days;
        if weekdays.is_some() {
            return Self { weekdays, saturday, sunday, ..Self::default() };
        }
        Self { weekdays, monday, tuesday, wednesday, thursday, friday, saturday, sunday }
    }
}

/// A number that callers dial.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LineConfig {
    /// E.164, or as people write it.
    pub number: String,
    /// Absent: the tenant's name and "main line".
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The default first.
    pub languages: Vec<String>,
    pub recording_consent: RecordingConsent,
    /// The greeting says what to do in an emergency.
    pub emergency_notice: bool,
}

impl Default for LineConfig {
    fn default() -> Self {
        Self {
            number: String::new(),
            name: String::new(),
            languages: vec!["en".to_owned()],
            recording_consent: RecordingConsent::Off,
            emergency_notice: true,
        }
    }
}

/// A claim that callers may ask about.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClaimConfig {
    pub claim_number: String,
    pub status: String,
    /// What its holder is told.
    pub status_text: String,
    pub name: String,
    /// ISO date.
    pub date_of_birth: String,
    pub phone: String,
    /// Four digits; kept as a hash. Absent: as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pin: Option<String>,
}

// A claim is somebody's: logs see its number alone.
impl std::fmt::Debug for ClaimConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClaimConfig").field("claim_number", &self.claim_number).finish_non_exhaustive()
    }
}

impl TenantConfig {
    /// What the document is known by: another version has another.
    #[must_use]
    pub fn version(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(text).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }

    /// As a file.
    ///
    /// # Errors
    /// Never for a document that was read.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string_pretty(self)
    }

    #[must_use]
    pub fn zone(&self) -> &str {
        if self.timezone.is_empty() { TIMEZONE } else { &self.timezone }
    }

    /// The clock of its appointments.
    #[must_use]
    pub fn clock(&self) -> Tz {
        self.zone().parse().unwrap_or(Tz::UTC)
    }

    /// What the line knows of the tenant.
    #[must_use]
    pub fn facts(&self) -> TenantFacts {
        let week = self.hours.week();
        let phone = spoken(&self.office.phone);
        let lines: Vec<String> = self.lines.iter().map(|line| spoken(&line.number)).collect();
        let derived =
            [Some(&phone), lines.first()].into_iter().flatten().find_map(|number| area_code(number));
        let area_code = Some(self.office.area_code.clone()).filter(|code| !code.is_empty());
        let quiet = self.lines.iter().filter(|line| !line.emergency_notice);
        let mut public_numbers: Vec<String> = self.public_numbers.iter().map(|n| spoken(n)).collect();
        for number in lines {
            if !public_numbers.contains(&number) {
                public_numbers.push(number);
            }
        }
        TenantFacts {
            county: self.name.clone(),
            body: self.kind.unwrap_or_else(|| Body::of_name(&self.name)),
            office_address: self.office.address.clone(),
            office_phone: phone,
            area_code: area_code.or(derived).unwrap_or_default(),
            timezone: self.zone().to_owned(),
            opens_hour: 8,
            closes_hour: 17,
            hours_known: !week.is_empty(),
            week: Some(week).filter(|week| !week.is_empty()),
            holidays: self
                .holidays
                .iter()
                .filter_map(|day| Some((day.date.parse().ok()?, day.name.clone())))
                .collect(),
            no_emergency_notice: quiet.filter_map(|line| normalise_phone(&line.number)).collect(),
            streets: self.streets.clone(),
            wording: self.wording.clone(),
            public_numbers,
            voicemail: self.voicemail,
            urgent_any_hour: self.urgent_any_hour.unwrap_or(true),
            remind_hours: self.remind_hours.unwrap_or_default(),
            follow_up_calls: self.follow_up_calls,
            ask_staff_s: if self.ask_staff { self.ask_staff_s.unwrap_or(ASK_STAFF_S) } else { 0 },
            targets: self.targets.iter().map(targets::Target::to_facts).collect(),
        }
    }
}

/// A North American number as people write it, `202-555-0100`; any other as it is.
#[must_use]
pub fn spoken(number: &str) -> String {
    let known = normalise_phone(number);
    match known.as_deref().and_then(|e164| e164.strip_prefix("+1")) {
        Some(n) if n.len() == 10 => format!("{}-{}-{}", &n[..3], &n[3..6], &n[6..]),
        _ => number.trim().to_owned(),
    }
}

fn area_code(number: &str) -> Option<String> {
    let e164 = normalise_phone(number)?;
    e164.strip_prefix("+1")?.get(..3).map(str::to_owned)
}
