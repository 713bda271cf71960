//! Dates and times as Spanish speakers say them.

use std::sync::LazyLock;

use chrono::{Datelike, Days, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use regex::Regex;

use super::number::{cardinal_at, year_at};
use super::words::plain;
use crate::english::when::{
    Direction, Part, When, clock, dated, exact, named_weekday, numeric, on, same_or_near,
};

const DAYS: [&str; 7] = ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"];
const MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

/// Reads a date, a time, or both. `None` when the text says nothing about when.
#[must_use]
pub fn when(text: &str, now: NaiveDateTime, direction: Direction) -> Option<When> {
    let text = plain(text);
    let words: Vec<&str> = text.split(' ').filter(|w| !w.is_empty()).collect();
    // Of a day to come, "acaba de terminar el porche" says nothing.
    if direction == Direction::Past
        && let Some(when) = ago(&text, &words, now)
    {
        return Some(when);
    }
    let part = part(&text);
    let date = relative(&text, now.date())
        .or_else(|| numeric(&text, now.date()))
        .or_else(|| named_month(&words, now.date(), direction))
        .or_else(|| weekday(&words, now.date(), direction))
        .or_else(|| day_of_month(&words, now.date(), direction));
    let time = time(&text, &words, part);
    let found = When { date, time, part };
    (date.is_some() || time.is_some() || part.is_some_and(|_| names_part(&text, &words))).then_some(found)
}

/// A date of birth: any date with a year in the past.
#[must_use]
pub fn birth_date(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let text = plain(text);
    let words: Vec<&str> = text.split(' ').filter(|w| !w.is_empty()).collect();
    let date = numeric(&text, today).or_else(|| named_month(&words, today, Direction::Past));
    date.filter(|d| *d < today && d.year() > 1900 && today.year() - d.year() >= 5)
}

// ---------------------------------------------------------------- saying

/// For reading back: "el sábado 21 de noviembre, a las 3 de la tarde".
#[must_use]
pub fn spoken(when: &When) -> String {
    let date = when.date.map(|date| format!("el {}", spoken_date(date)));
    let time = when.time.map(at_time).or_else(|| when.part.map(|p| spoken_part(p).to_owned()));
    match (date, time) {
        (Some(date), Some(time)) => format!("{date}, {time}"),
        (date, time) => date.or(time).unwrap_or_default(),
    }
}

/// "el martes 24 de noviembre a las 9 de la mañana".
#[must_use]
pub fn spoken_moment(at: NaiveDateTime) -> String {
    format!("el {} {}", spoken_date(at.date()), at_time(at.time()))
}

/// Monday first, as they are spoken.
pub const SPOKEN_DAYS: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];

/// "martes 24 de noviembre".
#[must_use]
pub fn spoken_date(date: NaiveDate) -> String {
    let day = SPOKEN_DAYS[date.weekday().num_days_from_monday() as usize];
    format!("{day} {} de {}", date.day(), MONTHS[date.month0() as usize])
}

/// "3 de la tarde", "10:30 de la mañana", "mediodía".
#[must_use]
pub fn spoken_time(time: NaiveTime) -> String {
    let part = match time.hour() {
        0 if time.minute() == 0 => return "medianoche".to_owned(),
        12 if time.minute() == 0 => return "mediodía".to_owned(),
        0..=11 => "de la mañana",
        12..=18 => "de la tarde",
        _ => "de la noche",
    };
    let hour = time.hour12().1;
    match time.minute() {
        0 => format!("{hour} {part}"),
        minute => format!("{hour}:{minute:02} {part}"),
    }
}

/// "a las 3 de la tarde", "al mediodía".
#[must_use]
pub fn at_time(time: NaiveTime) -> String {
    let spoken = spoken_time(time);
    match (time.hour12().1, spoken.as_str()) {
        (_, "mediodía") => "al mediodía".to_owned(),
        (_, "medianoche") => "a medianoche".to_owned(),
        (1, _) => format!("a la {spoken}"),
        _ => format!("a las {spoken}"),
    }
}

const fn spoken_part(part: Part) -> &'static str {
    match part {
        Part::Morning => "por la mañana",
        Part::Afternoon => "por la tarde",
        Part::Evening | Part::Night => "por la noche",
    }
}

