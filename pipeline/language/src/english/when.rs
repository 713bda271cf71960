//! Dates and times as people say them, made exact against the call's own time.

use std::sync::LazyLock;

use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Timelike, Weekday};
use regex::Regex;

use super::number::{cardinal_at, ordinal_at, year_at};
use super::words::plain;

/// Which way a bare "Tuesday" points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Past,
    Future,
}

/// Part of a day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Morning,
    Afternoon,
    Evening,
    Night,
}

/// What was said about when.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct When {
    pub date: Option<NaiveDate>,
    pub time: Option<NaiveTime>,
    pub part: Option<Part>,
}

/// A date may be one of birth: whether there is one is all that is told.
impl std::fmt::Debug for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (date, time) = (self.date.is_some(), self.time.is_some());
        f.debug_struct("When").field("date", &date).field("time", &time).field("part", &self.part).finish()
    }
}

impl When {
    /// ISO 8601: a date, or a date and a time.
    #[must_use]
    pub fn iso(&self) -> String {
        match (self.date, self.time) {
            (Some(date), Some(time)) => format!("{date}T{}", time.format("%H:%M")),
            (Some(date), None) => date.to_string(),
            (None, Some(time)) => time.format("T%H:%M").to_string(),
            (None, None) => String::new(),
        }
    }

    /// For reading back: "Saturday, November 21, at 3 PM".
    #[must_use]
    pub fn spoken(&self) -> String {
        let date = self.date.map(spoken_date);
        let time = self
            .time
            .map(|t| format!("at {}", spoken_time(t)))
            .or_else(|| self.part.map(|p| spoken_part(p).to_owned()));
        match (date, time) {
            (Some(date), Some(time)) => format!("{date}, {time}"),
            (date, time) => date.or(time).unwrap_or_default(),
        }
    }
}

/// "Tuesday, November 24".
#[must_use]
pub fn spoken_date(date: NaiveDate) -> String {
    date.format("%A, %B %-d").to_string()
}

/// "3 PM", "10:30 AM", "noon".
#[must_use]
pub fn spoken_time(time: NaiveTime) -> String {
    match (time.hour(), time.minute()) {
        (12, 0) => "noon".to_owned(),
        (0, 0) => "midnight".to_owned(),
        (_, 0) => time.format("%-I %p").to_string(),
        _ => time.format("%-I:%M %p").to_string(),
    }
}

const fn spoken_part(part: Part) -> &'static str {
    match part {
        Part::Morning => "in the morning",
        Part::Afternoon => "in the afternoon",
        Part::Evening => "in the evening",
        Part::Night => "at night",
    }
}

/// Reads a date, a time, or both. `None` when the text says nothing about when.
#[must_use]
pub fn when(text: &str, now: NaiveDateTime, direction: Direction) -> Option<When> {
    let text = without_greeting(&plain(text).replace("o'clock", "oclock"));
    // Of a day to come, what "just happened" says nothing.
    if direction == Direction::Past
        && let Some(when) = ago(&text, now)
    {
        return Some(when);
    }
    if direction == Direction::Past
        && let Some(when) = lasting(&text).and_then(|span| ago(&span, now))
    {
        return Some(when);
    }
    let part = part(&text);
    let date = relative(&text, now.date())
        .or_else(|| calendar(&text, now.date(), direction))
        .or_else(|| weekday(&text, now.date(), direction));
    let time = time(&text, part);
    let date = date.or_else(|| (part.is_some() && same_day(&text)).then(|| now.date()));
    let found = When { date, time, part };
    (date.is_some() || time.is_some() || part.is_some_and(|_| names_part(&text))).then_some(found)
}

/// A date of birth: any date with a year in the past.
#[must_use]
pub fn birth_date(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = plain(text);
    let date = numeric(&text, today).or_else(|| named_month(&text, today, Direction::Past));
    date.filter(|d| *d < today && d.year() > 1900 && today.year() - d.year() >= 5)
}

