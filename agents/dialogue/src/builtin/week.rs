//! When an office is open in a week.

use std::fmt;
use std::str::FromStr;

use chrono::Weekday;
use pipeline::ports::Language;
use serde::{Deserialize, Serialize};

/// Monday first, as weeks are said.
pub const DAYS: [Weekday; 7] =
    [Weekday::Mon, Weekday::Tue, Weekday::Wed, Weekday::Thu, Weekday::Fri, Weekday::Sat, Weekday::Sun];

/// One span of a day, minutes after midnight. Written `8:00-17:00`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span {
    pub opens: u32,
    pub closes: u32,
}

/// Why a text is no span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoSpan {
    #[error("is no time of day from and to, such as \"8:00-17:00\"")]
    Form,
    #[error("closes before it opens")]
    Order,
}

impl Span {
    /// "8 a.m. to 5 p.m".
    #[must_use]
    pub fn spoken(self, language: Language) -> String {
        let to = if language == Language::En { "to" } else { "a" };
        let text = format!("{} {to} {}", time(language, self.opens), time(language, self.closes));
        text.trim_end_matches('.').to_owned()
    }
}

impl FromStr for Span {
    type Err = NoSpan;

    fn from_str(text: &str) -> Result<Self, NoSpan> {
        let (from, to) = text.split_once(['-', '–']).ok_or(NoSpan::Form)?;
        let (opens, closes) =
            (minutes(from.trim()).ok_or(NoSpan::Form)?, minutes(to.trim()).ok_or(NoSpan::Form)?);
        if opens >= closes {
            return Err(NoSpan::Order);
        }
        Ok(Self { opens, closes })
    }
}

impl TryFrom<String> for Span {
    type Error = NoSpan;

    fn try_from(text: String) -> Result<Self, NoSpan> {
        text.parse()
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |m: u32| format!("{}:{:02}", m / 60, m % 60);
        write!(f, "{}-{}", at(self.opens), at(self.closes))
    }
}

/// `8:00`, `17:30`, `24:00`: minutes after midnight.
#[must_use]
pub fn minutes(text: &str) -> Option<u32> {
    let (hour, minute) = text.split_once(':')?;
    let two = |part: &str, most: usize| {
        let fits = !part.is_empty() && part.len() <= most && part.chars().all(|c| c.is_ascii_digit());
        part.parse::<u32>().ok().filter(|_| fits)
    };
    let (hour, minute) = (two(hour, 2)?, two(minute, 2).filter(|_| minute.len() == 2)?);
    let all = hour * 60 + minute;
    (minute < 60 && all <= 24 * 60).then_some(all)
}

/// Hours by day, Monday first; `None`: closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Week(pub [Option<Span>; 7]);

impl Week {
    /// The same hours from Monday to Friday.
    #[must_use]
    pub const fn weekdays(span: Span) -> Self {
        let day = Some(span);
        Self([day, day, day, day, day, None, None])
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    #[must_use]
    pub fn on(&self, day: Weekday) -> Option<Span> {
        self.0[day.num_days_from_monday() as usize]
    }

    /// "Monday through Thursday, 7:30 a.m. to 6 p.m., and Friday, 8 a.m. to noon".
    #[must_use]
    pub fn spoken(&self, language: Language) -> String {
        let runs: Vec<String> =
            self.runs().into_iter().map(|(from, to, span)| run(language, from, to, span)).collect();
        let and = if language == Language::En { "and" } else { "y" };
        let text = match runs.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [first, last] => format!("{first}, {and} {last}"),
            [before @ .., last] => format!("{}, {and} {last}", before.join(", ")),
        };
        // The sentence around it ends with a point of its own.
        text.trim_end_matches('.').to_owned()
    }