// ---------------------------------------------------------------- parts of a day

/// "Mañana" is tomorrow, unless an article or a preposition makes it the morning.
fn is_morning(text: &str) -> bool {
    ["la manana", "esta manana", "de manana a", "por las mananas", "en las mananas", "madrugada"]
        .iter()
        .any(|phrase| text.contains(phrase))
}

fn part(text: &str) -> Option<Part> {
    let has = |words: &[&str]| text.split(' ').any(|w| words.contains(&w));
    if is_morning(text) {
        Some(Part::Morning)
    } else if has(&["tarde", "tardes"]) && !text.contains("mas tarde") {
        Some(Part::Afternoon)
    } else if has(&["noche", "noches", "anoche"]) {
        Some(Part::Night)
    } else {
        None
    }
}

fn names_part(text: &str, words: &[&str]) -> bool {
    ["en la ", "por la ", "de la ", "esta ", "mananas", "tardes"].iter().any(|p| text.contains(p))
        || words.len() <= 4
}

// ---------------------------------------------------------------- dates

/// "hace dos horas", "hace media hora", "ahorita".
fn ago(text: &str, words: &[&str], now: NaiveDateTime) -> Option<When> {
    const JUST: &[&str] = &[
        "ahorita",
        "ahora mismo",
        "justo ahora",
        "hace un momento",
        "hace rato",
        "hace un rato",
        "recien",
        "acaba de",
        "en este momento",
    ];
    if JUST.iter().any(|p| text.contains(p)) {
        return Some(exact(now));
    }
    let minutes = |n: u32| now.checked_sub_signed(chrono::Duration::minutes(i64::from(n)));
    // "Lleva dos semanas así" began two weeks ago.
    let at = words.iter().position(|w| matches!(*w, "hace" | "lleva" | "llevan" | "llevamos"))?;
    let rest = words
        .get(at + 1..)?
        .iter()
        .copied()
        .filter(|w| !matches!(*w, "como" | "unos" | "unas" | "casi" | "mas" | "menos" | "o"))
        .collect::<Vec<_>>();
    if rest.first() == Some(&"media") && rest.get(1) == Some(&"hora") {
        return minutes(30).map(exact);
    }
    let (count, used) = match *rest.first()? {
        "un" | "una" => (1, 1),
        "pocos" | "pocas" | "algunos" | "algunas" => (3, 1),
        "par" => (2, 1),
        // "hace unos días": how many is not said.
        "minutos" | "horas" | "dias" | "semanas" => (3, 0),
        _ => cardinal_at(&rest)?,
    };
    let back = |n: u32| now.date().checked_sub_days(Days::new(n.into()));
    let unit = rest.get(used..)?.iter().find(|w| **w != "de" && **w != "par")?;
    Some(match *unit {
        "minuto" | "minutos" => exact(minutes(count.min(10_000))?),
        "hora" | "horas" => exact(minutes(count.min(1_000) * 60)?),
        "dia" | "dias" | "noche" | "noches" => on(back(count)?),
        "semana" | "semanas" => on(back(count.min(10_000) * 7)?),
        "mes" | "meses" => on(now.date().checked_sub_months(chrono::Months::new(count.min(1_200)))?),
        "ano" | "anos" => on(now.date().checked_sub_months(chrono::Months::new(count.min(100) * 12))?),
        _ => return None,
    })
}

fn relative(text: &str, today: NaiveDate) -> Option<NaiveDate> {
    let has = |phrase: &str| format!(" {text} ").contains(&format!(" {phrase} "));
    let back = |n| today.checked_sub_days(Days::new(n));
    let ahead = |n| today.checked_add_days(Days::new(n));
    if has("anteayer") || has("antier") || has("antes de ayer") {
        back(2)
    } else if has("ayer") || has("anoche") {
        back(1)
    } else if has("pasado manana") {
        ahead(2)
    } else if has("hoy") || has("esta manana") || has("esta tarde") || has("esta noche") {
        Some(today)
    } else if tomorrow(text) {
        ahead(1)
    } else if has("la semana pasada") {
        back(7)
    } else {
        None
    }
}