/// "Good morning, I need an inspection" says nothing about when.
fn without_greeting(text: &str) -> String {
    let greetings = ["good morning", "good afternoon", "good evening"];
    greetings.iter().fold(text.to_owned(), |text, greeting| text.replace(greeting, "").trim().to_owned())
}

fn same_day(text: &str) -> bool {
    text.contains("this ") || text.contains("earlier")
}

fn names_part(text: &str) -> bool {
    ["in the ", "at night", "this ", "mornings", "afternoons"].iter().any(|p| text.contains(p))
        || text.split(' ').count() <= 4
}

fn part(text: &str) -> Option<Part> {
    let has = |words: &[&str]| text.split(' ').any(|w| words.contains(&w));
    if has(&["morning", "mornings", "am"]) {
        Some(Part::Morning)
    } else if has(&["afternoon", "afternoons", "lunchtime"]) {
        Some(Part::Afternoon)
    } else if has(&["evening", "evenings", "tonight"]) {
        Some(Part::Evening)
    } else {
        has(&["night", "overnight"]).then_some(Part::Night)
    }
}

fn ago(text: &str, now: NaiveDateTime) -> Option<When> {
    let just = [
        "just now",
        "right now",
        "just happened",
        "a minute ago",
        "a moment ago",
        "a few minutes ago",
        "few minutes ago",
        "happening now",
        "a little while ago",
    ];
    if just.iter().any(|p| text.contains(p)) {
        return Some(exact(now));
    }
    let before = text.split(" ago").next().filter(|b| b.len() < text.len())?;
    let words: Vec<&str> = before.split(' ').collect();
    let unit = *words.last()?;
    let count = words[..words.len() - 1].iter().rev().take(3).collect::<Vec<_>>();
    let amount = match count.first().map(|w| **w)? {
        "a" | "an" | "one" => 1,
        "couple" | "of" => 2,
        "few" => 3,
        _ => {
            let from = words.len().saturating_sub(3);
            let (value, _) = (from..words.len() - 1).find_map(|n| cardinal_at(&words[n..words.len() - 1]))?;
            value
        }
    };
    let minutes = |n: u32| chrono::Duration::minutes(i64::from(n));
    Some(match unit.trim_end_matches('s') {
        "minute" => exact(now.checked_sub_signed(minutes(amount.min(10_000)))?),
        "hour" => exact(now.checked_sub_signed(minutes(amount.min(1_000) * 60))?),
        "day" | "night" => on(now.date().checked_sub_days(Days::new(amount.into()))?),
        "week" => on(now.date().checked_sub_days(Days::new(u64::from(amount) * 7))?),
        "month" => on(now.date().checked_sub_months(chrono::Months::new(amount.min(1_200)))?),
        _ => return None,
    })
}

/// "Out for like a week", "it's been three days": it began so long ago.
fn lasting(text: &str) -> Option<String> {
    const HEDGES: [&str; 13] = [
        "like", "about", "maybe", "almost", "nearly", "over", "around", "probably", "at", "least", "more",
        "than", "the",
    ];
    const UNITS: [&str; 5] = ["hour", "day", "night", "week", "month"];
    let words: Vec<&str> = text.split(' ').collect();
    let leads = |at: usize| {
        matches!(words[at], "for" | "been") || (words[at] == "on" && at > 0 && words[at - 1] == "going")
    };
    // "Been there like two weeks": where it was, or how, may stand between.
    let between = |at: usize| if words[at] == "been" { 2 } else { 0 };
    let starts = (0..words.len()).filter(|at| leads(*at)).flat_map(|at| at..=at + between(at));
    starts.filter(|at| *at < words.len()).find_map(|at| {
        let span: Vec<&str> = words[at + 1..]
            .iter()
            .copied()
            .skip_while(|word| HEDGES.contains(word))
            .map(|word| if word == "past" || word == "last" { "" } else { word })
            .filter(|word| !word.is_empty())
            .take(4)
            .collect();
        let unit = span.iter().position(|word| UNITS.contains(&word.trim_end_matches('s')))?;
        (unit > 0).then(|| format!("{} ago", span[..=unit].join(" ")))
    })
}

