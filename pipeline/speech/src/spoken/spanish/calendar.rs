//! Times and dates as Spanish speakers say them.

use super::super::speakable::Match;
use super::super::written::{Place, is_digits};
use super::numbers::{Agrees, cardinal};
use super::tables::{DAYS, MONTHS, NO_NOUNS};
use super::{one, taking};
use pipeline::lexicon::Spoken;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

/// `3:15 p. m.`, `9 a.m.`, `17:05`, `8:00-5:00`, `8 a. m.-5 p. m.`.
pub(super) fn time(p: Place<'_>) -> Match {
    let lower = p.core().to_lowercase();
    if let Some((from, to)) = lower.split_once(['-', '–']) {
        let (from, to) = (clock(from)?, clock(to)?);
        let (later, taken) = half_after(p, 0, to.2);
        return (lower.contains([':', 'm']) || taken > 0).then(|| {
            (1 + taken, vec![Spoken::said(format!("{} a {}", told(from), told((to.0, to.1, later))))])
        });
    }
    let first = clock(&lower)?;
    if let Some((mid, to)) = p.ahead(1).split_once(['-', '–'])
        && let (Some(mid), Some(to)) = (half_of(mid), clock(&to.to_lowercase()))
    {
        let (later, taken) = half_after(p, 1, to.2);
        let span = format!("{} a {}", told((first.0, first.1, Some(mid))), told((to.0, to.1, later)));
        return taking(2 + taken, span);
    }
    let (half, taken) = half_after(p, 0, first.2);
    if half.is_none() && !lower.contains(':') {
        return None;
    }
    let hours = matches!(p.ahead(taken + 1), "h" | "hrs" | "horas") && half.is_none() && p.joins(taken);
    taking(1 + taken + usize::from(hours), told((first.0, first.1, half)))
}

type Clock = (u64, u64, Option<Half>);

/// The half of the day after so many words more, and how many words it takes: `p.m.`, or `p.` and `m.`.
fn half_after(p: Place<'_>, skip: usize, own: Option<Half>) -> (Option<Half>, usize) {
    if own.is_some() {
        return (own, 0);
    }
    if !p.joins(skip) {
        return (None, 0);
    }
    if let Some(half) = half_of(p.ahead(skip + 1)) {
        return (Some(half), 1);
    }
    let apart = p.words.get(p.at + skip + 1).is_some_and(|w| w.trail == ".") && p.ahead(skip + 2) == "m";
    match p.ahead(skip + 1) {
        "a" if apart => (Some(Half::Morning), 2),
        "p" if apart => (Some(Half::Afternoon), 2),
        _ => (None, 0),
    }
}

fn clock(text: &str) -> Option<Clock> {
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
    (hour < 24 && minutes < 60).then_some((hour, minutes, half))
}

fn half_of(text: &str) -> Option<Half> {
    match text.to_lowercase().trim_end_matches('.') {
        "am" | "a.m" => Some(Half::Morning),
        "pm" | "p.m" => Some(Half::Afternoon),
        _ => None,
    }
}

/// "Tres y cuarto de la tarde".
fn told((hour, minutes, half): Clock) -> String {
    let hours = cardinal(hour, Agrees::Feminine);
    let words = match minutes {
        0 if half.is_none() && (hour == 0 || hour > 12) => format!("{hours} horas"),
        0 => hours,
        15 => format!("{hours} y cuarto"),
        30 => format!("{hours} y media"),
        _ => format!("{hours} y {}", cardinal(minutes, Agrees::Alone)),
    };
    let part = match (half, hour) {
        (None, _) => return words,
        (Some(Half::Morning), 12) => "de la noche",
        (Some(Half::Morning), _) => "de la mañana",
        (Some(Half::Afternoon), 12) => "del mediodía",
        (Some(Half::Afternoon), 1..=6) => "de la tarde",
        (Some(Half::Afternoon), _) => "de la noche",
    };
    format!("{words} {part}")
}

