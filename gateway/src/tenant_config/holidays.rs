//! Days on which the office is closed, with their names.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::read::{Fault, MOST_FAULTS};

/// Of one tenant: years ahead.
const MOST: usize = 200;

/// A day on which nobody is there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Holiday {
    /// ISO date.
    pub date: String,
    /// As people call it.
    pub name: String,
}

/// What is wrong with them, by their place in the document.
#[must_use]
pub fn check(holidays: &[Holiday]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    if holidays.len() > MOST {
        faults.push(Fault::new("holiday", format!("holds {} days; {MOST} at most", holidays.len())));
    }
    for (n, Holiday { date, name }) in holidays.iter().enumerate().take(MOST) {
        let mut add =
            |key: &str, message: &str| faults.push(Fault::new(format!("holiday[{}].{key}", n + 1), message));
        if date.parse::<NaiveDate>().is_err() {
            add("date", "is no date such as 2026-12-25");
        } else if !seen.insert(date) {
            add("date", "is there twice");
        }
        if name.trim().is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            add("name", "is empty, longer than 100 characters, or holds a control character");
        }
    }
    faults.truncate(MOST_FAULTS);
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_a_date_of_its_own_and_a_name() {
        let day = |date: &str, name: &str| Holiday { date: date.into(), name: name.into() };
        assert_eq!(check(&[day("2026-12-25", "Christmas Day")]), []);
        let keys: Vec<_> = check(&[day("2026-12-25", "a"), day("2026-12-25", ""), day("soon", "b")]);
        let keys: Vec<_> = keys.iter().map(|fault| fault.key.as_str()).collect();
        assert_eq!(keys, ["holiday[2].date", "holiday[2].name", "holiday[3].date"]);
    }
}