pub(crate) fn exact(at: NaiveDateTime) -> When {
    let minute = at.minute() / 5 * 5;
    When { date: Some(at.date()), time: NaiveTime::from_hms_opt(at.hour(), minute, 0), part: None }
}

pub(crate) fn on(date: NaiveDate) -> When {
    When { date: Some(date), ..When::default() }
}

fn relative(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let has = |phrase: &str| format!(" {text} ").contains(&format!(" {phrase} "));
    let back = |n| today.checked_sub_days(Days::new(n));
    let ahead = |n| today.checked_add_days(Days::new(n));
    if has("day before yesterday") {
        back(2)
    } else if has("yesterday") || has("last night") || has("last evening") {
        back(1)
    } else if has("day after tomorrow") {
        ahead(2)
    } else if has("tomorrow") {
        ahead(1)
    } else if ["today", "tonight", "this morning", "this afternoon", "this evening"].iter().any(|p| has(p)) {
        Some(today)
    } else if has("last week") {
        back(7)
    } else {
        None
    }
}

fn weekday(text: &str, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Mon),
        ("tuesday", Weekday::Tue),
        ("wednesday", Weekday::Wed),
        ("thursday", Weekday::Thu),
        ("friday", Weekday::Fri),
        ("saturday", Weekday::Sat),
        ("sunday", Weekday::Sun),
    ];
    let (_, day) = DAYS.iter().find(|(name, _)| {
        text.split(' ').any(|w| w.trim_end_matches('s') == *name || w.trim_end_matches("'s") == *name)
    })?;
    named_weekday(day.num_days_from_monday(), today, direction)
}

/// The nearest such day of the week (0 is Monday) that is not today.
pub(crate) fn named_weekday(day: u32, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    let back = u64::from((7 + today.weekday().num_days_from_monday() - day) % 7);
    let ahead = (7 - back) % 7;
    match direction {
        Direction::Past => today.checked_sub_days(Days::new(if back == 0 { 7 } else { back })),
        Direction::Future => today.checked_add_days(Days::new(if ahead == 0 { 7 } else { ahead })),
    }
}

fn calendar(text: &str, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    numeric(text, today)
        .or_else(|| named_month(text, today, direction))
        .or_else(|| day_of_month(text, today, direction))
}

/// "6/3", "6/3/2026", "2026 06 03" (the recogniser's hyphens are spaces by now).
pub(crate) fn numeric(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    static SLASHED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(\d{1,2})/(\d{1,2})(?:/(\d{2,4}))?\b|\b(\d{4}) (\d{2}) (\d{2})\b|\b(\d{1,2}) (\d{1,2}) (\d{4})\b").expect("clippy compiles every pattern")
    });
    let found = SLASHED.captures(text)?;
    let part = |n: usize| found.get(n).and_then(|m| m.as_str().parse::<u32>().ok());
    if let (Some(year), Some(month), Some(day)) = (part(4), part(5), part(6)) {
        return NaiveDate::from_ymd_opt(year as i32, month, day);
    }
    if let (Some(month), Some(day), Some(year)) = (part(7), part(8), part(9)) {
        return NaiveDate::from_ymd_opt(year as i32, month, day);
    }
    let year = found.get(3).and_then(|m| year_at(&[m.as_str()], today.year())).unwrap_or(today.year());
    NaiveDate::from_ymd_opt(year, part(1)?, part(2)?)
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn month_number(word: &str) -> Option<u32> {
    let whole = MONTHS.iter().position(|m| *m == word);
    let short = || {
        MONTHS.iter().position(|m| word.len() >= 3 && word != "mar" && m.starts_with(word) && word.len() <= 4)
    };
    whole.or_else(short).map(|n| n as u32 + 1)
}