/// A "mañana" with nothing before it that makes it the morning: "mañana por la mañana" begins with one.
fn tomorrow(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    words.iter().enumerate().any(|(at, w)| {
        *w == "manana"
            && !at.checked_sub(1).is_some_and(|b| matches!(words[b], "la" | "esta" | "una" | "cada"))
    })
}

fn weekday(words: &[&str], today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    let day =
        DAYS.iter().position(|day| words.iter().any(|w| w == day || w.trim_end_matches('s') == *day))?;
    let past = words.iter().any(|w| matches!(*w, "pasado" | "pasada"));
    named_weekday(day as u32, today, if past { Direction::Past } else { direction })
}

fn month_number(word: &str) -> Option<u32> {
    MONTHS
        .iter()
        .position(|m| *m == word || (word == "setiembre" && *m == "septiembre"))
        .map(|n| n as u32 + 1)
}

/// "tres de marzo de mil novecientos sesenta y uno", "el primero de mayo", "marzo 3".
fn named_month(words: &[&str], today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    let at = words.iter().position(|w| month_number(w).is_some())?;
    let month = month_number(words[at])?;
    let before = &words[..at];
    let before = before.strip_suffix(&["de"]).unwrap_or(before);
    let (day, rest) = match day_before(before) {
        Some(day) => (day, at + 1),
        None => {
            let (day, used) = cardinal_at(words.get(at + 1..)?).filter(|(d, _)| (1..=31).contains(d))?;
            (day, at + 1 + used)
        }
    };
    let after = words.get(rest..).unwrap_or_default();
    let after = after.strip_prefix(&["de"]).or_else(|| after.strip_prefix(&["del"])).unwrap_or(after);
    let after = after.strip_prefix(&["ano"]).unwrap_or(after);
    // "El 3 de marzo a las 5": what follows is no year.
    dated(year_at(after, today.year()), month, day, today, direction)
}

fn day_before(words: &[&str]) -> Option<u32> {
    if words.last() == Some(&"primero") {
        return Some(1);
    }
    // The longest number that ends here: "treinta y uno".
    (words.len().saturating_sub(3)..words.len())
        .find_map(|from| cardinal_at(&words[from..]).filter(|(_, used)| from + used == words.len()))
        .map(|found| found.0)
        .filter(|day| (1..=31).contains(day))
}

/// "el 15", "el día quince": of this month, or the nearest one that fits the direction.
fn day_of_month(words: &[&str], today: NaiveDate, direction: Direction) -> Option<NaiveDate> {
    let at = words.iter().position(|w| *w == "el")?;
    let rest = words.get(at + 1..)?;
    let named = rest.strip_prefix(&["dia"]);
    let (day, used) = cardinal_at(named.unwrap_or(rest)).filter(|(d, _)| (1..=31).contains(d))?;
    // "El 12 Main Street" is an address, "el 20417" a number.
    let ends =
        named.is_some() || rest.get(used).is_none_or(|w| matches!(*w, "a" | "por" | "en" | "como" | "de"));
    ends.then(|| same_or_near(today.with_day(day)?, today, direction)).flatten()
}

// ---------------------------------------------------------------- times

fn time(text: &str, words: &[&str], part: Option<Part>) -> Option<NaiveTime> {
    if text.contains("mediodia") || text.contains("medio dia") {
        return NaiveTime::from_hms_opt(12, 0, 0);
    }
    if text.contains("medianoche") || text.contains("media noche") {
        return NaiveTime::from_hms_opt(0, 0, 0);
    }
    quarter_to(words, part).or_else(|| at_hour(words, part)).or_else(|| written(text, part))
}

fn mark(text: &str) -> Option<&'static str> {
    static MARK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\b(?:(a) ?m|(p) ?m)\b").expect("clippy compiles every pattern"));
    let found = MARK.captures(text)?;
    Some(if found.get(1).is_some() { "am" } else { "pm" })
}

