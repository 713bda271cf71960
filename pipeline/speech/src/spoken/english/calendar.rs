//! Times and dates as English speakers say them.

use super::super::speakable::Match;
use super::super::written::{Place, is_digits};
use super::numbers::{cardinal, ordinal, year};
use super::tables::{DAYS, MONTHS};
use super::{one, said};
use pipeline::lexicon::Spoken;

/// `9:30 a.m.`, `9am`, `17:05`, `8:00-5:00`, `8 a.m.-5 p.m.`.
pub(super) fn time(p: Place<'_>) -> Match {
    let lower = p.core().to_lowercase();
    if let Some((from, to)) = lower.split_once(['-', '–']) {
        let ((hour, half), to) = (clock(from)?, clock(to)?);
        let mut spoken = vec![said(hour)];
        spoken.extend(half.map(half_said));
        spoken.push(said("to"));
        return lower.contains([':', 'm']).then(|| with_half(p, 0, spoken, to));
    }
    let (hour, half) = clock(&lower)?;
    if let Some((mid, to)) = p.ahead(1).split_once(['-', '–'])
        && half.is_none()
        && let (Some(mid), Some(to)) = (half_of(mid), clock(&to.to_lowercase()))
    {
        return Some(with_half(p, 1, vec![said(hour), half_said(mid), said("to")], to));
    }
    let next = half_of(p.ahead(1));
    if half.is_none() && next.is_none() && !lower.contains(':') {
        return None;
    }
    Some(with_half(p, 0, Vec::new(), (hour, half)))
}

/// Adds a time and its half of the day, which may be the word after the `taken` ones.
fn with_half(
    p: Place<'_>,
    taken: usize,
    mut spoken: Vec<Spoken>,
    (hour, half): (String, Option<&'static str>),
) -> (usize, Vec<Spoken>) {
    spoken.push(said(hour));
    let next = if half.is_none() && p.joins(taken) { half_of(p.ahead(taken + 1)) } else { None };
    spoken.extend(half.or(next).map(half_said));
    (1 + taken + usize::from(next.is_some()), spoken)
}

/// Hour and minutes in words, and the half of the day if it is attached.
fn clock(text: &str) -> Option<(String, Option<&'static str>)> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    let half = half_of(&text[digits.len()..]);
    if half.is_none() && digits.len() < text.len() {
        return None;
    }
    let (hour, minutes) = digits.split_once(':').unwrap_or((digits, "00"));
    if !is_digits(hour) || hour.len() > 2 || minutes.len() != 2 || !is_digits(minutes) {
        return None;
    }
    let (hour, minutes): (u64, u64) = (hour.parse().ok()?, minutes.parse().ok()?);
    if hour > 23 || minutes > 59 {
        return None;
    }
    let words = match minutes {
        0 if half.is_none() && digits.contains(':') && hour > 12 => format!("{} hundred", cardinal(hour)),
        0 => cardinal(hour),
        1..10 => format!("{} oh {}", cardinal(hour), cardinal(minutes)),
        _ => format!("{} {}", cardinal(hour), cardinal(minutes)),
    };
    Some((words, half))
}

fn half_of(text: &str) -> Option<&'static str> {
    match text.to_lowercase().trim_end_matches('.') {
        "am" | "a.m" => Some("A M"),
        "pm" | "p.m" => Some("P M"),
        _ => None,
    }
}

fn half_said(half: &str) -> Spoken {
    let phonemes = if half == "A M" { "ˌAˈɛm" } else { "pˌiˈɛm" };
    Spoken { spoken: half.to_owned(), phonemes: Some(phonemes.to_owned()), ..Spoken::default() }
}