fn named_month(text: &str, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    let words: Vec<&str> = text.split(' ').filter(|w| !matches!(*w, "the" | "of" | "in")).collect();
    let at = words.iter().position(|w| month_number(w).is_some())?;
    let month = month_number(words[at])?;
    let before = day_before(&words[..at]).filter(|_| at > 0 && ordinal_at(&words[at - 1..at]).is_some());
    let after = day_at(words.get(at + 1..)?);
    let (day, rest) = match (before, after) {
        // "The third of March nineteen sixty one": the ordinal is the day, what follows the year.
        (Some(day), _) => (day, at + 1),
        (None, Some((day, used))) => (day, at + 1 + used),
        (None, None) => (day_before(&words[..at])?, at + 1),
    };
    let year = words.get(rest..).and_then(|w| year_at(w, today.year()));
    dated(year, month, day, today, direction)
}

fn day_at(words: &[&str]) -> Option<(u32, usize)> {
    ordinal_at(words).or_else(|| cardinal_at(words)).filter(|(day, _)| (1..=31).contains(day))
}

fn day_before(words: &[&str]) -> Option<u32> {
    (words.len().saturating_sub(2)..words.len()).find_map(|n| day_at(&words[n..])).map(|d| d.0)
}

pub(crate) fn dated(
    year: Option<i32>,
    month: u32,
    day: u32,
    today: NaiveDate,
    direction: Direction,
) -> Option<NaiveDate> {
    if let Some(year) = year {
        return NaiveDate::from_ymd_opt(year, month, day);
    }
    let this = NaiveDate::from_ymd_opt(today.year(), month, day)?;
    match direction {
        Direction::Past if this > today => this.with_year(today.year() - 1),
        Direction::Future if this < today => this.with_year(today.year() + 1),
        _ => Some(this),
    }
}

/// "the 3rd": of this month, or the nearest one that fits the direction.
fn day_of_month(text: &str, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    static THE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bon the ((?:twenty |thirty )?[a-z0-9]+)\b").expect("clippy compiles every pattern")
    });
    let said = THE.captures(text)?.get(1)?.as_str().to_owned();
    let words: Vec<&str> = said.split(' ').collect();
    let (day, _) = ordinal_at(&words).filter(|(d, _)| (1..=31).contains(d))?;
    same_or_near(today.with_day(day)?, today, direction)
}

/// A day of this month, or of the month next to it that fits the direction.
pub(crate) fn same_or_near(this: NaiveDate, today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    match direction {
        Direction::Past if this > today => this.checked_sub_months(chrono::Months::new(1)),
        Direction::Future if this < today => this.checked_add_months(chrono::Months::new(1)),
        _ => Some(this),
    }
}

fn time(text: &str, part: Option<Part>) -> Option<NaiveTime> {
    static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:(at|around|about|by|before|after|like|near|nearly|say) )?(?:(?:at|around|about) )?(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?::(\d{2})| (fifteen|thirty|forty five|15|30|45))? ?(am|pm|a m|p m|a\.m|p\.m|oclock|in the|this|ish)?\b").expect("clippy compiles every pattern")
    });
    if format!(" {text} ").contains(" noon ") || text.contains("midday") {
        return NaiveTime::from_hms_opt(12, 0, 0);
    }
    if text.contains("midnight") {
        return NaiveTime::from_hms_opt(0, 0, 0);
    }
    if let Some(time) = halves(text, part).or_else(|| past_or_to(text, part)) {
        return Some(time);
    }
    CLOCK.captures_iter(text).find_map(|found| {
        let mark = found.get(5).map(|m| m.as_str().replace(['.', ' '], ""));
        let minute = found.get(3).or_else(|| found.get(4)).map_or(Some(0), |m| minutes(m.as_str()))?;
        // A lone number is a time only with "at", a minute or a mark beside it.
        let marked = found.get(1).is_some() || mark.is_some() || found.get(3).is_some();
        // "Like two weeks", "about four cars": what is counted follows.
        const COUNTED: [&str; 9] =
            ["street", "people", "avenue", "road", "main", "st", "percent", "feet", "of"];
        const NO_PLURALS: [&str; 6] = ["this", "perhaps", "across", "always", "besides", "unless"];
        let next = text[found.get(0).map_or(0, |m| m.end())..].split_whitespace().next();
        let alone = mark.is_none() && found.get(3).is_none() && found.get(4).is_none();
        let plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.contains('\'');
        let unit_follows = next.is_some_and(|word| {
            COUNTED.contains(&word) || (alone && plural(word) && !NO_PLURALS.contains(&word))
        });
        let (hour, _) = cardinal_at(&[found.get(2)?.as_str()])?;
        (marked && !unit_follows).then(|| clock(hour, minute, mark.as_deref(), part)).flatten()
    })
}

