//! A week that somebody names in place of a day: "sometime next week", "la semana que entra".

use chrono::{Datelike, Days, NaiveDate};

use crate::{CalendarWord, Ear};

/// Days of a week on which offices are open.
const WORKING: u64 = 5;

/// The days from which to which a week is meant, both included. `None` where none is named, or a day of it is.
#[must_use]
pub fn week_named(ear: Ear, text: &str, today: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
    let plain = format!(" {} ", ear.plain(text));
    let names = |words: &[&str]| words.iter().any(|word| plain.contains(&format!(" {word} ")));
    let monday = today.checked_sub_days(Days::new(u64::from(today.weekday().num_days_from_monday())))?;
    let friday = |monday: NaiveDate| monday.checked_add_days(Days::new(WORKING - 1));
    let next = monday.checked_add_days(Days::new(7))?;
    if names(ear.cues().next_week) {
        return Some((next, friday(next)?));
    }
    // What is left of this one; of a weekend, the next.
    let rest = friday(monday)?;
    names(ear.cues().this_week).then_some(if rest < today { (next, friday(next)?) } else { (today, rest) })
}

/// Whether a day is named besides: "Tuesday of next week".
#[must_use]
pub fn names_day(ear: Ear, text: &str) -> bool {
    ear.plain(text).split(' ').any(|word| ear.calendar_word(word) == Some(CalendarWord::Weekday))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Language;

    #[test]
    fn a_week_is_its_working_days() {
        let date = |text: &str| text.parse::<NaiveDate>().unwrap();
        let (tuesday, saturday) = (date("2026-12-01"), date("2026-12-05"));
        let next = Some((date("2026-12-07"), date("2026-12-11")));
        for (language, text, today, named) in [
            (Language::En, "Sometime next week, I guess.", tuesday, next),
            (Language::En, "Later this week", tuesday, Some((tuesday, date("2026-12-04")))),
            (Language::En, "this week if you can", saturday, next),
            (Language::En, "Tuesday at nine", tuesday, None),
            (Language::Es, "La semana que entra, cuando puedan.", tuesday, next),
            (Language::Es, "esta misma semana", tuesday, Some((tuesday, date("2026-12-04")))),
        ] {
            assert_eq!(week_named(Ear(language), text, today), named, "{text}");
        }
        assert!(names_day(Ear(Language::En), "Tuesday of next week"));
        assert!(!names_day(Ear(Language::Es), "la próxima semana"));
    }
}