    /// Days in a row with the same hours.
    fn runs(&self) -> Vec<(usize, usize, Span)> {
        let mut runs: Vec<(usize, usize, Span)> = Vec::new();
        for (day, span) in self.0.iter().enumerate().filter_map(|(day, span)| Some((day, (*span)?))) {
            match runs.last_mut() {
                Some((_, to, same)) if *to + 1 == day && *same == span => *to = day,
                _ => runs.push((day, day, span)),
            }
        }
        runs
    }
}

fn run(language: Language, from: usize, to: usize, span: Span) -> String {
    let (opens, closes) = (time(language, span.opens), time(language, span.closes));
    let (a, b) = (day_name(language, from), day_name(language, to));
    match (language, to - from) {
        (Language::En, 0) => format!("{a}, {opens} to {closes}"),
        (Language::En, 1) => format!("{a} and {b}, {opens} to {closes}"),
        (Language::En, _) => format!("{a} through {b}, {opens} to {closes}"),
        (Language::Es, 0) => format!("los {}, de {opens} a {closes}", plural(a)),
        (Language::Es, 1) => format!("{a} y {b}, de {opens} a {closes}"),
        (Language::Es, _) => format!("de {a} a {b}, de {opens} a {closes}"),
    }
}

fn plural(day: &str) -> String {
    if day.ends_with('s') { day.to_owned() } else { format!("{day}s") }
}

const fn day_name(language: Language, day: usize) -> &'static str {
    const EN: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
    const ES: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];
    match language {
        Language::En => EN[day],
        Language::Es => ES[day],
    }
}

fn time(language: Language, minutes: u32) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60);
    let clock = |h: u32| if minute == 0 { h.to_string() } else { format!("{h}:{minute:02}") };
    let twelve = |h: u32| match h % 12 {
        0 => 12,
        h => h,
    };
    match (language, hour, minute) {
        (Language::En, 0 | 24, 0) => "midnight".to_owned(),
        (Language::En, 12, 0) => "noon".to_owned(),
        (Language::En, h, _) if h < 12 => format!("{} a.m.", clock(twelve(h))),
        (Language::En, h, _) => format!("{} p.m.", clock(twelve(h))),
        (Language::Es, 0 | 24, 0) => "la medianoche".to_owned(),
        (Language::Es, 12, 0) => "mediodía".to_owned(),
        (Language::Es, h, _) if h < 12 => format!("{} de la mañana", clock(twelve(h))),
        (Language::Es, h, _) => format!("{} de la tarde", clock(twelve(h))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn week(spans: [&str; 7]) -> Week {
        Week(spans.map(|span| (!span.is_empty()).then(|| span.parse().unwrap())))
    }

    #[test]
    fn days_with_the_same_hours_are_said_together() {
        let long = "7:30-18:00";
        let four = week([long, long, long, long, "", "", ""]);
        assert_eq!(four.spoken(Language::En), "Monday through Thursday, 7:30 a.m. to 6 p.m");
        let short = week([long, long, long, long, "8:00-12:00", "", ""]);
        assert_eq!(
            short.spoken(Language::En),
            "Monday through Thursday, 7:30 a.m. to 6 p.m., and Friday, 8 a.m. to noon"
        );
        assert_eq!(
            week(["", "9:00-13:00", "", "", "", "10:00-14:00", ""]).spoken(Language::Es),
            "los martes, de 9 de la mañana a 1 de la tarde, y los sábados, de 10 de la mañana a 2 de la tarde"
        );
        assert_eq!(Week::default().spoken(Language::En), "");
    }

    #[test]
    fn what_is_no_span_says_why() {
        assert_eq!("17:00-8:00".parse::<Span>(), Err(NoSpan::Order));
        for bad in ["8-17", "8:00", "8:60-9:00", "25:00-26:00", "8:0-9:00", "morning-noon", "+8:00-9:00"] {
            assert_eq!(bad.parse::<Span>(), Err(NoSpan::Form), "{bad}");
        }
        assert_eq!("8:00 - 17:30".parse::<Span>().unwrap().to_string(), "8:00-17:30");
    }
}
