//! Which numbers may be called at all, and when: by the clocks where they are.
//!
//! Nothing here reads a clock: the time comes in as an argument.
#![deny(clippy::disallowed_methods)]

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::{DateTime, Datelike, TimeDelta, Timelike, Utc, Weekday};
use chrono_tz::Tz;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Hours of the day between which anybody may be called who has not asked for another time.
const USUAL: [u32; 2] = [8, 21];
/// How far ahead the next allowed time is looked for, and in which steps.
const AHEAD: TimeDelta = TimeDelta::days(4);
const STEP: TimeDelta = TimeDelta::minutes(15);

#[derive(Deserialize)]
struct Table {
    state: Vec<State>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    /// For whoever reads the table.
    #[cfg_attr(not(test), allow(dead_code))]
    name: String,
    #[serde(deserialize_with = "zones")]
    zones: Vec<Tz>,
    hours: Option<[u32; 2]>,
    /// Empty: not at all.
    sunday: Option<Vec<u32>>,
    codes: Vec<u32>,
}

/// By their IANA names.
fn zones<'de, D: Deserializer<'de>>(names: D) -> Result<Vec<Tz>, D::Error> {
    let names = Vec::<String>::deserialize(names)?;
    names.iter().map(|name| name.parse().map_err(D::Error::custom)).collect()
}

/// The table, which is a part of the program; one that is broken fails the tests and lets nobody be called.
static STATES: LazyLock<Vec<State>> = LazyLock::new(|| {
    let table: Result<Table, _> = toml::from_str(include_str!("../../data/calling/area_codes.toml"));
    table.map(|table| table.state).unwrap_or_default()
});

static BY_CODE: LazyLock<HashMap<u32, &'static State>> = LazyLock::new(|| {
    STATES.iter().flat_map(|state| state.codes.iter().map(move |code| (*code, state))).collect()
});

/// Why a number is not called now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotNow {
    /// It is no number that we call, at any time: outside the United States, or one that costs extra.
    Destination,
    /// It is too early or too late there; from then on it is not.
    Quiet { until: Option<DateTime<Utc>> },
}

/// Whether a number (E.164) may be called at a time.
///
/// # Errors
/// Why not.
pub fn may_call(number: &str, now: DateTime<Utc>) -> Result<(), NotNow> {
    let state = place(number).ok_or(NotNow::Destination)?;
    if state.allows(now) {
        return Ok(());
    }
    let quarter = now - TimeDelta::seconds(i64::from(now.second()) + 60 * i64::from(now.minute() % 15));
    let mut at = quarter + STEP;
    while at < now + AHEAD {
        if state.allows(at) {
            return Err(NotNow::Quiet { until: Some(at) });
        }
        at += STEP;
    }
    Err(NotNow::Quiet { until: None })
}

/// Whether a number is one that we call at some time.
#[must_use]
pub fn is_dialable(number: &str) -> bool {
    place(number).is_some()
}

fn place(number: &str) -> Option<&'static State> {
    let national =
        number.strip_prefix("+1").filter(|n| n.len() == 10 && n.chars().all(|c| c.is_ascii_digit()))?;
    // Neither exchange begins with 0 or 1, and 976 costs extra.
    let exchange = &national[3..6];
    if exchange.starts_with(['0', '1']) || exchange == "976" {
        return None;
    }
    BY_CODE.get(&national[..3].parse().ok()?).copied()
}

impl State {
    /// In all of its zones.
    fn allows(&self, now: DateTime<Utc>) -> bool {
        self.zones.iter().all(|zone| {
            let there = now.with_timezone(zone);
            let usual = self.hours.unwrap_or(USUAL);
            let hours = match (&self.sunday, there.weekday()) {
                (Some(sunday), Weekday::Sun) => match sunday.as_slice() {
                    [opens, closes] => [*opens, *closes],
                    _ => return false,
                },
                _ => usual,
            };
            (hours[0]..hours[1]).contains(&there.hour())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn every_area_code_is_in_one_state_with_hours_that_make_sense() {
        assert!(STATES.len() > 50, "the table cannot be read");
        let mut codes = BTreeSet::new();
        for state in STATES.iter() {
            assert!(!state.zones.is_empty(), "{}", state.name);
            let hours = state.hours.unwrap_or(USUAL);
            assert!(hours[0] >= 8 && hours[1] <= 21 && hours[0] < hours[1], "{}", state.name);
            for code in &state.codes {
                assert!((201..=989).contains(code) && codes.insert(*code), "{code} of {}", state.name);
            }
        }
        assert!(codes.len() > 330, "{}", codes.len());
        assert!(!codes.contains(&900) && !codes.contains(&876), "what costs extra is not called");
    }

    #[test]
    fn a_number_is_called_by_the_clock_of_its_own_place() {
        // 13:30 UTC in winter: 8:30 in New York, 5:30 in Los Angeles.
        let morning = at("2026-11-25T13:30:00Z");
        assert_eq!(may_call("+12025550143", morning), Ok(()));
        let until = Some(at("2026-11-25T16:00:00Z"));
        assert_eq!(may_call("+14155550143", morning), Err(NotNow::Quiet { until }));
        // In summer the same hour is an hour later on the clock.
        assert_eq!(may_call("+12025550143", at("2026-07-01T12:00:00Z")), Ok(()));
        assert!(may_call("+12025550143", at("2026-07-01T11:59:59Z")).is_err());
        let evening = at("2026-11-26T02:00:00Z");
        assert_eq!(
            may_call("+12025550143", evening),
            Err(NotNow::Quiet { until: Some(at("2026-11-26T13:00:00Z")) })
        );
    }

    #[test]
    fn where_a_state_is_stricter_or_has_two_zones_the_narrower_hours_count() {
        // Miami at 20:30, and Tallahassee's neighbours an hour behind at 7:30.
        assert!(may_call("+13055550143", at("2026-11-26T01:30:00Z")).is_err());
        assert!(may_call("+18505550143", at("2026-11-25T13:30:00Z")).is_err());
        assert_eq!(may_call("+18505550143", at("2026-11-25T14:30:00Z")), Ok(()));
        // A Sunday in Houston and in New Orleans.
        assert!(may_call("+17135550143", at("2026-11-29T16:00:00Z")).is_err());
        assert_eq!(may_call("+17135550143", at("2026-11-29T19:00:00Z")), Ok(()));
        let until = Some(at("2026-11-30T14:00:00Z"));
        assert_eq!(may_call("+15045550143", at("2026-11-29T19:00:00Z")), Err(NotNow::Quiet { until }));
        // One that belongs to no place.
        assert!(may_call("+18005550143", at("2026-11-25T14:00:00Z")).is_err());
    }

    #[test]
    fn what_is_abroad_or_costs_extra_is_not_called_at_all() {
        for number in
            ["+18765550143", "+19005550143", "+442071234567", "+12029760143", "+1202055014", "2025550143", ""]
        {
            assert_eq!(may_call(number, at("2026-11-25T18:00:00Z")), Err(NotNow::Destination), "{number}");
            assert!(!is_dialable(number));
        }
    }
}