fn halves(text: &str, part: Option<Part>) -> Option<NaiveTime> {
    for (phrase, minute, back) in [
        ("half past ", 30, 0),
        ("quarter past ", 15, 0),
        ("quarter after ", 15, 0),
        ("quarter to ", 45, 1),
        ("quarter till ", 45, 1),
    ] {
        let Some((_, rest)) = text.split_once(phrase) else { continue };
        let word = rest.split(' ').next().unwrap_or_default();
        let (hour, _) = cardinal_at(&[word])?;
        let hour = if back == 1 && hour == 1 { 12 } else { hour.checked_sub(back)? };
        let mark = rest.split(' ').nth(1).filter(|w| matches!(*w, "am" | "pm"));
        return clock(hour, minute, mark, part);
    }
    None
}

/// "Ten past seven", "twenty to eight": minutes that somebody says before the hour.
fn past_or_to(text: &str, part: Option<Part>) -> Option<NaiveTime> {
    let words: Vec<&str> = text.split(' ').collect();
    let back = |word: &str| match word {
        "past" | "after" => Some(false),
        "to" | "till" => Some(true),
        _ => None,
    };
    (1..words.len().saturating_sub(1)).find_map(|at| {
        let back = back(words[at])?;
        let tens =
            |word: &str| cardinal_at(&[word]).map(|(n, _)| n).filter(|n| matches!(n, 5 | 10 | 15 | 20 | 25));
        // "Twenty five past six": both words count.
        let two =
            at.checked_sub(2).and_then(|from| Some(tens(words[from])? + cardinal_at(&[words[from + 1]])?.0));
        let minute = two.filter(|n| *n == 25).or_else(|| tens(words[at - 1]))?;
        let (hour, _) = cardinal_at(&[words[at + 1]]).filter(|(hour, _)| (1..=12).contains(hour))?;
        let (hour, minute) =
            if back { (if hour == 1 { 12 } else { hour - 1 }, 60 - minute) } else { (hour, minute) };
        let mark = words.get(at + 2).copied().filter(|word| matches!(*word, "am" | "pm"));
        // "From ten to five" are two hours.
        let span = back
            && (at.checked_sub(2).is_some_and(|from| words[from] == "from")
                || mark.is_none() && part.is_none() && !text.contains("at "));
        (!span).then(|| clock(hour, minute, mark, part)).flatten()
    })
}

fn minutes(word: &str) -> Option<u32> {
    match word {
        "fifteen" => Some(15),
        "thirty" => Some(30),
        "forty five" => Some(45),
        digits => digits.parse().ok().filter(|m| *m < 60),
    }
}

/// Without a mark, office life decides: 1 to 6 is afternoon, 7 to 11 morning.
pub(crate) fn clock(hour: u32, minute: u32, mark: Option<&str>, part: Option<Part>) -> Option<NaiveTime> {
    let afternoon = match (mark, part) {
        (Some("pm"), _) => true,
        (Some("am"), _) | (_, Some(Part::Morning)) => false,
        (_, Some(Part::Afternoon | Part::Evening)) => true,
        (_, Some(Part::Night)) => (6..12).contains(&hour),
        _ => (1..=6).contains(&hour),
    };
    let hour = match (hour, afternoon) {
        (12, false) if mark == Some("am") || part == Some(Part::Night) => 0,
        (1..=11, true) => hour + 12,
        _ => hour,
    };
    NaiveTime::from_hms_opt(hour, minute, 0)
}

#[cfg(test)]
#[path = "when_tests.rs"]
mod tests;