/// "3:30", "15:30 pm".
fn written(text: &str, part: Option<Part>) -> Option<NaiveTime> {
    static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(\d{1,2}):(\d{2})\b|\b(\d{1,2}) ?([ap]) ?m\b").expect("clippy compiles every pattern")
    });
    let found = CLOCK.captures(text)?;
    let number = |n: usize| found.get(n).and_then(|m| m.as_str().parse::<u32>().ok());
    match (number(1), number(2), number(3)) {
        (Some(hour), Some(minute), _) => clock(hour, minute, mark(text), part),
        (_, _, Some(hour)) => clock(hour, 0, mark(text), part),
        _ => None,
    }
}

/// "a las tres y media", "a la una", "como a las 3 30", "las cinco menos cuarto".
fn at_hour(words: &[&str], part: Option<Part>) -> Option<NaiveTime> {
    let at = (0..words.len()).find(|&at| {
        matches!(words[at], "las" | "la") && hour_at(words.get(at + 1..).unwrap_or_default()).is_some()
    })?;
    let rest = &words[at + 1..];
    if let Some((hour, minute)) = rest[0].split_once(':') {
        return clock(hour.parse().ok()?, minute.parse().ok()?, mark(&words.join(" ")), part);
    }
    let (hour, used) = hour_at(rest)?;
    let after = rest.get(used..).unwrap_or_default();
    let (hour, minute) = match after {
        ["menos", "cuarto", ..] => (before(hour), 45),
        ["menos", more @ ..] => {
            (before(hour), 60 - cardinal_at(more).map(|m| m.0).filter(|m| (1..60).contains(m))?)
        }
        ["y", "media", ..] => (hour, 30),
        ["y", "cuarto", ..] => (hour, 15),
        ["y", more @ ..] => (hour, cardinal_at(more).map_or(0, |m| m.0)),
        more => (hour, cardinal_at(more).map(|m| m.0).filter(|m| (5..60).contains(m)).unwrap_or(0)),
    };
    if minute > 59 {
        return None;
    }
    clock(hour, minute, mark(&words.join(" ")), part)
}

/// An hour after "las"; "la" goes with one only.
fn hour_at(rest: &[&str]) -> Option<(u32, usize)> {
    let first = rest.first()?;
    if let Some((hour, _)) = first.split_once(':') {
        return Some((hour.parse().ok()?, 1));
    }
    // "Las treinta personas" are no hour, nor is "la una persona".
    let (hour, used) = match *first {
        "una" => (1, 1),
        _ => cardinal_at(&rest[..1]).filter(|(h, _)| (1..=23).contains(h))?,
    };
    let follows = rest.get(used).copied().unwrap_or_default();
    let fits = matches!(
        follows,
        "" | "y"
            | "menos"
            | "de"
            | "del"
            | "en"
            | "por"
            | "am"
            | "pm"
            | "a"
            | "p"
            | "mas"
            | "o"
            | "hoy"
            | "ayer"
            | "manana"
            | "cuando"
            | "el"
            | "me"
            | "fue"
            | "esta"
            | "se"
    ) || cardinal_at(&[follows]).is_some_and(|(m, _)| (5..60).contains(&m));
    fits.then_some((hour, used))
}

fn before(hour: u32) -> u32 {
    if hour == 1 { 12 } else { hour - 1 }
}