/// `March 3rd, 2026`, `Mar. 3`, `March 3-5`, `3/14/2026`, `3/14/26`, `2026-03-14`; `by 3/14`.
pub(super) fn date(p: Place<'_>) -> Match {
    if let Some(month) = month(p.core()) {
        return named_date(p, month);
    }
    let parts: Vec<&str> = p.core().split(['/', '-']).collect();
    let lengths: Vec<usize> = parts.iter().map(|g| if is_digits(g) { g.len() } else { 0 }).collect();
    let short = |y: &str| if y.len() == 2 { format!("20{y}") } else { y.to_owned() };
    let slashed = p.core().contains('/');
    let (m, d, y) = match (lengths.as_slice(), parts.as_slice()) {
        ([4, 2, 2], [y, m, d]) => (m, d, Some((*y).to_owned())),
        ([1..=2, 1..=2, 4], [m, d, y]) => (m, d, Some((*y).to_owned())),
        ([1..=2, 1..=2, 2], [m, d, y]) if slashed => (m, d, Some(short(y))),
        ([1..=2, 1..=2], [m, d]) if slashed && dates_follow(p.before()) => (m, d, None),
        _ => return None,
    };
    let month = MONTHS.get(m.parse::<usize>().ok()?.checked_sub(1)?)?.0;
    let day = d.parse().ok().filter(|d| (1..=31).contains(d))?;
    match y {
        Some(y) => one(format!("{month} {}, {}", ordinal(day), year(y.parse().ok()?))),
        None => one(format!("{month} {}", ordinal(day))),
    }
}

fn dates_follow(before: &str) -> bool {
    ["on", "by", "until", "before", "after", "due", "from", "since", "through", "dated", "till", "to"]
        .contains(&before.to_lowercase().as_str())
}

fn month(word: &str) -> Option<&'static str> {
    let bare = word.strip_suffix('.').unwrap_or(word);
    MONTHS
        .iter()
        .find(|(name, short)| word == *name || bare == *short || (bare == "Sep" && *short == "Sept"))
        .map(|m| m.0)
}

fn named_date(p: Place<'_>, month: &str) -> Match {
    let next = p.ahead(1);
    let digits = next.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let suffix = &next[digits.len()..];
    if digits.len() == 4 && suffix.is_empty() && is_digits(digits) {
        return Some((2, vec![said(format!("{month} {}", year(digits.parse().ok()?)))]));
    }
    let (days, span) = match digits.split_once(['-', '–']) {
        Some((from, to)) => (from.trim_end_matches(|c: char| c.is_ascii_lowercase()), Some(to)),
        None => (digits, None),
    };
    let in_month = |d: &u64| (1..=31).contains(d);
    let day: u64 = days.parse().ok().filter(in_month)?;
    if !matches!(suffix, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    let mut words = format!("{month} {}", ordinal(day));
    if let Some(to) = span {
        words.push_str(&format!(" to {}", ordinal(to.parse().ok().filter(in_month)?)));
    }
    match p.ahead(2) {
        y if y.len() == 4 && is_digits(y) && ends_at_comma(p) => {
            Some((3, vec![said(format!("{words}, {}", year(y.parse().ok()?)))]))
        }
        _ => Some((2, vec![said(words)])),
    }
}

/// After a day comes its year, with or without a comma; a sentence's end parts them.
fn ends_at_comma(p: Place<'_>) -> bool {
    p.words.get(p.at + 1).is_some_and(|day| matches!(day.trail.as_str(), "" | ","))
}

/// `1990s`, `'90s`.
pub(super) fn decade(p: Place<'_>) -> Match {
    let digits = p.core().strip_suffix('s')?.trim_end_matches(['\'', '’']);
    let n: u64 = if is_digits(digits) && digits.ends_with('0') { digits.parse().ok()? } else { return None };
    let words = match digits.len() {
        4 => year(n),
        2 if n >= 20 => cardinal(n),
        _ => return None,
    };
    let plural = match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{words}s"),
    };
    one(plural)
}

/// `Mon-Fri`, `Mon.–Fri.`.
pub(super) fn days(p: Place<'_>) -> Match {
    let (from, to) = p.core().split_once(['-', '–', '—'])?;
    one(format!("{} to {}", day(from)?, day(to)?))
}

fn day(short: &str) -> Option<&'static str> {
    let bare = short.trim_end_matches('.');
    DAYS.iter().find(|(name, shorts)| *name == bare || shorts.contains(&bare)).map(|d| d.0)
}

/// `2026` after a word that a year follows.
pub(super) fn year_number(p: Place<'_>) -> Match {
    let core = p.core();
    let n: u64 = if core.len() == 4 && is_digits(core) { core.parse().ok()? } else { return None };
    let before = p.before().to_lowercase();
    let words = [
        "in", "since", "by", "until", "of", "year", "before", "after", "from", "for", "through", "spring",
        "summer", "fall", "winter",
    ];
    let follows = words.contains(&before.as_str()) || month(p.before()).is_some();
    ((1900..2100).contains(&n) && follows).then(|| (1, vec![said(year(n))]))
}