/// `12 de mayo de 2026`, `mayo 12, 2026`, `1.º de mayo`, `5/12/2026` (month first), `2026-05-12`.
pub(super) fn date(p: Place<'_>) -> Match {
    if let Some(day) = day_number(p.core())
        && p.joins_next()
    {
        return day_first(p, day);
    }
    if let Some(month) = month(p.core()) {
        return month_first(p, month);
    }
    let core = p.core();
    let parts: Vec<&str> = core.split(['/', '-']).collect();
    let lengths: Vec<usize> = parts.iter().map(|g| if is_digits(g) { g.len() } else { 0 }).collect();
    let slashed = core.contains('/');
    let (m, d, y) = match (lengths.as_slice(), parts.as_slice()) {
        ([4, 2, 2], [y, m, d]) => (m, d, Some((*y).to_owned())),
        ([1..=2, 1..=2, 4], [m, d, y]) => (m, d, Some((*y).to_owned())),
        ([1..=2, 1..=2, 2], [m, d, y]) if slashed => (m, d, Some(format!("20{y}"))),
        ([1..=2, 1..=2], [m, d])
            if slashed && matches!(p.before(), "el" | "del" | "hasta" | "desde" | "al") =>
        {
            (m, d, None)
        }
        _ => return None,
    };
    let month = MONTHS.get(m.parse::<usize>().ok()?.checked_sub(1)?)?.0;
    let day = d.parse().ok().filter(|d| (1..=31).contains(d))?;
    one(dated(day, month, y.and_then(|y| y.parse().ok())))
}

fn dated(day: u64, month: &str, year: Option<u64>) -> String {
    let day = if day == 1 { "primero".to_owned() } else { cardinal(day, Agrees::Alone) };
    match year {
        Some(year) => format!("{day} de {month} de {}", cardinal(year, Agrees::Alone)),
        None => format!("{day} de {month}"),
    }
}

fn day_number(core: &str) -> Option<u64> {
    let digits = core.trim_end_matches(['º', '°', '.']);
    let digits = digits.strip_suffix("ro").unwrap_or(digits);
    (is_digits(digits) && digits.len() <= 2)
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|d| (1..=31).contains(d))
}

/// `12 de mayo`, `12 de mayo de 2026`, `12 mayo 2026`.
fn day_first(p: Place<'_>, day: u64) -> Match {
    let of = usize::from(p.ahead(1) == "de");
    let month = month(p.ahead(1 + of))?;
    let at = 2 + of;
    let linked = usize::from(matches!(p.ahead(at), "de" | "del"));
    let year = year_at(p.ahead(at + linked)).filter(|_| linked > 0 || p.joins(at - 1));
    match year {
        Some(year) => taking(at + linked + 1, dated(day, month, Some(year))),
        None => taking(at, dated(day, month, None)),
    }
}

/// `mayo 12, 2026`, `mayo de 2026`, `mayo 2026`.
fn month_first(p: Place<'_>, month: &str) -> Match {
    let of = usize::from(matches!(p.ahead(1), "de" | "del"));
    if let Some(year) = year_at(p.ahead(1 + of)) {
        return taking(2 + of, format!("{month} de {}", cardinal(year, Agrees::Alone)));
    }
    let day = day_number(p.ahead(1)).filter(|_| p.joins_next())?;
    // "En mayo 12 personas" counts persons.
    let after = p.ahead(2);
    let year = year_at(after)
        .filter(|_| p.words.get(p.at + 1).is_some_and(|d| matches!(d.trail.as_str(), "" | ",")));
    match year {
        Some(year) => taking(3, dated(day, month, Some(year))),
        None if p.joins(1) && after.starts_with(char::is_alphabetic) && !NO_NOUNS.contains(&after) => None,
        None => taking(2, dated(day, month, None)),
    }
}

fn year_at(word: &str) -> Option<u64> {
    (word.len() == 4 && is_digits(word))
        .then(|| word.parse().ok())
        .flatten()
        .filter(|y| (1000..3000).contains(y))
}

fn month(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase();
    let bare = lower.trim_end_matches('.');
    MONTHS.iter().find(|(name, shorts)| *name == bare || shorts.contains(&bare)).map(|m| m.0)
}

/// `lun.-vie.`, `lunes-viernes`; `lun.` alone.
pub(super) fn days(p: Place<'_>) -> Match {
    let name = |word: &str| {
        let lower = word.to_lowercase();
        let bare = lower.trim_end_matches('.');
        DAYS.iter().find(|(name, short)| *name == bare || *short == bare).map(|d| d.0)
    };
    if let Some((from, to)) = p.core().split_once(['-', '–', '—']) {
        return one(format!("{} a {}", name(from)?, name(to)?));
    }
    let short = DAYS.iter().any(|(_, short)| p.core().to_lowercase() == *short);
    (short && p.here().trail.starts_with('.')).then(|| name(p.core())).flatten().and_then(one)
}