/// "cuarto para las cinco", "diez para las cinco".
fn quarter_to(words: &[&str], part: Option<Part>) -> Option<NaiveTime> {
    let at = words.windows(2).position(|w| w[0] == "para" && matches!(w[1], "las" | "la"))?;
    let (hour, _) = hour_at(words.get(at + 2..)?)?;
    let minutes = match *words.get(at.checked_sub(1)?)? {
        "cuarto" => 15,
        word => cardinal_at(&[word]).map(|m| m.0).filter(|m| (1..60).contains(m))?,
    };
    clock(before(hour), 60 - minutes, mark(&words.join(" ")), part)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Sunday, 22 November 2026, 09:12.
    fn now() -> NaiveDateTime {
        NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 12, 0).unwrap()
    }

    #[test]
    fn past_dates_and_times() {
        for (text, iso) in [
            ("ayer como a las tres", "2026-11-21T15:00"),
            ("Fue ayer a las 3:30 de la tarde.", "2026-11-21T15:30"),
            ("el martes pasado por la mañana", "2026-11-17"),
            ("el martes a las diez de la mañana", "2026-11-17T10:00"),
            ("el 3 de junio", "2026-06-03"),
            ("el tres de junio de dos mil veinticinco", "2025-06-03"),
            ("6/3/2025", "2025-06-03"),
            ("primero de mayo", "2026-05-01"),
            ("esta mañana", "2026-11-22"),
            ("esta mañana como a las ocho y media", "2026-11-22T08:30"),
            ("anoche a las once", "2026-11-21T23:00"),
            ("hace dos días", "2026-11-20"),
            ("hace como una hora", "2026-11-22T08:10"),
            ("hace media hora", "2026-11-22T08:40"),
            ("ahorita", "2026-11-22T09:10"),
            ("hace una semana", "2026-11-15"),
            ("ya lleva dos semanas apagado", "2026-11-08"),
            ("el día 15", "2026-11-15"),
            ("antier", "2026-11-20"),
            ("el sábado al mediodía", "2026-11-21T12:00"),
            ("ayer a las cuatro y cuarto", "2026-11-21T16:15"),
            ("cuarto para las cinco del viernes", "2026-11-20T16:45"),
            ("las cinco menos diez de ayer", "2026-11-21T16:50"),
            ("ayer a la una", "2026-11-21T13:00"),
        ] {
            assert_eq!(when(text, now(), Direction::Past).map(|w| w.iso()).as_deref(), Some(iso), "{text}");
        }
    }

    #[test]
    fn future_days() {
        for (text, iso) in [
            ("el martes", "2026-11-24"),
            ("mañana", "2026-11-23"),
            ("mañana por la mañana", "2026-11-23"),
            ("pasado mañana", "2026-11-24"),
            ("el lunes a las tres", "2026-11-23T15:00"),
            ("el próximo viernes a las 10", "2026-11-27T10:00"),
            ("el 3 de diciembre", "2026-12-03"),
            ("5 de enero", "2027-01-05"),
        ] {
            assert_eq!(when(text, now(), Direction::Future).map(|w| w.iso()).as_deref(), Some(iso), "{text}");
        }
    }

    #[test]
    fn other_words_say_nothing_about_when() {
        for text in [
            "12 Main Street",
            "mi número es 202 555 0143",
            "dos personas",
            "la segunda",
            "en la calle Elm",
            "Ana Ruiz",
            "las tres personas",
        ] {
            assert_eq!(when(text, now(), Direction::Past), None, "{text}");
        }
    }

    #[test]
    fn dates_are_read_back_in_words() {
        let said = |text| spoken(&when(text, now(), Direction::Past).unwrap());
        assert_eq!(said("ayer como a las tres"), "el sábado 21 de noviembre, a las 3 de la tarde");
        assert_eq!(said("el martes pasado en la mañana"), "el martes 17 de noviembre, por la mañana");
        assert_eq!(said("ayer a la 1:15"), "el sábado 21 de noviembre, a la 1:15 de la tarde");
    }

    #[test]
    fn births() {
        for text in [
            "3 de marzo de 1961",
            "3/3/61",
            "tres de marzo de mil novecientos sesenta y uno",
            "el tres de marzo del sesenta y uno",
            "marzo 3 de 1961",
        ] {
            assert_eq!(birth_date(text, now().date()), NaiveDate::from_ymd_opt(1961, 3, 3), "{text}");
        }
        assert_eq!(birth_date("ayer", now().date()), None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".{0,60}", words in proptest::collection::vec("(hace|una|las|la|dos|cientos|mil|dias|de|el|y|media|cuarto|para|menos|junio|3|31|a|12:99|pasado|lunes|semanas|9999999|mes|febrero|doble)", 0..8)) {
            let text = format!("{text} {}", words.join(" "));
            let _ = when(&text, now(), Direction::Past);
            let _ = when(&text, now(), Direction::Future);
            let _ = birth_date(&text, now().date());
            let _ = super::super::place::stated(&text);
            let _ = super::super::place::answered(&text);
            let _ = super::super::name::answered(&text);
            let _ = super::super::digits::phone(&text, "20", "202");
            let _ = super::super::answer::choice(&text, 3);
        }
    }
}
